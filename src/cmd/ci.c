/* ci.c: muster ci: what a change did, for a pull request. The work is src/ci's; here are the options, the text, JSON, the formats of other tools and the exit code. */
#include "ci/ci.h"

#include "base/budget.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/option.h"
#include "cmd/check_options.h"
#include "cmd/cmd.h"
#include "cmd/confine.h"
#include "cmd/targets.h"
#include "report/bug.h"
#include "report/formats.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECONDS 600
#define LINE 100  /* letters of a condition in a line */
#define SHOWN 20  /* functions, and bugs of one state, that the text has */

/* What --fail-on names. */
#define FAIL_NEW 1u
#define FAIL_EXISTING 2u
#define FAIL_CHANGED 4u
#define FAIL_MAY 8u
#define FAIL_CONTRACTS 16u
static const struct {
	const char *word;
	unsigned what;
} policies[] = {{"new", FAIL_NEW},	   {"existing", FAIL_NEW | FAIL_EXISTING}, {"changed", FAIL_CHANGED}, {"may-change", FAIL_CHANGED | FAIL_MAY},
		{"contracts", FAIL_CONTRACTS}, {"none", 0}};

static struct {
	const char *fail_on, *sarif, *junit, *markdown;
	unsigned fail;
	int json, verbose;
	double time;
	struct check_options check;
	struct ci_options o;
} args = {.fail_on = "new",
	  .time = SECONDS,
	  .o.test = {.globals = "symbolic", .function_time = 2, .runs = 2000, .path_time = 0.3, .path_runs = 300, .run_time = 0.25, .main_time = 2}};

static size_t count(const struct ci *c, enum ci_state s)
{
	size_t n = 0;

	for (size_t i = 0; i < c->bugs.size; i++)
		n += c->bugs.data[i].state == s;
	return n;
}

static size_t count_contracts(const struct ci *c, enum ci_contract_change change)
{
	size_t n = 0;

	for (size_t i = 0; i < c->contracts.size; i++)
		n += c->contracts.data[i].change == change;
	return n;
}

static const struct {
	const char *key, *words;
} contract_words[] = {
#define X(name, key, words) {key, words},
    CI_CONTRACTS(X)
#undef X
};

static size_t count_broken(const struct ci *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->files.size; i++)
		n += (size_t)c->files.data[i].broken;
	return n;
}

/* Was every file compared with a version of its own? */
static int is_whole(const struct ci *c)
{
	int whole = !c->cut && !c->open && !count_broken(c);

	for (size_t i = 0; i < c->files.size; i++)
		whole &= c->files.data[i].diff != NULL;
	return whole;
}

static int fails(const struct ci *c)
{
	return ((args.fail & FAIL_NEW) && count(c, CI_NEW)) || ((args.fail & FAIL_EXISTING) && (count(c, CI_EXISTING) || count(c, CI_UNCLEAR))) || ((args.fail & FAIL_CHANGED) && (c->changed || c->data)) ||
	       ((args.fail & FAIL_MAY) && c->may) || ((args.fail & FAIL_CONTRACTS) && count_contracts(c, CI_CONTRACT_STRONGER));
}

/* ------------------------------------------------------------ words */

static void cut(struct buf *out, const char *text)
{
	size_t n = strcspn(text, "\n");

	buf_addf(out, "%.*s%s", (int)(n < LINE || args.verbose ? n : LINE), text, n < LINE || args.verbose ? "" : " ...");
}

/* "n > 3: returned 0, now returns -1 (n = 4)" */
static void describe(struct buf *out, const struct diff_function *f)
{
	const struct diff_case *c = f->cases.size ? &f->cases.data[0] : NULL;
	const char *when = !c ? NULL : c->undefined ? c->when : c->termination ? f->termination : f->changed;

	if (f->verdict == DIFF_MAY && !c) {
		buf_adds(out, f->why ? f->why : "");
		return;
	}
	if (when && strcmp(when, "1"))
		cut(out, when), buf_adds(out, ": ");
	else
		buf_adds(out, when ? "for all inputs: " : "for one input: ");
	buf_adds(out, c ? c->what : "");
	if (c && c->inputs.size) {
		buf_adds(out, " (");
		diff_case_inputs(c, args.verbose, out);
		buf_addc(out, ')');
	}
}

static void print_bugs(const struct ci *c, enum ci_state state)
{
	size_t shown = 0;

	for (size_t i = 0; i < c->bugs.size; i++) {
		const struct ci_bug *x = &c->bugs.data[i];
		const struct result_bug *b = x->bug;
		if (x->state != state || (shown++ >= SHOWN && !args.verbose))
			continue;
		printf("%-9s %s in %s (%s:%u)\n", ci_state_word(state), b->kind, b->function && *b->function ? b->function : b->entry ? b->entry : "?", b->file ? b->file : "?", b->line);
		if (b->call)
			printf("          call:   %s\n", b->call);
		if ((state == CI_NEW || state == CI_UNCLEAR) && b->replay)
			printf("          replay: %s\n", b->replay);
		if (x->why)
			printf("          %s\n", x->why);
	}
	if (shown > SHOWN && !args.verbose)
		printf("%-9s and %zu more (-v)\n", ci_state_word(state), shown - SHOWN);
}

static void print_functions(const struct ci *c, enum diff_verdict v, const char *word)
{
	size_t shown = 0;
	struct buf text = {0};

	for (size_t k = 0; k < c->files.size; k++)
		for (size_t i = 0; c->files.data[k].diff && i < c->files.data[k].diff->functions.size; i++) {
			const struct diff_function *f = &c->files.data[k].diff->functions.data[i];
			if (f->verdict != v || !ci_says(c, &c->files.data[k], f) || (shown++ >= SHOWN && !args.verbose))
				continue;
			buf_clear(&text);
			describe(&text, f);
			printf("%-9s %s (%s:%u)%s%s\n", word, f->now ? f->now : f->name, f->file, f->line, text.size ? ": " : "", buf_str(&text));
		}
	if (shown > SHOWN && !args.verbose)
		printf("%-9s and %zu more (-v)\n", word, shown - SHOWN);
	buf_release(&text);
}

/* Other words for it show nothing by themselves. */
static void print_contracts(const struct ci *c)
{
	size_t other = count_contracts(c, CI_CONTRACT_OTHER);

	for (size_t i = 0; i < c->contracts.size; i++) {
		const struct ci_contract *x = &c->contracts.data[i];
		if (x->change == CI_CONTRACT_OTHER && !args.verbose)
			continue;
		printf("contract  %s %s %s\n", x->function, contract_words[x->change].words, x->requires);
		if (x->call)
			printf("          the base allowed, and passes: %s\n", x->call);
	}
	if (other && !args.verbose)
		printf("contract  %zu in other words than the base's (-v)\n", other);
}

/* The one line that a person looks for. */
static void verdict(const struct ci *c, struct buf *out)
{
	size_t new = count(c, CI_NEW), fixed = count(c, CI_FIXED), existing = count(c, CI_EXISTING), broken = count_broken(c);

	if (broken)
		buf_addf(out, "%zu file%s, of which nothing is known; ", broken, broken == 1 ? " does not compile" : "s do not compile");
	buf_addf(out, "bugs: %zu new, %zu fixed, %zu existing", new, fixed, existing);
	if (count(c, CI_UNCLEAR))
		buf_addf(out, ", %zu unclear", count(c, CI_UNCLEAR));
	if (c->changed || c->may || c->added || c->removed) {
		buf_addf(out, "; behaviour of functions: %llu changed, %llu may change, %llu proved unchanged", (unsigned long long)c->changed, (unsigned long long)c->may, (unsigned long long)c->equal);
		if (c->added || c->removed)
			buf_addf(out, ", %llu added, %llu removed", (unsigned long long)c->added, (unsigned long long)c->removed);
	} else if (c->data) {
		buf_addf(out, "; %llu variables begin with another value, %llu functions proved unchanged", (unsigned long long)c->data, (unsigned long long)c->equal);
	} else if (c->equal && is_whole(c)) {
		buf_addf(out, "; no behaviour changed (%llu functions proved)", (unsigned long long)c->equal);
	}
	size_t stronger = count_contracts(c, CI_CONTRACT_STRONGER);
	if (stronger)
		buf_addf(out, "; %zu contract%s grew stronger", stronger, stronger == 1 ? "" : "s");
}

static void print_text(const struct ci *c, double seconds)
{
	struct buf line = {0};
	size_t tested = 0;

	for (size_t i = 0; i < c->files.size; i++)
		tested += c->files.data[i].tested;
	size_t files = c->files.size - (c->files.size && vec_last(&c->files).program);
	printf("base %.12s, %zu file%s%s, %zu function%s tested, %.1f s\n", c->base, files, files == 1 ? "" : "s", files < c->files.size ? " and the program" : "", tested, tested == 1 ? "" : "s", seconds);
	if (!files)
		printf("the change reaches no C file (name files to test them anyway)\n");
	for (size_t i = 0; i < c->files.size; i++)
		if (c->files.data[i].open && !c->files.data[i].words)
			printf("note      %s: there was no time for it\n", c->files.data[i].name);
		else if (c->files.data[i].words)
			printf("%-9s %s: %s\n", c->files.data[i].broken ? "broken" : "note", c->files.data[i].name, c->files.data[i].words);
	print_bugs(c, CI_NEW);
	print_bugs(c, CI_UNCLEAR);
	print_functions(c, DIFF_CHANGED, "changed");
	print_functions(c, DIFF_MAY, "may");
	for (size_t k = 0; k < c->files.size; k++)
		for (size_t i = 0; c->files.data[k].diff && !c->files.data[k].program && i < c->files.data[k].diff->data.size; i++)
			printf("data      %s (%s): another initial value\n", c->files.data[k].diff->data.data[i], c->files.data[k].name);
	print_contracts(c);
	if (c->held || c->again || c->unreached || c->unseen)
		printf("summaries of the base: %llu proved to hold, %llu made anew, %llu not reached, %llu not looked at\n", (unsigned long long)c->held, (unsigned long long)c->again,
		       (unsigned long long)c->unreached, (unsigned long long)c->unseen);
	print_bugs(c, CI_FIXED);
	if (args.verbose || (args.fail & FAIL_EXISTING))
		print_bugs(c, CI_EXISTING);
	else if (count(c, CI_EXISTING))
		printf("existing  %zu, in both versions (-v)\n", count(c, CI_EXISTING));
	if (c->cut)
		printf("note      the time was over before all was done: give --time more\n");
	verdict(c, &line);
	printf("%s%s%s\n", buf_str(&line), fails(c) ? ": fails because of --fail-on " : "", fails(c) ? args.fail_on : "");
	buf_release(&line);
}

/* ------------------------------------------------------------ JSON */

static void json_bugs(struct json *j, const struct ci *c)
{
	json_key(j, "bugs"), json_array_open(j);
	for (size_t i = 0; i < c->bugs.size; i++) {
		json_object_open(j);
		json_key(j, "state"), json_str(j, ci_state_word(c->bugs.data[i].state));
		json_key(j, "why"), json_str(j, c->bugs.data[i].why);
		json_key(j, "bug"), bug_json(j, c->bugs.data[i].bug);
		json_object_close(j);
	}
	json_array_close(j);
}

static void json_functions(struct json *j, const struct ci *c)
{
	struct buf text = {0};

	json_key(j, "functions"), json_array_open(j);
	for (size_t k = 0; k < c->files.size; k++)
		for (size_t i = 0; c->files.data[k].diff && i < c->files.data[k].diff->functions.size; i++) {
			const struct diff_function *f = &c->files.data[k].diff->functions.data[i];
			if (!ci_says(c, &c->files.data[k], f))
				continue;
			buf_clear(&text);
			if (f->verdict == DIFF_CHANGED || f->verdict == DIFF_MAY)
				describe(&text, f);
			json_object_open(j);
			json_key(j, "name"), json_str(j, f->now ? f->now : f->name);
			json_key(j, "file"), json_str(j, f->file);
			json_key(j, "line"), json_u64(j, f->line);
			json_key(j, "verdict"), json_str(j, diff_verdict_key(f->verdict));
			json_key(j, "changed"), json_str(j, f->changed);
			json_key(j, "what"), json_str(j, text.size ? buf_str(&text) : NULL);
			json_object_close(j);
		}
	json_array_close(j);
	buf_release(&text);
}

static void print_json(const struct ci *c, double seconds)
{
	struct buf out = {0};
	struct json j;

	json_begin(&j, &out);
	j.indent = 2;
	json_object_open(&j);
	json_key(&j, "command"), json_str(&j, "ci");
	json_key(&j, "status"), json_str(&j, deadline_stopped() ? "interrupted" : c->cut ? "budget" : "complete");
	json_key(&j, "seconds"), json_double(&j, seconds);
	json_key(&j, "base"), json_str(&j, c->base);
	json_key(&j, "fail_on"), json_str(&j, args.fail_on);
	json_key(&j, "failed"), json_bool(&j, fails(c));
	json_key(&j, "files"), json_array_open(&j);
	for (size_t i = 0; i < c->files.size; i++) {
		json_object_open(&j);
		json_key(&j, "file"), json_str(&j, c->files.data[i].name);
		json_key(&j, "program"), json_bool(&j, c->files.data[i].program);
		json_key(&j, "added"), json_bool(&j, c->files.data[i].added);
		json_key(&j, "broken"), json_bool(&j, c->files.data[i].broken);
		json_key(&j, "open"), json_bool(&j, c->files.data[i].open);
		json_key(&j, "tested"), json_u64(&j, c->files.data[i].tested);
		json_key(&j, "note"), json_str(&j, c->files.data[i].words);
		json_object_close(&j);
	}
	json_array_close(&j);
	json_key(&j, "summaries_before"), json_object_open(&j);
	json_key(&j, "held"), json_u64(&j, c->held);
	json_key(&j, "recomputed"), json_u64(&j, c->again);
	json_key(&j, "unreached"), json_u64(&j, c->unreached);
	json_key(&j, "unseen"), json_u64(&j, c->unseen);
	json_object_close(&j);
	json_bugs(&j, c);
	json_functions(&j, c);
	json_key(&j, "contracts"), json_array_open(&j);
	for (size_t i = 0; i < c->contracts.size; i++) {
		json_object_open(&j);
		json_key(&j, "function"), json_str(&j, c->contracts.data[i].function);
		json_key(&j, "requires"), json_str(&j, c->contracts.data[i].requires);
		json_key(&j, "change"), json_str(&j, contract_words[c->contracts.data[i].change].key);
		json_key(&j, "call"), json_str(&j, c->contracts.data[i].call);
		json_object_close(&j);
	}
	json_array_close(&j);
	json_object_close(&j);
	printf("%s\n", buf_str(&out));
	buf_release(&out);
}

/* ------------------------------------------------------------ for others */

/* Code in Markdown: no letter of it means something there. */
static void markdown_code(struct buf *out, const char *text)
{
	buf_addc(out, '`');
	for (; *text; text++)
		buf_addc(out, *text == '`' || *text == '\n' ? ' ' : *text);
	buf_addc(out, '`');
}

static void markdown(const struct ci *c, struct buf *out)
{
	struct buf text = {0};

	buf_adds(out, "**muster:** ");
	verdict(c, out);
	buf_addf(out, " (since %.12s)\n\n", c->base);
	for (size_t i = 0; i < c->bugs.size; i++) {
		const struct result_bug *b = c->bugs.data[i].bug;
		if (c->bugs.data[i].state == CI_EXISTING)
			continue;
		buf_addf(out, "* **%s bug:** %s in ", ci_state_word(c->bugs.data[i].state), b->kind);
		markdown_code(out, b->function ? b->function : "?");
		buf_addf(out, " (%s:%u)", b->file ? b->file : "?", b->line);
		if (b->call)
			buf_adds(out, ": "), markdown_code(out, b->call);
		buf_addc(out, '\n');
	}
	for (size_t k = 0; k < c->files.size; k++)
		for (size_t i = 0; c->files.data[k].diff && i < c->files.data[k].diff->functions.size; i++) {
			const struct diff_function *f = &c->files.data[k].diff->functions.data[i];
			if ((f->verdict != DIFF_CHANGED && f->verdict != DIFF_MAY) || !ci_says(c, &c->files.data[k], f))
				continue;
			buf_clear(&text);
			describe(&text, f);
			buf_addf(out, "* **%s:** ", f->verdict == DIFF_CHANGED ? "changed" : "may change");
			markdown_code(out, f->now ? f->now : f->name);
			if (text.size)
				buf_adds(out, ": "), markdown_code(out, buf_str(&text));
			buf_addc(out, '\n');
		}
	for (size_t i = 0; i < c->contracts.size; i++) {
		if (c->contracts.data[i].change == CI_CONTRACT_OTHER)
			continue;
		buf_adds(out, "* ");
		markdown_code(out, c->contracts.data[i].function);
		buf_addf(out, " %s ", contract_words[c->contracts.data[i].change].words);
		markdown_code(out, c->contracts.data[i].requires);
		buf_addc(out, '\n');
	}
	if (c->cut)
		buf_adds(out, "\nThe time was over before all was done.\n");
	buf_release(&text);
}

static int write_formats(const struct ci *c, double seconds)
{
	char *here = realpath(".", NULL);
	struct formats_input in = {.result = &c->now, .before = &c->before, .unclear = &c->unclear, .version = MUSTER_VERSION, .name = "muster ci", .base = here ? here : "/", .time = (int64_t)time(NULL), .seconds = seconds};
	struct buf text = {0};
	int e = 0;

	if (args.sarif) {
		formats_sarif(&in, &text);
		e = file_write_atomic(args.sarif, text.data, text.size);
	}
	buf_clear(&text);
	if (args.junit && !e) {
		formats_junit(&in, &text);
		e = file_write_atomic(args.junit, text.data, text.size);
	}
	buf_clear(&text);
	if (args.markdown && !e) {
		markdown(c, &text);
		e = file_write_atomic(args.markdown, text.data, text.size);
	}
	buf_release(&text);
	free(here);
	return e;
}

/* ------------------------------------------------------------ the command */

static void read_policy(const struct option_spec *spec)
{
	char *all = mem_strdup(args.fail_on), *rest = all, *word;

	while ((word = strsep(&rest, ","))) {
		size_t i = 0;
		while (i < sizeof policies / sizeof *policies && strcmp(policies[i].word, word))
			i++;
		if (i == sizeof policies / sizeof *policies)
			option_usage(spec, "--fail-on takes new, existing, changed, may-change, contracts or none, not '%s'", word);
		args.fail |= policies[i].what;
	}
	free(all);
}

static int run(void)
{
	double start = deadline_clock();
	struct ci c;
	int e = ci_run(&c, &args.o);

	if (e) {
		fprintf(stderr, "muster ci: %s\n", error_text());
		ci_release(&c);
		return deadline_over() ? EXIT_INCONCLUSIVE : EXIT_USAGE; /* git was ended: nothing is known */
	}
	double seconds = deadline_clock() - start;
	if (args.json)
		print_json(&c, seconds);
	else
		print_text(&c, seconds);
	e = write_formats(&c, seconds);
	if (e)
		fprintf(stderr, "muster ci: %s\n", error_text());
	int code = e ? EXIT_INTERNAL : count_broken(&c) ? EXIT_USAGE : fails(&c) ? EXIT_FOUND : c.cut || c.open || count(&c, CI_UNCLEAR) ? EXIT_INCONCLUSIVE : EXIT_OK;
	ci_release(&c);
	return code;
}

int cmd_ci(int argc, char **argv)
{
	static const struct option_row rows[] = {
	    OPTION_STR("base", 'b', "REVISION", &args.o.base, "what the change starts from (HEAD, or HEAD~1 if nothing is uncommitted)"),
	    OPTION_STR("fail-on", 0, "LIST", &args.fail_on, "exit code 1 for these: new (the default), existing, changed, may-change, contracts, none"),
	    OPTION_DOUBLE("time", 't', "S", &args.time, "seconds for everything (600; 0: no limit)"),
	    OPTION_DOUBLE("function-time", 0, "S", &args.o.test.function_time, "to test one function (2)"),
	    OPTION_DOUBLE("diff-time", 0, "S", &args.o.diff_seconds, "of processor time to compare one function (4)"),
	    OPTION_STR("build", 0, "COMMAND", &args.o.build, "build both versions with it (make) and compare the whole program, too"),
	    OPTION_STR("program", 0, "FILE", &args.o.program, "the program that it builds, if there are several"),
	    OPTION_FLAG("summaries", 0, &args.o.test.summaries, "make must summaries of the base, and say which of them hold (costs time)"),
	    OPTION_STR("sarif", 0, "FILE", &args.sarif, "write the bugs as SARIF 2.1.0, each new, unchanged or absent"),
	    OPTION_STR("junit", 0, "FILE", &args.junit, "write what was tested as JUnit's XML"),
	    OPTION_STR("markdown", 0, "FILE", &args.markdown, "write all of it at a glance, for a comment"),
	    CHECK_ROWS(&args.check),
	    OPTION_U64("workers", 'j', "N", &args.o.test.workers, "processes that search (as many as there are processors)"),
	    MEMORY_ROW(&args.o.test.memory),
	    OPTION_STR("store", 0, "FILE", &args.o.test.store, "the store (.muster/store.db); keep it from run to run"),
	    OPTION_FLAG("verbose", 'v', &args.verbose, "everything, however long"),
	    OPTION_FLAG("json", 0, &args.json, "print the result as JSON"),
	    OPTION_FLAG("quiet", 'q', &args.o.test.quiet, "no progress"),
	    CONFINE_ROWS,
	    OPTION_END};
	static const struct option_spec spec = {
	    "ci", "[options] [FILE.c...] [-- CFLAGS]",
	    "What a change did, for a pull request: bugs that are new, fixed or were there, behaviour that\n"
	    "changed and what provably did not, what functions require of their callers now. Compares the work\n"
	    "tree with the commit where it parted from the base, for the C files named, or those that the change\n"
	    "reaches; tests what is not proved to be the same, in both versions.\n\n"
	    "  muster ci                                  what is not committed yet, or the last commit\n"
	    "  muster ci --base origin/main --sarif muster.sarif -- -Iinclude\n\n"
	    "docs/ci.md has workflows for GitHub and GitLab.\n"
	    "Exit code 0: nothing that --fail-on names; 1: something; 2: wrong usage, or a file does not compile;\n"
	    "3: the time was over before all was done, something could not be compared or tested, or it is\n"
	    "not known whether a bug is new.",
	    rows};
	VEC(const char *) files = {0};
	int at = 0;

	for (;;) {
		at += option_parse(&spec, argc - at, argv + at);
		if (at >= argc || !strcmp(argv[at - 1], "--"))
			break;
		if (!file_is_regular(argv[at]) || !file_is_c(argv[at]))
			option_usage(&spec, file_is_c(argv[at]) ? "'%s' is no C file" : "'%s' is no C file; the revision to compare with is named by --base", argv[at]);
		vec_push(&files, argv[at]);
	}
	args.o.test.cflags = (const char *const *)argv + at;
	args.o.files = files.data;
	args.o.file_count = files.size;
	read_policy(&spec);
	if (args.time < 0 || args.o.test.function_time < 0 || args.o.diff_seconds < 0)
		option_usage(&spec, "a time is not negative");
	args.o.test.function_time_given = 1;
	confine_apply(&spec);
	check_options_apply(&spec, &args.check);
	args.o.test.checks = args.check.set;
	args.o.test.combine = args.check.combine;
	args.o.test.kind = KIND_AUTO;
	if (budget_set(args.o.test.memory, test_workers(&args.o.test)))
		option_usage(&spec, "%s", error_text());
	if (deadline_open(args.time))
		die(EXIT_INTERNAL, "%s", error_text());
	signal(SIGPIPE, SIG_IGN);
	log_still = args.o.test.quiet;
	int code = run();
	vec_release(&files);
	return code;
}
