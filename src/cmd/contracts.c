/* contracts.c: muster contracts: what the functions of a C file require of their callers.
 *
 * Runs the sessions of muster test and prints what came of it as lines of muster.contracts. --write adds the lines of functions that have none yet to that file: what a person has accepted is never
 * changed by a search. A function that fails for calls that keep its accepted contract has grown stronger, or the contract was never true: that is printed, and the exit code is 1.
 */
#include "base/budget.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "cmd/check_options.h"
#include "cmd/cmd.h"
#include "cmd/confine.h"
#include "cmd/contracts.h"
#include "cmd/sessions.h"
#include "cmd/targets.h"
#include "report/result_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wanted {
	int write;
	const char *header, *output;
};

/* ----------------------------------------------------------------- lines */

/* Requires it nothing, as far as its branches show? */
static int has_none(const struct test_function *f)
{
	return !f->bugs && !f->suspected && !f->owed && (f->verdict == TEST_VERIFIED || f->verdict == TEST_EXPLORED);
}

/* The contract that was found, or that is accepted; NULL: nothing is known. Allocated. */
static char *contract_of(const struct test_session *s, uint32_t function)
{
	const struct test_function *f = &s->functions.data[function];
	struct buf text = BUF_EMPTY;
	if (f->accepted)
		return mem_strdup(f->accepted);
	test_contract_text(s, function, &text);
	if (!text.size && has_none(f))
		buf_adds(&text, ACCEPTED_NOTHING);
	return text.size ? buf_take(&text) : NULL;
}

static void add_lines(const struct test_session *s, struct accepted *a)
{
	for (uint32_t i = 0; i < s->functions.size; i++) {
		const struct test_function *f = &s->functions.data[i];
		char *text = f->helper || !strcmp(f->name, "main") ? NULL : contract_of(s, i);
		if (text)
			accepted_put(a, f->front->is_static ? s->file : NULL, f->name, text);
		free(text);
	}
}

/* ----------------------------------------------------------------- words */

static void print_lines(const struct test_session *s)
{
	struct accepted a = {0};
	struct buf known = BUF_EMPTY;
	add_lines(s, &a);
	for (size_t i = 0; i < a.lines.size; i++) /* sorted as the file has them */
		for (size_t k = i; k > 0 && strcmp(a.lines.data[k].function, a.lines.data[k - 1].function) < 0; k--) {
			struct accepted_line x = a.lines.data[k];
			a.lines.data[k] = a.lines.data[k - 1];
			a.lines.data[k - 1] = x;
		}
	for (size_t i = 0; i < a.lines.size; i++) {
		const struct accepted_line *l = &a.lines.data[i];
		if (strcmp(l->text, ACCEPTED_NOTHING))
			printf("%s%s%s: %s\n", l->file ? l->file : "", l->file ? ":" : "", l->function, l->text);
		if (test_accepted_text(s, l->function))
			buf_addf(&known, "%s%s", known.size ? ", " : "", l->function);
	}
	if (known.size)
		printf("# accepted: %s\n", buf_str(&known));
	buf_release(&known);
	accepted_release(&a);
}

/* Functions that fail for calls that keep their accepted contracts, or those of the last version. Their number. */
static size_t print_stronger(const struct test_session *s)
{
	size_t count = 0;
	for (size_t i = 0; i < s->bugs.size; i++) {
		const struct test_bug *b = &s->bugs.data[i];
		const struct test_function *f = &s->functions.data[b->function];
		if (!f->accepted || !b->finding.bug.confirmed || b->owed)
			continue;
		count++;
		if (s->o->json)
			continue;
		if (b->finding.bug.cause)
			printf("# %s now requires %s; accepted: %s\n", f->name, b->finding.bug.cause, f->accepted);
		else
			printf("# %s fails for a call that keeps its accepted contract (%s): %s\n", f->name, f->accepted, b->finding.bug.summary);
	}
	for (size_t i = 0; i < s->contracts.size; i++) {
		const struct test_contract *c = &s->contracts.data[i];
		if (!c->before)
			continue;
		count++;
		if (!s->o->json)
			printf("# %s now requires %s; the last version: %s\n", s->functions.data[c->function].name, c->requires, c->before);
	}
	return count;
}

static void print_counts(const struct test_session *s)
{
	size_t count = 0, inferred = 0, accepted = 0, none = 0, bugs = 0;
	for (uint32_t i = 0; i < s->functions.size; i++) {
		const struct test_function *f = &s->functions.data[i];
		char *text = f->helper ? NULL : contract_of(s, i);
		count += !f->helper;
		accepted += f->accepted != NULL;
		none += !f->accepted && text && !strcmp(text, ACCEPTED_NOTHING);
		inferred += !f->accepted && text && strcmp(text, ACCEPTED_NOTHING);
		bugs += !f->helper && f->bugs > 0;
		free(text);
	}
	printf("# %s: %zu function%s: %zu with an inferred contract, %zu accepted, %zu without one", s->file, count, count == 1 ? "" : "s", inferred, accepted, none);
	if (count > inferred + accepted + none)
		printf(", %zu of which nothing is known", count - inferred - accepted - none);
	if (bugs)
		printf("; %zu with bugs: muster test", bugs);
	putchar('\n');
}

static void print_json(struct test_session *const *all, size_t count, const struct sessions_end *end)
{
	struct buf out = {0};
	struct result r;
	struct json j;
	test_result(all, count, 0, &r);
	json_begin(&j, &out);
	j.indent = 1;
	json_object_open(&j);
	json_key(&j, "command"), json_str(&j, "contracts");
	json_key(&j, "status"), json_str(&j, end->status);
	confine_json(&j);
	json_key(&j, "seconds"), json_double(&j, end->seconds);
	result_json(&j, &r, RESULT_FUNCTIONS | RESULT_BUGS | RESULT_CONTRACTS | RESULT_STATS);
	json_object_close(&j);
	fwrite(out.data, 1, out.size, stdout);
	putchar('\n');
	buf_release(&out);
	result_release(&r);
}

/* ----------------------------------------------------------------- files */

/* Lines of functions that have none yet, into the file that the session read. */
static void write_lines(const struct test_session *s)
{
	char *path = s->o->contracts && strcmp(s->o->contracts, "none") ? mem_strdup(s->o->contracts) : accepted_path(s->file);
	struct accepted a = {0}, now = {0};
	size_t added = 0;
	if (accepted_read(&a, path))
		die(EXIT_USAGE, "%s", error_text());
	add_lines(s, &now);
	for (size_t i = 0; i < now.lines.size; i++) {
		const struct accepted_line *l = &now.lines.data[i];
		if (accepted_find(&a, s->file, l->function))
			continue;
		accepted_put(&a, l->file, l->function, l->text);
		added++;
	}
	if (added && accepted_write(&a, path))
		die(EXIT_INTERNAL, "%s", error_text());
	fprintf(stderr, "%s: %zu line%s added; what stood there is as it was\n", path, added, added == 1 ? "" : "s");
	accepted_release(&a);
	accepted_release(&now);
	free(path);
}

static void annotate(struct test_session *const *all, size_t count, const struct wanted *w)
{
	struct accepted a = {0};
	struct buf header = BUF_EMPTY, out = BUF_EMPTY;
	for (size_t i = 0; i < count; i++)
		add_lines(all[i], &a);
	if (file_read(w->header, &header))
		die(EXIT_USAGE, "%s", error_text());
	size_t n = contracts_annotate(&a, &header, &out);
	if (!w->output)
		fwrite(out.data, 1, out.size, stdout);
	else if (file_write_atomic(w->output, out.data, out.size))
		die(EXIT_INTERNAL, "%s", error_text());
	fprintf(stderr, "%s: %zu declaration%s annotated%s%s\n", w->header, n, n == 1 ? "" : "s", w->output ? " in " : "", w->output ? w->output : "");
	buf_release(&header);
	buf_release(&out);
	accepted_release(&a);
}

static void print(struct test_session *const *all, size_t count, struct sessions_end *end, void *ctx)
{
	const struct wanted *w = ctx;
	size_t stronger = 0;
	int plain = count && !all[0]->o->json && !w->header && !end->failed;
	for (size_t i = 0; i < count; i++) {
		if (plain)
			print_lines(all[i]);
		if (plain || all[i]->o->json)
			stronger += print_stronger(all[i]);
		if (plain)
			print_counts(all[i]);
		if (w->write && !end->failed)
			write_lines(all[i]);
	}
	if (count && all[0]->o->json)
		print_json(all, count, end);
	else if (w->header && !end->failed)
		annotate(all, count, w);
	if (end->code == EXIT_FOUND || end->code == EXIT_OK) /* bugs are what muster test is for */
		end->code = stronger ? EXIT_FOUND : EXIT_OK;
}

/* --------------------------------------------------------------- command */

static const char about[] =
    "Drives the functions of a C file as muster test does, and prints what they require of their callers: lines FUNCTION: CONDITION, in C, with len(p) for the\n"
    "elements from p to the end of its object and before(p) for the bytes in front of it.\n\n"
    "  muster contracts list.c                      what the functions of list.c require\n"
    "  muster contracts --write list.c              the same into muster.contracts beside it: review and commit it\n"
    "  muster contracts --annotate list.h list.c    a copy of the header with MUSTER_REQUIRES, on standard output\n\n"
    "Lines of muster.contracts are accepted contracts: muster test assumes them for the function, checks its callers against them, and reports whatever fails for\n"
    "calls that keep them as a bug. --write adds lines of functions that have none and changes no other.\n"
    "exit codes: 0, 1 a function fails for calls that keep its accepted contract, or that of the last version, 2 wrong usage or it does not compile, 3 a function was not reached, or its budget\n"
    "ended before all its branches were covered";

int cmd_contracts(int argc, char **argv)
{
	static struct wanted w;
	static struct check_options check;
	static struct test_options o = {.globals = "symbolic", .function_time = -1, .runs = UINT64_MAX, .path_time = 0.3, .path_runs = 300, .run_time = 0.25};
	const struct option_row rows[] = {
	    OPTION_FLAG("write", 'w', &w.write, "add the contracts to muster.contracts beside the source (or to --contracts FILE)"),
	    OPTION_STR("annotate", 0, "HEADER.h", &w.header, "print a copy of the header with MUSTER_REQUIRES"),
	    OPTION_STR("output", 'o', "FILE", &w.output, "where that copy goes"),
	    OPTION_STR("contracts", 0, "FILE", &o.contracts, "accepted contracts (muster.contracts beside the source); none: do without"),
	    OPTION_LIST("requires", 'r', "EXPR", &o.requires, "a precondition in C that holds besides: \"F: EXPR\" for one function"),
	    OPTION_DOUBLE("time", 't', "S", &o.seconds, "end after S seconds, building included; functions share them (0: no limit)"),
	    OPTION_DOUBLE("function-time", 0, "S", &o.function_time, "seconds for one function (2)"),
	    OPTION_U64("runs", 0, "N", &o.runs, "inputs of one function (2000)"),
	    CHECK_ROWS(&check),
	    OPTION_U64("workers", 'j', "N", &o.workers, "processes that search (as many as there are processors)"),
	    OPTION_U64("seed", 0, "N", &o.seed, "of all random choices; with -j1 a run is repeatable, and no time limits it"),
	    MEMORY_ROW(&o.memory),
	    OPTION_STR("store", 0, "FILE", &o.store, "the store (.muster/store.db)"),
	    OPTION_FLAG("fresh", 0, &o.fresh, "search every function, also those that rest on nothing that changed since an earlier run"),
	    OPTION_FLAG("json", 0, &o.json, "print the result as JSON"),
	    OPTION_FLAG("quiet", 'q', &o.quiet, "no progress"),
	    CONFINE_ROWS,
	    OPTION_END};
	const struct option_spec spec = {"contracts", "[options] FILE.c[:FUNCTION]|DIRECTORY... [-- CFLAGS]", about, rows};
	struct sessions_operands list = {0};
	int at = 0;
	for (;;) {
		at += option_parse(&spec, argc - at, argv + at);
		if (at >= argc || !strcmp(argv[at - 1], "--"))
			break;
		sessions_operand(&list, argv[at]);
	}
	sessions_requires(&o);
	confine_apply(&spec);
	check_options_apply(&spec, &check);
	o.checks = check.set;
	o.combine = check.combine;
	o.stats = check.stats;
	o.kind = KIND_AUTO;
	o.cflags = (const char *const *)argv + at;
	sessions_budgets(&o);
	sessions_check_numbers(&spec, &o);
	sessions_check(&list, &spec, &o);
	if (w.header && o.json)
		option_usage(&spec, "--annotate prints a header, --json the contracts: name one of them");
	if (w.header && !file_is_regular(w.header))
		die(EXIT_USAGE, "there is no header '%s'", w.header);
	if (budget_set(o.memory, test_workers(&o)))
		option_usage(&spec, "%s", error_text());
	sessions_begin(&o, "contracts");
	int code = sessions_run(&o, &list, print, &w);
	sessions_operands_release(&list);
	return code;
}
