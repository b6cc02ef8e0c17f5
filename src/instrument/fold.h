/* fold.h: which of the compiler's checks a variant has, and what becomes of them.
 *
 * Records have every check that clang can make (build/capture.c). A variant is made for a set of
 * checkers. A check of another one is folded to its passing side, and what was computed for it
 * alone is deleted, so that it costs nothing. One that stays is a decision in units that the harness recorded (FOLD_ENDS, undefined
 * behaviour), whose failing side ends the run or, where the machine goes on, leads on; or it is turned into a call of FOLD_MARK with its
 * condition, in the middle of a block: the program goes on after it as it would have done without
 * the check, and a pass makes of it what it makes of a branch: an event.
 */
#ifndef MUSTER_INSTRUMENT_FOLD_H
#define MUSTER_INSTRUMENT_FOLD_H

#include "base/map.h"
#include "base/vec.h"
#include "ir/checker.h"
#include "ir/unit.h"

/* A unit that is compiled with -ftrap-function=FOLD_ENDS has checks that end the run. Nobody
 * defines it. */
#define FOLD_ENDS "__muster_check_ends"
/* The same with this name: the checks are the program's own (-ftrapv), and stay in every variant. */
#define FOLD_OWN "__muster_check_own"
/* void (i1): exists between fold_checks and fold_forget only. */
#define FOLD_MARK "__muster_check"

/* Call it when the unit's instructions are numbered and its debug info is stripped. Entries of
 * u->instructions that are deleted become NULL; one that is replaced becomes what stands for it.
 * marks: 0 folds every check that would not end the run. */
void fold_checks(struct unit *u, checker_set checks, int marks);
/* The condition of a check that goes on (a call of FOLD_MARK), or NULL. */
LLVMValueRef fold_condition(LLVMValueRef inst);
/* fold_idle.c. Is the check not worth having where it does not end the run, since it cannot fail,
 * or not before something else shows it? */
int fold_is_idle(LLVMValueRef check);
/* fold_repeat.c. Is the check one for null of a value that an earlier check, which is kept, has asked for on every path to it? Asked in the order of
 * ordinals, before anything is edited. A zeroed struct to begin with. */
struct fold_repeats {
	LLVMValueRef function; /* whose blocks these are */
	VEC(LLVMBasicBlockRef) blocks; /* in post-order */
	VEC(uint32_t) above;	       /* of each the number of its immediate dominator; the entry's own */
	struct map number;	       /* of a block */
	VEC(struct fold_kept {
		uint32_t block;
		uint32_t before; /* the kept check before it for the same value, + 1 */
	}) kept;
	struct map last; /* of a value, + 1 */
};
int fold_is_repeated(struct fold_repeats *r, LLVMValueRef check);
void fold_repeats_release(struct fold_repeats *r);
/* fold_range.c. Is the condition true for every input, as far as a look at the operations in front of it shows? */
int fold_always_holds(LLVMValueRef condition);
/* The condition of a check that goes on: the part that its checker is about. May edit what is only
 * the check's. */
LLVMValueRef fold_part(LLVMValueRef check);
/* After the pass: the calls go, and their copies. */
void fold_forget(LLVMModuleRef module);

#endif
