/* minimize.c: muster minimize: a smaller input that does the same.
 *
 * The same is, for an input that fails on the san variant: a failure of the same
 * bucket (kind and place, confirm.h). For any other: the same branch outcomes on the cov variant,
 * and the same way to end. The search for it is search/minimize.c's; every candidate is run, each
 * in a process of its own. When nothing more can be removed, the trace variant is made, and what a removal breaks (a length, a checksum) is repaired
 * with the solver (search/repair.c).
 */
#include "base/clock.h"
#include "search/minimize.h"
#include "search/repair.h"

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "check/confirm.h"
#include "cmd/cmd.h"
#include "cmd/confine.h"
#include "cmd/operands.h"
#include "cmd/targets.h"
#include "report/result_json.h"
#include "run/exec.h"
#include "search/cover.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HANG_RUNS 100 /* each costs several times the limit */

struct shrink {
	const char *output;
	int json, classes, coverage, no_repair;
	uint64_t runs;
	struct operands_options from;
	struct target_options target;
	struct operands operands;
	/* What must stay. */
	struct confirm *confirm;
	struct finding found; /* of the input as it was given */
	struct target san, cov;
	struct exec *exec;
	uint64_t digest; /* of the coverage */
	struct target trace;
	struct repair *repair;
	/* Figures. */
	uint64_t done;
	size_t before;
};

/* --------------------------------------------------------- what must stay */

static void progress(struct shrink *s, size_t size)
{
	if (++s->done % 16 == 0)
		log_progress("%" PRIu64 " runs, from %zu bytes; trying %zu", s->done, s->before,
			     size);
}

static int same_bug(void *ctx, const void *data, size_t size)
{
	struct shrink *s = ctx;
	struct finding f;
	int same;

	progress(s, size);
	if (confirm_run(s->confirm, data, size, &f))
		return -1;
	same = finding_with(&f, s->found.bug.bucket) != NULL;
	finding_release(&f);
	return same;
}

static int hit_class(uint8_t n)
{
	return n < 4 ? n : n < 8 ? 4 : n < 16 ? 5 : n < 32 ? 6 : n < 128 ? 7 : 8;
}

static int coverage(struct shrink *s, const void *data, size_t size, uint64_t *digest)
{
	struct exec_result r;
	if (exec_run(s->exec, data, size, &r))
		return -1;
	uint64_t h = hash_mix((uint64_t)r.end << 32 | (unsigned)r.signal);
	for (uint32_t i = 0; i < r.count; i++)
		if (r.counters[i])
			h = hash_mix(h ^ ((uint64_t)i << 4 |
					  (s->classes ? (unsigned)hit_class(r.counters[i]) : 0u)));
	*digest = h;
	return 0;
}

static int same_coverage(void *ctx, const void *data, size_t size)
{
	struct shrink *s = ctx;
	uint64_t digest;

	progress(s, size);
	if (coverage(s, data, size, &digest))
		return -1;
	return digest == s->digest;
}

static void open_coverage(struct shrink *s, struct buf *data)
{
	targets_make(&s->cov, s->operands.program, s->operands.command.argv.data, VARIANT_COV, &s->target);
	if (exec_open(&s->exec, &s->cov.options, 1) ||
	    coverage(s, buf_str(data), data->size, &s->digest))
		die(EXIT_USAGE, "%s", error_text());
}

/* Called once. Without the trace variant there are no repairs, and that is said. */
static struct repair *open_repair(void *ctx)
{
	struct shrink *s = ctx;
	if (target_make(&s->trace, s->operands.program, s->operands.command.argv.data, VARIANT_TRACE, &s->target)) {
		log_warn("lengths and checksums are not repaired: %s", error_text());
		return NULL;
	}
	s->trace.options.server = 1;
	s->repair = repair_new(&s->trace);
	if (!s->repair)
		log_warn("lengths and checksums are not repaired: %s", error_text());
	return s->repair;
}

/* Gives the predicate that the input satisfies. */
static void open_predicate(struct shrink *s, struct buf *data, struct minimize *m)
{
	*m = (struct minimize){.keeps = same_coverage, .ctx = s, .max_runs = s->runs, .repair = s->no_repair ? NULL : open_repair};
	if (!s->coverage) {
		targets_make(&s->san, s->operands.program, s->operands.command.argv.data, VARIANT_SAN,
			    &s->target);
		if (confirm_open(&s->confirm, s->operands.program, &s->san.options) ||
		    confirm_run(s->confirm, buf_str(data), data->size, &s->found))
			die(EXIT_USAGE, "%s", error_text());
		if (s->found.bug.confirmed) {
			m->keeps = same_bug;
			if (strcmp(s->found.bug.kind, "timeout"))
				return;
			m->repair = NULL; /* each trace would take as long */
			if (!m->max_runs)
				m->max_runs = HANG_RUNS;
			return;
		}
	}
	open_coverage(s, data);
}

/* -------------------------------------------------------------- the result */

static void fill(const struct shrink *s, const struct minimize *m, const struct buf *data, const char *output, struct result *r)
{
	int bug = s->found.bug.confirmed;
	*r = (struct result){0};
	result_word(r, s->operands.tests.data[0], "input_file");
	result_word(r, output, "output_file");
	result_word(r, bug ? "bug" : "coverage", "keeps");
	result_word(r, bug ? s->found.bug.summary : NULL, "summary");
	result_count(r, s->before, "size.before");
	result_count(r, data->size, "size.after");
	result_count(r, m->changed, "changed");
	result_count(r, m->repaired, "repaired");
	result_count(r, m->runs + m->traces, "stats.runs");
	result_count(r, m->traces, "stats.traces");
}

static void show_json(const struct result *r, int end, double seconds)
{
	struct buf out = {0};
	struct json j;
	json_begin(&j, &out);
	json_object_open(&j);
	json_key(&j, "command"), json_str(&j, "minimize");
	json_key(&j, "status"), json_str(&j, end == MINIMIZE_BUDGET ? "budget" : "complete");
	confine_json(&j);
	json_key(&j, "seconds"), json_double(&j, seconds);
	result_json(&j, r, RESULT_FIGURES);
	json_object_close(&j);
	puts(buf_str(&out));
	buf_release(&out);
}

static void show_text(const struct result *r, int classes, int end, double seconds)
{
	uint64_t after = result_figure(r, "size.after")->count, changed = result_figure(r, "changed")->count;
	const char *summary = result_figure(r, "summary")->word;
	printf("%s: %" PRIu64 " bytes, from %" PRIu64 "; %" PRIu64 " of them plainer; %" PRIu64 " runs, %.1f s%s\n", result_figure(r, "output_file")->word, after,
	       result_figure(r, "size.before")->count, changed < after ? changed : after, result_figure(r, "stats.runs")->count, seconds,
	       end == MINIMIZE_BUDGET ? " (stopped at --runs; it may get smaller)" : "");
	uint64_t repaired = result_figure(r, "repaired")->count;
	if (repaired)
		printf("repaired: %" PRIu64 " times fields (a length, a count, a checksum) were solved for, so that bytes could go\n", repaired);
	printf("keeps: %s\n", summary ? summary : classes ? "every branch outcome, and how often" : "every branch outcome");
}

static int shrink_one(struct shrink *s)
{
	struct buf data = {0};
	struct minimize m;
	struct result r;
	double start = clock_seconds();
	const char *test = s->operands.tests.data[0];
	char *output = s->output ? mem_strdup(s->output) : mem_printf("%s.min", file_base(test));

	operands_read(test, &data);
	s->before = data.size;
	open_predicate(s, &data, &m);
	int end = minimize_input(&m, &data);
	log_progress(NULL);
	if (end < 0)
		die(EXIT_USAGE, "%s", error_text());
	if (end == MINIMIZE_NOT)
		die(EXIT_INCONCLUSIVE,
		    "the program does not do the same twice on '%s': nothing can be "
		    "removed with certainty",
		    test);
	if (file_write_atomic(output, buf_str(&data), data.size))
		die(EXIT_USAGE, "%s", error_text());
	fill(s, &m, &data, output, &r);
	if (s->json)
		show_json(&r, end, clock_seconds() - start);
	else
		show_text(&r, s->classes, end, clock_seconds() - start);
	result_release(&r);
	buf_release(&data);
	free(output);
	return EXIT_OK;
}

static const char about[] =
    "Makes an input smaller and plainer that still does what matters. If it fails (on the san\n"
    "variant), the result fails with the same kind of bug at the same place; if not, it takes "
    "exactly\n"
    "the same branch outcomes. Pieces are removed, from halves down to single bytes, then bytes "
    "are\n"
    "made '0', ' ' or 0. Where that breaks a length or a checksum, the solver sets the field anew, and the\n"
    "input is run again. The result goes to TEST.min in this directory; the test is not changed.\n"
    "\n"
    "  muster minimize muster-out/crashes/id:000000,sig:11\n"
    "  muster minimize --output small.gif crash.gif -- ./gifdump @@";

int cmd_minimize(int argc, char **argv)
{
	struct shrink s = {.target = TARGET_DEFAULTS};
	const struct option_row rows[] = {
	    OPTION_STR("output", 0, "FILE", &s.output,
		       "where the result goes (TEST.min, in this directory)"),
	    OPTION_U64("runs", 0, "N", &s.runs, "stop after N runs (5000; of a hang 100)"),
	    OPTION_FLAG("coverage", 0, &s.coverage, "keep the branch outcomes, even if it fails"),
	    OPTION_FLAG("no-repair", 0, &s.no_repair, "solve for no fields: only remove bytes and make them plainer"),
	    OPTION_FLAG("classes", 0, &s.classes,
			"of branches: keep about how often they are taken, too"),
	    OPERANDS_ROWS(&s.from),
	    OPTION_DOUBLE("time", 't', "S", &s.target.time,
			  "time limit of a run in seconds (2); a hang is three times that"),
	    TARGET_MEM_ROW(&s.target),
	    OPTION_FLAG("json", 0, &s.json, "print the result as JSON"),
	    CONFINE_ROWS,
	    OPTION_END};
	const struct option_spec spec = {
	    "minimize", "[options] TEST [-- PROGRAM [ARGUMENTS with @@]]", about, rows};
	int code;

	s.target.time = 2;
	operands_parse(&s.operands, &spec, argc, argv, &s.from);
	confine_apply(&spec);
	if (s.operands.tests.size > 1)
		option_usage(&spec, "one test at a time; there are %zu", s.operands.tests.size);
	code = shrink_one(&s);
	if (s.confirm) {
		confirm_close(s.confirm);
		target_release(&s.san);
	}
	finding_release(&s.found);
	repair_free(s.repair);
	target_release(&s.trace);
	if (s.exec) {
		exec_close(s.exec);
		target_release(&s.cov);
	}
	operands_release(&s.operands);
	return code;
}
