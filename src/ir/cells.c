/* cells.c: what pointers were made from, and the pieces of memory that accesses name.
 *
 * The root of a pointer is the alloca, parameter, global or new memory that it points into, if there is only one: a flat lattice over the
 * function's pointers, together with the offset, in passes over the blocks until nothing changes. Null and undefined pointers may be
 * not accessed and count for nothing where pointers meet. An access whose root and offset are known names a cell. The
 * cell's C name comes from the debug type of the root's variable, by walking down to the member at the offset.
 *
 * Invariant: a pointer with root r points into an object that r made (or right after it) in every run without accesses outside of objects; if the
 * offset is exact, into the one that r made last.
 */
#include "ir/code_parts.h"

#include "base/buf.h"
#include "base/hash.h"

#include <string.h>

#define UNSEEN (CODE_NONE - 1)
#define CELLS_MAX 4096 /* of a function; what is beyond has no name */

/* ------------------------------------------------------------------ roots */

/* The linker's names of where a section begins and ends are in, or after, other globals. */
static uint32_t address_root(const struct code_function *f, const uint32_t *first, uint32_t v)
{
	const char *name = f->code->globals[f->values[v].index].name;

	if (!strncmp(name, "__start_", 8) || !strncmp(name, "__stop_", 7))
		return CODE_NONE;
	return first[f->values[v].index];
}

/* What values that are no instructions are made from. first: global -> its value with offset 0. */
static void fixed_roots(struct code_function *f, const uint32_t *first)
{
	for (uint32_t v = 0; v < f->value_count; v++) {
		struct code_root *r = &f->roots[v];
		const struct code_value *value = &f->values[v];

		*r = (struct code_root){.root = CODE_NONE};
		if (!value->is_pointer)
			continue;
		switch ((enum code_kind)value->kind) {
		case CODE_PARAMETER:
			*r = (struct code_root){v, 1, 0};
			break;
		case CODE_ADDRESS:
			*r = (struct code_root){address_root(f, first, v), 1, value->offset};
			if (r->root == CODE_NONE)
				*r = (struct code_root){.root = CODE_NONE};
			break;
		case CODE_NULL:
		case CODE_UNDEF:
		case CODE_INSTRUCTION:
			r->root = UNSEEN;
			break;
		default:
			break;
		}
	}
}

static void meet(struct code_root *to, struct code_root from)
{
	if (from.root == UNSEEN)
		return;
	if (to->root == UNSEEN) {
		*to = from;
		return;
	}
	if (to->root != from.root) {
		*to = (struct code_root){.root = CODE_NONE};
		return;
	}
	if (!from.exact || from.offset != to->offset) {
		to->exact = 0;
		to->offset = 0;
	}
}

/* A place in a loop that makes an object in every round (alloca, malloc). A phi may bring the object of an earlier one: of the same root, but not what the
 * root's cells are about. */
static int makes_many(const struct code_function *f, uint32_t root)
{
	return root < UNSEEN && f->values[root].kind == CODE_INSTRUCTION && f->blocks[f->values[root].block].loop != CODE_NONE;
}

static struct code_root root_of(const struct code_function *f, uint32_t v)
{
	const struct code_value *value = &f->values[v];
	struct code_root r = {.root = CODE_NONE};
	struct code_known known;

	switch ((enum code_op)value->op) {
	case CODE_ALLOCA:
		return (struct code_root){v, 1, 0};
	case CODE_COPY:
		return f->roots[code_operand(f, v, 0)];
	case CODE_GEP:
		r = f->roots[code_operand(f, v, 0)];
		if (value->operands > 1 || (r.exact && __builtin_add_overflow(r.offset, value->offset, &r.offset)))
			r.exact = 0;
		if (!r.exact)
			r.offset = 0;
		return r;
	case CODE_SELECT:
	case CODE_PHI:
		r.root = UNSEEN;
		for (uint32_t k = value->op == CODE_SELECT; k < value->operands; k++)
			meet(&r, f->roots[code_operand(f, v, k)]);
		if (value->op == CODE_PHI && makes_many(f, r.root)) {
			r.exact = 0;
			r.offset = 0;
		}
		return r;
	case CODE_CALL:
		if (value->target != CODE_NONE && code_known(&f->code->functions[value->target], &known) && known.fresh)
			return (struct code_root){v, 1, 0};
		return r;
	default:
		return r;
	}
}

void code_roots(struct code_function *f, struct arena *arena)
{
	uint32_t *first = mem_alloc((f->code->global_count + 1) * sizeof *first), end = f->first_instruction + f->instructions;
	int again = 1;

	memset(first, 0xff, (f->code->global_count + 1) * sizeof *first);
	for (uint32_t v = end; v < f->value_count; v++)
		if (f->values[v].kind == CODE_ADDRESS && !f->values[v].offset && first[f->values[v].index] == CODE_NONE)
			first[f->values[v].index] = v;
	f->roots = arena_alloc(arena, (f->value_count + 1) * sizeof *f->roots);
	fixed_roots(f, first);
	free(first);
	while (again) {
		again = 0;
		for (uint32_t k = 0; k < f->order_count; k++) {
			const struct code_block *b = &f->blocks[f->order[k]];

			for (uint32_t v = b->first; v < b->first + b->count; v++) {
				struct code_root r;

				if (!f->values[v].is_pointer)
					continue;
				r = root_of(f, v);
				if (r.root == f->roots[v].root && r.exact == f->roots[v].exact && r.offset == f->roots[v].offset)
					continue;
				f->roots[v] = r;
				again = 1;
			}
		}
	}
	/* Pointers that only come from null, or stand where nothing gets to. */
	for (uint32_t v = 0; v < f->value_count; v++)
		if (f->roots[v].root == UNSEEN)
			f->roots[v] = (struct code_root){.root = CODE_NONE};
}

/* ------------------------------------------------------------------ names of cells */

/* Walks down from a type to the scalar of so many bytes at the offset, writing the path. Its type, or CODE_NONE. */
static uint32_t path_to(const struct code *c, uint32_t type, uint64_t offset, uint64_t bytes, struct buf *out)
{
	const struct code_type *t;

	if (type == CODE_NONE)
		return CODE_NONE;
	t = &c->types[type];
	if (t->kind == CODE_TYPE_ARRAY && t->base != CODE_NONE && c->types[t->base].bytes) {
		uint64_t each = c->types[t->base].bytes;

		if (t->count && offset / each >= t->count)
			return CODE_NONE;
		buf_addf(out, "[%llu]", (unsigned long long)(offset / each));
		return path_to(c, t->base, offset % each, bytes, out);
	}
	if (t->kind == CODE_TYPE_STRUCT || t->kind == CODE_TYPE_UNION) {
		for (uint32_t k = 0; k < t->members; k++) {
			const struct code_member *m = &c->members[t->first_member + k];
			size_t mark = out->size;
			uint32_t found;

			if (m->bits || m->type == CODE_NONE || offset < m->offset || offset - m->offset >= c->types[m->type].bytes)
				continue;
			if (*m->name)
				buf_addf(out, ".%s", m->name);
			found = path_to(c, m->type, offset - m->offset, bytes, out);
			if (found != CODE_NONE)
				return found;
			out->size = mark;
		}
		return CODE_NONE;
	}
	return offset == 0 && t->bytes == bytes && (t->kind == CODE_TYPE_INT || t->kind == CODE_TYPE_POINTER) ? type : CODE_NONE;
}

/* "p->n", "*p", "p[2].n" for what the pointer variable p points to. */
static uint32_t pointed_name(const struct code *c, const char *name, uint32_t pointer, const struct code_cell *cell, struct buf *out)
{
	const struct code_type *t = pointer == CODE_NONE ? NULL : &c->types[pointer];
	uint32_t base = t && t->kind == CODE_TYPE_POINTER ? t->base : CODE_NONE, found;
	uint64_t each = base == CODE_NONE ? 0 : c->types[base].bytes;
	struct buf path = {0};

	if (!each || cell->offset < 0)
		return CODE_NONE;
	found = path_to(c, base, (uint64_t)cell->offset % each, cell->bytes, &path);
	buf_str(&path);
	if ((uint64_t)cell->offset >= each)
		buf_addf(out, "%s[%llu]%s", name, (unsigned long long)cell->offset / each, path.data);
	else if (path.size && path.data[0] == '.')
		buf_addf(out, "%s->%s", name, path.data + 1);
	else if (path.size)
		buf_addf(out, "(*%s)%s", name, path.data);
	else
		buf_addf(out, "*%s", name);
	buf_release(&path);
	return found;
}

/* The variable whose value a parameter is all the time, or that lives in an alloca. */
static uint32_t variable_of(const struct code_function *f, uint32_t root)
{
	uint32_t found = CODE_NONE;

	for (uint32_t k = 0; k < f->variable_count && found == CODE_NONE; k++)
		if (f->values[root].kind == CODE_PARAMETER ? f->variables[k].parameter == root && f->variables[k].home == CODE_NONE
							   : f->variables[k].home == root)
			found = k;
	for (uint32_t i = 0; found != CODE_NONE && i < f->binding_count; i++)
		if (f->bindings[i].variable == found && f->bindings[i].value != root)
			return CODE_NONE;
	return found;
}

static void name_cell(const struct code_function *f, struct code_cell *cell, struct arena *arena)
{
	const struct code *c = f->code;
	const struct code_value *root = &f->values[cell->root];
	const struct code_variable *v = NULL;
	struct buf text = {0};
	uint32_t type = CODE_NONE;

	if (root->kind == CODE_ADDRESS) {
		v = &c->global_variables[root->index];
	} else {
		cell->variable = variable_of(f, cell->root);
		v = cell->variable == CODE_NONE ? NULL : &f->variables[cell->variable];
	}
	if (v && v->name && *v->name) {
		if (root->kind == CODE_PARAMETER) {
			type = pointed_name(c, v->name, v->type, cell, &text);
		} else if (cell->offset >= 0) {
			buf_adds(&text, v->name);
			type = path_to(c, v->type, (uint64_t)cell->offset, cell->bytes, &text);
		}
	}
	if (type != CODE_NONE) {
		cell->name = arena_strndup(arena, text.data, text.size);
		cell->is_unsigned = c->types[type].is_unsigned;
	}
	buf_release(&text);
}

/* ------------------------------------------------------------------ cells */

/* The value whose width is that of the access. */
static const struct code_value *accessed(const struct code_function *f, uint32_t v)
{
	return f->values[v].op == CODE_LOAD ? &f->values[v] : code_operand_value(f, v, 0);
}

static int has_cell(const struct code_function *f, uint32_t v, struct code_root *r)
{
	const struct code_value *value = &f->values[v];
	uint64_t bytes = value->bytes;

	if ((value->op != CODE_LOAD && value->op != CODE_STORE) || value->flags & CODE_VOLATILE)
		return 0;
	*r = f->roots[code_operand(f, v, value->op == CODE_STORE)];
	if (r->root == CODE_NONE || !r->exact || f->values[r->root].op == CODE_CALL)
		return 0;
	return bytes && bytes <= 16 && !(bytes & (bytes - 1));
}

void code_cells(struct code_function *f, struct arena *arena)
{
	VEC(struct code_cell) cells = {0};
	struct map known = {0};

	for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++) {
		struct code_cell cell = {.variable = CODE_NONE};
		struct code_root r;
		uint64_t key, id;

		if (!has_cell(f, v, &r))
			continue;
		key = hash_mix(((uint64_t)r.root << 8 | f->values[v].bytes) ^ hash_mix((uint64_t)r.offset));
		cell.root = r.root;
		cell.offset = r.offset;
		cell.bytes = (uint32_t)f->values[v].bytes;
		cell.width = accessed(f, v)->width;
		if (!map_get(&known, key, &id)) {
			if (cells.size >= CELLS_MAX)
				continue;
			id = cells.size;
			map_set(&known, key, id);
			name_cell(f, &cell, arena);
			vec_push(&cells, cell);
		}
		if (cells.data[id].root != cell.root || cells.data[id].offset != cell.offset || cells.data[id].bytes != cell.bytes)
			continue; /* another cell with this hash: no name */
		if (cells.data[id].width != cell.width)
			cells.data[id].width = 0;
		f->values[v].cell = (uint32_t)id;
	}
	f->cells = arena_copy(arena, cells.data, cells.size * sizeof *cells.data);
	f->cell_count = (uint32_t)cells.size;
	vec_release(&cells);
	map_release(&known);
}
