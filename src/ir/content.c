/* content.c: the symbols of a unit, and the operands of its instructions.
 *
 * Symbols are numbered first, since constants name them; then each function's instructions are gone through in the order of their ordinals. Operands are LLVM's own, all
 * of them (bundles and metadata too), but blocks, which are successors in code.h; of an address computation only the indices that vary, the rest being its shape; of
 * a phi the values in the order of its block's predecessors in code.h.
 */
#include "ir/content.h"

#include "ir/content_parts.h"

#include <llvm-c/Core.h>

#include <string.h>

/* ------------------------------------------------------------------ symbols */

static enum content_binding binding_of(LLVMValueRef v)
{
	switch (LLVMGetLinkage(v)) {
	case LLVMInternalLinkage:
	case LLVMPrivateLinkage:
	case LLVMAppendingLinkage:
		return CONTENT_LOCAL;
	case LLVMAvailableExternallyLinkage:
		return CONTENT_UNDEFINED;
	case LLVMExternalWeakLinkage:
		return CONTENT_OPTIONAL;
	case LLVMCommonLinkage:
		return CONTENT_COMMON;
	case LLVMLinkOnceAnyLinkage:
	case LLVMLinkOnceODRLinkage:
	case LLVMWeakAnyLinkage:
	case LLVMWeakODRLinkage:
		return CONTENT_WEAK;
	default:
		return LLVMIsDeclaration(v) ? CONTENT_UNDEFINED : CONTENT_STRONG;
	}
}

static struct content_symbol *add_symbol(struct content_maker *m, LLVMValueRef v, enum content_kind kind, uint32_t number)
{
	uint32_t at = m->t->symbol_count++;
	struct content_symbol *s = &m->t->symbols[at];
	size_t length;

	map_set(&m->symbols, (uintptr_t)v, at);
	s->name = arena_strdup(&m->t->inside->arena, LLVMGetValueName2(v, &length));
	s->kind = (uint8_t)kind;
	s->binding = (uint8_t)binding_of(v);
	s->hidden = LLVMGetVisibility(v) != LLVMDefaultVisibility;
	s->number = number;
	s->initial = CODE_NONE;
	return s;
}

static void add_data(struct content_maker *m, LLVMValueRef g, uint32_t number)
{
	struct content_symbol *s = add_symbol(m, g, CONTENT_DATA, number);
	LLVMTypeRef type = LLVMGlobalGetValueType(g);
	const char *section = LLVMGetSection(g);
	uint64_t h = 11;

	s->bytes = LLVMTypeIsSized(type) ? LLVMABISizeOfType(m->layout, type) : 0;
	/* Who could tell two of them apart? */
	s->unnamed = LLVMGetLinkage(g) == LLVMPrivateLinkage && LLVMIsGlobalConstant(g) && LLVMGetUnnamedAddress(g) == LLVMGlobalUnnamedAddr;
	h = content_fold(h, s->bytes);
	h = content_fold(h, LLVMGetAlignment(g));
	h = content_fold(h, (uint64_t)LLVMIsGlobalConstant(g));
	h = content_fold(h, LLVMGetThreadLocalMode(g));
	h = content_fold(h, section ? hash64(section, strlen(section), 12) : 0);
	s->head = h;
	s->placed = section != NULL;
}

static void add_function(struct content_maker *m, LLVMValueRef f, uint32_t number)
{
	struct content_symbol *s = add_symbol(m, f, CONTENT_FUNCTION, number);

	s->signature = content_type(m, LLVMGlobalGetValueType(f));
	s->head = content_function(m, f);
	s->intrinsic = LLVMGetIntrinsicID(f) != 0;
}

static uint32_t count_symbols(LLVMModuleRef module)
{
	uint32_t n = 0;

	for (LLVMValueRef v = LLVMGetFirstFunction(module); v; v = LLVMGetNextFunction(v))
		n++;
	for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
		n++;
	for (LLVMValueRef v = LLVMGetFirstGlobalAlias(module); v; v = LLVMGetNextGlobalAlias(v))
		n++;
	for (LLVMValueRef v = LLVMGetFirstGlobalIFunc(module); v; v = LLVMGetNextGlobalIFunc(v))
		n++;
	return n;
}

static void list_symbols(struct content_maker *m)
{
	LLVMModuleRef module = m->u->module;
	uint32_t n = 0;

	m->t->symbols = arena_alloc(&m->t->inside->arena, (count_symbols(module) + 1) * sizeof *m->t->symbols);
	for (LLVMValueRef v = LLVMGetFirstFunction(module); v; v = LLVMGetNextFunction(v))
		add_function(m, v, n++);
	m->t->function_count = n;
	n = 0;
	for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
		add_data(m, v, n++);
	for (LLVMValueRef v = LLVMGetFirstGlobalAlias(module); v; v = LLVMGetNextGlobalAlias(v))
		add_symbol(m, v, CONTENT_ALIAS, CODE_NONE);
	for (LLVMValueRef v = LLVMGetFirstGlobalIFunc(module); v; v = LLVMGetNextGlobalIFunc(v))
		add_symbol(m, v, CONTENT_IFUNC, CODE_NONE);
}

static void set_initial(struct content_maker *m, LLVMValueRef symbol, LLVMValueRef value)
{
	uint64_t number = 0;

	map_get(&m->symbols, (uintptr_t)symbol, &number);
	m->t->symbols[number].initial = content_constant(m, value);
}

static void list_initial(struct content_maker *m)
{
	LLVMModuleRef module = m->u->module;

	for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
		if (LLVMGetInitializer(v))
			set_initial(m, v, LLVMGetInitializer(v));
	for (LLVMValueRef v = LLVMGetFirstGlobalAlias(module); v; v = LLVMGetNextGlobalAlias(v))
		set_initial(m, v, LLVMAliasGetAliasee(v));
	for (LLVMValueRef v = LLVMGetFirstGlobalIFunc(module); v; v = LLVMGetNextGlobalIFunc(v))
		set_initial(m, v, LLVMGetGlobalIFuncResolver(v));
}

/* ------------------------------------------------------------------ operands */

struct function_maker {
	struct content_maker *m;
	const struct code_function *f;
	struct map ids;	   /* LLVMValueRef -> value */
	struct map blocks; /* LLVMBasicBlockRef -> block */
	VEC(uint32_t) incoming;
};

static uint32_t operand_of(struct function_maker *d, LLVMValueRef v)
{
	uint64_t id;

	if (map_get(&d->ids, (uintptr_t)v, &id))
		return (uint32_t)id;
	if (map_get(&d->m->symbols, (uintptr_t)v, &id))
		return (uint32_t)id | CONTENT_SYMBOL;
	return content_constant(d->m, v) | CONTENT_CONSTANT;
}

static void add_operand(struct function_maker *d, LLVMValueRef v, int called)
{
	uint32_t operand = operand_of(d, v);

	if ((operand & CONTENT_KIND) == CONTENT_SYMBOL && !called)
		d->m->t->symbols[operand & CONTENT_NUMBER].taken = 1;
	vec_push(&d->m->operands, operand);
}

static void add_index(void *ctx, LLVMValueRef index, int64_t scale)
{
	(void)scale;
	add_operand(ctx, index, 0);
}

static void add_incoming(struct function_maker *d, LLVMValueRef inst, uint32_t block)
{
	const struct code_function *f = d->f;
	const struct code_block *b = &f->blocks[block];

	while (d->incoming.size < f->block_count)
		vec_push(&d->incoming, 0);
	for (unsigned k = 0; k < LLVMCountIncoming(inst); k++) {
		uint64_t from = 0;

		map_get(&d->blocks, (uintptr_t)LLVMGetIncomingBlock(inst, k), &from);
		add_operand(d, LLVMGetIncomingValue(inst, k), 0);
		d->incoming.data[from] = vec_pop(&d->m->operands);
	}
	for (uint32_t k = 0; k < b->preds; k++)
		vec_push(&d->m->operands, d->incoming.data[code_pred(f, block, k)->from]);
}

static int is_call(LLVMOpcode op)
{
	return op == LLVMCall || op == LLVMInvoke || op == LLVMCallBr;
}

static void add_operands(struct function_maker *d, LLVMValueRef inst, uint32_t block)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	size_t start = d->m->operands.size;
	int n = LLVMGetNumOperands(inst);
	uint64_t unused = 0;

	if (op == LLVMPHI) {
		add_incoming(d, inst, block);
		return;
	}
	if (op == LLVMGetElementPtr) {
		add_operand(d, LLVMGetOperand(inst, 0), 0);
		if (!content_gep(d->m, inst, &unused, add_index, d))
			return;
		d->m->operands.size = start;
	}
	for (int k = 0; k < n; k++) {
		LLVMValueRef operand = LLVMGetOperand(inst, (unsigned)k);

		if (!LLVMValueIsBasicBlock(operand))
			add_operand(d, operand, is_call(op) && k == n - 1); /* the callee is the last one */
	}
}

static void add_instruction(struct function_maker *d, uint32_t ordinal)
{
	struct content_maker *m = d->m;
	LLVMValueRef inst = m->u->instructions[ordinal];
	struct content_instruction *out = &m->t->instructions[ordinal];
	uint32_t value = d->f->first_instruction + ordinal - d->f->first_ordinal;

	out->shape = content_shape(m, inst);
	if (is_call(LLVMGetInstructionOpcode(inst)))
		out->signature = content_type(m, LLVMGetCalledFunctionType(inst));
	out->first = (uint32_t)m->operands.size;
	add_operands(d, inst, d->f->values[value].block);
	out->operands = (uint32_t)m->operands.size - out->first;
}

static void read_function(struct content_maker *m, LLVMValueRef llvm, const struct code_function *f)
{
	struct function_maker d = {.m = m, .f = f};
	uint32_t n = 0;

	for (uint32_t k = 0; k < f->parameters; k++)
		map_set(&d.ids, (uintptr_t)LLVMGetParam(llvm, k), k);
	for (uint32_t k = 0; k < f->instructions; k++)
		map_set(&d.ids, (uintptr_t)m->u->instructions[f->first_ordinal + k], f->first_instruction + k);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(llvm); b; b = LLVMGetNextBasicBlock(b))
		map_set(&d.blocks, (uintptr_t)b, n++);
	for (uint32_t k = 0; k < f->instructions; k++)
		add_instruction(&d, f->first_ordinal + k);
	map_release(&d.ids);
	map_release(&d.blocks);
	vec_release(&d.incoming);
}

/* ------------------------------------------------------------------ the unit */

/* Whoever holds a constant may use the addresses in it. */
static void mark_taken(struct content *t)
{
	for (uint32_t i = 0; i < t->constant_count; i++)
		for (uint32_t k = 0; k < t->constants[i].refs; k++)
			t->symbols[t->refs[t->constants[i].first + k]].taken = 1;
}

struct content *content_new(struct unit *u, const struct code *c)
{
	struct content *t = mem_zalloc(sizeof *t);
	struct content_maker m = {.u = u, .c = c, .t = t, .layout = LLVMGetModuleDataLayout(u->module)};
	const char *assembly;
	uint32_t number = 0;
	size_t length;

	t->inside = mem_zalloc(sizeof *t->inside);
	t->instruction_count = u->count;
	t->instructions = arena_alloc(&t->inside->arena, (u->count + 1) * sizeof *t->instructions);
	content_neutral(&m);
	list_symbols(&m);
	list_initial(&m);
	for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f; f = LLVMGetNextFunction(f), number++)
		if (c->functions[number].defined)
			read_function(&m, f, &c->functions[number]);
	assembly = LLVMGetModuleInlineAsm(u->module, &length);
	t->assembly = length ? hash64(assembly, length, 13) : 0;
	t->operands = arena_copy(&t->inside->arena, m.operands.data, m.operands.size * sizeof *m.operands.data);
	t->constants = arena_copy(&t->inside->arena, m.constant_list.data, m.constant_list.size * sizeof *m.constant_list.data);
	t->constant_count = (uint32_t)m.constant_list.size;
	t->refs = arena_copy(&t->inside->arena, m.refs.data, m.refs.size * sizeof *m.refs.data);
	mark_taken(t);
	map_release(&m.symbols);
	map_release(&m.constants);
	map_release(&m.types);
	map_release(&m.neutral);
	vec_release(&m.operands);
	vec_release(&m.constant_list);
	vec_release(&m.refs);
	return t;
}

void content_free(struct content *t)
{
	if (!t)
		return;
	arena_release(&t->inside->arena);
	free(t->inside);
	free(t);
}
