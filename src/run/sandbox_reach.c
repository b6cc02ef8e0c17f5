/* sandbox_reach.c: whether another user can run a target, and paths to it through directories that only root may pass.
 *
 * As root, targets become nobody. What they need (the program, the directory to run in, files that are input) often lies below a
 * directory that nobody may pass: the cache below /root. In the view such a directory is covered by an empty one that everybody may pass,
 * in which only what is needed is mounted at its old path. Modes of files are as they are: where they forbid reading,
 * or the program lies in such a directory itself, beside libraries of its own perhaps, targets stay who muster is, without capabilities.
 */
#include "run/sandbox.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <unistd.h>

#define NEEDED 8
#define COVERED 4

static struct {
	char path[PATH_MAX];
	int mount;
} needed[NEEDED];
static unsigned needed_count;
static char covered[COVERED][PATH_MAX];
static unsigned covered_count;

static void as_nobody(int on)
{
	setfsgid(on ? SANDBOX_UID : getegid());
	setfsuid(on ? SANDBOX_UID : geteuid());
}

/* What targets do with a path of this kind. */
static int mode_of(char kind)
{
	switch (kind) {
	case SANDBOX_PROGRAM:
	case SANDBOX_DIRECTORY:
		return R_OK | X_OK;
	case SANDBOX_WRITABLE:
		return R_OK | W_OK | X_OK;
	case SANDBOX_FILE:
		return R_OK;
	case SANDBOX_SCRATCH:
		return X_OK;
	default:
		return F_OK;
	}
}

/* By its path, or whatever leads to it. */
static int nobody_may(const char *path, int mode, int by_path)
{
	int fd = by_path ? -1 : open(path, O_PATH | O_CLOEXEC), may;

	as_nobody(1);
	may = by_path ? !faccessat(AT_FDCWD, path, mode, AT_EACCESS) : !faccessat(fd, "", mode, AT_EACCESS | AT_EMPTY_PATH);
	as_nobody(0);
	if (fd >= 0)
		close(fd);
	return may;
}

int reach_others_may(const struct keeper_board *b)
{
	for (const char *p = NULL; (p = sandbox_path(&b->sandbox, p));)
		if (mode_of(*p) != F_OK && !nobody_may(p + 1, mode_of(*p), 1))
			return 0;
	return 1;
}

/* The uppermost directory above the path that nobody may pass. */
static int obstacle(const char *path, char out[PATH_MAX])
{
	int found = 0;

	snprintf(out, PATH_MAX, "%s", path);
	as_nobody(1);
	for (char *p = out + 1; *p && !found; p++)
		if (*p == '/') {
			*p = 0;
			found = faccessat(AT_FDCWD, out, X_OK, AT_EACCESS) != 0;
			if (!found)
				*p = '/';
		}
	as_nobody(0);
	return found;
}

static int need(const char *path)
{
	struct mount_attr harmless = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV};
	int mount = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);

	if (mount < 0 || needed_count == NEEDED || mount_setattr(mount, "", AT_EMPTY_PATH | AT_RECURSIVE, &harmless, sizeof harmless))
		return -1;
	snprintf(needed[needed_count].path, PATH_MAX, "%s", path);
	needed[needed_count++].mount = mount;
	return 0;
}

static int cover(const char *dir)
{
	for (unsigned i = 0; i < covered_count; i++)
		if (!strcmp(covered[i], dir))
			return 0;
	if (covered_count == COVERED)
		return -1;
	snprintf(covered[covered_count++], PATH_MAX, "%s", dir);
	return 0;
}

/* The directory of a program, since its libraries may lie there. */
static int need_program(const char *program)
{
	char dir[PATH_MAX];

	snprintf(dir, sizeof dir, "%s", program);
	*strrchr(dir, '/') = 0;
	return nobody_may(dir, X_OK, 0) ? need(dir) : -1;
}

int reach_plan(const struct keeper_board *b)
{
	char above[PATH_MAX];

	if (!nobody_may("/", X_OK, 1)) /* cannot be covered */
		return -1;
	for (const char *p = NULL; (p = sandbox_path(&b->sandbox, p));) {
		if (mode_of(*p) == F_OK)
			continue;
		if (!nobody_may(p + 1, mode_of(*p), 0))
			return -1;
		if (!obstacle(p + 1, above))
			continue;
		/* What may be written, and files that are input, are put into place anyway. */
		if (cover(above) || (*p == SANDBOX_PROGRAM && need_program(p + 1)) || (*p == SANDBOX_DIRECTORY && need(p + 1)))
			return -1;
	}
	return 0;
}

int reach_make(void)
{
	int e = 0;

	for (unsigned i = 0; i < covered_count && !e; i++)
		e = mount("tmpfs", covered[i], "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=0755");
	for (unsigned i = 0; i < needed_count && !e; i++)
		e = view_put(needed[i].mount, needed[i].path);
	for (unsigned i = 0; i < needed_count; i++)
		close(needed[i].mount);
	for (unsigned i = covered_count; e && i-- > 0;)
		umount2(covered[i], MNT_DETACH);
	return e;
}

void reach_close(void)
{
	struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};

	for (unsigned i = 0; i < covered_count; i++)
		mount_setattr(AT_FDCWD, covered[i], 0, &read_only, sizeof read_only);
}
