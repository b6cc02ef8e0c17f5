/* code_debug.c: what debug info says about types, scopes, variables and places.
 *
 * The C interface of LLVM 19 reads metadata nodes by operand number: a composite or derived type has its name at 2, its base at 3,
 * its elements at 4; a lexical block its parent at 1; a local variable its scope at 0, name at 1 and type at 3. What is no operand (the
 * encoding of a base type) follows from the name, which clang spells in one way; only `char` needs a look at the printed node. A record whose
 * expression is not empty, or whose value is a list, says that the variable's value is unknown from there on: never is an old value left to stand.
 */
#include "ir/code_parts.h"

#include "base/buf.h"

#include <llvm-c/DebugInfo.h>

#include <string.h>

enum {
	TAG_ARRAY = 0x01,
	TAG_ENUM = 0x04,
	TAG_MEMBER = 0x0d,
	TAG_POINTER = 0x0f,
	TAG_STRUCT = 0x13,
	TAG_TYPEDEF = 0x16,
	TAG_UNION = 0x17,
	TAG_BASE = 0x24,
	TAG_CONST = 0x26,
	TAG_VOLATILE = 0x35,
	TAG_RESTRICT = 0x37,
	TAG_ATOMIC = 0x47,
};
#define FLAG_BIT_FIELD (1 << 19)

static LLVMValueRef as_value(struct code_maker *m, LLVMMetadataRef node)
{
	return LLVMMetadataAsValue(m->u->context, node);
}

static int is_node(LLVMMetadataRef md)
{
	switch (LLVMGetMetadataKind(md)) {
	case LLVMMDStringMetadataKind:
	case LLVMConstantAsMetadataMetadataKind:
	case LLVMLocalAsMetadataMetadataKind:
	case LLVMDistinctMDOperandPlaceholderMetadataKind:
	case LLVMDIArgListMetadataKind:
		return 0;
	default:
		return 1;
	}
}

static unsigned operand_count(struct code_maker *m, LLVMMetadataRef node)
{
	return node && is_node(node) ? LLVMGetMDNodeNumOperands(as_value(m, node)) : 0;
}

/* All operands of a node, NULL where it has none; the caller frees. */
static LLVMValueRef *operands_of(struct code_maker *m, LLVMMetadataRef node, unsigned *count)
{
	LLVMValueRef *list;

	*count = operand_count(m, node);
	list = mem_zalloc((*count + 1) * sizeof *list);
	if (*count)
		LLVMGetMDNodeOperands(as_value(m, node), list);
	return list;
}

static LLVMMetadataRef operand(struct code_maker *m, LLVMMetadataRef node, unsigned k)
{
	unsigned n;
	LLVMValueRef *list = operands_of(m, node, &n), v = k < n ? list[k] : NULL;

	free(list);
	return v ? LLVMValueAsMetadata(v) : NULL;
}

static const char *string_operand(struct code_maker *m, LLVMMetadataRef node, unsigned k)
{
	LLVMMetadataRef text = operand(m, node, k);
	unsigned length;
	const char *s;

	if (!text || LLVMGetMetadataKind(text) != LLVMMDStringMetadataKind)
		return "";
	s = LLVMGetMDString(as_value(m, text), &length);
	return s ? arena_strndup(m->arena, s, length) : "";
}

/* ------------------------------------------------------------------ types */

static int starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* Plain char is signed or not as the target and its flags have it. */
static int char_is_unsigned(struct code_maker *m, LLVMMetadataRef type)
{
	char *text = LLVMPrintValueToString(as_value(m, type));
	int yes = strstr(text, "DW_ATE_unsigned_char") != NULL;

	LLVMDisposeMessage(text);
	return yes;
}

static void base_type(struct code_maker *m, LLVMMetadataRef type, struct code_type *t)
{
	t->kind = CODE_TYPE_INT;
	t->is_bool = !strcmp(t->name, "_Bool") || !strcmp(t->name, "bool");
	t->is_unsigned = t->is_bool || starts_with(t->name, "unsigned") || (!strcmp(t->name, "char") && char_is_unsigned(m, type));
	if (strstr(t->name, "float") || strstr(t->name, "double") || strstr(t->name, "Float") || strstr(t->name, "__bf16"))
		t->kind = CODE_TYPE_FLOAT;
	if (strstr(t->name, "complex") || strstr(t->name, "_Complex"))
		t->kind = CODE_TYPE_OTHER;
}

/* An array of arrays is one node with a range for each dimension, the outermost first. */
static void array_type(struct code_maker *m, LLVMMetadataRef type, uint32_t id)
{
	unsigned n;
	LLVMMetadataRef list = operand(m, type, 4);
	LLVMValueRef *ranges = operands_of(m, list, &n);
	uint32_t base = code_debug_type(m, operand(m, type, 3));

	for (unsigned k = n; k-- > 0;) {
		LLVMMetadataRef count = ranges[k] ? operand(m, LLVMValueAsMetadata(ranges[k]), 0) : NULL;
		struct code_type t = {.kind = CODE_TYPE_ARRAY, .name = "", .base = base};
		LLVMValueRef number = NULL;

		if (count && LLVMGetMetadataKind(count) == LLVMConstantAsMetadataMetadataKind)
			LLVMGetMDNodeOperands(as_value(m, count), &number);
		if (number && LLVMIsAConstantInt(number) && LLVMConstIntGetSExtValue(number) > 0)
			t.count = (uint64_t)LLVMConstIntGetSExtValue(number);
		if (base != CODE_NONE)
			t.bytes = t.count * m->types.data[base].bytes;
		if (k) {
			base = (uint32_t)m->types.size;
			vec_push(&m->types, t);
		} else {
			m->types.data[id] = t;
		}
	}
	free(ranges);
}

/* Members of a struct stand together; types that are met on the way may have members of their own, so they are looked at first. */
static void members_of(struct code_maker *m, LLVMMetadataRef type, uint32_t id)
{
	unsigned n;
	LLVMValueRef *list = operands_of(m, operand(m, type, 4), &n);
	VEC(struct code_member) own = {0};

	for (unsigned k = 0; k < n; k++) {
		LLVMMetadataRef node = list[k] ? LLVMValueAsMetadata(list[k]) : NULL;
		struct code_member member = {0};

		if (!node || !is_node(node) || LLVMGetDINodeTag(node) != TAG_MEMBER)
			continue;
		member.name = string_operand(m, node, 2);
		member.offset = LLVMDITypeGetOffsetInBits(node) / 8;
		if (LLVMDITypeGetFlags(node) & FLAG_BIT_FIELD) {
			member.bits = (uint32_t)LLVMDITypeGetSizeInBits(node);
			member.bit = (uint8_t)(LLVMDITypeGetOffsetInBits(node) % 8);
		}
		member.type = code_debug_type(m, operand(m, node, 3));
		vec_push(&own, member);
	}
	m->types.data[id].first_member = (uint32_t)m->members.size;
	m->types.data[id].members = (uint32_t)own.size;
	for (size_t k = 0; k < own.size; k++)
		vec_push(&m->members, own.data[k]);
	vec_release(&own);
	free(list);
}

static void composite_type(struct code_maker *m, LLVMMetadataRef type, uint32_t id, uint16_t tag)
{
	struct code_type *t = &m->types.data[id];
	const char *word = tag == TAG_UNION ? "union " : tag == TAG_ENUM ? "enum " : "struct ";
	char *name;

	if (*t->name) {
		name = mem_printf("%s%s", word, t->name);
		t->name = arena_strdup(m->arena, name);
		free(name);
	}
	if (tag == TAG_ENUM) {
		uint32_t base = code_debug_type(m, operand(m, type, 3));

		m->types.data[id].kind = CODE_TYPE_INT;
		m->types.data[id].is_unsigned = base == CODE_NONE || m->types.data[base].is_unsigned;
		return;
	}
	t->kind = tag == TAG_UNION ? CODE_TYPE_UNION : CODE_TYPE_STRUCT;
	members_of(m, type, id);
}

/* Through typedefs and qualifiers; a structure without a name takes that of a typedef. */
static uint32_t alias_type(struct code_maker *m, LLVMMetadataRef type, uint16_t tag)
{
	uint32_t id = code_debug_type(m, operand(m, type, 3));

	if (tag == TAG_TYPEDEF && id != CODE_NONE && !*m->types.data[id].name &&
	    (m->types.data[id].kind == CODE_TYPE_STRUCT || m->types.data[id].kind == CODE_TYPE_UNION))
		m->types.data[id].name = string_operand(m, type, 2);
	return id;
}

uint32_t code_debug_type(struct code_maker *m, LLVMMetadataRef type)
{
	struct code_type t = {.base = CODE_NONE};
	uint64_t known;
	uint16_t tag;
	uint32_t id;

	if (!type || !is_node(type))
		return CODE_NONE; /* void */
	if (map_get(&m->type_ids, (uintptr_t)type, &known))
		return (uint32_t)known;
	tag = LLVMGetDINodeTag(type);
	if (tag == TAG_TYPEDEF || tag == TAG_CONST || tag == TAG_VOLATILE || tag == TAG_RESTRICT || tag == TAG_ATOMIC) {
		id = alias_type(m, type, tag);
		map_set(&m->type_ids, (uintptr_t)type, id);
		return id;
	}
	t.name = string_operand(m, type, 2);
	t.bytes = LLVMDITypeGetSizeInBits(type) / 8;
	id = (uint32_t)m->types.size;
	vec_push(&m->types, t);
	map_set(&m->type_ids, (uintptr_t)type, id); /* before what it is made of: structures point to themselves */
	if (tag == TAG_BASE)
		base_type(m, type, &m->types.data[id]);
	else if (tag == TAG_POINTER) {
		uint32_t base = code_debug_type(m, operand(m, type, 3));

		m->types.data[id].kind = CODE_TYPE_POINTER;
		m->types.data[id].base = base;
	} else if (tag == TAG_ARRAY)
		array_type(m, type, id);
	else if (tag == TAG_STRUCT || tag == TAG_UNION || tag == TAG_ENUM)
		composite_type(m, type, id, tag);
	return id;
}

/* ------------------------------------------------------------------ places */

static int is_subprogram(LLVMMetadataRef scope)
{
	return LLVMGetMetadataKind(scope) == LLVMDISubprogramMetadataKind;
}

uint32_t code_debug_scope(struct code_maker *m, LLVMMetadataRef scope)
{
	struct code_scope s = {.parent = CODE_NONE};
	uint64_t known;
	uint32_t id;

	if (!scope || !is_node(scope))
		return CODE_NONE;
	if (map_get(&m->scope_ids, (uintptr_t)scope, &known))
		return (uint32_t)known;
	if (LLVMGetMetadataKind(scope) == LLVMDILexicalBlockMetadataKind || LLVMGetMetadataKind(scope) == LLVMDILexicalBlockFileMetadataKind)
		s.parent = code_debug_scope(m, operand(m, scope, 1));
	else if (!is_subprogram(scope))
		return CODE_NONE;
	id = (uint32_t)m->scopes.size;
	vec_push(&m->scopes, s);
	map_set(&m->scope_ids, (uintptr_t)scope, id);
	return id;
}

void code_debug_location(struct code_draft *d, LLVMValueRef inst, struct code_value *v)
{
	LLVMMetadataRef location = LLVMInstructionGetDebugLoc(inst), scope;

	if (!location)
		return;
	scope = LLVMDILocationGetScope(location);
	v->scope = code_debug_scope(d->m, scope);
	if (LLVMDIScopeGetFile(scope) != d->file)
		return;
	v->line = LLVMDILocationGetLine(location);
	v->column = LLVMDILocationGetColumn(location);
}

/* The first of the function type's types is that of the result. */
static void result_sign(struct code_draft *d, LLVMMetadataRef subprogram)
{
	LLVMMetadataRef type = operand(d->m, subprogram, 4), types = type && is_node(type) ? operand(d->m, type, 3) : NULL, result = types && is_node(types) ? operand(d->m, types, 0) : NULL;
	uint32_t id = result && is_node(result) ? code_debug_type(d->m, result) : CODE_NONE;

	const struct code_type *t = id == CODE_NONE ? NULL : &d->m->types.data[id];
	d->f->result_unsigned = t && t->kind == CODE_TYPE_INT && t->is_unsigned;
	d->f->result_type = t && ((t->kind == CODE_TYPE_INT && !t->is_bool) || t->kind == CODE_TYPE_POINTER) ? (uint8_t)t->kind : CODE_TYPE_OTHER;
}

void code_debug_function(struct code_draft *d)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(d->llvm);
	unsigned length;
	const char *text;

	if (!subprogram)
		return;
	d->f->line = LLVMDISubprogramGetLine(subprogram);
	result_sign(d, subprogram);
	d->file = LLVMDIScopeGetFile(subprogram);
	if (!d->file)
		return;
	text = LLVMDIFileGetFilename(d->file, &length);
	d->f->file = arena_strndup(d->m->arena, text ? text : "", text ? length : 0);
	text = LLVMDIFileGetDirectory(d->file, &length);
	d->f->directory = arena_strndup(d->m->arena, text ? text : "", text ? length : 0);
}

/* !llvm.loop of the branch that closes a loop: itself, then the places where the statement starts and ends. */
void code_debug_hint(struct code_draft *d, LLVMValueRef branch, uint32_t id)
{
	unsigned kind = LLVMGetMDKindIDInContext(d->m->u->context, "llvm.loop", 9), n, found = 0;
	LLVMValueRef node = LLVMHasMetadata(branch) ? LLVMGetMetadata(branch, kind) : NULL, *list;
	struct code_hint hint = {.branch = id};

	if (!node)
		return;
	list = operands_of(d->m, LLVMValueAsMetadata(node), &n);
	for (unsigned k = 1; k < n && found < 2; k++) {
		LLVMMetadataRef place = list[k] ? LLVMValueAsMetadata(list[k]) : NULL;

		if (!place || LLVMGetMetadataKind(place) != LLVMDILocationMetadataKind ||
		    LLVMDIScopeGetFile(LLVMDILocationGetScope(place)) != d->file)
			continue;
		if (!found++) {
			hint.line = LLVMDILocationGetLine(place);
			hint.column = LLVMDILocationGetColumn(place);
		} else {
			hint.end_line = LLVMDILocationGetLine(place);
		}
	}
	free(list);
	if (found)
		vec_push(&d->hints, hint);
}

/* ------------------------------------------------------------------ variables */

static uint32_t variable_of(struct code_draft *d, LLVMMetadataRef node)
{
	struct code_variable v = {.parameter = CODE_NONE, .home = CODE_NONE};
	uint64_t known;

	if (map_get(&d->variable_ids, (uintptr_t)node, &known))
		return (uint32_t)known;
	v.scope = code_debug_scope(d->m, operand(d->m, node, 0));
	v.name = string_operand(d->m, node, 1);
	v.type = code_debug_type(d->m, operand(d->m, node, 3));
	v.line = LLVMDIVariableGetLine(node);
	known = d->variables.size;
	vec_push(&d->variables, v);
	map_set(&d->variable_ids, (uintptr_t)node, known);
	return (uint32_t)known;
}

/* The value that a record names, or NULL. */
static LLVMValueRef record_value(LLVMValueRef wrapped)
{
	LLVMMetadataRef md = LLVMValueAsMetadata(wrapped);
	LLVMMetadataKind kind = LLVMGetMetadataKind(md);
	LLVMValueRef v = NULL;

	if (kind == LLVMConstantAsMetadataMetadataKind || kind == LLVMLocalAsMetadataMetadataKind)
		LLVMGetMDNodeOperands(wrapped, &v);
	return v && !LLVMIsUndef(v) ? v : NULL;
}

static LLVMMetadataRef empty_expression(struct code_maker *m)
{
	if (!m->plain) {
		LLVMDIBuilderRef b = LLVMCreateDIBuilderDisallowUnresolved(m->u->module);

		m->plain = LLVMDIBuilderCreateExpression(b, NULL, 0);
		LLVMDisposeDIBuilder(b);
	}
	return m->plain;
}

void code_debug_record(struct code_draft *d, LLVMValueRef call, uint32_t before)
{
	size_t length;
	const char *name = LLVMGetValueName2(LLVMGetCalledValue(call), &length);
	LLVMValueRef value;
	uint32_t variable;
	int plain;

	if (strcmp(name, "llvm.dbg.value") && strcmp(name, "llvm.dbg.declare"))
		return;
	value = record_value(LLVMGetOperand(call, 0));
	variable = variable_of(d, LLVMValueAsMetadata(LLVMGetOperand(call, 1)));
	plain = LLVMValueAsMetadata(LLVMGetOperand(call, 2)) == empty_expression(d->m);
	if (!strcmp(name, "llvm.dbg.value")) {
		struct code_binding b = {before, variable, value && plain ? code_draft_value(d, value) : CODE_NONE};

		vec_push(&d->bindings, b);
	} else if (value && plain && LLVMIsAAllocaInst(value)) {
		d->variables.data[variable].home = code_draft_value(d, value);
	}
}

/* A parameter's variable is the first that gets its value in the entry block, or that lives where it is stored at once: clang tells the
 * parameters before anything else. */
void code_debug_variables(struct code_draft *d)
{
	struct code_function *f = d->f;
	uint32_t end = f->blocks[0].first + f->blocks[0].count;
	uint8_t *known = mem_zalloc(f->parameters + 1);

	for (size_t i = 0; i < d->bindings.size; i++) {
		struct code_binding b = d->bindings.data[i];

		if (b.before >= end || b.value >= f->parameters || known[b.value] || d->variables.data[b.variable].parameter != CODE_NONE)
			continue;
		known[b.value] = 1;
		d->variables.data[b.variable].parameter = b.value;
	}
	for (uint32_t i = f->blocks[0].first; i < end; i++) {
		const struct code_value *v = &d->values.data[i];
		uint32_t value, home;

		if (v->op != CODE_STORE)
			continue;
		value = d->operands.data[v->first];
		home = d->operands.data[v->first + 1];
		for (size_t k = 0; value < f->parameters && !known[value] && k < d->variables.size; k++)
			if (d->variables.data[k].home == home && d->variables.data[k].parameter == CODE_NONE) {
				d->variables.data[k].parameter = value;
				known[value] = 1;
			}
	}
	for (size_t k = 0; k < d->variables.size; k++) {
		const struct code_variable *v = &d->variables.data[k];

		if (v->parameter != CODE_NONE && v->type != CODE_NONE && d->m->types.data[v->type].is_unsigned)
			d->values.data[v->parameter].flags |= CODE_UNSIGNED;
	}
	free(known);
}

void code_debug_global(struct code_maker *m, LLVMValueRef global, uint32_t number)
{
	size_t n = 0;
	LLVMValueMetadataEntry *list = LLVMGlobalCopyAllMetadata(global, &n);
	struct code_variable *v = &m->c->global_variables[number];

	*v = (struct code_variable){.type = CODE_NONE, .scope = CODE_NONE, .parameter = CODE_NONE, .home = CODE_NONE};
	for (unsigned k = 0; k < n && !v->name; k++) {
		LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(list, k), variable;

		if (LLVMGetMetadataKind(node) != LLVMDIGlobalVariableExpressionMetadataKind)
			continue;
		variable = LLVMDIGlobalVariableExpressionGetVariable(node);
		v->name = string_operand(m, variable, 1);
		v->type = code_debug_type(m, operand(m, variable, 3));
		v->line = LLVMDIVariableGetLine(variable);
		v->scope = code_debug_scope(m, LLVMDIVariableGetScope(variable)); /* static in a function */
		m->c->globals[number].type = v->type;
	}
	LLVMDisposeValueMetadataEntries(list);
}
