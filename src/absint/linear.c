/* linear.c: arithmetic on linear facts.
 *
 * Invariant: terms are sorted by dimension and have no zero coefficient. A number that leaves its
 * limit marks the whole expression as overflown; who uses it must look, since a truncated fact
 * would be a wrong one.
 */
#include "absint/linear.h"

#include "base/error.h"

#include <string.h>

void linear_release(struct linear *l)
{
	vec_release(&l->terms);
}

void linear_list_release(linear_list *list)
{
	for (size_t i = 0; i < list->size; i++)
		linear_release(&list->data[i]);
	vec_release(list);
}

struct linear linear_copy(const struct linear *l)
{
	struct linear r = *l;
	memset(&r.terms, 0, sizeof r.terms);
	vec_reserve(&r.terms, l->terms.size);
	if (l->terms.size)
		memcpy(r.terms.data, l->terms.data, l->terms.size * sizeof *l->terms.data);
	r.terms.size = l->terms.size;
	return r;
}

struct linear linear_constant(wide c)
{
	struct linear r = {.constant = c};
	r.overflow = c >= LINEAR_CONSTANT_MAX || c <= -LINEAR_CONSTANT_MAX;
	return r;
}

struct linear linear_dim(uint32_t dim)
{
	struct linear r = {0};
	vec_push(&r.terms, (struct linear_term){dim, 1});
	return r;
}

static void set_constant(struct linear *l, wide c)
{
	if (c >= LINEAR_CONSTANT_MAX || c <= -LINEAR_CONSTANT_MAX) {
		l->overflow = 1;
		c = 0;
	}
	l->constant = c;
}

/* a * b + c, or a mark. */
static wide muladd(struct linear *l, wide a, wide b, wide c)
{
	wide r;
	if (__builtin_mul_overflow(a, b, &r) || __builtin_add_overflow(r, c, &r)) {
		l->overflow = 1;
		return 0;
	}
	return r;
}

static size_t find(const struct linear *l, uint32_t dim)
{
	size_t low = 0, high = l->terms.size;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (l->terms.data[mid].dim < dim)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void linear_add_dim(struct linear *l, uint32_t dim, wide factor)
{
	size_t at = find(l, dim);
	int there = at < l->terms.size && l->terms.data[at].dim == dim;
	wide c = muladd(l, factor, 1, there ? l->terms.data[at].coef : 0);
	if (c >= LINEAR_COEFFICIENT_MAX || c <= -LINEAR_COEFFICIENT_MAX) {
		l->overflow = 1;
		c = 1;
	}
	if (there && c) {
		l->terms.data[at].coef = (int64_t)c;
	} else if (there) {
		memmove(l->terms.data + at, l->terms.data + at + 1,
			(l->terms.size - at - 1) * sizeof *l->terms.data);
		l->terms.size--;
	} else if (c) {
		if (l->terms.size >= LINEAR_TERMS_MAX) {
			l->overflow = 1;
			return;
		}
		vec_push(&l->terms, (struct linear_term){0, 0});
		memmove(l->terms.data + at + 1, l->terms.data + at,
			(l->terms.size - at - 1) * sizeof *l->terms.data);
		l->terms.data[at] = (struct linear_term){dim, (int64_t)c};
	}
}

void linear_add(struct linear *l, const struct linear *other, wide factor)
{
	if (l == other)
		BUG("a linear expression added to itself");
	for (size_t i = 0; i < other->terms.size; i++)
		linear_add_dim(l, other->terms.data[i].dim,
			       muladd(l, factor, other->terms.data[i].coef, 0));
	set_constant(l, muladd(l, factor, other->constant, l->constant));
	l->overflow |= other->overflow;
}

void linear_scale(struct linear *l, wide factor)
{
	if (!factor)
		vec_clear(&l->terms);
	for (size_t i = 0; i < l->terms.size; i++) {
		wide c = muladd(l, factor, l->terms.data[i].coef, 0);
		if (c >= LINEAR_COEFFICIENT_MAX || c <= -LINEAR_COEFFICIENT_MAX || !c) {
			l->overflow = 1;
			c = 1;
		}
		l->terms.data[i].coef = (int64_t)c;
	}
	set_constant(l, muladd(l, factor, l->constant, 0));
}

int64_t linear_coef(const struct linear *l, uint32_t dim)
{
	size_t at = find(l, dim);
	return at < l->terms.size && l->terms.data[at].dim == dim ? l->terms.data[at].coef : 0;
}

int linear_is_constant(const struct linear *l)
{
	return l->terms.size == 0;
}

int linear_equal(const struct linear *a, const struct linear *b)
{
	if (a->kind != b->kind || a->constant != b->constant || a->terms.size != b->terms.size ||
	    a->overflow != b->overflow || (a->kind == LINEAR_MODULO && a->bits != b->bits))
		return 0;
	for (size_t i = 0; i < a->terms.size; i++)
		if (a->terms.data[i].dim != b->terms.data[i].dim ||
		    a->terms.data[i].coef != b->terms.data[i].coef)
			return 0;
	return 1;
}

void linear_substitute(struct linear *l, uint32_t dim, const struct linear *by)
{
	int64_t c = linear_coef(l, dim);
	if (!c)
		return;
	linear_add_dim(l, dim, -(wide)c);
	linear_add(l, by, c);
}

static wide gcd(wide a, wide b)
{
	a = a < 0 ? -a : a;
	b = b < 0 ? -b : b;
	while (b) {
		wide t = a % b;
		a = b;
		b = t;
	}
	return a;
}

static wide floor_div(wide a, wide b)
{
	wide q = a / b;
	return a % b < 0 ? q - 1 : q;
}

void linear_normalise(struct linear *l)
{
	if (l->overflow || l->kind == LINEAR_MODULO || !l->terms.size)
		return;
	wide g = 0;
	for (size_t i = 0; i < l->terms.size; i++)
		g = gcd(g, l->terms.data[i].coef);
	if (l->kind == LINEAR_EQ && l->constant % g) {
		vec_clear(&l->terms);
		l->kind = LINEAR_GE;
		l->constant = -1;
		return;
	}
	int negate = l->kind == LINEAR_EQ && l->terms.data[0].coef < 0;
	for (size_t i = 0; i < l->terms.size; i++)
		l->terms.data[i].coef = (int64_t)(l->terms.data[i].coef / (negate ? -g : g));
	l->constant = floor_div(l->constant, g);
	if (negate)
		l->constant = -l->constant;
}

wide linear_value(const struct linear *l, const wide *values)
{
	wide v = l->constant;
	for (size_t i = 0; i < l->terms.size; i++)
		v += l->terms.data[i].coef * values[l->terms.data[i].dim];
	return v;
}

int linear_holds(const struct linear *l, const wide *values)
{
	wide v = linear_value(l, values);
	switch (l->kind) {
	case LINEAR_EQ:
		return v == 0;
	case LINEAR_GE:
		return v >= 0;
	case LINEAR_MODULO:
		return l->bits >= 127 ? v == 0 : (v & (((wide)1 << l->bits) - 1)) == 0;
	}
	BUG("kind %d of a linear fact", l->kind);
}

static void print_wide(struct buf *b, wide v)
{
	char text[48];
	int at = sizeof text;
	unsigned __int128 u = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;
	do
		text[--at] = (char)('0' + (int)(u % 10));
	while (u /= 10);
	if (v < 0)
		text[--at] = '-';
	buf_add(b, text + at, sizeof text - (size_t)at);
}

void linear_print(struct buf *b, const struct linear *l, const char *(*name)(void *, uint32_t),
		  void *ctx)
{
	for (size_t i = 0; i < l->terms.size; i++) {
		int64_t c = l->terms.data[i].coef;
		buf_adds(b, i == 0 ? (c < 0 ? "-" : "") : c < 0 ? " - " : " + ");
		if (c != 1 && c != -1) {
			print_wide(b, c < 0 ? -(wide)c : c);
			buf_addc(b, '*');
		}
		if (name)
			buf_adds(b, name(ctx, l->terms.data[i].dim));
		else
			buf_addf(b, "x%u", l->terms.data[i].dim);
	}
	if (!l->terms.size) {
		print_wide(b, l->constant);
	} else if (l->constant) {
		buf_adds(b, l->constant < 0 ? " - " : " + ");
		print_wide(b, l->constant < 0 ? -l->constant : l->constant);
	}
	buf_adds(b, l->kind == LINEAR_GE ? " >= 0" : " == 0");
	if (l->kind == LINEAR_MODULO)
		buf_addf(b, " (mod 2^%u)", l->bits);
}
