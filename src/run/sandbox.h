/* sandbox.h: what runs of target code may do to the machine.
 *
 * Three processes meet here. Muster says what it wants (sandbox_choose, launch_sandbox.c puts it on the board); the keeper
 * makes the surroundings once, when it starts (sandbox_enter); the process that is to become a target gives up its rights just
 * before it executes the program (sandbox_drop), so that a fork server and all its children are confined by one call.
 *
 * docs/running.md says what a target can do at each level. The invariant: whatever level there is, a process that executes
 * target code has passed sandbox_drop, unless the user said --sandbox off.
 */
#ifndef MUSTER_RUN_SANDBOX_H
#define MUSTER_RUN_SANDBOX_H

#include "run/keeper.h"

#define SANDBOX_UID 65534u /* nobody: whom targets run as where muster is root */

/* ----------------------------------------------------------------- muster */

/* For all launchers that this process starts from now on; without it: on, nothing writable. The list is borrowed. */
void sandbox_choose(int on, const char *const *writable, int count);
/* What the last keeper found possible, and how many writes were refused, in this process and those it forked. */
enum sandbox_level sandbox_level(void);
uint64_t sandbox_refusals(void);

/* ----------------------------------------------------------------- keeper */

/* sandbox.c. The surroundings, according to board.sandbox: 0, or an errno. In a namespace, whose first process the caller is,
 * everything or nothing; without one what the kernel has, which is never a failure. */
int sandbox_enter(struct keeper_board *b);
/* In the process that is to execute a target. socket: where the descriptor for notices goes; -1: none. 0, or -1 with errno. */
int sandbox_drop(const struct keeper_board *b, int socket);

/* sandbox_view.c: the file system as targets see it. */
int view_make(struct keeper_board *b);
/* After a run: takes away what it wrote. 1: what it changed can be undone only by making a new view. */
int view_reset(void);
/* Muster died: removes its temporary directories, which the view does not let anybody change. */
void view_remove_temps(const struct keeper_board *b);

int view_put(int mount, const char *path); /* moves a mount to its place, which is made if something hides it */

/* sandbox_reach.c, where muster is root: can nobody run the target? If not: is it only the path to it, which the view can mend?
 * reach_plan, before everything is read-only, reach_make after it, reach_close at the end. 0, or -1 and nothing is changed. */
int reach_others_may(const struct keeper_board *b);
int reach_plan(const struct keeper_board *b);
int reach_make(void);
void reach_close(void);

/* sandbox_filter.c: the filter of system calls. The descriptor for notices, -1 with errno, or -2: installed without notices. */
int filter_install(enum sandbox_level level);

/* sandbox_notice.c: system calls that stop at the keeper. */
int notice_receive(int socket); /* the descriptor that sandbox_drop sent; -1: none */
void notice_serve(struct keeper_board *b, int listener);

/* landlock.c. The version of the interface; 0: the kernel has none. */
int landlock_version(void);
int landlock_restrict(const struct keeper_board *b);

/* Each path on the board: *at is NULL to begin with. NULL: that was the last. The first letter is its enum sandbox_path. */
const char *sandbox_path(const struct keeper_sandbox *s, const char *at);

#endif
