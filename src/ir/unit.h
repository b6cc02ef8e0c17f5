/* unit.h: one translation unit in its normal form.
 *
 * The normal form is the front end's bitcode after mem2reg and nothing else;
 * every variant and every analysis starts from it, so that an instruction has the
 * same number everywhere. The ordinal of an instruction is its position when
 * functions, blocks and instructions are walked in module order, from 0; debug
 * intrinsics are not counted and declarations have nothing to count.
 */
#ifndef MUSTER_IR_UNIT_H
#define MUSTER_IR_UNIT_H

#include <llvm-c/Core.h>

#include <stddef.h>
#include <stdint.h>

struct unit {
	LLVMContextRef context;
	LLVMModuleRef module;
	uint32_t id;
	uint32_t count;		    /* instructions of the normal form */
	LLVMValueRef *instructions; /* by ordinal; as they were when the unit was loaded */
	char *words;		    /* the first error that LLVM reported, or NULL */
	int broken;		    /* LLVM gave up inside: its objects are left alone */
};

/* Parses and verifies bitcode (which may be freed afterwards) and brings it into
 * normal form. LLVM notices bitcode that is cut off, not every changed byte: check
 * the hash that came with it first. u must not move until it is released. On
 * failure returns -1 with words, and *u needs no release. */
int unit_load(struct unit *u, const void *bitcode, size_t size, uint32_t id);
void unit_release(struct unit *u);

/* Calls f for each instruction in order. The list is the one made by unit_load, so
 * f may insert instructions, blocks and functions; it may delete only the
 * instruction it is called with. */
void unit_walk(struct unit *u, void (*f)(void *ctx, LLVMValueRef inst, uint32_t ordinal),
	       void *ctx);

/* A decision is a conditional branch, a switch, or a select on a single bit: how
 * many outcomes it has, 0 for any other instruction. Outcome 0 of a branch or
 * select is "false" and 1 "true"; outcome 0 of a switch is its default, and i its
 * case number i from 1. */
uint32_t unit_outcomes(LLVMValueRef inst);
/* Was the instruction made by the compiler for a check? */
int unit_is_marked(LLVMValueRef inst);
/* Was the decision made by the compiler to check for undefined behaviour (-fsanitize=undefined)? Such
 * checks are decisions like any other, but no branch of the program's: they have no coverage counters. */
int unit_is_check(LLVMValueRef inst);
/* The outcome of a check that leads straight to the report; -1: neither does (a part of a larger check), or
 * both. */
int unit_check_fails(LLVMValueRef inst);
/* The call that reports if it fails, or NULL. Several checks may share it. */
LLVMValueRef unit_check_report(LLVMValueRef inst);
/* Whose check it is: enum muster_checker. Where one check looks for results that are too small and too large, the checker of
 * the large ones; a part of a larger check is that one's; NONE if it is no check. */
uint32_t unit_checker(LLVMValueRef inst);
/* Outcomes that coverage counts: none of a check's. */
uint32_t unit_counted(LLVMValueRef inst);

/* Runs a pass pipeline given in opt's notation; -1 with words. */
int unit_passes(struct unit *u, const char *pipeline);
/* The words of the first error LLVM reported to this unit since, or NULL. */
const char *unit_words(const struct unit *u);
/* Is it well-formed? -1 with the verifier's words. */
int unit_verify(struct unit *u);

#endif
