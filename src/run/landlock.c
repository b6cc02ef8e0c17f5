/* landlock.c: a process that may write below some directories only, by the kernel's own unprivileged means.
 *
 * All rights that change files are handled, none that read: reading and executing stay as they are. What Landlock does
 * not know at all (chmod, chown, times, attributes) or not in this kernel (truncate before 6.2, signals before 6.12) is the filter's.
 */
#include "run/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's interface, which is newer than the headers of the distributions muster is built on. */
struct ruleset {
	uint64_t files, net, scoped;
};
struct rule {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));
enum {
	CREATE = 444,
	ADD_RULE = 445,
	RESTRICT = 446,
	VERSION_FLAG = 1,
	PATH_BENEATH = 1,
};
#define WRITE_FILE (1u << 1)
#define REMOVE_AND_MAKE 0x1ff0u /* remove directories and files, make what there is to make */
#define REFER (1u << 13)	/* version 2: links and renames between directories */
#define TRUNCATE (1u << 14)	/* version 3 */
#define SCOPE_ABSTRACT_SOCKET 1u /* version 6 */
#define SCOPE_SIGNAL 2u

int landlock_version(void)
{
	long v = syscall(CREATE, NULL, 0, VERSION_FLAG);

	return v < 0 ? 0 : (int)v;
}

static int allow(int rules, const char *path, uint64_t rights)
{
	struct rule r = {rights, open(path, O_PATH | O_CLOEXEC)};
	struct stat st;
	int e;

	if (r.parent < 0)
		return -1;
	if (!fstat(r.parent, &st) && !S_ISDIR(st.st_mode))
		r.allowed &= WRITE_FILE | TRUNCATE;
	e = (int)syscall(ADD_RULE, rules, PATH_BENEATH, &r, 0);
	close(r.parent);
	return e;
}

int landlock_restrict(const struct keeper_board *b)
{
	static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"};
	int version = landlock_version(), e = 0;
	struct ruleset set = {.files = WRITE_FILE | REMOVE_AND_MAKE};
	size_t size = sizeof set.files;
	int rules;

	if (version >= 2)
		set.files |= REFER;
	if (version >= 3)
		set.files |= TRUNCATE;
	if (version >= 4)
		size = sizeof set.files + sizeof set.net;
	if (version >= 6) {
		set.scoped = SCOPE_ABSTRACT_SOCKET | SCOPE_SIGNAL;
		size = sizeof set;
	}
	rules = (int)syscall(CREATE, &set, size, 0);
	if (rules < 0)
		return -1;
	for (const char *p = NULL; (p = sandbox_path(&b->sandbox, p));)
		if (*p == SANDBOX_SCRATCH || *p == SANDBOX_WRITABLE)
			e |= allow(rules, p + 1, set.files);
	for (unsigned i = 0; i < sizeof devices / sizeof devices[0]; i++)
		(void)allow(rules, devices[i], set.files); /* some containers lack some */
	e |= (int)syscall(RESTRICT, rules, 0);
	close(rules);
	return e ? -1 : 0;
}
