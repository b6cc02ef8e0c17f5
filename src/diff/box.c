/* box.c: a cube as bounds of words.
 *
 * A cube's literals are comparisons of the code, or equations that make it one input. Bounds of single words are what a person reads, so: comparisons that are none give way to bounds of the words that they speak of, if the
 * box that results contains the cube; then each bound is moved outwards as far as the box still implies the set. How far is found by bisection with two aids: what the solver gives against a try is a value
 * that is too far, and constants that the code compares the word with are tried first. Last, the input that stands for the cube becomes the one nearest to 0, since it is shown.
 *
 * Invariant: the cube implied the set before, and does after.
 */
#include "diff/inside.h"

#define WORDS 6	 /* of a box */
#define TRIES 6	 /* for an end of a bound: sums and products of several words are costly to prove anything of */
#define ALONE 90 /* where a word stands alone: enough for bisection */
#define CONFLICTS 200 /* of a try, unless the word stands alone */

struct bound { /* of a word, both ends in it, counted from its least value */
	const struct diff_word *in;
	u128 low, high;
};

struct box {
	struct diff_pair *x;
	expr_t not_set;
	const struct diff_hints *hints;
	struct bound bounds[WORDS];
	unsigned count;
	VEC(expr_t) others; /* literals that are no bounds */
};

static unsigned width_of(const struct diff_pair *x, const struct diff_word *in)
{
	return expr_width(x->p, in->term);
}

static u128 flip_of(const struct diff_pair *x, const struct diff_word *in)
{
	return in->is_unsigned ? 0 : (u128)1 << (width_of(x, in) - 1);
}

static u128 most_of(const struct diff_pair *x, const struct diff_word *in)
{
	return ((u128)1 << width_of(x, in)) - 1;
}

/* ------------------------------------------------------------ literals */

static expr_t within(struct diff_pair *x, const struct bound *b)
{
	struct exprs *p = x->p;
	unsigned w = width_of(x, b->in);
	u128 flip = flip_of(x, b->in);
	enum muster_op le = b->in->is_unsigned ? MUSTER_OP_ULE : MUSTER_OP_SLE;
	if (b->low == b->high)
		return expr_eq(p, b->in->term, expr_const(p, w, b->low ^ flip));
	return expr_and(p, expr_binary(p, le, expr_const(p, w, b->low ^ flip), b->in->term), expr_binary(p, le, b->in->term, expr_const(p, w, b->high ^ flip)));
}

/* A literal as bounds of a word: 0 if it is something else. */
static int bounds_of(struct diff_pair *x, expr_t literal, struct bound *out)
{
	struct exprs *p = x->p;
	struct expr_node n = *expr_get(p, literal);
	int positive = 1;
	u128 value;
	if (n.op == MUSTER_OP_XOR && expr_is_const(p, n.b, NULL)) {
		positive = 0;
		n = *expr_get(p, n.a);
	}
	if (n.op != MUSTER_OP_EQ && n.op != MUSTER_OP_ULT && n.op != MUSTER_OP_SLT && n.op != MUSTER_OP_ULE && n.op != MUSTER_OP_SLE)
		return 0;
	int left = n.op != MUSTER_OP_EQ && expr_get(p, n.a)->op == MUSTER_OP_CONST;
	const struct diff_word *in = diff_word_find(x, left ? n.b : n.a);
	if (!in || in->is_pointer || !expr_is_const(p, left ? n.a : n.b, &value))
		return 0;
	unsigned w = width_of(x, in);
	if (w < 2 || w > 64)
		return 0;
	u128 most = most_of(x, in);
	value ^= flip_of(x, in);
	*out = (struct bound){in, 0, most};
	if (n.op == MUSTER_OP_EQ) {
		out->low = out->high = value;
		return positive;
	}
	if (n.op != (in->is_unsigned ? MUSTER_OP_ULT : MUSTER_OP_SLT) && n.op != (in->is_unsigned ? MUSTER_OP_ULE : MUSTER_OP_SLE))
		return 0;
	int strict = (n.op == MUSTER_OP_ULT || n.op == MUSTER_OP_SLT) == positive; /* not (a <= b) is b < a */
	if (left == positive) { /* it is above the value */
		if (strict && value == most)
			return 0;
		out->low = strict ? value + 1 : value;
	} else {
		if (strict && !value)
			return 0;
		out->high = strict ? value - 1 : value;
	}
	return 1;
}

static void bound_text(struct diff_pair *x, const struct bound *b, struct buf *out)
{
	unsigned w = width_of(x, b->in);
	u128 flip = flip_of(x, b->in);
	struct buf low = BUF_EMPTY, high = BUF_EMPTY;
	diff_text_constant(b->in, w, b->low ^ flip, &low);
	diff_text_constant(b->in, w, b->high ^ flip, &high);
	if (b->low == b->high)
		buf_addf(out, "%s == %s", b->in->name, buf_str(&low));
	else if (!b->low)
		buf_addf(out, "%s <= %s", b->in->name, buf_str(&high));
	else if (b->high == most_of(x, b->in))
		buf_addf(out, "%s >= %s", b->in->name, buf_str(&low));
	else
		buf_addf(out, "%s >= %s && %s <= %s", b->in->name, buf_str(&low), b->in->name, buf_str(&high));
	buf_release(&low);
	buf_release(&high);
}

/* ------------------------------------------------------------ a box */

static struct bound *find_bound(struct box *k, const struct diff_word *in)
{
	for (unsigned i = 0; i < k->count; i++)
		if (k->bounds[i].in == in)
			return &k->bounds[i];
	return NULL;
}

/* 0: there is no room. */
static int add_bound(struct box *k, const struct bound *b)
{
	struct bound *old = find_bound(k, b->in);
	if (old) {
		old->low = b->low > old->low ? b->low : old->low;
		old->high = b->high < old->high ? b->high : old->high;
		return 1;
	}
	if (k->count == WORDS)
		return 0;
	unsigned at = k->count++;
	for (; at && k->bounds[at - 1].in > b->in; at--) /* in the order of inputs */
		k->bounds[at] = k->bounds[at - 1];
	k->bounds[at] = *b;
	return 1;
}

static void read_cube(struct box *k, const struct diff_cube *c)
{
	struct bound b;
	for (size_t i = 0; i < c->literals.size; i++)
		if (!bounds_of(k->x, c->literals.data[i], &b) || !add_bound(k, &b))
			vec_push(&k->others, c->literals.data[i]);
}

/* Does it speak of one word? */
static int is_alone(const struct box *k)
{
	return k->count == 1 && !k->others.size;
}

/* Is there no input of the box, with one bound in place of another, outside of the set? Else *against, if there is one. */
static int implies_with(struct box *k, const struct bound *in_place, const struct bound *of, struct solve_model *against)
{
	static const struct solve_effort alone = {.no_search = 1}, few = {.conflicts = CONFLICTS, .no_search = 1, .no_z3 = 1};
	VEC(expr_t) all = {0};
	for (size_t i = 0; i < k->others.size; i++)
		vec_push(&all, k->others.data[i]);
	for (unsigned i = 0; i < k->count; i++)
		vec_push(&all, within(k->x, &k->bounds[i] == of ? in_place : &k->bounds[i]));
	vec_push(&all, k->not_set);
	enum verdict v = diff_pair_check_with(k->x, is_alone(k) ? &alone : &few, all.data, (unsigned)all.size, against);
	vec_release(&all);
	return v == VERDICT_UNSAT;
}

/* ------------------------------------------------------------ further out */

/* One end of a bound, which moves up or down. */
struct mover {
	struct box *k;
	struct bound *b;
	int up;
};

/* Further than the end is, up to there: the end moves. Else what was found against it, or `to`. */
static int try_to(struct mover *m, u128 to, u128 *too_far)
{
	struct bound *b = m->b;
	struct bound more = m->up ? (struct bound){b->in, b->high + 1, to} : (struct bound){b->in, to, b->low - 1};
	struct solve_model against = {0};
	int ok = implies_with(m->k, &more, b, &against);
	if (!ok)
		*too_far = to;
	if (!ok && against.values.size + against.bytes.size) {
		u128 value = solve_model_eval(m->k->x->p, &against, b->in->term) ^ flip_of(m->k->x, b->in);
		if (value >= more.low && value <= more.high)
			*too_far = value;
	}
	solve_model_release(&against);
	if (ok)
		*(m->up ? &b->high : &b->low) = to;
	return ok;
}

/* The constant of the code that is nearest to what is too far, without its being so; else what is next to that, at first, and then the middle. */
static u128 next_try(const struct mover *m, u128 too_far, unsigned number)
{
	const struct diff_hints *h = m->k->hints;
	u128 end = m->up ? m->b->high : m->b->low, best = end;
	for (size_t i = 0; i < h->size; i++) {
		struct bound b;
		if (!bounds_of(m->k->x, h->data[i], &b) || b.in != m->b->in)
			continue;
		const u128 values[] = {b.low, b.high, b.low ? b.low - 1 : 0, b.high + 1};
		for (unsigned j = 0; j < sizeof values / sizeof *values; j++)
			if (m->up ? values[j] > best && values[j] < too_far : values[j] < best && values[j] > too_far)
				best = values[j];
	}
	if (best != end)
		return best;
	if (number < 2)
		return m->up ? too_far - 1 : too_far + 1;
	return m->up ? end + (too_far - end) / 2 : end - (end - too_far) / 2;
}

static void move_end(struct mover *m)
{
	u128 last = m->up ? most_of(m->k->x, m->b->in) : 0, *end = m->up ? &m->b->high : &m->b->low, far = last;
	if (*end == last || !try_to(m, m->up ? *end + 1 : *end - 1, &far) || *end == last || try_to(m, last, &far))
		return;
	for (unsigned i = 0; i < (is_alone(m->k) ? ALONE : TRIES) && (m->up ? far - *end : *end - far) > 1 && !diff_pair_is_over(m->k->x); i++) {
		u128 next;
		if (!try_to(m, next_try(m, far, i), &far))
			continue;
		next = m->up ? *end + 1 : *end - 1; /* most often that was it */
		if (next != far && !try_to(m, next, &far))
			return;
	}
}

static void widen(struct box *k)
{
	for (unsigned i = 0; i < k->count; i++)
		for (int up = 0; up < 2; up++) {
			struct mover m = {k, &k->bounds[i], up};
			move_end(&m);
		}
}

/* ------------------------------------------------------------ comparisons that are no bounds */

/* Is it about a pointer? There are no bounds of those. */
static int is_of_pointer(const struct diff_pair *x, expr_t literal)
{
	uint32_t count;
	const expr_t *vars = expr_vars(x->p, literal, &count);
	for (uint32_t i = 0; i < count; i++) {
		const struct diff_word *in = diff_word_find(x, vars[i]);
		if (in && in->is_pointer)
			return 1;
	}
	return 0;
}

/* All words of the literals that are no bounds, but those about pointers, with the model's values. 0: not all of them are numbers. */
static int fix_words(struct box *k, const struct solve_model *m)
{
	struct diff_pair *x = k->x;
	for (size_t i = 0; i < k->others.size; i++) {
		uint32_t count;
		const expr_t *vars = expr_vars(x->p, k->others.data[i], &count);
		for (uint32_t j = 0; j < count && !is_of_pointer(x, k->others.data[i]); j++) {
			const struct diff_word *in = diff_word_find(x, vars[j]);
			if (!in || !in->is_parameter || in->is_pointer || width_of(x, in) < 2 || width_of(x, in) > 64)
				return 0;
			u128 value = solve_model_eval(x->p, m, in->term) ^ flip_of(x, in);
			if (!add_bound(k, &(struct bound){in, value, value}))
				return 0;
		}
	}
	return 1;
}

static int contains(struct box *k, const struct diff_cube *c)
{
	VEC(expr_t) all = {0};
	expr_t inside = expr_true(k->x->p);
	for (size_t i = 0; i < c->literals.size; i++)
		vec_push(&all, c->literals.data[i]);
	for (unsigned i = 0; i < k->count; i++)
		inside = expr_and(k->x->p, inside, within(k->x, &k->bounds[i]));
	vec_push(&all, expr_not(k->x->p, inside));
	enum verdict v = diff_pair_check(k->x, all.data, (unsigned)all.size, NULL);
	vec_release(&all);
	return v == VERDICT_UNSAT;
}

/* Bounds alone, but for what is said of pointers, if the cube is a part of what they say. */
static int replace_others(struct box *k, const struct diff_cube *c)
{
	struct box bounds = *k;
	if (!fix_words(&bounds, &c->model))
		return 0;
	bounds.others = (__typeof__(bounds.others)){0};
	for (size_t i = 0; i < k->others.size; i++)
		if (is_of_pointer(k->x, k->others.data[i]))
			vec_push(&bounds.others, k->others.data[i]);
	int ok = bounds.others.size < k->others.size && implies_with(&bounds, NULL, NULL, NULL);
	if (ok)
		widen(&bounds);
	ok = ok && contains(&bounds, c);
	vec_release(ok ? &k->others : &bounds.others);
	if (ok)
		*k = bounds;
	return ok;
}

/* ------------------------------------------------------------ the cube again */

static void drop_free_words(struct box *k)
{
	unsigned kept = 0;
	for (unsigned i = 0; i < k->count; i++)
		if (k->bounds[i].low || k->bounds[i].high != most_of(k->x, k->bounds[i].in))
			k->bounds[kept++] = k->bounds[i];
	k->count = kept;
}

/* The input nearest to 0. */
static void choose_input(struct box *k, struct diff_cube *c)
{
	struct diff_pair *x = k->x;
	struct solve_model near = {0};
	VEC(expr_t) all = {0};
	for (unsigned i = 0; i < k->count; i++) {
		const struct bound *b = &k->bounds[i];
		u128 zero = flip_of(x, b->in), value = zero < b->low ? b->low : zero > b->high ? b->high : zero;
		vec_push(&all, within(x, &(struct bound){b->in, value, value}));
	}
	for (size_t i = 0; i < k->others.size; i++)
		vec_push(&all, k->others.data[i]);
	if (diff_pair_check(x, all.data, (unsigned)all.size, &near) == VERDICT_SAT) {
		solve_model_release(&c->model);
		c->model = near;
	} else {
		solve_model_release(&near);
	}
	vec_release(&all);
}

/* Where among the inputs the first word of the literal is. */
static size_t place_of(const struct diff_pair *x, expr_t literal)
{
	uint32_t count;
	const expr_t *vars = expr_vars(x->p, literal, &count);
	size_t first = x->inputs.size;
	for (uint32_t i = 0; i < count; i++) {
		const struct diff_word *in = diff_word_find(x, vars[i]);
		if (in && (size_t)(in - x->inputs.data) < first)
			first = (size_t)(in - x->inputs.data);
	}
	return first;
}

/* In the order of inputs: a pointer comes before what it leads to. */
static void write_cube(struct box *k, struct diff_cube *c)
{
	struct diff_pair *x = k->x;
	struct buf text = BUF_EMPTY;
	unsigned next = 0;
	vec_clear(&c->literals);
	for (size_t place = 0; place <= x->inputs.size; place++) {
		for (size_t i = 0; i < k->others.size; i++)
			if (place_of(x, k->others.data[i]) == place) {
				buf_adds(&text, text.size ? " && " : "");
				diff_text_literal(x, k->others.data[i], 1, &text);
				vec_push(&c->literals, k->others.data[i]);
			}
		if (next < k->count && k->bounds[next].in == &x->inputs.data[place]) {
			buf_adds(&text, text.size ? " && " : "");
			bound_text(x, &k->bounds[next], &text);
			vec_push(&c->literals, within(x, &k->bounds[next++]));
		}
	}
	if (!text.size)
		buf_adds(&text, "1");
	c->text = buf_take(&text);
	c->interval = is_alone(k) && k->bounds[0].in->is_parameter;
	c->low = k->bounds[0].low;
}

void diff_box_make(struct diff_pair *x, expr_t set, const struct diff_hints *hints, struct diff_cube *c)
{
	struct box k = {.x = x, .not_set = expr_not(x->p, set), .hints = hints};
	read_cube(&k, c);
	if (!k.others.size || !replace_others(&k, c))
		widen(&k);
	drop_free_words(&k);
	choose_input(&k, c);
	write_cube(&k, c);
	vec_release(&k.others);
}
