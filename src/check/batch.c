/* batch.c: the client of the driver's --batch.
 *
 * A chunk of inputs is one run of the launcher: frames on standard input, outcomes on standard
 * output, limits and the PID namespace as for any run, so that a function that kills everybody
 * kills nobody else. The sanitizer writes each report to a file that ends in the child's number
 * (log_path), which the outcome has too; all reports of a chunk are symbolised together.
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
#include "check/report.h"
#include "check/san_options.h"
#include "muster/drive.h"
#include "run/launch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHUNK 256		   /* inputs of one process */
#define CHUNK_BYTES (16u << 20)	   /* or so many */
#define OUTPUT_LIMIT (256u << 20)  /* of outcomes and observations */
#define REPORT_LIMIT (1u << 20)	   /* of one report that is read */
#define MEMORY_LIMIT (12ull << 30) /* shadow and quarantine count */
#define START_SECONDS 30	   /* for a process, on top of its inputs */

struct batch {
	struct variant variant;
	struct launch_options options;
	struct launcher *launcher;
	double seconds;
	char *reports; /* directory, the launcher's */
	char *env[4];
	char *argv[4];
	struct symboliser symboliser;
	unsigned misses; /* processes in a row that answered nothing at all */
};

void batch_items_release(struct batch_item *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buf_release(&items[i].observation);
}

/* ----------------------------------------------------------------- opening */

static void set_environment(struct batch *b)
{
	const char *old = getenv("LD_LIBRARY_PATH");
	const char *quote = strchr(b->reports, '"') ? "'" : "\""; /* file_temp_settle: never both */
	int n = 0;
	b->env[n++] = mem_printf("ASAN_OPTIONS=" SAN_ASAN_OPTIONS ":log_path=%s%s/r%s", quote, b->reports, quote);
	b->env[n++] = mem_printf("UBSAN_OPTIONS=" SAN_UBSAN_OPTIONS ":log_path=%s%s/r%s", quote, b->reports, quote);
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
	if (!(b->launcher = launcher_new(&b->options)) || !(b->reports = launcher_outbox(b->launcher))) {
		batch_close(b);
		*out = NULL;
		return -1;
	}
	set_environment(b);
	batch_set_time(b, seconds);
	return 0;
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
	free(b->reports);
	for (int i = 0; i < 3; i++)
		free(b->env[i]);
	free(b->argv[2]);
	free(b);
}

/* ----------------------------------------------------------------- reports */

/* A report that was read and waits for its symbols. */
struct waiting {
	size_t item;
	struct report report;
};
typedef VEC(struct waiting) waiting_list;

static void read_report(struct batch *b, struct batch_item *items, size_t item, int pid,
			waiting_list *list)
{
	char *path = mem_printf("%s/r.%d", b->reports, pid);
	struct buf text = {0};
	struct waiting w = {.item = item};
	if (file_is_regular(path) && !file_read_limited(path, REPORT_LIMIT, &text)) {
		for (size_t i = 0; i < text.size; i++)
			text.data[i] = text.data[i] ? text.data[i] : '?';
		if (report_read(&w.report, buf_str(&text)) > 0) {
			items[item].failed = 1;
			snprintf(items[item].kind, sizeof items[item].kind, "%s", w.report.kind);
			for (size_t i = 0; i < w.report.frames.size; i++)
				if (w.report.frames.data[i].module)
					symboliser_want(&b->symboliser,
							w.report.frames.data[i].module,
							w.report.frames.data[i].offset);
			vec_push(list, w);
		} else if (report_deadly(buf_str(&text), items[item].kind, sizeof items[item].kind)) {
			items[item].failed = 1;
			items[item].bucket = report_bucket(items[item].kind, NULL, 0);
		}
	}
	unlink(path);
	free(path);
	buf_release(&text);
}

static int is_own(void *ctx, const char *module)
{
	const struct batch *b = ctx;
	size_t n = b->variant.lib_dir ? strlen(b->variant.lib_dir) : 0;
	return !strcmp(file_base(module), file_base(b->variant.path)) ||
	       (n && !strncmp(module, b->variant.lib_dir, n));
}

static void place(struct batch *b, struct batch_item *items, waiting_list *list)
{
	if (list->size)
		symboliser_resolve(
		    &b->symboliser); /* without symbols all failures of a kind are one */
	for (size_t i = 0; i < list->size; i++) {
		struct waiting *w = &list->data[i];
		struct batch_item *item = &items[w->item];
		report_symbols frames = {0};
		report_own_frames(&w->report, &b->symboliser, is_own, b, &frames);
		item->bucket = report_bucket(item->kind, frames.data, frames.size);
		if (frames.size && strcmp(item->kind, "stack-overflow")) {
			item->function = frames.data[0].function;
			item->file = frames.data[0].file;
			item->line = frames.data[0].line;
		}
		vec_release(&frames);
		report_release(&w->report);
	}
	vec_release(list);
}

/* What processes that were forked by the functions themselves reported: nobody asks for it. */
static void sweep(struct batch *b)
{
	DIR *dir = opendir(b->reports);
	for (struct dirent *e; dir && (e = readdir(dir));)
		if (e->d_name[0] != '.')
			unlinkat(dirfd(dir), e->d_name, 0);
	if (dir)
		closedir(dir);
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
	item->failed = item->timed || (WIFSIGNALED(o->status) && !item->waits);
	if (item->keep && o->size)
		buf_add(&item->observation, seen, o->size);
	read_report(b, items, i, o->pid, list);
	if (item->failed && !item->bucket) /* without a report: replaced if there is one */
		item->bucket =
		    hash_mix(0xba7c4u + (uint64_t)(item->timed ? 256 : WTERMSIG(o->status)));
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
		if (o.size > out->size - at - sizeof o)
			break;
		at += sizeof o;
		take(b, items, i, &o, out->data + at, &list);
		at += o.size;
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
	sweep(b);
	if (r.end == RUN_CUT)
		return 1;
	b->misses = *done ? 0 : b->misses + 1;
	if (b->misses > 8)
		return error_set("the driver of %s answers nothing", b->variant.path);
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
