/* sets.c: from what both versions do to the sets of inputs.
 *
 * The sets are disjoint and together everything: unknown (something is not modelled, or a bound was reached in one version), undefined, termination, same, diff, open.
 *
 * The world at the end is a term of applications, one for each call, under choices. It is compared by its structure: calls are the same if function, memory and arguments are; they differ if the functions or the
 * arguments do, or their number. What was called with other memory is neither. So a comparison of worlds has no uninterpreted functions in it, unless arguments are results of calls.
 *
 * same says that everything is equal, for every interpretation. diff says that something certainly is not: one of the differences (how it ends, result, an object of memory, the world) that speak of inputs alone.
 * open is the rest, where it depends on what functions outside do.
 */
#include "diff/inside.h"

#include <string.h>

#define WRITES 64  /* addresses at which memory is compared one by one */
#define PAIRS 20000 /* of terms that are compared: by then nothing more is certain */
#define DEPTH 24   /* choices and writes inside each other in two arrays */

/* ------------------------------------------------------------ applications */

struct comparison {
	struct diff_pair *x;
	struct exprs *p;
	int differ; /* do they certainly differ? Else: are they certainly the same? */
};

/* 2: also memory is the same; 1: only the function is; 0: neither. */
static int same_function(const struct exprs *p, expr_t a, expr_t b)
{
	const char *x = expr_name(p, a), *y = expr_name(p, b), *end = strstr(x, ".world.");
	if (!strcmp(x, y))
		return 2;
	return end && !strncmp(x, y, (size_t)(end - x) + 7);
}

static expr_t memory_same(struct diff_pair *x, const struct vc_memory *old, const struct vc_memory *new);
static expr_t locals_same(struct diff_pair *x, const struct vc_memory *const m[2]);

/* Was memory the same before these two calls? The worlds after them are from either version. */
static expr_t same_before(struct comparison *k, expr_t a, expr_t b)
{
	struct diff_side *s = k->x->side;
	uint64_t before[2];
	if (!map_get(&s[OLD].calls, a, &before[OLD]) || !map_get(&s[NEW].calls, b, &before[NEW]))
		return expr_false(k->p);
	const struct vc_memory *m[2] = {(const struct vc_memory *)(uintptr_t)before[OLD], (const struct vc_memory *)(uintptr_t)before[NEW]};
	return expr_and(k->p, memory_same(k->x, m[OLD], m[NEW]), locals_same(k->x, m));
}

static expr_t compare_terms(struct comparison *k, expr_t a, expr_t b);

/* Were both left by calls that were the same? They are the same part of what the function does if their names are, but for memory. */
static expr_t same_left(struct comparison *k, expr_t a, expr_t b)
{
	const char *x = expr_name(k->p, a), *y = expr_name(k->p, b), *end = strrchr(x, '.');
	uint64_t old, new;
	if (!end || strncmp(x, y, (size_t)(end - x) + 1) || strchr(y + (end - x) + 1, '.'))
		return expr_false(k->p);
	if (!map_get(&k->x->side[OLD].left, a, &old) || !map_get(&k->x->side[NEW].left, b, &new))
		return expr_false(k->p);
	return compare_terms(k, (expr_t)old, (expr_t)new);
}

static expr_t compare_calls(struct comparison *k, expr_t a, expr_t b)
{
	struct exprs *p = k->p;
	expr_t x[64], y[64], any = expr_false(p);
	unsigned n = expr_arguments(p, a, x, 64), m = expr_arguments(p, b, y, 64);
	int same = same_function(p, a, b);
	if (!k->differ && !same)
		return same_left(k, a, b);
	if (n != m || n > 64 || !same)
		return k->differ && n <= 64 && m <= 64 && strstr(expr_name(p, a), ".world.") && strstr(expr_name(p, b), ".world.") ? expr_true(p) : expr_false(p);
	if (!k->differ && same == 1)
		any = expr_not(p, same_before(k, a, b));
	for (unsigned i = 0; i + 1 < n; i++) {
		if (expr_width(p, x[i]) != expr_width(p, y[i]))
			return k->differ ? expr_true(p) : expr_false(p);
		any = expr_or(p, any, expr_not(p, expr_eq(p, x[i], y[i])));
	}
	expr_t before = compare_terms(k, x[n - 1], y[n - 1]);
	return k->differ ? expr_or(p, any, before) : expr_and(p, expr_not(p, any), before);
}

static expr_t compare_new(struct comparison *k, expr_t a, expr_t b)
{
	struct exprs *p = k->p;
	struct expr_node n = *expr_get(p, a), m = *expr_get(p, b);
	if (n.op == MUSTER_OP_ITE || m.op == MUSTER_OP_ITE) {
		int left = n.op == MUSTER_OP_ITE;
		expr_t yes = left ? compare_terms(k, n.b, b) : compare_terms(k, a, m.b);
		expr_t no = left ? compare_terms(k, n.c, b) : compare_terms(k, a, m.c);
		return expr_ite(p, left ? n.a : m.a, yes, no);
	}
	if (n.op == EXPR_OP_APPLY && m.op == EXPR_OP_APPLY)
		return compare_calls(k, a, b);
	if (k->differ) /* one has made a call that the other has not */
		return (n.op == EXPR_OP_APPLY && strstr(expr_name(p, a), ".world.")) || (m.op == EXPR_OP_APPLY && strstr(expr_name(p, b), ".world.")) ? expr_true(p) : expr_false(p);
	/* A byte that a call may have written, and one that it has not: not known to be the same. */
	return n.op == EXPR_OP_APPLY || m.op == EXPR_OP_APPLY ? expr_false(p) : expr_eq(p, a, b);
}

static expr_t compare_terms(struct comparison *k, expr_t a, expr_t b)
{
	uint64_t key = (uint64_t)a << 32 | b, known;
	if (a == b)
		return k->differ ? expr_false(k->p) : expr_true(k->p);
	if (map_get(&k->x->compared[k->differ], key, &known))
		return (expr_t)known;
	if (k->x->compared[k->differ].size > PAIRS || diff_pair_is_over(k->x))
		return expr_false(k->p);
	expr_t e = compare_new(k, a, b);
	map_set(&k->x->compared[k->differ], key, e);
	return e;
}

static expr_t worlds_differ(struct diff_pair *x, expr_t a, expr_t b)
{
	struct comparison k = {.x = x, .p = x->p, .differ = 1};
	return compare_terms(&k, a, b);
}

static expr_t certainly_same(struct diff_pair *x, expr_t a, expr_t b)
{
	struct comparison k = {.x = x, .p = x->p};
	return compare_terms(&k, a, b);
}

/* ------------------------------------------------------------ memory */

struct writes {
	struct diff_pair *x;
	struct exprs *p;
	VEC(expr_t) at;
	struct map seen;
	expr_t leaf; /* the named array at the bottom */
	int other;   /* several of them, or something else than writes and choices */
};

/* An array of the new version's that lockstep.c takes for one of the old version's. */
static expr_t old_array(const struct diff_pair *x, expr_t array)
{
	uint64_t old;
	return map_get(&x->coupled, array, &old) ? (expr_t)old : array;
}

static void find_writes(struct writes *w, expr_t array)
{
	struct expr_node n = *expr_get(w->p, array);
	if (w->other || !map_set(&w->seen, array, 1))
		return;
	if (n.op == EXPR_OP_ARRAY && (!w->leaf || w->leaf == old_array(w->x, array))) {
		w->leaf = old_array(w->x, array);
	} else if (n.op == EXPR_OP_WRITE && w->at.size < WRITES) {
		vec_push(&w->at, n.b);
		find_writes(w, n.a);
	} else if (n.op == MUSTER_OP_ITE) {
		find_writes(w, n.b);
		find_writes(w, n.c);
	} else {
		w->other = 1;
	}
}

static expr_t equal_at(struct exprs *p, expr_t a, expr_t b, expr_t at)
{
	return expr_eq(p, expr_array_select(p, a, at), expr_array_select(p, b, at));
}

/* Below all writes. */
static expr_t strip_writes(struct exprs *p, expr_t array)
{
	while (expr_get(p, array)->op == EXPR_OP_WRITE)
		array = expr_get(p, array)->a;
	return array;
}

/* Certainly equal: by choices, writes, and the calls that left them. */
static expr_t same_arrays(struct comparison *k, expr_t a, expr_t b, unsigned depth)
{
	struct exprs *p = k->p;
	struct expr_node n = *expr_get(p, a), m = *expr_get(p, b);
	if (a == b || (n.op == EXPR_OP_ARRAY && m.op == EXPR_OP_ARRAY && old_array(k->x, a) == old_array(k->x, b)))
		return expr_true(p);
	if (!depth)
		return expr_false(p);
	if (n.op == MUSTER_OP_ITE || m.op == MUSTER_OP_ITE) {
		int left = n.op == MUSTER_OP_ITE;
		expr_t yes = left ? same_arrays(k, n.b, b, depth - 1) : same_arrays(k, a, m.b, depth - 1);
		expr_t no = left ? same_arrays(k, n.c, b, depth - 1) : same_arrays(k, a, m.c, depth - 1);
		return expr_ite(p, left ? n.a : m.a, yes, no);
	}
	if (n.op == EXPR_OP_WRITE || m.op == EXPR_OP_WRITE) {
		expr_t all = same_arrays(k, strip_writes(p, a), strip_writes(p, b), depth - 1);
		for (int i = 0; i < 2; i++)
			for (expr_t e = i ? b : a; expr_get(p, e)->op == EXPR_OP_WRITE; e = expr_get(p, e)->a)
				all = expr_and(p, all, equal_at(p, a, b, expr_get(p, e)->b));
		return all;
	}
	return n.op == EXPR_OP_ARRAY && m.op == EXPR_OP_ARRAY ? same_left(k, a, b) : expr_false(p);
}

/* Arrays without a size that come from one array are equal if they are so wherever one of them was written. Else, exact: at an offset that is any. */
static expr_t arrays_equal(struct diff_pair *x, expr_t a, expr_t b, int exact)
{
	struct exprs *p = x->p;
	struct writes w = {.x = x, .p = p};
	expr_t all = expr_true(p);
	if (a == b)
		return all;
	find_writes(&w, a);
	find_writes(&w, b);
	if (!w.other) {
		for (size_t i = 0; i < w.at.size; i++)
			all = expr_and(p, all, equal_at(p, a, b, w.at.data[i]));
	} else if (exact) {
		all = equal_at(p, a, b, expr_named(p, 64, "any offset"));
	} else {
		struct comparison k = {.x = x, .p = p};
		all = same_arrays(&k, a, b, DEPTH);
	}
	vec_release(&w.at);
	map_release(&w.seen);
	return all;
}

void diff_sets_forget(struct diff_pair *x)
{
	map_release(&x->compared[0]);
	map_release(&x->compared[1]);
}

expr_t diff_sets_same(struct diff_pair *x, expr_t a, expr_t b)
{
	return certainly_same(x, a, b);
}

expr_t diff_sets_arrays_equal(struct diff_pair *x, expr_t a, expr_t b)
{
	return arrays_equal(x, a, b, 0);
}

static expr_t word_at(struct exprs *p, expr_t table, uint64_t at, unsigned bytes)
{
	expr_t word = expr_data_byte(p, table, at);
	for (unsigned i = 1; i < bytes; i++)
		word = expr_concat(p, expr_data_byte(p, table, at + i), word);
	return word;
}

/* A number of a variable: a condition on it is shorter than one on its bytes. EXPR_NONE: calls may have left it, or it is the same. */
static expr_t number_equal(struct diff_pair *x, expr_t a, expr_t b, uint64_t at, unsigned bytes)
{
	struct exprs *p = x->p;
	expr_t old = word_at(p, a, at, bytes), new = word_at(p, b, at, bytes);
	return old != new && diff_pair_is_input_only(x, old) && diff_pair_is_input_only(x, new) ? expr_eq(p, old, new) : EXPR_NONE;
}

/* Of a variable of side k. exact: with uninterpreted functions where they are in it; else what is certainly equal, without. */
static expr_t tables_equal(struct diff_pair *x, int k, uint32_t global, expr_t a, expr_t b, int exact)
{
	struct exprs *p = x->p;
	expr_t all = expr_true(p);
	uint64_t count = a != b ? expr_data_count(p, a) : 0;
	unsigned bytes;
	for (uint64_t i = 0; i < count; i += bytes) {
		bytes = global != CODE_NONE ? diff_word_scalar(x->side[k].f->code, global, i) : 1;
		expr_t number = bytes > 1 && i + bytes <= count ? number_equal(x, a, b, i, bytes) : EXPR_NONE;
		bytes = number != EXPR_NONE ? bytes : 1;
		expr_t m = expr_data_byte(p, a, i), n = expr_data_byte(p, b, i);
		all = expr_and(p, all, number != EXPR_NONE ? number : exact ? expr_eq(p, m, n) : certainly_same(x, m, n));
	}
	return all;
}

static uint32_t find_object(const struct vc *v, const char *name)
{
	for (uint32_t i = 0; i < vc_objects(v); i++)
		if (!strcmp(vc_object_name(v, i), name))
			return i;
	return VC_NO_OBJECT;
}

static expr_t contents_equal(struct diff_pair *x, int k, uint32_t i, expr_t a, expr_t b, int exact)
{
	if (expr_get(x->p, a)->op == MUSTER_OP_DATA)
		return tables_equal(x, k, vc_object_global(x->side[k].vc, i), a, b, exact);
	return arrays_equal(x, a, b, exact);
}

/* A variable of one version's terms, which the other may have with another size or as a constant: then it is the same, as far as is known, if nobody writes to it. */
static expr_t own_equal(struct diff_pair *x, int k, uint32_t i, const struct vc_memory *mine, int exact)
{
	struct diff_side *s = &x->side[k];
	uint32_t g = vc_object_global(s->vc, i);
	if (exact || g == CODE_NONE || !differ_data_paired(x->d, k, s->f->code, g))
		return expr_true(x->p);
	expr_t same = contents_equal(x, k, i, vc_contents(s->vc, mine, i), vc_object_start(s->vc, i), 0);
	if (same != expr_true(x->p))
		x->resized = s->f->code->globals[g].name;
	return same;
}

/* An object that both versions have, in two states of memory: others are not compared. */
static expr_t object_equal(struct diff_pair *x, int k, uint32_t i, const struct vc_memory *mine, const struct vc_memory *others, int exact)
{
	struct diff_side *s = x->side;
	const char *name = vc_object_name(s[k].vc, i);
	uint32_t other = find_object(s[!k].vc, name);
	if (vc_object_lasts(s[k].vc, i) && !strncmp(name, k == OLD ? "old@" : "new@", 4))
		return own_equal(x, k, i, mine, exact);
	if (!vc_object_lasts(s[k].vc, i) || i == s[k].world || i == s[k].count || (k == NEW && other != VC_NO_OBJECT))
		return expr_true(x->p);
	expr_t start = vc_object_start(s[k].vc, i), a = vc_contents(s[k].vc, mine, i), b = other == VC_NO_OBJECT ? start : vc_contents(s[!k].vc, others, other);
	return contents_equal(x, k, i, a, b, exact);
}

static expr_t memory_same(struct diff_pair *x, const struct vc_memory *old, const struct vc_memory *new)
{
	expr_t all = expr_true(x->p);
	for (uint32_t i = 0; i < vc_objects(x->side[OLD].vc); i++)
		all = expr_and(x->p, all, object_equal(x, OLD, i, old, new, 0));
	for (uint32_t i = 0; i < vc_objects(x->side[NEW].vc); i++)
		all = expr_and(x->p, all, object_equal(x, NEW, i, new, old, 0));
	return all;
}

/* Locals that a function outside may know, in both. */
static expr_t locals_same(struct diff_pair *x, const struct vc_memory *const m[2])
{
	expr_t all = expr_true(x->p);
	for (int k = 0; k < 2; k++) {
		const struct vc *mine = x->side[k].vc, *others = x->side[!k].vc;
		for (uint32_t i = 0; i < vc_objects(mine); i++) {
			if (!vc_object_seen(mine, m[k], i))
				continue;
			uint32_t j = find_object(others, vc_object_name(mine, i));
			if (j == VC_NO_OBJECT || !vc_object_seen(others, m[!k], j))
				return expr_false(x->p);
			if (k == OLD)
				all = expr_and(x->p, all, contents_equal(x, k, i, vc_contents(mine, m[OLD], i), vc_contents(others, m[NEW], j), 0));
		}
	}
	return all;
}

/* ------------------------------------------------------------ sets */

/* What both do where both return; or both exit. */
struct ending {
	expr_t same;	/* everything is the same */
	expr_t differs; /* something certainly is not */
};

static void note_difference(struct diff_pair *x, struct ending *e, expr_t differs)
{
	if (diff_pair_is_input_only(x, differs))
		e->differs = expr_or(x->p, e->differs, differs);
}

static void compare_worlds(struct diff_pair *x, struct ending *e, expr_t a, expr_t b)
{
	e->same = expr_and(x->p, e->same, certainly_same(x, a, b));
	note_difference(x, e, worlds_differ(x, a, b));
}

/* Results of one type of value: the same bits. Of which only one version's is signed: they mean the same number where the highest bit is 0. */
static void compare_results(struct diff_pair *x, struct ending *e, expr_t a, expr_t b)
{
	struct exprs *p = x->p;
	expr_t differs = expr_not(p, expr_eq(p, a, b));
	e->same = certainly_same(x, a, b);
	if (!diff_pair_same_sign(x->side[OLD].f, x->side[NEW].f)) {
		expr_t high = expr_extract(p, a, expr_width(p, a) - 1, 1);
		e->same = expr_and(p, e->same, certainly_same(x, high, expr_const(p, 1, 0)));
		differs = expr_or(p, differs, high);
	}
	note_difference(x, e, differs);
}

static struct ending compare_returns(struct diff_pair *x)
{
	struct exprs *p = x->p;
	struct diff_side *s = x->side;
	struct ending e = {expr_true(p), expr_false(p)};
	expr_t zero = expr_const(p, 64, 0);
	if (s[OLD].out.value != EXPR_NONE && s[NEW].out.value != EXPR_NONE)
		compare_results(x, &e, s[OLD].out.value, s[NEW].out.value);
	e.same = expr_and(p, e.same, memory_same(x, s[OLD].out.memory, s[NEW].out.memory));
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < vc_objects(s[k].vc); i++)
			note_difference(x, &e, expr_not(p, object_equal(x, k, i, s[k].out.memory, s[!k].out.memory, 1)));
	compare_worlds(x, &e, vc_read(s[OLD].vc, s[OLD].out.memory, s[OLD].world, zero, 64), vc_read(s[NEW].vc, s[NEW].out.memory, s[NEW].world, zero, 64));
	return e;
}

static expr_t exit_world(struct diff_side *s)
{
	struct exprs *p = s->pair->p;
	expr_t e = expr_const(p, 64, 0);
	for (size_t i = 0; i < s->exits.size; i++)
		e = expr_ite(p, s->exits.data[i].guard, s->exits.data[i].world, e);
	return e;
}

void diff_sets_make(struct diff_pair *x)
{
	struct exprs *p = x->p;
	struct diff_side *a = &x->side[OLD], *b = &x->side[NEW];
	x->resized = NULL;
	struct ending returns = compare_returns(x), exits = {expr_true(p), expr_false(p)};
	expr_t both_return = expr_and(p, a->out.returns, b->out.returns), both_exit = expr_and(p, vc_ends_by(a->vc, VC_EXIT), vc_ends_by(b->vc, VC_EXIT));
	expr_t endless = expr_and(p, a->endless, b->endless), one = expr_binary(p, MUSTER_OP_XOR, a->endless, b->endless);
	compare_worlds(x, &exits, exit_world(a), exit_world(b));
	expr_t same = expr_or(p, expr_or(p, expr_and(p, both_return, returns.same), expr_and(p, both_exit, exits.same)), endless);
	expr_t differs = expr_or(p, expr_and(p, both_return, returns.differs), expr_and(p, both_exit, exits.differs));
	differs = expr_or(p, differs, expr_not(p, expr_or(p, expr_or(p, both_return, both_exit), expr_or(p, endless, one))));
	x->unknown = expr_or(p, expr_or(p, a->unknown, a->bound), expr_or(p, b->unknown, b->bound));
	expr_t known = expr_not(p, x->unknown);
	x->undefined = expr_and(p, known, expr_or(p, a->undefined, b->undefined));
	x->crash = expr_and(p, known, expr_binary(p, MUSTER_OP_XOR, a->undefined, b->undefined));
	known = expr_and(p, known, expr_not(p, x->undefined));
	x->termination = expr_and(p, known, one);
	known = expr_and(p, known, expr_not(p, one));
	x->same = expr_and(p, known, same);
	x->diff = expr_and(p, known, differs);
	x->open = expr_and(p, known, expr_and(p, expr_not(p, same), expr_not(p, differs)));
}
