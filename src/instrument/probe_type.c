/* probe_type.c: calls of functions by pointers to another type of function.
 *
 * clang's own check compares types as they are spelt, and reports calls that C allows (int f() through int (*)(void), an enumeration and its integer type, arrays with a
 * size and without). But it says of every call by a pointer what type that has, in C. So its check is taken out, and whether a function of the unit whose address is
 * taken may be called by such a pointer is asked of clang's front end: probe_questions writes an assertion for each pair, that the types are not compatible,
 * to stand after the unit's source. What fails is compatible; what cannot be compiled (a type that is not visible there) is not known, and counts as
 * compatible: no call is reported that may be allowed. Before each call the runtime gets the functions that may not be called so.
 */
#include "base/vec.h"
#include "instrument/probe_inside.h"

#include <stdlib.h>
#include <string.h>

#define HANDLER "__ubsan_handle_function_type_mismatch"
#define PAIRS 20000 /* of a unit; if it has more, none is asked about: that would take the front end's time */

/* ------------------------------------------------------------------ what a unit has */

struct types {
	VEC(LLVMValueRef) functions, calls; /* whose address is taken; of the handler */
	VEC(char *) names;		    /* of the pointers' types, in C, one for each call */
};

static int is_taken(LLVMValueRef f)
{
	for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);

		if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != f)
			return 1;
	}
	return 0;
}

/* A function that has a name in C, and is no part of the harness. */
static int is_candidate(LLVMValueRef f)
{
	const char *name = probe_name(f);

	return name[0] && !strpbrk(name, ".\1") && strncmp(name, "muster_", 7) && strncmp(name, "__muster_", 9) && strncmp(name, "__ubsan_", 8) && !LLVMGetIntrinsicID(f) && is_taken(f);
}

/* The pointer's type as the data of the check has it: 'T', or 'name' (aka 'T'). NULL: it is not as expected. */
static char *type_of(LLVMValueRef call)
{
	LLVMValueRef data = LLVMIsAGlobalVariable(LLVMGetOperand(call, 0)), fields = data ? LLVMGetInitializer(data) : NULL;
	LLVMValueRef type = fields && LLVMGetNumOperands(fields) == 2 ? LLVMIsAGlobalVariable(LLVMGetOperand(fields, 1)) : NULL;
	LLVMValueRef parts = type ? LLVMGetInitializer(type) : NULL, text = parts && LLVMGetNumOperands(parts) == 3 ? LLVMGetOperand(parts, 2) : NULL;
	size_t n;

	if (!text || !LLVMIsAConstantDataSequential(text) || !LLVMIsConstantString(text))
		return NULL;
	const char *s = LLVMGetAsString(text, &n), *aka = strstr(s, "(aka '"), *from = aka ? aka + 6 : s + 1, *end = strchr(from, '\'');
	return s[0] == '\'' && end ? strndup(from, (size_t)(end - from)) : NULL;
}

static void find(LLVMModuleRef module, struct types *t)
{
	LLVMValueRef handler = LLVMGetNamedFunction(module, HANDLER);

	for (LLVMValueRef f = LLVMGetFirstFunction(module); handler && f; f = LLVMGetNextFunction(f))
		if (is_candidate(f))
			vec_push(&t->functions, f);
	for (LLVMUseRef u = handler ? LLVMGetFirstUse(handler) : NULL; u; u = LLVMGetNextUse(u)) {
		LLVMValueRef call = LLVMIsACallInst(LLVMGetUser(u));

		if (call && LLVMGetCalledValue(call) == handler) {
			vec_push(&t->calls, call);
			vec_push(&t->names, type_of(call));
		}
	}
}

static void release(struct types *t)
{
	for (size_t i = 0; i < t->names.size; i++)
		free(t->names.data[i]);
	vec_release(&t->functions);
	vec_release(&t->calls);
	vec_release(&t->names);
}

/* The first call of the same type: pairs are asked about once. */
static size_t first_of(const struct types *t, size_t call)
{
	size_t i = 0;

	while (!t->names.data[i] || strcmp(t->names.data[i], t->names.data[call]))
		i++;
	return i;
}

/* -------------------------------------------------------------------- questions */

size_t probe_write_questions(LLVMModuleRef module, struct buf *out)
{
	struct types t = {0};
	size_t n = 0, start = out->size;

	find(module, &t);
	for (size_t i = 0; i < t.calls.size && n <= PAIRS; i++) {
		if (!t.names.data[i] || first_of(&t, i) != i)
			continue;
		for (size_t k = 0; k < t.functions.size; k++)
			buf_addf(out, "\n# %zu \"" PROBE_QUESTIONS "\"\n_Static_assert(!__builtin_types_compatible_p(__typeof__(&%s), __typeof__(%s)), \"\");", i * t.functions.size + k + 1,
				 probe_name(t.functions.data[k]), t.names.data[i]);
		n += t.functions.size;
	}
	if (n > PAIRS || !n) {
		n = 0;
		out->size = start;
	} else {
		n = t.calls.size * t.functions.size + 1;
		buf_add(out, "\n", 1);
	}
	release(&t);
	return n;
}

/* ----------------------------------------------------------------------- probes */

/* The only block that leads to b, or NULL. */
static LLVMBasicBlockRef before(LLVMBasicBlockRef b)
{
	LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b));

	return u && !LLVMGetNextUse(u) && LLVMIsABranchInst(LLVMGetUser(u)) ? LLVMGetInstructionParent(LLVMGetUser(u)) : NULL;
}

/* What the check's first test is made of goes, as far as nothing else uses it: it looks in front of the function, and there is none at null. */
static void take_out(LLVMValueRef test)
{
	for (LLVMValueRef i = test, next; i && LLVMIsAInstruction(i) && !LLVMGetFirstUse(i); i = next) {
		next = LLVMIsAICmpInst(i) || LLVMIsALoadInst(i) ? LLVMGetOperand(i, 0) : NULL;
		if (!next && !LLVMIsAGetElementPtrInst(i))
			break;
		LLVMInstructionEraseFromParent(i);
	}
}

/* The functions that may not be called, and NULL. */
static LLVMValueRef table_of(struct probe *p, const struct types *t, size_t call, const unsigned char *compatible)
{
	VEC(LLVMValueRef) others = {0};
	size_t first = t->names.data[call] ? first_of(t, call) : 0;

	for (size_t k = 0; compatible && t->names.data[call] && k < t->functions.size; k++)
		if (!compatible[first * t->functions.size + k + 1])
			vec_push(&others, t->functions.data[k]);
	vec_push(&others, LLVMConstNull(p->ptr));
	LLVMValueRef list = LLVMConstArray2(p->ptr, others.data, others.size), table = NULL;
	if (others.size > 1) {
		table = LLVMAddGlobal(p->module, LLVMTypeOf(list), "probe.types");
		LLVMSetInitializer(table, list);
		LLVMSetGlobalConstant(table, 1);
		LLVMSetLinkage(table, LLVMPrivateLinkage);
	}
	vec_release(&others);
	return table;
}

static void probe_one(struct probe *p, const struct types *t, size_t i, const unsigned char *compatible)
{
	LLVMValueRef call = t->calls.data[i], number = LLVMIsAPtrToIntInst(LLVMGetOperand(call, 1)), table = table_of(p, t, i, compatible);
	LLVMBasicBlockRef second = before(LLVMGetInstructionParent(call)), first = second ? before(second) : NULL;
	LLVMValueRef branch = first ? LLVMGetBasicBlockTerminator(first) : NULL, test = branch && LLVMIsConditional(branch) ? LLVMGetCondition(branch) : NULL;

	if (test) {
		LLVMSetCondition(branch, LLVMConstInt(LLVMInt1TypeInContext(p->context), 0, 0));
		if (number && table) {
			probe_before(p, branch);
			probe_call(p, "muster_probe_type", 0, "ppp", (LLVMValueRef[]){LLVMGetOperand(number, 0), table, probe_text(p, t->names.data[i])}, 3);
		}
		take_out(test);
	}
}

void probe_types(struct probe *p, const unsigned char *compatible)
{
	struct types t = {0};

	if (p->look)
		return;
	find(p->module, &t);
	for (size_t i = 0; i < t.calls.size; i++)
		probe_one(p, &t, i, compatible);
	release(&t);
}
