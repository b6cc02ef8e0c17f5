/* probe_inside.h: what the parts of probe.c share. */
#ifndef MUSTER_INSTRUMENT_PROBE_INSIDE_H
#define MUSTER_INSTRUMENT_PROBE_INSIDE_H

#include "base/buf.h"
#include "base/map.h"
#include "instrument/probe.h"

#include <llvm-c/Core.h>

struct probe {
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef b;
	LLVMTypeRef i32, ptr;
	int look;      /* nothing is inserted, only counted */
	struct strmap *constants; /* functions whose differences may be constants */
	unsigned long places;
};

/* Calls the runtime's function: 'p' pointers, 'i' integers of 32 bits, 'l' of 64; '.' at the end: variable arguments follow, as many as given. */
LLVMValueRef probe_call(struct probe *p, const char *name, int returns_pointer, const char *types, LLVMValueRef *arguments, unsigned count);
LLVMValueRef probe_number(const struct probe *p, int n);
LLVMValueRef probe_text(struct probe *p, const char *text);
/* Where the next call is inserted, with inst's place in the source. */
void probe_before(struct probe *p, LLVMValueRef inst);
void probe_after(struct probe *p, LLVMValueRef inst);
/* The function that is called, or NULL if a pointer decides; its name, or "". */
LLVMValueRef probe_callee(LLVMValueRef call);
const char *probe_name(LLVMValueRef value);
/* Does libc have a function of this name? It returns what it says. */
int probe_in_libc(const char *name);

void probe_returns(struct probe *p);
void probe_promises(struct probe *p);
void probe_formats(struct probe *p);
void probe_pairs(struct probe *p);
void probe_targets(struct probe *p);
/* compatible: NULL, or the answers to the questions, by their numbers. */
void probe_types(struct probe *p, const unsigned char *compatible);
size_t probe_write_questions(LLVMModuleRef module, struct buf *out);

/* Every function of the module with a body that its author wrote; every instruction of one. */
#define PROBE_FUNCTIONS(p, f)                                                                        \
	for (LLVMValueRef f = LLVMGetFirstFunction((p)->module); f; f = LLVMGetNextFunction(f)) \
		if (probe_is_own(f))
int probe_is_own(LLVMValueRef function);
typedef void probe_visitor(struct probe *p, LLVMValueRef inst);
/* visit may insert instructions around the one it is called with; those are not visited. */
void probe_walk(struct probe *p, LLVMValueRef function, probe_visitor *visit);

#endif
