/* abstract.c: a call as an uninterpreted function of everything that the callee may depend on.
 *
 * Two evaluators of one pool, for two versions of a program, meet here: the same function called with the same arguments, memory and world does the same in both. Arguments and world
 * are operands of uninterpreted functions, so that equality is the solver's business. Memory is an array and cannot be one: it goes into the function's name, by a hash of
 * the terms of all objects that are known outside and not as they were at the start. Equal terms are equal contents, so equal names are right; contents that are equal in
 * another form get two names, which proves less and never too much. Of functions of the C library that use no streams only what their arguments point to counts (ir/known.c), and the flat memory, where errno is. Objects are told apart by their names, which evaluators share where their contents at the start are shared.
 */
#include "vc/inside.h"

#include "base/hash.h"
#include "ir/code_parts.h"

#include <string.h>

struct abstract {
	struct vc *v;
	struct vc_call *c;
	const char *name;
	expr_t *args; /* and the world at the end */
	unsigned count;
	struct hash128 memory, all; /* what it reads; that with the arguments' terms */
};

static struct hash128 mix(struct hash128 h, const void *data, size_t size)
{
	struct buf b = BUF_EMPTY;
	buf_add(&b, &h, sizeof h);
	buf_add(&b, data, size);
	h = hash128(b.data, b.size);
	buf_release(&b);
	return h;
}

/* An object's place in the order does not matter: sums of hashes. */
static struct hash128 memory_key(struct vc *v, const struct vc_memory *m, const uint8_t *known, uint32_t world)
{
	struct hash128 sum = {0};
	for (uint32_t i = 0; i < vc_objects(v); i++) {
		struct vc_place place = vc_place_of(v, m, i);
		if (!known[i] || i == world || (place.contents == v->things.data[i].start && place.live == expr_true(v->p)))
			continue;
		struct hash128 h = hash128(v->things.data[i].name, strlen(v->things.data[i].name));
		h = mix(h, &place, sizeof place);
		sum.a += h.a;
		sum.b += h.b;
	}
	return sum;
}

static expr_t apply(const struct abstract *a, const char *what, uint64_t part, unsigned width)
{
	struct buf name = BUF_EMPTY; /* whole names: two that begin alike are two */
	buf_addf(&name, "%s.%s.%llu.%016llx%016llx", a->name, what, (unsigned long long)part, (unsigned long long)a->memory.a, (unsigned long long)a->memory.b);
	expr_t e = expr_apply(a->v->p, buf_str(&name), width, a->args, a->count);
	buf_release(&name);
	return e;
}

static void write_object(const struct abstract *a, uint32_t object)
{
	struct vc *v = a->v;
	const struct vc_thing *t = &v->things.data[object];
	struct vc_place place = vc_place_of(v, a->c->state->memory, object);
	if (t->constant || t->flat)
		return;
	if (expr_get(v->p, place.contents)->op == MUSTER_OP_DATA) {
		uint64_t count = expr_data_count(v->p, place.contents);
		expr_t *bytes = mem_realloc(NULL, count + 1, sizeof *bytes);
		for (uint64_t i = 0; i < count; i++)
			bytes[i] = apply(a, t->name, i, 8);
		place.contents = expr_data(v->p, bytes, count);
		free(bytes);
	} else {
		struct buf name = BUF_EMPTY;
		buf_addf(&name, "%s.%s.%016llx%016llx", a->name, t->name, (unsigned long long)a->all.a, (unsigned long long)a->all.b);
		place.contents = expr_array(v->p, buf_str(&name));
		buf_release(&name);
	}
	vc_put(v, a->c->state, object, place);
}

/* Of the objects that others know, only those that a function of the C library uses so (flags). 0: none is left. */
static int narrow(const struct vc_call *c, const struct code_known *k, unsigned flags, uint8_t *known)
{
	struct vc *v = c->vc;
	uint32_t targets[VC_TARGETS];
	uint8_t *used = mem_zalloc(vc_objects(v) + 1);
	int all = 0, some = 0;
	for (uint32_t i = 0; i < c->arg_count && !all; i++) {
		if (!(k->parameter[i < KNOWN_PARAMETERS ? i : KNOWN_PARAMETERS - 1] & flags) || !code_operand_value(c->f, c->at, i + 1)->is_pointer)
			continue;
		size_t n = 0;
		if (c->args[i] == EXPR_NONE)
			all = 1;
		else if (!expr_is_const(v->p, c->args[i], NULL))
			n = vc_targets(v, c->args[i], targets, VC_TARGETS, &all);
		for (size_t t = 0; t < n; t++)
			if (targets[t] != VC_NO_OBJECT)
				used[targets[t]] = 1;
	}
	for (uint32_t i = 0; i < vc_objects(v); i++) {
		known[i] = known[i] && (all || used[i] || i == v->flat || v->things.data[i].flat);
		some |= known[i];
	}
	free(used);
	return some;
}

/* Marks what the callee may write; 0: nothing. */
static int find_written(struct vc_call *c, uint8_t *known)
{
	struct vc *v = c->vc;
	const struct code_function *f = c->target;
	uint32_t targets[VC_TARGETS];
	struct code_known library;
	int all = 0, some = 0;
	if (f && !f->quiet && code_known(f, &library) && !library.streams)
		return narrow(c, &library, CODE_WRITES | CODE_FREES, known);
	if (!f || !f->defined || f->replaceable || code_function_writes_any(f))
		return f && f->quiet ? 0 : 1;
	uint8_t *written = mem_zalloc(vc_objects(v) + 1);
	for (uint32_t k = 0; k < c->arg_count; k++) {
		size_t n = 0;
		if (k < f->parameters && (!f->values[k].is_pointer || !code_function_writes_parameter(f, k)))
			continue;
		some = 1;
		if (k >= f->parameters || c->args[k] == EXPR_NONE)
			all = 1;
		else
			n = vc_targets(v, c->args[k], targets, VC_TARGETS, &all);
		for (size_t i = 0; i < n; i++)
			if (targets[i] != VC_NO_OBJECT)
				written[targets[i]] = 1;
		if (all)
			break;
	}
	for (uint32_t g = 0; g < v->code->global_count && !all; g++)
		if (code_function_writes(f, g)) {
			uint32_t object = vc_global(v, g);
			written[v->things.data[object].flat ? v->flat : object] = some = 1;
		}
	for (uint32_t i = 0; i < vc_objects(v) && !all; i++)
		known[i] &= written[i];
	free(written);
	return some;
}

void vc_state_abstract(struct vc_call *c, const char *name, uint32_t world, int counts)
{
	struct vc *v = c->vc;
	struct abstract a = {.v = v, .c = c, .name = name};
	struct code_known library;
	a.args = mem_realloc(NULL, c->arg_count + 2, sizeof *a.args);
	if (!c->target) /* through a pointer, which says which function it is */
		a.args[a.count++] = c->callee != EXPR_NONE ? c->callee : vc_fresh(v, 64, "callee");
	for (uint32_t i = 0; i < c->arg_count; i++)
		a.args[a.count++] = c->args[i] != EXPR_NONE ? c->args[i] : vc_fresh(v, 64, "argument");
	a.args[a.count++] = vc_read(v, c->state->memory, world, expr_const(v->p, 64, 0), 64);
	vc_all_globals(v);
	uint8_t *known = mem_zalloc(vc_objects(v) + 1);
	vc_find_known(v, c, known);
	if (c->target && code_known(c->target, &library) && !library.streams)
		narrow(c, &library, CODE_READS | CODE_WRITES | CODE_KEEPS | CODE_FREES, known);
	a.memory = memory_key(v, c->state->memory, known, world);
	a.all = mix(a.memory, a.args, a.count * sizeof *a.args);
	known[world] = 0;
	struct vc_place after = vc_place_of(v, c->state->memory, world);
	after.contents = expr_array_write(v->p, after.contents, expr_const(v->p, 64, 0), apply(&a, "world", 0, 64));
	c->result = c->width ? apply(&a, "result", 0, c->width) : EXPR_NONE;
	if (find_written(c, known))
		for (uint32_t i = 0; i < vc_objects(v); i++)
			if (known[i])
				write_object(&a, i);
	if (counts || !c->target || !c->target->quiet)
		vc_put(v, c->state, world, after);
	free(known);
	free(a.args);
}
