/* modref.c: what instructions, loops and functions may write and read.
 *
 * Objects are told apart by the roots of pointers (cells.c). Whose address gets out of sight (stored, returned, given to unknown code, met with
 * a pointer of another root) *escapes*: pointers of unknown origin may point to it. The effect of a function is a set of globals it writes and reads, what it does with
 * what its parameters point to (reads, writes, keeps), and whether it goes through pointers of unknown origin. Effects are made callees first; a cycle
 * of calls is gone through until nothing grows. A function that nothing is known about may write everything that escapes, and call every
 * function whose address is known outside: `outside` is what all these may do together, and belongs to every function that makes such a call.
 *
 * It is the same for one unit and for units that were joined to a program: which function a call runs, and which global a number means, is asked
 * of code_inside (definitions, ids).
 *
 * Invariant: sets only grow; what is not listed is not touched in any run without accesses outside of objects.
 */
#include "ir/code_parts.h"

#include <string.h>

struct code_effect {
	uint64_t *written, *read; /* globals, as bits */
	uint8_t *parameter;	  /* CODE_READS, CODE_WRITES, CODE_KEEPS */
	uint8_t *escapes;	  /* by value: allocas of the function */
	uint8_t writes_any, reads_any; /* through pointers of unknown origin */
	uint8_t writes_escaping, reads_escaping; /* a global that pointers may point to */
	uint8_t calls_out;
	uint8_t grew;
};

static int has_bit(const uint64_t *set, uint32_t k)
{
	return set[k / 64] >> (k % 64) & 1;
}

static void set_bit(struct code_effect *e, uint64_t *set, uint32_t k)
{
	if (has_bit(set, k))
		return;
	set[k / 64] |= (uint64_t)1 << (k % 64);
	e->grew = 1;
}

static void set_flags(struct code_effect *e, uint8_t *flags, uint8_t more)
{
	if ((*flags | more) == *flags)
		return;
	*flags |= more;
	e->grew = 1;
}

static size_t set_words(const struct code *c)
{
	return c->inside->id_count / 64 + 1;
}

/* Is a global of the unit in the set? */
static int has_global(const struct code *c, const uint64_t *set, uint32_t global)
{
	return has_bit(set, c->inside->ids[global]);
}

/* What a call of the function runs, or NULL. */
static const struct code_function *definition_of(const struct code_function *f)
{
	return f->code->inside->definitions[f->number];
}

static void join_sets(struct code_effect *e, uint64_t *to, const uint64_t *from, size_t words)
{
	for (size_t k = 0; k < words; k++) {
		if (from[k] & ~to[k])
			e->grew = 1;
		to[k] |= from[k];
	}
}

/* What the callee does with argument k (from 0). */
static uint8_t argument_flags(const struct code_function *f, const struct code_value *call, uint32_t k)
{
	const struct code_function *callee, *runs;
	struct code_known known;

	if (call->target == CODE_NONE)
		return CODE_READS | CODE_WRITES | CODE_KEEPS;
	callee = &f->code->functions[call->target];
	runs = definition_of(callee);
	if (runs && k < runs->parameters)
		return runs->effect->parameter[k];
	if (code_known(callee, &known))
		return known.parameter[k < KNOWN_PARAMETERS ? k : KNOWN_PARAMETERS - 1];
	if (callee->quiet) /* it may return it, or something that it points to */
		return CODE_READS | CODE_KEEPS;
	return CODE_READS | CODE_WRITES | CODE_KEEPS;
}

/* Is nothing known about what the call does beside its arguments? */
static int is_unknown_call(const struct code_function *f, const struct code_value *call)
{
	const struct code_function *callee;
	struct code_known known;

	if (call->target == CODE_NONE)
		return 1;
	callee = &f->code->functions[call->target];
	if (definition_of(callee))
		return 0;
	return callee->defined || (!callee->quiet && !code_known(callee, &known));
}

/* ------------------------------------------------------------------ escapes */

/* Does the address get out of sight where instruction u uses pointer v (its operand k)? */
static int escapes_at(const struct code_function *f, uint32_t v, uint32_t u, uint32_t k)
{
	const struct code_value *user = &f->values[u];

	switch ((enum code_op)user->op) {
	case CODE_LOAD:
	case CODE_GEP:
	case CODE_COPY:
	case CODE_ALLOCA:
	case CODE_NOP:
	case CODE_FILL:
	case CODE_MOVE:
		return 0;
	case CODE_STORE:
		return k == 0;
	case CODE_ATOMIC:
		return k != 0;
	case CODE_PHI:
	case CODE_SELECT:
		return f->roots[u].root != f->roots[v].root;
	case CODE_PTRTOINT:
	case CODE_ANY: /* what a check computes leads to its branch alone */
		return !(user->flags & CODE_MARKED);
	case CODE_CALL:
	case CODE_INVOKE:
		if (!k)
			return 0;
		/* A callee here may reach a global by its name, too, and must know that a parameter may point to it. */
		if (f->values[f->roots[v].root].kind == CODE_ADDRESS && (user->target == CODE_NONE || f->code->functions[user->target].defined || definition_of(&f->code->functions[user->target])))
			return 1;
		return argument_flags(f, user, k - 1) & CODE_KEEPS;
	case CODE_EQ:
	case CODE_NE:
	case CODE_ULT:
	case CODE_ULE:
	case CODE_UGT:
	case CODE_UGE:
	case CODE_SLT:
	case CODE_SLE:
	case CODE_SGT:
	case CODE_SGE:
		return 0;
	default:
		return 1;
	}
}

static void set_escaped(struct code_function *f, uint32_t root)
{
	const struct code_value *v = &f->values[root];
	struct code_effect *e = f->effect;

	if (v->kind == CODE_PARAMETER) {
		set_flags(e, &e->parameter[v->index], CODE_KEEPS);
	} else if (v->kind == CODE_ADDRESS) {
		set_flags(e, &f->code->globals[v->index].escapes, 1);
	} else {
		set_flags(e, &e->escapes[root], 1);
	}
}

static void look_for_escapes(struct code_function *f)
{
	for (uint32_t v = 0; v < f->value_count; v++) {
		uint32_t root = f->roots[v].root;

		if (root == CODE_NONE)
			continue;
		for (uint32_t i = 0; i < f->values[v].uses; i++) {
			uint32_t u = f->uses[f->values[v].first_use + i];

			for (uint32_t k = 0; k < f->values[u].operands; k++)
				if (code_operand(f, u, k) == v && escapes_at(f, v, u, k))
					set_escaped(f, root);
		}
	}
}

/* ------------------------------------------------------------------ effects of functions */

/* Accesses through a pointer, as a caller of f sees it. */
static void touch(struct code_function *f, uint32_t pointer, uint8_t flags)
{
	struct code_effect *e = f->effect;
	uint32_t root = f->roots[pointer].root;

	if (root == CODE_NONE) {
		if (flags & CODE_WRITES)
			set_flags(e, &e->writes_any, 1);
		if (flags & CODE_READS)
			set_flags(e, &e->reads_any, 1);
	} else if (f->values[root].kind == CODE_PARAMETER) {
		set_flags(e, &e->parameter[f->values[root].index], flags & (CODE_READS | CODE_WRITES));
	} else if (f->values[root].kind == CODE_ADDRESS) {
		if (flags & CODE_WRITES)
			set_bit(e, e->written, f->code->inside->ids[f->values[root].index]);
		if (flags & CODE_READS)
			set_bit(e, e->read, f->code->inside->ids[f->values[root].index]);
	} /* its own memory is not shared */
}

static void add_call(struct code_function *f, uint32_t v)
{
	const struct code_value *call = &f->values[v];
	struct code_effect *e = f->effect;

	if (is_unknown_call(f, call)) {
		set_flags(e, &e->writes_any, 1);
		set_flags(e, &e->reads_any, 1);
		set_flags(e, &e->calls_out, 1);
	} else if (definition_of(&f->code->functions[call->target])) {
		const struct code_effect *callee = definition_of(&f->code->functions[call->target])->effect;

		set_flags(e, &e->writes_any, callee->writes_any);
		set_flags(e, &e->reads_any, callee->reads_any);
		set_flags(e, &e->calls_out, callee->calls_out);
		join_sets(e, e->written, callee->written, set_words(f->code));
		join_sets(e, e->read, callee->read, set_words(f->code));
	} else if (f->code->functions[call->target].quiet) {
		set_flags(e, &e->reads_any, 1);
	}
	for (uint32_t k = 1; k < call->operands; k++)
		if (code_operand_value(f, v, k)->is_pointer)
			touch(f, code_operand(f, v, k), argument_flags(f, call, k - 1));
}

static void add_instruction(struct code_function *f, uint32_t v)
{
	const struct code_value *value = &f->values[v];

	switch ((enum code_op)value->op) {
	case CODE_LOAD:
		touch(f, code_operand(f, v, 0), value->flags & CODE_VOLATILE ? CODE_READS | CODE_WRITES : CODE_READS);
		break;
	case CODE_STORE:
		touch(f, code_operand(f, v, 1), CODE_WRITES);
		break;
	case CODE_ATOMIC:
		for (uint32_t k = 0; k < value->operands; k++) /* va_copy has two lists */
			if (code_operand_value(f, v, k)->is_pointer)
				touch(f, code_operand(f, v, k), CODE_READS | CODE_WRITES);
		break;
	case CODE_FILL:
		touch(f, code_operand(f, v, 0), CODE_WRITES);
		break;
	case CODE_MOVE:
		touch(f, code_operand(f, v, 0), CODE_WRITES);
		touch(f, code_operand(f, v, 1), CODE_READS);
		break;
	case CODE_CALL:
	case CODE_INVOKE:
		add_call(f, v);
		break;
	default:
		break;
	}
}

static int by_component(const void *a, const void *b)
{
	const struct code_function *x = *(struct code_function *const *)a, *y = *(struct code_function *const *)b;

	if (x->component != y->component)
		return x->component < y->component ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Goes through the functions of one component until nothing grows. */
static void solve_component(struct code_function **list, size_t n)
{
	int again = 1;

	while (again) {
		again = 0;
		for (size_t i = 0; i < n; i++) {
			struct code_function *f = list[i];

			f->effect->grew = 0;
			look_for_escapes(f);
			for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++)
				add_instruction(f, v);
			again |= f->effect->grew && (n > 1 || f->recursive);
		}
	}
}

static struct code_effect *new_effect(const struct code *c, uint32_t parameters, uint32_t values, struct arena *arena)
{
	struct code_effect *e = arena_alloc(arena, sizeof *e);

	e->written = arena_alloc(arena, set_words(c) * sizeof *e->written);
	e->read = arena_alloc(arena, set_words(c) * sizeof *e->read);
	e->parameter = arena_alloc(arena, parameters + 1);
	e->escapes = arena_alloc(arena, values + 1);
	return e;
}

static void join_outside(struct code_function **list, size_t n, struct code_effect *all)
{
	size_t words = set_words(list[0]->code);

	for (size_t i = 0; i < n; i++)
		if (list[i]->address_taken) {
			join_sets(all, all->written, list[i]->effect->written, words);
			join_sets(all, all->read, list[i]->effect->read, words);
		}
	for (size_t i = 0; i < n; i++)
		if (list[i]->effect->calls_out) {
			join_sets(all, list[i]->effect->written, all->written, words);
			join_sets(all, list[i]->effect->read, all->read, words);
		}
}

static void finish_function(struct code_function *f, const uint64_t *escaping)
{
	struct code_effect *e = f->effect;

	for (size_t k = 0; k < set_words(f->code); k++) {
		e->writes_escaping |= (e->written[k] & escaping[k]) != 0;
		e->reads_escaping |= (e->read[k] & escaping[k]) != 0;
	}
	for (uint32_t k = 0; k < f->cell_count; k++) {
		uint32_t root = f->cells[k].root;

		if (f->values[root].kind == CODE_PARAMETER)
			f->cells[k].escapes = 1;
		else if (f->values[root].kind == CODE_ADDRESS)
			f->cells[k].escapes = f->code->globals[f->values[root].index].escapes;
		else
			f->cells[k].escapes = f->effect->escapes[root];
	}
}

/* The globals of all units that pointers may point to. The caller frees. */
static uint64_t *list_escaping(struct code **list, size_t n)
{
	uint64_t *set = mem_zalloc(set_words(list[0]) * sizeof *set);

	for (size_t i = 0; i < n; i++)
		for (uint32_t g = 0; g < list[i]->global_count; g++)
			if (list[i]->globals[g].escapes) {
				uint32_t id = list[i]->inside->ids[g];

				set[id / 64] |= (uint64_t)1 << (id % 64);
			}
	return set;
}

void code_effects_joined(struct code **codes, size_t n)
{
	VEC(struct code_function *) list = {0};
	struct code_effect *outside;
	uint64_t *escaping;

	if (!n)
		return;
	outside = new_effect(codes[0], 0, 0, &codes[0]->inside->arena);
	for (size_t i = 0; i < n; i++) {
		codes[i]->inside->outside = outside;
		for (uint32_t k = 0; k < codes[i]->function_count; k++) {
			struct code_function *f = &codes[i]->functions[k];

			if (!f->defined)
				continue;
			f->effect = new_effect(codes[i], f->parameters, f->first_instruction + f->instructions, &codes[i]->inside->arena);
			vec_push(&list, f);
		}
	}
	if (list.size)
		qsort(list.data, list.size, sizeof *list.data, by_component);
	for (size_t at = 0, end; at < list.size; at = end) {
		for (end = at; end < list.size && list.data[end]->component == list.data[at]->component;)
			end++;
		solve_component(list.data + at, end - at);
	}
	escaping = list_escaping(codes, n);
	if (list.size)
		join_outside(list.data, list.size, outside);
	for (size_t i = 0; i < list.size; i++)
		finish_function(list.data[i], escaping);
	free(escaping);
	vec_release(&list);
}

/* A unit alone: a call of a function with a body that is not replaced runs that body. */
void code_effects(struct code *c, struct arena *arena)
{
	struct code_inside *in = c->inside;

	in->definitions = arena_alloc(arena, (c->function_count + 1) * sizeof *in->definitions);
	in->ids = arena_alloc(arena, (c->global_count + 1) * sizeof *in->ids);
	in->id_count = c->global_count;
	for (uint32_t g = 0; g < c->global_count; g++)
		in->ids[g] = g;
	for (uint32_t i = 0; i < c->function_count; i++) {
		struct code_function *f = &c->functions[i];

		if (!f->defined)
			continue;
		if (!f->replaceable)
			in->definitions[i] = f;
		code_roots(f, arena);
		code_cells(f, arena);
	}
	code_effects_joined(&c, 1);
}

/* ------------------------------------------------------------------ questions */

/* May an access of `bytes` bytes (0: unknown) through the pointer touch the cell? */
static int touches(const struct code_function *f, uint32_t pointer, uint64_t bytes, const struct code_cell *cell)
{
	const struct code_root *r = &f->roots[pointer];
	const struct code_value *root = &f->values[r->root == CODE_NONE ? 0 : r->root], *own = &f->values[cell->root];

	if (r->root == CODE_NONE)
		return cell->escapes;
	if (r->root == cell->root) {
		if (!r->exact || !bytes)
			return 1;
		return r->offset < cell->offset + (int64_t)cell->bytes && cell->offset < r->offset + (int64_t)bytes;
	}
	if (root->kind == CODE_PARAMETER)
		return own->kind == CODE_PARAMETER || (own->kind == CODE_ADDRESS && cell->escapes);
	if (root->kind == CODE_ADDRESS)
		return own->kind == CODE_PARAMETER && f->code->globals[root->index].escapes;
	return 0;
}

static int call_touches(const struct code_function *f, uint32_t v, const struct code_cell *cell, uint8_t flag)
{
	const struct code_value *call = &f->values[v], *root = &f->values[cell->root];
	const struct code_function *runs;
	const struct code_effect *e;

	for (uint32_t k = 1; k < call->operands; k++)
		if (code_operand_value(f, v, k)->is_pointer && argument_flags(f, call, k - 1) & flag && touches(f, code_operand(f, v, k), 0, cell))
			return 1;
	if (is_unknown_call(f, call)) {
		if (cell->escapes)
			return 1;
		e = f->code->inside->outside;
		return root->kind == CODE_ADDRESS && has_global(f->code, flag == CODE_WRITES ? e->written : e->read, root->index);
	}
	runs = definition_of(&f->code->functions[call->target]); /* NULL: known, or quiet */
	e = runs ? runs->effect : NULL;
	if (!e)
		return flag == CODE_READS && f->code->functions[call->target].quiet && cell->escapes;
	if ((flag == CODE_WRITES ? e->writes_any : e->reads_any) && cell->escapes)
		return 1;
	if (root->kind == CODE_ADDRESS)
		return has_global(f->code, flag == CODE_WRITES ? e->written : e->read, root->index);
	return root->kind == CODE_PARAMETER && (flag == CODE_WRITES ? e->writes_escaping : e->reads_escaping);
}

static uint64_t constant_length(const struct code_function *f, uint32_t v)
{
	const struct code_value *length = code_operand_value(f, v, 2);

	return length->kind == CODE_CONSTANT ? length->bits[0] : 0;
}

int code_may_write(const struct code_function *f, uint32_t v, uint32_t cell)
{
	const struct code_value *value = &f->values[v];
	const struct code_cell *c = &f->cells[cell];

	switch ((enum code_op)value->op) {
	case CODE_STORE:
		return touches(f, code_operand(f, v, 1), value->bytes, c);
	case CODE_LOAD:
		return value->flags & CODE_VOLATILE && touches(f, code_operand(f, v, 0), value->bytes, c);
	case CODE_ATOMIC:
		for (uint32_t k = 0; k < value->operands; k++)
			if (code_operand_value(f, v, k)->is_pointer && touches(f, code_operand(f, v, k), 0, c))
				return 1;
		return 0;
	case CODE_FILL:
	case CODE_MOVE:
		return touches(f, code_operand(f, v, 0), constant_length(f, v), c);
	case CODE_ALLOCA:
		return c->root == v;
	case CODE_CALL:
	case CODE_INVOKE:
		return (value->target != CODE_NONE && f->code->functions[value->target].returns_twice) || call_touches(f, v, c, CODE_WRITES);
	default:
		return 0;
	}
}

int code_may_read(const struct code_function *f, uint32_t v, uint32_t cell)
{
	const struct code_value *value = &f->values[v];
	const struct code_cell *c = &f->cells[cell];

	switch ((enum code_op)value->op) {
	case CODE_LOAD:
		return touches(f, code_operand(f, v, 0), value->bytes, c);
	case CODE_ATOMIC:
		return code_may_write(f, v, cell);
	case CODE_MOVE:
		return touches(f, code_operand(f, v, 1), constant_length(f, v), c);
	case CODE_CALL:
	case CODE_INVOKE:
		return call_touches(f, v, c, CODE_READS);
	default:
		return 0;
	}
}

static int may_touch_memory(enum code_op op)
{
	return (op >= CODE_LOAD && op <= CODE_CALL) || op == CODE_INVOKE;
}

static uint32_t *touched_cells(const struct code_function *f, uint32_t loop, uint32_t *count,
			       int (*may)(const struct code_function *f, uint32_t v, uint32_t cell))
{
	uint8_t *found = mem_zalloc(f->cell_count + 1);
	uint32_t blocks = loop == CODE_NONE ? f->order_count : f->loops[loop].blocks, *list, n = 0;
	const uint32_t *order = loop == CODE_NONE ? f->order : f->loop_blocks + f->loops[loop].first_block;

	for (uint32_t k = 0; k < blocks; k++) {
		const struct code_block *b = &f->blocks[order[k]];

		for (uint32_t v = b->first; v < b->first + b->count; v++)
			for (uint32_t cell = 0; may_touch_memory(f->values[v].op) && cell < f->cell_count; cell++)
				if (!found[cell])
					found[cell] = (uint8_t)may(f, v, cell);
	}
	list = mem_alloc((f->cell_count + 1) * sizeof *list);
	for (uint32_t cell = 0; cell < f->cell_count; cell++)
		if (found[cell])
			list[n++] = cell;
	free(found);
	*count = n;
	return list;
}

uint32_t *code_written(const struct code_function *f, uint32_t loop, uint32_t *count)
{
	return touched_cells(f, loop, count, code_may_write);
}

uint32_t *code_read(const struct code_function *f, uint32_t loop, uint32_t *count)
{
	return touched_cells(f, loop, count, code_may_read);
}

/* A function without a body here: what any of its calls may do. */
static int unknown_touches(const struct code_function *f, uint32_t global, uint8_t flag)
{
	const struct code_effect *e = f->code->inside->outside;
	struct code_known known;

	if (!f->defined && code_known(f, &known))
		return 0;
	if (!f->defined && f->quiet)
		return flag == CODE_READS && f->code->globals[global].escapes;
	return f->code->globals[global].escapes || has_global(f->code, flag == CODE_WRITES ? e->written : e->read, global);
}

int code_function_writes(const struct code_function *f, uint32_t global)
{
	const struct code_function *runs = definition_of(f);

	if (!runs)
		return unknown_touches(f, global, CODE_WRITES);
	return has_global(f->code, runs->effect->written, global) || (runs->effect->writes_any && f->code->globals[global].escapes);
}

int code_function_writes_any(const struct code_function *f)
{
	const struct code_function *runs = definition_of(f);

	return !runs || runs->effect->writes_any;
}

int code_function_reads(const struct code_function *f, uint32_t global)
{
	const struct code_function *runs = definition_of(f);

	if (!runs)
		return unknown_touches(f, global, CODE_READS);
	return has_global(f->code, runs->effect->read, global) || (runs->effect->reads_any && f->code->globals[global].escapes);
}

static uint8_t parameter_flags(const struct code_function *f, uint32_t parameter)
{
	const struct code_function *runs = definition_of(f);
	struct code_known known;

	if (runs && parameter < runs->parameters)
		return runs->effect->parameter[parameter];
	if (code_known(f, &known))
		return known.parameter[parameter < KNOWN_PARAMETERS ? parameter : KNOWN_PARAMETERS - 1];
	return f->quiet ? CODE_READS : CODE_READS | CODE_WRITES;
}

int code_function_writes_parameter(const struct code_function *f, uint32_t parameter)
{
	return (parameter_flags(f, parameter) & CODE_WRITES) != 0;
}

int code_function_reads_parameter(const struct code_function *f, uint32_t parameter)
{
	return (parameter_flags(f, parameter) & CODE_READS) != 0;
}
