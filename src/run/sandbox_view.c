/* sandbox_view.c: the file system as targets see it.
 *
 * The keeper has a mount namespace of its own. In it
 *
 *	everything         is read-only, without set-user-id programs and devices
 *	scratch, writable  are mounted again over it, as they are
 *	working directory, /tmp, TMPDIR
 *	                   are overlays: what is there is seen, what is written goes to memory
 *	/dev               has the harmless devices, terminals of its own, and an empty /dev/shm
 *	/proc              shows the processes of the sandbox, and cannot be written
 *
 * Mounts that must stay writable are cloned before the rest becomes read-only and put into place after it. Making a mount
 * read-only asks nothing of those who wrote to it outside: the mounts of this namespace are copies.
 *
 * Runs do not see each other: after each run the upper directories of the overlays must be empty. What is new there is removed
 * through the overlay. Where something that was there before was changed or deleted, an overlay cannot forget it: the keeper says
 * that it is used up, and muster starts another.
 *
 * An overlay shows nothing of what is mounted below its directory: with such mounts there is none, and the directory is read-only.
 */
#include "run/sandbox.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define STORE "/dev/.muster" /* of the overlays, while the view is made */
#define OVERLAYS 4
#define LOWERS 8
#define KEPT 64 /* mounts that stay as they are */
#define INODES 100000

static const char *const devices[] = {"null", "zero", "full", "random", "urandom", "tty"};
enum { DEVICES = sizeof devices / sizeof devices[0] };

/* What targets write into. */
struct layer {
	char path[PATH_MAX];
	int upper; /* what must not grow */
	int lower; /* -1: nothing, all of it is the sandbox's own */
	off_t size;
};

static struct view {
	struct layer layers[OVERLAYS + 1];
	unsigned count;
	struct {
		char path[PATH_MAX];
		int mount;
	} kept[KEPT];
	unsigned kept_count;
	int device[DEVICES];
	int temp[2]; /* directories that the board's temp_dir are in, writable */
	char *mounts;	/* text of mountinfo */
} view;

/* ------------------------------------------------------------------ mounts */

static int clone_tree(const char *path)
{
	return open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
}

static int is_below(const char *dir, const char *path)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && (path[n] == '/' || !path[n] || (n && dir[n - 1] == '/'));
}

/* As mountinfo writes it. */
static void escape(const char *path, char *out, size_t size)
{
	size_t n = 0;

	for (; *path && n + 5 < size; path++)
		if (strchr(" \t\n\\", *path))
			n += (size_t)sprintf(out + n, "\\%03o", (unsigned char)*path);
		else
			out[n++] = *path;
	out[n] = 0;
}

static int has_mounts_below(const char *dir)
{
	char name[4 * PATH_MAX], line[5 * PATH_MAX], point[4 * PATH_MAX];

	if (!view.mounts)
		return 1;
	escape(dir, name, sizeof name);
	for (char *p = view.mounts; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		snprintf(line, sizeof line, "%.*s", (int)strcspn(p, "\n"), p);
		if (sscanf(line, "%*s %*s %*s %*s %16383s", point) == 1 && strcmp(point, name) && is_below(name, point))
			return 1;
	}
	return 0;
}

/* A place to mount at, where a mount of ours hides the one that was there. */
static int make_place(const char *path, int is_file)
{
	char part[PATH_MAX];
	int fd;

	snprintf(part, sizeof part, "%s", path);
	for (char *p = part + 1; *p; p++)
		if (*p == '/') {
			*p = 0;
			if (mkdir(part, 0755) && errno != EEXIST)
				return -1;
			*p = '/';
		}
	if (!is_file)
		return mkdir(part, 0755) && errno != EEXIST ? -1 : 0;
	fd = open(part, O_WRONLY | O_CREAT | O_CLOEXEC, 0444);
	return fd < 0 ? -1 : close(fd);
}

int view_put(int mount, const char *path)
{
	struct stat st;

	if (!move_mount(mount, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH))
		return 0;
	if (errno != ENOENT || fstat(mount, &st) || make_place(path, !S_ISDIR(st.st_mode)))
		return -1;
	return move_mount(mount, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH);
}

/* ------------------------------------------------------- what stays as it is */

static int keep(const char *path, int writable)
{
	struct mount_attr harmless = {.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (writable ? 0 : MOUNT_ATTR_RDONLY)};
	int mount = clone_tree(path);

	if (mount < 0)
		return -1;
	if (view.kept_count == KEPT) {
		errno = E2BIG;
		return -1;
	}
	if (mount_setattr(mount, "", AT_EMPTY_PATH | AT_RECURSIVE, &harmless, sizeof harmless))
		return -1;
	snprintf(view.kept[view.kept_count].path, PATH_MAX, "%s", path);
	view.kept[view.kept_count++].mount = mount;
	return 0;
}

static int keep_all(const struct keeper_board *b)
{
	char parent[PATH_MAX], name[64];

	for (const char *p = NULL; (p = sandbox_path(&b->sandbox, p));)
		if ((*p == SANDBOX_SCRATCH || *p == SANDBOX_WRITABLE || *p == SANDBOX_FILE) && keep(p + 1, *p != SANDBOX_FILE))
			return -1;
	for (unsigned i = 0; i < DEVICES; i++) {
		snprintf(name, sizeof name, "/dev/%s", devices[i]);
		view.device[i] = clone_tree(name); /* what is not there will not be there */
	}
	for (int i = 0; i < 2; i++) {
		char *slash;

		snprintf(parent, sizeof parent, "%s", b->temp_dir[i]);
		slash = strrchr(parent, '/');
		if (slash)
			*slash = 0;
		view.temp[i] = slash ? clone_tree(*parent ? parent : "/") : -1;
	}
	return 0;
}

void view_remove_temps(const struct keeper_board *b)
{
	char path[PATH_MAX + 64];

	for (int i = 0; i < 2; i++)
		if (b->temp_dir[i][0] && view.temp[i] >= 0) {
			snprintf(path, sizeof path, "/proc/self/fd/%d/%s", view.temp[i], file_base(b->temp_dir[i]));
			file_remove_tree(path);
		}
}

/* -------------------------------------------------------------------- /dev */

static int mount_tmpfs(const char *path, uint64_t bytes, unsigned mode)
{
	char data[128];

	snprintf(data, sizeof data, "size=%llu,nr_inodes=%d,mode=%o", (unsigned long long)bytes, INODES, mode);
	return mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, data);
}

static void remember_layer(const char *path, int upper, int lower)
{
	struct layer *l = &view.layers[view.count++];

	snprintf(l->path, sizeof l->path, "%s", path);
	l->upper = upper;
	l->lower = lower;
}

/* With nothing in it, unless the program or its directory are there. */
static int make_shm(const struct keeper_board *b, int old)
{
	int needed = 0;

	if (mkdir("/dev/shm", 0755))
		return -1;
	for (const char *p = NULL; (p = sandbox_path(&b->sandbox, p));)
		needed |= (*p == SANDBOX_PROGRAM || *p == SANDBOX_DIRECTORY) && is_below("/dev/shm", p + 1);
	if (needed && old >= 0) {
		struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV};

		return mount_setattr(old, "", AT_EMPTY_PATH | AT_RECURSIVE, &read_only, sizeof read_only) || view_put(old, "/dev/shm") ? -1 : 0;
	}
	if (mount_tmpfs("/dev/shm", b->sandbox.disk, 01777))
		return -1;
	remember_layer("/dev/shm", open("/dev/shm", O_PATH | O_DIRECTORY | O_CLOEXEC), -1);
	return 0;
}

static int make_dev(const struct keeper_board *b, int old_shm)
{
	static const char *const links[][2] = {{"/proc/self/fd", "/dev/fd"},
					       {"/proc/self/fd/0", "/dev/stdin"},
					       {"/proc/self/fd/1", "/dev/stdout"},
					       {"/proc/self/fd/2", "/dev/stderr"},
					       {"pts/ptmx", "/dev/ptmx"}};
	char name[64];

	if (mount_tmpfs("/dev", 1 << 20, 0755))
		return -1;
	for (unsigned i = 0; i < DEVICES; i++) {
		int fd;

		snprintf(name, sizeof name, "/dev/%s", devices[i]);
		if (view.device[i] < 0)
			continue;
		fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0444);
		if (fd < 0)
			return -1;
		close(fd);
		if (view_put(view.device[i], name))
			return -1;
		close(view.device[i]);
	}
	for (unsigned i = 0; i < sizeof links / sizeof links[0]; i++)
		if (symlink(links[i][0], links[i][1]))
			return -1;
	if (!mkdir("/dev/pts", 0755)) /* without terminals a target can do */
		(void)mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620");
	return make_shm(b, old_shm);
}

/* ---------------------------------------------------------------- overlays */

/* lower: the directory as it is without any overlay. */
static int overlay(const struct keeper_board *b, const char *dir, int lower)
{
	char upper[64], work[64], options[256];
	unsigned n = view.count;
	struct stat st;

	snprintf(upper, sizeof upper, "%s/%u", STORE, n);
	if (fstat(lower, &st) || mkdir(upper, 0755))
		return -1;
	snprintf(upper, sizeof upper, "%s/%u/u", STORE, n);
	snprintf(work, sizeof work, "%s/%u/w", STORE, n);
	if (mkdir(upper, 0755) || mkdir(work, 0700))
		return -1;
	/* The directory itself looks as the upper one does. */
	if (chown(upper, st.st_uid, st.st_gid))
		errno = 0;
	if (chmod(upper, b->sandbox.uid ? 0777 | (st.st_mode & 01000) : st.st_mode & 07777))
		return -1;
	/* A name may have any letters; a descriptor has a name without. */
	snprintf(options, sizeof options, "lowerdir=/proc/self/fd/%d,upperdir=%s,workdir=%s%s", lower, upper, work,
		 b->is_user_namespace ? ",userxattr" : "");
	if (mount("muster", dir, "overlay", MS_NOSUID | MS_NODEV, options))
		return -1;
	remember_layer(dir, open(upper, O_PATH | O_DIRECTORY | O_CLOEXEC), lower);
	return 0;
}

/* A directory in another overlay has one of its own, since those between them may belong to somebody else. */
static int wants_overlay(const struct keeper_board *b, const char *p)
{
	for (const char *q = NULL; (q = sandbox_path(&b->sandbox, q));)
		if ((*q == SANDBOX_WRITABLE || *q == SANDBOX_SCRATCH) && is_below(q + 1, p + 1))
			return 0;
	for (unsigned i = 0; i < view.count; i++)
		if (!strcmp(view.layers[i].path, p + 1))
			return 0;
	return view.count <= OVERLAYS && strcmp(p + 1, "/") && !is_below("/proc", p + 1) && !is_below("/sys", p + 1) &&
	       !has_mounts_below(p + 1);
}

static int is_writable(const struct keeper_board *b, const char *path)
{
	for (const char *q = NULL; (q = sandbox_path(&b->sandbox, q));)
		if (*q == SANDBOX_WRITABLE && is_below(q + 1, path))
			return 1;
	for (unsigned i = 0; i < view.count; i++)
		if (is_below(view.layers[i].path, path))
			return 1;
	return 0;
}

/* What the overlays show is opened before anything is above it. */
static int open_lowers(const struct keeper_board *b, int lower[LOWERS])
{
	int n = 0;

	for (const char *p = NULL; (p = sandbox_path(&b->sandbox, p)) && n < LOWERS;)
		if (*p == SANDBOX_TEMP || *p == SANDBOX_DIRECTORY)
			lower[n++] = open(p + 1, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return n;
}

static void make_overlays_of(struct keeper_board *b, char kind, int lower[LOWERS])
{
	int n = 0;

	for (const char *p = NULL; (p = sandbox_path(&b->sandbox, p)) && n < LOWERS;) {
		if (*p != SANDBOX_TEMP && *p != SANDBOX_DIRECTORY)
			continue;
		if (*p == kind && lower[n] >= 0 && (!wants_overlay(b, p) || overlay(b, p + 1, lower[n])))
			close(lower[n]);
		n++;
	}
}

/* Those that enclose others first. A kernel without such overlays leaves the directories read-only. Directories that only root
 * may pass are covered in between: they may be below /tmp, and the working directory below them. */
static void make_overlays(struct keeper_board *b, int planned)
{
	int lower[LOWERS], stored;

	open_lowers(b, lower);
	stored = !mkdir(STORE, 0700) && !mount_tmpfs(STORE, b->sandbox.disk, 0711);
	if (planned)
		b->sandbox.uid = SANDBOX_UID;
	if (stored)
		make_overlays_of(b, SANDBOX_TEMP, lower);
	if (planned && reach_make())
		b->sandbox.uid = 0;
	if (stored)
		make_overlays_of(b, SANDBOX_DIRECTORY, lower);
	umount2(STORE, MNT_DETACH);
	rmdir(STORE);
	/* The last one is where temporary files go. */
	for (const char *p = NULL; (p = sandbox_path(&b->sandbox, p));)
		if (*p == SANDBOX_TEMP)
			b->sandbox.own_tmpdir = !is_writable(b, p + 1);
}

static void note_sizes(void)
{
	struct stat st;

	for (unsigned i = 0; i < view.count; i++)
		view.layers[i].size = fstat(view.layers[i].upper, &st) ? -1 : st.st_size;
}

/* 1: something that was there before is no longer as it was. */
static int empty_layer(struct layer *l)
{
	int fd = openat(l->upper, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), used = 0;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct stat top, st;
	struct dirent *e;

	if (!d || fstat(fd, &top))
		return 1;
	while ((e = readdir(d))) {
		char path[PATH_MAX + 300];

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (l->lower >= 0 && !fstatat(l->lower, e->d_name, &st, AT_SYMLINK_NOFOLLOW)) {
			used = 1;
			continue;
		}
		if (l->lower < 0 && st.st_dev != top.st_dev)
			continue; /* a mount of ours */
		snprintf(path, sizeof path, "%s/%s", l->path, e->d_name);
		used |= file_remove_tree(path) != 0;
	}
	closedir(d);
	return used;
}

int view_reset(void)
{
	int used = 0;

	for (unsigned i = 0; i < view.count; i++) {
		struct layer *l = &view.layers[i];
		struct stat st;

		if (!fstat(l->upper, &st) && st.st_size != l->size)
			used |= empty_layer(l);
	}
	return used;
}

/* ------------------------------------------------------------------- whole */

int view_make(struct keeper_board *b)
{
	struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV}, ro = {.attr_set = MOUNT_ATTR_RDONLY};
	struct buf text = BUF_EMPTY;
	int old_shm, planned;

	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return errno;
	if (!file_read("/proc/self/mountinfo", &text))
		view.mounts = buf_str(&text);
	old_shm = clone_tree("/dev/shm");
	planned = !geteuid() && !b->is_user_namespace && !b->sandbox.uid && !reach_plan(b);
	if (keep_all(b) || mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &read_only, sizeof read_only) || make_dev(b, old_shm))
		return errno;
	if (old_shm >= 0)
		close(old_shm);
	make_overlays(b, planned);
	for (unsigned i = 0; i < view.kept_count; i++) {
		if (view_put(view.kept[i].mount, view.kept[i].path))
			return errno;
		close(view.kept[i].mount);
	}
	note_sizes();
	if (b->sandbox.uid && planned)
		reach_close();
	if (mount_setattr(AT_FDCWD, "/dev", 0, &ro, sizeof ro) ||
	    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, NULL))
		return errno;
	buf_release(&text);
	return 0;
}
