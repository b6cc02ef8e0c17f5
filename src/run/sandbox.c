/* sandbox.c: what the keeper sets up, and what a process gives up before it becomes a target.
 *
 * In namespaces (is_namespace) the keeper makes the view (sandbox_view.c) and brings up the loopback of its network, which has
 * no other interface. Without, each target restricts itself by Landlock. In both cases a filter of system calls comes on top
 * (sandbox_filter.c): it refuses what namespaces or Landlock do not cover, and lets the keeper see which writes are tried.
 *
 * Rights: a target never has capabilities, and execve never gives it any (no_new_privs, no bounding set). Where muster is root,
 * targets become `nobody`, if nobody can read the program and its directory and write where the user said so (sandbox_reach.c). Else they stay user 0
 * without capabilities, whom the read-only view holds: he owns files, but no mount, device or setting of the kernel that he can
 * reach is writable.
 */
#include "run/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *sandbox_path(const struct keeper_sandbox *s, const char *at)
{
	at = at ? at + strlen(at) + 1 : s->paths;
	return at < s->paths + s->size ? at : NULL;
}

/* -------------------------------------------------------------- the keeper */

static void loopback_up(void)
{
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq r = {.ifr_name = "lo"};

	if (s < 0)
		return;
	if (!ioctl(s, SIOCGIFFLAGS, &r)) {
		r.ifr_flags |= IFF_UP | IFF_RUNNING;
		(void)ioctl(s, SIOCSIFFLAGS, &r);
	}
	close(s);
}

/* Inherited: /proc cannot be written later. If memory runs out before a limit is seen, the target goes first. */
static void prefer_as_victim(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1000", 4) < 0)
		errno = 0;
	close(fd);
}

/* What execve could give back. The keeper executes nothing any more, and what it forks inherits this. */
static void give_up_bounds(void)
{
	prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED);
	for (int c = 0; c < 64 && !prctl(PR_CAPBSET_DROP, c, 0, 0, 0); c++)
		;
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

int sandbox_enter(struct keeper_board *b)
{
	struct keeper_sandbox *s = &b->sandbox;

	s->level = SANDBOX_OFF;
	s->uid = s->own_tmpdir = s->refused = 0;
	if (!s->want)
		return 0;
	/* Groups are given up first: what root's group may do says nothing about others. */
	if (!geteuid() && !b->is_user_namespace && !setgroups(0, NULL) && reach_others_may(b))
		s->uid = SANDBOX_UID;
	if (b->is_namespace) {
		int e;

		prefer_as_victim();
		loopback_up();
		e = view_make(b);
		give_up_bounds();
		s->level = SANDBOX_VIEW;
		return e;
	}
	give_up_bounds();
	s->own_tmpdir = 1;
	s->level = landlock_version() ? SANDBOX_LANDLOCK : SANDBOX_FILTER;
	return 0;
}

/* -------------------------------------------------------------- the target */

static int give_up_capabilities(void)
{
	struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[2] = {{0}};

	return (int)syscall(SYS_capset, &h, none);
}

static int give_up_rights(const struct keeper_board *b)
{
	uid_t uid = b->sandbox.uid;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	if (uid && (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid)))
		return -1;
	return give_up_capabilities();
}

static int send_descriptor(int socket, int fd)
{
	char c = 0, control[CMSG_SPACE(sizeof fd)] = {0};
	struct iovec v = {&c, 1};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);

	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(h), &fd, sizeof fd);
	return sendmsg(socket, &m, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

int sandbox_drop(const struct keeper_board *b, int socket)
{
	enum sandbox_level level = (enum sandbox_level)b->sandbox.level;
	int listener, e;

	if (level == SANDBOX_OFF)
		return 0;
	if (give_up_rights(b) || (level == SANDBOX_LANDLOCK && landlock_restrict(b)))
		return -1;
	listener = filter_install(level);
	if (listener < 0) /* a kernel without filters still has the namespaces */
		return listener == -2 || level == SANDBOX_VIEW || level == SANDBOX_LANDLOCK ? 0 : -1;
	e = send_descriptor(socket, listener);
	close(listener);
	return e;
}
