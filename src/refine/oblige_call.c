/* oblige_call.c: obligations of calls, entries and returns, casts and operators.
 *
 * Arguments and operands get names, so that they are evaluated once, are checked, and are then used. A function whose callers
 * are all in sight is entered only with what was checked at its calls; others look for themselves.
 */
#include "refine/oblige.h"

#include <string.h>

/* --------------------------------------------------------------- functions */
static uint32_t callee_of(struct unit *u, uint32_t call)
{
	uint32_t name = node(u, call)->first ? tree_bare(u->t, node(u, call)->first) : 0, d;

	if (!name || node(u, name)->kind != TREE_NAME || !(d = referred(u, name)) || node(u, d)->kind != TREE_FUNCTION)
		return 0;
	return d;
}

enum { MOST_HOISTED = 63 }; /* arguments that get names */

struct hoist {
	uint32_t number;
	uint64_t used;
};

static void name_hoisted(struct unit *u, void *ctx, const struct conjunct *c, size_t i, struct buf *out)
{
	struct hoist *h = ctx;
	int index = c->owner == OWNER_TYPEDEF ? h->number >> 26 : c->arguments.data[i].index;

	(void)u;
	h->used |= 1ull << index;
	buf_addf(out, "__muster_a%u_%d", h->number & 0x3ffffffu, index);
}

static uint32_t argument_node(struct unit *u, uint32_t call, int index)
{
	return child(u, call, index + 1);
}

static void oblige_arguments(struct unit *u, uint32_t call, uint32_t callee, const expr_t *values, uint32_t count)
{
	struct buf checks = BUF_EMPTY;
	struct hoist h = {.number = u->names++};
	struct site s = {.n = call, .place = REFINE_AT_ARGUMENT, .name = name_hoisted, .ctx = &h, .checks = &checks};
	expr_t given[MOST_ARGUMENTS];
	uint32_t p, index = h.number;
	struct action *a;

	for (size_t i = 0; i < u->conjuncts.size; i++) {
		const struct conjunct *c = &u->conjuncts.data[i];
		int complete = 1;

		if (c->owner != OWNER_PARAMETER || c->decl != callee || !visible(u, c, call) || c->arguments.size > MOST_ARGUMENTS)
			continue;
		for (size_t k = 0; k < c->arguments.size; k++) {
			int at = c->arguments.data[k].index;

			complete &= at >= 0 && (uint32_t)at < count && at < MOST_HOISTED;
			if (complete)
				given[k] = convert(u, values[at], node(u, argument_node(u, call, at))->type,
						   c->arguments.data[k].type);
		}
		if (complete)
			oblige(u, c, given, &s);
	}
	for (int i = 0; (p = function_parameter(u, callee, i)) && (uint32_t)i < count && i < MOST_HOISTED; i++)
		for (size_t k = 0; k < u->conjuncts.size;) {
			struct conjunct *c = conjunct_of_type(u, node(u, p)->type, &k);
			expr_t x;

			if (!c)
				break;
			x = convert(u, values[i], node(u, argument_node(u, call, i))->type, node(u, p)->type);
			h.number = index | (uint32_t)i << 26;
			oblige(u, c, &x, &s);
		}
	if (!checks.size)
		return;
	a = action_add(u, ACTION_ARGUMENTS, call);
	a->number = index;
	a->hoisted = h.used;
	a->checks = keep(u, &checks);
}

static uint32_t body_of(struct unit *u, uint32_t function)
{
	uint32_t body = 0;

	for (uint32_t c = node(u, function)->first; c; c = node(u, c)->next)
		if (node(u, c)->kind == TREE_BLOCK)
			body = c;
	return body;
}

/* A promise that a definition keeps: one that came later, or in its body, says nothing of its returns. */
static int written_before(struct unit *u, const struct conjunct *c, uint32_t function)
{
	return node(u, c->site)->begin <= node(u, body_of(u, function))->begin;
}

/* Whether every return of the function is checked in this unit. */
static int returns_checked(struct unit *u, const struct conjunct *c, uint32_t callee)
{
	int found = 0;

	for (uint32_t n = node(u, 1)->first; n; n = node(u, n)->next)
		if (node(u, n)->kind == TREE_FUNCTION && node(u, n)->defined && node(u, n)->canon == callee)
			found = !node(u, n)->in_system && written_before(u, c, n);
	for (uint32_t n = node(u, 1)->first; n && found; n = node(u, n)->next)
		if (node(u, n)->canon == callee && node(u, n)->kind == TREE_FUNCTION && node(u, n)->is_weak)
			found = 0;
	return found;
}

static void name_result(struct unit *u, void *ctx, const struct conjunct *c, size_t i, struct buf *out)
{
	(void)u;
	(void)c;
	(void)i;
	buf_adds(out, ctx);
}

static void oblige_result(struct unit *u, uint32_t call, uint32_t callee, expr_t result, uint32_t number, struct buf *checks)
{
	struct buf name = BUF_EMPTY;
	struct site s = {.n = call, .place = REFINE_AT_RESULT, .name = name_result, .checks = checks};

	buf_addf(&name, "__muster_v%u", number);
	s.ctx = (void *)keep(u, &name);
	for (size_t i = 0; i < u->conjuncts.size; i++) {
		const struct conjunct *c = &u->conjuncts.data[i];

		if (c->owner != OWNER_RESULT || c->decl != callee || !visible(u, c, call))
			continue;
		/* One that names parameters is about values that the caller does not know any more. */
		if (c->arguments.size != 1 || c->arguments.data[0].index != SELF)
			continue;
		if (returns_checked(u, c, callee)) {
			if (!u->weak)
				fact(u, holds(u, c, &result));
		} else {
			oblige(u, c, &result, &s);
		}
	}
	for (size_t k = 0; k < u->conjuncts.size;) {
		struct conjunct *c = conjunct_of_type(u, u->t->types.data[node(u, callee)->type].to, &k);

		if (!c)
			break;
		if (returns_checked(u, c, callee)) {
			if (!u->weak)
				fact(u, holds(u, c, &result));
		} else {
			oblige(u, c, &result, &s);
		}
	}
}

/* A builtin that is given no address writes nothing. */
static int is_harmless(struct unit *u, uint32_t call)
{
	uint32_t name = node(u, call)->first ? tree_bare(u->t, node(u, call)->first) : 0;

	if (!name || node(u, name)->kind != TREE_NAME || strncmp(node(u, name)->name, "__builtin_", 10))
		return 0;
	for (uint32_t c = node(u, node(u, call)->first)->next; c; c = node(u, c)->next)
		if (type_of(u, c)->kind == TREE_TYPE_POINTER || type_of(u, c)->kind == TREE_TYPE_ARRAY)
			return 0;
	return 1;
}

void oblige_call(struct unit *u, uint32_t call, const expr_t *values, uint32_t count, expr_t *result)
{
	uint32_t callee = callee_of(u, call), number = u->names++;
	struct buf checks = BUF_EMPTY;
	struct action *a;

	if (is_harmless(u, call))
		return;
	if (callee) {
		oblige_arguments(u, call, callee, values, count);
		oblige_result(u, call, callee, *result, number, &checks);
	}
	oblige_others(u, call, &checks);
	if (!checks.size)
		return;
	a = action_add(u, ACTION_AFTER, call);
	a->number = number;
	a->checks = keep(u, &checks);
}

/* Whether a condition of a parameter is one that every call saw: those in front of it did not. */
static int seen_by_calls(struct unit *u, const struct conjunct *c, uint32_t function)
{
	uint32_t named = u->variables.data[node(u, function)->canon].named;

	for (size_t i = 0; i < c->arguments.size; i++)
		if (c->arguments.data[i].index >= MOST_HOISTED)
			return 0;
	return !named || node(u, c->site)->begin < named;
}

/* The same of a parameter's type: calls look at the first declaration. */
static int type_seen_by_calls(struct unit *u, const struct conjunct *c, uint32_t function, int index)
{
	uint32_t p = function_parameter(u, node(u, function)->canon, index);
	const struct conjunct *seen;

	for (size_t i = 0; p && index < MOST_HOISTED && (seen = conjunct_of_type(u, node(u, p)->type, &i));)
		if (seen == c)
			return 1;
	return 0;
}

void oblige_entry(struct unit *u, uint32_t function)
{
	struct buf checks = BUF_EMPTY;
	uint32_t body = body_of(u, function), p;
	int closed = node(u, function)->is_static && !node(u, function)->is_weak && !node(u, node(u, function)->canon)->is_weak &&
		     !u->variables.data[node(u, function)->canon].addressed;
	expr_t given[MOST_ARGUMENTS];

	for (size_t i = 0; i < u->conjuncts.size; i++) {
		const struct conjunct *c = &u->conjuncts.data[i];
		struct site s = {.n = function, .place = REFINE_AT_ENTRY, .name = name_now, .checks = &checks};

		if (c->owner != OWNER_PARAMETER || c->decl != node(u, function)->canon || c->arguments.size > MOST_ARGUMENTS ||
		    node(u, c->site)->begin > node(u, body)->begin || arguments_now(u, c, given))
			continue;
		if (!closed || !seen_by_calls(u, c, function))
			oblige(u, c, given, &s);
		else if (!u->weak)
			fact(u, holds(u, c, given));
	}
	for (int i = 0; (p = function_parameter(u, function, i)); i++)
		for (size_t k = 0; k < u->conjuncts.size;) {
			struct conjunct *c = conjunct_of_type(u, node(u, p)->type, &k);
			struct site s = {.n = function, .place = REFINE_AT_ENTRY, .name = name_value_text,
					 .ctx = (void *)node(u, p)->name, .checks = &checks};
			expr_t x;

			if (!c || !*node(u, p)->name)
				break;
			x = u->variables.data[p].tracked ? u->variables.data[p].term : fresh(u, node(u, p)->type);
			if (!closed || !type_seen_by_calls(u, c, function, i))
				oblige(u, c, &x, &s);
			else if (!u->weak)
				fact(u, holds(u, c, &x));
		}
	if (checks.size)
		action_add(u, ACTION_INSIDE, body)->checks = keep(u, &checks);
}

/* Whatever the function's result is refined by, of the value x, whose text is given. */
static void oblige_promises(struct unit *u, expr_t x, const char *text, struct site *s)
{
	uint32_t function = u->function, type = u->t->types.data[node(u, function)->type].to;
	expr_t given[MOST_ARGUMENTS];

	for (size_t i = 0; i < u->conjuncts.size; i++) {
		const struct conjunct *c = &u->conjuncts.data[i];

		if (c->owner != OWNER_RESULT || c->decl != node(u, function)->canon || c->arguments.size > MOST_ARGUMENTS ||
		    !written_before(u, c, function))
			continue;
		for (size_t k = 0; k < c->arguments.size; k++) {
			const struct argument *g = &c->arguments.data[k];
			uint32_t p = g->index == SELF ? 0 : function_parameter(u, function, g->index);

			given[k] = p ? variable_value(u, p) : x;
		}
		s->name = name_value_text;
		s->ctx = (void *)text;
		oblige(u, c, given, s);
	}
	oblige_type(u, type, x, text, s);
}

void oblige_return(struct unit *u, uint32_t expression, expr_t x)
{
	uint32_t type = u->t->types.data[node(u, u->function)->type].to, number = u->names++;
	struct buf checks = BUF_EMPTY, name = BUF_EMPTY;
	struct site s = {.n = expression, .place = REFINE_AT_RETURN, .checks = &checks};
	struct action *a;

	buf_addf(&name, "__muster_v%u", number);
	oblige_promises(u, convert(u, x, node(u, expression)->type, type), keep(u, &name), &s);
	if (!checks.size)
		return;
	a = action_add(u, ACTION_INITIAL, expression);
	a->number = number;
	a->type = spelled(u, type_text(u, type));
	a->checks = keep(u, &checks);
}

/* main gives 0 at its end. Of others C says nothing but that the value must not be used; a caller here would believe it. */
void oblige_end(struct unit *u, uint32_t n)
{
	uint32_t type = u->t->types.data[node(u, u->function)->type].to;
	unsigned width = type_width(u, type);
	struct buf checks = BUF_EMPTY;
	struct site s = {.n = n, .place = REFINE_AT_RETURN, .checks = &checks, .line = node(u, n)->end_line};
	int is_main = node(u, n)->kind == TREE_BLOCK && !strcmp(node(u, u->function)->name, "main");

	if (u->t->types.data[type].kind == TREE_TYPE_VOID)
		return;
	s.no_value = !is_main;
	oblige_promises(u, is_main && width ? expr_const(u->pool, width, 0) : fresh(u, type), "0", &s);
	if (checks.size)
		action_add(u, ACTION_END, n)->checks = keep(u, &checks);
}

void oblige_cast(struct unit *u, uint32_t cast, expr_t x)
{
	struct buf checks = BUF_EMPTY, name = BUF_EMPTY;
	uint32_t number = u->names++;
	struct site s = {.n = cast, .place = REFINE_AT_CAST, .checks = &checks};
	struct action *a;

	if (u->predicate_depth || !type_of(u, cast)->typedefs.size)
		return;
	buf_addf(&name, "__muster_v%u", number);
	oblige_type(u, node(u, cast)->type, x, keep(u, &name), &s);
	if (!checks.size)
		return;
	a = action_add(u, ACTION_AFTER, cast);
	a->number = number;
	a->checks = keep(u, &checks);
}

/* --------------------------------------------------------------- operators */
/* The type that an operator computes with, as rank and sign. */
static void common_type(struct unit *u, uint32_t n, int *rank, int *is_signed)
{
	uint32_t left = node(u, n)->first, right = left ? node(u, left)->next : 0;
	const struct tree_type *a = type_of(u, left), *b = right ? type_of(u, right) : a;
	int ra = a->rank < 3 ? 3 : a->rank, rb = b->rank < 3 ? 3 : b->rank;
	int sa = a->rank < 3 || a->is_signed, sb = b->rank < 3 || b->is_signed;

	*rank = ra;
	*is_signed = sa;
	if (node(u, n)->op == TREE_OP_SHL || node(u, n)->op == TREE_OP_SHR)
		return;
	if (ra == rb)
		*is_signed = sa && sb;
	else if (rb > ra) {
		*rank = rb;
		*is_signed = sb && (sa || b->bits > a->bits);
	} else
		*is_signed = sa && (sb || a->bits > b->bits);
}

struct operands {
	uint32_t number;
};

static void name_operand(struct unit *u, void *ctx, const struct conjunct *c, size_t i, struct buf *out)
{
	struct operands *o = ctx;
	int index = c->arguments.data[i].index;

	(void)u;
	buf_addf(out, "__muster_%c%u", index == SELF ? 'r' : 'a' + index, o->number);
}

static int fits(struct unit *u, const struct conjunct *c, uint32_t n, enum tree_op op, int unary)
{
	const struct tree_type *t = type_of(u, c->site);
	int rank, is_signed;

	if ((c->owner != OWNER_OPERANDS && c->owner != OWNER_PROMISE) || c->op != op || c->unary != unary || !visible(u, c, n))
		return 0;
	if (type_of(u, node(u, n)->first)->kind != TREE_TYPE_INT)
		return 0;
	if (!unary && type_of(u, child(u, n, 1))->kind != TREE_TYPE_INT)
		return 0;
	common_type(u, n, &rank, &is_signed);
	return t->rank == rank && t->is_signed == is_signed;
}

void oblige_operator(struct unit *u, uint32_t n, enum tree_op op, int unary, expr_t a, expr_t b, expr_t result)
{
	struct buf checks = BUF_EMPTY, late = BUF_EMPTY;
	struct operands o = {u->names++};
	struct action *x;
	const char *type = "";
	expr_t given[MOST_ARGUMENTS];

	if (u->predicate_depth)
		return;
	for (int promise = 0; promise < 2; promise++)
		for (size_t i = 0; i < u->conjuncts.size; i++) {
			const struct conjunct *c = &u->conjuncts.data[i];
			struct site s = {.n = n, .place = promise ? REFINE_AT_PROMISE : REFINE_AT_OPERAND, .name = name_operand,
					 .ctx = &o, .checks = promise ? &late : &checks};

			if (c->owner != (promise ? OWNER_PROMISE : OWNER_OPERANDS) || !fits(u, c, n, op, unary))
				continue;
			for (size_t k = 0; k < c->arguments.size && k < MOST_ARGUMENTS; k++) {
				int index = c->arguments.data[k].index;
				expr_t v = index == SELF ? result : index ? b : a;

				if (!v || expr_width(u->pool, v) != type_width(u, c->arguments.data[k].type))
					v = fresh(u, c->arguments.data[k].type);
				given[k] = v;
			}
			type = type_text(u, node(u, c->site)->type);
			oblige(u, c, given, &s);
		}
	if (!checks.size && !late.size)
		return;
	x = action_add(u, ACTION_OPERANDS, n);
	x->number = o.number;
	x->type = spelled(u, type);
	x->checks = keep(u, &checks);
	x->checks_late = keep(u, &late);
}
