/* The analysis of functions: what it must find, and that what it says holds at every visit: small
 * functions are run here in C for all inputs, beside the analysis of the same text, in each domain
 * and with hardly any time. */
#include "bitcode.h"

#include "absint/absint.h"
#include "ir/code.h"

#define CHECKS \
	"-fsanitize=undefined,unsigned-integer-overflow,implicit-conversion -fsanitize-trap=all"

struct analysis {
	struct code *code;
	const struct code_function *f;
	struct code_names *names;
	struct absint *a;
};

static void open_function(struct analysis *x, const char *text, const char *name,
			  const struct absint_options *o, int loop)
{
	struct buf bitcode = BUF_EMPTY;
	compile_with(text, CHECKS, &bitcode);
	x->code = code_load(bitcode.data, bitcode.size, 0);
	assert_non_null(x->code);
	x->f = code_find(x->code, name);
	assert_non_null(x->f);
	x->names = code_names_new(x->f);
	x->a = loop ? absint_loop(x->code, x->f, 0, o) : absint_new(x->code, x->f, o);
	buf_release(&bitcode);
}

static void close_function(struct analysis *x)
{
	absint_free(x->a);
	code_names_free(x->names);
	code_free(x->code);
}

/* A variable at the head of a loop, as its type reads it. */
static struct absint_symbol variable(const struct analysis *x, uint32_t loop, const char *name)
{
	for (uint32_t i = 0; i < x->f->variable_count; i++) {
		uint32_t value = code_names_value(x->names, x->f->loops[loop].header, i);
		if (strcmp(x->f->variables[i].name, name) || value == CODE_NONE)
			continue;
		struct absint_symbol s = absint_value(x->a, value);
		s.is_signed = !x->code->types[x->f->variables[i].type].is_unsigned;
		return s;
	}
	fail_msg("no variable %s", name);
	return (struct absint_symbol){0};
}

static struct absint_symbol parameter(const struct analysis *x, uint32_t n)
{
	struct absint_symbol s = absint_value(x->a, n);
	for (uint32_t i = 0; i < x->f->variable_count; i++)
		if (x->f->variables[i].parameter == n)
			s.is_signed = !x->code->types[x->f->variables[i].type].is_unsigned;
	return s;
}

static struct absint_point head(const struct analysis *x, uint32_t loop)
{
	return (struct absint_point){x->f->loops[loop].header, ABSINT_ENTRY};
}

/* Is the expression 0 in every case? */
static int is_zero(const struct analysis *x, struct absint_point p,
		   const struct absint_symbol *wanted, const int *factors, size_t n)
{
	struct linear e = {0};
	for (size_t i = 0; i < n; i++)
		linear_add_dim(&e, (uint32_t)i, factors[i]);
	struct domain_bounds b = absint_bounds(x->a, p, wanted, n, &e);
	linear_release(&e);
	return b.has_min && b.has_max && b.min == 0 && b.max == 0;
}

static const char counting[] =
    "int down(int x) { int c = 0; while (x > 0) { x--; c++; } if (c == 1000) return 1; return 0; "
    "}\n"
    "int five(int n) { int k = 0; for (int j = 0; j < n; j++) k += 5; if (k == 500) return 1; "
    "return 0; }\n"
    "int nest(int n, int m) { long k = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) "
    "k += 5; return k > 7; }\n"
    "int g; void cell(int n) { g = 0; for (int i = 0; i < n; i++) g++; }\n";

static void counting_loops(void **state)
{
	(void)state;
	struct analysis x;
	open_function(&x, counting, "down", NULL, 0);
	struct absint_symbol down[] = {variable(&x, 0, "x"), variable(&x, 0, "c"), parameter(&x, 0),
				       absint_counter(x.a, 0)};
	assert_true(is_zero(&x, head(&x, 0), down, (int[]){1, 1, -1, 0}, 4));
	assert_true(is_zero(&x, head(&x, 0), down, (int[]){0, 1, 0, -1}, 4));
	assert_false(is_zero(&x, head(&x, 0), down, (int[]){1, 0, -1, 0}, 4));
	close_function(&x);

	open_function(&x, counting, "nest", NULL, 0);
	struct absint_symbol nest[] = {variable(&x, 0, "k"), absint_total(x.a, 1),
				       variable(&x, 0, "i"), absint_counter(x.a, 0)};
	assert_true(is_zero(&x, head(&x, 0), nest, (int[]){0, 0, 1, -1}, 4));
	close_function(&x);

	open_function(&x, counting, "cell", NULL, 0);
	const uint32_t *cells;
	assert_int_equal(absint_cells(x.a, &cells), 1);
	struct absint_symbol cell[] = {
	    {ABSINT_CELL, cells[0], 32, 1}, absint_counter(x.a, 0), variable(&x, 0, "i")};
	assert_true(is_zero(&x, head(&x, 0), cell, (int[]){1, -1, 0}, 3));
	close_function(&x);
}

/* The outcome of the last decision of the function's return, by its source: the true edge of the
 * comparison with a constant. */
static struct absint_point equal_edge(const struct analysis *x, uint64_t constant)
{
	const struct code_function *f = x->f;
	for (uint32_t b = 0; b < f->block_count; b++) {
		uint32_t last = code_last(f, b);
		if (f->values[last].op != CODE_BRANCH)
			continue;
		uint32_t c = code_operand(f, last, 0);
		if (f->values[c].op == CODE_EQ &&
		    code_operand_value(f, c, 1)->kind == CODE_CONSTANT &&
		    code_operand_value(f, c, 1)->bits[0] == constant)
			return (struct absint_point){b, 1};
	}
	fail_msg("no comparison with %d", (int)constant);
	return (struct absint_point){0, 0};
}

static void reach(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint64_t constant;
		wide input, count;
	} cases[] = {{"down", 1000, 1000, 1000}, {"five", 500, 100, 100}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int loop = 0; loop < 2; loop++) {
			struct analysis x;
			struct absint_reach r;
			open_function(&x, counting, cases[i].name, NULL, loop);
			absint_reach(x.a, equal_edge(&x, cases[i].constant), NULL, 0, &r);
			int found = 0;
			assert_int_equal(r.symbols.data[0].id, 0);
			for (size_t k = 0; k < r.cases.size; k++) {
				const struct absint_reach_case *c = &r.cases.data[k];
				wide point[2] = {cases[i].input, cases[i].count};
				int all = c->counters.data[0].min == cases[i].count &&
					  c->counters.data[0].max == cases[i].count;
				for (size_t j = 0; j < c->facts.size; j++)
					all &= linear_holds(&c->facts.data[j], point);
				found |= all;
			}
			assert_true(found);
			/* With another count there is no way. */
			struct linear given = linear_dim((uint32_t)r.symbols.size - 1);
			given.constant = -(cases[i].count - 1);
			absint_reach_release(&r);
			absint_reach(x.a, equal_edge(&x, cases[i].constant), &given, 1, &r);
			if (cases[i].constant == 1000)
				assert_int_equal(r.cases.size, 0);
			absint_reach_release(&r);
			linear_release(&given);
			close_function(&x);
		}
}

/* ---------------------------------------------------------- against execution */
#define NAMES 4
static struct visits {
	wide at[70000][NAMES + 2];
	size_t size;
} seen;

static void visit(wide a, wide b, wide c, wide old_a, wide old_b, wide count)
{
	if (seen.size < sizeof seen.at / sizeof *seen.at) {
		wide *p = seen.at[seen.size++];
		p[0] = a;
		p[1] = b;
		p[2] = c;
		p[3] = old_a;
		p[4] = old_b;
		p[5] = count;
	}
}

/* The same text is compiled here and analysed; VISIT is nothing for the analysis. */
#define BOTH(name, ...)                                 \
	static const char name##_text[] = #__VA_ARGS__; \
	__VA_ARGS__
#define VISIT(a, b, c) (visit(a, b, c, visit_old_x, visit_old_y, visit_count++), 1)
static int visit_old_x, visit_old_y, visit_count;

BOTH(
    wrap_down, int wrap_down(signed char x, signed char y) {
	    signed char z = 0;
	    while (VISIT(x, y, z) && x != y) {
		    x--;
		    z++;
	    }
	    return z == 9;
    })
BOTH(
    stride, int stride(unsigned char x, unsigned char y) {
	    unsigned char z = 5;
	    for (; VISIT(x, y, z) && x < y; x += 3) {
		    if (x & 1)
			    z += 2;
		    if (z == 77)
			    break;
	    }
	    return z == 9;
    })
BOTH(
    mixed, int mixed(signed char x, unsigned char y) {
	    unsigned char z = 0;
	    do {
		    (void)VISIT(x, y, z);
		    x = x / 2 - 1;
		    z = (z << 1) + (y & 3);
		    y >>= 1;
	    } while (y > 0 || x > 3);
	    return z == 9;
    })
BOTH(
    products, int products(signed char x, signed char y) {
	    signed char z = 1;
	    while (VISIT(x, y, z) && z > 0 && x < 60) {
		    z = z * 3 - y % 5;
		    x = x < 0 ? ~x : x + 7;
	    }
	    return z == 9;
    })

static const struct program {
	const char *name, *text;
	int (*signed_first)(signed char, signed char);
	int (*unsigned_first)(unsigned char, unsigned char);
	int (*both)(signed char, unsigned char);
} programs[] = {{"wrap_down", wrap_down_text, wrap_down, NULL, NULL},
		{"stride", stride_text, NULL, stride, NULL},
		{"mixed", mixed_text, NULL, NULL, mixed},
		{"products", products_text, products, NULL, NULL}};

static void run_all(const struct program *p, int step)
{
	seen.size = 0;
	for (int x = -128; x < 128; x += step)
		for (int y = -128; y < 128; y += step) {
			visit_count = 0;
			if (p->unsigned_first) {
				visit_old_x = (unsigned char)x;
				visit_old_y = (unsigned char)y;
				if ((unsigned char)y < 254) /* others run for ever */
					p->unsigned_first((unsigned char)x, (unsigned char)y);
			} else if (p->both) {
				visit_old_x = x;
				visit_old_y = (unsigned char)y;
				p->both((signed char)x, (unsigned char)y);
			} else {
				visit_old_x = x;
				visit_old_y = y;
				p->signed_first((signed char)x, (signed char)y);
			}
		}
}

static void hold_at_visits(const struct program *p, const struct absint_options *o)
{
	struct analysis x;
	struct absint_facts facts;
	char *text = mem_printf("%s", p->text);
	/* The hook is blanked out, with a condition that is always true in its place. */
	for (char *at; (at = strstr(text, "VISIT")) || (at = strstr(text, "(visit("));) {
		size_t depth = 0, i = strcspn(at, "(");
		size_t start = (size_t)(at - text), end = start + i;
		do {
			depth += text[end] == '(';
			depth -= text[end] == ')';
		} while (text[end++] && depth);
		memset(text + start, ' ', end - start);
		text[start] = '1';
	}
	open_function(&x, text, p->name, o, 0);
	struct absint_symbol wanted[] = {variable(&x, 0, "x"), variable(&x, 0, "y"),
					 variable(&x, 0, "z"), parameter(&x, 0),
					 parameter(&x, 1),     absint_counter(x.a, 0)};
	absint_at(x.a, head(&x, 0), wanted, 6, &facts);
	for (size_t i = 0; i < seen.size; i++) {
		int some = 0;
		for (size_t k = 0; k < facts.cases.size && !some; k++) {
			some = 1;
			for (size_t j = 0; j < facts.cases.data[k].facts.size; j++)
				some &=
				    linear_holds(&facts.cases.data[k].facts.data[j], seen.at[i]);
		}
		if (!some)
			fail_msg(
			    "%s, domain %d, no_split %d: x %d y %d z %d, at first %d %d, count %d",
			    p->name, (int)o->domain, o->no_split, (int)seen.at[i][0],
			    (int)seen.at[i][1], (int)seen.at[i][2], (int)seen.at[i][3],
			    (int)seen.at[i][4], (int)seen.at[i][5]);
	}
	absint_facts_release(&facts);
	close_function(&x);
	free(text);
}

static void visits(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		run_all(&programs[i], 3);
		assert_true(seen.size > 1000);
		for (unsigned k = DOMAIN_POLYHEDRA; k <= DOMAIN_BOXES; k++) {
			hold_at_visits(&programs[i], &(struct absint_options){.domain = k});
			hold_at_visits(&programs[i], &(struct absint_options){
							 .domain = k, .no_split = 1, .pack = 4});
		}
	}
}

/* Hardly any time: a weaker domain answers, and what it says is true. */
static void no_time(void **state)
{
	(void)state;
	struct absint_options o = {.seconds = 1e-5};
	run_all(&programs[1], 3);
	hold_at_visits(&programs[1], &o);
	struct analysis x;
	open_function(&x, counting, "five", &o, 0);
	assert_true(absint_weakened(x.a));
	close_function(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(counting_loops),
	    cmocka_unit_test(reach),
	    cmocka_unit_test(visits),
	    cmocka_unit_test(no_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
