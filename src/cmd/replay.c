/* replay.c: muster replay: one input again, and what comes of it in words.
 *
 * On the san variant the verdict is that of confirm.h, with the source line and the sanitizer's
 * report. On another variant, or the program as the user built it, it is how the run ended.
 */
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "check/confirm.h"
#include "cmd/cmd.h"
#include "cmd/confine.h"
#include "cmd/operands.h"
#include "cmd/targets.h"
#include "campaign/traced.h"
#include "report/result_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct replay {
	const char *variant;
	int json, show, full;
	struct operands_options from;
	struct target_options target;
	struct operands operands;
};

struct outcome {
	const char *test;
	struct buf data;
	enum exit_code code;
	struct finding f; /* of a variant other than san: kind, signal and summary only */
};

static const char *color(const char *sequence)
{
	const char *no = getenv("NO_COLOR");
	return isatty(1) && !(no && *no) ? sequence : "";
}

/* ------------------------------------------------------------------ the runs */

static void run_san(const struct replay *r, struct confirm *c, const struct buf *data,
		    struct outcome *o)
{
	(void)r;
	if (confirm_run(c, data->data, data->size, &o->f))
		die(EXIT_USAGE, "%s", error_text());
	o->code = o->f.bug.confirmed ? EXIT_FOUND : o->f.bug.kind[0] ? EXIT_INCONCLUSIVE : EXIT_OK;
	if (!o->f.bug.kind[0] && o->f.suppressed)
		o->f.bug.summary = finding_text(&o->f, "%u finding%s suppressed", o->f.suppressed, o->f.suppressed == 1 ? " is" : "s are");
	else if (!o->f.bug.kind[0])
		o->f.bug.summary = "the san variant found nothing wrong";
}

static void run_other(const struct replay *r, struct launcher *l, const struct buf *data,
		      struct outcome *o)
{
	struct launch_input in =
	    target_input(r->operands.command.argv.data, data->data, data->size, o->test);
	struct run_result run;
	char words[600];
	if (launcher_run(l, &in, &run))
		die(EXIT_USAGE, "%s", error_text());
	targets_check_started(&run);
	run_result_words(&run, words, sizeof words);
	o->f.bug.summary = finding_text(&o->f, "%s", words);
	o->f.bug.signal = run.signal;
	o->f.bug.confirmed = run.end == RUN_SIGNAL;
	o->f.bug.kind = run.end == RUN_EXIT ? "" : run_end_key(run.end);
	o->code = run.end == RUN_EXIT	  ? EXIT_OK
		  : run.end == RUN_SIGNAL ? EXIT_FOUND
					  : EXIT_INCONCLUSIVE;
	if (r->show) {
		fwrite(run.out.data, 1, run.out.size, stderr);
		fwrite(run.err.data, 1, run.err.size, stderr);
	}
}

/* What no sanitizer knows, where --check names it: the check itself, in a traced run. */
static void run_own(const struct replay *r, const struct traced *t, const struct buf *data, struct outcome *o)
{
	struct traced_check c = {0};
	struct buf condition = {0};
	int broken = traced_breaks(t, data->data, data->size, &c, &condition);
	(void)r;
	if (broken < 0)
		die(EXIT_USAGE, "%s", error_text());
	if (broken) {
		traced_finding(t, &c, 1, "", buf_str(&condition), &o->f);
		o->code = EXIT_FOUND;
	}
	buf_release(&condition);
}

static checker_set own_checkers(const struct replay *r)
{
	checker_set own = 0;
	for (unsigned i = 1; i < MUSTER_CHECK_COUNT; i++)
		if (checker_get(i)->test == CHECKER_OWN)
			own |= CHECKER_BIT(i);
	return r->from.check ? r->from.set & own : 0;
}

/* --------------------------------------------------------------------- text */

/* A few lines of source around the place, which is marked. */
static void show_source(const struct result_bug *f)
{
	enum { AROUND = 2, LIMIT = 16 << 20 };
	struct buf text = {0};
	uint32_t line = 1;
	if (!f->file[0] || !file_is_regular(f->file) || file_read_limited(f->file, LIMIT, &text)) {
		buf_release(&text);
		return;
	}
	printf("\n  %s%s:%" PRIu32 "%s\n", color("\033[1m"), f->file, f->line, color("\033[0m"));
	for (char *p = buf_str(&text); *p; line++) {
		int size = (int)strcspn(p, "\n"), here = line == f->line;
		if (line + AROUND >= f->line && line <= f->line + AROUND)
			printf("  %s%s %5" PRIu32 " | %.*s%s\n", here ? color("\033[31m") : "",
			       here ? ">" : " ", line, size, p, here ? color("\033[0m") : "");
		p += size;
		p += *p == '\n';
	}
	buf_release(&text);
}

/* The report up to the dump of shadow memory, which says nothing to most readers. */
static void show_report(const struct result_bug *f, int full)
{
	const char *text = f->report, *shadow = full ? NULL : strstr(text, "Shadow bytes around");
	if (!*text)
		return;
	printf("\n");
	for (const char *p = text; *p && p != shadow;) {
		int size = (int)strcspn(p, "\n");
		printf("  %.*s\n", size, p);
		p += size;
		p += *p == '\n';
	}
}

static void show_text(const struct replay *r, struct outcome *o)
{
	static const char *const words[] = {
	    [EXIT_OK] = "passes", [EXIT_FOUND] = "FAILS", [EXIT_INCONCLUSIVE] = "undecided"};
	static const char *const colors[] = {
	    [EXIT_OK] = "\033[32m", [EXIT_FOUND] = "\033[1;31m", [EXIT_INCONCLUSIVE] = "\033[33m"};
	if (r->operands.tests.size > 1)
		printf("%s: ", o->test);
	printf("%s%s%s: %s\n", color(colors[o->code]), words[o->code], color("\033[0m"),
	       o->f.bug.summary);
	for (size_t i = 0; i < o->f.more_count; i++)
		printf("  and in the same run: %s\n", o->f.more[i].bug.summary);
	if (r->operands.tests.size > 1 && !r->full)
		return;
	if (o->f.bug.confirmed) {
		show_source(&o->f.bug);
		show_report(&o->f.bug, r->full);
	}
}

/* --------------------------------------------------------------------- JSON */

static void add_bug(const struct outcome *o, const struct finding *f, struct result *r)
{
	struct result_bug b = f->bug;
	struct buf bucket = {0};
	buf_addf(&bucket, "%016" PRIx64, b.bucket);
	b.name = result_keep(r, &bucket);
	buf_release(&bucket);
	b.function = *b.function ? b.function : NULL;
	b.file = *b.file ? b.file : NULL;
	b.confirmed = 1;
	b.count = 1;
	b.data = o->data.data;
	b.size = o->data.size;
	b.input_file = o->test;
	vec_push(&r->bugs, b);
}

static void fill(const struct outcome *all, size_t count, struct result *r)
{
	*r = (struct result){.test_fields = RESULT_TEST(FILE) | RESULT_TEST(VERDICT) | RESULT_TEST(SUMMARY)};
	for (size_t i = 0; i < count; i++) {
		const char *verdict = all[i].code == EXIT_OK ? "passes" : all[i].code == EXIT_FOUND ? "fails" : "undecided";
		vec_push(&r->tests, (struct result_test){.file = all[i].test, .verdict = verdict, .summary = all[i].f.bug.summary});
		for (size_t k = 0; all[i].f.bug.confirmed && k <= all[i].f.more_count; k++)
			add_bug(&all[i], k ? &all[i].f.more[k - 1] : &all[i].f, r);
	}
}

static void show_json(const struct replay *r, const struct outcome *all, size_t count, double seconds)
{
	struct buf out = {0};
	struct result found;
	struct json j;
	fill(all, count, &found);
	json_begin(&j, &out);
	json_object_open(&j);
	json_key(&j, "command"), json_str(&j, "replay");
	json_key(&j, "status"), json_str(&j, "complete");
	confine_json(&j);
	json_key(&j, "seconds"), json_double(&j, seconds);
	json_key(&j, "variant"), json_str(&j, r->variant);
	result_json(&j, &found, RESULT_TESTS | RESULT_BUGS);
	json_object_close(&j);
	puts(buf_str(&out));
	buf_release(&out);
	result_release(&found);
}

/* ---------------------------------------------------------------- the whole */

/* The worst of all verdicts. */
static int worse(int a, int b)
{
	return a == EXIT_FOUND || b == EXIT_OK ? a : b == EXIT_FOUND ? b : EXIT_INCONCLUSIVE;
}

static int replay_all(struct replay *r, int kind)
{
	size_t count = r->operands.tests.size;
	struct outcome *all = mem_zalloc(count * sizeof *all);
	struct confirm *confirm = NULL;
	struct launcher *launcher = NULL;
	struct target target, trace = {0};
	struct traced own = {.set = kind == VARIANT_SAN ? own_checkers(r) : 0, .argv = r->operands.command.argv.data};
	double start = clock_seconds();
	int code = EXIT_OK;

	targets_make(&target, r->operands.program, r->operands.command.argv.data, kind, &r->target);
	target.options.output_limit = 16u << 20;
	target.options.out = target.options.err = r->show ? LAUNCH_CAPTURE : LAUNCH_NULL;
	if (kind == VARIANT_SAN ? confirm_open(&confirm, r->operands.program, &target.options)
				: !(launcher = launcher_new(&target.options)))
		die(EXIT_USAGE, "%s", error_text());
	if (own.set) {
		targets_make(&trace, r->operands.program, r->operands.command.argv.data, VARIANT_TRACE, &r->target);
		own.shm = &trace.shm, own.sites = &trace.sites;
		if (!(own.launcher = launcher_new(&trace.options)))
			die(EXIT_USAGE, "%s", error_text());
	}
	for (size_t i = 0; i < count; i++) {
		all[i].test = r->operands.tests.data[i];
		all[i].f = FINDING_NONE;
		operands_read(all[i].test, &all[i].data);
		buf_str(&all[i].data);
		if (confirm)
			run_san(r, confirm, &all[i].data, &all[i]);
		else
			run_other(r, launcher, &all[i].data, &all[i]);
		if (own.set && all[i].code == EXIT_OK)
			run_own(r, &own, &all[i].data, &all[i]);
		code = worse(code, all[i].code);
		if (!r->json)
			show_text(r, &all[i]);
		if (!r->json || !all[i].f.bug.confirmed) /* only JSON's bugs have their inputs */
			buf_release(&all[i].data);
	}
	if (r->json)
		show_json(r, all, count, clock_seconds() - start);
	for (size_t i = 0; i < count; i++) {
		finding_release(&all[i].f);
		buf_release(&all[i].data);
	}
	free(all);
	confirm_close(confirm);
	launcher_free(launcher);
	launcher_free(own.launcher);
	if (own.set)
		target_release(&trace);
	target_release(&target);
	return code;
}

static const char about[] =
    "Runs a program on inputs that were found before and says what happens: does it fail, how, "
    "and\n"
    "at which line of the source? Each run is a fresh process of the san variant "
    "(AddressSanitizer\n"
    "and UndefinedBehaviorSanitizer): what fails here is confirmed. A test that lies in the "
    "output\n"
    "directory of a search needs no program, since the search knows it.\n"
    "\n"
    "  muster replay muster-out/crashes/id:000000,sig:11\n"
    "  muster replay crash.gif -- ./gifdump @@\n"
    "  muster replay muster-out/queue/* -- ./gifdump @@     does any test fail?\n"
    "  muster replay --variant plain --show crash.gif -- ./gifdump @@\n"
    "                                                       as you built it, with its output\n"
    "\n"
    "Exit code: 1 if a test fails, 0 if none does, 3 if that cannot be said (a limit, or a stack "
    "that\n"
    "only sanitizers' larger frames use up).";

int cmd_replay(int argc, char **argv)
{
	struct replay r = {.variant = "san", .target = TARGET_DEFAULTS};
	const struct option_row rows[] = {
	    OPTION_STR("variant", 0, "KIND", &r.variant,
		       "san (the default), plain (the program itself), cov, trace or path"),
	    OPERANDS_ROWS(&r.from),
	    OPTION_DOUBLE("time", 't', "S", &r.target.time,
			  "time limit in seconds (10); a hang is three times that, on san"),
	    TARGET_MEM_ROW(&r.target),
	    OPTION_FLAG("show", 0, &r.show,
			"show the program's own output, on standard error (not with san)"),
	    OPTION_FLAG("full", 0, &r.full, "the whole report, of several tests too"),
	    OPTION_FLAG("json", 0, &r.json, "print the result as JSON"),
	    CONFINE_ROWS,
	    OPTION_END};
	const struct option_spec spec = {
	    "replay", "[options] TEST... [-- PROGRAM [ARGUMENTS with @@]]", about, rows};
	int kind, code;

	r.target.time = 10;
	operands_parse(&r.operands, &spec, argc, argv, &r.from);
	confine_apply(&spec);
	kind = variant_kind(r.variant);
	if (kind < 0 && strcmp(r.variant, "plain"))
		option_usage(&spec, "there is no variant '%s'", r.variant);
	if (r.show && kind == VARIANT_SAN)
		option_usage(&spec, "--show wants another variant: --variant plain, for example");
	code = replay_all(&r, kind < 0 ? TARGET_PLAIN : kind);
	operands_release(&r.operands);
	return code;
}
