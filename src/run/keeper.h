/* keeper.h: the process between muster and its targets, and what the two say.
 *
 *	muster  --job-->  keeper  -->  parent  -->  target
 *
 * The keeper is the program muster-keeper, which is small, so that forking it is
 * cheap and its size does not show in a target's peak memory; where that program
 * is missing, a fork of muster runs the same code. It is the first process of a PID namespace
 * with its own /proc, or else a subreaper. The parent is a process that the target may kill
 * without harm: the fork server, or a fork of the keeper that waits for one exec.
 *
 * Muster and the keeper share the board: a mapping with the job (strings
 * included) and the reply. A byte on a socket says that one is there. The end of
 * the socket without KEEPER_QUIT means that muster died: the keeper then kills
 * what is left and removes muster's temporary directories.
 */
#ifndef MUSTER_KEEPER_H
#define MUSTER_KEEPER_H

#include "muster/abi.h"

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

/* Descriptors of the keeper. */
enum keeper_fd {
	KEEPER_SOCKET = 3,
	KEEPER_BOARD,
	KEEPER_IN, /* what standard input is: a memfd */
	KEEPER_OUT,
	KEEPER_ERR,
	KEEPER_SHM, /* the trace tables; open only if board.has_shm */
	KEEPER_REPORT, /* where sanitizers report; open only if board.has_report */
	KEEPER_FDS,
};

#define KEEPER_HELLO 'k' /* keeper: set up, and its interface_id follows; board.trouble says if not */
#define KEEPER_RUN 'r'	 /* muster: a job stands on the board */
#define KEEPER_DONE 'd'	 /* keeper: the reply stands there */
#define KEEPER_QUIT 'q'	 /* muster: that was all */
/* Muster: the run has lasted long enough: it used its processor time, it waited, or muster's own time is over. Ignored when
 * the run is over already. */
#define KEEPER_STOP_TIME 't'
#define KEEPER_STOP_WAITING 'w'
#define KEEPER_STOP_CUT 'c'

#define KEEPER_BLOB (16u << 20)

struct keeper_job {
	uint32_t server; /* use a fork server */
	uint32_t bind_now; /* which resolves all names when it starts, if it can start so */
	uint32_t config; /* differs when the strings do: a server of another config is replaced */
	/* Limits of time; 0: none. Processor time makes a KEPT_TIME, time without any a KEPT_WAITING. The clock on the wall makes
	 * the latter where processor time has a limit, else whichever the run did for most of the time. */
	uint64_t wall_ns, cpu_ns, idle_ns;
	uint64_t memory, file_size;
	uint32_t processes;
	uint32_t cpu;	     /* the processor to be on, from 1; 0: any */
	uint64_t end_offset; /* of a word in the tables that gets MUSTER_LOOP_ENDED when the run is over; 0: none */
	/* Strings in blob, one after the other: program, directory ("" is here), arguments,
	 * environment. */
	uint32_t argc, envc;
	uint32_t blob_size;
};

enum keeper_verdict {
	KEPT_ENDED, /* status says how */
	KEPT_TIME,
	KEPT_WAITING,
	KEPT_CUT,
	KEPT_MEMORY,
	KEPT_PROCESSES,
	KEPT_STOPPED,
	KEPT_NO_START,	/* step and error say why */
	KEPT_NO_SERVER, /* the server ended before it said hello: status */
};

/* What failed before exec. */
enum keeper_step { STEP_NONE, STEP_FORK, STEP_DESCRIPTORS, STEP_SANDBOX, STEP_DIRECTORY, STEP_EXEC, STEP_PARENT };

struct keeper_reply {
	uint32_t verdict;
	uint32_t step;
	int32_t error;
	uint32_t killed_parent;
	uint32_t left;	  /* processes that outlived the target */
	uint32_t used_up; /* the run changed files in the sandbox: the next one needs a new keeper */
	uint32_t servers; /* servers started so far */
	uint64_t wall_ns;
	struct muster_served served;
};

/* What confines targets; docs/running.md has what each level is worth. */
enum sandbox_level {
	SANDBOX_OFF,	  /* the user's choice */
	SANDBOX_VIEW,	  /* namespaces: a read-only view of the file system, own processes, own network */
	SANDBOX_LANDLOCK, /* no namespaces: Landlock, and a filter for what it does not cover */
	SANDBOX_FILTER,	  /* no Landlock either: the keeper looks at each call that writes */
	SANDBOX_NOTHING,
};

/* Kinds of the paths on the board, each a letter in front of the path. */
enum sandbox_path {
	SANDBOX_PROGRAM = 'p',
	SANDBOX_DIRECTORY = 'd', /* to run in: what is written there stays in the sandbox, where the kernel can do that */
	SANDBOX_TEMP = 't',	 /* the same for directories for temporary files */
	SANDBOX_WRITABLE = 'w',	 /* the user lets targets write there */
	SANDBOX_SCRATCH = 's',	 /* the launcher's own directory, with the input */
	SANDBOX_FILE = 'f',	 /* a file that is input: known by its inode, so shown as it is */
};

struct keeper_sandbox {
	uint32_t want;
	uint32_t level; /* the keeper: what there is */
	uint32_t uid;	/* the keeper: whom targets become; 0: they stay who muster is */
	uint32_t own_tmpdir; /* the keeper: TMPDIR must be the scratch directory's */
	uint64_t disk;	     /* bytes that targets may write, in memory */
	uint32_t refused;    /* calls since the keeper started; the first of them: */
	int32_t call;	     /* its number */
	char path[PATH_MAX]; /* what it wanted to change; "" if that is not known, or no path */
	uint32_t size;	     /* of paths: NUL-terminated strings */
	char paths[64 << 10];
};

struct keeper_board {
	uint32_t has_shm;
	uint32_t has_report;
	uint32_t is_namespace;
	uint32_t is_user_namespace; /* that, and one of users in which the keeper has all rights */
	uint32_t
	    user_threads; /* of this user when the keeper started; 0 for root, who is not limited */
	int32_t nice;	  /* what the user gave muster, for its targets */
	int32_t trouble;  /* errno of the set-up, before KEEPER_HELLO */
	char temp_dir[2][PATH_MAX]; /* removed if muster dies; "" for none */
	struct keeper_sandbox sandbox;
	/* Of the run that lasts, as of the last look: time on a processor, and without using one. */
	uint64_t live_cpu_ns, live_idle_ns;
	struct keeper_job job;
	struct keeper_reply reply;
	char blob[KEEPER_BLOB];
};

/* Serves jobs until the socket ends. Expects the descriptors above. */
void keeper_main(void) __attribute__((noreturn));

/* spawn.c: starts processes for the keeper. */
struct spawn {
	int control, status; /* ends for the new process */
	int once;	     /* no server: one exec */
	int deathsig;	     /* no namespace: a target dies with its parent */
	int notice;	     /* socket for the descriptor of notices; -1: none */
};
/* Gives the pid of the parent: the fork server, or a process that runs the target once. -1: errno.
 */
pid_t spawn_parent(struct keeper_board *b, const struct spawn *s);

/* watch.c: looking at the processes below the keeper. */
struct watch_usage {
	unsigned processes; /* alive, parent and keeper not counted */
	uint64_t memory;    /* bytes: anonymous and shared memory, tables not counted */
	uint64_t cpu_ns;    /* the live ones and those they waited for */
	int parent_stopped, target_stopped;
	int running; /* one of them is on a processor or waits for one, or for a disk */
};
/* Past max_processes (if not 0) only the number is found out: looking at each would take too long.
 */
void watch_usage(const struct keeper_board *b, pid_t parent, pid_t target, unsigned max_processes,
		 struct watch_usage *u);
/* Kills everything below the keeper but `spare` (0: nothing is spared) and reaps
 * it. Gives the number of processes killed. *spare becomes 0 if it had to go too or is dead. */
unsigned watch_sweep(const struct keeper_board *b, pid_t *spare);
/* How many processes and threads this user has, for RLIMIT_NPROC. */
unsigned watch_user_threads(void);

#endif
