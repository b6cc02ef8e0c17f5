/* code_build.c: from LLVM's module to the arrays of code.h.
 *
 * Globals and functions are numbered in module order, then each function is drafted: blocks and edges first (a phi wants to know
 * the order of its block's predecessors), then the instructions one after the other, whose ids are known beforehand; constants get theirs after
 * them when an operand names one. A draft's growing arrays are copied into the arena when it is done. Debug records are read as
 * calls, the one form that LLVM's C interface has a reader for, and the module is put back into the form it had.
 *
 * Invariant: instruction k of the function has id parameters + k and ordinal first_ordinal + k, whatever debug info there is.
 */
#include "ir/code_parts.h"

#include "base/error.h"
#include "muster/abi.h"

#include <llvm-c/DebugInfo.h>

#include <string.h>

static int is_debug_call(LLVMValueRef inst)
{
	LLVMValueRef f = LLVMIsACallInst(inst) ? LLVMIsAFunction(LLVMGetCalledValue(inst)) : NULL;
	size_t length;

	return f && !strncmp(LLVMGetValueName2(f, &length), "llvm.dbg.", 9);
}

/* ------------------------------------------------------------------ constants */

/* Globals and functions that a constant names are known to whoever holds it. */
static void mark_escapes(struct code_maker *m, LLVMValueRef v)
{
	uint64_t number;

	if (map_get(&m->globals, (uintptr_t)v, &number)) {
		m->c->globals[number].escapes = 1;
		return;
	}
	if (map_get(&m->functions, (uintptr_t)v, &number)) {
		m->c->functions[number].address_taken = 1;
		return;
	}
	if (!LLVMIsAConstant(v) || !map_set(&m->escaped, (uintptr_t)v, 1))
		return;
	for (int k = 0; k < LLVMGetNumOperands(v); k++) {
		LLVMValueRef operand = LLVMGetOperand(v, (unsigned)k);

		if (operand && LLVMIsAConstant(operand))
			mark_escapes(m, operand);
	}
}

static void constant_bits(LLVMValueRef v, unsigned width, uint64_t bits[2])
{
	LLVMTypeRef half;
	LLVMBuilderRef builder;
	LLVMValueRef high;

	if (width <= 64) {
		bits[0] = LLVMConstIntGetZExtValue(v);
		return;
	}
	half = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(v)));
	builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(v)));
	bits[0] = LLVMConstIntGetZExtValue(LLVMConstTrunc(v, half));
	high = LLVMBuildLShr(builder, v, LLVMConstInt(LLVMTypeOf(v), 64, 0), "");
	bits[1] = LLVMConstIntGetZExtValue(LLVMConstTrunc(high, half));
	LLVMDisposeBuilder(builder);
}

/* A global and a constant number of bytes; 0 if the constant is nothing like it. */
static int address_of(struct code_maker *m, LLVMValueRef v, uint64_t *global, int64_t *offset)
{
	if (map_get(&m->globals, (uintptr_t)v, global)) {
		*offset = 0;
		return 1;
	}
	if (LLVMIsAGlobalAlias(v))
		return address_of(m, LLVMAliasGetAliasee(v), global, offset);
	if (!LLVMIsAConstantExpr(v) || LLVMGetConstOpcode(v) != LLVMGetElementPtr || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind)
		return 0;
	return address_of(m, LLVMGetOperand(v, 0), global, offset) && !code_gep(m->layout, v, offset, NULL, NULL);
}

static void fill_constant(struct code_draft *d, LLVMValueRef v, struct code_value *out)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	uint64_t number;

	out->is_pointer = kind == LLVMPointerTypeKind;
	out->width = kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 128 ? LLVMGetIntTypeWidth(type) : 0;
	if (LLVMIsUndef(v)) {
		out->kind = CODE_UNDEF;
	} else if (LLVMIsAConstantInt(v) && out->width) {
		out->kind = CODE_CONSTANT;
		constant_bits(v, out->width, out->bits);
	} else if (LLVMIsAConstantPointerNull(v)) {
		out->kind = CODE_NULL;
	} else if (map_get(&d->m->functions, (uintptr_t)v, &number)) {
		out->kind = CODE_FUNCTION;
		out->index = (uint32_t)number;
	} else if (out->is_pointer && address_of(d->m, v, &number, &out->offset)) {
		out->kind = CODE_ADDRESS;
		out->index = (uint32_t)number;
	} else {
		out->kind = CODE_OPAQUE;
		if (LLVMIsAConstant(v))
			mark_escapes(d->m, v);
	}
}

uint32_t code_draft_value(struct code_draft *d, LLVMValueRef v)
{
	struct code_value value = {.index = CODE_NONE, .block = CODE_NONE, .scope = CODE_NONE, .cell = CODE_NONE, .target = CODE_NONE};
	uint64_t id;

	if (map_get(&d->ids, (uintptr_t)v, &id))
		return (uint32_t)id;
	fill_constant(d, v, &value);
	id = d->values.size;
	vec_push(&d->values, value);
	map_set(&d->ids, (uintptr_t)v, id);
	if (value.kind == CODE_ADDRESS && value.offset) /* the root of the pointer is a value, too */
		code_draft_value(d, d->m->global_list.data[value.index]);
	return (uint32_t)id;
}

/* ------------------------------------------------------------------ blocks and edges */

static int is_branch(LLVMValueRef last)
{
	return LLVMGetInstructionOpcode(last) == LLVMBr && LLVMIsConditional(last);
}

static void mark_check(struct code_function *f, struct code_block *b, LLVMValueRef last)
{
	struct code_edge *e = f->edges + b->first_edge;
	int fails;

	if (!unit_is_check(last))
		return;
	b->check = unit_checker(last);
	fails = unit_check_fails(last);
	if (fails < 0)
		return;
	e[fails].flags |= CODE_EDGE_REPORT;
	e[!fails].flags |= CODE_EDGE_PASS;
	if (unit_checker_is_undefined(b->check)) {
		e[0].flags |= CODE_EDGE_UB;
		e[1].flags |= CODE_EDGE_UB;
	}
	f->blocks[e[fails].to].flags |= CODE_BLOCK_REPORT;
}

/* Outcome k of a conditional branch is LLVM's successor 1 - k; elsewhere they are the same. */
static void add_edges(struct code_draft *d, LLVMBasicBlockRef *list)
{
	struct code_function *f = d->f;
	uint32_t at = 0;

	for (uint32_t b = 0; b < f->block_count; b++) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(list[b]);
		uint32_t n = LLVMGetNumSuccessors(last);
		int swapped = is_branch(last);

		f->blocks[b].first_edge = at;
		f->blocks[b].edges = n;
		for (uint32_t k = 0; k < n; k++) {
			uint64_t to = 0;

			map_get(&d->blocks, (uintptr_t)LLVMGetSuccessor(last, swapped ? 1 - k : k), &to);
			f->edges[at++] = (struct code_edge){.from = b, .to = (uint32_t)to, .outcome = k};
		}
	}
	for (uint32_t b = 0; b < f->block_count; b++)
		if (is_branch(LLVMGetBasicBlockTerminator(list[b])))
			mark_check(f, &f->blocks[b], LLVMGetBasicBlockTerminator(list[b]));
}

static void add_preds(struct code_function *f, struct arena *arena)
{
	uint32_t at = 0;

	f->preds = arena_alloc(arena, (f->edge_count + 1) * sizeof *f->preds);
	for (uint32_t e = 0; e < f->edge_count; e++)
		f->blocks[f->edges[e].to].preds++;
	for (uint32_t b = 0; b < f->block_count; b++) {
		f->blocks[b].first_pred = at;
		at += f->blocks[b].preds;
		f->blocks[b].preds = 0;
	}
	for (uint32_t e = 0; e < f->edge_count; e++) {
		struct code_block *to = &f->blocks[f->edges[e].to];

		f->preds[to->first_pred + to->preds++] = e;
	}
}

static void add_blocks(struct code_draft *d)
{
	struct code_function *f = d->f;
	LLVMBasicBlockRef *list;

	f->block_count = LLVMCountBasicBlocks(d->llvm);
	list = mem_alloc(f->block_count * sizeof *list);
	LLVMGetBasicBlocks(d->llvm, list);
	f->blocks = arena_alloc(d->m->arena, f->block_count * sizeof *f->blocks);
	for (uint32_t b = 0; b < f->block_count; b++) {
		map_set(&d->blocks, (uintptr_t)list[b], b);
		f->edge_count += LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(list[b]));
		f->blocks[b].loop = f->blocks[b].order = f->blocks[b].dominator = CODE_NONE;
	}
	f->edges = arena_alloc(d->m->arena, (f->edge_count + 1) * sizeof *f->edges);
	add_edges(d, list);
	add_preds(f, d->m->arena);
	free(list);
}

/* ------------------------------------------------------------------ instructions */

static void number_values(struct code_draft *d)
{
	struct code_value none = {.index = CODE_NONE, .block = CODE_NONE, .scope = CODE_NONE, .cell = CODE_NONE, .target = CODE_NONE};
	struct code_function *f = d->f;
	uint32_t block = 0;

	for (uint32_t k = 0; k < f->parameters; k++) {
		LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(d->llvm, k));
		struct code_value v = none;

		v.kind = CODE_PARAMETER;
		v.index = k;
		v.is_pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
		if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 128)
			v.width = LLVMGetIntTypeWidth(type);
		if (LLVMGetEnumAttributeAtIndex(d->llvm, k + 1, LLVMGetEnumAttributeKindForName("byval", 5)))
			v.flags |= CODE_BYVAL;
		map_set(&d->ids, (uintptr_t)LLVMGetParam(d->llvm, k), k);
		vec_push(&d->values, v);
	}
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(d->llvm); b; b = LLVMGetNextBasicBlock(b), block++) {
		f->blocks[block].first = (uint32_t)d->values.size;
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			struct code_value v = none;

			if (is_debug_call(i))
				continue;
			v.kind = CODE_INSTRUCTION;
			v.index = f->first_ordinal + (uint32_t)d->values.size - f->parameters;
			v.block = block;
			map_set(&d->ids, (uintptr_t)i, d->values.size);
			vec_push(&d->values, v);
		}
		f->blocks[block].count = (uint32_t)d->values.size - f->blocks[block].first;
	}
	f->instructions = (uint32_t)d->values.size - f->parameters;
}

static void add_instructions(struct code_draft *d)
{
	uint32_t id = d->f->parameters;

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(d->llvm); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			if (is_debug_call(i)) {
				code_debug_record(d, i, id);
				continue;
			}
			code_draft_instruction(d, i, id);
			code_debug_location(d, i, &d->values.data[id]);
			if (d->values.data[id].op == CODE_JUMP || d->values.data[id].op == CODE_BRANCH)
				code_debug_hint(d, i, id);
			id++;
		}
}

/* The users of each value, ascending: instructions are visited in order, and a mark keeps a user from counting twice. */
static void add_uses(struct code_function *f, struct arena *arena)
{
	uint32_t *seen = mem_alloc((f->value_count + 1) * sizeof *seen), end = f->first_instruction + f->instructions, at = 0;

	for (int pass = 0; pass < 2; pass++) {
		memset(seen, 0xff, f->value_count * sizeof *seen);
		for (uint32_t i = f->first_instruction; i < end; i++)
			for (uint32_t k = 0; k < f->values[i].operands; k++) {
				uint32_t used = code_operand(f, i, k);
				struct code_value *v = &f->values[used];

				if (seen[used] == i)
					continue;
				seen[used] = i;
				if (pass)
					f->uses[v->first_use + v->uses] = i;
				v->uses++;
			}
		for (uint32_t v = 0; !pass && v < f->value_count; v++) {
			f->values[v].first_use = at;
			at += f->values[v].uses;
			f->values[v].uses = 0;
		}
		if (!pass)
			f->uses = arena_alloc(arena, (at + 1) * sizeof *f->uses);
	}
	free(seen);
}

#define KEEP(to, vec) ((to) = arena_copy(d->m->arena, (vec).data, (vec).size * sizeof *(vec).data))

static void finish_draft(struct code_draft *d)
{
	struct code_function *f = d->f;

	KEEP(f->values, d->values);
	KEEP(f->operands, d->operands);
	KEEP(f->scales, d->scales);
	KEEP(f->variables, d->variables);
	KEEP(f->bindings, d->bindings);
	KEEP(f->hints, d->hints);
	f->value_count = (uint32_t)d->values.size;
	f->variable_count = (uint32_t)d->variables.size;
	f->binding_count = (uint32_t)d->bindings.size;
	f->hint_count = (uint32_t)d->hints.size;
	add_uses(f, d->m->arena);
	map_release(&d->ids);
	map_release(&d->blocks);
	map_release(&d->variable_ids);
	vec_release(&d->values);
	vec_release(&d->operands);
	vec_release(&d->scales);
	vec_release(&d->incoming);
	vec_release(&d->variables);
	vec_release(&d->bindings);
	vec_release(&d->hints);
}

static void build_function(struct code_maker *m, LLVMValueRef llvm, struct code_function *f)
{
	struct code_draft d = {.m = m, .f = f, .llvm = llvm};

	add_blocks(&d);
	number_values(&d);
	code_debug_function(&d);
	add_instructions(&d);
	code_debug_variables(&d);
	finish_draft(&d);
}

/* ------------------------------------------------------------------ the unit */

static int is_internal(LLVMValueRef v)
{
	LLVMLinkage linkage = LLVMGetLinkage(v);

	return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

/* The bytes of a constant made of integers. 0: it has something else in it. */
static int flatten(struct code_maker *m, LLVMValueRef v, uint8_t *out)
{
	LLVMTypeRef t = LLVMTypeOf(v);
	LLVMTypeKind kind = LLVMGetTypeKind(t);

	if (LLVMIsNull(v))
		return 1;
	if (kind == LLVMIntegerTypeKind && LLVMIsAConstantInt(v)) {
		unsigned width = LLVMGetIntTypeWidth(t);

		for (unsigned i = 0; width <= 64 && i < width / 8; i++)
			out[i] = (uint8_t)(LLVMConstIntGetZExtValue(v) >> (8 * i));
		return width <= 64 && width % 8 == 0;
	}
	if (kind != LLVMArrayTypeKind && kind != LLVMStructTypeKind)
		return 0;
	for (unsigned i = 0, n = kind == LLVMArrayTypeKind ? (unsigned)LLVMGetArrayLength2(t) : LLVMCountStructElementTypes(t); i < n; i++) {
		uint64_t at = kind == LLVMArrayTypeKind ? i * LLVMABISizeOfType(m->layout, LLVMGetElementType(t)) : LLVMOffsetOfElement(m->layout, t, i);
		LLVMValueRef part = LLVMGetAggregateElement(v, i);

		if (!part || !flatten(m, part, out + at))
			return 0;
	}
	return 1;
}

#define INITIAL 4096 /* bytes of a constant whose value is kept */

static const uint8_t *initial_bytes(struct code_maker *m, LLVMValueRef g, uint64_t bytes)
{
	LLVMLinkage linkage = LLVMGetLinkage(g);
	uint8_t *out;

	if (!LLVMIsGlobalConstant(g) || LLVMIsExternallyInitialized(g) || !LLVMGetInitializer(g) || !bytes || bytes > INITIAL ||
	    (linkage != LLVMExternalLinkage && linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage))
		return NULL;
	out = arena_alloc(m->arena, bytes);
	return flatten(m, LLVMGetInitializer(g), out) ? out : NULL;
}

static void list_globals(struct code_maker *m)
{
	uint32_t n = 0;

	for (LLVMValueRef g = LLVMGetFirstGlobal(m->u->module); g; g = LLVMGetNextGlobal(g)) {
		map_set(&m->globals, (uintptr_t)g, n++);
		vec_push(&m->global_list, g);
	}
	m->c->global_count = n;
	m->c->globals = arena_alloc(m->arena, (n + 1) * sizeof *m->c->globals);
	m->c->global_variables = arena_alloc(m->arena, (n + 1) * sizeof *m->c->global_variables);
	n = 0;
	for (LLVMValueRef g = LLVMGetFirstGlobal(m->u->module); g; g = LLVMGetNextGlobal(g), n++) {
		struct code_global *out = &m->c->globals[n];
		const char *section;
		size_t length;

		out->name = arena_strdup(m->arena, LLVMGetValueName2(g, &length));
		out->bytes = LLVMTypeIsSized(LLVMGlobalGetValueType(g)) ? LLVMABISizeOfType(m->layout, LLVMGlobalGetValueType(g)) : 0;
		out->internal = (uint8_t)is_internal(g);
		out->optional = LLVMGetLinkage(g) == LLVMExternalWeakLinkage;
		out->initial = initial_bytes(m, g, out->bytes);
		section = LLVMGetSection(g);
		out->escapes = !out->internal || (section && *section); /* others may find it there */
		out->constant = (uint8_t)LLVMIsGlobalConstant(g);
		out->thread_local = (uint8_t)LLVMIsThreadLocal(g);
		out->type = CODE_NONE;
		code_debug_global(m, g, n);
	}
}

static int has_attribute(LLVMValueRef f, const char *name)
{
	return LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
					   LLVMGetEnumAttributeKindForName(name, strlen(name))) != NULL;
}

static uint32_t count_instructions(LLVMValueRef llvm)
{
	uint32_t n = 0;

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(llvm); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			n += !is_debug_call(i);
	return n;
}

static uint64_t pointer_bits(LLVMValueRef llvm)
{
	uint64_t bits = 0;

	for (uint32_t i = 0; i < 64 && i < LLVMCountParams(llvm); i++)
		bits |= (uint64_t)(LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(llvm, i))) == LLVMPointerTypeKind) << i;
	return bits;
}

static void list_function(struct code_maker *m, LLVMValueRef llvm, struct code_function *f, uint32_t *ordinal)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(llvm), result = LLVMGetReturnType(type);
	size_t length;

	f->name = arena_strdup(m->arena, LLVMGetValueName2(llvm, &length));
	f->file = f->directory = "";
	f->code = m->c;
	f->defined = !LLVMIsDeclaration(llvm);
	f->internal = (uint8_t)is_internal(llvm);
	f->address_taken = !f->internal;
	f->variadic = (uint8_t)LLVMIsFunctionVarArg(type);
	f->optional = LLVMGetLinkage(llvm) == LLVMExternalWeakLinkage;
	f->replaceable = LLVMGetLinkage(llvm) == LLVMWeakAnyLinkage || LLVMGetLinkage(llvm) == LLVMLinkOnceAnyLinkage;
	f->quiet = (uint8_t)unit_is_quiet(llvm);
	f->returns_twice = (uint8_t)has_attribute(llvm, "returns_twice");
	f->noreturn = (uint8_t)has_attribute(llvm, "noreturn");
	f->parameters = f->first_instruction = LLVMCountParams(llvm);
	f->pointers = pointer_bits(llvm);
	f->nothrow = (uint8_t)has_attribute(llvm, "nounwind");
	f->first_ordinal = *ordinal;
	if (LLVMGetTypeKind(result) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(result) <= 128)
		f->result_width = LLVMGetIntTypeWidth(result);
	if (f->defined)
		*ordinal += count_instructions(llvm);
}

static void list_functions(struct code_maker *m)
{
	uint32_t n = 0, ordinal = 0;

	for (LLVMValueRef f = LLVMGetFirstFunction(m->u->module); f; f = LLVMGetNextFunction(f))
		map_set(&m->functions, (uintptr_t)f, n++);
	m->c->function_count = n;
	m->c->functions = arena_alloc(m->arena, (n + 1) * sizeof *m->c->functions);
	n = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(m->u->module); f; f = LLVMGetNextFunction(f), n++) {
		m->c->functions[n].number = n;
		list_function(m, f, &m->c->functions[n], &ordinal);
		if (m->c->functions[n].defined)
			strmap_set(&m->c->inside->names, m->c->functions[n].name, n);
	}
}

/* Initial values hand out addresses. */
static void look_at_initializers(struct code_maker *m)
{
	for (LLVMValueRef g = LLVMGetFirstGlobal(m->u->module); g; g = LLVMGetNextGlobal(g))
		if (LLVMGetInitializer(g))
			mark_escapes(m, LLVMGetInitializer(g));
	for (LLVMValueRef a = LLVMGetFirstGlobalAlias(m->u->module); a; a = LLVMGetNextGlobalAlias(a))
		mark_escapes(m, LLVMAliasGetAliasee(a));
	for (LLVMValueRef r = LLVMGetFirstGlobalIFunc(m->u->module); r; r = LLVMGetNextGlobalIFunc(r))
		mark_escapes(m, LLVMGetGlobalIFuncResolver(r));
}

int code_build(struct code_maker *m)
{
	int format = LLVMIsNewDbgInfoFormat(m->u->module);
	uint32_t n = 0, last = 0;

	LLVMSetIsNewDbgInfoFormat(m->u->module, 0);
	m->layout = LLVMGetModuleDataLayout(m->u->module);
	list_globals(m);
	list_functions(m);
	look_at_initializers(m);
	for (LLVMValueRef f = LLVMGetFirstFunction(m->u->module); f; f = LLVMGetNextFunction(f), n++)
		if (m->c->functions[n].defined) {
			build_function(m, f, &m->c->functions[n]);
			last = m->c->functions[n].first_ordinal + m->c->functions[n].instructions;
		}
	LLVMSetIsNewDbgInfoFormat(m->u->module, format);
	m->c->types = arena_copy(m->arena, m->types.data, m->types.size * sizeof *m->types.data);
	m->c->type_count = (uint32_t)m->types.size;
	m->c->members = arena_copy(m->arena, m->members.data, m->members.size * sizeof *m->members.data);
	m->c->scopes = arena_copy(m->arena, m->scopes.data, m->scopes.size * sizeof *m->scopes.data);
	m->c->scope_count = (uint32_t)m->scopes.size;
	return last == m->u->count ? 0 : error_set("the unit is not in its normal form any more");
}
