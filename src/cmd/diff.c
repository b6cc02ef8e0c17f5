/* diff.c: muster diff OLD NEW: for which inputs behaviour changed, for which it did not.
 *
 * The work is src/diff's; here are the options, the text, Markdown, JSON and the exit code. Functions that changed come first, then those that may have; equal ones are a number, unless -v. Of many functions each gets a line or two,
 * so that all of them fit a screen; -v has everything. A signal ends the work, and what is known is printed: the sets are valid at any time.
 */
#include "base/buf.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/option.h"
#include "base/shell.h"
#include "base/stop.h"
#include "campaign/versions.h"
#include "cmd/cmd.h"
#include "cmd/confine.h"
#include "cmd/keep.h"
#include "cmd/versions.h"
#include "contract/accepted.h"
#include "diff/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 100 /* letters of a condition, unless -v */
#define MANY 8	 /* functions from which on each gets a line or two, unless -v */

static struct {
	int json, markdown, verbose;
	int fold, brief; /* there are many functions; many of which there is more to say */
	const char *overflow, *entry, *run;
	const char *names[2]; /* OLD and NEW as they were given */
	double time;
	struct diff_options o;
	struct versions_options versions;
} args;
static volatile int stopped;

/* Those that differ only where callers break a contract are counted apart. */
static unsigned count(const struct diff *d, enum diff_verdict v)
{
	unsigned n = 0;
	for (size_t i = 0; i < d->functions.size; i++)
		n += d->functions.data[i].verdict == v && !d->functions.data[i].given;
	return n;
}

static unsigned count_given(const struct diff *d)
{
	unsigned n = 0;
	for (size_t i = 0; i < d->functions.size; i++)
		n += d->functions.data[i].given != NULL;
	return n;
}

/* ------------------------------------------------------------ accepted contracts */

struct contracts { /* of the directory that was looked at last */
	struct accepted list;
	char *path;
};

/* A file that cannot be read says nothing, in words, once. */
static const char *contract_of(void *ctx, const char *file, const char *function)
{
	struct contracts *c = ctx;
	char *path = accepted_path(file);
	if (!c->path || strcmp(c->path, path)) {
		accepted_release(&c->list);
		free(c->path);
		c->path = path;
		if (accepted_read(&c->list, path))
			fprintf(stderr, "muster diff: %s\n", error_text());
	} else {
		free(path);
	}
	const struct accepted_line *line = accepted_find(&c->list, file, function);
	return line && strcmp(line->text, ACCEPTED_NOTHING) ? line->text : NULL;
}

/* ------------------------------------------------------------ words */

static void print_condition(const char *label, const char *text)
{
	if (!text)
		return;
	if (!strcmp(text, "1"))
		printf("  %-12s all inputs\n", label);
	else if (args.verbose || strlen(text) <= LINE)
		printf("  %-12s %s\n", label, text);
	else
		printf("  %-12s %.*s ... (-v: all of it)\n", label, LINE, text);
}

static void paste_option(struct buf *out, const char *name, const char *value)
{
	if (!value)
		return;
	buf_addf(out, " --%s ", name);
	shell_paste(out, value);
}

/* The command that shows the witness again. */
static void replay_command(const struct diff_case *c, struct buf *out)
{
	buf_adds(out, "muster diff");
	paste_option(out, "run", c->run);
	paste_option(out, "build", args.versions.build);
	paste_option(out, "program", args.versions.program);
	paste_option(out, "store", args.versions.store);
	for (int i = 0; i < 2 && args.names[i]; i++) {
		buf_addc(out, ' ');
		shell_paste_path(out, args.names[i]);
	}
	for (const char *const *flag = args.versions.cflags; flag && *flag; flag++) {
		buf_adds(out, flag == args.versions.cflags ? " -- " : " ");
		shell_paste(out, *flag);
	}
}

static void print_case(const struct diff_case *c)
{
	struct buf command = BUF_EMPTY, inputs = BUF_EMPTY;

	diff_case_inputs(c, args.verbose, &inputs);
	printf("    %s\n      run: %s (confirmed)\n", c->what, buf_str(&inputs));
	buf_release(&inputs);
	replay_command(c, &command);
	if (args.verbose || command.size <= LINE + sizeof "      replay: ")
		printf("      replay: %s\n", buf_str(&command));
	else
		printf("      replay: -v has the command\n");
	buf_release(&command);
}

/* A condition that one line holds. */
static void print_short(const char *text)
{
	int n = (int)strcspn(text, "\n");
	printf("%.*s%s", n < LINE ? n : LINE, text, n < LINE ? "" : " ...");
}

static void print_brief(const struct diff_function *f)
{
	if (f->cases.size) {
		const struct diff_case *c = &f->cases.data[0];
		const char *when = c->undefined ? c->when : c->termination ? f->termination : f->changed;
		struct buf input = BUF_EMPTY;
		diff_case_inputs(c, 0, &input);
		printf("  %s", when ? "" : "for one input: ");
		print_short(when ? when : buf_str(&input));
		printf(": %s\n", c->what);
		buf_release(&input);
	} else if (f->why) {
		printf("  %s\n", f->why);
	}
}

static void print_function(const struct diff_function *f)
{
	printf("%s", f->name ? f->name : f->now);
	if (f->name && f->now && strcmp(f->name, f->now))
		printf(" (now %s)", f->now);
	printf(" (%s:%u): %s%s%s%s\n", f->file, f->line, f->given ? "equal given its contract " : diff_verdict_key(f->verdict), f->given ? f->given : "", f->verdict == DIFF_CHANGED && f->complete ? ", complete" : "",
	       f->given ? "; calls that break it:" : "");
	if (f->verdict == DIFF_EQUAL || f->verdict == DIFF_ADDED || f->verdict == DIFF_REMOVED)
		return;
	if (args.brief) {
		print_brief(f);
		return;
	}
	print_condition("changed", f->changed);
	print_condition("termination", f->termination);
	size_t most = args.verbose ? f->cases.size : f->cases.size < 2 ? f->cases.size : 2;
	for (size_t i = 0; i < most; i++)
		print_case(&f->cases.data[i]);
	print_condition("unchanged", f->unchanged);
	print_condition("undefined", f->undefined);
	if (f->why)
		printf("  %-12s %s%s\n", "may change", f->complete ? "" : "the rest: ", f->why);
}

/* Nothing is known of it but that it calls what may have changed. */
static int is_folded(const struct diff_function *f)
{
	return args.fold && f->verdict == DIFF_MAY && !f->modified && !f->cases.size && !f->unchanged && !f->undefined && !f->given && f->why;
}

/* Functions from `first` on with the same reason, in one paragraph. */
static void print_folded(const struct diff *d, size_t first)
{
	const char *why = d->functions.data[first].why;
	unsigned n = 0, width = 0;

	for (size_t i = 0; i < d->functions.size; i++) {
		const struct diff_function *f = &d->functions.data[i];
		if (!is_folded(f) || strcmp(f->why, why))
			continue;
		if (i < first)
			return; /* it was among those */
		if (width < LINE)
			width += (unsigned)printf("%s%s", n ? ", " : "", f->name ? f->name : f->now);
		n++;
	}
	printf("%s (%u function%s whose own code is the same): %s\n  %s\n", width < LINE ? "" : ", ...", n, n == 1 ? "" : "s", diff_verdict_key(DIFF_MAY), why);
}

static void print_words(const struct diff *d)
{
	static const enum diff_verdict order[] = {DIFF_CHANGED, DIFF_MAY, DIFF_REMOVED, DIFF_ADDED, DIFF_EQUAL};
	printf("%u changed, %u may change, %u equal, %u added, %u removed; signed overflow %s\n", count(d, DIFF_CHANGED), count(d, DIFF_MAY), count(d, DIFF_EQUAL), count(d, DIFF_ADDED),
	       count(d, DIFF_REMOVED), args.o.overflow ? "is undefined" : "wraps");
	if (count_given(d))
		printf("%u equal given a contract that was accepted: they differ only for calls that it forbids\n", count_given(d));
	args.fold = !args.verbose && count(d, DIFF_CHANGED) + count(d, DIFF_MAY) >= MANY;
	unsigned long_ones = 0;
	for (size_t i = 0; i < d->functions.size; i++) {
		const struct diff_function *f = &d->functions.data[i];
		long_ones += (f->verdict == DIFF_CHANGED || f->verdict == DIFF_MAY) && !f->given && !is_folded(f);
	}
	args.brief = args.fold && long_ones >= MANY;
	for (size_t i = 0; i < d->data.size; i++)
		printf("%s: another initial value\n", d->data.data[i]);
	for (size_t k = 0; k < sizeof order / sizeof *order; k++)
		for (size_t i = 0; i < d->functions.size; i++)
			if (d->functions.data[i].verdict == order[k] && !d->functions.data[i].given && (order[k] != DIFF_EQUAL || args.verbose) && !is_folded(&d->functions.data[i]))
				print_function(&d->functions.data[i]);
	for (size_t i = 0; i < d->functions.size; i++)
		if (is_folded(&d->functions.data[i]))
			print_folded(d, i);
	for (size_t i = 0; i < d->functions.size; i++)
		if (d->functions.data[i].given)
			print_function(&d->functions.data[i]);
	if (args.fold)
		printf("(-v: all conditions and runs; --function NAME: of one function)\n");
	if (stopped)
		printf("interrupted: functions that were not looked at may change\n");
}

/* ------------------------------------------------------------ Markdown */

/* Code in a cell of a table: no letter of it means something to Markdown. */
static void markdown_code(const char *text)
{
	printf("`");
	for (const char *s = text; *s; s++)
		printf(*s == '|' ? "\\|" : *s == '`' || *s == '\n' ? " " : "%c", *s);
	printf("`");
}

static void markdown_function(const struct diff_function *f)
{
	const char *when = f->changed ? f->changed : f->termination ? f->termination : f->cases.size ? f->cases.data[0].when : NULL;
	printf("| ");
	markdown_code(f->name ? f->name : f->now);
	if (f->given) {
		printf(" | equal given ");
		markdown_code(f->given);
		printf(" | ");
	} else {
		printf(" | %s%s | ", diff_verdict_key(f->verdict), f->verdict == DIFF_CHANGED && f->complete ? ", complete" : "");
	}
	if (when)
		markdown_code(when);
	else if (f->why)
		printf("%s", f->why);
	printf(" | ");
	if (f->cases.size) {
		const struct diff_case *c = &f->cases.data[0];
		struct buf inputs = BUF_EMPTY;
		diff_case_inputs(c, args.verbose, &inputs);
		printf("%s: ", c->what);
		markdown_code(buf_str(&inputs));
		buf_release(&inputs);
	}
	printf(" |\n");
}

/* For a comment on a pull request. */
static void print_markdown(const struct diff *d)
{
	static const enum diff_verdict order[] = {DIFF_CHANGED, DIFF_MAY, DIFF_REMOVED, DIFF_ADDED};
	printf("**Behaviour:** %u changed, %u may change, %u equal, %u added, %u removed (signed overflow %s)\n", count(d, DIFF_CHANGED), count(d, DIFF_MAY), count(d, DIFF_EQUAL), count(d, DIFF_ADDED),
	       count(d, DIFF_REMOVED), args.o.overflow ? "is undefined" : "wraps");
	for (size_t i = 0; i < d->data.size; i++)
		printf("%s* `%s` has another initial value\n", i ? "" : "\n", d->data.data[i]);
	if (count(d, DIFF_EQUAL) == d->functions.size)
		return;
	printf("\n| function | | changed for | witness, run on both |\n| --- | --- | --- | --- |\n");
	for (size_t k = 0; k < sizeof order / sizeof *order; k++)
		for (size_t i = 0; i < d->functions.size; i++)
			if (d->functions.data[i].verdict == order[k])
				markdown_function(&d->functions.data[i]);
}

/* ------------------------------------------------------------ JSON */

static void json_case(struct json *j, const struct diff_case *c)
{
	struct buf command = BUF_EMPTY;
	replay_command(c, &command);
	json_object_open(j);
	json_key(j, "when"), json_str(j, c->when);
	json_key(j, "what"), json_str(j, c->what);
	json_key(j, "inputs"), json_object_open(j);
	for (size_t i = 0; i < c->inputs.size; i++)
		json_key(j, c->inputs.data[i].name), json_str(j, c->inputs.data[i].value);
	json_object_close(j);
	json_key(j, "old"), json_str(j, c->old);
	json_key(j, "new"), json_str(j, c->new);
	json_key(j, "termination"), json_bool(j, c->termination);
	json_key(j, "undefined"), json_bool(j, c->undefined);
	json_key(j, "confirmed"), json_bool(j, 1);
	json_key(j, "replay"), json_str(j, buf_str(&command));
	json_object_close(j);
	buf_release(&command);
}

static void json_function(struct json *j, const struct diff_function *f)
{
	json_object_open(j);
	json_key(j, "name"), json_str(j, f->name ? f->name : f->now);
	json_key(j, "now"), json_str(j, f->now);
	json_key(j, "file"), json_str(j, f->file);
	json_key(j, "line"), json_u64(j, f->line);
	json_key(j, "verdict"), json_str(j, diff_verdict_key(f->verdict));
	json_key(j, "modified"), json_bool(j, f->modified);
	json_key(j, "changed"), json_str(j, f->changed);
	json_key(j, "termination_changed"), json_str(j, f->termination);
	json_key(j, "unchanged"), json_str(j, f->unchanged);
	json_key(j, "undefined"), json_str(j, f->undefined);
	json_key(j, "complete"), json_bool(j, f->complete);
	if (f->given)
		json_key(j, "given"), json_str(j, f->given);
	json_key(j, "why"), json_str(j, f->why);
	json_key(j, "seconds"), json_double(j, f->seconds);
	json_key(j, "witnesses"), json_array_open(j);
	for (size_t i = 0; i < f->cases.size; i++)
		json_case(j, &f->cases.data[i]);
	json_array_close(j);
	json_object_close(j);
}

static void print_json(const struct diff *d, double seconds)
{
	struct buf out = BUF_EMPTY;
	struct json j;
	json_begin(&j, &out);
	j.indent = 2;
	json_object_open(&j);
	json_key(&j, "command"), json_str(&j, "diff");
	json_key(&j, "status"), json_str(&j, stopped ? "interrupted" : d->interrupted ? "budget" : "complete");
	json_key(&j, "seconds"), json_double(&j, seconds);
	json_key(&j, "overflow"), json_str(&j, args.o.overflow ? "undefined" : "wraps");
	json_key(&j, "data"), json_array_open(&j);
	for (size_t i = 0; i < d->data.size; i++)
		json_str(&j, d->data.data[i]);
	json_array_close(&j);
	json_key(&j, "functions"), json_array_open(&j);
	for (size_t i = 0; i < d->functions.size; i++)
		json_function(&j, &d->functions.data[i]);
	json_array_close(&j);
	json_object_close(&j);
	printf("%s\n", buf_str(&out));
	buf_release(&out);
}

/* ------------------------------------------------------------ for the report */

static void keep_case(struct compared *k, size_t at, const struct diff_case *c)
{
	struct buf text = BUF_EMPTY;
	struct compared_item *i = &k->items.data[at];
	compared_part(k, i, c->undefined ? "undefined in one version" : "difference", c->what);
	diff_case_inputs(c, 1, &text);
	compared_part(k, i, "run on both", buf_str(&text));
	buf_clear(&text);
	replay_command(c, &text);
	compared_part(k, i, "replay", buf_str(&text));
	buf_release(&text);
}

static void keep_function(struct compared *k, const struct versions *v, const struct diff_function *f)
{
	struct compared_item *i = compared_item(k, f->name ? f->name : f->now, diff_verdict_key(f->verdict));
	size_t at = k->items.size - 1;
	i->now = f->name && f->now && strcmp(f->name, f->now) ? compared_text(k, f->now) : "";
	i->file = compared_text(k, f->file);
	i->line = f->line;
	compared_part(k, i, "equal given its contract", f->given);
	compared_part(k, i, "changed", f->changed);
	compared_part(k, i, "termination", f->termination);
	for (size_t n = 0; n < f->cases.size; n++)
		keep_case(k, at, &f->cases.data[n]);
	compared_part(k, i, "unchanged", f->unchanged);
	compared_part(k, i, "undefined", f->undefined);
	compared_part(k, i, f->complete ? "note" : "the rest may change", f->why);
	if (f->verdict == DIFF_CHANGED && f->complete)
		compared_part(k, i, "complete", "every input is in one of these sets");
	if (f->verdict != DIFF_EQUAL && f->file)
		keep_source(k, &v->old, &v->new, f->file);
}

static void keep(const struct versions *v, const struct diff *d, double seconds)
{
	struct compared k = {.command = "diff", .status = stopped ? "interrupted" : d->interrupted ? "budget" : "complete", .old = args.names[0],
			     .new = args.names[1] ? args.names[1] : "the work tree", .seconds = seconds};
	for (size_t i = 0; i < d->data.size; i++)
		compared_part(&k, compared_item(&k, d->data.data[i], "changed"), "data", "another initial value");
	for (size_t i = 0; i < d->functions.size; i++)
		keep_function(&k, v, &d->functions.data[i]);
	keep_compared(args.versions.store, &k);
	compared_release(&k);
}

/* ------------------------------------------------------------ the command */

/* Of all functions, or of the one that --entry names. */
static int exit_code(const struct diff *d)
{
	int code = !args.entry && d->data.size ? EXIT_FOUND : EXIT_OK, found = !args.entry;
	for (size_t i = 0; i < d->functions.size; i++) {
		const struct diff_function *f = &d->functions.data[i];
		if (args.entry && (!f->name || strcmp(args.entry, f->name)))
			continue;
		found = 1;
		if (f->given) /* what differs is the fault of who calls it so */
			continue;
		if (f->verdict == DIFF_CHANGED)
			code = EXIT_FOUND;
		else if (f->verdict == DIFF_MAY && code == EXIT_OK)
			code = EXIT_INCONCLUSIVE;
	}
	if (!found)
		fprintf(stderr, "muster diff: --entry: there is no function '%s' in both versions\n", args.entry);
	return found ? code : EXIT_USAGE;
}

/* One input alone, on both versions. */
static int run_again(const struct versions *v)
{
	struct diff_case c;
	int differs = diff_replay(v->old.whole, v->new.whole, &args.o, args.run, &c);
	if (differs < 0)
		fprintf(stderr, "muster diff: --run: %s\n", error_text());
	else
		printf("%s: %s%s\n", args.run, differs ? "" : "no difference: ", c.what);
	if (differs > 0 && (*c.old || *c.new) && !strstr(c.what, ", now "))
		printf("old:\n%s\nnew:\n%s\n", c.old, c.new);
	diff_case_release(&c);
	return differs < 0 ? EXIT_INCONCLUSIVE : differs ? EXIT_FOUND : EXIT_OK;
}

/* Why, if it is not that the time was over: then nothing is known. */
static int not_loaded(double seconds)
{
	struct diff none = {.interrupted = 1};
	if (!deadline_over()) {
		fprintf(stderr, "muster diff: %s\n", error_text());
		return EXIT_USAGE;
	}
	fprintf(stderr, "muster diff: the time was over before both versions were compiled and read: nothing is known; give more than --time %g\n", args.time);
	if (args.json)
		print_json(&none, seconds);
	return EXIT_INCONCLUSIVE;
}

static int compare(const char *old, const char *new)
{
	double start = deadline_clock();
	struct versions v;
	struct diff *d = NULL;
	struct contracts accepted = {0};
	int code = EXIT_USAGE;
	args.versions.merged = 1;
	if (versions_load(&v, old, new, &args.versions))
		return not_loaded(deadline_clock() - start);
	stop_catch(&stopped);
	args.o.contract = contract_of;
	args.o.contract_ctx = &accepted;
	args.o.bitcode[0] = (struct diff_bitcode){v.old.bitcode.data, v.old.bitcode.size};
	args.o.bitcode[1] = (struct diff_bitcode){v.new.bitcode.data, v.new.bitcode.size};
	if (args.run)
		code = run_again(&v);
	else if (!(d = diff_run(v.old.whole, v.new.whole, &args.o)))
		fprintf(stderr, "muster diff: %s\n", error_text());
	if (d) {
		if (args.json)
			print_json(d, deadline_clock() - start);
		else if (args.markdown)
			print_markdown(d);
		else
			print_words(d);
		code = exit_code(d);
		keep(&v, d, deadline_clock() - start);
	}
	diff_free(d);
	accepted_release(&accepted.list);
	free(accepted.path);
	versions_release(&v);
	return code;
}

int cmd_diff(int argc, char **argv)
{
	static const struct option_row rows[] = {
	    OPTION_STR("function", 'f', "NAME", &args.o.function, "this function and what it calls"),
	    OPTION_FLAG("modified", 'm', &args.o.modified, "only functions whose own code is another, not those that call them"),
	    OPTION_STR("run", 0, "INPUT", &args.run, "run both versions on this input alone, as a witness has it"),
	    OPTION_STR("entry", 0, "NAME", &args.entry, "the exit code is that of this function alone"),
	    OPTION_DOUBLE("time", 't', "SECONDS", &args.time, "for everything; what was not looked at then may change"),
	    OPTION_DOUBLE("function-time", 0, "SECONDS", &args.o.seconds, "of processor time for one function (10)"),
	    OPTION_STR("overflow", 0, "wrap|ub", &args.overflow, "signed overflow wraps (default), or is undefined"),
	    VERSIONS_ROWS(&args.versions),
	    OPTION_FLAG("verbose", 'v', &args.verbose, "conditions and witnesses in full, and equal functions"),
	    OPTION_FLAG("json", 0, &args.json, "print JSON"),
	    OPTION_FLAG("markdown", 0, &args.markdown, "print Markdown, for a comment on a pull request"),
	    OPTION_FLAG("no-refine", 0, &args.o.no_refine, "only a few iterations of loops are looked at, also where a difference rests on more"),
	    CONFINE_ROWS,
	    OPTION_END,
	};
	static const struct option_spec spec = {
	    "diff", "[options] OLD [NEW] [-- COMPILER-ARGUMENTS]",
	    "How behaviour changed between two versions of a program: for each function the inputs for\n"
	    "which it did, as conditions in C, with an input that was run on both versions, and those for\n"
	    "which it provably did not. docs/diff.md says what the words promise.\n"
	    VERSIONS_HELP
	    "Exit code 0: all functions are equal; 1: something changed; 3: something may have.",
	    rows};
	const char *versions[2];
	versions_operands(&spec, argc, argv, versions, &args.versions);
	if (args.overflow && strcmp(args.overflow, "wrap") && strcmp(args.overflow, "ub"))
		option_usage(&spec, "--overflow is wrap or ub, not '%s'", args.overflow);
	confine_apply(&spec);
	args.o.overflow = args.overflow && !strcmp(args.overflow, "ub");
	if (deadline_open(args.time))
		die(EXIT_INTERNAL, "%s", error_text());
	args.names[0] = versions[0];
	args.names[1] = versions[1];
	return compare(versions[0], versions[1]);
}
