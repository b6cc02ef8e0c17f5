/* cover.c: a set of inputs as short conditions.
 *
 * The set is a formula; what a person reads is a few cubes: conjunctions of comparisons that stand in the two functions. A model of the set says for each comparison whether it holds; all of these together are a cube; if
 * the cube implies the set (no model of the cube and the opposite), comparisons are dropped from it as long as it still does, the longest first. If the comparisons do not suffice, the words' values are
 * added as equations, which makes single inputs. What is left becomes bounds of words where it can (box.c).
 *
 * Invariant: every cube implies the set, whatever the interpretation of functions and variables that are no inputs. So what is printed is never more than what was proved; exact says that
 * it is not less.
 */
#include "diff/inside.h"

#include <stdlib.h>
#include <string.h>

#define ATOMS 40  /* comparisons that cubes are made of */
#define POINTS 6  /* cubes with equations of all words */
#define FEW 6     /* literals that are tried one by one */
#define MISSES 12 /* models around which nothing could be proved */
#define LEAVES 4  /* values that a choice of values has, for comparisons with those of another */

struct atom {
	expr_t term;
	size_t length; /* of its text */
};

struct maker {
	struct diff_pair *x;
	expr_t set, not_set, rest; /* rest: what no cube has yet */
	VEC(struct atom) atoms;
	struct map seen;
	struct diff_cover *out;
	const struct diff_confirm *confirm;
	unsigned points, misses;
};

/* ------------------------------------------------------------ comparisons */

static int by_length(const void *a, const void *b)
{
	const struct atom *x = a, *y = b;
	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return x->term < y->term ? -1 : x->term > y->term;
}

static int is_comparison(const struct expr_node *n)
{
	return n->width == 1 && (n->op == MUSTER_OP_EQ || n->op == MUSTER_OP_ULT || n->op == MUSTER_OP_ULE || n->op == MUSTER_OP_SLT || n->op == MUSTER_OP_SLE ||
				 n->op == EXPR_OP_NAMED || n->op == MUSTER_OP_EXTRACT);
}

/* A pointer is compared with null, not with numbers. */
static int is_number_of_pointer(const struct diff_pair *x, const struct expr_node *n)
{
	const struct diff_word *a = diff_word_find(x, n->a), *b = diff_word_find(x, n->b);
	return n->op != EXPR_OP_NAMED && n->op != MUSTER_OP_EXTRACT &&
	       ((a && a->is_pointer && expr_is_const(x->p, n->b, NULL)) || (b && b->is_pointer && expr_is_const(x->p, n->a, NULL)));
}

static void add_null_tests(struct maker *k)
{
	struct diff_pair *x = k->x;
	for (size_t i = 0; i < x->inputs.size; i++)
		if (x->inputs.data[i].is_pointer && expr_width(x->p, x->inputs.data[i].term) == 64)
			vec_push(&k->atoms, (struct atom){expr_eq(x->p, x->inputs.data[i].term, expr_const(x->p, 64, 0)), 1});
}

static void add_atom(struct maker *k, expr_t e)
{
	struct diff_pair *x = k->x;
	struct expr_node n = *expr_get(x->p, e);
	struct buf text = BUF_EMPTY;
	if (is_comparison(&n) && !is_number_of_pointer(x, &n) && diff_pair_is_input_only(x, e) && diff_text_literal(x, e, 1, &text))
		vec_push(&k->atoms, (struct atom){e, text.size});
	buf_release(&text);
}

static unsigned leaves_of(const struct exprs *p, expr_t e, unsigned depth, expr_t *out, unsigned count)
{
	const struct expr_node *n = expr_get(p, e);
	expr_t yes = n->b, no = n->c;
	if (n->op == MUSTER_OP_ITE && depth)
		return leaves_of(p, no, depth - 1, out, leaves_of(p, yes, depth - 1, out, count));
	for (unsigned i = 0; i < count; i++)
		if (out[i] == e)
			return count;
	if (count < LEAVES)
		out[count++] = e;
	return count;
}

static void find_atoms(struct maker *k, expr_t e);
/* Where two choices of values are compared, whether they are the same is a comparison of the values that they choose. */
static void add_leaves(struct maker *k, const struct expr_node *n)
{
	struct exprs *p = k->x->p;
	expr_t a[LEAVES], b[LEAVES];
	if (n->op != MUSTER_OP_EQ || expr_is_array(p, n->a) || (expr_get(p, n->a)->op != MUSTER_OP_ITE && expr_get(p, n->b)->op != MUSTER_OP_ITE))
		return;
	unsigned left = leaves_of(p, n->a, LEAVES, a, 0), right = leaves_of(p, n->b, LEAVES, b, 0);
	for (unsigned i = 0; i < left; i++)
		for (unsigned j = 0; j < right; j++) {
			expr_t e = expr_eq(p, a[i], b[j]);
			if (!expr_is_const(p, e, NULL))
				find_atoms(k, e); /* of conditions it may be one of them, with comparisons in it */
		}
}

static void find_atoms(struct maker *k, expr_t e)
{
	struct diff_pair *x = k->x;
	struct expr_node n = *expr_get(x->p, e);
	expr_t operand[3];
	if (!map_set(&k->seen, e, 1) || k->atoms.size >= 4 * ATOMS)
		return;
	add_atom(k, e);
	add_leaves(k, &n);
	if (n.op == MUSTER_OP_DATA)
		for (uint64_t i = 0; i < expr_data_count(x->p, e); i++)
			find_atoms(k, expr_data_byte(x->p, e, i));
	unsigned count = expr_operands(x->p, e, operand);
	for (unsigned i = 0; i < count; i++)
		find_atoms(k, operand[i]);
}

/* ------------------------------------------------------------ cubes */

typedef VEC(expr_t) literals;

static int implies_set(struct maker *k, const literals *c)
{
	static const struct solve_effort proof = {.no_search = 1};
	literals all = {0};
	for (size_t i = 0; i < c->size; i++)
		vec_push(&all, c->data[i]);
	vec_push(&all, k->not_set);
	enum verdict v = diff_pair_check_with(k->x, &proof, all.data, (unsigned)all.size, NULL);
	vec_release(&all);
	return v == VERDICT_UNSAT;
}

/* Those that the solver needed for what it has just proved, if they suffice. */
static void drop_unneeded(struct maker *k, literals *c)
{
	literals fewer = {0};
	for (size_t i = 0; i < c->size; i++)
		if (solve_context_needed(k->x->context, c->data[i]))
			vec_push(&fewer, c->data[i]);
	if (fewer.size < c->size && implies_set(k, &fewer)) {
		vec_release(c);
		*c = fewer;
	} else {
		vec_release(&fewer);
	}
}

static void drop_literals(struct maker *k, literals *c)
{
	drop_unneeded(k, c);
	for (size_t chunk = c->size > FEW ? c->size : 1; chunk; chunk = chunk > 1 ? (chunk + 1) / 2 : 0)
		for (size_t i = c->size; i > 0;) {
			size_t from = i > chunk ? i - chunk : 0;
			literals fewer = {0};
			for (size_t j = 0; j < c->size; j++)
				if (j < from || j >= i)
					vec_push(&fewer, c->data[j]);
			i = from;
			if (implies_set(k, &fewer)) {
				vec_release(c);
				*c = fewer;
			} else {
				vec_release(&fewer);
			}
		}
}

static void cube_release(struct diff_cube *c)
{
	vec_release(&c->literals);
	free(c->text);
	solve_model_release(&c->model);
	diff_case_release(&c->shown);
}

static void add_cube(struct maker *k, literals *c, struct solve_model *m)
{
	struct diff_pair *x = k->x;
	struct diff_cube cube = {.model = *m};
	literals hints = {0};
	expr_t all = expr_true(x->p);
	*m = (struct solve_model){0};
	for (size_t i = 0; i < c->size; i++)
		vec_push(&cube.literals, c->data[i]);
	for (size_t i = 0; i < k->atoms.size; i++)
		vec_push(&hints, k->atoms.data[i].term);
	diff_box_make(x, k->set, &(struct diff_hints){hints.data, hints.size}, &cube);
	for (size_t i = 0; i < cube.literals.size; i++)
		all = expr_and(x->p, all, cube.literals.data[i]);
	k->rest = expr_and(x->p, k->rest, expr_not(x->p, all));
	if (!k->confirm || k->confirm->cube(k->confirm->ctx, &cube)) {
		k->out->all |= !cube.literals.size;
		vec_push(&k->out->cubes, cube);
	} else {
		k->out->refused++;
		k->out->exact = 0;
		k->misses++;
		cube_release(&cube);
	}
	vec_release(&hints);
}

/* Equations of all words but pointers, which may not be compared with numbers; 0 if they are too many. */
static int add_equations(struct maker *k, literals *c, const struct solve_model *m)
{
	struct diff_pair *x = k->x;
	if (k->points >= POINTS || x->inputs.size > 8)
		return 0;
	for (size_t i = 0; i < x->inputs.size; i++) {
		const struct diff_word *in = &x->inputs.data[i];
		if (in->is_pointer)
			continue;
		vec_push(c, expr_eq(x->p, in->term, expr_const(x->p, expr_width(x->p, in->term), solve_model_eval(x->p, m, in->term))));
	}
	return 1;
}

/* One cube around the model. */
static void look_around(struct maker *k, struct solve_model *m)
{
	struct diff_pair *x = k->x;
	literals c = {0};
	expr_t region = expr_true(x->p);
	for (size_t i = 0; i < k->atoms.size; i++) {
		expr_t atom = k->atoms.data[i].term;
		expr_t literal = solve_model_eval(x->p, m, atom) ? atom : expr_not(x->p, atom);
		vec_push(&c, literal);
		region = expr_and(x->p, region, literal);
	}
	int ok = implies_set(k, &c);
	if (!ok && add_equations(k, &c, m)) {
		ok = implies_set(k, &c);
		k->points += ok;
	}
	if (ok) {
		drop_literals(k, &c);
		add_cube(k, &c, m);
	} else { /* nothing here can be claimed: look elsewhere */
		k->misses++;
		k->out->exact = 0;
		k->rest = expr_and(x->p, k->rest, expr_not(x->p, region));
	}
	vec_release(&c);
}

/* Intervals by their lower ends, then the others by their text. */
static int by_place(const void *a, const void *b)
{
	const struct diff_cube *x = a, *y = b;
	if (x->interval != y->interval)
		return x->interval ? -1 : 1;
	if (x->interval && x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return strcmp(x->text, y->text);
}

/* Cubes of the part, which implies the set, until there are enough: are they all of it? */
static int cover_part(struct maker *k, expr_t part, unsigned most)
{
	struct diff_pair *x = k->x;
	enum verdict v = VERDICT_UNKNOWN;
	k->set = part;
	k->not_set = expr_not(x->p, part);
	k->rest = part;
	for (size_t i = 0; i < k->out->cubes.size; i++) {
		expr_t all = expr_true(x->p);
		for (size_t j = 0; j < k->out->cubes.data[i].literals.size; j++)
			all = expr_and(x->p, all, k->out->cubes.data[i].literals.data[j]);
		k->rest = expr_and(x->p, k->rest, expr_not(x->p, all));
	}
	k->out->exact = 1;
	while (k->out->cubes.size < most && k->misses < MISSES) {
		struct solve_model m = {0};
		v = diff_pair_check(x, &k->rest, 1, &m);
		if (v == VERDICT_SAT)
			look_around(k, &m);
		solve_model_release(&m);
		if (v != VERDICT_SAT)
			break;
	}
	if (v != VERDICT_UNSAT)
		v = diff_pair_check(x, &k->rest, 1, NULL);
	return k->out->exact && v == VERDICT_UNSAT;
}

void diff_cover_make(struct diff_pair *x, expr_t set, expr_t easy, unsigned most, const struct diff_confirm *confirm, struct diff_cover *out)
{
	struct maker k = {.x = x, .out = out, .confirm = confirm};
	*out = (struct diff_cover){0};
	if (expr_get(x->p, set)->height < DEEP)
		find_atoms(&k, set);
	add_null_tests(&k);
	if (k.atoms.size)
		qsort(k.atoms.data, k.atoms.size, sizeof *k.atoms.data, by_length);
	if (k.atoms.size > ATOMS)
		k.atoms.size = ATOMS;
	if (easy != EXPR_NONE)
		cover_part(&k, easy, most);
	out->exact = cover_part(&k, set, most);
	if (out->cubes.size)
		qsort(out->cubes.data, out->cubes.size, sizeof *out->cubes.data, by_place);
	vec_release(&k.atoms);
	map_release(&k.seen);
}

void diff_cover_text(const struct diff_cover *c, struct buf *out)
{
	for (size_t i = 0; i < c->cubes.size; i++) {
		int round = c->cubes.size > 1 && strstr(c->cubes.data[i].text, " && ");
		buf_addf(out, "%s%s%s%s", i ? " || " : "", round ? "(" : "", c->cubes.data[i].text, round ? ")" : "");
	}
}

void diff_cover_release(struct diff_cover *c)
{
	for (size_t i = 0; i < c->cubes.size; i++)
		cube_release(&c->cubes.data[i]);
	vec_release(&c->cubes);
}
