/* merge.c: units linked as bitcode.
 *
 * LLVM's linker chooses among definitions as the system's does. Two things are ours. Statics get names that depend on their unit and not on the order of the link, for versions are compared by names. And of two strong
 * definitions, which libraries may have, the first one counts, as for the dynamic linker; one that is hidden in its library cannot be distinguished afterwards, so that is refused.
 */
#include "build/merge.h"

#include "base/error.h"
#include "base/map.h"
#include "base/mem.h"
#include "ir/guard.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>

#include <stdlib.h>
#include <string.h>

struct merger {
	LLVMContextRef context;
	struct merge_unit *units;
	size_t count;
	struct strmap names;   /* to the number of units that have it */
	struct strmap defined; /* strong ones so far */
	struct buf *out;
	char *words; /* LLVM's first error */
};

static void on_diagnostic(LLVMDiagnosticInfoRef d, void *ctx)
{
	struct merger *m = ctx;

	if (LLVMGetDiagInfoSeverity(d) != LLVMDSError || m->words)
		return;
	char *text = LLVMGetDiagInfoDescription(d);
	m->words = mem_strdup(text);
	LLVMDisposeMessage(text);
}

/* All functions, variables and aliases. */
static void each_symbol(LLVMModuleRef module, int (*f)(struct merger *m, LLVMValueRef v, const char *name, const struct merge_unit *u, int *e), struct merger *m, const struct merge_unit *u, int *e)
{
	size_t n;

	for (LLVMValueRef v = LLVMGetFirstFunction(module); v && !*e; v = LLVMGetNextFunction(v))
		f(m, v, LLVMGetValueName2(v, &n), u, e);
	for (LLVMValueRef v = LLVMGetFirstGlobal(module); v && !*e; v = LLVMGetNextGlobal(v))
		f(m, v, LLVMGetValueName2(v, &n), u, e);
	for (LLVMValueRef v = LLVMGetFirstGlobalAlias(module); v && !*e; v = LLVMGetNextGlobalAlias(v))
		f(m, v, LLVMGetValueName2(v, &n), u, e);
}

static int count_name(struct merger *m, LLVMValueRef v, const char *name, const struct merge_unit *u, int *e)
{
	uint64_t known = 0;

	(void)v, (void)u, (void)e;
	strmap_get(&m->names, name, &known);
	strmap_set(&m->names, name, known + 1);
	return 0;
}

static int settle_name(struct merger *m, LLVMValueRef v, const char *name, const struct merge_unit *u, int *e)
{
	uint64_t known = 0, image;

	if (LLVMGetLinkage(v) == LLVMInternalLinkage) {
		strmap_get(&m->names, name, &known);
		if (known > 1) {
			char *own = mem_printf("%s.%s", name, u->name);
			LLVMSetValueName2(v, own, strlen(own));
			free(own);
		}
		return 0;
	}
	if (LLVMGetLinkage(v) != LLVMExternalLinkage || LLVMIsDeclaration(v))
		return 0;
	if (!strmap_get(&m->defined, name, &image)) {
		strmap_set(&m->defined, name, u->image);
		return 0;
	}
	if (image != u->image && LLVMGetVisibility(v) != LLVMDefaultVisibility)
		*e = error_set("'%s' is defined in the program and hidden in a library: their units cannot be joined", name);
	else if (LLVMIsAGlobalAlias(v))
		*e = error_set("'%s' is defined twice", name);
	else
		LLVMSetLinkage(v, LLVMAvailableExternallyLinkage);
	return 0;
}

static LLVMModuleRef parse(struct merger *m, const struct merge_unit *u)
{
	LLVMMemoryBufferRef memory = LLVMCreateMemoryBufferWithMemoryRangeCopy(u->bitcode.data, u->bitcode.size, u->name);
	LLVMModuleRef module = NULL;

	if (LLVMParseBitcodeInContext2(m->context, memory, &module)) {
		error_set("the bitcode of '%s' cannot be read: %s", u->name, m->words ? m->words : "no reason given");
		module = NULL;
	}
	LLVMDisposeMemoryBuffer(memory);
	return module;
}

static int merge(void *ctx)
{
	struct merger *m = ctx;
	LLVMModuleRef all = NULL, next;
	int e = 0;

	for (size_t i = 0; i < m->count && !e; i++) {
		if (!(next = parse(m, &m->units[i])))
			return -1;
		each_symbol(next, count_name, m, &m->units[i], &e);
		LLVMDisposeModule(next);
	}
	for (size_t i = 0; i < m->count && !e; i++) {
		next = parse(m, &m->units[i]);
		each_symbol(next, settle_name, m, &m->units[i], &e);
		if (!all)
			all = next;
		else if (!e && LLVMLinkModules2(all, next))
			e = error_set("the units cannot be joined: %s", m->words ? m->words : "no reason given");
	}
	if (!e) {
		LLVMMemoryBufferRef text = LLVMWriteBitcodeToMemoryBuffer(all);
		buf_clear(m->out);
		buf_add(m->out, LLVMGetBufferStart(text), LLVMGetBufferSize(text));
		LLVMDisposeMemoryBuffer(text);
	}
	return e;
}

int merge_units(struct merge_unit *units, size_t count, struct buf *out)
{
	struct merger m = {.context = LLVMContextCreate(), .units = units, .count = count, .out = out};
	int fatal = 0;

	LLVMContextSetDiagnosticHandler(m.context, on_diagnostic, &m);
	int e = guard_call(merge, &m, &fatal);
	if (!fatal && !e)
		LLVMContextDispose(m.context); /* with its modules; after an error it is left alone */
	strmap_release(&m.names);
	strmap_release(&m.defined);
	free(m.words);
	return e;
}
