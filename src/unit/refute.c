/* refute.c: runs of the new version on states of a summary's P.
 *
 * An input of the old version's driver means the same to the new one's if both take the function's parameters, globals and objects from the same bytes: then it is carried over place by place (what a
 * global's bytes are combined with may have changed). Where they do not, nothing is run, and the summary stays unknown. A state counts if P evaluates to true on it, read back from the input by the new version's places; it refutes
 * the summary if the call ended and what it left is not Q, in two runs.
 *
 * A partial summary for which Phase 3 has found what it leaves unsaid, R, is valid if its own test is a state of P and R in the new version, and ends there as Q says. R may be about variables that the driver leaves as the program
 * starts with: each run has a process of its own, so their values are those in the program's file.
 */
#include "unit/refute.h"

#include "base/map.h"
#include "base/mem.h"
#include "check/batch.h"
#include "harness/layout.h"
#include "solve/solve.h"
#include "summary/sample.h"

#include <stdlib.h>
#include <string.h>

#define RUN_SECONDS 2.5 /* of a call: as muster test has it */
#define STATES 6	/* random ones, if nobody says */

struct refuter {
	struct recall *was;
	const struct driven *now;
	const struct match *m;
	const struct revalidate_options *o;
	struct batch *batch; /* opened when it is needed */
	struct solver *solver;
};

struct refuter *refuter_new(struct recall *was, const struct driven *now, const struct match *m, const struct revalidate_options *o)
{
	struct refuter *r = mem_zalloc(sizeof *r);
	struct solve_options so = {.conflicts = 2000, .no_cache = 1};
	*r = (struct refuter){.was = was, .now = now, .m = m, .o = o, .solver = solver_new(&so)};
	return r;
}

void refuter_free(struct refuter *r)
{
	if (!r)
		return;
	batch_close(r->batch);
	solver_free(r->solver);
	free(r);
}

struct trial {
	struct refuter *r;
	struct summaries *l;
	const struct recall_function *function;
	struct revalidate_row *rows;
	struct sampler sampler; /* of the new version */
	VEC(struct batch_item) items;
	VEC(uint32_t) of; /* summary of each */
	VEC(struct buf) inputs;
	const struct buf *input; /* that sample_says is about */
	VEC(uint8_t) ended; /* of each: the run ended, and nothing that it did contradicts the summary */
};

/* How many states of the summary are run, beside its witness; -1: not even that. A summary from a call has no test of the function's own: the bytes of another function's are a state like any, and a partial one says
 * nothing of such. */
static int64_t states_of(const struct refuter *r, const struct summary *x, const struct revalidate_row *row)
{
	if (row->kind == SUMMARY_SEGMENT) /* no run begins in the middle of a function */
		return -1;
	if (row->r.verdict == VALIDATE_UNKNOWN && !row->was_partial && !row->r.elsewhere)
		return (int64_t)(r->o->states ? r->o->states : STATES);
	if (row->r.verdict != VALIDATE_VALID || !r->o->audit)
		return -1;
	if (row->was_partial && row->r.partial)
		return x->called ? -1 : 0;
	return (int64_t)r->o->audit;
}

static void add(struct trial *t, uint32_t summary, struct buf *input)
{
	if (sample_satisfies(&t->sampler, &t->l->all.data[summary], input->data, input->size)) {
		vec_push(&t->inputs, *input);
		vec_push(&t->of, summary);
		vec_push(&t->ended, 0);
	} else {
		buf_release(input);
	}
	*input = BUF_EMPTY;
}

typedef VEC(struct sample_memory) memories;

/* What is known of the state that Phase 3 could not exclude; 0: there is none. */
static int add_memory(memories *list, const struct validate_result *r)
{
	for (size_t i = 0; i < r->memory.size; i++)
		vec_push(list, ((struct sample_memory){r->memory.data[i].base, r->memory.data[i].bytes, r->memory.data[i].size}));
	return list->size || r->state.size;
}

static int add_states(struct trial *t, uint32_t number, uint32_t i)
{
	const struct summary *x = &t->l->all.data[i];
	const struct revalidate_row *row = &t->rows[i];
	struct buf witness = BUF_EMPTY, carried = BUF_EMPTY, input = BUF_EMPTY;
	struct map values = {0};
	memories memory = {0};
	int there = recall_input(t->r->was, t->function, x->test, &witness);
	if (there > 0 && layout_carry(t->r->was->was.h, number, witness.data, witness.size, t->r->now->h, t->sampler.number, &carried)) {
		buf_add(&input, carried.data, carried.size);
		add(t, i, &input);
		for (size_t k = 0; k < row->r.state.size; k++)
			map_set(&values, row->r.state.data[k].variable, row->r.state.data[k].value);
		if (add_memory(&memory, &row->r) && sample_state_of(&t->sampler, x, carried.data, carried.size, &values, memory.data, memory.size, &input))
			add(t, i, &input);
		buf_clear(&input);
		for (int64_t k = 0; k < states_of(t->r, x, row); k++)
			if (sample_state(&t->sampler, x, carried.data, carried.size, &input))
				add(t, i, &input);
	}
	buf_release(&input);
	buf_release(&witness);
	buf_release(&carried);
	map_release(&values);
	vec_release(&memory);
	return there < 0 ? -1 : 0;
}

/* ------------------------------------------------------------ what a partial summary leaves unsaid */

/* What the K-th call of a function without a body returns: the input's slot. Of a pointer only null is known here. */
static int result_value(const struct trial *t, const struct place *pl, unsigned width, u128 *value)
{
	const struct drive_function *f = &t->r->now->h->calls.data[t->sampler.number];
	uint64_t at = f->results + strtoull(pl->path + 1, NULL, 10) * DRIVE_RESULT;
	*value = 0;
	if (pl->after || memchr(pl->path, '*', pl->path_size) || width > 64 || width % 8 || at >= f->results + DRIVE_RESULTS * DRIVE_RESULT)
		return 0;
	for (unsigned i = width / 8; i-- > 0;)
		*value = *value << 8 | (at + i < t->input->size ? (uint8_t)t->input->data[at + i] : 0);
	return pl->type != PLACE_POINTER || !(*value & 0xff);
}

/* A number in a global that the driver does not make. */
static int first_value(void *ctx, const struct place *pl, unsigned width, u128 *value)
{
	const struct trial *t = ctx;
	const struct harness *h = t->r->now->h;
	const struct drive_function *f = &h->calls.data[t->sampler.number];
	const char *plus = memchr(pl->path, '+', pl->path_size);
	uint8_t bytes[8];
	if (pl->path[0] == 's' && t->input) {
		int known_result = result_value(t, pl, width, value);
		*value = pl->type == PLACE_POINTER ? 0 : *value;
		return known_result;
	}
	if (pl->path[0] != 'g' || pl->after || memchr(pl->path, '*', pl->path_size) || (pl->type != PLACE_SIGNED && pl->type != PLACE_UNSIGNED) || width > 64 || width % 8)
		return 0;
	char *name = mem_strndup(pl->path + 1, (plus ? (size_t)(plus - pl->path) : pl->path_size) - 1);
	int known = harness_first_bytes(t->r->now->program, name, plus ? strtoull(plus + 1, NULL, 10) : 0, bytes, width / 8);
	for (uint32_t i = f->parameters; i < f->parameters + f->globals; i++)
		known &= strcmp(h->root_names.data[f->first_root + i], name) != 0;
	free(name);
	*value = 0;
	for (unsigned i = width / 8; i-- > 0 && known;)
		*value = *value << 8 | bytes[i];
	return known;
}

/* The summary's own test, if P and R hold in its state. */
static int add_witness(struct trial *t, uint32_t number, uint32_t i)
{
	const struct summary *x = &t->l->all.data[i];
	struct buf witness = BUF_EMPTY, carried = BUF_EMPTY;
	int there = x->called ? 0 : recall_input(t->r->was, t->function, x->test, &witness);
	t->input = &carried;
	if (there > 0 && layout_carry(t->r->was->was.h, number, witness.data, witness.size, t->r->now->h, t->sampler.number, &carried) &&
	    sample_says(&t->sampler, x, t->rows[i].r.missing, carried.data, carried.size, first_value, t))
		add(t, i, &carried);
	t->input = NULL;
	buf_release(&witness);
	buf_release(&carried);
	return there < 0 ? -1 : 0;
}

static int is_waiting(const struct revalidate_row *row)
{
	return row->r.verdict == VALIDATE_UNKNOWN && row->r.missing != EXPR_NONE;
}

/* The witness ended as Q says, where R holds. */
static void promote(struct trial *t)
{
	for (size_t i = 0; i < t->inputs.size; i++) {
		struct validate_result *r = &t->rows[t->of.data[i]].r;
		if (!t->ended.data[i] || !is_waiting(&t->rows[t->of.data[i]]))
			continue;
		r->verdict = VALIDATE_VALID;
		r->phase = 3;
		r->partial = 1;
		free(r->why);
		r->why = NULL;
	}
}

/* ------------------------------------------------------------ runs */

/* Does the run show that Q does not hold? 1 with words. */
static int shows(struct trial *t, const struct batch_item *item, size_t i, struct buf *words)
{
	const struct summary *x = &t->l->all.data[t->of.data[i]];
	if (!item->ran || item->timed || item->waits || item->cut)
		return 0;
	if (sample_fails(t->l->pool, x)) {
		if (!item->failed)
			buf_adds(words, "it does not fail");
		return !item->failed;
	}
	if (item->failed) {
		buf_addf(words, "it fails%s%s", item->bug_count && item->bugs[0].kind ? ": " : "", item->bug_count && item->bugs[0].kind ? item->bugs[0].kind : "");
		return 1;
	}
	if (!item->observation.size) {
		if (t->sampler.h->calls.data[t->sampler.number].result_size)
			buf_adds(words, "it does not return");
		return words->size != 0;
	}
	return !sample_holds(&t->sampler, x, t->inputs.data[i].data, t->inputs.data[i].size, item->observation.data, item->observation.size, words);
}

/* Runs the inputs that shown has; it keeps those that contradict their summary. */
static int run_shown(struct trial *t, uint8_t *shown, char **words)
{
	VEC(uint32_t) which = {0};
	t->items.size = 0;
	for (uint32_t i = 0; i < t->inputs.size; i++)
		if (shown[i]) {
			vec_push(&t->items, (struct batch_item){.data = t->inputs.data[i].data, .size = t->inputs.data[i].size, .keep = 1});
			vec_push(&which, i);
		}
	int e = which.size ? batch_run(t->r->batch, t->items.data, t->items.size) : 0;
	for (size_t k = 0; k < which.size && !e; k++) {
		struct buf w = BUF_EMPTY;
		uint32_t i = which.data[k];
		const struct batch_item *item = &t->items.data[k];
		shown[i] = (uint8_t)shows(t, item, i, &w);
		if (!words[i])
			t->ended.data[i] = item->ran && !item->timed && !item->waits && !item->cut && !shown[i];
		t->rows[t->of.data[i]].ran += t->items.data[k].ran && !words[i];
		free(words[i]);
		words[i] = buf_take(&w);
	}
	batch_items_release(t->items.data, t->items.size);
	vec_release(&which);
	return e;
}

static void conclude(struct trial *t, size_t i, const char *words)
{
	struct revalidate_row *row = &t->rows[t->of.data[i]];
	struct buf state = BUF_EMPTY;
	if (row->r.verdict == VALIDATE_INVALID || row->violated || is_waiting(row)) /* of a partial one nothing is refuted */
		return;
	harness_print_inline(t->sampler.h, t->sampler.number, t->inputs.data[i].data, t->inputs.data[i].size, &state);
	if (row->r.verdict == VALIDATE_VALID)
		row->violated = 1;
	else
		row->r.verdict = VALIDATE_INVALID;
	row->state = buf_take(&state);
	row->what = mem_strdup(words);
}

static int judge(struct trial *t)
{
	uint8_t *shown = mem_zalloc(t->inputs.size + 1);
	char **words = mem_zalloc((t->inputs.size + 1) * sizeof *words);
	int e = 0;
	memset(shown, 1, t->inputs.size + 1);
	if (!t->r->batch)
		e = batch_open(&t->r->batch, t->r->now->program, VARIANT_SAN, RUN_SECONDS, NULL);
	for (int round = 0; round < 2 && !e; round++) /* what contradicts has to do so twice */
		e = run_shown(t, shown, words);
	for (size_t i = 0; i < t->inputs.size; i++) {
		if (shown[i] && !e)
			conclude(t, i, words[i]);
		free(words[i]);
	}
	free(words);
	free(shown);
	return e;
}

/* What the function is called in the new version. */
static const char *name_now(const struct refuter *r, const char *name)
{
	uint32_t old = whole_find_any(r->m->old, name), new = old == CODE_NONE ? CODE_NONE : r->m->to_new[old];
	return new == CODE_NONE ? NULL : r->m->new->symbols.data[new].name;
}

int refuter_run(struct refuter *r, const struct recall_function *function, struct summaries *l, struct revalidate_row *rows)
{
	const char *now = name_now(r, function->name);
	const struct harness_function *f = harness_find(r->was->was.h, function->name), *g = now ? harness_find(r->now->h, now) : NULL;
	int e = 0;
	if (!f || !g || f->number == UINT32_MAX || g->number == UINT32_MAX)
		return 0;
	struct trial t = {.r = r, .l = l, .function = function, .rows = rows,
			  .sampler = {.l = l, .h = r->now->h, .number = g->number, .solver = r->solver, .random = (r->o->seed + 1) * 0x9e3779b97f4a7c15u}};
	for (uint32_t i = 0; i < l->all.size && !e; i++)
		if (is_waiting(&rows[i]))
			e = add_witness(&t, f->number, i);
		else if (states_of(r, &l->all.data[i], &rows[i]) >= 0)
			e = add_states(&t, f->number, i);
	if (!e && t.inputs.size)
		e = judge(&t);
	if (!e)
		promote(&t);
	for (size_t i = 0; i < t.inputs.size; i++)
		buf_release(&t.inputs.data[i]);
	vec_release(&t.inputs);
	vec_release(&t.items);
	vec_release(&t.of);
	vec_release(&t.ended);
	return e;
}
