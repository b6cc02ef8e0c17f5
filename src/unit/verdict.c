/* verdict.c: the word for each function, and what keeps it from a better one.
 *
 * verified needs all of: the search came to its end by itself and lost nothing; each of its tests
 * passed the san variant; the harness has no limit for this function; no bug. Whatever is not known
 * for sure counts against it. explored: every outcome of every branch of the function was taken by
 * some test of the session.
 */
#include "unit/unit.h"

#include "base/file.h"
#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

const char *test_verdict_word(enum test_verdict v)
{
	static const char *const words[] = {
#define X(name, word) word,
	    RESULT_VERDICTS(X)
#undef X
	};
	return words[v];
}

uint64_t test_count(const struct test_function *f)
{
	uint64_t n = 0;
	for (size_t i = 0; i < f->tests.size; i++)
		n += !(f->tests.data[i].flags & TEST_ASSUMED);
	return n;
}

/* ---------------------------------------------------------------- branches */

/* Counters of a function: those of its decisions but checks stand together. */
static void take_range(struct test_function *f, const struct site_table *t,
		       const struct site_function *sf)
{
	struct site_decision d;
	int first = 1;
	f->unit = t->unit;
	for (uint32_t i = 0; i < sf->decisions; i++) {
		if (!site_table_decision(t, sf->first_decision + i, &d) || d.check)
			continue;
		if (first)
			f->first_outcome = d.first_outcome;
		first = 0;
		f->outcomes = d.first_outcome + d.outcomes - f->first_outcome;
	}
}

void test_find_outcomes(struct test_session *s)
{
	struct strmap index = {0};
	for (size_t i = 0; i < s->functions.size; i++)
		strmap_set(&index, s->functions.data[i].name, i);
	for (size_t t = 0; t < s->driven.cov.sites.count; t++) {
		const struct site_table *table = &s->driven.cov.sites.tables[t];
		for (uint32_t i = 0; i < table->functions; i++) {
			struct site_function sf;
			uint64_t at;
			if (!site_table_function(table, i, &sf))
				continue;
			if (!strmap_get(&index, sf.name, &at))
				continue;
			struct test_function *f = &s->functions.data[at];
			/* Static functions of other units may have the same name. */
			if (!f->outcomes &&
			    (!sf.line || !f->front->line || sf.line == f->front->line))
				take_range(f, table, &sf);
		}
	}
	strmap_release(&index);
}

static void count_covered(const struct test_session *s, struct test_function *f)
{
	f->covered = 0;
	for (uint32_t i = 0; i < f->outcomes; i++)
		f->covered += (uint64_t)map_get(
		    &s->covered, (uint64_t)f->unit << 32 | (f->first_outcome + i), NULL);
}

void test_find_covered(struct test_session *s)
{
	for (size_t i = 0; i < s->functions.size; i++) {
		struct test_function *f = &s->functions.data[i];
		for (size_t k = 0; k < f->covers.size; k++) {
			const struct test_cover *c = &f->covers.data[k];
			map_set(&s->covered, (uint64_t)c->unit << 32 | c->outcome, c->mask);
		}
	}
	for (size_t i = 0; i < s->functions.size; i++)
		count_covered(s, &s->functions.data[i]);
}

/* ----------------------------------------------------------------- verdict */

__attribute__((format(printf, 2, 3))) static void reason(struct test_function *f, const char *fmt,
							 ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (f->why.size)
		buf_adds(&f->why, "; ");
	buf_addv(&f->why, fmt, ap);
	va_end(ap);
}

static void losses(struct test_function *f)
{
	const struct search_losses *l = &f->result.losses;
	for (int i = 0; i < LOSS_COUNT; i++)
		if (l->count[i])
			reason(f, "%s", search_loss_words((enum search_loss)i));
}

void test_within_text(const struct test_function *f, struct buf *out)
{
	if (f->contexts)
		return;
	for (unsigned i = 0; i < HARNESS_LIMIT_COUNT; i++)
		if (f->harness->limits & HARNESS_LIMITS_GIVEN & 1u << i)
			buf_addf(out, "%s%s", out->size ? "; " : "", harness_limit_words((enum harness_limit)i));
	if (f->given && f->small)
		buf_addf(out, "%sobjects have at most %u elements, strings %u characters", out->size ? "; " : "", DRIVE_SMALL_ELEMENTS, DRIVE_SMALL_CHARACTERS - 1);
}

static void add_limits(struct test_function *f, uint32_t limits)
{
	for (unsigned i = 0; i < HARNESS_LIMIT_COUNT; i++)
		if (limits & 1u << i)
			reason(f, "%s%s%s%s", harness_limit_words((enum harness_limit)i), i == HARNESS_WEAK ? " (" : "",
			       i == HARNESS_WEAK ? f->harness->weak : "", i == HARNESS_WEAK ? ")" : "");
}

static int is_weaker(const struct test_function *f)
{
	return f->reuse.how == TEST_REUSE_ALL && f->reuse.verdict != (test_is_given(f) || f->harness->limits ? TEST_GIVEN : TEST_VERIFIED);
}

int test_is_whole(const struct test_function *f)
{
	const struct test_searched *r = &f->result;
	return f->harness->number != UINT32_MAX && !f->lost && f->searched && r->ran && r->ended && r->exhausted && !r->composed && f->checked && !f->unchecked && !f->beyond && !f->suspected &&
	       !f->suppressed && !(f->harness->limits & ~HARNESS_LIMITS_GIVEN) && f->reuse.how != TEST_REUSE_ALL;
}

static void judge(const struct test_session *s, struct test_function *f)
{
	const struct test_searched *r = &f->result;
	buf_clear(&f->why);
	if (f->harness->number == UINT32_MAX)
		reason(f, "%s", f->harness->why ? f->harness->why : "it cannot be called");
	else if (f->lost)
		reason(f, "muster itself failed while it searched this function");
	else if (!f->searched)
		reason(f, "the time was over before its turn");
	else if (!r->ran)
		reason(f, "no input was found for which its preconditions hold");
	if (f->why.size) {
		f->verdict = TEST_UNREACHED;
		return;
	}
	if (f->bugs)
		reason(f, "%u bug%s", f->bugs, f->bugs == 1 ? "" : "s");
	if (f->owed > f->uncalled)
		reason(f, "%u finding%s where callers break its contract", f->owed - f->uncalled, f->owed - f->uncalled == 1 ? "" : "s");
	if (f->uncalled)
		reason(f, "%u finding%s to which no caller was found to lead", f->uncalled, f->uncalled == 1 ? "" : "s");
	if (f->suspected)
		reason(f, "%u failure%s that the san variant did not confirm", f->suspected,
		       f->suspected == 1 ? "" : "s");
	if (f->suppressed)
		reason(f, "findings of its tests are suppressed");
	if (!r->ended)
		reason(f, "%s with %" PRIu64 " paths to explore further",
		       r->stopped ? "stopped" : "its budget ended", r->frontier);
	if (r->ended && !r->exhausted)
		losses(f);
	if (f->beyond)
		reason(f, "what comes after a write out of bounds is not searched");
	if (f->unchecked || !f->checked)
		reason(f, "not every test was run in the san variant");
	add_limits(f, f->harness->limits & ~HARNESS_LIMITS_GIVEN);
	int weaker = is_weaker(f);
	if (weaker && !f->why.size && r->exhausted)
		reason(f, "an earlier run of the same code found something that is not seen now");
	/* Each reason to be no better has its words: what has none keeps no function from being verified. */
	uint32_t limits = f->harness->limits;
	int any = f->why.size > 0;
	int all = r->ended && r->exhausted && f->checked && !f->unchecked && !f->bugs && !f->owed &&
		  !f->suspected && !f->suppressed && !(limits & ~HARNESS_LIMITS_GIVEN) && !(limits && r->composed) && !weaker;
	add_limits(f, limits & HARNESS_LIMITS_GIVEN);
	f->clean = all && !any && (!limits || test_has_contracts(s->o));
	if (f->clean)
		f->verdict = limits ? TEST_GIVEN : TEST_VERIFIED;
	else
		f->verdict = f->covered == f->outcomes ? TEST_EXPLORED : TEST_PARTIAL;
	if (!all && !f->why.size)
		reason(f, "something was lost on a path");
	if (f->given && !f->bugs && !f->suspected && !f->suppressed) { /* a search of its own says so */
		buf_clear(&f->why);
		if (f->owed)
			reason(f, "calls that break its contract fail");
		test_within_text(f, &f->why);
		f->verdict = TEST_GIVEN;
	}
	if (f->contexts && !f->bugs && !f->suspected && !f->suppressed) {
		buf_clear(&f->why);
		reason(f, "it fails for calls that none of its callers makes: each function that leads to it is verified");
		f->verdict = TEST_GIVEN;
	}
}

/* Where summaries stood for calls, what they say of a function counts only if that function is verified itself: then each of its paths passed the san variant, and nothing was lost on one. The
 * search has shown the rest (LOSS_COMPOSED): the disjunction of summaries covers every state of each call, and says all that the caller sees. Callees come before callers. */
static void judge_composed(struct test_session *s, struct test_function *f)
{
	struct front_reach reach = {0};

	front_reach(s->driven.front, (uint32_t)(f->front - s->driven.front->functions.data), &reach);
	for (size_t i = 0; i < reach.functions.size && f->verdict == TEST_VERIFIED; i++)
		for (size_t k = 0; k < s->functions.size; k++) {
			const struct test_function *g = &s->functions.data[k];
			if (g == f || g->front != &s->driven.front->functions.data[reach.functions.data[i]] || (g->verdict == TEST_VERIFIED && !test_is_given(g)))
				continue;
			reason(f, "summaries stand for calls, and %s is not verified itself", g->name);
			f->verdict = f->covered == f->outcomes ? TEST_EXPLORED : TEST_PARTIAL;
			break;
		}
	vec_release(&reach.functions);
	vec_release(&reach.globals);
}

/* Functions whose summaries may have stood for calls: all that it reaches. */
static void add_reached(const struct test_session *s, const struct test_function *f, struct buf *out)
{
	struct front_reach reach = {0};
	const char *before = "";
	front_reach(s->driven.front, (uint32_t)(f->front - s->driven.front->functions.data), &reach);
	for (size_t k = 0; k < s->functions.size; k++)
		for (size_t i = 0; i < reach.functions.size; i++)
			if (&s->functions.data[k] != f && s->functions.data[k].front == &s->driven.front->functions.data[reach.functions.data[i]]) {
				buf_addf(out, "%s%s", before, s->functions.data[k].name);
				before = ", ";
			}
	vec_release(&reach.functions);
	vec_release(&reach.globals);
}

void test_conditions(const struct test_session *s, const struct test_function *f, struct buf *out)
{
	if (f->verdict != TEST_VERIFIED)
		return;
	buf_addf(out, "nothing was left to negate, and nothing was lost (%u kinds of losses: none of them); every checker query had the answer no; each of %" PRIu64 " tests passed the san variant; the harness has no limit here", LOSS_COUNT,
		 test_count(f));
	if (!f->result.composed)
		return;
	buf_adds(out, "; where summaries stood for calls, they cover every state of the call and give all that the caller sees, none of them fails there, pointers that are passed do not depend on the input; verified themselves: ");
	add_reached(s, f, out);
}

void test_judge(struct test_session *s)
{
	test_find_covered(s);
	for (size_t i = 0; i < s->functions.size; i++)
		judge(s, &s->functions.data[i]);
	for (size_t i = 0; i < s->functions.size; i++)
		if (s->functions.data[i].result.composed && s->functions.data[i].verdict == TEST_VERIFIED)
			judge_composed(s, &s->functions.data[i]);
	for (size_t i = 0; i < s->functions.size; i++)
		if (s->functions.data[i].clean && test_is_given(&s->functions.data[i])) {
			reason(&s->functions.data[i], "calls that break its accepted contract are not looked at");
			s->functions.data[i].verdict = TEST_GIVEN;
		}
}
