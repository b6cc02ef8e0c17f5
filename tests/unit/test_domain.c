/* Domains against enumeration: random sequences of operations are done on an element and on a set
 * of integer points side by side; every point of the set must stay in the element, and in whatever
 * the element says of itself. Then what polyhedra must find. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "absint/domain.h"

#include <fenv.h>
#include <string.h>

#define DIMS 3
#define MOST 400

struct points {
	wide at[MOST][DIMS];
	size_t size;
};

static uint64_t seed = 1;

static unsigned below(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 33) % n;
}

static struct linear fact(enum linear_kind kind, wide constant, int64_t a, int64_t b, int64_t c)
{
	struct linear l = {.kind = kind, .constant = constant};
	linear_add_dim(&l, 0, a);
	linear_add_dim(&l, 1, b);
	linear_add_dim(&l, 2, c);
	return l;
}

static struct linear random_linear(enum linear_kind kind)
{
	return fact(kind, (wide)below(13) - 6, (int64_t)below(5) - 2, (int64_t)below(5) - 2,
		    (int64_t)below(5) - 2);
}

/* Keeps a random part where there are too many: a subset of the points is as good for what is
 * tested. */
static void put(struct points *p, const wide *point)
{
	size_t at = p->size < MOST ? p->size++ : below(MOST);
	memcpy(p->at[at], point, sizeof p->at[at]);
}

static void start(struct domain **d, struct points *p, enum domain_kind k)
{
	*d = domain_new(k, DIMS);
	p->size = 0;
	int size = 1 + (int)below(3), corner[DIMS];
	for (int i = 0; i < DIMS; i++) {
		corner[i] = (int)below(9) - 4;
		struct linear low = linear_dim((uint32_t)i), high = {.kind = LINEAR_GE};
		low.kind = LINEAR_GE;
		low.constant = -corner[i];
		linear_add_dim(&high, (uint32_t)i, -1);
		high.constant = corner[i] + size;
		domain_add(*d, &low);
		domain_add(*d, &high);
		linear_release(&low);
		linear_release(&high);
	}
	for (int x = 0; x <= size; x++)
		for (int y = 0; y <= size; y++)
			for (int z = 0; z <= size; z++)
				put(p, (wide[DIMS]){corner[0] + x, corner[1] + y, corner[2] + z});
}

static wide wrapped(wide v, unsigned width, int is_signed)
{
	wide size = (wide)1 << width, r = v & (size - 1);
	return is_signed && r >= size / 2 ? r - size : r;
}

static void check_points(const struct domain *d, const struct points *p)
{
	linear_list facts = {0};
	domain_facts(d, &facts);
	struct linear e = random_linear(LINEAR_GE);
	struct domain_bounds b = domain_bounds(d, &e);
	int implied = domain_implies(d, &e);
	struct domain_bounds ranges[DIMS] = {{1, 0, -3, 0}, {0, 0, 0, 0}, {1, 1, -2, 5}};
	struct domain_bounds w = domain_bounds_within(d, &e, ranges);
	assert_false(domain_failed());
	if (p->size)
		assert_false(domain_is_empty(d));
	for (size_t i = 0; i < p->size; i++) {
		for (size_t k = 0; k < facts.size; k++)
			assert_true(linear_holds(&facts.data[k], p->at[i]));
		wide v = linear_value(&e, p->at[i]);
		assert_true(!b.has_min || b.min <= v);
		assert_true(!b.has_max || v <= b.max);
		assert_true(!implied || v >= 0);
		if (p->at[i][0] >= -3 && p->at[i][2] >= -2 && p->at[i][2] <= 5) {
			assert_true(!w.has_min || w.min <= v);
			assert_true(!w.has_max || v <= w.max);
		}
		if (below(8) == 0)
			assert_true(domain_contains(d, p->at[i]));
	}
	linear_release(&e);
	linear_list_release(&facts);
}

static void step_add(struct domain *d, struct points *p)
{
	struct linear l = random_linear(below(4) ? LINEAR_GE : LINEAR_EQ);
	size_t n = 0;
	for (size_t i = 0; i < p->size; i++)
		if (linear_holds(&l, p->at[i]))
			memcpy(p->at[n++], p->at[i], sizeof *p->at);
	p->size = n;
	domain_add(d, &l);
	linear_release(&l);
}

static void step_assign(struct domain *d, struct points *p)
{
	struct linear l = random_linear(LINEAR_EQ);
	uint32_t dim = below(DIMS);
	for (size_t i = 0; i < p->size; i++)
		p->at[i][dim] = linear_value(&l, p->at[i]);
	domain_assign(d, dim, &l);
	linear_release(&l);
}

static void step_forget(struct domain *d, struct points *p)
{
	uint32_t dim = below(DIMS);
	for (size_t i = 0; i < p->size; i++)
		p->at[i][dim] = (wide)below(1000) - 500;
	domain_forget(d, dim);
}

static void step_wrap(struct domain *d, struct points *p)
{
	uint32_t dim = below(DIMS);
	unsigned width = 1 + below(5);
	int is_signed = (int)below(2);
	for (size_t i = 0; i < p->size; i++)
		p->at[i][dim] = wrapped(p->at[i][dim], width, is_signed);
	domain_wrap(d, dim, width, is_signed);
}

static void step_join(struct domain *d, struct points *p, int widen)
{
	struct domain *other, *old = domain_copy(d);
	struct points q;
	struct linear upto[3];
	start(&other, &q, domain_kind(d));
	for (size_t i = 0; i < q.size; i++)
		put(p, q.at[i]);
	domain_join(d, other);
	assert_true(domain_includes(d, old));
	assert_true(domain_includes(d, other));
	for (int i = 0; i < 3; i++)
		upto[i] = random_linear(LINEAR_GE);
	if (widen)
		domain_widen(d, old, upto, 3);
	for (int i = 0; i < 3; i++)
		linear_release(&upto[i]);
	domain_free(other);
	domain_free(old);
}

/* More dimensions and fewer; then in another order. */
static void step_shape(struct domain *d, struct points *p)
{
	domain_extend(d, 2);
	struct linear e = linear_dim(1);
	domain_assign(d, DIMS, &e);
	linear_release(&e);
	if (below(2)) {
		domain_shrink(d, DIMS);
		return;
	}
	uint32_t keep[DIMS] = {2, DIMS, 0};
	domain_project(d, keep, DIMS);
	for (size_t i = 0; i < p->size; i++) {
		wide first = p->at[i][0];
		p->at[i][0] = p->at[i][2];
		p->at[i][2] = first;
	}
}

static void step(struct domain *d, struct points *p)
{
	switch (below(9)) {
	case 0:
	case 1:
		step_add(d, p);
		break;
	case 2:
	case 3:
		step_assign(d, p);
		break;
	case 4:
		step_forget(d, p);
		break;
	case 5:
		step_wrap(d, p);
		break;
	case 6:
		step_join(d, p, 0);
		break;
	case 7:
		step_join(d, p, 1);
		break;
	case 8:
		step_shape(d, p);
		break;
	}
}

static void random_steps(void **state)
{
	(void)state;
	domain_budget(0);
	for (unsigned k = DOMAIN_POLYHEDRA; k <= DOMAIN_BOXES; k++)
		for (int round = 0; round < 150; round++) {
			struct domain *d;
			struct points p;
			start(&d, &p, k);
			for (int i = 0; i < 8; i++) {
				step(d, &p);
				check_points(d, &p);
			}
			for (unsigned to = DOMAIN_POLYHEDRA; to <= DOMAIN_BOXES; to++) {
				struct domain *other = domain_convert(d, to);
				check_points(other, &p);
				domain_free(other);
			}
			domain_free(d);
		}
}

/* x = p, i = 0; while (*) { x--; i++; } */
static void counting_loop(void **state)
{
	(void)state;
	domain_budget(0);
	struct domain *head = domain_new(DOMAIN_POLYHEDRA, DIMS);
	struct linear x = fact(LINEAR_EQ, 0, 1, -1, 0), i = fact(LINEAR_EQ, 0, 0, 0, 1);
	domain_add(head, &x);
	domain_add(head, &i);
	for (int round = 0; round < 5; round++) {
		struct domain *back = domain_copy(head), *old = domain_copy(head);
		struct linear dec = fact(LINEAR_EQ, -1, 1, 0, 0), inc = fact(LINEAR_EQ, 1, 0, 0, 1);
		domain_assign(back, 0, &dec);
		domain_assign(back, 2, &inc);
		domain_join(head, back);
		if (round >= 2)
			domain_widen(head, old, NULL, 0);
		linear_release(&dec);
		linear_release(&inc);
		domain_free(back);
		domain_free(old);
	}
	struct linear want = fact(LINEAR_EQ, 0, 1, -1, 1), more = fact(LINEAR_GE, 0, 0, 0, 1);
	assert_true(domain_implies(head, &want));
	assert_true(domain_implies(head, &more));
	linear_release(&x);
	linear_release(&i);
	linear_release(&want);
	linear_release(&more);
	domain_free(head);
}

/* Integers: 2x == 1 has no solution; 2x >= 1 is x >= 1. Wrapping an exact range is exact. */
static void integers(void **state)
{
	(void)state;
	for (unsigned k = DOMAIN_POLYHEDRA; k <= DOMAIN_BOXES; k++) {
		struct domain *d = domain_new(k, DIMS);
		struct linear half = fact(LINEAR_GE, -1, 2, 0, 0), x = linear_dim(0);
		domain_add(d, &half);
		struct domain_bounds b = domain_bounds(d, &x);
		assert_true(b.has_min && b.min == 1 && !b.has_max);
		struct linear set = linear_constant(300);
		domain_assign(d, 0, &set);
		domain_wrap(d, 0, 8, 0);
		b = domain_bounds(d, &x);
		assert_true(b.min == 44 && b.max == 44);
		struct linear odd = fact(LINEAR_EQ, -1, 0, 2, 0);
		domain_add(d, &odd);
		assert_true(domain_is_empty(d));
		linear_release(&half);
		linear_release(&x);
		linear_release(&odd);
		domain_free(d);
	}
}

/* A budget ends the work on something hopeless, and the next one starts afresh; the rounding mode
 * stays ours. */
static void budget(void **state)
{
	(void)state;
	domain_budget(20);
	struct domain *d = domain_new(DOMAIN_POLYHEDRA, 24);
	for (uint32_t i = 0; i < 24 && !domain_failed(); i++) {
		struct linear low = linear_dim(i), high = linear_constant(9);
		low.kind = high.kind = LINEAR_GE;
		linear_add_dim(&high, i, -1);
		domain_add(d, &low);
		domain_add(d, &high);
		struct domain *copy = domain_copy(d);
		struct linear next = linear_dim(i);
		next.constant = 1;
		domain_assign(copy, i, &next);
		domain_join(d, copy);
		domain_free(copy);
		linear_release(&low);
		linear_release(&high);
		linear_release(&next);
	}
	struct linear first = linear_dim(0);
	domain_bounds(d, &first);
	assert_true(domain_failed());
	domain_free(d);
	domain_budget(0);
	assert_false(domain_failed());
	d = domain_new(DOMAIN_POLYHEDRA, 2);
	assert_false(domain_is_empty(d));
	domain_free(d);
	linear_release(&first);
	assert_int_equal(fegetround(), FE_TONEAREST);
}

static void linear_arithmetic(void **state)
{
	(void)state;
	struct linear l = fact(LINEAR_EQ, 6, -4, 0, 2), m = fact(LINEAR_GE, -5, 3, 0, 0),
		      big = linear_dim(1);
	linear_normalise(&l);
	assert_true(linear_coef(&l, 0) == 2 && linear_coef(&l, 2) == -1 && l.constant == -3);
	linear_normalise(&m);
	assert_true(linear_coef(&m, 0) == 1 && m.constant == -2);
	linear_substitute(&l, 0, &m);
	assert_true(linear_coef(&l, 0) == 2 && l.constant == -7);
	linear_scale(&big, (wide)1 << 54);
	assert_false(big.overflow);
	linear_add(&big, &l, (wide)1 << 54);
	assert_true(big.overflow);
	struct buf b = BUF_EMPTY;
	linear_print(&b, &l, NULL, NULL);
	assert_string_equal(buf_str(&b), "2*x0 - x2 - 7 == 0");
	buf_release(&b);
	linear_release(&l);
	linear_release(&m);
	linear_release(&big);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(linear_arithmetic),
	    cmocka_unit_test(random_steps),
	    cmocka_unit_test(counting_loop),
	    cmocka_unit_test(integers),
	    cmocka_unit_test(budget),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
