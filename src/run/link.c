/* link.c: starting a keeper, and ending what a dead one leaves.
 *
 * A keeper in a PID namespace takes everything with it when it dies. One without
 * leaves its descendants to the next subreaper, which is muster: our children
 * which are neither keepers nor older than the keeper are such orphans. They are
 * killed until no new ones appear. Of muster's other processes only muster-solver can be
 * among them, which is started again where it is missing.
 */
#include "run/link.h"
#include "base/error.h"
#include "base/file.h"
#include "base/interface.h"
#include "base/mem.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HELLO_MS 20000
#define SANDBOXED (CLONE_NEWNET | CLONE_NEWIPC) /* namespaces of a sandbox, beside those of processes and mounts */

static VEC(pid_t) keepers; /* of all links of this process */

int link_init(struct link *l, int no_namespace)
{
	memset(l, 0, sizeof *l);
	l->socket = -1;
	l->no_namespace = no_namespace;
	l->board_fd = memfd_create("muster-board", MFD_CLOEXEC);
	if (l->board_fd < 0 || ftruncate(l->board_fd, sizeof *l->board))
		return error_errno("cannot make shared memory for the keeper");
	l->board = mmap(NULL, sizeof *l->board, PROT_READ | PROT_WRITE, MAP_SHARED, l->board_fd, 0);
	if (l->board == MAP_FAILED) {
		l->board = NULL;
		return error_errno("cannot map shared memory for the keeper");
	}
	return 0;
}

static int contains(const pid_t *p, size_t n, pid_t pid)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] == pid)
			return 1;
	return 0;
}

/* Calls f for each child of this process. */
static void each_child(void (*f)(struct link *, pid_t), struct link *l)
{
	DIR *d = opendir("/proc/self/task");
	struct dirent *e;

	while (d && (e = readdir(d))) {
		struct buf text = BUF_EMPTY;
		char path[300], *p, *end;

		snprintf(path, sizeof path, "/proc/self/task/%s/children", e->d_name);
		if (isdigit((unsigned char)e->d_name[0]) && !file_read(path, &text))
			for (p = buf_str(&text);; p = end) {
				pid_t pid = (pid_t)strtol(p, &end, 10);

				if (end == p)
					break;
				f(l, pid);
			}
		buf_release(&text);
	}
	if (d)
		closedir(d);
}

static void remember_child(struct link *l, pid_t pid)
{
	vec_push(&l->known, pid);
}

static int orphans;
static void end_orphan(struct link *l, pid_t pid)
{
	if (contains(l->known.data, l->known.size, pid) ||
	    contains(keepers.data, keepers.size, pid))
		return;
	orphans++;
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, WNOHANG);
}

static void child(const char *path, const int fds[KEEPER_FDS]) __attribute__((noreturn));
static void child(const char *path, const int fds[KEEPER_FDS])
{
	extern char **environ;
	char *argv[] = {"muster-keeper", NULL};
	int high[KEEPER_FDS];

	setsid(); /* an interrupt from the terminal is muster's to handle */
	for (int i = KEEPER_SOCKET; i < KEEPER_FDS; i++)
		high[i] = fds[i] < 0 ? -1 : fcntl(fds[i], F_DUPFD_CLOEXEC, 64);
	for (int i = KEEPER_SOCKET; i < KEEPER_FDS; i++)
		if (high[i] >= 0)
			dup2(high[i], i);
		else
			close(i);
	if (syscall(SYS_close_range, KEEPER_FDS, ~0u, 0))
		for (int fd = KEEPER_FDS; fd < 65536; fd++)
			close(fd);
	if (path)
		execve(path, argv, environ);
	keeper_main();
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, text, strlen(text)) < 0)
		errno = 0; /* what cannot be done for lack of this fails in the keeper */
	if (fd >= 0)
		close(fd);
}

/* In a namespace of users one has all rights, which execve would take away from anybody but its root. Targets are to stay who
 * the user is, so nobody becomes root: the rights are made ambient, and the process that becomes a target gives them up. */
static void keep_rights(uid_t uid, gid_t gid)
{
	struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct rights[2];
	char map[64];

	write_file("/proc/self/setgroups", "deny");
	snprintf(map, sizeof map, "%u %u 1", (unsigned)uid, (unsigned)uid);
	write_file("/proc/self/uid_map", map);
	snprintf(map, sizeof map, "%u %u 1", (unsigned)gid, (unsigned)gid);
	write_file("/proc/self/gid_map", map);
	if (syscall(SYS_capget, &h, rights))
		return;
	for (int i = 0; i < 2; i++)
		rights[i].inheritable = rights[i].permitted;
	syscall(SYS_capset, &h, rights);
	for (int c = 0; c < 64; c++)
		prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, c, 0, 0);
}

static pid_t start_child(const char *path, unsigned long namespaces, const int fds[KEEPER_FDS])
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	pid_t pid;

	if (!namespaces)
		pid = fork();
	else /* only the kernel's own call has these flags; the child does nothing that needs libc's
	      */
		pid = (pid_t)syscall(SYS_clone, namespaces | SIGCHLD, NULL, NULL, NULL, NULL);
	if (!pid) {
		if (namespaces & CLONE_NEWUSER)
			keep_rights(uid, gid);
		child(path, fds);
	}
	return pid;
}

/* Waits for the keeper's hello. -1: it is gone; the board's trouble says why. A keeper whose board looks
 * different says another hello: errno is EPROTO then. */
static int hear_hello(struct link *l)
{
	struct pollfd p = {l->socket, POLLIN, 0};
	char hello[1 + INTERFACE_ID_SIZE];
	ssize_t n;

	while (poll(&p, 1, HELLO_MS) < 0)
		if (errno != EINTR)
			return -1;
	n = read(l->socket, hello, sizeof hello); /* written at once */
	if (n > 0 && (n != sizeof hello || hello[0] != KEEPER_HELLO ||
		      memcmp(hello + 1, interface_id, INTERFACE_ID_SIZE)))
		l->board->trouble = EPROTO;
	return n > 0 && !l->board->trouble ? 0 : -1;
}

static int try_start(struct link *l, const char *path, unsigned long namespaces, const int fds[LINK_FDS])
{
	int ends[2], all[KEEPER_FDS];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -1;
	all[KEEPER_SOCKET] = ends[1];
	all[KEEPER_BOARD] = l->board_fd;
	memcpy(all + KEEPER_IN, fds, LINK_FDS * sizeof fds[0]);
	l->board->has_shm = fds[KEEPER_SHM - KEEPER_IN] >= 0;
	l->board->has_report = fds[KEEPER_REPORT - KEEPER_IN] >= 0;
	l->board->is_namespace = namespaces != 0;
	l->board->is_user_namespace = (namespaces & CLONE_NEWUSER) != 0;
	l->board->trouble = 0;
	l->board->reply.servers = 0;
	l->pid = start_child(path, namespaces, all);
	close(ends[1]);
	l->socket = ends[0];
	if (l->pid > 0 && !hear_hello(l)) {
		vec_push(&keepers, l->pid);
		l->starts++;
		return 0;
	}
	if (l->board->trouble)
		errno = l->board->trouble;
	if (l->pid > 0) {
		kill(l->pid, SIGKILL);
		waitpid(l->pid, NULL, 0);
	}
	l->pid = 0;
	close(l->socket);
	l->socket = -1;
	return -1;
}

int link_start(struct link *l, const int fds[LINK_FDS])
{
	static int refused; /* no need to ask again */
	char *path = file_part("muster-keeper");
	int e = -1;

	vec_clear(&l->known);
	each_child(remember_child, l);
	if (!l->no_namespace && !geteuid())
		e = try_start(l, path, CLONE_NEWPID | CLONE_NEWNS | (l->board->sandbox.want ? SANDBOXED : 0), fds);
	if (e && !l->no_namespace && l->board->sandbox.want && !refused) {
		e = try_start(l, path, CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | SANDBOXED, fds);
		refused = e != 0;
	}
	if (e) {
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		e = try_start(l, path, 0, fds);
	}
	if (e && path && l->board->trouble == EPROTO) {
		error_set("'%s' is of another build than this muster: run 'make', or 'make install', again", path);
		free(path);
		return -1;
	}
	free(path);
	return e ? error_errno("cannot start the process that watches the target") : 0;
}

int link_ask(struct link *l)
{
	char c = KEEPER_RUN;

	return l->pid && send(l->socket, &c, 1, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

void link_stop(struct link *l, char why)
{
	/* A keeper that is gone is noticed when the reply is waited for. */
	if (l->pid)
		(void)!send(l->socket, &why, 1, MSG_NOSIGNAL);
}

enum link_event link_read(struct link *l)
{
	char c;
	ssize_t n = recv(l->socket, &c, 1, MSG_DONTWAIT);

	if (n == 1 && c == KEEPER_DONE)
		return LINK_DONE;
	return n < 0 && (errno == EAGAIN || errno == EINTR) ? LINK_WAITING : LINK_LOST;
}

static void forget_keeper(struct link *l)
{
	for (size_t i = 0; i < keepers.size; i++)
		if (keepers.data[i] == l->pid)
			keepers.data[i--] = vec_pop(&keepers);
	l->pid = 0;
	close(l->socket);
	l->socket = -1;
}

void link_lost(struct link *l)
{
	if (!l->pid)
		return;
	kill(l->pid, SIGKILL);
	while (waitpid(l->pid, NULL, 0) < 0 && errno == EINTR)
		;
	forget_keeper(l);
	if (l->board->is_namespace)
		return;
	for (int round = 0; round < 5000; round++) {
		struct timespec pause = {0, 1000000};

		orphans = 0;
		each_child(end_orphan, l);
		if (!orphans)
			break;
		nanosleep(&pause, NULL);
	}
}

void link_quit(struct link *l)
{
	char c = KEEPER_QUIT;

	if (!l->pid)
		return;
	if (send(l->socket, &c, 1, MSG_NOSIGNAL) != 1)
		kill(l->pid, SIGKILL);
	kill(l->pid, SIGCONT);
	while (waitpid(l->pid, NULL, 0) < 0 && errno == EINTR)
		;
	forget_keeper(l);
}

void link_release(struct link *l)
{
	link_quit(l);
	if (l->board)
		munmap(l->board, sizeof *l->board);
	if (l->board_fd >= 0)
		close(l->board_fd);
	vec_release(&l->known);
	memset(l, 0, sizeof *l);
	l->board_fd = l->socket = -1;
}
