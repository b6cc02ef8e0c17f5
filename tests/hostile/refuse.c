/* refuse.c: runs a command where the kernel refuses namespaces, and more if asked: what unprivileged containers do.
 *
 *	refuse namespaces|landlock|container COMMAND...
 *
 *	landlock    that as well
 *	container   what Docker's default profile refuses of what anybody could use here: calls about mounts, other personalities (addresses
 *	            that are not random), keys, io_uring, clone3; and no capability is left, not even to root
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NEW (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)
#define REFUSE(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define UNLESS(call, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, (skip))

/* A flag among the first argument's: 4 steps. */
#define NO_NEW(call) UNLESS(call, 4), LOAD(args), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NEW, 0, 1), REFUSE(EPERM), ALLOW
#define NO(call, error) UNLESS(call, 1), REFUSE(error)

static struct sock_filter namespaces[] = {LOAD(nr), NO_NEW(SYS_clone), NO_NEW(SYS_unshare), ALLOW};
static struct sock_filter no_landlock[] = {LOAD(nr), NO(444, ENOSYS), ALLOW};
static struct sock_filter container[] = {
    LOAD(nr),
    NO(SYS_clone3, ENOSYS), NO(SYS_setns, EPERM), NO(SYS_mount, EPERM), NO(SYS_umount2, EPERM), NO(SYS_pivot_root, EPERM), NO(SYS_chroot, EPERM),
    NO(428, EPERM), /* open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr */
    NO(429, EPERM), NO(430, EPERM), NO(431, EPERM), NO(432, EPERM), NO(433, EPERM), NO(442, EPERM), NO(SYS_keyctl, EPERM), NO(SYS_add_key, EPERM),
    NO(SYS_request_key, EPERM), NO(SYS_bpf, EPERM), NO(SYS_perf_event_open, EPERM), NO(SYS_open_by_handle_at, EPERM), NO(SYS_name_to_handle_at, EPERM),
    NO(SYS_userfaultfd, EPERM), NO(425, EPERM), /* io_uring_setup, _enter, _register */
    NO(426, EPERM), NO(427, EPERM), NO(SYS_sethostname, EPERM), NO(SYS_setdomainname, EPERM),
    ALLOW,
};

static int add(struct sock_filter *code, size_t bytes)
{
	struct sock_fprog p = {(unsigned short)(bytes / sizeof *code), code};

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &p);
}

/* A second filter, since the argument takes the call's number's place. */
static struct sock_filter personalities[] = {LOAD(nr), UNLESS(SYS_personality, 4), LOAD(args), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 2, 0),
					     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffff, 1, 0), REFUSE(EPERM), ALLOW};

int main(int argc, char **argv)
{
	int failed = argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || add(namespaces, sizeof namespaces);

	if (!failed && !strcmp(argv[1], "landlock"))
		failed = add(no_landlock, sizeof no_landlock);
	if (!failed && !strcmp(argv[1], "container")) {
		for (int c = 0; c < 64; c++)
			prctl(PR_CAPBSET_DROP, c, 0, 0, 0); /* EINVAL behind the last, EPERM if we have none anyway */
		failed = add(container, sizeof container) || add(personalities, sizeof personalities);
	}
	if (failed) {
		perror("refuse");
		return 127;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
