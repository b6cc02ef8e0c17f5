/* solve.c: the ladder.
 *
 * A query is opened (its slice is found), then climbs: each rung may answer SAT with a model that a
 * trial of the whole path has confirmed, UNSAT with a proof, or UNKNOWN, which
 * passes it on. What an answer teaches is kept: models in the ring, hard answers in the caches,
 * refuted goals on the path.
 */
#include "solve/window.h"

#include "base/deadline.h"
#include "base/file.h"
#include "base/log.h"
#include "expr/text.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct solver *solver_new(const struct solve_options *o)
{
	struct solver *s = mem_zalloc(sizeof *s);

	if (o)
		s->o = s->given = *o;
	s->random = hash_mix(s->o.seed + 1) | 1;
	return s;
}

void solver_effort(struct solver *s, const struct solve_effort *e)
{
	s->o.conflicts = e && e->conflicts ? e->conflicts : s->given.conflicts;
	s->o.work = e && e->work ? e->work : s->given.work;
	s->o.no_search = s->given.no_search || (e && e->no_search);
	s->o.no_z3 = s->given.no_z3 || (e && e->no_z3);
}

void solver_limit(struct solver *s, double seconds)
{
	if (s->given.seconds > 0)
		s->o.seconds = seconds < s->given.seconds ? seconds > 0.001 ? seconds : 0.001 : s->given.seconds;
}

void solver_forget(struct solver *s)
{
	cache_release(s);
}

void solver_free(struct solver *s)
{
	if (!s)
		return;
	cache_release(s);
	for (unsigned i = 0; i < MODEL_RING; i++)
		solve_model_release(&s->ring[i]);
	map_release(&s->dumped);
	free(s);
}

const struct solve_stats *solver_stats(const struct solver *s)
{
	return &s->stats;
}

uint64_t solver_random(struct solver *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return s->random;
}

double solve_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ------------------------------------------------------------------- query */
static void stack_operand(void *ctx, expr_t e)
{
	struct solve_path *path = ctx;
	struct node *n = &path->nodes[e];

	if (n->vars && n->queued != path->epoch) {
		n->queued = path->epoch;
		vec_push(&path->stack, e);
	}
}

static int ascending(const void *a, const void *b)
{
	expr_t x = *(const expr_t *)a, y = *(const expr_t *)b;

	return x < y ? -1 : x > y;
}

void sort_unique(expr_vec *v)
{
	size_t kept = 0;

	if (v->size < 2)
		return;
	qsort(v->data, v->size, sizeof *v->data, ascending);
	for (size_t i = 0; i < v->size; i++)
		if (!kept || v->data[kept - 1] != v->data[i])
			v->data[kept++] = v->data[i];
	v->size = kept;
}

/* The walk stops at linked terms: all variables below them are in one class. */
void query_open(struct query *q, struct solve_path *path, expr_t goal, struct solve_model *m)
{
	struct hash128 sum = expr_digest(path->pool, goal);
	double seconds = path->solver->o.seconds;

	*q = (struct query){.path = path, .goal = goal, .model = m};
	q->deadline = seconds > 0 ? deadline_processor() + deadline_least(seconds) : 0;
	trial_begin(path);
	vec_clear(&path->stack);
	stack_operand(path, goal);
	while (path->stack.size) {
		expr_t e = vec_pop(&path->stack);
		const struct node *n = &path->nodes[e];

		if (n->home == e || n->flags & NODE_LINKED) {
			vec_push(&q->roots,
				 partition_find(&path->slices, path->nodes[n->home].variable));
			continue;
		}
		vec_push(&q->nodes, e);
		path_operands(path, e, stack_operand, path);
	}
	sort_unique(&q->nodes);
	sort_unique(&q->roots);
	for (size_t i = 0; i < q->roots.size; i++) {
		const struct part *part = &path->slices.parts.data[q->roots.data[i]];

		q->constraints += part->constraints;
		sum = digest_sum(sum, part->sum);
	}
	q->key = hash128_join(sum, (struct hash128){q->constraints, 0});
}

void query_close(struct query *q)
{
	vec_release(&q->nodes);
	vec_release(&q->roots);
}

void query_slice(struct query *q, expr_vec *out)
{
	struct partition *s = &q->path->slices;

	vec_reserve(out, q->constraints);
	for (size_t i = 0; i < q->roots.size; i++) {
		uint32_t c = s->parts.data[q->roots.data[i]].first;

		for (; c; c = s->next_constraint.data[c - 1])
			vec_push(out, q->path->constraints.data[c - 1]);
	}
}

struct collect {
	struct solve_path *path;
	expr_vec *todo;
	struct map seen;
};

static void collect_operand(void *ctx, expr_t e)
{
	struct collect *c = ctx;

	if (c->path->nodes[e].vars && map_set(&c->seen, e, 1))
		vec_push(c->todo, e);
}

/* Breadth first, and not far where the goal is deep. */
void query_vars(struct query *q, unsigned most, expr_vec *out)
{
	expr_vec todo = {0};
	struct collect c = {.path = q->path, .todo = &todo};

	collect_operand(&c, q->goal);
	for (size_t i = 0; i < todo.size && i < 100 * (size_t)most && out->size < most; i++) {
		expr_t e = todo.data[i];

		if (q->path->nodes[e].home == e)
			vec_push(out, e);
		else
			path_operands(q->path, e, collect_operand, &c);
	}
	map_release(&c.seen);
	vec_release(&todo);
}

double query_seconds(const struct query *q)
{
	double left;

	if (!q->deadline)
		return 0;
	left = q->deadline - deadline_processor();
	return left > 0.001 ? left : 0.001;
}

void query_dump(struct query *q, enum verdict v, double seconds)
{
	struct solver *s = q->path->solver;
	static const char *const words[] = {"unknown", "sat", "unsat"};
	char hex[HASH_HEX_SIZE];
	struct buf text = BUF_EMPTY, all = BUF_EMPTY;
	expr_vec slice = {0};
	char *name, *file;

	if (!s->o.dump_dir || !map_set(&s->dumped, q->key.a, 1))
		return;
	query_slice(q, &slice);
	vec_push(&slice, q->goal);
	expr_smtlib(q->path->pool, slice.data, (unsigned)slice.size, &text);
	buf_addf(&all, "; verdict=%s seconds=%.6f rung=%s\n", words[v], seconds,
		 solve_rung_key(q->model->rung));
	buf_add(&all, text.data, text.size);
	name = mem_printf("%s.smt2", hash_hex(q->key, hex));
	file = file_join(s->o.dump_dir, name);
	if (file_write_atomic(file, all.data, all.size) < 0)
		log_info("a query could not be dumped to %s", file);
	free(file);
	free(name);
	buf_release(&text);
	buf_release(&all);
	vec_release(&slice);
}

/* ------------------------------------------------------------------ ladder */
struct rung {
	enum solve_rung name;
	enum verdict (*climb)(struct query *q);
	int cheap;
};

/* The store is asked after the rungs that are faster than a look into it. */
static const struct rung ladder[] = {
    {SOLVE_LOCAL, rung_local, 1},   {SOLVE_CACHE, rung_cache, 1}, {SOLVE_MODEL, rung_model, 1},
    {SOLVE_COPY, rung_copy, 1},	    {SOLVE_COPY, rung_linear, 1}, {SOLVE_CACHE, rung_store, 1},
    {SOLVE_SEARCH, rung_search, 1}, {SOLVE_SAT, rung_sat, 0},	  {SOLVE_Z3, rung_z3, 0},
};

static enum verdict climb_rung(struct query *q, const struct rung *r)
{
	struct solve_stats *stats = &q->path->solver->stats;
	double before = solve_now();
	enum verdict v = r->climb(q);

	stats->seconds[r->name] += solve_now() - before;
	return v;
}

/* Z3's opinion of an UNSAT of another rung. A model of its own that holds is the truth. */
static enum verdict recheck(struct query *q, enum solve_rung r)
{
	struct solver *s = q->path->solver;
	double random = (double)(solver_random(s) >> 11) * 0x1p-53;
	enum verdict second;

	if (r == SOLVE_Z3 || s->o.no_z3 || random >= s->o.recheck)
		return VERDICT_UNSAT;
	s->stats.rechecked++;
	second = rung_z3(q);
	s->stats.recheck_unknown += second == VERDICT_UNKNOWN;
	if (second != VERDICT_SAT)
		return VERDICT_UNSAT;
	s->stats.contradictions++;
	log_warn("the solvers contradict each other about a query");
	return VERDICT_SAT;
}

/* What is learned from an answer, and its place in the statistics. */
static enum verdict settle(struct query *q, enum verdict v, enum solve_rung r)
{
	struct solver *s = q->path->solver;

	if (v == VERDICT_UNSAT)
		v = recheck(q, r);
	if (v == VERDICT_UNSAT && r != SOLVE_LOCAL)
		local_refuted(q->path, q->goal);
	if (v == VERDICT_SAT && !q->path->no_seed)
		models_put(s, q->model);
	if (r == SOLVE_SEARCH || r == SOLVE_SAT || r == SOLVE_Z3)
		cache_put(q, v);
	q->model->rung = r;
	s->stats.answered[r]++;
	s->stats.sat += v == VERDICT_SAT;
	s->stats.unsat += v == VERDICT_UNSAT;
	s->stats.unknown += v == VERDICT_UNKNOWN;
	if (v == VERDICT_UNSAT)
		vec_clear(&q->model->values);
	return v;
}

/* How far up a query goes. */
enum height {
	HEIGHT_ALL,
	HEIGHT_CHEAP,  /* not to the SAT solver */
	HEIGHT_WITHIN, /* to it with variables of the own call */
};

static enum verdict climb(struct query *q, enum height to)
{
	const struct solve_options *o = &q->path->solver->o;
	static const struct rung optimistic = {SOLVE_OPTIMISTIC, rung_optimistic, 0};
	static const struct rung within = {SOLVE_SAT, window_within, 0};
	enum verdict v;

	for (size_t i = 0; i < sizeof ladder / sizeof *ladder; i++) {
		if (to != HEIGHT_ALL && !ladder[i].cheap)
			break;
		v = climb_rung(q, &ladder[i]);
		if (v != VERDICT_UNKNOWN)
			return settle(q, v, ladder[i].name);
	}
	if (to == HEIGHT_WITHIN && (v = climb_rung(q, &within)) != VERDICT_UNKNOWN)
		return settle(q, v, SOLVE_SAT);
	if (to != HEIGHT_ALL || o->no_optimistic || q->path->no_seed)
		return settle(q, VERDICT_UNKNOWN, SOLVE_NONE);
	v = climb_rung(q, &optimistic);
	if (v == VERDICT_UNKNOWN && !q->model->optimistic)
		return settle(q, v, SOLVE_NONE);
	return settle(q, v, SOLVE_OPTIMISTIC);
}

/* A constant, or something without a value: answered at the foot of the ladder. 1 if so. */
static int fold(struct solve_path *path, expr_t goal, struct solve_model *m, enum verdict *v)
{
	struct solve_stats *stats = &path->solver->stats;

	if (path_value(path, goal) < 0) {
		*v = VERDICT_UNKNOWN;
		m->rung = SOLVE_NONE;
	} else if (!path->nodes[goal].vars) {
		*v = path_seed(path, goal) ? VERDICT_SAT : VERDICT_UNSAT;
		m->rung = SOLVE_FOLD;
	} else {
		return 0;
	}
	stats->answered[m->rung]++;
	stats->sat += *v == VERDICT_SAT;
	stats->unsat += *v == VERDICT_UNSAT;
	stats->unknown += *v == VERDICT_UNKNOWN;
	return 1;
}

/* Of this thread, as the bench that compares with Z3 takes it: others may have the processor. */
static double processor_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static enum verdict query(struct solve_path *path, expr_t goal, struct solve_model *m, enum height to)
{
	struct solve_stats *stats = &path->solver->stats;
	struct query q;
	enum verdict v;
	double before;

	*m = (struct solve_model){0};
	path->refuter = NULL;
	stats->queries++;
	stats->path_constraints += path->constraints.size;
	if (fold(path, goal, m, &v))
		return v;
	before = path->solver->o.dump_dir ? processor_seconds() : 0;
	query_open(&q, path, goal, m);
	stats->slice_constraints += q.constraints;
	v = climb(&q, to);
	if (path->solver->o.dump_dir && to == HEIGHT_ALL) /* that one was not asked in earnest */
		query_dump(&q, v, processor_seconds() - before);
	query_close(&q);
	return v;
}

enum verdict solve_path_query(struct solve_path *path, expr_t goal, struct solve_model *m)
{
	return query(path, goal, m, HEIGHT_ALL);
}

enum verdict solve_path_query_cheap(struct solve_path *path, expr_t goal, struct solve_model *m)
{
	return query(path, goal, m, HEIGHT_CHEAP);
}

enum verdict solve_path_query_within(struct solve_path *path, expr_t goal, struct solve_model *m)
{
	return query(path, goal, m, HEIGHT_WITHIN);
}
