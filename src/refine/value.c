/* value.c: expressions as terms, with C's conversions.
 *
 * A value has the width of its object (8 for bool, where it is 0 or 1). Arithmetic wraps; what C leaves undefined and machines do
 * differently (a shift by the width or more, INT_MIN / -1, division by zero) is a fresh value, so that nothing is proved by it.
 * What has no term here (floating point, calls, volatile and atomic objects, memory) is a fresh value of its type as well:
 * "any". Evaluation goes in order of the source and meets obligations on the way, so each expression is evaluated once.
 */
#include "refine/unit.h"

#include <string.h>

expr_t truth(struct unit *u, expr_t x)
{
	if (x == EXPR_NONE)
		return EXPR_NONE;
	if (expr_width(u->pool, x) == 1)
		return x;
	return expr_not(u->pool, expr_eq(u->pool, x, expr_const(u->pool, expr_width(u->pool, x), 0)));
}

/* A truth value as C has it. */
static expr_t from_truth(struct unit *u, expr_t x, uint32_t type)
{
	unsigned width = type_width(u, type);

	if (x == EXPR_NONE || !width)
		return fresh(u, type);
	return width == 1 ? x : expr_zext(u->pool, x, width);
}

static expr_t resize(struct unit *u, expr_t x, int is_signed, unsigned width)
{
	unsigned from = expr_width(u->pool, x);

	if (from == width)
		return x;
	if (from > width)
		return expr_extract(u->pool, x, 0, width);
	return is_signed ? expr_sext(u->pool, x, width) : expr_zext(u->pool, x, width);
}

expr_t convert(struct unit *u, expr_t x, uint32_t from, uint32_t to)
{
	const struct tree_type *a = &u->t->types.data[from], *b = &u->t->types.data[to];
	unsigned width = type_width(u, to);

	if (!width)
		return EXPR_NONE;
	if (x == EXPR_NONE || !type_width(u, from) || expr_width(u->pool, x) != type_width(u, from))
		return fresh(u, to);
	if (b->kind == TREE_TYPE_BOOL)
		return a->kind == TREE_TYPE_BOOL ? x : expr_zext(u->pool, truth(u, x), width);
	return resize(u, x, a->kind == TREE_TYPE_INT && a->is_signed, width);
}

/* A binary operator on operands of one width; for shifts b has been brought to a's width, saturated. */
static expr_t total(struct unit *u, expr_t x, expr_t defined, unsigned width)
{
	char name[24];
	static const char digits[] = "0123456789abcdef";
	uint32_t k = u->fresh++;
	size_t n = 0;

	if (defined == expr_true(u->pool))
		return x;
	name[n++] = 'u';
	do
		name[n++] = digits[k & 15];
	while (k >>= 4);
	name[n] = 0;
	return expr_ite(u->pool, defined, x, expr_named(u->pool, width, name));
}

expr_t apply(struct unit *u, enum tree_op op, expr_t a, expr_t b, unsigned width, int is_signed)
{
	struct exprs *p = u->pool;
	expr_t zero = expr_const(p, width, 0), defined;

	switch (op) {
	case TREE_OP_ADD: return expr_binary(p, MUSTER_OP_ADD, a, b);
	case TREE_OP_SUB: return expr_binary(p, MUSTER_OP_SUB, a, b);
	case TREE_OP_MUL: return expr_binary(p, MUSTER_OP_MUL, a, b);
	case TREE_OP_AND: return expr_binary(p, MUSTER_OP_AND, a, b);
	case TREE_OP_OR: return expr_binary(p, MUSTER_OP_OR, a, b);
	case TREE_OP_XOR: return expr_binary(p, MUSTER_OP_XOR, a, b);
	case TREE_OP_DIV: case TREE_OP_REM:
		defined = expr_not(p, expr_eq(p, b, zero));
		if (is_signed)
			defined = expr_and(p, defined, expr_not(p, expr_and(p,
				  expr_eq(p, a, expr_const(p, width, (u128)1 << (width - 1))),
				  expr_eq(p, b, expr_const(p, width, ~(u128)0)))));
		if (op == TREE_OP_DIV)
			return total(u, expr_binary(p, is_signed ? MUSTER_OP_SDIV : MUSTER_OP_UDIV, a, b), defined, width);
		return total(u, expr_binary(p, is_signed ? MUSTER_OP_SREM : MUSTER_OP_UREM, a, b), defined, width);
	case TREE_OP_SHL:
		return total(u, expr_binary(p, MUSTER_OP_SHL, a, b),
			     expr_binary(p, MUSTER_OP_ULT, b, expr_const(p, width, width)), width);
	case TREE_OP_SHR:
		return total(u, expr_binary(p, is_signed ? MUSTER_OP_ASHR : MUSTER_OP_LSHR, a, b),
			     expr_binary(p, MUSTER_OP_ULT, b, expr_const(p, width, width)), width);
	case TREE_OP_EQ: return expr_eq(p, a, b);
	case TREE_OP_NE: return expr_not(p, expr_eq(p, a, b));
	case TREE_OP_LT: return expr_binary(p, is_signed ? MUSTER_OP_SLT : MUSTER_OP_ULT, a, b);
	case TREE_OP_GT: return expr_binary(p, is_signed ? MUSTER_OP_SLT : MUSTER_OP_ULT, b, a);
	case TREE_OP_LE: return expr_binary(p, is_signed ? MUSTER_OP_SLE : MUSTER_OP_ULE, a, b);
	case TREE_OP_GE: return expr_binary(p, is_signed ? MUSTER_OP_SLE : MUSTER_OP_ULE, b, a);
	default: return EXPR_NONE;
	}
}

/* ------------------------------------------------------------------- names */
expr_t variable_value(struct unit *u, uint32_t d)
{
	struct variable *v = &u->variables.data[d];
	expr_t x;

	if (v->tracked && v->term)
		return v->term;
	x = fresh(u, node(u, d)->type);
	if (!x || v->untrusted || !v->refined || d == u->declaring || u->predicate_depth || type_of(u, d)->is_volatile)
		return x;
	/* It is not followed, but whoever wrote it was checked. */
	for (size_t i = 0; i < u->conjuncts.size;) {
		const struct conjunct *c = conjunct_of_type(u, node(u, d)->type, &i);

		if (c && c->arguments.size == 1)
			fact(u, holds(u, c, &x));
	}
	for (size_t i = 0; i < u->conjuncts.size; i++) {
		const struct conjunct *c = &u->conjuncts.data[i];

		if (c->owner == OWNER_VARIABLE && c->decl == d && c->arguments.size == 1 && c->arguments.data[0].index == SELF)
			fact(u, holds(u, c, &x));
		if (c->owner == OWNER_PARAMETER && u->function && c->decl == node(u, u->function)->canon &&
		    c->arguments.size == 1 && c->arguments.data[0].index == c->index &&
		    function_parameter(u, u->function, c->index) == d)
			fact(u, holds(u, c, &x));
	}
	return x;
}

static expr_t name_value(struct unit *u, uint32_t n)
{
	uint32_t d = referred(u, n);

	if (!d)
		return fresh(u, node(u, n)->type);
	if (node(u, d)->kind == TREE_ENUMERATOR) {
		unsigned width = type_width(u, node(u, n)->type);

		return width ? expr_const(u->pool, width, (u128)(__int128)(int64_t)node(u, d)->value) : EXPR_NONE;
	}
	if (u->inside && node(u, d)->kind == TREE_PARAMETER)
		for (size_t i = 0; i < u->inside->arguments.size; i++)
			if (function_parameter(u, u->inside->predicate, (int)i) == d)
				return u->given[i] ? u->given[i] : fresh(u, node(u, d)->type);
	if (node(u, d)->kind == TREE_VARIABLE || node(u, d)->kind == TREE_PARAMETER)
		return variable_value(u, d);
	return fresh(u, node(u, n)->type);
}

expr_t holds(struct unit *u, const struct conjunct *c, const expr_t *given)
{
	const struct conjunct *before = u->inside;
	const expr_t *given_before = u->given;
	expr_t x;

	u->inside = c;
	u->given = given;
	u->predicate_depth++;
	x = truth(u, value(u, c->condition));
	u->predicate_depth--;
	u->inside = before;
	u->given = given_before;
	return x;
}

/* ---------------------------------------------------------------- operators */
static expr_t unary(struct unit *u, uint32_t n)
{
	const struct tree_node *x = node(u, n);
	enum tree_op op = x->op;
	uint32_t operand = x->first, type = x->type;
	expr_t a, r = EXPR_NONE;
	unsigned width;

	switch (op) {
	case TREE_OP_POSTINC: case TREE_OP_POSTDEC: case TREE_OP_PREINC: case TREE_OP_PREDEC:
		a = value(u, operand);
		width = type_width(u, type);
		if (a && type_of(u, n)->kind == TREE_TYPE_INT)
			r = apply(u, op == TREE_OP_POSTINC || op == TREE_OP_PREINC ? TREE_OP_ADD : TREE_OP_SUB, a,
				  expr_const(u->pool, width, 1), width, type_of(u, n)->is_signed);
		else
			r = fresh(u, type);
		oblige_write(u, n, operand, r);
		return op == TREE_OP_POSTINC || op == TREE_OP_POSTDEC ? a : r;
	case TREE_OP_ADDRESS:
		note_address(u, n);
		if (node(u, tree_bare(u->t, operand))->kind != TREE_NAME)
			value(u, operand);
		return fresh(u, type);
	case TREE_OP_LNOT:
		a = truth(u, value(u, operand));
		if (a)
			r = from_truth(u, expr_not(u->pool, a), type);
		break;
	case TREE_OP_EXTENSION: return value(u, operand);
	default:
		a = value(u, operand);
		width = type_width(u, type);
		if (!a || !width || expr_width(u->pool, a) != width)
			break;
		if (op == TREE_OP_PLUS)
			r = a;
		else if (op == TREE_OP_MINUS)
			r = expr_binary(u->pool, MUSTER_OP_SUB, expr_const(u->pool, width, 0), a);
		else if (op == TREE_OP_NOT)
			r = expr_binary(u->pool, MUSTER_OP_XOR, a, expr_const(u->pool, width, ~(u128)0));
	}
	if (!r)
		r = fresh(u, type);
	if (op == TREE_OP_MINUS || op == TREE_OP_NOT || op == TREE_OP_PLUS || op == TREE_OP_LNOT)
		oblige_operator(u, n, op, 1, a, EXPR_NONE, r);
	return r;
}

/* a && b, a || b: the right side only counts where the left lets it. */
static expr_t logical(struct unit *u, uint32_t n)
{
	int is_and = node(u, n)->op == TREE_OP_ANDAND;
	uint32_t left = node(u, n)->first, right = node(u, left)->next;
	expr_t a = truth(u, value(u, left)), b, go;
	struct state before = {0};

	state_save(u, &before);
	go = !a ? EXPR_NONE : is_and ? a : expr_not(u->pool, a);
	if (!u->weak)
		fact(u, go);
	b = truth(u, value(u, right));
	/* before: the right side was not evaluated */
	state_merge(u, &before, go ? expr_not(u->pool, go) : EXPR_NONE, before.facts);
	state_release(&before);
	if (!a || !b)
		return fresh(u, node(u, n)->type);
	return from_truth(u, is_and ? expr_and(u->pool, a, b) : expr_or(u->pool, a, b), node(u, n)->type);
}

static expr_t choice(struct unit *u, uint32_t n)
{
	uint32_t c = node(u, n)->first, yes = node(u, c)->next, no = node(u, yes)->next;
	expr_t condition = truth(u, value(u, c)), a, b;
	struct state before = {0}, after = {0};

	state_save(u, &before);
	if (!u->weak)
		fact(u, condition);
	a = value(u, yes);
	state_save(u, &after);
	state_restore(u, &before);
	if (condition && !u->weak)
		fact(u, expr_not(u->pool, condition));
	b = value(u, no);
	state_merge(u, &after, condition, before.facts);
	state_release(&before);
	state_release(&after);
	if (!condition || !a || !b || expr_width(u->pool, a) != expr_width(u->pool, b))
		return fresh(u, node(u, n)->type);
	return expr_ite(u->pool, condition, a, b);
}

static int is_comparison(enum tree_op op)
{
	return op >= TREE_OP_LT && op <= TREE_OP_NE;
}

/* A shift's amount, as wide as what is shifted: too large stays too large. */
static expr_t amount(struct unit *u, expr_t b, int is_signed, unsigned width)
{
	unsigned from = expr_width(u->pool, b);
	expr_t cut;

	if (from <= width)
		return resize(u, b, is_signed, width);
	cut = expr_extract(u->pool, b, 0, width);
	return expr_ite(u->pool, expr_binary(u->pool, MUSTER_OP_ULT, b, expr_const(u->pool, from, width)), cut,
			expr_const(u->pool, width, width));
}

static expr_t binary(struct unit *u, uint32_t n)
{
	enum tree_op op = node(u, n)->op;
	uint32_t left = node(u, n)->first, right = node(u, left)->next;
	const struct tree_type *t;
	expr_t a, b, r = EXPR_NONE;
	unsigned width;

	if (op == TREE_OP_ANDAND || op == TREE_OP_OROR)
		return logical(u, n);
	a = value(u, left);
	b = value(u, right);
	if (op == TREE_OP_COMMA)
		return b;
	t = type_of(u, left);
	width = type_width(u, node(u, left)->type);
	if (a && b && width && op != TREE_OP_OTHER && t->kind != TREE_TYPE_POINTER && t->kind != TREE_TYPE_BOOL &&
	    type_of(u, right)->kind == TREE_TYPE_INT) {
		if (op == TREE_OP_SHL || op == TREE_OP_SHR)
			b = amount(u, b, type_of(u, right)->is_signed, width);
		if (expr_width(u->pool, a) == width && expr_width(u->pool, b) == width)
			r = apply(u, op, a, b, width, t->is_signed);
	} else if (a && b && width && (op == TREE_OP_EQ || op == TREE_OP_NE) && expr_width(u->pool, a) == expr_width(u->pool, b)) {
		r = apply(u, op, a, b, width, 0);
	}
	if (r && is_comparison(op))
		r = from_truth(u, r, node(u, n)->type);
	if (!r || expr_width(u->pool, r) != type_width(u, node(u, n)->type))
		r = fresh(u, node(u, n)->type);
	oblige_operator(u, n, op, 0, a, b, r);
	return r;
}

/* What x op= y computes with: by width, since equal widths are equal values. */
static expr_t compound(struct unit *u, uint32_t n, expr_t a, expr_t b)
{
	enum tree_op op = node(u, n)->op;
	uint32_t left = node(u, n)->first, right = node(u, left)->next;
	const struct tree_type *x = type_of(u, left), *y = type_of(u, right);
	unsigned width, other;
	int is_signed, other_signed;
	expr_t r;

	if (!a || !b || (x->kind != TREE_TYPE_INT && x->kind != TREE_TYPE_BOOL) ||
	    (y->kind != TREE_TYPE_INT && y->kind != TREE_TYPE_BOOL) || expr_width(u->pool, a) != x->bits ||
	    expr_width(u->pool, b) != y->bits)
		return EXPR_NONE;
	width = x->bits < 32 ? 32 : x->bits;
	is_signed = x->bits < 32 || x->is_signed;
	other = y->bits < 32 ? 32 : y->bits;
	other_signed = y->bits < 32 || y->is_signed;
	a = resize(u, a, x->is_signed, width);
	b = resize(u, b, y->is_signed, other);
	if (op == TREE_OP_SHL || op == TREE_OP_SHR) {
		b = amount(u, b, other_signed, width);
	} else if (other > width) {
		a = resize(u, a, is_signed, other);
		is_signed = other_signed;
		width = other;
	} else {
		if (other == width)
			is_signed &= other_signed;
		b = resize(u, b, other_signed, width);
	}
	r = apply(u, op, a, b, width, is_signed);
	oblige_operator(u, n, op, 0, a, b, r);
	if (!r)
		return r;
	if (x->kind == TREE_TYPE_BOOL)
		return expr_zext(u->pool, truth(u, r), x->bits);
	return resize(u, r, is_signed, x->bits);
}

static int same_place(struct unit *u, uint32_t n)
{
	return node(u, tree_bare(u->t, n))->kind == TREE_NAME;
}

static int is_bit_field(struct unit *u, uint32_t n)
{
	uint32_t member = tree_bare(u->t, n);

	return node(u, member)->kind == TREE_MEMBER && referred(u, member) && node(u, referred(u, member))->is_bits;
}

static expr_t assign(struct unit *u, uint32_t n)
{
	uint32_t left = node(u, n)->first, right = node(u, left)->next;
	expr_t a = EXPR_NONE, r;

	if (node(u, n)->op != TREE_OP_NONE || !same_place(u, left))
		a = value(u, left); /* obligations in the place itself, and its value for a compound one */
	r = value(u, right);
	if (node(u, n)->op != TREE_OP_NONE)
		r = compound(u, n, a, r);
	else
		r = convert(u, r, node(u, right)->type, node(u, left)->type);
	if (!r)
		r = fresh(u, node(u, left)->type);
	oblige_write(u, n, left, r);
	return is_bit_field(u, left) ? fresh(u, node(u, n)->type) : r; /* what is left of it in so few bits */
}

/* Builtins whose arguments are looked at, but not, or not always, evaluated. */
static int looks_only(struct unit *u, uint32_t callee)
{
	static const char *const names[] = {"__builtin_constant_p", "__builtin_object_size", "__builtin_dynamic_object_size",
					    "__builtin_classify_type", "__builtin_assume", "__builtin_is_constant_evaluated"};

	for (size_t i = 0; callee && node(u, callee)->kind == TREE_NAME && i < sizeof names / sizeof names[0]; i++)
		if (!strcmp(node(u, callee)->name, names[i]))
			return 1;
	return 0;
}

/* Of what may or may not be evaluated nothing is believed. */
void value_perhaps(struct unit *u, uint32_t n)
{
	size_t facts = u->facts.size;

	value(u, n);
	if (u->predicate_depth)
		return;
	u->facts.size = facts;
	havoc(u, n);
}

static expr_t call(struct unit *u, uint32_t n)
{
	VEC(expr_t) values = {0};
	expr_t result = fresh(u, node(u, n)->type);
	uint32_t callee = node(u, n)->first;

	if (looks_only(u, callee ? tree_bare(u->t, callee) : 0)) {
		for (uint32_t c = node(u, callee)->next; c; c = node(u, c)->next)
			value_perhaps(u, c);
		return result;
	}
	if (callee && node(u, tree_bare(u->t, callee))->kind != TREE_NAME)
		value(u, callee);
	for (uint32_t c = callee ? node(u, callee)->next : 0; c; c = node(u, c)->next)
		vec_push(&values, value(u, c));
	if (!u->predicate_depth)
		oblige_call(u, n, values.data, (uint32_t)values.size, &result);
	vec_release(&values);
	return result;
}

/* Parts in order. Of what is not known here perhaps only some of them are evaluated (a ?: b, _Generic), so that nothing that they do is
 * believed. */
static expr_t all_below(struct unit *u, uint32_t n)
{
	int unknown = node(u, n)->kind == TREE_OTHER && !u->predicate_depth;
	size_t facts = u->facts.size;

	for (uint32_t c = node(u, n)->first; c; c = node(u, c)->next) {
		if (!node(u, c)->type)
			continue;
		value(u, c);
		if (unknown) {
			u->facts.size = facts;
			havoc(u, n);
		}
	}
	if (unknown)
		oblige_unknown(u, n);
	return fresh(u, node(u, n)->type);
}

expr_t value(struct unit *u, uint32_t n)
{
	const struct tree_node *x = node(u, n);
	uint32_t from;
	expr_t r;

	switch (x->kind) {
	case TREE_NUMBER: case TREE_SIZEOF:
		if (x->kind == TREE_SIZEOF && !u->predicate_depth)
			havoc(u, n); /* sizeof(int[n++]) */
		if (x->has_value && type_width(u, x->type))
			return expr_const(u->pool, type_width(u, x->type),
					  type_of(u, n)->is_signed ? (u128)(__int128)(int64_t)x->value : x->value);
		return fresh(u, x->type);
	case TREE_NAME: return name_value(u, n);
	case TREE_PAREN: return value(u, x->first);
	case TREE_CONVERT: case TREE_CAST:
		for (from = x->first; from && !node(u, from)->type && node(u, from)->next;)
			from = node(u, from)->next;
		if (!from)
			return fresh(u, x->type);
		r = value(u, from);
		r = convert(u, r, node(u, from)->type, node(u, n)->type);
		if (node(u, n)->kind == TREE_CAST)
			oblige_cast(u, n, r);
		return r;
	case TREE_UNARY: return unary(u, n);
	case TREE_BINARY: return binary(u, n);
	case TREE_ASSIGN: return assign(u, n);
	case TREE_CHOICE: return choice(u, n);
	case TREE_CALL: return call(u, n);
	case TREE_BLOCK_EXPRESSION:
		if (!u->predicate_depth)
			for (uint32_t c = x->first; c; c = node(u, c)->next)
				walk_statement(u, c);
		return fresh(u, node(u, n)->type);
	case TREE_COMPOUND:
		all_below(u, n);
		oblige_literal(u, n);
		return fresh(u, node(u, n)->type);
	default: return all_below(u, n);
	}
}
