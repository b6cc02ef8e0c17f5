/* pair.c: two versions of a function as formulas over the same inputs, and the sets that follow.
 *
 * Both are evaluated by vc in one pool. Parameters are the same variables; data that both versions have starts with the same contents; pointers lead into one flat memory, so they
 * may overlap in any manner. Where pointers and variables that others know the address of are both used, the variables lie in the flat memory, too. So every start state of a program is one of the
 * formulas; some that no program has are among them (a pointer to another version's constant, say), which may make less unchanged, and makes nothing changed, since a run decides that.
 *
 * A call of a function outside is an uninterpreted function of its arguments, memory and the world, and gives another world: the world at the end is what was called, in which order, with
 * what. So is a call through a pointer, of the pointer, too, unless a function whose address is taken changed. A call of a function with a body is followed, or, in an evaluation that abstracts, one uninterpreted function in both versions if its pair is equal for all inputs. A call of the pair's own
 * component of the call graph counts as equal while that is being proved: the same calls are made in the same order with the same arguments, so by induction on the depth of the recursion, both end or
 * neither does.
 */
#include "diff/inside.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/hash.h"
#include "expr/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 60000 /* instructions of an evaluation */
#define NODES 600000 /* terms of one */
#define USER_SPACE (1ull << 47) /* bytes, on x86-64 */

/* ------------------------------------------------------------ callbacks */

static void global_name(void *ctx, uint32_t global, struct buf *out)
{
	struct diff_side *s = ctx;
	const struct code *code = s->f->code;
	if (!differ_data_name(s->pair->d, s->which, code, global, out) && !code_literal_name(code, global, out))
		buf_addf(out, "%s@%s#%u", s->which == OLD ? "old" : "new", code->globals[global].name, global);
}

/* The program's own: it ends the run, and is the same in both versions. */
static int is_trap(const struct code_function *f)
{
	return !strcmp(f->name, "llvm.trap") || !strcmp(f->name, "llvm.debugtrap");
}

static void abstract_name(const struct diff_side *s, const struct vc_call *c, uint32_t pair, struct buf *out)
{
	if (!c->target)
		buf_adds(out, "pointer");
	else if (is_trap(c->target))
		buf_adds(out, c->target->name);
	else if (pair != CODE_NONE)
		buf_addf(out, "f%u", pair);
	else
		buf_addf(out, "%s.%s", s->which == OLD ? "old" : "new", c->target->name);
}

/* May the call be taken for one function of both versions? */
static int is_common(const struct differ *d, uint32_t pair, const struct code_function *target, int abstracts)
{
	if (pair == CODE_NONE)
		return 0;
	if (!target->defined)
		return 1;
	if (!abstracts && !target->replaceable) /* a weak one cannot be followed: it is what this file has, or another one in both */
		return 0;
	return d->equal[pair] || (d->component != CODE_NONE && d->whole[OLD]->symbols.data[pair].component == d->component);
}

/* What the call has left, for comparing it with what another one left: by the calls. */
static void note_left(struct diff_side *s, struct vc_call *c, const struct vc_memory *before, expr_t world)
{
	struct exprs *p = s->pair->p;
	if (c->result != EXPR_NONE)
		map_set(&s->left, c->result, world);
	for (uint32_t i = 0; i < vc_objects(c->vc); i++) {
		expr_t after = vc_contents(c->vc, vc_state_memory(c), i);
		if (i == s->world || after == vc_contents(c->vc, before, i))
			continue;
		map_set(&s->left, after, world);
		for (uint64_t k = 0; expr_get(p, after)->op == MUSTER_OP_DATA && k < expr_data_count(p, after); k++)
			map_set(&s->left, expr_data_byte(p, after, k), world);
	}
}

/* Is nothing but unreachable code after the call? The attribute of functions that do not return is not there where the compiler checks that they keep it. */
static int never_returns(const struct code_function *f, uint32_t at)
{
	uint32_t block = f->values[at].block;
	if (at + 1 != code_last(f, block))
		return 0;
	for (uint32_t steps = 0; steps <= f->block_count; steps++) {
		const struct code_block *b = &f->blocks[block];
		uint32_t last = code_last(f, block), next = CODE_NONE;
		if (f->values[last].op == CODE_UNREACHABLE)
			return 1;
		for (uint32_t k = 0; k < b->edges; k++)
			if (f->values[last].op == CODE_JUMP || f->edges[b->first_edge + k].flags & CODE_EDGE_PASS)
				next = f->edges[b->first_edge + k].to;
		if (next == CODE_NONE || f->blocks[next].count != 1)
			return 0;
		block = next;
	}
	return 0;
}

int diff_pair_never_returns(const struct vc_call *c)
{
	return (c->target && c->target->noreturn) || never_returns(c->f, c->at);
}

/* Does the world know of the call? Not of one that writes nothing, unless what it reads may not be there: then it does not return. */
static int counts(const struct vc_call *c)
{
	int reads = 0;
	for (uint32_t i = 0; i < c->arg_count; i++)
		reads |= code_operand_value(c->f, c->at, i + 1)->is_pointer;
	return reads || !c->target || !c->target->quiet;
}

/* As an uninterpreted function of this name. */
static enum vc_call_how abstract_call(struct diff_side *s, struct vc_call *c, uint32_t pair)
{
	struct buf name = BUF_EMPTY;
	abstract_name(s, c, pair, &name);
	s->abstract++;
	const struct vc_memory *before = vc_state_memory(c);
	vc_state_abstract(c, buf_str(&name), s->world, counts(c));
	buf_release(&name);
	expr_t world = vc_read(c->vc, vc_state_memory(c), s->world, expr_const(s->pair->p, 64, 0), 64);
	if (counts(c)) {
		map_set(&s->calls, world, (uint64_t)(uintptr_t)before);
		note_left(s, c, before, world);
	}
	if (!diff_pair_never_returns(c))
		return VC_CALL_DONE;
	vec_push(&s->exits, (struct diff_exit){c->guard, world});
	return VC_CALL_EXIT;
}

static int has_all_arguments(const struct vc_call *c)
{
	for (uint32_t i = 0; i < c->arg_count; i++)
		if (c->args[i] == EXPR_NONE)
			return 0;
	return 1;
}

/* Through a pointer: the same pointer is the same function of both versions, unless it may be one that changed. */
static enum vc_call_how pointer_call(struct diff_side *s, struct vc_call *c)
{
	struct exprs *p = s->pair->p;
	if (c->callee == EXPR_NONE || c->width > 128 || !has_all_arguments(c) || differ_taken_changed(s->pair->d))
		return VC_CALL_UNKNOWN;
	vc_state_end(c, VC_UNDEFINED, expr_eq(p, c->callee, expr_const(p, 64, 0)), "a call through a null pointer");
	return abstract_call(s, c, CODE_NONE);
}

static enum vc_call_how on_call(void *ctx, struct vc_call *c)
{
	struct diff_side *s = ctx;
	struct differ *d = s->pair->d;
	if (s->pair->stubs)
		return diff_stubs_call(s, c);
	if (!c->target)
		return pointer_call(s, c);
	if (is_trap(c->target)) {
		abstract_call(s, c, CODE_NONE);
		return VC_CALL_EXIT;
	}
	if (c->target->returns_twice || (!c->target->defined && differ_calls_back(d, c->target)))
		return VC_CALL_UNKNOWN;
	uint32_t symbol = differ_symbol(d, s->which, c->target), pair = symbol == CODE_NONE ? CODE_NONE : differ_pair_of(d, s->which, symbol);
	if (!is_common(d, pair, c->target, s->pair->abstracts)) {
		if (!c->target->defined || c->target->replaceable)
			return VC_CALL_UNKNOWN; /* only one version has it */
		expr_t unchanged = s->pair->abstracts ? diff_refine_unchanged(s, c, pair) : EXPR_NONE;
		if (unchanged == EXPR_NONE)
			return VC_CALL_INLINE;
		diff_refine_doubt(s, c, unchanged);
	}
	if ((c->target->variadic || c->width > 128) && !has_all_arguments(c))
		return VC_CALL_UNKNOWN;
	return abstract_call(s, c, pair);
}

/* ------------------------------------------------------------ one side */

static int returns_value(const struct code_function *f)
{
	for (uint32_t i = f->first_instruction; i < f->first_instruction + f->instructions; i++)
		if (f->values[i].op == CODE_RETURN && f->values[i].operands)
			return 1;
	return 0;
}

static void sort_ends(struct diff_side *s)
{
	struct exprs *p = s->pair->p;
	size_t count;
	const struct vc_end *ends = vc_ends(s->vc, &count);
	s->undefined = expr_or(p, vc_ends_by(s->vc, VC_UNDEFINED), vc_ends_by(s->vc, VC_UNREACHABLE));
	s->unknown = expr_or(p, vc_ends_by(s->vc, VC_UNKNOWN), vc_ends_by(s->vc, VC_CUT));
	s->bound = vc_ends_by(s->vc, VC_BOUND);
	s->endless = vc_ends_by(s->vc, VC_ENDLESS);
	s->doubtful = expr_false(p);
	for (size_t i = 0; i < s->doubts.size; i++)
		s->doubtful = expr_or(p, s->doubtful, s->doubts.data[i].where);
	s->unknown = expr_or(p, s->unknown, s->doubtful);
	s->why = NULL;
	s->overlaps = 0;
	for (size_t i = 0; i < count; i++)
		s->overlaps |= ends[i].kind == VC_UNDEFINED && ends[i].why && !strcmp(ends[i].why, VC_OVERLAPS);
	for (size_t i = 0; i < count && !s->why; i++)
		if (ends[i].kind == VC_UNKNOWN) {
			s->why = ends[i].why;
			s->why_line = ends[i].at < ends[i].f->value_count ? ends[i].f->values[ends[i].at].line : 0;
		}
	if (s->abstract) /* what was called before is not compared there */
		s->unknown = expr_or(p, s->unknown, s->endless);
	if (s->out.value == EXPR_NONE && returns_value(s->f) && s->out.returns != expr_false(p)) {
		s->unknown = expr_or(p, s->unknown, s->out.returns);
		s->why = s->why ? s->why : "a result that is not modelled";
	}
}

static int side_is_over(void *ctx)
{
	return diff_pair_is_over(((struct diff_side *)ctx)->pair);
}

static enum vc_end_kind on_edge(void *ctx, const struct vc_point *at, uint32_t edge)
{
	return diff_direct_ends(ctx, at, edge);
}

static void evaluate_side(struct diff_side *s, const expr_t *args)
{
	struct diff_pair *x = s->pair;
	struct vc_options o = {.prefix = s->which == OLD ? "old" : "new", .unroll = x->unroll, .depth = x->unroll < 24 ? 8 : 24, .steps = STEPS, .nodes = NODES, .over = side_is_over, .checks = x->d->o->overflow, .loose = x->stubs != 0,
			       .flat = 1, .same_locals = 1, .flat_globals = x->flat_globals, .global_name = global_name, .apart = x->d->apart, .call = on_call, .ctx = s};
	if (x->direct)
		o.ends = on_edge;
	if (x->cuts) {
		o.unroll = 1;
		o.depth = 8;
		o.loop = diff_lockstep_loop;
		o.invariant = diff_lockstep_visit;
	}
	s->abstract = 0;
	s->obligations = 0;
	vec_clear(&s->cuts);
	vec_clear(&s->exits);
	vec_clear(&s->doubts);
	map_clear(&s->calls);
	map_clear(&s->left);
	s->vc = vc_new(x->p, s->f->code, &o);
	s->world = vc_object(s->vc, DIFF_WORLD, 8);
	diff_stubs_begin(s);
	vc_run(s->vc, s->f, args, &s->out);
	sort_ends(s);
}

static int uses_globals(const struct vc *v, const struct code *c)
{
	for (uint32_t i = 0; i < vc_objects(v); i++) {
		uint32_t g = vc_object_global(v, i);
		if (g != CODE_NONE && !c->globals[g].constant && c->globals[g].escapes)
			return 1;
	}
	return 0;
}

/* ------------------------------------------------------------ both */

int diff_pair_same_sign(const struct code_function *f, const struct code_function *g)
{
	return f->result_width < 2 || f->result_unsigned == g->result_unsigned;
}

static const char *why_not(const struct diff_pair *x)
{
	const struct code_function *f = x->side[OLD].f, *g = x->side[NEW].f;
	if (f->parameters != g->parameters || f->variadic != g->variadic || f->result_width != g->result_width || returns_value(f) != returns_value(g))
		return "it has other parameters or another type of result";
	if (f->variadic)
		return "it takes variable arguments";
	for (uint32_t i = 0; i < f->parameters; i++) {
		const struct code_value *v = &f->values[i], *w = &g->values[i];
		if (v->width != w->width || v->is_pointer != w->is_pointer)
			return "it has other parameters or another type of result";
		if ((v->flags | w->flags) & CODE_BYVAL || (!v->width && !v->is_pointer) || v->width > 64)
			return "it has a parameter that is no integer and no pointer";
	}
	return NULL;
}

static const char *parameter_name(const struct code_function *f, uint32_t parameter)
{
	for (uint32_t i = 0; i < f->variable_count; i++)
		if (f->variables[i].parameter == parameter && f->variables[i].name && *f->variables[i].name)
			return f->variables[i].name;
	for (uint32_t i = 0; i < f->binding_count && f->values[parameter].width == 1; i++) { /* a bool's variable is the byte that is made of it at once */
		uint32_t v = f->bindings[i].value;
		if (v != CODE_NONE && f->values[v].kind == CODE_INSTRUCTION && f->values[v].op == CODE_ZEXT && v < f->blocks[0].first + f->blocks[0].count && code_operand(f, v, 0) == parameter)
			return f->variables[f->bindings[i].variable].name;
	}
	return NULL;
}

void diff_pair_parameter(const struct code_function *f, uint32_t i, struct buf *out)
{
	const char *name = parameter_name(f, i);
	buf_clear(out);
	if (name)
		buf_adds(out, name);
	else
		buf_addf(out, "argument%u", i + 1);
	for (uint32_t k = 0; k < f->parameters && !name; k++) /* another one may be called so */
		if (parameter_name(f, k) && !strcmp(parameter_name(f, k), buf_str(out))) {
			buf_addc(out, '_');
			k = UINT32_MAX;
		}
}

static void make_arguments(struct diff_pair *x)
{
	const struct code_function *f = x->side[NEW].f;
	x->args = mem_zalloc((f->parameters + 1) * sizeof *x->args);
	for (uint32_t i = 0; i < f->parameters; i++) {
		const struct code_value *v = &f->values[i];
		struct buf text = BUF_EMPTY;
		diff_pair_parameter(f, i, &text);
		x->args[i] = expr_named(x->p, v->is_pointer ? 64 : v->width, buf_str(&text));
		struct diff_word in = {.term = x->args[i], .is_unsigned = !!(v->flags & CODE_UNSIGNED), .is_pointer = v->is_pointer, .is_parameter = 1, .type = CODE_NONE};
		for (uint32_t k = 0; k < f->variable_count; k++)
			if (f->variables[k].parameter == i)
				in.type = f->variables[k].type;
		in.name = buf_take(&text);
		vec_push(&x->inputs, in);
	}
}

static void note_addresses(struct diff_pair *x)
{
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < vc_objects(x->side[k].vc); i++)
			vec_push(&x->addresses, vc_address(x->side[k].vc, i));
}

/* ------------------------------------------------------------ interface */

static void release_sides(struct diff_pair *x)
{
	solve_context_free(x->context);
	x->context = NULL;
	for (int k = 0; k < 2; k++) {
		vc_free(x->side[k].vc);
		x->side[k].vc = NULL;
		vec_release(&x->side[k].exits);
		vec_release(&x->side[k].doubts);
		vec_release(&x->side[k].cuts);
		map_release(&x->side[k].calls);
		map_release(&x->side[k].left);
	}
	for (size_t i = 0; i < x->inputs.size; i++)
		free(x->inputs.data[i].name);
	vec_release(&x->inputs);
	vec_release(&x->addresses);
	free(x->args);
	x->args = NULL;
	diff_stubs_release(x);
	diff_sets_forget(x);
	exprs_free(x->p);
	x->p = NULL;
}

/* ------------------------------------------------------------ pointers */

struct numbers { /* is a pointer's number looked at, and not only what it leads to? */
	struct diff_pair *x;
	struct map seen;
	int found;
};

/* A pointer of the input, or one that was made from it: its steps. 0: it is none. */
static int is_place(const struct diff_pair *x, expr_t e, unsigned depth)
{
	const struct expr_node *n = expr_get(x->p, e);
	const struct diff_word *in = n->width == 64 ? diff_word_find(x, e) : NULL;
	if (in)
		return in->is_pointer;
	if (n->width != 64 || !depth)
		return 0;
	if (n->op == MUSTER_OP_ADD)
		return is_place(x, n->a, depth - 1) || is_place(x, n->b, depth - 1);
	if (n->op == MUSTER_OP_ITE)
		return is_place(x, n->b, depth - 1) || is_place(x, n->c, depth - 1);
	return 0;
}

/* What may be asked of a pointer: is it null, is it another one, is it before another one; and what vc itself asks: is it in the first page. */
static int asks_number(const struct diff_pair *x, const struct expr_node *n)
{
	u128 value;
	int a = is_place(x, n->a, 8), b = is_place(x, n->b, 8);
	if (!a && !b)
		return 0;
	expr_t other = a ? n->b : n->a;
	if (n->op == MUSTER_OP_EQ)
		return !(a && b) && (!expr_is_const(x->p, other, &value) || value || !diff_word_find(x, a ? n->a : n->b));
	if (n->op == MUSTER_OP_ULT || n->op == MUSTER_OP_ULE)
		return expr_is_const(x->p, other, &value) ? value != 4096 && value != 4095 : !(a && b);
	return 1;
}

static void find_numbers(struct numbers *k, expr_t e)
{
	struct expr_node n = *expr_get(k->x->p, e);
	expr_t operand[64];
	if (k->found || !map_set(&k->seen, e, 1))
		return;
	switch (n.op) {
	case EXPR_OP_NAMED:
	case EXPR_OP_ARRAY:
	case MUSTER_OP_CONST:
	case MUSTER_OP_ADD:
	case MUSTER_OP_ITE:
	case MUSTER_OP_DATA:
	case EXPR_OP_APPLY:
	case EXPR_OP_SELECT:
	case EXPR_OP_WRITE:
		break;
	case MUSTER_OP_EXTRACT:
		k->found |= n.width != 8 && is_place(k->x, n.a, 8); /* bytes are how it is stored */
		break;
	default:
		if (expr_operands(k->x->p, e, operand) == 2)
			k->found |= asks_number(k->x, &n);
		else
			k->found |= expr_operands(k->x->p, e, operand) == 1 && is_place(k->x, n.a, 8);
	}
	if (n.op == MUSTER_OP_DATA)
		for (uint64_t i = 0; i < expr_data_count(k->x->p, e); i++)
			find_numbers(k, expr_data_byte(k->x->p, e, i));
	unsigned count = n.op == EXPR_OP_APPLY ? expr_arguments(k->x->p, e, operand, 64) : expr_operands(k->x->p, e, operand);
	for (unsigned i = 0; i < count && i < 64; i++)
		find_numbers(k, operand[i]);
}

/* Pointers are null, or addresses of user space above its first page. What is left out behaves like some that is not, unless code looks at the number: then nothing is assumed. */
static void assume_pointers(struct diff_pair *x, const expr_t *sets, size_t count)
{
	struct numbers k = {.x = x};
	struct exprs *p = x->p;
	for (size_t i = 0; i < count; i++)
		if (expr_get(p, sets[i])->height < DEEP)
			find_numbers(&k, sets[i]);
		else
			k.found = 1;
	map_release(&k.seen);
	for (size_t i = 0; i < x->inputs.size && !k.found; i++) {
		const struct diff_word *in = &x->inputs.data[i];
		if (!in->is_pointer || expr_width(p, in->term) != 64)
			continue;
		expr_t low = expr_binary(p, MUSTER_OP_ULT, in->term, expr_const(p, 64, 4096)), high = expr_binary(p, MUSTER_OP_ULT, in->term, expr_const(p, 64, USER_SPACE));
		solve_context_assert(x->context, expr_or(p, expr_eq(p, in->term, expr_const(p, 64, 0)), expr_and(p, expr_not(p, low), high)));
	}
}

/* Variables lie in user space above its first page, unless nobody need define them. */
static void assume_variables(struct diff_pair *x)
{
	struct exprs *p = x->p;
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < vc_objects(x->side[k].vc); i++) {
			uint32_t g = vc_object_global(x->side[k].vc, i);
			expr_t at = vc_address(x->side[k].vc, i);
			if (g == CODE_NONE || x->side[k].f->code->globals[g].optional || expr_is_const(p, at, NULL))
				continue;
			expr_t low = expr_binary(p, MUSTER_OP_ULT, at, expr_const(p, 64, 4096)), high = expr_binary(p, MUSTER_OP_ULT, at, expr_const(p, 64, USER_SPACE));
			solve_context_assert(x->context, expr_and(p, expr_not(p, low), high));
		}
}

static int has_calls_of(const struct diff_side *a, const struct diff_side *b)
{
	size_t at = 0;
	uint64_t world, before;
	while (map_next(&a->calls, &at, &world, &before))
		if (!map_get(&b->calls, world, NULL))
			return 0;
	return 1;
}

/* Undefined behaviour after a call excuses nothing that was called before it, since the callee may not return. So where the versions do not make the same calls, it is not known to be the same. */
static void doubt_undefined(struct diff_pair *x)
{
	struct diff_side *a = &x->side[OLD], *b = &x->side[NEW];
	if (has_calls_of(a, b) && has_calls_of(b, a))
		return;
	for (int k = 0; k < 2; k++) {
		struct diff_side *s = &x->side[k];
		s->unknown = expr_or(x->p, s->unknown, s->undefined);
		s->why = s->why || s->undefined == expr_false(x->p) ? s->why : "undefined behaviour after other calls";
	}
}

static void evaluate_both(struct diff_pair *x)
{
	x->p = exprs_new();
	make_arguments(x);
	diff_direct_begin(x);
	for (int k = 0; k < 2; k++)
		evaluate_side(&x->side[k], x->args);
}

/* ------------------------------------------------------------ undefined values */

static expr_t as_zero(void *ctx, expr_t variable)
{
	struct diff_pair *x = ctx;
	const char *name = expr_get(x->p, variable)->op == EXPR_OP_NAMED ? expr_name(x->p, variable) : "";
	if (strncmp(name, "old.undef.", 10) && strncmp(name, "new.undef.", 10))
		return EXPR_NONE;
	return expr_const(x->p, expr_width(x->p, variable), 0);
}

/* A variable of the source that has no value yet is an undefined one in a phi, which is not used: the term without it, where it does not matter. */
static expr_t without_undefined(struct diff_pair *x, expr_t e, expr_t where)
{
	if (e == EXPR_NONE || expr_is_array(x->p, e))
		return e;
	expr_t zero = expr_substitute(x->p, e, as_zero, x);
	expr_t differs = expr_and(x->p, where, expr_not(x->p, expr_eq(x->p, e, zero)));
	return zero == e || diff_pair_check(x, &differs, 1, NULL) == VERDICT_UNSAT ? zero : e;
}

static void settle_undefined(struct diff_pair *x)
{
	expr_t always = expr_true(x->p);
	for (int k = 0; k < 2; k++) {
		struct diff_side *s = &x->side[k];
		s->out.returns = without_undefined(x, s->out.returns, always);
		s->out.value = without_undefined(x, s->out.value, s->out.returns);
		s->undefined = without_undefined(x, s->undefined, always);
		s->unknown = without_undefined(x, s->unknown, always);
		s->bound = without_undefined(x, s->bound, always);
		s->endless = without_undefined(x, s->endless, always);
	}
}

/* Inputs that lockstep.c proved to be unchanged are, also where a bound is in the way. Those that are undefined in both stay so. */
static void add_proved(struct diff_pair *x)
{
	struct exprs *p = x->p;
	expr_t proved;
	unsigned count;
	x->proved_same = EXPR_NONE;
	if (!x->proved.size || x->stubs || x->cuts || x->proved_flat != x->flat_globals || expr_read_serial(p, x->proved.data, x->proved.size, &proved, 1, &count) || count != 1)
		return;
	x->proved_same = expr_and(p, proved, expr_not(p, x->undefined));
	x->same = expr_or(p, x->same, x->proved_same);
	expr_t *others[] = {&x->diff, &x->termination, &x->crash, &x->unknown, &x->open}; /* those that are known were disjoint: said again, it helps the solver */
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		*others[i] = expr_and(p, *others[i], expr_not(p, proved));
}

const char *diff_pair_begin(struct diff_pair *x)
{
	const char *why = why_not(x);
	if (why)
		return why;
	if (x->p)
		release_sides(x);
	x->p = exprs_new();
	make_arguments(x);
	return NULL;
}

int diff_pair_is_equal(struct diff_pair *x)
{
	struct exprs *p = x->p;
	expr_t both = expr_and(p, x->side[OLD].undefined, x->side[NEW].undefined);
	expr_t other = expr_not(p, expr_or(p, x->same, expr_and(p, x->undefined, both)));
	return diff_pair_check(x, &other, 1, NULL) == VERDICT_UNSAT;
}

const char *diff_pair_evaluate(struct diff_pair *x, int abstracts, unsigned unroll)
{
	const char *why = why_not(x);
	if (why)
		return why;
	if (x->p)
		release_sides(x);
	x->abstracts = abstracts;
	x->unroll = unroll;
	x->cuts = unroll == DIFF_CUT;
	x->flat_globals = 0;
	evaluate_both(x);
	if ((vc_flat_used(x->side[OLD].vc) || vc_flat_used(x->side[NEW].vc)) &&
	    (uses_globals(x->side[OLD].vc, x->side[OLD].f->code) || uses_globals(x->side[NEW].vc, x->side[NEW].f->code))) {
		release_sides(x);
		x->flat_globals = 1;
		evaluate_both(x);
	}
	x->context = solve_context_new(x->solver, x->p);
	for (int k = 0; k < 2; k++)
		solve_context_assert(x->context, vc_facts(x->side[k].vc));
	assume_variables(x);
	settle_undefined(x);
	doubt_undefined(x);
	note_addresses(x);
	diff_sets_make(x);
	add_proved(x);
	/* One by one: together they are everything, and speak of nothing. */
	const expr_t sets[] = {x->diff, x->same, x->undefined, x->termination, x->unknown, x->open};
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		diff_word_collect(x, sets[i]);
	assume_pointers(x, sets, sizeof sets / sizeof *sets);
	return NULL;
}

void diff_pair_release(struct diff_pair *x)
{
	map_release(&x->coupled);
	map_release(&x->followed);
	buf_release(&x->proved);
	if (x->p)
		release_sides(x);
}

int diff_pair_is_over(const struct diff_pair *x)
{
	return deadline_processor() > x->end || deadline_clock() > x->clock_end || deadline_over();
}

void diff_pair_limit(struct diff_pair *x, double seconds, double waits)
{
	double end = deadline_processor() + seconds, clock_end = deadline_clock() + waits * seconds;
	x->end = x->end && x->end < end ? x->end : end;
	x->clock_end = x->clock_end && x->clock_end < clock_end ? x->clock_end : clock_end;
}

void diff_pair_limit_to(struct diff_pair *x, double share)
{
	double now = deadline_processor(), clock = deadline_clock();
	x->end = now + share * (x->end - now);
	x->clock_end = clock + share * (x->clock_end - clock);
}

enum verdict diff_pair_check(struct diff_pair *x, const expr_t *assumptions, unsigned count, struct solve_model *m)
{
	struct solve_model own = {0};
	double left = x->end - deadline_processor(), waits = x->clock_end - deadline_clock();
	if (diff_pair_is_over(x))
		return VERDICT_UNKNOWN;
	solver_limit(x->solver, left < waits ? left : waits);
	enum verdict v = solve_context_check(x->context, assumptions, count, m ? m : &own);
	solve_model_release(&own);
	return v;
}

enum verdict diff_pair_check_with(struct diff_pair *x, const struct solve_effort *e, const expr_t *assumptions, unsigned count, struct solve_model *m)
{
	solver_effort(x->solver, e);
	enum verdict v = diff_pair_check(x, assumptions, count, m);
	solver_effort(x->solver, NULL);
	return v;
}

/* ------------------------------------------------------------ what a term speaks of */

static int is_input_leaf(const struct diff_pair *x, const struct expr_node *n, expr_t e)
{
	if (n->op == EXPR_OP_ARRAY)
		return !strchr(expr_name(x->p, e), '.') && !strchr(expr_name(x->p, e), '@');
	for (size_t i = 0; i < x->addresses.size; i++)
		if (x->addresses.data[i] == e)
			return 0;
	const char *name = expr_name(x->p, e);
	return strncmp(name, "old.", 4) && strncmp(name, "new.", 4) && strncmp(name, "old@", 4) && strncmp(name, "new@", 4) && strncmp(name, VC_UNSET, strlen(VC_UNSET)) && strncmp(name, VC_STACK, strlen(VC_STACK)) && strncmp(name, DIFF_WORLD, strlen(DIFF_WORLD)) && strcmp(name, "any offset");
}

static int input_only(struct diff_pair *x, expr_t e, struct map *seen)
{
	struct expr_node n = *expr_get(x->p, e);
	expr_t operand[3];
	if (n.op == EXPR_OP_APPLY)
		return 0;
	if (!map_set(seen, e, 1))
		return 1;
	if (n.op == EXPR_OP_NAMED || n.op == EXPR_OP_ARRAY)
		return is_input_leaf(x, &n, e);
	if (n.op == MUSTER_OP_DATA) {
		for (uint64_t i = 0; i < expr_data_count(x->p, e); i++)
			if (!input_only(x, expr_data_byte(x->p, e, i), seen))
				return 0;
		return 1;
	}
	if (n.op == EXPR_OP_SELECT && expr_get(x->p, n.a)->op == EXPR_OP_ARRAY) { /* a variable in the flat memory */
		uint64_t offset;
		if (diff_word_global(x, diff_word_base(x->p, n.b, &offset)) != CODE_NONE)
			return 1;
	}
	unsigned count = expr_operands(x->p, e, operand);
	for (unsigned i = 0; i < count; i++)
		if (!input_only(x, operand[i], seen))
			return 0;
	return 1;
}

int diff_pair_is_input_only(struct diff_pair *x, expr_t e)
{
	struct map seen = {0};
	int yes = expr_get(x->p, e)->height < DEEP && input_only(x, e, &seen);
	map_release(&seen);
	return yes;
}
