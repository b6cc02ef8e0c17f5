/* probe_format.c: calls of printf and its kin, and types of variable arguments on their way to one.
 *
 * The arguments of a call are handed to the probe as they are, with a letter for the type of each (runtime/probe_format.c). Functions
 * with variable arguments of the program's own get their types from their caller, for the lists that they start.
 */
#include "instrument/probe_inside.h"

#include "base/vec.h"
#include "muster/probe.h"

#include <stdlib.h>
#include <string.h>

/* X(name, number of the format's parameter, of the first argument or of the list, is it a list?, flags). Those with a buffer have it in front, and its
 * size after it if it is given. */
#define WATCHED PROBE_WATCHED
#define BUFFER 256
#define SIZED (BUFFER | 512)
#define FORMATS(X)                               \
	X(printf, 0, 1, 0, WATCHED)              \
	X(fprintf, 1, 2, 0, WATCHED)             \
	X(sprintf, 1, 2, 0, WATCHED | BUFFER)   \
	X(snprintf, 2, 3, 0, WATCHED | SIZED)   \
	X(asprintf, 1, 2, 0, WATCHED)            \
	X(dprintf, 1, 2, 0, 0)                   \
	X(syslog, 1, 2, 0, 0)                    \
	X(obstack_printf, 1, 2, 0, 0)            \
	X(warn, 0, 1, 0, PROBE_NO_FORMAT)        \
	X(warnx, 0, 1, 0, PROBE_NO_FORMAT)       \
	X(err, 1, 2, 0, PROBE_NO_FORMAT)         \
	X(errx, 1, 2, 0, PROBE_NO_FORMAT)        \
	X(error, 2, 3, 0, 0)                     \
	X(__printf_chk, 1, 2, 0, 0)              \
	X(__fprintf_chk, 2, 3, 0, 0)             \
	X(__sprintf_chk, 3, 4, 0, BUFFER)       \
	X(__snprintf_chk, 4, 5, 0, SIZED)       \
	X(__asprintf_chk, 2, 3, 0, 0)            \
	X(__dprintf_chk, 2, 3, 0, 0)             \
	X(__syslog_chk, 2, 3, 0, 0)              \
	X(vprintf, 0, 1, 1, WATCHED)             \
	X(vfprintf, 1, 2, 1, WATCHED)            \
	X(vsprintf, 1, 2, 1, WATCHED | BUFFER)  \
	X(vsnprintf, 2, 3, 1, WATCHED | SIZED)  \
	X(vasprintf, 1, 2, 1, WATCHED)           \
	X(vdprintf, 1, 2, 1, 0)                  \
	X(vsyslog, 1, 2, 1, 0)                   \
	X(obstack_vprintf, 1, 2, 1, 0)           \
	X(vwarn, 0, 1, 1, PROBE_NO_FORMAT)       \
	X(vwarnx, 0, 1, 1, PROBE_NO_FORMAT)      \
	X(verr, 1, 2, 1, PROBE_NO_FORMAT)        \
	X(verrx, 1, 2, 1, PROBE_NO_FORMAT)       \
	X(__vprintf_chk, 1, 2, 1, 0)             \
	X(__vfprintf_chk, 2, 3, 1, 0)            \
	X(__vsprintf_chk, 3, 4, 1, BUFFER)      \
	X(__vsnprintf_chk, 4, 5, 1, SIZED)      \
	X(__vasprintf_chk, 2, 3, 1, 0)           \
	X(__vdprintf_chk, 2, 3, 1, 0)            \
	X(__vsyslog_chk, 2, 3, 1, 0)

static const struct format {
	const char *name;
	unsigned format, first;
	int list, flags;
} formats[] = {
#define X(name, format, first, list, flags) {#name, format, first, list, flags},
    FORMATS(X)
#undef X
};

static const struct format *format_of(LLVMValueRef callee)
{
	if (!callee || LLVMGetFirstBasicBlock(callee)) /* a function of the program's own */
		return NULL;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (!strcmp(formats[i].name, probe_name(callee)))
			return &formats[i];
	return NULL;
}

static char letter(LLVMValueRef call, unsigned index)
{
	LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(call, index));
	unsigned by_value = LLVMGetEnumAttributeKindForName("byval", 5);

	switch (LLVMGetTypeKind(t)) {
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(t) == 32 ? 'i' : LLVMGetIntTypeWidth(t) == 64 ? 'l' : '?';
	case LLVMPointerTypeKind:
		return LLVMGetCallSiteEnumAttribute(call, index + 1, by_value) ? '?' : 'p';
	case LLVMDoubleTypeKind:
		return 'd';
	case LLVMX86_FP80TypeKind:
		return 'L';
	default:
		return '?';
	}
}

/* The letters of the arguments from `first` on, as a constant of the module. */
static LLVMValueRef letters(struct probe *p, LLVMValueRef call, unsigned first)
{
	VEC(char) text = {0};

	for (unsigned i = first; i < LLVMGetNumArgOperands(call); i++)
		vec_push(&text, letter(call, i));
	vec_push(&text, 0);
	LLVMValueRef constant = probe_text(p, text.data);
	vec_release(&text);
	return constant;
}

/* Where a call is going to write what it prints, or NULL. */
static LLVMValueRef buffer_of(LLVMValueRef call, const struct format *f)
{
	return f->flags & BUFFER && LLVMTypeOf(call) == LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(call))) ? LLVMGetOperand(call, 0) : NULL;
}

static void probe_printed(struct probe *p, LLVMValueRef call, const struct format *f)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(p->context);
	LLVMValueRef size = (f->flags & SIZED) == SIZED ? LLVMGetOperand(call, 1) : LLVMConstAllOnes(i64);

	if (!buffer_of(call, f) || LLVMTypeOf(size) != i64)
		return;
	probe_after(p, call);
	probe_call(p, "muster_probe_printed", 0, "ppli", (LLVMValueRef[]){probe_text(p, f->name), LLVMGetOperand(call, 0), size, call}, 4);
}

#define FIXED 5 /* arguments of the probe before those of the call */

static void probe_one(struct probe *p, LLVMValueRef call, const struct format *f)
{
	VEC(LLVMValueRef) arguments = {0};
	unsigned n = LLVMGetNumArgOperands(call);

	if (n <= f->format || (f->list && n <= f->first))
		return; /* declared otherwise than libc's */
	p->places++;
	if (p->look)
		return;
	LLVMValueRef to = buffer_of(call, f);
	probe_before(p, call);
	vec_push(&arguments, probe_text(p, f->name));
	vec_push(&arguments, probe_number(p, f->flags & ~SIZED));
	vec_push(&arguments, to ? to : LLVMConstNull(p->ptr));
	vec_push(&arguments, LLVMGetOperand(call, f->format));
	vec_push(&arguments, f->list ? LLVMGetOperand(call, f->first) : letters(p, call, f->first));
	for (unsigned i = f->first; !f->list && i < n; i++)
		vec_push(&arguments, LLVMGetOperand(call, i));
	LLVMValueRef probe = probe_call(p, f->list ? "muster_probe_format_list" : "muster_probe_format", 0, f->list ? "pippp" : "pippp.",
					arguments.data, (unsigned)arguments.size);
	/* What is passed on the stack (structures) is passed alike. */
	for (unsigned i = f->first; !f->list && i < n; i++) {
		LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, i + 1, LLVMGetEnumAttributeKindForName("byval", 5));
		if (a)
			LLVMAddCallSiteAttribute(probe, i - f->first + FIXED + 1, a);
	}
	probe_printed(p, call, f);
	vec_release(&arguments);
}

static void visit(struct probe *p, LLVMValueRef inst)
{
	if (!LLVMIsACallInst(inst) || LLVMIsAInlineAsm(LLVMGetCalledValue(inst)))
		return;
	LLVMValueRef callee = probe_callee(inst);
	const struct format *f = format_of(callee);
	LLVMTypeRef type = LLVMGetCalledFunctionType(inst);
	if (f) {
		probe_one(p, inst, f);
	} else if (LLVMIsFunctionVarArg(type) && !(callee && (LLVMGetIntrinsicID(callee) || probe_in_libc(probe_name(callee)) ||
							      !strncmp(probe_name(callee), "muster_", 7)))) {
		p->places++;
		if (p->look)
			return;
		probe_before(p, inst);
		LLVMValueRef arguments[] = {LLVMGetCalledValue(inst), letters(p, inst, LLVMCountParamTypes(type))};
		probe_call(p, "muster_probe_call", 0, "pp", arguments, 2);
	}
}

/* ------------------------------------------------------------------- lists */

static LLVMValueRef entered; /* the types that the function was called with */

static void visit_start(struct probe *p, LLVMValueRef inst)
{
	if (!LLVMIsACallInst(inst) || strncmp(probe_name(probe_callee(inst)), "llvm.va_start", 13))
		return;
	p->places++;
	if (p->look)
		return;
	probe_after(p, inst);
	probe_call(p, "muster_probe_list", 0, "pp", (LLVMValueRef[]){LLVMGetOperand(inst, 0), entered}, 2);
}

/* va_arg has no instruction of its own: clang writes out what it does, and names the members of the list. */
static int is_taking(LLVMValueRef inst)
{
	static const char *const members[] = {"gp_offset_p", "fp_offset_p", "overflow_arg_area_p"};

	for (size_t i = 0; LLVMIsAGetElementPtrInst(inst) && i < sizeof members / sizeof *members; i++)
		if (!strncmp(probe_name(inst), members[i], strlen(members[i])))
			return 1;
	return 0;
}

static void visit_taking(struct probe *p, LLVMValueRef inst)
{
	LLVMValueRef list = is_taking(inst) ? LLVMGetOperand(inst, 0) : NULL;

	if (!list)
		return;
	p->places++;
	if (p->look)
		return;
	probe_before(p, inst);
	probe_call(p, "muster_probe_list_take", 0, "p", &list, 1);
}

/* va_end and va_copy, wherever they are: whoever gets a list may copy it. */
static void visit_list(struct probe *p, LLVMValueRef inst)
{
	const char *name = LLVMIsACallInst(inst) ? probe_name(probe_callee(inst)) : "";
	int copy = !strncmp(name, "llvm.va_copy", 12);

	if (!copy && strncmp(name, "llvm.va_end", 11))
		return;
	p->places++;
	if (p->look)
		return;
	probe_before(p, inst);
	LLVMValueRef lists[] = {LLVMGetOperand(inst, 0), LLVMGetOperand(inst, copy)};
	probe_call(p, copy ? "muster_probe_list_copy" : "muster_probe_list_end", 0, copy ? "pp" : "p", lists, copy ? 2 : 1);
}

/* Does the function take from the list that the parameter is? Through a pointer to a list, which C allows its caller to go on with, stands an `arraydecay` between the two. */
static int takes_from(LLVMValueRef f, LLVMValueRef parameter)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			LLVMValueRef list = is_taking(i) ? LLVMIsALoadInst(LLVMGetOperand(i, 0)) : NULL, slot = list ? LLVMGetOperand(list, 0) : NULL;
			for (LLVMUseRef u = slot && LLVMIsAAllocaInst(slot) ? LLVMGetFirstUse(slot) : NULL; u; u = LLVMGetNextUse(u))
				if (LLVMIsAStoreInst(LLVMGetUser(u)) && LLVMGetOperand(LLVMGetUser(u), 0) == parameter)
					return 1;
		}
	return 0;
}

/* A list that a function of the program was given and took from is used up for its caller. */
static void follow_taken(struct probe *p, LLVMValueRef f, LLVMValueRef parameter)
{
	LLVMTypeRef type = LLVMArrayType2(LLVMInt64TypeInContext(p->context), PROBE_LIST_WORDS);

	if (LLVMTypeOf(parameter) != p->ptr || !takes_from(f, parameter))
		return;
	p->places++;
	if (p->look)
		return;
	probe_before(p, LLVMGetFirstInstruction(LLVMGetFirstBasicBlock(f)));
	LLVMSetCurrentDebugLocation2(p->b, NULL);
	LLVMValueRef arguments[] = {parameter, LLVMBuildAlloca(p->b, type, "probe.list")};
	probe_call(p, "muster_probe_list_given", 0, "pp", arguments, 2);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
		if (!end || !LLVMIsAReturnInst(end))
			continue;
		probe_before(p, end);
		probe_call(p, "muster_probe_list_back", 0, "pp", arguments, 2);
	}
}

static void follow_lists(struct probe *p, LLVMValueRef f)
{
	LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetFirstBasicBlock(f));

	while (LLVMIsAAllocaInst(first))
		first = LLVMGetNextInstruction(first);
	if (!p->look) {
		probe_before(p, first);
		entered = probe_call(p, "muster_probe_enter", 1, "p", &f, 1);
	}
	probe_walk(p, f, visit_start);
}

void probe_formats(struct probe *p)
{
	PROBE_FUNCTIONS(p, f)
	{
		probe_walk(p, f, visit);
		probe_walk(p, f, visit_list);
		probe_walk(p, f, visit_taking);
		for (unsigned i = 0; i < LLVMCountParams(f); i++)
			follow_taken(p, f, LLVMGetParam(f, i));
		if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f)))
			follow_lists(p, f);
	}
}
