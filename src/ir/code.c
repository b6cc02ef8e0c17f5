/* code.c: making and freeing our view of a unit, small questions about it, and its text.
 *
 * The order of the parts: LLVM's module is read into arrays (code_build.c, code_value.c, code_debug.c), then nothing but these is looked at: order,
 * dominators and loops of each function (code_flow.c, loop.c), the call graph (callgraph.c), cells and effects (cells.c, modref.c).
 */
#include "ir/code_parts.h"

#include "base/hash.h"
#include "base/buf.h"
#include "base/error.h"

#include <string.h>

static void release_maker(struct code_maker *m)
{
	map_release(&m->functions);
	map_release(&m->globals);
	map_release(&m->escaped);
	map_release(&m->type_ids);
	map_release(&m->scope_ids);
	vec_release(&m->global_list);
	vec_release(&m->types);
	vec_release(&m->members);
	vec_release(&m->scopes);
}

struct code *code_new(struct unit *u)
{
	struct code *c = mem_zalloc(sizeof *c);
	struct code_maker m = {.u = u, .c = c};
	size_t length;
	int result;

	c->inside = mem_zalloc(sizeof *c->inside);
	m.arena = &c->inside->arena;
	c->unit = u->id;
	c->source = arena_strdup(m.arena, LLVMGetSourceFileName(u->module, &length));
	result = code_build(&m);
	release_maker(&m);
	if (result) {
		code_free(c);
		return NULL;
	}
	for (uint32_t i = 0; i < c->function_count; i++)
		if (c->functions[i].defined)
			code_flow(&c->functions[i], m.arena);
	code_call_graph(c, m.arena);
	code_effects(c, m.arena);
	return c;
}

struct code *code_load(const void *bitcode, size_t size, uint32_t unit)
{
	struct unit *u = unit_read(bitcode, size, unit);
	struct code *c = u ? code_new(u) : NULL;

	unit_read_end();
	return c;
}

void code_free(struct code *c)
{
	if (!c)
		return;
	strmap_release(&c->inside->names);
	arena_release(&c->inside->arena);
	free(c->inside);
	free(c);
}

const struct code_function *code_find(const struct code *c, const char *name)
{
	uint64_t number;

	return strmap_get(&c->inside->names, name, &number) ? &c->functions[number] : NULL;
}

const struct code_function *code_find_ordinal(const struct code *c, uint32_t ordinal, uint32_t *value)
{
	uint32_t low = 0, high = c->function_count;

	/* The last function that starts at or before it; declarations take no ordinals and start where the next function does. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (c->functions[middle].first_ordinal <= ordinal)
			low = middle + 1;
		else
			high = middle;
	}
	while (low > 0) {
		const struct code_function *f = &c->functions[--low];

		if (!f->defined)
			continue;
		if (ordinal >= f->first_ordinal + f->instructions)
			return NULL;
		*value = f->first_instruction + ordinal - f->first_ordinal;
		return f;
	}
	return NULL;
}

unsigned __int128 code_unsigned(const struct code_value *v)
{
	return (unsigned __int128)v->bits[1] << 64 | v->bits[0];
}

__int128 code_signed(const struct code_value *v)
{
	unsigned shift = 128 - v->width;

	return v->width ? (__int128)(code_unsigned(v) << shift) >> shift : 0;
}

int code_available(const struct code_function *f, uint32_t value, uint32_t block)
{
	const struct code_value *v = &f->values[value];

	if (v->kind != CODE_INSTRUCTION)
		return 1;
	if (v->block == block)
		return v->op == CODE_PHI;
	return code_dominates(f, v->block, block);
}

/* ------------------------------------------------------------------ text */

const char *code_op_text(enum code_op op)
{
	static const char *const texts[] = {
#define X(name, text) text,
	    CODE_OPS(X)
#undef X
	};

	return (unsigned)op < CODE_OP_COUNT ? texts[op] : "?";
}

static void print_number(unsigned __int128 bits, struct buf *out)
{
	if (bits >> 64)
		buf_addf(out, "0x%llx%016llx", (unsigned long long)(bits >> 64), (unsigned long long)bits);
	else
		buf_addf(out, "%llu", (unsigned long long)bits);
}

static void print_value(const struct code_function *f, uint32_t id, struct buf *out)
{
	const struct code_value *v = &f->values[id];

	switch ((enum code_kind)v->kind) {
	case CODE_CONSTANT:
		print_number(code_unsigned(v), out);
		break;
	case CODE_NULL:
		buf_adds(out, "null");
		break;
	case CODE_ADDRESS:
		buf_addf(out, "&%s+%lld", f->code->globals[v->index].name, (long long)v->offset);
		break;
	case CODE_FUNCTION:
		buf_adds(out, f->code->functions[v->index].name);
		break;
	case CODE_UNDEF:
		buf_adds(out, "undef");
		break;
	case CODE_OPAQUE:
		buf_addf(out, "opaque%u", id);
		break;
	case CODE_PARAMETER:
	case CODE_INSTRUCTION:
		buf_addf(out, "%%%u", id);
		break;
	}
}

static void print_instruction(const struct code_function *f, uint32_t id, struct buf *out)
{
	const struct code_value *v = &f->values[id];

	buf_addf(out, "\t%%%u = %s", id, code_op_text(v->op));
	if (v->width)
		buf_addf(out, " i%u", v->width);
	if (v->flags & (CODE_NSW | CODE_NUW))
		buf_addf(out, "%s%s", v->flags & CODE_NSW ? " nsw" : "", v->flags & CODE_NUW ? " nuw" : "");
	for (uint32_t k = 0; k < v->operands; k++) {
		buf_adds(out, k ? ", " : " ");
		print_value(f, code_operand(f, id, k), out);
		if (v->op == CODE_GEP && k)
			buf_addf(out, "*%lld", (long long)code_scale(f, id, k));
	}
	if (v->op == CODE_GEP && v->offset)
		buf_addf(out, ", +%lld", (long long)v->offset);
	if (v->cell != CODE_NONE)
		buf_addf(out, " cell %u", v->cell);
	if (v->line)
		buf_addf(out, " ; %u:%u", v->line, v->column);
	buf_addc(out, '\n');
}

static void print_block(const struct code_function *f, uint32_t id, struct buf *out)
{
	const struct code_block *b = &f->blocks[id];
	uint32_t at = 0;

	buf_addf(out, "block %u: loop %d, dominator %d\n", id, (int)b->loop, (int)b->dominator);
	while (at < f->binding_count && f->bindings[at].before < b->first)
		at++;
	for (uint32_t v = b->first; v < b->first + b->count; v++) {
		for (; at < f->binding_count && f->bindings[at].before <= v; at++) {
			buf_addf(out, "\t\t%s is ", f->variables[f->bindings[at].variable].name);
			if (f->bindings[at].value == CODE_NONE)
				buf_adds(out, "unknown");
			else
				print_value(f, f->bindings[at].value, out);
			buf_addc(out, '\n');
		}
		print_instruction(f, v, out);
	}
	for (uint32_t e = b->first_edge; e < b->first_edge + b->edges; e++)
		buf_addf(out, "\t-> %u%s%s%s\n", f->edges[e].to, f->edges[e].flags & CODE_EDGE_BACK ? " back" : "",
			 f->edges[e].flags & CODE_EDGE_REPORT ? " report" : "", f->edges[e].flags & CODE_EDGE_PASS ? " pass" : "");
}

void code_print(const struct code_function *f, struct buf *out)
{
	buf_addf(out, "function %s\n", f->name);
	for (uint32_t k = 0; k < f->loop_count; k++) {
		const struct code_loop *l = &f->loops[k];

		buf_addf(out, "loop %u: header %u, parent %d, line %u, %u blocks, %u entries, %u latches, %u exits%s\n", k, l->header,
			 (int)l->parent, l->line, l->blocks, l->entries, l->latches, l->exits, l->irreducible ? ", irreducible" : "");
	}
	for (uint32_t k = 0; k < f->cell_count; k++) {
		buf_addf(out, "cell %u: ", k);
		print_value(f, f->cells[k].root, out);
		buf_addf(out, " + %lld, %u bytes, %s\n", (long long)f->cells[k].offset, f->cells[k].bytes,
			 f->cells[k].name ? f->cells[k].name : "-");
	}
	for (uint32_t b = 0; b < f->block_count; b++)
		print_block(f, b, out);
}

/* ------------------------------------------------------------ literals */

static int is_literal(const struct code_global *g)
{
	return g->internal && g->constant && g->initial && g->bytes && g->name[0] == '.';
}

int code_literal_name(const struct code *code, uint32_t global, struct buf *out)
{
	const struct code_global *g = &code->globals[global];
	unsigned number = 0;
	char hex[HASH_HEX_SIZE];
	if (!is_literal(g))
		return 0;
	for (uint32_t i = 0; i < global; i++)
		number += is_literal(&code->globals[i]) && code->globals[i].bytes == g->bytes && !memcmp(code->globals[i].initial, g->initial, g->bytes);
	buf_addf(out, "literal@%s#%u", hash_hex(hash128(g->initial, g->bytes), hex), number);
	return 1;
}

int code_function_reads_unset(const struct code_function *f)
{
	for (uint32_t i = 0; i < f->instructions; i++)
		if (code_is_unset(f, f->first_instruction + i))
			return 1;
	return 0;
}
