/* condition.c: what the outcomes of decisions say about symbols.
 *
 * Every function here only takes points away that do not satisfy the condition; what is not
 * understood takes nothing away. Comparisons state a fact in the reading they compare in; where an
 * operand has no expression in that reading, its range stands in for it. The condition of a
 * compiler's check is ignored on the edge that passes: a machine goes on there whatever it says.
 */
#include "absint/inside.h"

#include "base/error.h"

enum relation { LT, LE, EQ, NE };

struct side {
	int known;
	struct linear e;
	wide min, max; /* if not known */
};

/* What an operator alone says about the range of its value. */
static void operator_range(struct absint *a, uint32_t value, int is_signed, struct side *out)
{
	const struct code_value *v = &a->f->values[value], *x, *y;
	if (v->kind != CODE_INSTRUCTION || !v->operands)
		return;
	x = code_operand_value(a->f, value, 0);
	wide min = 0, max;
	if (v->op == CODE_ZEXT) {
		max = ((wide)1 << x->width) - 1;
	} else if (v->op == CODE_SEXT && is_signed) {
		min = -((wide)1 << (x->width - 1));
		max = -min - 1;
	} else if ((v->op == CODE_AND || v->op == CODE_UREM) && v->operands == 2) {
		y = code_operand_value(a->f, value, 1);
		if (y->kind != CODE_CONSTANT || !code_unsigned(y) || code_signed(y) < 0)
			return;
		max = (wide)code_unsigned(y) - (v->op == CODE_UREM);
	} else {
		return;
	}
	if (min >= out->min && max <= out->max) {
		out->min = min;
		out->max = max;
	}
}

static struct side side(struct absint *a, const struct state *s, uint32_t value, int is_signed)
{
	struct side r = {0};
	struct absint_symbol type = {ABSINT_VALUE, 0, a->f->values[value].width, is_signed};
	r.known = form(a, s, value, is_signed, &r.e);
	if (!r.known) {
		r.min = symbol_min(&type);
		r.max = symbol_max(&type);
		operator_range(a, value, is_signed, &r);
	}
	return r;
}

static void add_and_release(struct absint *a, struct state *s, struct linear *fact,
			    enum linear_kind kind)
{
	fact->kind = kind;
	state_add(a, s, fact);
	linear_release(fact);
}

/* y - x - margin >= 0, with ranges where there is no expression. */
static void order(struct absint *a, struct state *s, const struct side *x, const struct side *y,
		  wide margin)
{
	struct linear fact;
	if (x->known && y->known) {
		fact = linear_copy(&y->e);
		linear_add(&fact, &x->e, -1);
	} else if (x->known) {
		fact = linear_constant(y->max);
		linear_add(&fact, &x->e, -1);
	} else if (y->known) {
		fact = linear_constant(-x->min);
		linear_add(&fact, &y->e, 1);
	} else {
		return;
	}
	struct linear less = linear_constant(-margin);
	linear_add(&fact, &less, 1);
	add_and_release(a, s, &fact, LINEAR_GE);
}

static void unequal(struct absint *a, struct state *s, const struct side *x, const struct side *y)
{
	if (!x->known || !y->known)
		return;
	struct linear e = linear_copy(&x->e);
	linear_add(&e, &y->e, -1);
	struct domain_bounds b = state_bounds(a, s, &e);
	if (b.has_min && b.min == 0)
		order(a, s, y, x, 1);
	if (b.has_max && b.max == 0)
		order(a, s, x, y, 1);
	linear_release(&e);
}

static void relate(struct absint *a, struct state *s, enum relation rel, uint32_t x, uint32_t y,
		   int is_signed)
{
	struct side l = side(a, s, x, is_signed), r = side(a, s, y, is_signed);
	switch (rel) {
	case LT:
		order(a, s, &l, &r, 1);
		break;
	case LE:
		order(a, s, &l, &r, 0);
		break;
	case EQ:
		if (l.known && r.known) {
			struct linear e = linear_copy(&l.e);
			linear_add(&e, &r.e, -1);
			add_and_release(a, s, &e, LINEAR_EQ);
			break;
		}
		order(a, s, &l, &r, 0);
		order(a, s, &r, &l, 0);
		break;
	case NE:
		unequal(a, s, &l, &r);
		break;
	}
	linear_release(&l.e);
	linear_release(&r.e);
}

/* x < y or x <= y as unsigned numbers, where y is not negative as a signed one: x is neither. */
static void unsigned_below(struct absint *a, struct state *s, enum relation rel, uint32_t x,
			   uint32_t y)
{
	struct side l = side(a, s, x, 1), r = side(a, s, y, 1);
	struct side zero = {.known = 1};
	wide low = r.min;
	if (r.known) {
		struct domain_bounds b = state_bounds(a, s, &r.e);
		low = b.has_min ? b.min : -1;
	}
	if (low >= 0) {
		order(a, s, &zero, &l, 0);
		order(a, s, &l, &r, rel == LT);
	}
	linear_release(&l.e);
	linear_release(&r.e);
}

struct comparison {
	enum relation rel;
	int swap;
	int sign; /* 1 signed, 0 unsigned, -1 no matter */
};

/* x op y, or with the sides swapped, as one of four relations. 0: the operator compares nothing. */
static int comparison(enum code_op op, int truth, struct comparison *c)
{
	static const struct {
		enum code_op op, inverse;
		struct comparison c;
	} table[] = {
	    {CODE_EQ, CODE_NE, {EQ, 0, -1}},  {CODE_NE, CODE_EQ, {NE, 0, -1}},
	    {CODE_ULT, CODE_UGE, {LT, 0, 0}}, {CODE_ULE, CODE_UGT, {LE, 0, 0}},
	    {CODE_UGT, CODE_ULE, {LT, 1, 0}}, {CODE_UGE, CODE_ULT, {LE, 1, 0}},
	    {CODE_SLT, CODE_SGE, {LT, 0, 1}}, {CODE_SLE, CODE_SGT, {LE, 0, 1}},
	    {CODE_SGT, CODE_SLE, {LT, 1, 1}}, {CODE_SGE, CODE_SLT, {LE, 1, 1}},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if ((truth ? table[i].op : table[i].inverse) == op) {
			/* The inverse of a relation is again in the table, as its own entry. */
			*c = table[i].c;
			return 1;
		}
	return 0;
}

/* The constant 0 or 1 of a one-bit value, or -1. */
static int bit(const struct absint *a, uint32_t value)
{
	const struct code_value *v = &a->f->values[value];
	return v->kind == CODE_CONSTANT && v->width == 1 ? (int)(v->bits[0] & 1) : -1;
}

/* If the value is made of one bit (0 or 1), compared with zero: that bit. */
static uint32_t zero_test(const struct absint *a, uint32_t condition)
{
	const struct code_value *x = code_operand_value(a->f, condition, 0);
	const struct code_value *y = code_operand_value(a->f, condition, 1);
	if (y->kind != CODE_CONSTANT || !y->width || code_unsigned(y))
		return NONE;
	if (x->kind != CODE_INSTRUCTION || (x->op != CODE_ZEXT && x->op != CODE_SEXT))
		return NONE;
	uint32_t inner = a->f->operands[x->first];
	return a->f->values[inner].width == 1 ? inner : NONE;
}

static void assume_comparison(struct absint *a, struct state *s, uint32_t condition, int truth)
{
	struct comparison c;
	uint32_t x = code_operand(a->f, condition, 0), y = code_operand(a->f, condition, 1);
	if (!comparison(a->f->values[condition].op, truth, &c))
		return;
	uint32_t inner = c.sign < 0 ? zero_test(a, condition) : NONE;
	if (inner != NONE) {
		condition_assume(a, s, inner, c.rel == NE);
		return;
	}
	if (a->f->values[x].width == 1 && c.sign < 0 && bit(a, y) >= 0) {
		condition_assume(a, s, x, (c.rel == EQ) == bit(a, y));
		return;
	}
	if (!tracked(&a->f->values[x]) || !tracked(&a->f->values[y]))
		return;
	if (c.swap) {
		uint32_t t = x;
		x = y;
		y = t;
	}
	if (c.sign >= 0) {
		relate(a, s, c.rel, x, y, c.sign);
		if (!c.sign)
			unsigned_below(a, s, c.rel, x, y);
		return;
	}
	/* Equal or not in one reading means the same in the other. */
	int constant = a->f->values[x].kind == CODE_CONSTANT;
	int first = a->is_signed[constant ? y : x];
	relate(a, s, c.rel, x, y, first);
	if (!constant && a->f->values[y].kind != CODE_CONSTANT && a->is_signed[y] != first)
		relate(a, s, c.rel, x, y, !first);
}

/* Both conditions of an AND hold, or neither of an OR; select is how && and || look after folding.
 */
static void assume_both(struct absint *a, struct state *s, uint32_t condition, int truth)
{
	const struct code_value *v = &a->f->values[condition];
	uint32_t x = code_operand(a->f, condition, 0), y = code_operand(a->f, condition, 1);
	if (v->op == CODE_SELECT) {
		uint32_t no = code_operand(a->f, condition, 2);
		if (truth && bit(a, no) == 0) {
			condition_assume(a, s, x, 1);
			condition_assume(a, s, y, 1);
		} else if (!truth && bit(a, y) == 1) {
			condition_assume(a, s, x, 0);
			condition_assume(a, s, no, 0);
		}
	} else if ((v->op == CODE_AND) == truth) {
		condition_assume(a, s, x, truth);
		condition_assume(a, s, y, truth);
	}
}

void condition_assume(struct absint *a, struct state *s, uint32_t condition, int truth)
{
	const struct code_value *v = &a->f->values[condition];
	if (v->width != 1)
		return;
	if (v->kind == CODE_CONSTANT && bit(a, condition) != truth) {
		struct linear never = linear_constant(-1);
		never.kind = LINEAR_GE;
		state_add(a, s, &never);
	}
	if (v->kind != CODE_INSTRUCTION)
		return;
	switch (v->op) {
	case CODE_COPY:
		condition_assume(a, s, code_operand(a->f, condition, 0), truth);
		break;
	case CODE_XOR:
		if (bit(a, code_operand(a->f, condition, 1)) == 1)
			condition_assume(a, s, code_operand(a->f, condition, 0), !truth);
		break;
	case CODE_AND:
	case CODE_OR:
	case CODE_SELECT:
		assume_both(a, s, condition, truth);
		break;
	default:
		assume_comparison(a, s, condition, truth);
		break;
	}
}

static void assume_case(struct absint *a, struct state *s, uint32_t instruction, uint32_t outcome)
{
	uint32_t value = code_operand(a->f, instruction, 0);
	if (!tracked(&a->f->values[value]))
		return;
	if (outcome) {
		relate(a, s, EQ, value, code_operand(a->f, instruction, outcome),
		       a->is_signed[value]);
		return;
	}
	for (uint32_t i = 1; i < a->f->values[instruction].operands && i < 32; i++)
		relate(a, s, NE, value, code_operand(a->f, instruction, i), a->is_signed[value]);
}

void condition_edge(struct absint *a, struct state *s, const struct code_edge *e)
{
	uint32_t last = code_last(a->f, e->from);
	const struct code_value *v = &a->f->values[last];
	if (e->flags & CODE_EDGE_PASS)
		return;
	if (v->op == CODE_BRANCH)
		condition_assume(a, s, code_operand(a->f, last, 0), (int)e->outcome);
	else if (v->op == CODE_SWITCH)
		assume_case(a, s, last, e->outcome);
}

uint32_t condition_phi(const struct absint *a, uint32_t block, int *negated)
{
	uint32_t last = code_last(a->f, block);
	*negated = 0;
	if (a->f->values[last].op != CODE_BRANCH)
		return NONE;
	uint32_t at = code_operand(a->f, last, 0);
	for (;;) {
		const struct code_value *v = &a->f->values[at];
		if (v->kind != CODE_INSTRUCTION || v->width != 1)
			return NONE;
		if (v->op == CODE_PHI)
			return v->block == block ? at : NONE;
		if (v->op == CODE_COPY) {
			at = code_operand(a->f, at, 0);
		} else if (v->op == CODE_XOR && bit(a, code_operand(a->f, at, 1)) == 1) {
			*negated = !*negated;
			at = code_operand(a->f, at, 0);
		} else if ((v->op == CODE_NE || v->op == CODE_EQ) && zero_test(a, at) != NONE) {
			*negated ^= v->op == CODE_EQ;
			at = zero_test(a, at);
		} else {
			return NONE;
		}
	}
}

int condition_shape(struct absint *a, uint32_t condition, struct linear *fact)
{
	struct comparison c;
	const struct code_value *v = &a->f->values[condition];
	if (v->kind != CODE_INSTRUCTION || v->operands != 2 || !comparison(v->op, 1, &c))
		return 0;
	uint32_t x = code_operand(a->f, condition, c.swap),
		 y = code_operand(a->f, condition, !c.swap);
	struct linear left;
	int is_signed =
	    c.sign < 0 ? a->is_signed[a->f->values[x].kind == CODE_CONSTANT ? y : x] : c.sign;
	if (!form(a, NULL, y, is_signed, fact))
		return 0;
	if (!form(a, NULL, x, is_signed, &left)) {
		linear_release(fact);
		return 0;
	}
	linear_add(fact, &left, -1);
	struct linear margin = linear_constant(c.rel == LT ? -1 : 0);
	linear_add(fact, &margin, 1);
	fact->kind = c.rel == EQ || c.rel == NE ? LINEAR_EQ : LINEAR_GE;
	linear_release(&left);
	if (fact->overflow || !fact->terms.size) {
		linear_release(fact);
		return 0;
	}
	return 1;
}
