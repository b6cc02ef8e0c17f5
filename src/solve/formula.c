/* formula.c: formulas without a run: contexts with push, pop and assumptions.
 *
 * A check is a query on a path without constraints whose goal is the conjunction of all that is asserted and assumed: so nothing is sliced
 * away, and no run's values have to satisfy anything. The path lives as long as the context. Its SAT solver has each term's gates once, whatever was
 * popped since, because a goal is only assumed; that is what makes the next check cheap.
 *
 * A formula with uninterpreted functions or arrays without a size is opaque: no rung can evaluate it, and the bit-blaster takes such terms as free. Its
 * "unsatisfiable" is right, its models are not looked at. Then Z3 is asked, with the values of those terms that the formula's value depends on:
 * each application with its arguments, and of each array's byte that is read its offset, and the bytes of all named arrays below at that offset. From
 * these the formula is evaluated; only if it is true the answer is SAT.
 */
#include "solve/ladder.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/limit.h"

#define CONTEXT_BYTES LIMIT(64u << 20, 1) /* bytes of SAT solvers that serve the next check, after which they begin again | long before the bit-blaster gives terms up */
#define OPAQUE_CONFLICTS LIMIT(2000, 1) /* conflicts for a refutation of an opaque formula, before Z3 is asked | four times QUICK_CONFLICTS */

struct solve_context {
	struct solver *solver;
	struct exprs *pool;
	struct solve_path *path;
	struct backend *blast; /* for opaque formulas; NULL: none yet */
	struct backend *refuter; /* of the last check; NULL: none that can say what it needed */
	expr_vec asserted;
	VEC(size_t) marks; /* sizes of asserted at each push */
};

static u128 zero(void *ctx, expr_t variable)
{
	(void)ctx;
	(void)variable;
	return 0;
}

static void begin(struct solve_context *c)
{
	c->path = solve_path_new(c->solver, c->pool, zero, NULL);
	c->path->no_seed = 1;
	c->blast = NULL;
}

static void end(struct solve_context *c)
{
	if (c->blast)
		c->blast->close(c->blast);
	solve_path_free(c->path);
}

struct solve_context *solve_context_new(struct solver *s, struct exprs *p)
{
	struct solve_context *c = mem_zalloc(sizeof *c);

	c->solver = s;
	c->pool = p;
	begin(c);
	return c;
}

/* What earlier checks left is forgotten where it has grown large. */
static void trim(struct solve_context *c)
{
	uint64_t bytes = c->blast ? c->blast->bytes(c->blast) : 0;

	for (size_t i = 0; i < c->path->live.size; i++) {
		struct backend *b = c->path->groups.parts.data[c->path->live.data[i]].backend;

		bytes += b ? b->bytes(b) : 0;
	}
	if (bytes > CONTEXT_BYTES) {
		end(c);
		begin(c);
	}
}

void solve_context_free(struct solve_context *c)
{
	if (!c)
		return;
	end(c);
	vec_release(&c->asserted);
	vec_release(&c->marks);
	free(c);
}

void solve_context_push(struct solve_context *c)
{
	vec_push(&c->marks, c->asserted.size);
}

void solve_context_pop(struct solve_context *c)
{
	if (!c->marks.size)
		BUG("a pop without a push");
	c->asserted.size = vec_pop(&c->marks);
}

void solve_context_assert(struct solve_context *c, expr_t e)
{
	if (expr_width(c->pool, e) != 1)
		BUG("an assertion of %u bits", expr_width(c->pool, e));
	vec_push(&c->asserted, e);
}

/* ------------------------------------------------------------ models */
struct in_model {
	const struct exprs *pool;
	const struct solve_model *model;
	struct map values; /* variable to its place */
};

static u128 variable_in(void *ctx, expr_t e)
{
	const struct in_model *x = ctx;
	uint64_t i;

	return map_get(&x->values, e, &i) ? x->model->values.data[i].value : 0;
}

static uint8_t byte_in(void *ctx, expr_t array, uint64_t offset)
{
	const struct in_model *x = ctx;

	for (size_t i = 0; i < x->model->bytes.size; i++)
		if (x->model->bytes.data[i].array == array && x->model->bytes.data[i].offset == offset)
			return x->model->bytes.data[i].value;
	return 0;
}

/* Applications of one function: name, width, and those of the arguments. */
static int same_function(const struct exprs *p, expr_t a, expr_t b)
{
	const struct expr_node *x = expr_get(p, a), *y = expr_get(p, b);
	unsigned count = expr_arguments(p, a, NULL, 0);
	expr_t *list;
	int same;

	if (x->k != y->k || x->width != y->width || expr_arguments(p, b, NULL, 0) != count)
		return 0;
	list = mem_realloc(NULL, 2 * count + 1, sizeof *list);
	expr_arguments(p, a, list, count);
	expr_arguments(p, b, list + count, count);
	same = 1;
	for (unsigned i = 0; i < count; i++)
		same &= expr_width(p, list[i]) == expr_width(p, list[count + i]);
	free(list);
	return same;
}

static u128 entry_in(void *ctx, expr_t e, const u128 *args, unsigned count)
{
	const struct in_model *x = ctx;

	for (size_t i = 0; i < x->model->entries.size; i++) {
		const struct solve_entry *n = &x->model->entries.data[i];
		unsigned k = 0;

		while (k < count && n->count == count && x->model->args.data[n->first + k] == args[k])
			k++;
		if (k == count && n->count == count && same_function(x->pool, e, n->application))
			return n->value;
	}
	return 0;
}

/* The term that a value of the model belongs to. */
static expr_t term_of(const struct solve_value *v, struct exprs *p)
{
	if (v->op == EXPR_OP_NAMED)
		return v->source;
	return v->op == MUSTER_OP_INPUT ? expr_input(p, v->source, v->index) : expr_length(p, v->source);
}

u128 solve_model_eval(const struct exprs *p, const struct solve_model *m, expr_t e)
{
	struct in_model x = {.pool = p, .model = m};
	struct expr_values values = {variable_in, byte_in, entry_in, &x};
	u128 r;

	for (size_t i = 0; i < m->values.size; i++) /* a variable of the model was made long ago: nothing is added to the pool */
		map_set(&x.values, term_of(&m->values.data[i], (struct exprs *)p), i);
	r = expr_evaluate(p, e, &values);
	map_release(&x.values);
	return r;
}

/* Every variable of the formula is named in the model. */
static void name_all(struct solve_path *path, expr_t goal, struct solve_model *m)
{
	uint32_t count;
	const expr_t *vars = expr_vars(path->pool, goal, &count);

	trial_begin(path);
	for (size_t i = 0; i < m->values.size; i++) {
		const struct solve_value *v = &m->values.data[i];
		expr_t e = path_variable(path, v->op, v->source, v->index);

		trial_set(path, e, v->value);
	}
	vec_clear(&m->values);
	for (uint32_t i = 0; i < count; i++) {
		struct solve_value v = path_identity(path, vars[i]);

		v.value = trial_value(path, vars[i]);
		vec_push(&m->values, v);
	}
}

/* ------------------------------------------------------------ opaque formulas */
struct opaque {
	struct exprs *pool;
	struct map seen;
	expr_vec stack;
	expr_vec applications, selects;
};

static void meet(struct opaque *o, expr_t e)
{
	if (map_set(&o->seen, e, 1))
		vec_push(&o->stack, e);
}

static void meet_all(struct opaque *o, expr_t e)
{
	expr_t operands[3];
	unsigned n = expr_operands(o->pool, e, operands), op = expr_get(o->pool, e)->op;

	for (unsigned i = 0; i < n; i++)
		meet(o, operands[i]);
	for (uint64_t i = 0; op == MUSTER_OP_DATA && i < expr_data_count(o->pool, e); i++)
		meet(o, expr_data_byte(o->pool, e, i));
	if (op == EXPR_OP_APPLY)
		vec_push(&o->applications, e);
	if (op == EXPR_OP_SELECT)
		vec_push(&o->selects, e);
}

static void opaque_find(struct opaque *o, expr_t goal)
{
	meet(o, goal);
	while (o->stack.size)
		meet_all(o, vec_pop(&o->stack));
}

static void opaque_release(struct opaque *o)
{
	map_release(&o->seen);
	vec_release(&o->stack);
	vec_release(&o->applications);
	vec_release(&o->selects);
}

/* Each named array below the selected one, at the same offset: calls f(ctx, array, offset term, byte term). */
static void each_byte(struct exprs *p, expr_t select, void (*f)(void *ctx, expr_t array, expr_t offset, expr_t byte), void *ctx)
{
	expr_t at = expr_get(p, select)->b;
	uint32_t count;
	const expr_t *vars = expr_vars(p, expr_get(p, select)->a, &count);

	for (uint32_t i = 0; i < count; i++)
		if (!expr_width(p, vars[i]))
			f(ctx, vars[i], at, expr_array_select(p, vars[i], at));
}

static void want_byte(void *ctx, expr_t array, expr_t offset, expr_t byte)
{
	struct backend *b = ctx;

	(void)array;
	b->want(b, offset);
	b->want(b, byte);
}

struct taking {
	struct backend *backend;
	struct solve_model *model;
};

static void take_byte(void *ctx, expr_t array, expr_t offset, expr_t byte)
{
	struct taking *t = ctx;
	struct solve_byte x = {array, (uint64_t)t->backend->value(t->backend, offset), (uint8_t)t->backend->value(t->backend, byte)};

	for (size_t i = 0; i < t->model->bytes.size; i++)
		if (t->model->bytes.data[i].array == array && t->model->bytes.data[i].offset == x.offset)
			return;
	vec_push(&t->model->bytes, x);
}

static void each_argument(struct exprs *p, expr_t application, void (*f)(void *ctx, expr_t argument), void *ctx)
{
	unsigned count = expr_arguments(p, application, NULL, 0);
	expr_t *list = mem_realloc(NULL, count + 1, sizeof *list);

	expr_arguments(p, application, list, count);
	for (unsigned i = 0; i < count; i++)
		f(ctx, list[i]);
	free(list);
}

static void want_argument(void *ctx, expr_t argument)
{
	struct backend *b = ctx;

	b->want(b, argument);
}

static void take_argument(void *ctx, expr_t argument)
{
	struct taking *t = ctx;

	vec_push(&t->model->args, t->backend->value(t->backend, argument));
}

static void take_model(struct solve_context *c, struct opaque *o, expr_t goal, struct backend *b, struct solve_model *m)
{
	struct taking t = {b, m};
	uint32_t count;
	const expr_t *vars = expr_vars(c->pool, goal, &count);

	for (uint32_t i = 0; i < count; i++)
		if (expr_width(c->pool, vars[i])) {
			struct solve_value v = path_identity(c->path, vars[i]);

			v.value = b->value(b, vars[i]);
			vec_push(&m->values, v);
		}
	for (size_t i = 0; i < o->selects.size; i++)
		each_byte(c->pool, o->selects.data[i], take_byte, &t);
	for (size_t i = 0; i < o->applications.size; i++) {
		struct solve_entry e = {.application = o->applications.data[i], .first = (uint32_t)m->args.size};

		each_argument(c->pool, e.application, take_argument, &t);
		e.count = (uint32_t)m->args.size - e.first;
		e.value = b->value(b, e.application);
		vec_push(&m->entries, e);
	}
}

static enum verdict opaque_z3(struct solve_context *c, expr_t goal, struct backend_limits *l, struct solve_model *m)
{
	struct opaque o = {.pool = c->pool};
	struct backend *b = backend_z3.open(&backend_z3, c->pool);
	enum verdict v;

	opaque_find(&o, goal);
	for (size_t i = 0; i < o.selects.size; i++)
		each_byte(c->pool, o.selects.data[i], want_byte, b);
	for (size_t i = 0; i < o.applications.size; i++) {
		b->want(b, o.applications.data[i]);
		each_argument(c->pool, o.applications.data[i], want_argument, b);
	}
	v = b->check(b, goal, l);
	if (v == VERDICT_SAT) {
		take_model(c, &o, goal, b, m);
		if (!solve_model_eval(c->pool, m, goal)) {
			c->solver->stats.bad_models++;
			solve_model_release(m);
			v = VERDICT_UNKNOWN;
		}
	}
	b->close(b);
	opaque_release(&o);
	return v;
}

/* What the bit-blaster says of a formula whose opaque terms may have any value. */
static enum verdict opaque_blast(struct solve_context *c, expr_t goal, struct backend_limits l)
{
	if (!c->blast)
		c->blast = backend_blast.open(&backend_blast, c->pool);
	l.conflicts = c->solver->o.conflicts && c->solver->o.conflicts < OPAQUE_CONFLICTS ? c->solver->o.conflicts : OPAQUE_CONFLICTS;
	return c->blast->check(c->blast, goal, &l) == VERDICT_UNSAT ? VERDICT_UNSAT : VERDICT_UNKNOWN;
}

static enum verdict check_opaque(struct solve_context *c, expr_t goal, struct solve_model *m)
{
	struct solver *s = c->solver;
	double seconds = s->o.seconds > 0 ? deadline_least(s->o.seconds) : 0, before = solve_now(), between;
	struct backend_limits l = {.seconds = seconds,
				   .rlimit = seconds > 0 ? 0 : s->o.z3_rlimit ? s->o.z3_rlimit : SOLVE_RLIMIT,
				   .stop = s->o.stop};
	enum verdict v = opaque_blast(c, goal, l);

	if (v == VERDICT_UNSAT)
		c->refuter = c->blast;
	m->rung = SOLVE_SAT;
	between = solve_now();
	s->stats.seconds[SOLVE_SAT] += between - before;
	if (v == VERDICT_UNKNOWN && !s->o.no_z3) {
		if (seconds > 0)
			l.seconds = seconds - (between - before) > 0.001 ? seconds - (between - before) : 0.001;
		v = opaque_z3(c, goal, &l, m);
		m->rung = SOLVE_Z3;
		s->stats.seconds[SOLVE_Z3] += solve_now() - between;
	}
	if (v == VERDICT_UNKNOWN)
		m->rung = SOLVE_NONE;
	s->stats.queries++;
	s->stats.answered[m->rung]++;
	s->stats.sat += v == VERDICT_SAT;
	s->stats.unsat += v == VERDICT_UNSAT;
	s->stats.unknown += v == VERDICT_UNKNOWN;
	return v;
}

/* ------------------------------------------------------------ checks */
enum verdict solve_context_check(struct solve_context *c, const expr_t *assumptions, unsigned count, struct solve_model *m)
{
	expr_t goal = expr_true(c->pool);
	enum verdict v;

	*m = (struct solve_model){0};
	c->refuter = NULL;
	trim(c);
	for (size_t i = 0; i < c->asserted.size; i++)
		goal = expr_and(c->pool, goal, c->asserted.data[i]);
	for (unsigned i = 0; i < count; i++)
		goal = expr_and(c->pool, goal, assumptions[i]);
	if (path_value(c->path, goal) < 0)
		return check_opaque(c, goal, m);
	v = solve_path_query(c->path, goal, m);
	c->refuter = c->path->refuter;
	if (v == VERDICT_SAT)
		name_all(c->path, goal, m);
	return v;
}

int solve_context_needed(const struct solve_context *c, expr_t assumption)
{
	return !c->refuter || c->refuter->needed(c->refuter, assumption);
}

enum verdict solve_formula(struct solver *s, struct exprs *p, const expr_t *assertions, unsigned count, struct solve_model *m)
{
	struct solve_context *c = solve_context_new(s, p);
	enum verdict v = solve_context_check(c, assertions, count, m);

	solve_context_free(c);
	return v;
}
