/* unit.h: one translation unit in its normal form.
 *
 * The normal form is the front end's bitcode after mem2reg, with switches on more
 * than 64 bits made narrow (wide_switch.h), and nothing else;
 * every variant and every analysis starts from it, so that an instruction has the
 * same number everywhere. The ordinal of an instruction is its position when
 * functions, blocks and instructions are walked in module order, from 0; debug
 * intrinsics are not counted and declarations have nothing to count.
 */
#ifndef MUSTER_IR_UNIT_H
#define MUSTER_IR_UNIT_H

#include "base/map.h"

#include <llvm-c/Core.h>

#include <stddef.h>
#include <stdint.h>

struct unit {
	LLVMContextRef context;
	LLVMModuleRef module;
	uint32_t id;
	uint32_t count;		    /* instructions of the normal form */
	LLVMValueRef *instructions; /* by ordinal; as they were when the unit was loaded; NULL: deleted since */
	char *words;		    /* the first error that LLVM reported, or NULL */
	int broken;		    /* LLVM gave up inside: its objects are left alone */
	struct strmap relied;	    /* of position_forget: names that no other file may define */
};

/* Parses and verifies bitcode (which may be freed afterwards) and brings it into
 * normal form. LLVM notices bitcode that is cut off, not every changed byte: check
 * the hash that came with it first. u must not move until it is released. On
 * failure returns -1 with words, and *u needs no release. */
int unit_load(struct unit *u, const void *bitcode, size_t size, uint32_t id);
/* The same with locals in memory, as the compiler has made them: mem2reg takes one without a value for the value that it has elsewhere. For runs, not for analyses: the numbers are others. */
int unit_load_locals(struct unit *u, const void *bitcode, size_t size);
/* The normal form in which a local without a value has one of its own, `freeze undef`. For comparing versions; the numbers are others, too. */
int unit_load_unset(struct unit *u, const void *bitcode, size_t size, uint32_t id, const struct strmap *elsewhere);
/* unit_load for analyses. Calls do not say any more where in the source they are (position.h, which says what elsewhere is), here and in the two forms above. */
int unit_load_read(struct unit *u, const void *bitcode, size_t size, uint32_t id, const struct strmap *elsewhere);
void unit_release(struct unit *u);
/* unit_load_read without a release. It is the caller's until the next call: a small unit that is asked for again, in this process or in one that
 * was forked from it, is not parsed again. NULL with words. */
struct unit *unit_read(const void *bitcode, size_t size, uint32_t id);
/* The unit of unit_read is not needed any more: a large one goes. */
void unit_read_end(void);

/* Calls f for each instruction that is still there, in order. The list is the one made by unit_load, so
 * f may insert instructions, blocks and functions; it may delete only the
 * instruction it is called with. */
void unit_walk(struct unit *u, void (*f)(void *ctx, LLVMValueRef inst, uint32_t ordinal),
	       void *ctx);

/* Does the source promise of the function that it writes nothing (pure, const)? */
int unit_is_quiet(LLVMValueRef f);

/* A decision is a conditional branch, a switch, or a select on a single bit: how
 * many outcomes it has, 0 for any other instruction. Outcome 0 of a branch or
 * select is "false" and 1 "true"; outcome 0 of a switch is its default, and i its
 * case number i from 1. */
uint32_t unit_outcomes(LLVMValueRef inst);
/* Was the instruction made by the compiler for a check? */
int unit_is_marked(LLVMValueRef inst);
/* Was the decision made by the compiler, to check for undefined behaviour (-fsanitize=undefined) or to leave a scope? Such
 * decisions are like any other, but no branch of the program's: they have no coverage counters. */
int unit_is_check(LLVMValueRef inst);
/* The outcome of a check that leads straight to the report; -1: neither does (a part of a larger check), or
 * both. */
int unit_check_fails(LLVMValueRef inst);
/* The call that reports if it fails, or NULL. Several checks may share it. */
LLVMValueRef unit_check_report(LLVMValueRef inst);
/* The branch that reports, of a check or a part of one; NULL if it is none. */
LLVMValueRef unit_check_whole(LLVMValueRef inst);
/* Clang 19's numbers of those handlers that say something. */
enum unit_handler {
	UNIT_HANDLER_ADD = 0,
	UNIT_HANDLER_UNREACHABLE = 1,
	UNIT_HANDLER_DIVIDE = 3,
	UNIT_HANDLER_CONVERT = 7,
	UNIT_HANDLER_MISSING_RETURN = 11,
	UNIT_HANDLER_MULTIPLY = 12,
	UNIT_HANDLER_NEGATE = 13,
	UNIT_HANDLER_NULLABILITY_ARG = 14,
	UNIT_HANDLER_NULLABILITY_RETURN = 15,
	UNIT_HANDLER_NONNULL_ARG = 16,
	UNIT_HANDLER_NONNULL_RETURN = 17,
	UNIT_HANDLER_BOUNDS = 18,
	UNIT_HANDLER_POINTER = 19,
	UNIT_HANDLER_SHIFT = 20,
	UNIT_HANDLER_SUBTRACT = 21,
	UNIT_HANDLER_TYPE = 22,
	UNIT_HANDLER_VLA = 24,
	UNIT_HANDLER_NONE = 255, /* it is no llvm.ubsantrap */
};
unsigned unit_check_handler(LLVMValueRef report);
/* In the condition of a check that reports: the comparison of a pointer with null, or NULL. */
LLVMValueRef unit_check_null(LLVMValueRef check);
/* What a pointer was made from by address arithmetic. */
LLVMValueRef unit_pointer_root(LLVMValueRef pointer);
/* Whose check it is: enum muster_checker. Where one check looks for results that are too small and too large, the checker of
 * the large ones; a part of a larger check is that one's; NONE if it is no check. */
uint32_t unit_checker(LLVMValueRef inst);
/* Is what it looks for undefined in C? A run that fails such a check has no meaning that an analysis must keep to. */
int unit_checker_is_undefined(uint32_t checker);
/* Outcomes that coverage counts: none of a check's. */
uint32_t unit_counted(LLVMValueRef inst);

/* "LLVM 19.1.4" */
const char *unit_library(void);

/* Runs a pass pipeline given in opt's notation; -1 with words. */
int unit_passes(struct unit *u, const char *pipeline);
/* The words of the first error LLVM reported to this unit since, or NULL. */
const char *unit_words(const struct unit *u);
/* Is it well-formed? -1 with the verifier's words. */
int unit_verify(struct unit *u);

#endif
