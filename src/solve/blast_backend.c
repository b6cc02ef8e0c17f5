/* blast_backend.c: backend_blast: terms to gates (blast.c), gates to clauses (cnf.c), CaDiCaL.
 *
 * Asserted terms are kept until a query comes; then their gates are made and asserted as hard
 * clauses. The assumption holds for one call. Everything made stays for the next
 * query, so a query pays only for what is new in it.
 */
#include "solve/blast.h"
#include "solve/cnf.h"

#include <string.h>

struct blast_backend {
	struct backend backend;
	struct blaster blaster;
	struct cnf cnf;
	VEC(expr_t) pending; /* asserted, without gates so far */
	size_t pending_done;
	int loose; /* something asserted is */
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

static enum verdict blast_check(struct backend *backend, expr_t assumption,
				const struct backend_limits *l)
{
	struct blast_backend *b = blast_of(backend);
	double deadline = l->seconds > 0 ? cnf_now() + l->seconds : 0;
	enum verdict v;
	int loose;

	if (blast_pending(b, deadline))
		return VERDICT_UNKNOWN;
	loose = b->loose;
	if (assumption != EXPR_NONE) {
		const lit_t *x = blaster_word(&b->blaster, assumption, deadline, &loose);

		if (!x)
			return VERDICT_UNKNOWN;
		cnf_assume(&b->cnf, x[0]);
	}
	v = cnf_solve(&b->cnf, l->conflicts, deadline);
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
		v |= (u128)cnf_value(&b->cnf, x[i]) << i;
	return v;
}

const struct backend backend_blast = {
    .name = "blast",
    .open = blast_open,
    .close = blast_close,
    .assert_term = blast_assert,
    .check = blast_check,
    .value = blast_value,
};
