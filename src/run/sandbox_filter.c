/* sandbox_filter.c: the filter of system calls that every target passes.
 *
 * The table says what becomes of a call. Calls that are not in it are let through, most of them without the filter being
 * run at all: the kernel keeps a bitmap of calls that it always allows.
 *
 *	TELL      the keeper is told (sandbox_notice.c): it counts and refuses, or lets the call go on
 *	REFUSE    an error
 *	...       some of the arguments decide which of the two it is
 *
 * In a view the kernel refuses writes by itself, and TELL of calls that write only serves to count and to report them. Without, it
 * decides about what Landlock does not cover. Only one filter of a process can tell somebody: where another program's does already
 * (a container's manager, a muster around this one), calls that would be told are allowed if something else holds them back.
 */
#include "run/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define X32_BIT 0x40000000u
#elif defined __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "sandbox_filter.c: which architecture is this?"
#endif

#define OPEN_CHANGES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)
#define NAMESPACES                                                                                             \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | \
	 CLONE_NEWNET)

/* Which sandboxes a row is for, and what happens to calls that cannot be told: nothing where the view or Landlock has a say. */
enum where {
	ALWAYS,
	FILES, /* always; Landlock covers it */
	META,  /* always; only a view covers it */
	BARE,  /* without a view */
	BARE_META,
	BARE_SIGNAL, /* Landlock covers it from version 6 on */
};
enum what {
	TELL,
	REFUSE,	     /* with error `value` */
	TELL_BITS,   /* TELL if argument `argument` has one of the bits `value` */
	REFUSE_BITS, /* EPERM if it has */
	REFUSE_OTHER, /* EPERM if it is not `value` */
	SOCKET,
	SOCKETPAIR,
	IOCTL,
};

struct row {
	int call;
	enum where where;
	enum what what;
	unsigned argument;
	uint32_t value;
};

static const struct row rows[] = {
/* What changes files. */
#ifdef SYS_open
    {SYS_open, FILES, TELL_BITS, 1, OPEN_CHANGES},
    {SYS_creat, FILES, TELL, 0, 0},
    {SYS_unlink, FILES, TELL, 0, 0},
    {SYS_rmdir, FILES, TELL, 0, 0},
    {SYS_mkdir, FILES, TELL, 0, 0},
    {SYS_rename, FILES, TELL, 0, 0},
    {SYS_link, FILES, TELL, 0, 0},
    {SYS_symlink, FILES, TELL, 0, 0},
    {SYS_mknod, FILES, TELL, 0, 0},
    {SYS_chmod, META, TELL, 0, 0},
    {SYS_chown, META, TELL, 0, 0},
    {SYS_lchown, META, TELL, 0, 0},
    {SYS_utime, META, TELL, 0, 0},
    {SYS_utimes, META, TELL, 0, 0},
    {SYS_futimesat, META, TELL, 0, 0},
#endif
    {SYS_openat, FILES, TELL_BITS, 2, OPEN_CHANGES},
    {SYS_openat2, FILES, TELL, 0, 0},
    {SYS_unlinkat, FILES, TELL, 0, 0},
    {SYS_mkdirat, FILES, TELL, 0, 0},
#ifdef SYS_renameat
    {SYS_renameat, FILES, TELL, 0, 0},
#endif
    {SYS_renameat2, FILES, TELL, 0, 0},
    {SYS_linkat, FILES, TELL, 0, 0},
    {SYS_symlinkat, FILES, TELL, 0, 0},
    {SYS_mknodat, FILES, TELL, 0, 0},
    {SYS_truncate, META, TELL, 0, 0},
    {SYS_fchmodat, META, TELL, 0, 0},
    {452 /* fchmodat2 */, META, TELL, 0, 0},
    {SYS_fchownat, META, TELL, 0, 0},
    {SYS_utimensat, META, TELL, 0, 0},
    {SYS_setxattr, META, TELL, 0, 0},
    {SYS_lsetxattr, META, TELL, 0, 0},
    {SYS_removexattr, META, TELL, 0, 0},
    {SYS_lremovexattr, META, TELL, 0, 0},
    {463 /* setxattrat */, BARE, REFUSE, 0, ENOSYS},
    {466 /* removexattrat */, BARE, REFUSE, 0, ENOSYS},
    /* The same through a descriptor, which may have been opened for reading. */
    {SYS_fchmod, BARE_META, TELL, 0, 0},
    {SYS_fchown, BARE_META, TELL, 0, 0},
    {SYS_fsetxattr, BARE_META, TELL, 0, 0},
    {SYS_fremovexattr, BARE_META, TELL, 0, 0},
    /* Other processes. */
    {SYS_kill, BARE_SIGNAL, TELL, 0, 0},
    {SYS_tkill, BARE_SIGNAL, TELL, 0, 0},
    {SYS_tgkill, BARE_SIGNAL, TELL, 0, 0},
    {SYS_rt_sigqueueinfo, BARE_SIGNAL, TELL, 0, 0},
    {SYS_rt_tgsigqueueinfo, BARE_SIGNAL, TELL, 0, 0},
    {SYS_pidfd_send_signal, BARE, REFUSE, 0, EPERM},
    {SYS_pidfd_getfd, BARE, REFUSE, 0, EPERM},
    {SYS_ptrace, BARE, REFUSE, 0, EPERM},
    {SYS_process_vm_readv, BARE, REFUSE, 0, EPERM},
    {SYS_process_vm_writev, BARE, REFUSE, 0, EPERM},
    {SYS_process_madvise, BARE, REFUSE, 0, EPERM},
    {SYS_prlimit64, BARE, REFUSE_OTHER, 0, 0},
    {SYS_setpriority, BARE, REFUSE_OTHER, 1, 0},
    {SYS_ioprio_set, BARE, REFUSE_OTHER, 1, 0},
    /* What others see without any path. */
    {SYS_shmget, BARE, REFUSE, 0, EACCES},
    {SYS_semget, BARE, REFUSE, 0, EACCES},
    {SYS_msgget, BARE, REFUSE, 0, EACCES},
    {SYS_shmctl, BARE, REFUSE, 0, EACCES},
    {SYS_semctl, BARE, REFUSE, 0, EACCES},
    {SYS_msgctl, BARE, REFUSE, 0, EACCES},
    {SYS_shmat, BARE, REFUSE, 0, EACCES},
    {SYS_mq_open, BARE, REFUSE, 0, EACCES},
    {SYS_mq_unlink, BARE, REFUSE, 0, EACCES},
    {SYS_ioctl, BARE, IOCTL, 1, 0},
    {SYS_socket, ALWAYS, SOCKET, 0, 0},
    {SYS_socketpair, ALWAYS, SOCKETPAIR, 1, 0},
    {SYS_keyctl, ALWAYS, REFUSE, 0, ENOSYS},
    {SYS_add_key, ALWAYS, REFUSE, 0, ENOSYS},
    {SYS_request_key, ALWAYS, REFUSE, 0, ENOSYS},
    /* Other ways to the same: calls that no filter sees, namespaces in which one has all rights. libc does without. */
    {SYS_io_uring_setup, ALWAYS, REFUSE, 0, ENOSYS},
    {SYS_io_uring_enter, ALWAYS, REFUSE, 0, ENOSYS},
    {SYS_io_uring_register, ALWAYS, REFUSE, 0, ENOSYS},
    {SYS_open_by_handle_at, ALWAYS, REFUSE, 0, EPERM},
    {SYS_clone3, ALWAYS, REFUSE, 0, ENOSYS},
    {SYS_clone, ALWAYS, REFUSE_BITS, 0, NAMESPACES},
    {SYS_unshare, ALWAYS, REFUSE_BITS, 0, NAMESPACES},
    {SYS_setns, ALWAYS, REFUSE, 0, EPERM},
    {SYS_mount, ALWAYS, REFUSE, 0, EPERM},
    {SYS_umount2, ALWAYS, REFUSE, 0, EPERM},
};
enum { ROWS = sizeof rows / sizeof rows[0], LENGTH = 64 + 10 * ROWS };

struct program {
	struct sock_filter code[LENGTH];
	unsigned short size;
	int in_view, told;
	uint32_t refused; /* action: what is refused, and counted if it can be told */
};

static void add(struct program *p, uint16_t code, uint8_t yes, uint8_t no, uint32_t k)
{
	p->code[p->size++] = (struct sock_filter){code, yes, no, k};
}

static void end(struct program *p, uint32_t action)
{
	add(p, BPF_RET | BPF_K, 0, 0, action);
}

static void load(struct program *p, unsigned argument)
{
	/* The low half, which is all that the kernel itself looks at in these arguments. */
	add(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)(offsetof(struct seccomp_data, args) + 8 * argument));
}

static uint32_t error(int e)
{
	return SECCOMP_RET_ERRNO | (uint32_t)e;
}

/* Sockets of the Internet are harmless in a network of one's own, and so is asking for its interfaces. Unix sockets lead to
 * whoever listens at a path, and others out of the machine. */
static void add_socket(struct program *p)
{
	static const int local[] = {AF_INET, AF_INET6};

	load(p, 0);
	for (unsigned i = 0; i < 2; i++) {
		add(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (uint32_t)local[i]);
		end(p, p->in_view ? SECCOMP_RET_ALLOW : p->refused);
	}
	add(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, AF_NETLINK);
	end(p, SECCOMP_RET_ALLOW);
	add(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, AF_UNIX); /* libc asks for one to look up users, and does without */
	end(p, error(EACCES));
	end(p, p->refused);
}

/* A pair is connected for good, but for one of datagrams, which can be sent anywhere. */
static void add_socketpair(struct program *p)
{
	load(p, 1);
	add(p, BPF_ALU | BPF_AND | BPF_K, 0, 0, 0xf);
	add(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SOCK_DGRAM);
	end(p, p->refused);
	end(p, SECCOMP_RET_ALLOW);
}

/* Attributes of files, which a descriptor for reading is enough for; input for a terminal. */
static void add_ioctl(struct program *p)
{
	static const uint32_t refused[] = {FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_SETVERSION, FS_IOC32_SETVERSION, FS_IOC_FSSETXATTR, TIOCSTI, TIOCLINUX};

	load(p, 1);
	for (unsigned i = 0; i < sizeof refused / sizeof refused[0]; i++) {
		add(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, refused[i]);
		end(p, error(EPERM));
	}
	end(p, SECCOMP_RET_ALLOW);
}

static uint32_t tell(const struct program *p, enum where where)
{
	if (p->told)
		return SECCOMP_RET_USER_NOTIF;
	return !p->in_view && (where == META || where == BARE_META) ? error(EPERM) : SECCOMP_RET_ALLOW;
}

static void add_row(struct program *p, const struct row *r)
{
	add(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, (uint32_t)r->call);
	end(p, SECCOMP_RET_ALLOW);
	switch (r->what) {
	case TELL:
		end(p, tell(p, r->where));
		break;
	case REFUSE:
		end(p, error((int)r->value));
		break;
	case TELL_BITS:
	case REFUSE_BITS:
		load(p, r->argument);
		add(p, BPF_JMP | BPF_JSET | BPF_K, 0, 1, r->value);
		end(p, r->what == TELL_BITS ? tell(p, r->where) : error(EPERM));
		end(p, SECCOMP_RET_ALLOW);
		break;
	case REFUSE_OTHER:
		load(p, r->argument);
		add(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, r->value);
		end(p, error(EPERM));
		end(p, SECCOMP_RET_ALLOW);
		break;
	case SOCKET:
		add_socket(p);
		break;
	case SOCKETPAIR:
		add_socketpair(p);
		break;
	case IOCTL:
		add_ioctl(p);
		break;
	}
}

/* A tree of comparisons: the kernel runs the filter for every number once to know which calls it always allows, whenever it is
 * installed, and that is for each program that is executed. */
static void add_rows(struct program *p, const struct row *const *sorted, unsigned count)
{
	unsigned half = count / 2, jump;

	if (count == 1) {
		add_row(p, sorted[0]);
		return;
	}
	add(p, BPF_JMP | BPF_JGE | BPF_K, 0, 1, (uint32_t)sorted[half]->call);
	jump = p->size;
	add(p, BPF_JMP | BPF_JA, 0, 0, 0);
	add_rows(p, sorted, half);
	p->code[jump].k = p->size - jump - 1;
	add_rows(p, sorted + half, count - half);
}

static int by_call(const void *a, const void *b)
{
	return (*(const struct row *const *)a)->call - (*(const struct row *const *)b)->call;
}

static int install(int in_view, int told)
{
	struct program p = {.in_view = in_view, .told = told, .refused = told ? SECCOMP_RET_USER_NOTIF : error(EACCES)};
	struct sock_fprog f = {.filter = p.code};
	const struct row *used[ROWS];
	unsigned count = 0;

	add(&p, BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, arch));
	add(&p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, ARCHITECTURE);
	end(&p, error(ENOSYS));
	add(&p, BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
#ifdef X32_BIT
	add(&p, BPF_JMP | BPF_JGE | BPF_K, 0, 1, X32_BIT);
	end(&p, error(ENOSYS));
#endif
	for (unsigned i = 0; i < ROWS; i++)
		if (rows[i].where < BARE || !in_view)
			used[count++] = &rows[i];
	qsort(used, count, sizeof *used, by_call);
	add_rows(&p, used, count);
	f.len = p.size;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, told ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0, &f);
}

int filter_install(enum sandbox_level level)
{
	int in_view = level == SANDBOX_VIEW, listener = install(in_view, 1);

	if (listener >= 0 || (errno != EBUSY && errno != EINVAL))
		return listener;
	return install(in_view, 0) ? -1 : -2;
}
