/* blast_backend.c: backend_blast: terms to gates (blast.c), gates to clauses (cnf.c), CaDiCaL.
 *
 * Asserted terms are kept until a query comes; then their gates are made and asserted as hard
 * clauses. The assumption holds for one call. Everything made stays for the next
 * query, so a query pays only for what is new in it. A query that CaDiCaL does not answer soon is
 * looked at as a system of equations (affine.c) before CaDiCaL goes on.
 */
#include "base/limit.h"
#include "solve/affine.h"
#include "base/deadline.h"
#include "solve/blast.h"
#include "solve/cnf.h"

#include <string.h>

struct blast_backend {
	struct backend backend;
	struct blaster blaster;
	struct cnf cnf;
	VEC(expr_t) pending; /* asserted, without gates so far */
	size_t pending_done;
	int loose;	/* something asserted is */
	uint8_t *model; /* by gate, where affine.c has found one; NULL: ask the SAT solver */
};

static struct blast_backend *blast_of(struct backend *b)
{
	return (struct blast_backend *)b;
}

static struct backend *blast_open(const struct backend *kind, struct exprs *p)
{
	struct blast_backend *b = mem_zalloc(sizeof *b);

	b->backend = *kind;
	blaster_init(&b->blaster, p);
	cnf_init(&b->cnf, &b->blaster.gates);
	return &b->backend;
}

static void blast_close(struct backend *backend)
{
	struct blast_backend *b = blast_of(backend);

	cnf_release(&b->cnf);
	blaster_release(&b->blaster);
	vec_release(&b->pending);
	free(b->model);
	free(b);
}

static void blast_assert(struct backend *backend, expr_t constraint)
{
	vec_push(&blast_of(backend)->pending, constraint);
}

/* Gates and clauses of what was asserted since the last query. -1: the time is over. */
static int blast_pending(struct blast_backend *b, double deadline)
{
	for (; b->pending_done < b->pending.size; b->pending_done++) {
		const lit_t *x = blaster_word(&b->blaster, b->pending.data[b->pending_done],
					      deadline, &b->loose);

		if (!x)
			return -1;
		cnf_assert(&b->cnf, x[0]);
	}
	vec_clear(&b->pending);
	b->pending_done = 0;
	return 0;
}

/* Equations, for a query on which the SAT solver did not succeed quickly. */
static enum verdict blast_affine(struct blast_backend *b, lit_t assumption)
{
	uint8_t *model = mem_alloc(b->blaster.gates.v.size);
	enum verdict v;

	vec_push(&b->cnf.hard, assumption);
	v = affine_check(&b->blaster.gates, b->cnf.hard.data, b->cnf.hard.size, model);
	b->cnf.hard.size--;
	if (v == VERDICT_SAT)
		b->model = model;
	else
		free(model);
	return v;
}

#define QUICK_CONFLICTS LIMIT(500, 1) /* conflicts before the formula is simplified | few: simplifying costs more than an easy query */

#define LEAST_CONFLICTS LIMIT(200, 1) /* conflicts that a formula of any size has | what is found at all with little work is mostly found by then */

/* Conflicts of this query, whose gates are made. */
static uint64_t conflicts_of(const struct blast_backend *b, const struct backend_limits *l)
{
	uint64_t most = l->work ? l->work / (b->cnf.vars + 1) : 0;
	if (!most || (l->conflicts && most >= l->conflicts))
		return l->work && !most ? LEAST_CONFLICTS : l->conflicts;
	return most > LEAST_CONFLICTS ? most : LEAST_CONFLICTS;
}

static enum verdict blast_check(struct backend *backend, expr_t assumption,
				const struct backend_limits *l)
{
	struct blast_backend *b = blast_of(backend);
	double deadline = l->seconds > 0 ? deadline_processor() + l->seconds : 0;
	uint64_t all, quick;
	lit_t goal = LIT_TRUE;
	enum verdict v;
	int loose;

	free(b->model);
	b->model = NULL;
	if (blast_pending(b, deadline))
		return VERDICT_UNKNOWN;
	loose = b->loose;
	if (assumption != EXPR_NONE) {
		const lit_t *x = blaster_word(&b->blaster, assumption, deadline, &loose);

		if (!x)
			return VERDICT_UNKNOWN;
		goal = x[0];
	}
	cnf_assume(&b->cnf, goal);
	all = conflicts_of(b, l);
	quick = all && all < QUICK_CONFLICTS ? all : QUICK_CONFLICTS;
	v = cnf_solve(&b->cnf, quick, deadline);
	if (v == VERDICT_UNKNOWN)
		v = blast_affine(b, goal);
	if (v == VERDICT_UNKNOWN && all != quick)
		v = cnf_solve(&b->cnf, all ? all - quick : 0, deadline);
	return v == VERDICT_SAT && loose ? VERDICT_UNKNOWN : v;
}

static u128 blast_value(struct backend *backend, expr_t variable)
{
	struct blast_backend *b = blast_of(backend);
	int loose = 0;
	const lit_t *x = blaster_known(&b->blaster, variable, &loose);
	unsigned width = expr_width(b->blaster.pool, variable);
	u128 v = 0;

	for (unsigned i = 0; x && i < width; i++)
		v |= (u128)(b->model ? b->model[lit_gate(x[i])] : cnf_value(&b->cnf, x[i])) << i;
	return v;
}

static int blast_needed(const struct backend *backend, expr_t part)
{
	struct blast_backend *b = (struct blast_backend *)backend;
	int loose = 0;
	const lit_t *x = blaster_known(&b->blaster, part, &loose);

	return !x || cnf_needed(&b->cnf, x[0]);
}

#define VARIABLE_BYTES 300 /* bytes of CaDiCaL for a variable with the clauses of its gate | measured, about */

static uint64_t blast_bytes(const struct backend *backend)
{
	const struct blast_backend *b = (const struct blast_backend *)backend;

	return b->blaster.gates.v.cap * sizeof *b->blaster.gates.v.data + b->blaster.gates.cap * sizeof *b->blaster.gates.table +
	       b->blaster.bits.cap * sizeof *b->blaster.bits.data + b->blaster.words.cap * (sizeof *b->blaster.words.entries + 1) +
	       (uint64_t)b->cnf.vars * VARIABLE_BYTES;
}

const struct backend backend_blast = {
    .name = "blast",
    .open = blast_open,
    .close = blast_close,
    .assert_term = blast_assert,
    .check = blast_check,
    .value = blast_value,
    .needed = blast_needed,
    .bytes = blast_bytes,
};
