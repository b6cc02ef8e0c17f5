/* refuse.c: runs a command where the kernel refuses namespaces, and Landlock if asked: what unprivileged containers do.
 *
 *	refuse namespaces|landlock COMMAND...     landlock: that as well
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

#define NEW (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC)

int main(int argc, char **argv)
{
	int landlock = argc > 2 && !strcmp(argv[1], "landlock");
	struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 2, 0),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 1, 0),
	    BPF_STMT(BPF_JMP | BPF_JA, 3),
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
	    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NEW, 0, 3),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, landlock ? 444 : 0xffff, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = {sizeof code / sizeof code[0], code};

	if (argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &p)) {
		perror("refuse");
		return 127;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
