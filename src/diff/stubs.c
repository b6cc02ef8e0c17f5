/* stubs.c: functions outside as a run has them, to find an input that a run then shows.
 *
 * For a proof a function outside may do anything (pair.c). A run has something in its place (caller_main.c, instrument/expose.h): the C library itself; an allocator that says where memory is, or fails; stubs for all others and for
 * calls through pointers, which return what the input says of the n-th such call, and write what it says to locals whose address they get, and nowhere else. An evaluation with stubs takes functions outside for these: what a call returns is a variable NAME()#N, which both
 * versions share and which belongs to the input; N is counted in an object of its own. What is not modelled (functions of the C library, bodies that cannot be followed) returns anything and writes nothing.
 *
 * None of this claims anything: it only proposes inputs, and what their runs show is what is said.
 */
#include "diff/inside.h"

#include "base/hash.h"
#include "diff/caller.h"
#include "instrument/expose.h"
#include "ir/code_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>


void diff_stubs_begin(struct diff_side *s)
{
	struct exprs *p = s->pair->p;
	expr_t zero = expr_const(p, 8, 0);
	s->count = VC_NO_OBJECT;
	if (!s->pair->stubs)
		return;
	s->count = vc_object(s->vc, "the count", 1);
	vc_object_set(s->vc, s->count, expr_data(p, &zero, 1));
}

static const char *name_of(const struct vc_call *c)
{
	return c->target ? c->target->name : CALLER_POINTER;
}

/* ------------------------------------------------------------ what a call returns */

/* A word that the n-th call gives: its result, or (argument not DIFF_RESULT) what that argument points to afterwards, from this byte on. */
static expr_t outside_word(struct diff_pair *x, const struct vc_call *c, unsigned number, unsigned width, int is_pointer, unsigned argument, unsigned offset)
{
	char name[300];
	if (number == CALLER_QUIET)
		snprintf(name, sizeof name, "%.250s()", name_of(c));
	else if (argument == DIFF_RESULT)
		snprintf(name, sizeof name, "%.250s()#%u", name_of(c), number);
	else /* by its size, too, which may be another in the other version */
		snprintf(name, sizeof name, "*%.250s()#%u.%u+%u:%u", name_of(c), number, argument, offset, width / 8);
	expr_t e = expr_named(x->p, width, name);
	for (size_t i = 0; i < x->outside.size; i++)
		if (x->outside.data[i].term == e) {
			struct diff_outside *o = &x->outside.data[i];
			o->arguments = c->arg_count < o->arguments ? c->arg_count : o->arguments;
			return e;
		}
	struct buf text = BUF_EMPTY;
	buf_adds(&text, name);
	vec_push(&x->outside, ((struct diff_outside){.term = e, .name = strdup(name_of(c)), .number = number, .arguments = c->arg_count, .argument = argument, .offset = offset}));
	vec_push(&x->inputs, ((struct diff_word){.term = e, .name = buf_take(&text), .type = CODE_NONE, .is_pointer = (uint8_t)is_pointer, .is_outside = 1}));
	return e;
}

/* Memory of the n-th call, or none. */
static expr_t allocated(struct diff_pair *x, const struct vc_call *c, unsigned number)
{
	struct exprs *p = x->p;
	expr_t fails = outside_word(x, c, number, 1, 0, DIFF_RESULT, 0), size = expr_const(p, 64, 0);
	for (uint32_t i = !strcmp(name_of(c), "realloc"); i < c->arg_count; i++) {
		if (c->args[i] == EXPR_NONE || expr_width(p, c->args[i]) != 64)
			return expr_const(p, 64, 0);
		size = i && strcmp(name_of(c), "realloc") ? expr_binary(p, MUSTER_OP_MUL, size, c->args[i]) : c->args[i];
		fails = expr_or(p, fails, expr_binary(p, MUSTER_OP_ULT, expr_const(p, 64, CALLER_SLOT_BYTES), c->args[i]));
	}
	fails = expr_or(p, fails, expr_binary(p, MUSTER_OP_ULT, expr_const(p, 64, CALLER_SLOT_BYTES), size));
	return expr_ite(p, fails, expr_const(p, 64, 0), expr_const(p, 64, CALLER_HEAP + number * CALLER_SLOT_BYTES));
}

static expr_t result_of(struct diff_pair *x, const struct vc_call *c, unsigned number)
{
	if (c->target && expose_is_allocator(c->target->name))
		return allocated(x, c, number);
	return outside_word(x, c, number, c->width, c->f->values[c->at].is_pointer, DIFF_RESULT, 0);
}

/* The count is a choice of numbers: a choice of results, and the next count. */
static void by_number(struct diff_pair *x, const struct vc_call *c, expr_t count, unsigned depth, expr_t *result, expr_t *next)
{
	struct exprs *p = x->p;
	struct expr_node n = *expr_get(p, count);
	u128 number = CALLER_CALLS;
	if (n.op == MUSTER_OP_ITE && depth) {
		expr_t yes[2], no[2];
		by_number(x, c, n.b, depth - 1, &yes[0], &yes[1]);
		by_number(x, c, n.c, depth - 1, &no[0], &no[1]);
		*result = c->width ? expr_ite(p, n.a, yes[0], no[0]) : EXPR_NONE;
		*next = expr_ite(p, n.a, yes[1], no[1]);
		return;
	}
	int known = expr_is_const(p, count, &number) && number < CALLER_CALLS;
	*result = !c->width ? EXPR_NONE : known ? result_of(x, c, (unsigned)number) : expr_const(p, c->width, 0);
	*next = expr_const(p, 8, known ? number + 1 : CALLER_CALLS);
}

/* ------------------------------------------------------------ what a call writes */

/* What stands at an argument after the n-th call, of which the count is a choice; what stood there, if the input says nothing of that call. */
static expr_t written(struct diff_pair *x, const struct vc_call *c, expr_t count, expr_t before, unsigned argument, unsigned offset, unsigned depth)
{
	struct exprs *p = x->p;
	struct expr_node n = *expr_get(p, count);
	u128 number;
	if (n.op == MUSTER_OP_ITE && depth)
		return expr_ite(p, n.a, written(x, c, n.b, before, argument, offset, depth - 1), written(x, c, n.c, before, argument, offset, depth - 1));
	if (!expr_is_const(p, count, &number) || number >= CALLER_CALLS)
		return before;
	return outside_word(x, c, (unsigned)number, expr_width(p, before), expr_width(p, before) == 64, argument, offset);
}

/* A local of the caller's whose address is passed: it gets a value from there, as far as a run has room to say it. */
static void write_local(struct diff_side *s, struct vc_call *c, expr_t count, unsigned argument)
{
	struct exprs *p = s->pair->p;
	expr_t offset = EXPR_NONE, at = c->args[argument];
	u128 first;
	uint32_t object = at != EXPR_NONE && expr_width(p, at) == 64 ? vc_object_at(c->vc, at, &offset) : VC_NO_OBJECT;
	if (object == VC_NO_OBJECT || vc_object_lasts(c->vc, object) || vc_object_global(c->vc, object) != CODE_NONE || object == s->world || object == s->count || !expr_is_const(p, offset, &first) || first)
		return;
	uint64_t bytes = vc_object_bytes(c->vc, object);
	for (unsigned k = 0; k < bytes && k < CALLER_WRITES; k += 8) {
		unsigned width = 8 * (bytes - k < 8 ? (unsigned)(bytes - k) : 8);
		expr_t place = expr_binary(p, MUSTER_OP_ADD, at, expr_const(p, 64, k));
		expr_t before = vc_state_load(c, place, width);
		if (before != EXPR_NONE)
			vc_state_store(c, place, written(s->pair, c, count, before, argument, k, CALLER_CALLS));
	}
}

/* ------------------------------------------------------------ calls */

/* What was called, with what: a term that another version's can be compared with (sets.c). */
static expr_t say_call(struct diff_side *s, struct vc_call *c)
{
	struct exprs *p = s->pair->p;
	expr_t args[66], zero = expr_const(p, 64, 0), world;
	char name[300];
	unsigned n = 0;
	if (!c->target && c->callee != EXPR_NONE)
		args[n++] = c->callee;
	for (uint32_t i = 0; i < c->arg_count && n < 60; i++)
		args[n++] = c->args[i] != EXPR_NONE ? c->args[i] : zero;
	args[n++] = vc_read(c->vc, vc_state_memory(c), s->world, zero, 64);
	snprintf(name, sizeof name, "%.250s.world.", name_of(c));
	world = expr_apply(p, name, 64, args, n);
	vc_state_store(c, vc_address(c->vc, s->world), world);
	return world;
}

/* A function that only computes: one value for all arguments, as in runs. Who calls it, and how often, is no behaviour. */
static enum vc_call_how call_quiet(struct diff_side *s, struct vc_call *c)
{
	c->result = c->width ? outside_word(s->pair, c, CALLER_QUIET, c->width, c->f->values[c->at].is_pointer, DIFF_RESULT, 0) : EXPR_NONE;
	return VC_CALL_DONE;
}

static enum vc_call_how call_stub(struct diff_side *s, struct vc_call *c, int says)
{
	struct exprs *p = s->pair->p;
	expr_t count = vc_read(c->vc, vc_state_memory(c), s->count, expr_const(p, 64, 0), 8), next, world;
	if (!c->target && c->callee != EXPR_NONE)
		vec_push(&s->pair->callees, ((struct diff_callee){c->guard, c->callee}));
	by_number(s->pair, c, count, CALLER_CALLS, &c->result, &next);
	vc_state_store(c, vc_address(c->vc, s->count), next);
	for (uint32_t i = 0; says && c->target && i < c->arg_count; i++)
		write_local(s, c, count, i);
	world = says ? say_call(s, c) : vc_read(c->vc, vc_state_memory(c), s->world, expr_const(p, 64, 0), 64);
	if (!diff_pair_never_returns(c))
		return VC_CALL_DONE;
	vec_push(&s->exits, (struct diff_exit){c->guard, world});
	return VC_CALL_EXIT;
}

/* Nothing is known of what it returns, but that it is the same for the same arguments. */
static enum vc_call_how pass_over(struct diff_side *s, struct vc_call *c)
{
	struct exprs *p = s->pair->p;
	char name[300];
	uint64_t arguments = 0;
	if (c->target->returns_twice) {
		c->result = c->width ? expr_const(p, c->width, 0) : EXPR_NONE;
		return VC_CALL_DONE;
	}
	for (uint32_t i = 0; i < c->arg_count; i++)
		arguments = hash_join(arguments, c->args[i]);
	snprintf(name, sizeof name, "%.250s(%llx)", c->target->name, (unsigned long long)arguments);
	c->result = c->width ? expr_named(p, c->width, name) : EXPR_NONE;
	if (!diff_pair_never_returns(c))
		return VC_CALL_DONE;
	vec_push(&s->exits, (struct diff_exit){c->guard, say_call(s, c)});
	return VC_CALL_EXIT;
}

/* Small bodies at first; what is passed over runs all the same. */
static int is_followed(const struct diff_side *s, const struct vc_call *c)
{
	static const struct {
		unsigned depth;
		uint32_t instructions;
	} most[] = {{2, 80}, {3, 250}, {4, 500}};
	const struct code_function *f = c->target;
	unsigned level = (unsigned)s->pair->stubs - 1;
	if (!f->defined || f->variadic || f->replaceable || f->returns_twice || f->parameters != c->arg_count || c->depth >= most[level].depth)
		return 0;
	for (uint32_t i = 0; i < f->parameters; i++)
		if (f->values[i].flags & CODE_BYVAL || (c->args[i] != EXPR_NONE && expr_width(s->pair->p, c->args[i]) != (f->values[i].is_pointer ? 64 : f->values[i].width)))
			return 0;
	return f->instructions < most[level].instructions;
}

/* Functions of the C library crash on null pointers. */
static void check_pointers(struct diff_side *s, struct vc_call *c)
{
	struct exprs *p = s->pair->p;
	struct code_known known;
	if (!code_known(c->target, &known))
		return;
	for (uint32_t i = 0; i < c->arg_count && i < KNOWN_PARAMETERS; i++)
		if (known.parameter[i] & (CODE_READS | CODE_WRITES) && c->args[i] != EXPR_NONE && expr_width(p, c->args[i]) == 64)
			vc_state_end(c, VC_UNDEFINED, expr_eq(p, c->args[i], expr_const(p, 64, 0)), "a null pointer");
}

enum vc_call_how diff_stubs_call(struct diff_side *s, struct vc_call *c)
{
	if (!c->target)
		return call_stub(s, c, 1);
	if (is_followed(s, c))
		return VC_CALL_INLINE;
	if (c->target->defined || !strncmp(c->target->name, "llvm.", 5))
		return pass_over(s, c);
	if (expose_is_allocator(c->target->name))
		return strcmp(c->target->name, "free") ? call_stub(s, c, 0) : VC_CALL_DONE;
	if (!expose_library_has(c->target->name))
		return c->target->quiet ? call_quiet(s, c) : call_stub(s, c, 1);
	check_pointers(s, c);
	return pass_over(s, c);
}

/* ------------------------------------------------------------ for runs */

expr_t diff_stubs_fit(struct diff_pair *x)
{
	struct exprs *p = x->p;
	expr_t all = expr_true(p);
	for (size_t i = 0; i < x->callees.size; i++) {
		expr_t some = expr_false(p), at = x->callees.data[i].address;
		for (unsigned k = 0; k < CALLER_POINTERS; k++)
			some = expr_or(p, some, expr_eq(p, at, expr_const(p, 64, CALLER_CODE + k * CALLER_CODE_BYTES)));
		all = expr_and(p, all, expr_or(p, expr_not(p, x->callees.data[i].guard), some));
	}
	return all;
}

void diff_stubs_release(struct diff_pair *x)
{
	for (size_t i = 0; i < x->outside.size; i++)
		free(x->outside.data[i].name);
	vec_release(&x->outside);
	vec_release(&x->callees);
}
