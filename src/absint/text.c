/* text.c: linear facts as C.
 *
 * A fact is split into two sides, terms with positive coefficients on one and with negative ones on the other, so
 * that every coefficient and every literal is positive. Then the smallest of int, long, unsigned long (if nothing is negative) and __int128 is
 * taken in which each product and each partial sum of both sides fits, for whatever values the types allow. C evaluates
 * a sum from the left, in the type of its first two operands, and a product before that: so a product that is
 * too large for its operand's own type gets a suffix on its literal (or a cast, to __int128), and the first operand of a sum a cast if neither
 * it nor the second one has the type already. At last the left side of a comparison gets a cast if C would convert one of
 * the sides in a way that changes its value.
 *
 * Invariant: the text, evaluated by C on LP64 machines, is the fact.
 */
#include "absint/text.h"

#include <string.h>

#define COUNT_BITS 56 /* no loop iterates more often: it would take years */

enum type { INT, UNSIGNED, LONG, ULONG, WIDE };

/* One side of a comparison. */
struct side {
	VEC(struct linear_term) terms; /* coefficients are positive */
	wide constant;		       /* not negative, unless it stands alone */
};

static wide lowest(const struct text_name *n)
{
	return n->bits && n->is_signed ? -((wide)1 << (n->bits - 1)) : 0;
}

static wide highest(const struct text_name *n)
{
	return ((wide)1 << (!n->bits ? COUNT_BITS : n->is_signed ? n->bits - 1 : n->bits)) - 1;
}

/* The type that C takes for an operand. */
static enum type promoted(const struct text_name *n)
{
	if (!n->bits)
		return LONG;
	if (n->bits < 32 || (n->bits == 32 && n->is_signed))
		return INT;
	if (n->bits == 32)
		return UNSIGNED;
	return n->is_signed ? LONG : ULONG;
}

static int fits(wide low, wide high, enum type t)
{
	switch (t) {
	case INT:
		return low >= INT32_MIN && high <= INT32_MAX;
	case UNSIGNED:
		return low >= 0 && high <= UINT32_MAX;
	case LONG:
		return low >= INT64_MIN && high <= INT64_MAX;
	case ULONG:
		return low >= 0 && high <= (wide)UINT64_MAX;
	default:
		return 1;
	}
}

/* The range of the partial sums of a side. Products are below 2^55 * 2^64, so 64 of them stay below 2^126. */
static void range(const struct side *s, const struct text_name *names, wide *low, wide *high)
{
	*low = s->constant < 0 ? s->constant : 0;
	*high = s->constant > 0 ? s->constant : 0;
	for (size_t i = 0; i < s->terms.size; i++) {
		const struct linear_term *t = &s->terms.data[i];

		*low += t->coef * lowest(&names[t->dim]);
		*high += t->coef * highest(&names[t->dim]);
	}
}

static void print_wide(struct buf *out, wide v)
{
	char digits[48];
	int n = 0;
	unsigned __int128 u = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;

	do
		digits[n++] = (char)('0' + (int)(u % 10));
	while (u /= 10);
	if (v < 0)
		buf_addc(out, '-');
	while (n)
		buf_addc(out, digits[--n]);
}

/* A literal of at least the type; above 64 bits C has none. */
static void print_literal(struct buf *out, wide v, enum type t)
{
	if (v < 0) {
		buf_adds(out, v < -(wide)INT64_MAX ? "-(__int128)" : "-"); /* -x of an unsigned x is positive */
		v = -v;
	}
	if (v > (wide)UINT64_MAX) {
		buf_adds(out, "(((__int128)");
		print_wide(out, v >> 62);
		buf_adds(out, " << 62) + ");
		print_wide(out, v & (((wide)1 << 62) - 1));
		buf_addc(out, ')');
		return;
	}
	print_wide(out, v);
	if (v > INT64_MAX)
		buf_adds(out, "UL");
	else if (t == LONG || t == ULONG)
		buf_adds(out, t == LONG ? "L" : "UL");
}

static const char *cast(enum type t)
{
	static const char *const texts[] = {"(int)", "(unsigned)", "(long)", "(unsigned long)", "(__int128)"};

	return texts[t];
}

/* coef * name, computed in a type where it fits. Returns the type that C gives it. */
static enum type print_term(struct buf *out, const struct linear_term *t, const struct text_name *n, enum type type, int force)
{
	enum type own = promoted(n);

	if (t->coef == 1) {
		if (force && own != type) {
			buf_adds(out, cast(type));
			own = type;
		}
		buf_adds(out, n->text);
		return own;
	}
	if (!force && fits(t->coef * lowest(n), t->coef * highest(n), own) && fits(0, t->coef, own)) {
		print_literal(out, t->coef, INT);
		buf_adds(out, " * ");
	} else {
		print_literal(out, t->coef, type == WIDE ? INT : type);
		buf_adds(out, " * ");
		if (type == WIDE)
			buf_adds(out, cast(WIDE));
		own = type;
	}
	buf_adds(out, n->text);
	return own;
}

static enum type literal_type(wide v)
{
	int negative = v < 0;

	v = negative ? -v : v;
	return fits(0, v, INT) ? INT : fits(0, v, LONG) ? LONG : fits(0, v, ULONG) && !negative ? ULONG : WIDE;
}

/* A sum is computed in the type; a single operand may have a smaller one, unless it is forced. Returns what C gives it. */
static enum type print_side(struct buf *out, const struct side *s, const struct text_name *names, enum type type, int force)
{
	size_t operands = s->terms.size + (s->constant != 0);
	enum type have = INT;

	if (!s->terms.size) {
		print_literal(out, s->constant, INT);
		return literal_type(s->constant);
	}
	for (size_t i = 0; i < s->terms.size; i++) {
		const struct linear_term *t = &s->terms.data[i];
		/* The first operand brings the type if the second does not. */
		int lead = i == 0 && operands > 1 && promoted(&names[t->dim]) != type &&
			   (s->terms.size < 2 || promoted(&names[s->terms.data[1].dim]) != type);

		buf_adds(out, i ? " + " : "");
		have = print_term(out, t, &names[t->dim], type, lead || (i == 0 && force));
	}
	if (s->constant) {
		buf_adds(out, " + ");
		print_literal(out, s->constant, INT);
	}
	return operands > 1 ? type : have;
}

/* Does C compare two operands of these types by their values? Conversions to unsigned types must not meet negative ones. */
static int compares(const struct side *a, enum type type_a, const struct side *b, enum type type_b, const struct text_name *names)
{
	enum type common = type_a > type_b ? type_a : type_b;
	wide low, high, low2, high2;

	range(a, names, &low, &high);
	range(b, names, &low2, &high2);
	return fits(low, high, common) && fits(low2, high2, common);
}

static enum type common_type(const struct side *a, const struct side *b, const struct text_name *names)
{
	static const enum type order[] = {INT, LONG, ULONG};
	wide low, high, low2, high2;

	range(a, names, &low, &high);
	range(b, names, &low2, &high2);
	for (size_t i = 0; i < 3; i++)
		if (fits(low, high, order[i]) && fits(low2, high2, order[i]))
			return order[i];
	return WIDE;
}

/* Splits a fact: a - b (== or >=) 0. */
static void split(const struct linear *fact, struct side *a, struct side *b)
{
	for (size_t i = 0; i < fact->terms.size; i++) {
		struct linear_term t = fact->terms.data[i];
		struct side *s = t.coef > 0 ? a : b;

		if (t.coef < 0)
			t.coef = -t.coef;
		vec_push(&s->terms, t);
	}
	if (fact->constant > 0)
		a->constant = fact->constant;
	else
		b->constant = -fact->constant;
}

static void print_comparison(struct buf *out, const struct side *a, const char *relation, const struct side *b,
			     const struct text_name *names)
{
	enum type type = common_type(a, b, names), type_a, type_b;
	struct buf right = BUF_EMPTY;
	size_t start = out->size;

	type_a = print_side(out, a, names, type, 0);
	type_b = print_side(&right, b, names, type, 0);
	if (!compares(a, type_a, b, type_b, names)) {
		out->size = start;
		print_side(out, a, names, type, 1);
	}
	buf_addf(out, " %s ", relation);
	buf_add(out, right.data, right.size);
	buf_release(&right);
}

/* Modulo 2^bits coefficients can be chosen: small ones, the first of them positive. */
static void split_modulo(const struct linear *fact, struct side *a, struct side *b)
{
	wide modulus = (wide)1 << fact->bits, constant = fact->constant % modulus;

	for (size_t i = 0; i < fact->terms.size; i++) {
		struct linear_term t = fact->terms.data[i];
		wide c = ((t.coef % modulus) + modulus) % modulus;

		if (c > modulus / 2)
			c -= modulus;
		if (!c)
			continue;
		t.coef = (int64_t)(c < 0 ? -c : c);
		if (c < 0)
			vec_push(&b->terms, t);
		else
			vec_push(&a->terms, t);
	}
	constant = constant > modulus / 2 ? constant - modulus : constant < -modulus / 2 ? constant + modulus : constant;
	if (!a->terms.size) {
		struct side swap = *a;

		*a = *b;
		*b = swap;
		constant = -constant;
	}
	if (constant < 0)
		b->constant = -constant;
	else
		a->constant = constant;
}

static void print_modulo(struct buf *out, const struct linear *fact, const struct text_name *names)
{
	static const enum type order[] = {INT, LONG, WIDE};
	struct side a = {0}, b = {0};
	wide low, high, low2, high2;
	enum type type = WIDE;

	split_modulo(fact, &a, &b);
	range(&a, names, &low, &high);
	range(&b, names, &low2, &high2);
	for (size_t i = 3; i-- > 0;)
		if (fits(low - high2, high - low2, order[i]) && fits(low, high, order[i]))
			type = order[i];
	buf_addc(out, '(');
	print_side(out, &a, names, type, type != INT && a.terms.size + (a.constant != 0) < 2);
	for (size_t i = 0; i < b.terms.size; i++) {
		buf_adds(out, " - ");
		print_term(out, &b.terms.data[i], &names[b.terms.data[i].dim], type, 0);
	}
	if (b.constant) {
		buf_adds(out, " - ");
		print_literal(out, b.constant, INT);
	}
	buf_adds(out, ") % ");
	print_literal(out, (wide)1 << fact->bits, INT);
	buf_adds(out, " == 0");
	vec_release(&a.terms);
	vec_release(&b.terms);
}

void text_fact(struct buf *out, const struct linear *fact, const struct text_name *names)
{
	struct side a = {0}, b = {0};
	const char *relation = fact->kind == LINEAR_EQ ? "==" : ">=";

	if (fact->kind == LINEAR_MODULO) {
		print_modulo(out, fact, names);
		return;
	}
	split(fact, &a, &b);
	/* What is asked about first stands on the left, a lone constant on the right. */
	if (!a.terms.size || (b.terms.size && b.terms.data[0].dim < a.terms.data[0].dim)) {
		struct side swap = a;

		a = b;
		b = swap;
		relation = fact->kind == LINEAR_EQ ? "==" : "<=";
	}
	if (!b.terms.size && a.constant) {
		b.constant = -a.constant;
		a.constant = 0;
	}
	/* a >= b + 1 is a > b: no sum that could overflow. */
	if (fact->kind == LINEAR_GE && b.constant == 1 && b.terms.size && !strcmp(relation, ">=")) {
		b.constant = 0;
		relation = ">";
	} else if (fact->kind == LINEAR_GE && a.constant == 1 && a.terms.size && b.terms.size && !strcmp(relation, "<=")) {
		a.constant = 0;
		relation = "<";
	}
	print_comparison(out, &a, relation, &b, names);
	vec_release(&a.terms);
	vec_release(&b.terms);
}

static int is_false(const struct absint_case *c)
{
	for (size_t i = 0; i < c->facts.size; i++) {
		const struct linear *f = &c->facts.data[i];

		if (!f->terms.size && ((f->kind == LINEAR_GE && f->constant < 0) || (f->kind == LINEAR_EQ && f->constant)))
			return 1;
	}
	return 0;
}

/* Is the fact true for whatever values the types allow? */
static int is_trivial(const struct linear *f, const struct text_name *names)
{
	wide min = f->constant;

	if (f->kind != LINEAR_GE)
		return !f->terms.size && !f->constant;
	for (size_t i = 0; i < f->terms.size; i++) {
		const struct linear_term *t = &f->terms.data[i];

		if (t->coef < 0 && !names[t->dim].bits)
			return 0;
		min += t->coef * (t->coef > 0 ? lowest(&names[t->dim]) : highest(&names[t->dim]));
	}
	return min >= 0;
}

/* Slopes that widening and wrapping made, which a reader skips: more than one large coefficient, or one beyond all ranges of int. */
static int is_noise(const struct linear *f)
{
	unsigned large = 0, other = 0;

	for (size_t i = 0; i < f->terms.size; i++) {
		int64_t c = f->terms.data[i].coef;

		c = c < 0 ? -c : c;
		other += c != 1;
		large += c > 16;
		if (c > INT32_MAX)
			return f->kind == LINEAR_GE;
	}
	return f->kind == LINEAR_GE && large && other > 1;
}

/* Where two names are equal, the first one speaks in the other facts. */
static void prefer_first(linear_list *list)
{
	for (size_t i = 0; i < list->size; i++) {
		const struct linear *e = &list->data[i];

		if (e->kind != LINEAR_EQ || e->terms.size != 2 || e->constant || e->terms.data[0].coef != -e->terms.data[1].coef)
			continue;
		uint32_t last = e->terms.data[1].dim;
		struct linear first = linear_dim(e->terms.data[0].dim);

		for (size_t k = 0; k < list->size; k++) {
			if (k == i || !linear_coef(&list->data[k], last))
				continue;
			linear_substitute(&list->data[k], last, &first);
			if (list->data[k].kind != LINEAR_MODULO)
				linear_normalise(&list->data[k]);
		}
		linear_release(&first);
	}
}

static int is_said(const linear_list *list, size_t k)
{
	for (size_t i = 0; i < k; i++)
		if (linear_equal(&list->data[i], &list->data[k]))
			return 1;
	return 0;
}

static size_t print_all(struct buf *out, const linear_list *facts, const struct text_name *names, int all)
{
	linear_list list = {0};
	size_t said = 0;

	for (size_t i = 0; i < facts->size; i++) {
		const struct linear *f = &facts->data[i];

		if (f->overflow || is_trivial(f, names) || (!all && is_noise(f)) || (f->kind == LINEAR_MODULO && f->bits > 60))
			continue;
		vec_push(&list, linear_copy(f));
	}
	if (!all)
		prefer_first(&list);
	/* Equations first: they say most. */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < list.size; i++) {
			const struct linear *f = &list.data[i];

			if ((f->kind == LINEAR_EQ) == pass || !f->terms.size || f->overflow || is_trivial(f, names) || is_said(&list, i))
				continue;
			buf_adds(out, said++ ? " && " : "");
			text_fact(out, f, names);
		}
	linear_list_release(&list);
	return said;
}

void text_facts(struct buf *out, const struct absint_facts *facts, const linear_list *more, const struct text_name *names, int all)
{
	VEC(struct {
		char *text;
		size_t facts;
	}) cases = {0};
	size_t said = 0;
	int always = 0;

	for (size_t i = 0; i < facts->cases.size; i++) {
		struct buf one = BUF_EMPTY;
		size_t n;

		if (is_false(&facts->cases.data[i]))
			continue;
		n = print_all(&one, &facts->cases.data[i].facts, names, all);
		always |= n == 0;
		vec_reserve(&cases, cases.size + 1);
		cases.data[cases.size].facts = n;
		cases.data[cases.size++].text = buf_take(&one);
	}
	if (!cases.size) {
		buf_adds(out, "false");
	} else {
		said = print_all(out, more, names, all);
		if (always && !said)
			buf_adds(out, "true");
	}
	if (cases.size && !always) {
		int group = said && cases.size > 1;

		buf_adds(out, said ? " && " : "");
		buf_adds(out, group ? "(" : "");
		for (size_t i = 0; i < cases.size; i++) {
			int inner = cases.size > 1 && cases.data[i].facts > 1;

			buf_addf(out, "%s%s%s%s", i ? " || " : "", inner ? "(" : "", cases.data[i].text, inner ? ")" : "");
		}
		buf_adds(out, group ? ")" : "");
	}
	for (size_t i = 0; i < cases.size; i++)
		free(cases.data[i].text);
	vec_release(&cases);
}
