/* validate-growth.c: OLD NEW N: matches two versions and asks Phase 1 about N summaries of the old one, made by hand: whole functions, segments from and to each loop, and calls of one function in another (bench/validate-growth).
 *
 * P and Q are over the first parameter, the result and the globals that the function names first; Phase 1 does not look at what they say, but their places must be in both versions.
 */
#include "base/deadline.h"
#include "base/error.h"
#include "build/join.h"
#include "ir/segment.h"
#include "validate/validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHOLE, SEGMENT, ACROSS, KINDS };
static const char *const kinds[] = {"functions", "segments", "across functions"};

struct made {
	struct summaries l;
	uint8_t *kind;
	size_t most;
};

static void add(struct made *m, const struct code_function *f, int kind, uint32_t lp, uint32_t lq, const char *end)
{
	struct summary s = {.function = f->name, .kind = kind == WHOLE ? SUMMARY_FUNCTION : SUMMARY_SEGMENT, .lp = {.ordinal = lp, .symbol = ""}, .lq = {.ordinal = lq, .symbol = ""}, .end_function = end};
	if (m->l.all.size >= m->most)
		return;
	if (f->parameters && f->values[0].width == 32 && lp == SUMMARY_ENTRY)
		vec_push(&s.pre, expr_binary(m->l.pool, MUSTER_OP_SLT, place_variable(m->l.pool, 32, PLACE_SIGNED, 0, 0, "0", "x"), expr_const(m->l.pool, 32, (u128)m->l.all.size + 1)));
	if (f->code->global_count && !f->code->globals[0].constant)
		vec_push(&s.pre, expr_eq(m->l.pool, place_variable(m->l.pool, 8, PLACE_UNSIGNED, 0, 0, "gcounter", "counter"), expr_const(m->l.pool, 8, 7)));
	m->kind[m->l.all.size] = (uint8_t)kind;
	vec_push(&m->l.all, s);
}

static void of_function(struct made *m, const struct whole_symbol *w, struct segment_cuts *found)
{
	const struct code_function *f = w->function;
	struct segment_cuts cuts;
	if (!m->l.all.size || !found->list.size)
		segment_cuts_release(found), segment_cuts_find(found, f);
	cuts = *found;
	add(m, f, WHOLE, SUMMARY_ENTRY, SUMMARY_EXIT, NULL);
	for (size_t i = 0; i < cuts.list.size; i++) {
		uint32_t at = w->position[f->blocks[cuts.list.data[i].block].first - f->first_instruction];
		add(m, f, SEGMENT, i ? w->position[f->blocks[cuts.list.data[i - 1].block].first - f->first_instruction] : SUMMARY_ENTRY, at, NULL);
		add(m, f, SEGMENT, at, SUMMARY_EXIT, NULL);
		for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++)
			if (f->values[v].op == CODE_CALL && f->values[v].target != CODE_NONE && f->code->functions[f->values[v].target].defined && !(v & 3))
				add(m, f, ACROSS, at, SUMMARY_ENTRY, f->code->functions[f->values[v].target].name);
	}
}

int main(int argc, char **argv)
{
	static const char *const flags[] = {NULL};
	struct buf bitcode = BUF_EMPTY;
	uint64_t count[KINDS] = {0}, valid[KINDS] = {0};
	double spent[KINDS] = {0}, most = 0;
	if (argc < 4)
		return 2;
	struct whole *old = join_load_merged(argv[1], flags, &bitcode), *new = join_load_merged(argv[2], flags, &bitcode);
	if (!old || !new) {
		fprintf(stderr, "validate-growth: %s\n", error_text());
		return 2;
	}
	struct made m = {.most = strtoul(argv[3], NULL, 10)};
	m.kind = calloc(m.most + 1, 1);
	summaries_init(&m.l);
	struct segment_cuts *cuts = calloc(old->symbols.size + 1, sizeof *cuts);
	for (size_t round = m.l.all.size + 1; m.l.all.size < m.most && round != m.l.all.size;) {
		round = m.l.all.size;
		for (size_t i = 0; i < old->symbols.size; i++)
			if (old->symbols.data[i].function && strncmp(old->symbols.data[i].name, "muster_", 7))
				of_function(&m, &old->symbols.data[i], &cuts[i]);
	}
	struct validate_options o = {.order = {1}};
	double start = deadline_processor();
	struct validation *v = validation_new(old, new, &o);
	double matched = deadline_processor() - start;
	for (size_t i = 0; i < m.l.all.size; i++) {
		struct validate_result r;
		double before = deadline_processor();
		validate_summary(v, &m.l, &m.l.all.data[i], &r);
		double now = deadline_processor() - before;
		count[m.kind[i]]++;
		valid[m.kind[i]] += r.verdict == VALIDATE_VALID;
		spent[m.kind[i]] += now;
		most = now > most ? now : most;
		validate_result_release(&r);
	}
	printf("matching %.2f s; Phase 1 of %zu summaries %.3f ms each, at most %.1f\n", matched, m.l.all.size, 1e3 * (spent[0] + spent[1] + spent[2]) / (double)m.l.all.size, 1e3 * most);
	for (int k = 0; k < KINDS; k++)
		printf("  %-18s %6llu, %llu valid, %.3f ms each\n", kinds[k], (unsigned long long)count[k], (unsigned long long)valid[k], count[k] ? 1e3 * spent[k] / (double)count[k] : 0);
	int missed = matched > 10 || spent[0] + spent[1] + spent[2] > 1e-3 * (double)m.l.all.size;
	validation_free(v);
	fflush(stdout);
	_Exit(missed);
}
