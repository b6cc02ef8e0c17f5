/* export.c: muster export: what searches found, for programs that know nothing of muster.
 *
 * The store says all: `muster test` keeps a campaign for each file, with what is needed to build
 * its harness again; of several for one file the newest counts. `muster fuzz` keeps one for each
 * output directory. Files get names from their contents and tests an order from their names, so
 * that exporting again changes what has changed and nothing else.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/option.h"
#include "build/home.h"
#include "cmd/cmd.h"
#include "cmd/confine.h"
#include "export/export.h"
#include "report/result_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- campaigns */

struct operand {
	char *file, *functions;
	int found;
};

struct exporting {
	struct export_options o;
	const char *cmocka, *corpus, *testcomp, *asserts, *search, *store_file;
	struct store *store;
	char *key; /* of -o */
	VEC(struct operand) operands;
	VEC(struct export_campaign) campaigns;
	struct export_counts counts;
};

/* Is it wanted? Then with which functions. */
static int wanted(struct exporting *x, const char *file, const char **functions)
{
	*functions = NULL;
	if (!x->operands.size)
		return 1;
	for (size_t i = 0; i < x->operands.size; i++) {
		struct operand *o = &x->operands.data[i];
		if (strcmp(o->file, file))
			continue;
		o->found = 1;
		*functions = o->functions;
		return 1;
	}
	return 0;
}

static void release_campaign(struct export_campaign *c)
{
	free(c->program);
	free(c->command);
	free(c->file);
	free(c->functions);
}

/* The newest of each file, the newest of all searches of programs. */
static void remember(struct exporting *x, struct export_campaign c)
{
	for (size_t i = 0; i < x->campaigns.size; i++) {
		struct export_campaign *old = &x->campaigns.data[i];
		if (!c.file != !old->file || (c.file && strcmp(c.file, old->file)))
			continue;
		release_campaign(old);
		*old = c;
		return;
	}
	vec_push(&x->campaigns, c);
}

static char *value(const struct export_campaign *c, const char *name)
{
	char *text;

	if (export_value(c, name, &text))
		die(EXIT_USAGE, "%s", error_text());
	return text;
}

static int each_campaign(void *ctx, uint64_t id, struct hash128 key, const char *program,
			 const char *command)
{
	struct exporting *x = ctx;
	struct export_campaign c = {.store = x->store, .id = id};
	char *kind = value(&c, "kind"), hex[HASH_HEX_SIZE];
	const char *functions = NULL;
	int is_test = !strcmp(kind, "test");

	free(kind);
	if (x->key && strcmp(hash_hex(key, hex), x->key))
		return 0;
	if (is_test && (x->testcomp || x->asserts))
		return 0;
	if (!is_test && (x->cmocka || x->operands.size))
		return 0;
	if (is_test) {
		char *file = value(&c, "file");
		c.file = export_absolute(file);
		free(file);
		if (!wanted(x, c.file, &functions)) {
			free(c.file);
			return 0;
		}
	}
	c.program = mem_strdup(program);
	c.command = mem_strdup(command);
	c.functions = functions ? mem_strdup(functions) : NULL;
	remember(x, c);
	return 0;
}

static void add_operand(struct exporting *x, const char *text)
{
	const char *colon = file_exists(text) ? NULL : strrchr(text, ':');
	char *name = colon ? mem_strndup(text, (size_t)(colon - text)) : mem_strdup(text);
	struct operand o = {.file = export_absolute(name),
			    .functions = colon ? mem_strdup(colon + 1) : NULL};

	free(name);
	for (size_t i = 0; i < x->operands.size; i++) {
		struct operand *old = &x->operands.data[i];
		if (strcmp(old->file, o.file))
			continue;
		if (old->functions && o.functions) {
			char *more = mem_printf("%s,%s", old->functions, o.functions);
			free(o.functions);
			o.functions = more;
		}
		free(old->functions);
		old->functions = o.functions;
		free(o.file);
		return;
	}
	vec_push(&x->operands, o);
}

static void find_campaigns(struct exporting *x)
{
	if (x->search) {
		char *path = file_join(x->search, "campaign");
		struct buf b = {0};
		if (!file_is_regular(path) || file_read_limited(path, 4096, &b))
			die(EXIT_USAGE,
			    "'%s' is no output directory of a search: it has no file 'campaign'",
			    x->search);
		buf_str(&b)[strcspn(buf_str(&b), "\n")] = 0;
		x->key = buf_take(&b);
		free(path);
	}
	if (store_campaign_each(x->store, each_campaign, x))
		die(EXIT_USAGE, "%s", error_text());
	for (size_t i = 0; i < x->operands.size; i++)
		if (!x->operands.data[i].found)
			die(EXIT_USAGE, "nothing is known of '%s': run 'muster test' on it first",
			    x->operands.data[i].file);
	if (!x->campaigns.size)
		die(EXIT_USAGE, "there is nothing to export: %s",
		    x->cmocka	  ? "run 'muster test FILE.c' first"
		    : x->testcomp || x->asserts ? "run 'muster fuzz' first"
				  : "run 'muster test' or 'muster fuzz' first");
}

/* ------------------------------------------------------------------- corpus */

struct corpus {
	struct exporting *x;
	int failed;
};

static int each_input(void *ctx, const struct store_test *t)
{
	struct corpus *c = ctx;
	char hex[HASH_HEX_SIZE];

	hash_hex(hash128(t->data, t->size), hex);
	if (file_update(c->x->o.dir, hex, t->size ? t->data : "", t->size)) {
		c->failed = 1;
		return 1;
	}
	c->x->counts.tests++;
	return 0;
}

static void export_corpus(struct exporting *x, const struct export_campaign *campaign)
{
	struct corpus c = {.x = x};

	if (store_test_each(campaign->store, campaign->id, 0, 1, each_input, &c) || c.failed)
		die(EXIT_USAGE, "%s", error_text());
	x->counts.files = x->counts.tests;
}

/* ------------------------------------------------------------------ results */

#define SHOWN_NAMES 5

static const struct {
	const char *key, *one, *several;
	int alarming; /* a bug that cannot be had, a file that is of no use */
} note_rows[] = {
#define X(name, key, one, several)                                                 \
	{key, one, several,                                                        \
	 EXPORT_##name == EXPORT_BUG_LOST || EXPORT_##name == EXPORT_BUG_PASSES || \
	     EXPORT_##name == EXPORT_BROKEN || EXPORT_##name == EXPORT_UNSEEN},
    EXPORT_NOTES(X)
#undef X
};

static void fill(const struct exporting *x, struct result *r)
{
	const struct export_counts *c = &x->counts;
	unsigned kinds[EXPORT_NOTE_COUNT] = {0};
	*r = (struct result){0};
	for (size_t i = 0; i < c->notes.size; i++) {
		const struct export_note *n = &c->notes.data[i];
		kinds[n->kind]++;
		vec_push(&r->notes, (struct result_note){note_rows[n->kind].key, n->name, n->words ? n->words : note_rows[n->kind].one});
	}
	result_count(r, c->files, "files");
	result_count(r, c->tests, "tests");
	result_count(r, c->bugs, "bugs");
	result_count(r, c->reproduced, "reproduced");
	result_count(r, c->failing, "like_bugs");
	result_count(r, c->beyond, "beyond");
	for (unsigned k = 0; k < EXPORT_NOTE_COUNT; k++)
		result_count(r, kinds[k], "%s", note_rows[k].key);
}

static uint64_t counted(const struct result *r, unsigned kind)
{
	return result_figure(r, note_rows[kind].key)->count;
}

/* What is not as one would expect: how many, and which. Alarming ones even with -q. */
static void print_notes(const struct result *r, int quiet)
{
	for (unsigned k = 0; k < EXPORT_NOTE_COUNT; k++) {
		uint64_t count = counted(r, k), shown = 0;

		if (!count || (quiet && !note_rows[k].alarming))
			continue;
		if (note_rows[k].alarming)
			fflush(stdout);
		FILE *to = note_rows[k].alarming ? stderr : stdout;
		fprintf(to, "%" PRIu64 " %s:\n", count, count == 1 ? note_rows[k].one : note_rows[k].several);
		for (size_t i = 0; i < r->notes.size; i++) {
			const struct result_note *n = &r->notes.data[i];
			if (strcmp(n->kind, note_rows[k].key))
				continue;
			if (!note_rows[k].alarming && shown == SHOWN_NAMES) {
				fprintf(to, "    and %" PRIu64 " more; --json names all\n", count - shown);
				break;
			}
			int own = strcmp(n->words, note_rows[k].one) != 0; /* more than the kind says */
			fprintf(to, "    %s%s%s\n", n->name, own ? ": " : "", own ? n->words : "");
			shown++;
		}
	}
}

static void print_words(const struct exporting *x, const struct result *r)
{
	uint64_t tests = result_figure(r, "tests")->count, bugs = result_figure(r, "bugs")->count, files = result_figure(r, "files")->count;
	uint64_t reproduced = result_figure(r, "reproduced")->count, beyond = result_figure(r, "beyond")->count, failing = result_figure(r, "like_bugs")->count;

	if (x->asserts) {
		printf("%" PRIu64 " bug%s below %s\n", bugs, bugs == 1 ? " as an assertion" : "s as assertions", x->o.shown);
		if (bugs && !x->o.no_check)
			printf("%" PRIu64 " of %" PRIu64 " abort%s there when gcc compiles %s\n", reproduced, bugs, bugs == 1 ? "s" : "",
			       bugs == 1 ? "it" : "them");
		return;
	}
	printf("%" PRIu64 " test%s", tests, tests == 1 ? "" : "s");
	if (bugs)
		printf(" and %" PRIu64 " bug%s", bugs, bugs == 1 ? "" : "s");
	printf(" in %" PRIu64 " file%s below %s\n", files, files == 1 ? "" : "s", x->o.shown);
	if (bugs && !x->o.no_check)
		printf("%" PRIu64 " of %" PRIu64 " bug%s seen again outside of muster, by kind and place\n",
		       reproduced, bugs, bugs == 1 ? "" : "s");
	if (beyond)
		printf("%" PRIu64 " more test%s left out: %s nothing that the others do not (--tests)\n", beyond,
		       beyond == 1 ? " is" : "s are", beyond == 1 ? "it covers" : "they cover");
	if (failing)
		printf("%" PRIu64 " more test%s left out: %s a bug, or a suspected one\n", failing,
		       failing == 1 ? " is" : "s are",
		       failing == 1 ? "it shows" : "they show");
}

static void print_json(const struct exporting *x, const struct result *r)
{
	struct buf out = {0};
	struct json j;

	json_begin(&j, &out);
	j.indent = 2;
	json_object_open(&j);
	json_key(&j, "command"), json_str(&j, "export");
	json_key(&j, "status"), json_str(&j, "complete");
	confine_json(&j);
	json_key(&j, "format"), json_str(&j, x->cmocka	   ? "cmocka"
					     : x->asserts  ? "asserts"
					     : x->testcomp ? "testcomp"
							   : "corpus");
	json_key(&j, "directory"), json_str(&j, x->o.dir);
	json_key(&j, "checked"), json_bool(&j, (x->cmocka || x->asserts) && !x->o.no_check);
	result_json(&j, r, RESULT_FIGURES | RESULT_NOTES);
	json_object_close(&j);
	puts(buf_str(&out));
	buf_release(&out);
}

/* ------------------------------------------------------------------ command */

static void run(struct exporting *x, struct result *r)
{
	for (size_t i = 0; i < x->campaigns.size; i++) {
		const struct export_campaign *c = &x->campaigns.data[i];
		int e = 0;

		if (x->cmocka)
			e = export_cmocka(c, &x->o, &x->counts);
		else if (x->asserts)
			e = export_asserts(c, &x->o, &x->counts);
		else if (x->testcomp)
			e = export_testcomp(c, &x->o, &x->counts);
		else
			export_corpus(x, c);
		if (e)
			die(EXIT_USAGE, "%s", error_text());
	}
	fill(x, r);
	if (x->o.json)
		print_json(x, r);
	else if (!x->o.quiet)
		print_words(x, r);
	print_notes(r, x->o.quiet || x->o.json);
	if (x->cmocka && x->counts.files && !x->o.json && !x->o.quiet)
		printf("make -C %s check%s\n", x->o.shown, x->counts.bugs ? "   (and: bugs)" : "");
}

static void release(struct exporting *x)
{
	for (size_t i = 0; i < x->campaigns.size; i++)
		release_campaign(&x->campaigns.data[i]);
	for (size_t i = 0; i < x->operands.size; i++) {
		free(x->operands.data[i].file);
		free(x->operands.data[i].functions);
	}
	vec_release(&x->campaigns);
	vec_release(&x->operands);
	for (size_t i = 0; i < x->counts.notes.size; i++) {
		free(x->counts.notes.data[i].name);
		free(x->counts.notes.data[i].words);
	}
	vec_release(&x->counts.notes);
	strmap_release(&x->counts.bases);
	store_close(x->store);
	free(x->key);
}

int cmd_export(int argc, char **argv)
{
	struct exporting x = {.o = {.time = 2, .tests = 100}};
	const struct option_row rows[] = {
	    OPTION_STR("cmocka", 0, "DIR", &x.cmocka,
		       "tests of functions as C files that need cmocka only"),
	    OPTION_STR("corpus", 0, "DIR", &x.corpus, "inputs as plain files"),
	    OPTION_STR("asserts", 0, "DIR", &x.asserts,
		       "bugs of a program that gcc's sanitizers do not know, as assertions that fail"),
	    OPTION_STR(
		"testcomp", 0, "DIR", &x.testcomp,
		"a test suite in Test-Comp's format, of a program that calls __VERIFIER_nondet"),
	    OPTION_STR("output-dir", 'o', "DIR", &x.search,
		       "of the search whose output directory this is (the newest)"),
	    OPTION_STR("store", 0, "FILE", &x.store_file, "the store (.muster/store.db)"),
	    OPTION_DOUBLE("run-time", 0, "S", &x.o.time, "seconds that a call may take (2)"),
	    OPTION_U64("tests", 0, "N", &x.o.tests,
		       "tests of a function that cover nothing new (100; 0: all): the first N"),
	    OPTION_FLAG("no-check", 0, &x.o.no_check, "do not compile and run what was written"),
	    OPTION_FLAG("json", 0, &x.o.json,
			"print JSON: counts, and what asserts nothing, is left out or differs"),
	    OPTION_FLAG("quiet", 'q', &x.o.quiet, "print nothing but what went wrong"),
	    CONFINE_ROWS,
	    OPTION_END};
	const struct option_spec spec = {
	    "export", "--cmocka|--asserts|--corpus|--testcomp DIR [FILE.c[:FUNCTION]...]",
	    "Writes what searches found for others to use. --cmocka: for each file a C file with a "
	    "test\n"
	    "for each input that 'muster test' kept, which calls the function and asserts what it\n"
	    "returned and wrote; inputs that show a bug are compiled with -DMUSTER_BUGS. The files "
	    "change\n"
	    "only where tests do. Without FILE: of all files that were tested. --asserts: the program,\n"
	    "preprocessed, with an assertion where a bug is; the input of the bug makes it fail.",
	    rows};
	int i = option_parse(&spec, argc, argv);
	char *path, *dir;
	struct result r;
	int broken;

	while (i < argc) {
		add_operand(&x, argv[i]);
		i += option_parse(&spec, argc - i, argv + i); /* options may follow */
	}
	confine_apply(&spec);
	if (!!x.cmocka + !!x.corpus + !!x.testcomp + !!x.asserts != 1)
		option_usage(&spec, "wants one of --cmocka, --asserts, --corpus and --testcomp");
	x.o.shown = x.cmocka ? x.cmocka : x.corpus ? x.corpus : x.asserts ? x.asserts : x.testcomp;
	x.o.dir = dir = export_absolute(x.o.shown);
	path = x.store_file ? mem_strdup(x.store_file) : file_join(home_project(), "store.db");
	if (store_open(&x.store, path, STORE_READ_ONLY))
		die(EXIT_USAGE, "%s", error_text());
	find_campaigns(&x);
	if (file_mkdirs(x.o.dir))
		die(EXIT_USAGE, "%s", error_text());
	run(&x, &r);
	broken = counted(&r, EXPORT_BROKEN) || counted(&r, EXPORT_BUG_LOST) || (x.asserts && counted(&r, EXPORT_BUG_PASSES));
	result_release(&r);
	release(&x);
	free(path);
	free(dir);
	return broken ? EXIT_INCONCLUSIVE : EXIT_OK;
}
