/* report.c: muster report: what the store has of a search, in the formats that other tools read. */
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/option.h"
#include "cmd/cmd.h"
#include "cmd/report_load.h"
#include "cmd/stored.h"
#include "report/bug.h"
#include "report/covered.h"
#include "report/formats.h"
#include "report/html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One row a format: how it is asked for, what writes it, and whether it is about coverage. */
static const struct format {
	const char *name;
	void (*write)(const struct formats_input *in, struct buf *out);
	int covers;
} formats[] = {
    {"sarif", formats_sarif, 0}, {"junit", formats_junit, 0}, {"lcov", formats_lcov, 1}, {"cobertura", formats_cobertura, 1}, {"markdown", formats_markdown, 0}};
#define FORMATS (sizeof formats / sizeof *formats)

struct command {
	struct stored of;
	const char *html;	    /* the directory of the pages; NULL: none */
	const char *files[FORMATS]; /* where each is written; NULL: it is not asked for */
	struct result result, before; /* before: bugs of the campaign for the version before */
	struct result *filled;	      /* the one that bugs are added to */
	VEC(uint64_t) earlier;	      /* campaigns of versions before, the last one used at the end */
	struct store_result last; /* of the campaign: numbers only */
	uint64_t version;
	struct history history;
	struct annotations annotations;
	struct compared diff, validate; /* command NULL: there is none */
};

/* ------------------------------------------------------------ from the store */

static int see_result(void *ctx, const struct store_result *r)
{
	struct command *c = ctx;

	if (r->campaign == c->of.id && (!c->last.version || r->time >= c->last.time))
		c->last = (struct store_result){.version = c->version, .time = r->time, .seconds = r->seconds};
	return 0;
}

static int see_version(void *ctx, const struct store_version *v)
{
	struct command *c = ctx;

	c->version = v->id;
	return store_result_each(c->of.store, v->id, see_result, c);
}

/* Another version of a program has a campaign of its own, with the same output directory. */
static int see_campaign(void *ctx, uint64_t id, struct hash128 key, const char *program, const char *command)
{
	struct command *c = ctx;
	if (id == c->of.id) /* what follows was used later */
		return 1;
	char *output = c->of.output ? stored_output(&c->of, id) : NULL;
	char *a = output ? file_absolute(output) : NULL, *b = output ? file_absolute(c->of.output) : NULL;

	(void)key, (void)program, (void)command;
	if (output && !strcmp(a, b))
		vec_push(&c->earlier, id);
	free(output);
	free(a);
	free(b);
	return 0;
}

static const char *keep(struct command *c, const char *text)
{
	return text ? arena_strdup(&c->filled->strings, text) : NULL;
}

static int add_function(void *ctx, const struct result_function *f)
{
	struct command *c = ctx;

	vec_push(&c->result.functions,
		 (struct result_function){.name = keep(c, f->name), .file = keep(c, f->file), .line = f->line, .verdict = keep(c, f->verdict), .why = keep(c, f->why), .covered = f->covered,
					  .total = f->total, .tests = f->tests, .bugs = f->bugs});
	return 0;
}

/* What only pages show. */
static const char *detail(struct command *c, const struct result_bug *b, const char *what)
{
	struct buf text = {0};
	int r = c->html ? store_bug_detail(c->of.store, c->of.id, what, b->bucket, &text) : 0;
	const char *kept = r > 0 && text.size ? arena_strndup(&c->filled->strings, text.data, text.size) : NULL;

	buf_release(&text);
	return kept;
}

static int add_bug(void *ctx, const struct result_bug *b)
{
	struct command *c = ctx;
	struct buf replay = {0};
	struct result_bug kept = {.id = b->id, .bucket = b->bucket, .kind = keep(c, b->kind), .function = keep(c, b->function), .file = keep(c, b->file), .line = b->line,
				  .confirmed = b->confirmed, .count = b->count, .summary = keep(c, b->summary), .report = keep(c, b->report),
				  .data = b->size ? arena_copy(&c->filled->strings, b->data, b->size) : NULL, .size = b->size};

	if (c->filled == &c->result) { /* the input of an older one may be gone */
		stored_replay(&c->of, b, &replay);
		kept.replay = replay.size ? result_keep(c->filled, &replay) : NULL;
		kept.path = detail(c, b, "path");
		kept.call = detail(c, b, "call");
		kept.test = b->test;
	}
	buf_release(&replay);
	vec_push(&c->filled->bugs, kept);
	return 0;
}

static int load(struct command *c)
{
	struct bug_counts n;

	if (store_campaign_each(c->of.store, see_campaign, c))
		return -1;
	c->filled = &c->before;
	if (c->earlier.size && bug_each(c->of.store, vec_last(&c->earlier), &n, add_bug, c))
		return -1;
	c->filled = &c->result;
	return bug_each(c->of.store, c->of.id, &n, add_bug, c) || store_version_each(c->of.store, see_version, c) ||
	       (c->last.version && store_function_each(c->of.store, c->last.version, add_function, c));
}

/* The last result of a command that compares versions. */
static int load_compared(struct command *c, const char *name, struct compared *out)
{
	struct buf bytes = {0};
	int r = store_value_get(c->of.store, 0, name, &bytes);

	if (r > 0)
		r = compared_read(out, bytes.data, bytes.size);
	buf_release(&bytes);
	return r;
}

static int load_pages(struct command *c)
{
	return (c->of.id && history_load(&c->history, c->of.store, c->of.id)) || load_compared(c, COMPARED_DIFF, &c->diff) || load_compared(c, COMPARED_VALIDATE, &c->validate);
}

static int see_any(void *ctx, uint64_t id, struct hash128 key, const char *program, const char *command)
{
	(void)id, (void)key, (void)program, (void)command;
	*(int *)ctx = 1;
	return 1;
}

/* A store that has comparisons and no search: pages of these alone. */
static int only_compared(struct command *c)
{
	struct buf bytes = {0};
	int any = 0;

	if (c->of.dir || !c->html || store_campaign_each(c->of.store, see_any, &any) || any)
		return 0;
	int there = store_value_get(c->of.store, 0, COMPARED_DIFF, &bytes) > 0;
	buf_release(&bytes);
	if (there)
		c->of.program = mem_strdup("comparison");
	return there;
}

/* ------------------------------------------------------------ to files */

static int write_file(const char *path, const struct buf *text)
{
	if (strcmp(path, "-"))
		return file_write_atomic(path, text->data, text->size);
	return fwrite(text->data, 1, text->size, stdout) == text->size ? 0 : error_set("standard output: it cannot be written");
}

static int write_all(const struct command *c, const struct formats_input *in)
{
	for (size_t i = 0; i < FORMATS; i++) {
		struct buf text = {0};
		int e = 0;

		if (!c->files[i])
			continue;
		formats[i].write(in, &text);
		e = write_file(c->files[i], &text);
		buf_release(&text);
		if (e)
			return -1;
	}
	return c->html ? html_write(in, c->html) : 0;
}

static int wants_coverage(const struct command *c)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (c->files[i] && formats[i].covers)
			return 1;
	return c->html != NULL;
}

static int report(struct command *c)
{
	struct covered covered = {0};
	char *base = realpath(".", NULL);
	int e = (c->of.id && load(c)) || (c->html && load_pages(c)) ? -1 : 0;
	struct formats_input in = {&c->result,	      c->earlier.size ? &c->before : NULL, &covered, MUSTER_VERSION, file_base(c->of.program), base ? base : "/", c->last.time, c->last.seconds,
				   c->of.id ? &c->history : NULL, c->of.id ? &c->annotations : NULL, c->diff.command ? &c->diff : NULL, c->validate.command ? &c->validate : NULL, NULL};

	if (!e && wants_coverage(c) && c->of.id)
		e = c->last.version ? covered_load(&covered, c->of.store, c->of.id, c->last.version)
				    : error_set("coverage is not known: no run of this search has ended yet (or an older muster made it): run it again");
	if (!e && c->html && c->of.id)
		e = report_load(&c->annotations, &c->of, c->earlier.data, c->earlier.size, &c->result, &covered);
	if (!e)
		e = write_all(c, &in);
	covered_release(&covered);
	free(base);
	return e;
}

int cmd_report(int argc, char **argv)
{
	static struct command c;
	static const struct option_row rows[] = {
	    OPTION_STR("html", 0, "DIR", &c.html, "pages that open from DIR/index.html: bugs, functions, sources, the last diff and validate"),
	    OPTION_STR("sarif", 0, "FILE", &c.files[0], "bugs as SARIF 2.1.0: code scanning, editors"),
	    OPTION_STR("junit", 0, "FILE", &c.files[1], "functions and their bugs as JUnit's XML: test results in CI"),
	    OPTION_STR("lcov", 0, "FILE", &c.files[2], "branch coverage as a tracefile of lcov: genhtml, Codecov"),
	    OPTION_STR("cobertura", 0, "FILE", &c.files[3], "branch coverage as Cobertura's XML: GitLab, Jenkins"),
	    OPTION_STR("markdown", 0, "FILE", &c.files[4], "all of it at a glance, for a comment on a pull request"),
	    STORED_ROWS(&c.of),
	    OPTION_END,
	};
	static const struct option_spec spec = {"report", "--FORMAT FILE... [options]",
						"Writes what a search found (muster test, muster fuzz) as web pages, or in the formats that other tools read.\n"
						"FILE - is standard output. docs/reports.md says what each has.\n\n"
						"  muster test list.c; muster report --sarif list.sarif --lcov list.info\n\n"
						"Exit code: 0 if all was written, whatever was found.",
						rows};
	int at = option_parse(&spec, argc, argv), wanted = c.html != NULL;

	if (at < argc)
		option_usage(&spec, "'%s' is one too many: the file stands after its format, as in --sarif FILE", argv[at]);
	for (size_t i = 0; i < FORMATS; i++)
		wanted |= c.files[i] != NULL;
	if (!wanted)
		option_usage(&spec, "wants a format: --html, --sarif, --junit, --lcov, --cobertura or --markdown");
	stored_open(&c.of);
	if (!only_compared(&c))
		stored_choose(&c.of);
	int e = report(&c);
	if (e)
		fprintf(stderr, "muster report: %s\n", error_text());
	result_release(&c.result);
	result_release(&c.before);
	history_release(&c.history);
	annotations_release(&c.annotations);
	vec_release(&c.earlier);
	compared_release(&c.diff);
	compared_release(&c.validate);
	stored_release(&c.of);
	return e ? EXIT_USAGE : EXIT_OK;
}
