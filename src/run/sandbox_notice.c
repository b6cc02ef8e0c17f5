/* sandbox_notice.c: system calls of a target that stop until the keeper has looked at them.
 *
 * In a view, and for what Landlock covers, the answer is always "go on": the kernel refuses the write by itself, and
 * the keeper only counts what it is about to refuse and keeps the first path. What is counted is a call that would change a file that
 * exists, or make one in a directory that exists, outside of what may be written. A call that fails for a reason of its own
 * (no such file, it exists already) is not.
 *
 * For what nothing in the kernel covers, the keeper decides, and never by "go on": between its look and the kernel's
 * another thread can change the path. Changes of mode and length in writable directories it makes itself; others it refuses. Signals
 * go on if they go to a process below the keeper: a number that is used again in between is the one gap.
 *
 * After LIMIT calls nothing is looked at any more that the kernel refuses anyway: a target may write all the time.
 */
#include "run/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define LIMIT 100000u
#define NO_DIRECTORY 9u /* the path is relative to the working directory */

int notice_receive(int socket)
{
	char c, control[CMSG_SPACE(sizeof(int))];
	struct iovec v = {&c, 1};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
	struct cmsghdr *h;
	ssize_t n;
	int fd;

	while ((n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		;
	h = n == 1 ? CMSG_FIRSTHDR(&m) : NULL;
	if (!h || h->cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&fd, CMSG_DATA(h), sizeof fd);
	return fd;
}

/* ------------------------------------------------------------------- calls */

enum kind {
	OPEN,
	CREATE, /* the last part of the path must not exist */
	REMOVE,
	CHANGE, /* of what is there: contents */
	META,	/* the same: mode, owner, times, attributes */
	META_FD,
	MODE, /* META that the keeper can do itself: chmod */
	MODE_FD,
	SIGNAL,
	THREAD_SIGNAL,
	SOCKET_CALL,
};

struct call {
	int number;
	enum kind kind;
	unsigned directory, path; /* which arguments */
	unsigned extra;		  /* flags of OPEN, mode of MODE */
};

static const struct call calls[] = {
#ifdef SYS_open
    {SYS_open, OPEN, NO_DIRECTORY, 0, 1},
    {SYS_creat, OPEN, NO_DIRECTORY, 0, NO_DIRECTORY},
    {SYS_unlink, REMOVE, NO_DIRECTORY, 0, 0},
    {SYS_rmdir, REMOVE, NO_DIRECTORY, 0, 0},
    {SYS_mkdir, CREATE, NO_DIRECTORY, 0, 0},
    {SYS_rename, REMOVE, NO_DIRECTORY, 0, 0},
    {SYS_link, CREATE, NO_DIRECTORY, 1, 0},
    {SYS_symlink, CREATE, NO_DIRECTORY, 1, 0},
    {SYS_mknod, CREATE, NO_DIRECTORY, 0, 0},
    {SYS_chmod, MODE, NO_DIRECTORY, 0, 1},
    {SYS_chown, META, NO_DIRECTORY, 0, 0},
    {SYS_lchown, META, NO_DIRECTORY, 0, 0},
    {SYS_utime, META, NO_DIRECTORY, 0, 0},
    {SYS_utimes, META, NO_DIRECTORY, 0, 0},
    {SYS_futimesat, META, 0, 1, 0},
#endif
    {SYS_openat, OPEN, 0, 1, 2},
    {SYS_openat2, OPEN, 0, 1, NO_DIRECTORY},
    {SYS_unlinkat, REMOVE, 0, 1, 0},
    {SYS_mkdirat, CREATE, 0, 1, 0},
#ifdef SYS_renameat
    {SYS_renameat, REMOVE, 0, 1, 0},
#endif
    {SYS_renameat2, REMOVE, 0, 1, 0},
    {SYS_linkat, CREATE, 2, 3, 0},
    {SYS_symlinkat, CREATE, 1, 2, 0},
    {SYS_mknodat, CREATE, 0, 1, 0},
    {SYS_truncate, CHANGE, NO_DIRECTORY, 0, 0},
    {SYS_fchmodat, MODE, 0, 1, 2},
    {452 /* fchmodat2 */, META, 0, 1, 0},
    {SYS_fchownat, META, 0, 1, 0},
    {SYS_utimensat, META, 0, 1, 0},
    {SYS_setxattr, META, NO_DIRECTORY, 0, 0},
    {SYS_lsetxattr, META, NO_DIRECTORY, 0, 0},
    {SYS_removexattr, META, NO_DIRECTORY, 0, 0},
    {SYS_lremovexattr, META, NO_DIRECTORY, 0, 0},
    {SYS_fchmod, MODE_FD, 0, 0, 1},
    {SYS_fchown, META_FD, 0, 0, 0},
    {SYS_fsetxattr, META_FD, 0, 0, 0},
    {SYS_fremovexattr, META_FD, 0, 0, 0},
    {SYS_kill, SIGNAL, 0, 0, 0},
    {SYS_tkill, SIGNAL, 0, 0, 0},
    {SYS_tgkill, THREAD_SIGNAL, 0, 0, 0},
    {SYS_rt_sigqueueinfo, SIGNAL, 0, 0, 0},
    {SYS_rt_tgsigqueueinfo, THREAD_SIGNAL, 0, 0, 0},
    {SYS_socket, SOCKET_CALL, 0, 0, 0},
    {SYS_socketpair, SOCKET_CALL, 0, 0, 0},
};

static const struct call *find(int number)
{
	for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++)
		if (calls[i].number == number)
			return &calls[i];
	return NULL;
}

/* ------------------------------------------------------------------- paths */

static int read_string(pid_t pid, uint64_t address, char out[PATH_MAX])
{
	size_t first = 4096 - address % 4096;
	struct iovec to = {out, PATH_MAX}, from[2] = {{(void *)(uintptr_t)address, first < PATH_MAX ? first : PATH_MAX},
						      {(void *)(uintptr_t)(address + first), PATH_MAX - first}};
	ssize_t n = process_vm_readv(pid, &to, 1, from, first < PATH_MAX ? 2 : 1, 0);

	return n > 0 && memchr(out, 0, (size_t)n) ? 0 : -1;
}

/* The path as the keeper can use it: it is in the same file system, but in another directory. */
static int path_of(const struct seccomp_notif *r, const struct call *c, char out[2 * PATH_MAX])
{
	char path[PATH_MAX];
	int directory = c->directory == NO_DIRECTORY ? AT_FDCWD : (int)r->data.args[c->directory];

	if (c->kind == META_FD || c->kind == MODE_FD) {
		snprintf(out, 2 * PATH_MAX, "/proc/%u/fd/%d", r->pid, directory);
		return 0;
	}
	if (read_string((pid_t)r->pid, r->data.args[c->path], path))
		return -1;
	if (path[0] == '/')
		snprintf(out, 2 * PATH_MAX, "%s", path);
	else if (directory == AT_FDCWD)
		snprintf(out, 2 * PATH_MAX, "/proc/%u/cwd/%s", r->pid, path);
	else
		snprintf(out, 2 * PATH_MAX, "/proc/%u/fd/%d/%s", r->pid, directory, path);
	return 0;
}

static int parent_of(const char *path)
{
	char dir[2 * PATH_MAX], *slash;

	snprintf(dir, sizeof dir, "%s", path);
	for (size_t n = strlen(dir); n > 1 && dir[n - 1] == '/'; n--)
		dir[n - 1] = 0;
	slash = strrchr(dir, '/');
	if (!slash)
		return -1;
	slash[slash == dir] = 0;
	return open(dir, O_PATH | O_CLOEXEC);
}

static int name_of(int fd, char out[PATH_MAX])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, out, PATH_MAX - 1);
	out[n < 0 ? 0 : n] = 0;
	return n < 0 ? -1 : 0;
}

static int is_below(const char *dir, const char *path)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && (path[n] == '/' || !path[n]);
}

/* Is what the descriptor stands for outside of what targets may change? Devices, pipes and memory are nobody's files. */
static int is_outside(const struct keeper_board *b, int fd)
{
	char name[PATH_MAX];
	struct statvfs v;
	struct stat st;

	if (fstat(fd, &st) || S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode) || S_ISSOCK(st.st_mode))
		return 0;
	if (b->sandbox.level == SANDBOX_VIEW)
		return !fstatvfs(fd, &v) && v.f_flag & ST_RDONLY;
	if (name_of(fd, name) || name[0] != '/' || !strncmp(name, "/memfd:", 7))
		return 0;
	for (const char *p = NULL; (p = sandbox_path(&b->sandbox, p));)
		if ((*p == SANDBOX_SCRATCH || *p == SANDBOX_WRITABLE) && is_below(p + 1, name))
			return 0;
	return 1;
}

/* The object that the call would change, or the directory it would change: a descriptor. -1: nothing, it will fail. */
static int object_of(const struct call *c, const char *path, uint64_t flags, int *is_parent)
{
	int follow = c->kind != REMOVE && c->kind != CREATE;
	int fd = open(path, O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));

	*is_parent = 0;
	if (fd >= 0) {
		if (c->kind == CREATE || (c->kind == OPEN && !(flags & (O_WRONLY | O_RDWR | O_TRUNC)))) {
			close(fd);
			return -1;
		}
		return fd;
	}
	if (errno != ENOENT || (c->kind != CREATE && !(c->kind == OPEN && flags & O_CREAT)))
		return -1;
	*is_parent = 1;
	return parent_of(path);
}

/* ---------------------------------------------------------------- decisions */

static void count(struct keeper_board *b, int number, const char *path)
{
	struct keeper_sandbox *s = &b->sandbox;

	if (!__atomic_fetch_add(&s->refused, 1, __ATOMIC_RELAXED)) {
		s->call = number;
		snprintf(s->path, sizeof s->path, "%s", path);
	}
}

/* -errno: the call fails; 0: it goes on; 1: it is done. */
static int judge_path(struct keeper_board *b, const struct seccomp_notif *r, const struct call *c)
{
	int covered = b->sandbox.level == SANDBOX_VIEW ||
		      (b->sandbox.level == SANDBOX_LANDLOCK && (c->kind == OPEN || c->kind == CREATE || c->kind == REMOVE));
	int is_parent, fd, outside, result = 0;
	uint64_t flags = c->kind != OPEN	     ? 0
			 : c->extra == NO_DIRECTORY ? O_WRONLY | O_CREAT | O_TRUNC
						    : r->data.args[c->extra];
	char path[2 * PATH_MAX], name[PATH_MAX + 300];

	if (covered && b->sandbox.refused > LIMIT)
		return 0;
	if (path_of(r, c, path))
		return covered ? 0 : -EPERM;
	fd = object_of(c, path, flags, &is_parent);
	if (fd < 0) /* it will fail, or change nothing */
		return covered || c->kind == OPEN || c->kind == CREATE || c->kind == REMOVE ? 0 : -(errno ? errno : EPERM);
	outside = is_outside(b, fd);
	if (outside && !name_of(fd, name)) {
		if (is_parent && strlen(name) < PATH_MAX)
			snprintf(name + strlen(name), 300, "%s%.255s", name[1] ? "/" : "", strrchr(path, '/') + 1);
		count(b, c->number, name);
	}
	if (covered) {
		struct stat st;

		/* A pipe's name is no obstacle on a read-only mount, and somebody may listen at it. */
		if (outside && c->kind == OPEN && !fstat(fd, &st) && S_ISFIFO(st.st_mode))
			result = -EROFS;
	} else if (outside) {
		result = -EROFS;
	} else if (c->kind == MODE || c->kind == MODE_FD) {
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		result = chmod(path, (mode_t)r->data.args[c->extra]) ? -errno : 1;
	} else if (c->kind == CHANGE) {
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		result = truncate(path, (off_t)r->data.args[1]) ? -errno : 1;
	} else if (b->sandbox.level == SANDBOX_LANDLOCK) {
		result = -EPERM;
	}
	close(fd);
	return result;
}

static pid_t parent_process(pid_t pid, int *group)
{
	char path[64], text[1024], *p;
	int fd, parent = 0;
	ssize_t n;

	*group = 0;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return 0;
	text[n] = 0;
	p = strrchr(text, ')');
	return p && sscanf(p + 1, " %*c %d %d", &parent, group) == 2 ? parent : 0;
}

static int is_ours(pid_t pid)
{
	int group;

	for (int depth = 0; pid > 1 && depth < 1000; depth++) {
		pid = parent_process(pid, &group);
		if (pid == getpid())
			return 1;
	}
	return 0;
}

/* All of them: who leads it may be gone. */
static int group_is_ours(pid_t leader)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	int ours = d != NULL, group;

	while (d && ours && (e = readdir(d))) {
		pid_t pid = (pid_t)atoi(e->d_name);

		if (pid > 0 && parent_process(pid, &group) >= 0 && group == leader)
			ours = is_ours(pid);
	}
	if (d)
		closedir(d);
	return ours;
}

static int judge_signal(struct keeper_board *b, const struct seccomp_notif *r, const struct call *c)
{
	pid_t to = (pid_t)r->data.args[0];

	if (to == (pid_t)r->pid || (to == 0 && c->number == SYS_kill))
		return 0;
	if (to != -1 && kill(to, 0) && errno == ESRCH)
		return -ESRCH;
	if (to > 0 ? is_ours(to) : to != -1 && group_is_ours(-to))
		return 0;
	count(b, c->number, "");
	return -EPERM;
}

static int judge(struct keeper_board *b, const struct seccomp_notif *r)
{
	const struct call *c = find(r->data.nr);

	if (!c)
		return -ENOSYS;
	switch (c->kind) {
	case SIGNAL:
	case THREAD_SIGNAL:
		return judge_signal(b, r, c);
	case SOCKET_CALL:
		count(b, c->number, "");
		return -EACCES;
	default:
		return judge_path(b, r, c);
	}
}

void notice_serve(struct keeper_board *b, int listener)
{
	union {
		struct seccomp_notif r;
		char room[512]; /* of newer kernels */
	} notice;
	union {
		struct seccomp_notif_resp r;
		char room[512];
	} answer;
	int verdict;

	memset(&notice, 0, sizeof notice);
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &notice))
		return; /* it was killed meanwhile */
	verdict = judge(b, &notice.r);
	memset(&answer, 0, sizeof answer);
	answer.r.id = notice.r.id;
	answer.r.error = verdict < 0 ? verdict : 0;
	answer.r.flags = verdict ? 0 : SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}
