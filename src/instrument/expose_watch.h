/* expose_watch.h: what runs of an exposed unit show besides: the blocks that they came to, and whether they wrote beyond a local. */
#ifndef MUSTER_INSTRUMENT_EXPOSE_WATCH_H
#define MUSTER_INSTRUMENT_EXPOSE_WATCH_H

#include "base/map.h"
#include "base/vec.h"

#include <llvm-c/Core.h>

struct buf;

struct expose_lines { /* of blocks, by their address: from debug info, before it goes */
	struct map first; /* block to where its lines begin; they end with 0 */
	VEC(unsigned) lines;
};
void expose_lines_read(LLVMModuleRef module, struct expose_lines *out);
void expose_lines_release(struct expose_lines *l);

/* Each block of a function that is kept counts how often it was entered, in its byte of EXPOSE_COVER. names gets a row for each: B, FUNCTION:LINE,LINE... */
void expose_cover(LLVMModuleRef module, const struct expose_lines *lines, int (*kept)(void *ctx, LLVMValueRef f), void *ctx, struct buf *names);
/* Locals get the bytes of the run where they begin to live, and those with members or elements bytes around them that must be the same at the end. */
void expose_guard_locals(LLVMModuleRef module, LLVMValueRef f);
/* Shifts ask muster_shift first. Before settle_behaviour, which makes them go on. */
void expose_watch_shifts(LLVMModuleRef module);
/* Copies of memory that may not overlap are checked. */
void expose_check_copies(LLVMModuleRef module, LLVMValueRef f);
/* Each variable, and each constant without addresses in it, in a section of its own, .data.vN or .rodata.vN: whoever links them says what lies between. */
void expose_spread(LLVMModuleRef module);

#endif
