/* batch.c: the client of the driver's --batch.
 *
 * A chunk of inputs is one run of the launcher: frames on standard input, outcomes on standard
 * output, limits and the PID namespace as for any run, so that a function that kills all processes
 * kills no others. What the sanitizers reported of an input comes with its outcome; all reports of a chunk are
 * symbolised together.
 *
 * The invariant: outcomes come in the order of the inputs. Where they stop short, the next input
 * took the driver with it: it is left unknown (ran = 0), and the rest goes to a new process.
 */
#include "check/batch.h"

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "check/reports.h"
#include "check/san_options.h"
#include "muster/drive.h"
#include "run/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define CHUNK 256		   /* inputs of one process */
#define CHUNK_BYTES (16u << 20)	   /* or so many */
#define OUTPUT_LIMIT (256u << 20)  /* of outcomes and observations */
#define MEMORY_LIMIT (12ull << 30) /* shadow and quarantine count */
#define START_SECONDS 30	   /* for a process, on top of its inputs */
#define FIRST_MISSES 8		   /* processes that answer nothing before any did: it cannot be run */
#define MISSES 512		   /* in a row, after one did: a search has no more paths of one function than that, as a rule */

struct batch {
	struct variant variant;
	struct launch_options options;
	struct launcher *launcher;
	double seconds;
	char *env[4];
	char *argv[4];
	struct symboliser symboliser;
	VEC(char *) kinds; /* of bugs, each once */
	unsigned misses; /* processes in a row that answered nothing at all */
	int answered;	 /* one did */
};

void batch_items_release(struct batch_item *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		buf_release(&items[i].observation);
		free(items[i].bugs);
		items[i].bugs = NULL, items[i].bug_count = 0;
	}
}

int batch_item_shows(const struct batch_item *item, uint64_t bucket)
{
	for (size_t i = 0; i < item->bug_count; i++)
		if (item->bugs[i].bucket == bucket)
			return 1;
	return 0;
}

/* ----------------------------------------------------------------- opening */

static void set_environment(struct batch *b)
{
	const char *old = getenv("LD_LIBRARY_PATH");
	int n = 0;
	b->env[n++] = mem_strdup("ASAN_OPTIONS=" SAN_ASAN_OPTIONS);
	b->env[n++] = mem_strdup("UBSAN_OPTIONS=" SAN_UBSAN_OPTIONS);
	if (b->variant.lib_dir)
		b->env[n++] = mem_printf("LD_LIBRARY_PATH=%s%s%s", b->variant.lib_dir,
					 old ? ":" : "", old ? old : "");
}

int batch_open(struct batch **out, const char *program, enum variant_kind kind, double seconds,
	       const char *directory)
{
	struct batch *b = mem_zalloc(sizeof *b);
	*out = b;
	if (variant_make(program, kind, &b->variant)) {
		batch_close(b);
		*out = NULL;
		return -1;
	}
	b->argv[0] = b->variant.path;
	b->argv[1] = "--batch";
	b->options = (struct launch_options)LAUNCH_DEFAULTS;
	b->options.argv = b->argv;
	b->options.program = b->variant.path;
	b->options.directory = directory;
	b->options.env = (const char *const *)b->env;
	b->options.out = LAUNCH_CAPTURE;
	b->options.err = LAUNCH_NULL;
	b->options.output_limit = OUTPUT_LIMIT;
	b->options.memory_limit = MEMORY_LIMIT;
	if (!(b->launcher = launcher_new(&b->options))) {
		batch_close(b);
		*out = NULL;
		return -1;
	}
	set_environment(b);
	batch_set_time(b, seconds);
	return 0;
}

struct symboliser *batch_symboliser(struct batch *b)
{
	return &b->symboliser;
}

void batch_set_time(struct batch *b, double seconds)
{
	free(b->argv[2]);
	b->argv[2] = mem_printf("%g", seconds);
	b->seconds = seconds;
	launcher_set_wall(b->launcher, START_SECONDS + CHUNK * (seconds + 0.05));
}

void batch_close(struct batch *b)
{
	if (!b)
		return;
	launcher_free(b->launcher);
	variant_release(&b->variant);
	symboliser_release(&b->symboliser);
	for (size_t i = 0; i < b->kinds.size; i++)
		free(b->kinds.data[i]);
	vec_release(&b->kinds);
	for (int i = 0; i < 3; i++)
		free(b->env[i]);
	free(b->argv[2]);
	free(b);
}

/* ----------------------------------------------------------------- reports */

/* Reports that were read and wait for their symbols. */
struct waiting {
	size_t item;
	char *text;
	struct reports reports;
};
typedef VEC(struct waiting) waiting_list;

/* The kind as a string of the batch's. */
static const char *own_kind(struct batch *b, const char *kind)
{
	for (size_t i = 0; i < b->kinds.size; i++)
		if (!strcmp(b->kinds.data[i], kind))
			return b->kinds.data[i];
	vec_push(&b->kinds, mem_strdup(kind));
	return vec_last(&b->kinds);
}

static void add_bug(struct batch_item *item, const struct result_bug *f)
{
	item->failed = 1;
	item->bugs = mem_realloc(item->bugs, item->bug_count + 1, sizeof *f);
	item->bugs[item->bug_count++] = *f;
}

/* How the run ended, where no report is about that. */
static void add_end(struct batch *b, struct batch_item *item, const char *text)
{
	struct result_bug f = {.kind = ""};
	char kind[64];
	if (report_deadly(text, kind, sizeof kind))
		f.kind = own_kind(b, kind), f.bucket = report_bucket(kind, NULL, 0);
	else if (item->timed || (WIFSIGNALED(item->status) && !item->waits))
		f.bucket = hash_mix(0xba7c4u + (uint64_t)(item->timed ? 256 : WTERMSIG(item->status)));
	else
		return;
	add_bug(item, &f);
}

static void read_reports(struct batch *b, struct batch_item *items, size_t item, const char *report, size_t size, waiting_list *list)
{
	struct waiting w = {.item = item, .text = mem_alloc(size + 1)};
	for (size_t i = 0; i < size; i++)
		w.text[i] = report[i] ? report[i] : '?';
	w.text[size] = 0;
	if (reports_read(&w.reports, w.text) > 0) {
		reports_want(&w.reports, &b->symboliser);
		vec_push(list, w);
		return;
	}
	add_end(b, &items[item], w.text);
	reports_release(&w.reports);
	free(w.text);
}

static int is_own(void *ctx, const char *module)
{
	const struct batch *b = ctx;
	size_t n = b->variant.lib_dir ? strlen(b->variant.lib_dir) : 0;
	return !strcmp(file_base(module), file_base(b->variant.path)) ||
	       (n && !strncmp(module, b->variant.lib_dir, n));
}

static void add_report(struct batch *b, struct batch_item *item, const struct reports_one *x)
{
	struct result_bug f = {.kind = own_kind(b, x->report.kind), .bucket = x->bucket, .place = x->place};
	if (x->frames.size && strcmp(f.kind, "stack-overflow")) {
		f.function = x->frames.data[0].function;
		f.file = x->frames.data[0].file;
		f.line = x->frames.data[0].line;
	}
	add_bug(item, &f);
}

static void place(struct batch *b, struct batch_item *items, waiting_list *list)
{
	if (list->size)
		symboliser_resolve(
		    &b->symboliser); /* without symbols all failures of a kind are one */
	for (size_t i = 0; i < list->size; i++) {
		struct waiting *w = &list->data[i];
		reports_settle(&w->reports, &b->symboliser, is_own, b);
		for (size_t k = 0; k < w->reports.list.size; k++)
			if (!w->reports.list.data[k].into)
				add_report(b, &items[w->item], &w->reports.list.data[k]);
		if (!w->reports.ended)
			add_end(b, &items[w->item], w->text);
		reports_release(&w->reports);
		free(w->text);
	}
	vec_release(list);
}

/* ------------------------------------------------------------------ chunks */

static void take(struct batch *b, struct batch_item *items, size_t i, const struct drive_outcome *o,
		 const char *seen, waiting_list *list)
{
	struct batch_item *item = &items[i];
	item->ran = 1;
	item->status = o->status;
	item->timed = o->timed == DRIVE_HANGS;
	item->waits = o->timed == DRIVE_WAITS;
	if (item->keep && o->size)
		buf_add(&item->observation, seen, o->size);
	read_reports(b, items, i, seen + o->size, o->report, list);
}

/* How many of the items got an outcome. */
static size_t read_outcomes(struct batch *b, struct batch_item *items, size_t count,
			    const struct buf *out)
{
	waiting_list list = {0};
	size_t at = 0, i = 0;
	for (; i < count && out->size - at >= sizeof(struct drive_outcome); i++) {
		struct drive_outcome o;
		memcpy(&o, out->data + at, sizeof o);
		if ((uint64_t)o.size + o.report > out->size - at - sizeof o)
			break;
		at += sizeof o;
		take(b, items, i, &o, out->data + at, &list);
		at += (size_t)o.size + o.report;
	}
	place(b, items, &list);
	return i;
}

/* 0; 1: it was cut, *done of the items were run; -1. */
static int run_chunk(struct batch *b, struct batch_item *items, size_t count, size_t *done)
{
	struct buf frames = {0};
	struct run_result r;
	for (size_t i = 0; i < count; i++) {
		buf_add32(&frames, (uint32_t)items[i].size);
		buf_add(&frames, items[i].data, items[i].size);
	}
	struct launch_input in = {.data = frames.data, .size = frames.size, .present = 1};
	int e = launcher_run(b->launcher, &in, &r);
	buf_release(&frames);
	if (e)
		return -1;
	if (r.end == RUN_FAILED)
		return error_set("the %s variant did not run: %s", variant_name(VARIANT_SAN),
				 r.message);
	*done = read_outcomes(b, items, count, &r.out);
	if (r.end == RUN_CUT)
		return 1;
	b->misses = *done ? 0 : b->misses + 1;
	b->answered |= *done > 0;
	/* One that has answered works, and calls that take it with them come in rows: paths of one function. */
	if (b->misses > (b->answered ? MISSES : FIRST_MISSES)) {
		char words[128];
		run_result_words(&r, words, sizeof words);
		return error_set("the driver of %s answers nothing: %s. Does the code define functions that have the names of the C library's (read, dup2)?", b->variant.path, words);
	}
	return 0;
}

int batch_run(struct batch *b, struct batch_item *items, size_t count)
{
	for (size_t at = 0; at < count;) {
		size_t n = 0, bytes = 0, done = 0;
		while (at + n < count && n < CHUNK &&
		       (!n || bytes + items[at + n].size < CHUNK_BYTES))
			bytes += items[at + n++].size;
		int r = run_chunk(b, items + at, n, &done);
		if (r < 0)
			return -1;
		for (size_t i = at + done; r && i < count; i++)
			items[i].cut = 1;
		if (r)
			return 0;
		at += done < n ? done + 1
			       : n; /* the one that took the driver with it stays unknown */
	}
	return 0;
}
