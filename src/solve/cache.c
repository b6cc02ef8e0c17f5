/* cache.c: queries answered before, in this process and in the store.
 *
 * The key of a query is a sum of the digests of its slice's constraints and its
 * goal, so it does not depend on their order and costs nothing to keep up to date. The table in
 * memory is set-associative: a key can stand in CACHE_WAYS places, the one used least recently
 * gives way.
 *
 * A second table is indexed by the goal alone and keeps the constraints' digests of
 * small slices. A goal that was UNSAT under a subset of today's constraints is UNSAT.
 * A model is a guess wherever it comes from: it is evaluated, and is the answer only
 * if it holds. That covers the superset rule and stored SAT answers alike. UNKNOWN is never kept.
 */
#include "solve/ladder.h"

#include "base/budget.h"
#include "base/limit.h"

#include <stdlib.h>
#include <string.h>

#define MODEL_MOST LIMIT(256, 1) /* values of a model that is kept | memory: up to 16,384 answers are kept */

void cache_release(struct solver *s)
{
	for (size_t i = 0; s->cache && i < CACHE_SETS * CACHE_WAYS; i++) {
		solve_model_release(&s->cache[i].model);
		solve_model_release(&s->subset[i].model);
		free(s->subset[i].digests);
	}
	free(s->cache);
	free(s->subset);
	s->cache = NULL;
	s->subset = NULL;
	s->cache_bytes = 0;
}

static uint64_t model_bytes(const struct solve_model *m)
{
	return m->values.cap * sizeof *m->values.data;
}

static uint64_t subset_bytes(const struct subset_entry *e)
{
	return model_bytes(&e->model) + e->count * sizeof *e->digests;
}

static void drop_exact(struct solver *s, struct cache_entry *e)
{
	s->cache_bytes -= model_bytes(&e->model);
	solve_model_release(&e->model);
	*e = (struct cache_entry){0};
}

static void drop_subset(struct solver *s, struct subset_entry *e)
{
	s->cache_bytes -= subset_bytes(e);
	solve_model_release(&e->model);
	free(e->digests);
	*e = (struct subset_entry){0};
}

/* Over its part of the budget: the older half, by when it was last of use, goes. */
static void trim(struct solver *s)
{
	uint64_t oldest = s->clock, middle;

	for (size_t i = 0; i < CACHE_SETS * CACHE_WAYS; i++) {
		if (s->cache[i].used && s->cache[i].used < oldest)
			oldest = s->cache[i].used;
		if (s->subset[i].used && s->subset[i].used < oldest)
			oldest = s->subset[i].used;
	}
	middle = oldest + (s->clock - oldest) / 2;
	for (size_t i = 0; i < CACHE_SETS * CACHE_WAYS; i++) {
		if (s->cache[i].used <= middle)
			drop_exact(s, &s->cache[i]);
		if (s->subset[i].used <= middle)
			drop_subset(s, &s->subset[i]);
	}
}

static int same(struct hash128 x, struct hash128 y)
{
	return x.a == y.a && x.b == y.b;
}

static size_t first_way(struct hash128 key)
{
	return (hash_mix(key.a ^ key.b) % CACHE_SETS) * CACHE_WAYS;
}

/* A model of any origin as a guess for this query. */
static int guess(struct query *q, const struct solve_model *m)
{
	struct solve_path *path = q->path;

	trial_begin(path);
	for (size_t i = 0; i < m->values.size; i++) {
		const struct solve_value *v = &m->values.data[i];
		expr_t e = v->op == EXPR_OP_NAMED ? EXPR_NONE
						  : path_variable(path, v->op, v->source, v->index);

		if (e)
			trial_set(path, e, v->value);
	}
	if (!trial_run(q, 0))
		return 0;
	trial_take(q);
	return 1;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Digests of the slice's constraints, ascending; returns their number. */
static uint32_t slice_digests(struct query *q, uint64_t out[SUBSET_MOST])
{
	expr_vec slice = {0};
	uint32_t n;

	query_slice(q, &slice);
	n = (uint32_t)slice.size;
	for (uint32_t i = 0; i < n; i++)
		out[i] = expr_digest(q->path->pool, slice.data[i]).a;
	vec_release(&slice);
	qsort(out, n, sizeof *out, by_number);
	return n;
}

static int is_subset(const uint64_t *x, uint32_t nx, const uint64_t *y, uint32_t ny)
{
	uint32_t j = 0;

	for (uint32_t i = 0; i < nx; i++, j++) {
		while (j < ny && y[j] < x[i])
			j++;
		if (j == ny || y[j] != x[i])
			return 0;
	}
	return 1;
}

static enum verdict find_subset(struct query *q)
{
	struct solver *s = q->path->solver;
	struct hash128 goal = expr_digest(q->path->pool, q->goal);
	size_t at = first_way(goal);
	uint64_t digests[SUBSET_MOST];
	uint32_t count = 0;
	int have = 0;

	for (size_t i = at; i < at + CACHE_WAYS; i++) {
		struct subset_entry *e = &s->subset[i];

		if (e->verdict == VERDICT_UNKNOWN || !same(e->goal, goal))
			continue;
		if (e->verdict == VERDICT_SAT) {
			if (guess(q, &e->model)) {
				e->used = ++s->clock;
				return VERDICT_SAT;
			}
			continue;
		}
		if (q->constraints > SUBSET_MOST)
			continue;
		if (!have)
			count = slice_digests(q, digests);
		have = 1;
		if (is_subset(e->digests, e->count, digests, count)) {
			e->used = ++s->clock;
			return VERDICT_UNSAT;
		}
	}
	return VERDICT_UNKNOWN;
}

enum verdict rung_cache(struct query *q)
{
	struct solver *s = q->path->solver;
	size_t at = first_way(q->key);

	if (s->o.no_cache || !s->cache)
		return VERDICT_UNKNOWN;
	for (size_t i = at; i < at + CACHE_WAYS; i++) {
		struct cache_entry *e = &s->cache[i];

		if (e->verdict == VERDICT_UNKNOWN || !same(e->key, q->key))
			continue;
		e->used = ++s->clock;
		if (e->verdict == VERDICT_UNSAT || guess(q, &e->model)) {
			q->stored = 1;
			return e->verdict;
		}
	}
	return find_subset(q);
}

/* The store's answer; a model that does not hold here, or is damaged, counts as none. */
enum verdict rung_store(struct query *q)
{
	struct solver *s = q->path->solver;
	enum verdict v = VERDICT_UNKNOWN;
	struct buf bytes = BUF_EMPTY;
	struct solve_model m = {0};

	if (s->o.no_cache || !s->o.cache_get)
		return VERDICT_UNKNOWN;
	if (!s->o.cache_get(s->o.cache_ctx, q->key, &v, &bytes))
		v = VERDICT_UNKNOWN;
	if (v == VERDICT_SAT && (solve_model_read(&m, bytes.data, bytes.size) < 0 || !guess(q, &m)))
		v = VERDICT_UNKNOWN;
	q->stored = v != VERDICT_UNKNOWN;
	solve_model_release(&m);
	buf_release(&bytes);
	return v;
}

/* ----------------------------------------------------------------- storing */
/* The model as other runs need it: with the run's values of the slice's other variables,
 * if these are few. 0 if it cannot be kept. */
static int whole_model(struct query *q, struct solve_model *out)
{
	struct solve_path *path = q->path;
	struct partition *s = &path->slices;
	size_t vars = 0;

	for (size_t i = 0; i < q->model->values.size; i++)
		if (q->model->values.data[i].op == EXPR_OP_NAMED)
			return 0;
	if (q->model->values.size > MODEL_MOST)
		return 0;
	model_copy(out, q->model);
	for (size_t i = 0; i < q->roots.size; i++)
		vars += s->parts.data[q->roots.data[i]].vars;
	if (vars > MODEL_MOST)
		return 1;
	vec_clear(&out->values);
	trial_begin(path);
	for (size_t i = 0; i < q->model->values.size; i++) {
		const struct solve_value *v = &q->model->values.data[i];

		trial_set(path, path_variable(path, v->op, v->source, v->index), v->value);
	}
	for (size_t i = 0; i < q->roots.size; i++) {
		uint32_t v = s->parts.data[q->roots.data[i]].first_var;

		for (; v; v = s->next_var.data[v - 1]) {
			expr_t e = path->vars.data[v - 1].term;
			struct solve_value value = path_identity(path, e);

			if (value.op == EXPR_OP_NAMED)
				return 0;
			value.value = trial_value(path, e);
			vec_push(&out->values, value);
		}
	}
	return 1;
}

static void put_subset(struct query *q, enum verdict v, const struct solve_model *m)
{
	struct solver *s = q->path->solver;
	struct hash128 goal = expr_digest(q->path->pool, q->goal);
	size_t at = first_way(goal), oldest = at;
	struct subset_entry *e;
	uint64_t digests[SUBSET_MOST];

	if (v == VERDICT_UNSAT && q->constraints > SUBSET_MOST)
		return;
	for (size_t i = at; i < at + CACHE_WAYS; i++)
		if (s->subset[i].used < s->subset[oldest].used)
			oldest = i;
	e = &s->subset[oldest];
	drop_subset(s, e);
	e->goal = goal;
	e->verdict = v;
	e->used = ++s->clock;
	if (v == VERDICT_SAT) {
		model_copy(&e->model, m);
		s->cache_bytes += subset_bytes(e);
		return;
	}
	e->count = slice_digests(q, digests);
	e->digests = mem_alloc(e->count * sizeof *digests + 1);
	if (e->count)
		memcpy(e->digests, digests, e->count * sizeof *digests);
	s->cache_bytes += subset_bytes(e);
}

static void put_exact(struct solver *s, struct hash128 key, enum verdict v,
		      const struct solve_model *m)
{
	size_t at = first_way(key), oldest = at;
	struct cache_entry *e;

	for (size_t i = at; i < at + CACHE_WAYS; i++) {
		if (same(s->cache[i].key, key)) {
			oldest = i;
			break;
		}
		if (s->cache[i].used < s->cache[oldest].used)
			oldest = i;
	}
	e = &s->cache[oldest];
	drop_exact(s, e);
	e->key = key;
	e->verdict = v;
	e->used = ++s->clock;
	if (v == VERDICT_SAT)
		model_copy(&e->model, m);
	s->cache_bytes += model_bytes(&e->model);
}

void cache_put(struct query *q, enum verdict v)
{
	struct solver *s = q->path->solver;
	struct solve_model m = {0};

	if (s->o.no_cache || q->stored || v == VERDICT_UNKNOWN ||
	    (v == VERDICT_SAT && !whole_model(q, &m))) {
		solve_model_release(&m);
		return;
	}
	if (!s->cache) {
		s->cache = mem_zalloc(CACHE_SETS * CACHE_WAYS * sizeof *s->cache);
		s->subset = mem_zalloc(CACHE_SETS * CACHE_WAYS * sizeof *s->subset);
	}
	put_exact(s, q->key, v, &m);
	put_subset(q, v, &m);
	if (s->cache_bytes > budget_share(BUDGET_QUERIES))
		trim(s);
	if (s->o.cache_put) {
		struct buf bytes = BUF_EMPTY;

		if (v == VERDICT_SAT)
			solve_model_write(&m, &bytes);
		s->o.cache_put(s->o.cache_ctx, q->key, v, bytes.data, bytes.size);
		buf_release(&bytes);
	}
	solve_model_release(&m);
}
