/* confirm.c: runs an input in a fresh process of the san variant and says what came of it.
 *
 * Failed is: ended by a signal, or a sanitizer's report with a stack on the descriptor that muster gave it (a child's, or one that
 * the program survived). All findings are reported, and how the run ended as well if no report is about that. Three kinds of failure might be the san
 * variant's own doing, whose code is slower and whose frames and objects are larger: a time-out, a
 * memory limit, a stack overflow. They count only if the cov variant, which is almost as fast and
 * as small as the program itself, ends in the same way, the first at HANG_FACTOR times the limit
 * of processor time. A run that waits without using any is ended by the clock, and has not failed.
 * Where it does not time out, the san variant gets a second run with more time, lest slow code hide
 * a bug. A hang that an earlier run of the same input and code has confirmed needs none of this: it is seen to use up the limit once.
 *
 * A time-out has no stack, since the run is killed from outside: all hangs of a program are
 * one bucket. Where the sanitizer itself gave up (one of its own checks failed), nothing
 * is confirmed.
 */
#include "check/confirm.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "build/variant.h"
#include "check/describe.h"
#include "check/report.h"
#include "check/reports.h"
#include "check/san_options.h"
#include "check/suppress.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HANG_FACTOR 3
#define SLOW_FACTOR 30 /* sanitizers, and no optimisation */
#define MEMORY_FACTOR 3
#define MEMORY_EXTRA (512ull << 20) /* shadow and quarantine */
#define STDERR_LIMIT (16u << 20)

static const char asan_options[] = "ASAN_OPTIONS=" SAN_ASAN_OPTIONS;
static const char ubsan_options[] = "UBSAN_OPTIONS=" SAN_UBSAN_OPTIONS;
/* Standard input is a file, which marked objects may read beside the program. */
static const char marked_input[] = "MUSTER_INPUT=/proc/self/fd/0";

/* A variant and what it takes to run it. */
struct runner {
	struct variant variant;
	struct launch_options options;
	VEC(const char *) env;
	char *library_path;
	struct launcher *launcher;
	char *failure; /* words: it cannot be made, and is not tried again */
};

struct confirm {
	char *program;
	struct launch_options options; /* the user's */
	struct runner san, slow, brief, cov; /* slow: san with more time; brief: with less, for hangs that earlier runs have confirmed */
	char *variant_dir; /* modules in it are the program's own */
	char *real_dir;    /* the same without links */
	struct symboliser own, *symboliser; /* its own, or one that others use as well */
	const char *settled; /* a kind that the cov variant has shown before, or NULL */
	int warned;
	int halts; /* what is read ends at its first report, whatever it is */
};

/* -------------------------------------------------------------- set-up */

int confirm_open(struct confirm **c, const char *program, const struct launch_options *options)
{
	*c = mem_zalloc(sizeof **c);
	(*c)->program = mem_strdup(program);
	(*c)->options = *options;
	(*c)->symboliser = &(*c)->own;
	return 0;
}

void confirm_settled(struct confirm *c, const char *kind)
{
	c->settled = kind;
}

void confirm_share(struct confirm *c, struct symboliser *s)
{
	c->symboliser = s;
}

static void runner_release(struct runner *r)
{
	launcher_free(r->launcher);
	variant_release(&r->variant);
	vec_release(&r->env);
	free(r->library_path);
	free(r->failure);
}

void confirm_close(struct confirm *c)
{
	if (!c)
		return;
	runner_release(&c->san);
	runner_release(&c->slow);
	runner_release(&c->brief);
	runner_release(&c->cov);
	symboliser_release(&c->own);
	free(c->variant_dir);
	free(c->real_dir);
	free(c->program);
	free(c);
}

static int names_path(char *const *argv)
{
	for (unsigned i = 1; argv[0] && argv[i]; i++)
		if (strstr(argv[i], "@@"))
			return 1;
	return 0;
}

/* The user's changes of the environment, but for what is decided here. */
static void set_environment(struct runner *r, const struct launch_options *o)
{
	const char *old = getenv("LD_LIBRARY_PATH");

	for (const char *const *e = o->env; e && *e; e++)
		if (strncmp(*e, "LD_LIBRARY_PATH", 15) && strncmp(*e, "ASAN_OPTIONS", 12) &&
		    strncmp(*e, "UBSAN_OPTIONS", 13))
			vec_push(&r->env, *e);
	vec_push(&r->env, asan_options);
	vec_push(&r->env, ubsan_options);
	if (!names_path(o->argv))
		vec_push(&r->env, marked_input);
	if (r->variant.lib_dir) {
		r->library_path = mem_printf("LD_LIBRARY_PATH=%s%s%s", r->variant.lib_dir,
					     old ? ":" : "", old ? old : "");
		vec_push(&r->env, r->library_path);
	}
	vec_push(&r->env, NULL);
	r->options.env = r->env.data;
}

static int runner_start(struct confirm *c, struct runner *r, enum variant_kind kind)
{
	const struct launch_options *o = &c->options;

	if (r->launcher)
		return 0;
	if (r->failure)
		return error_set("%s", r->failure);
	if (!r->variant.path && variant_make(c->program, kind, &r->variant)) {
		error_wrap("the %s variant", variant_name(kind));
		if (!deadline_cut())
			r->failure = mem_strdup(error_text());
		return -1;
	}
	if (!r->env.size)
		set_environment(r, o);
	struct launch_options own = *o;

	own.program = r->variant.path;
	own.env = r->env.data;
	own.base = NULL;
	own.shm = NULL;
	own.server = 0;
	own.to = LAUNCH_AUTO;
	own.out = LAUNCH_NULL;
	own.err = LAUNCH_CAPTURE;
	own.report = kind == VARIANT_SAN;
	own.output_limit = STDERR_LIMIT;
	launch_limit(&own, o->cpu_seconds * (r == &c->slow ? SLOW_FACTOR : r == &c->brief ? 1 : HANG_FACTOR));
	if (own.memory_limit && kind == VARIANT_SAN)
		own.memory_limit = own.memory_limit * MEMORY_FACTOR + MEMORY_EXTRA;
	r->options = own;
	r->launcher = launcher_new(&r->options);
	return r->launcher ? 0 : -1;
}

static int run_in(struct confirm *c, struct runner *r, enum variant_kind kind, const void *data,
		  size_t size, struct run_result *result)
{
	struct launch_input in = {.data = data, .size = size, .present = 1};

	if (runner_start(c, r, kind) || launcher_run(r->launcher, &in, result))
		return -1;
	if (result->end == RUN_FAILED)
		return error_set("the %s variant did not run: %s", variant_name(kind),
				 result->message);
	return 0;
}

static int is_below(const char *dir, const char *path)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && path[n] == '/';
}

/* The loader names libraries as it found them, and programs by their real names. */
static int is_own(void *ctx, const char *module)
{
	const struct confirm *c = ctx;

	return is_below(c->variant_dir, module) || is_below(c->real_dir, module);
}

/* ---------------------------------------------------------------- words */

/* What a kind means. X(key, words). */
#define KINDS(X)                                                                              \
	X("heap-buffer-overflow", "outside a heap object")                                    \
	X("stack-buffer-overflow", "outside a local variable")                                \
	X("stack-buffer-underflow", "before a local variable")                                \
	X("dynamic-stack-buffer-overflow", "outside a local array")                           \
	X("global-buffer-overflow", "outside a global variable")                              \
	X("heap-use-after-free", "of memory that was freed")                                  \
	X("stack-use-after-return", "of a local variable of a function that returned")        \
	X("stack-use-after-scope", "of a local variable out of its scope")                    \
	X("container-overflow", "outside a container")                                        \
	X("unknown-crash", "of memory that may not be used")                                  \
	X("double-free", "memory is freed twice")                                             \
	X("bad-free", "something is freed that was not allocated")                            \
	X("alloc-dealloc-mismatch", "memory is freed by another function than belongs to its allocation")   \
	X("negative-size-param", "a size is negative")                                        \
	X("memcpy-param-overlap", "source and destination of memcpy overlap")                 \
	X("strcpy-param-overlap", "source and destination of strcpy overlap")                 \
	X("strcat-param-overlap", "source and destination of strcat overlap")                 \
	X("stack-overflow", "the stack is used up (recursion without end, or too deep)")      \
	X("abort", "the program called abort")                                                \
	X("FPE", "an arithmetic trap, such as a division by zero")                            \
	X("ILL", "an illegal instruction, such as the compiler puts where code cannot go on") \
	X("TRAP", "a breakpoint trap")                                                        \
	X("BUS", "an access that the machine refuses")

static const char *kind_words(const char *kind)
{
	static const struct {
		const char *key, *words;
	} rows[] = {
#define X(key, words) {key, words},
	    KINDS(X)
#undef X
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].key, kind))
			return rows[i].words;
	return NULL;
}

/* A message without the kind's own words at its start, which stand there already. */
static const char *without_kind(const char *message, const char *kind)
{
	const char *p = message;

	for (; *kind && (*p == *kind || (*p == ' ' && *kind == '-')); p++)
		kind++;
	return !*kind && !strncmp(p, ": ", 2) ? p + 2 : message;
}

static void summarise(struct finding *f, const struct report *r)
{
	const char *words = kind_words(f->bug.kind);
	struct buf text = {0}, said = {0}, *b = &text;
	struct describe_from d = {f->bug.kind, f->bug.report, f->bug.file, f->bug.line, r->access, r->access_size};

	buf_addf(b, "%s", f->bug.kind);
	if (!strcmp(f->bug.kind, "assert"))
		buf_addf(b, ": (%s) does not hold", r->message);
	else if (!strcmp(f->bug.kind, "refinement"))
		buf_addf(b, ": (%s) does not hold", r->message);
	else if (!strcmp(f->bug.kind, "contract"))
		buf_addf(b, ": %s, and this call does not keep it", r->message);
	else if (describe(&d, &said))
		buf_addf(b, ": %s", buf_str(&said));
	else if (r->message[0])
		buf_addf(b, ": %s", without_kind(r->message, f->bug.kind));
	else if (!strcmp(f->bug.kind, "SEGV"))
		buf_addf(b, ": a %s through %s",
			 r->access == 'W' ? "write"
			 : r->access	  ? "read"
					  : "jump",
			 r->zero_page ? "a null pointer" : "a wild pointer");
	else if (words && r->access && r->access_size)
		buf_addf(b, ": a %s of %llu byte%s %s", r->access == 'W' ? "write" : "read",
			 (unsigned long long)r->access_size, r->access_size == 1 ? "" : "s", words);
	else if (words)
		buf_addf(b, ": %s", words);
	buf_release(&said);
	if (f->bug.function[0])
		buf_addf(b, " in %s", f->bug.function);
	if (f->bug.file[0])
		buf_addf(b, " at %s:%u", file_base(f->bug.file), f->bug.line);
	f->bug.summary = finding_keep(f, b);
}

/* -------------------------------------------------------------- reading */

/* Where a stack overflow is said to be: the innermost function that recurs. */
static const struct symbol *place_of(const char *kind, const report_symbols *frames)
{
	if (!frames->size)
		return NULL;
	if (!strcmp(kind, "stack-overflow"))
		for (size_t i = 0; i < frames->size; i++)
			for (size_t k = i + 1; k < frames->size; k++)
				if (!strcmp(frames->data[i].function, frames->data[k].function))
					return &frames->data[i];
	return &frames->data[0];
}

static void set_place(struct finding *f, const struct symbol *y)
{
	f->bug.function = finding_text(f, "%s", y->function);
	f->bug.file = finding_text(f, "%s", y->file);
	f->bug.line = y->line;
}

static const struct {
	const char *kind, *plain;
	int signal;
} signals[] = {{"SEGV", "SEGV", SIGSEGV},  {"stack-overflow", "stack-overflow", SIGSEGV},
	       {"ABRT", "abort", SIGABRT}, {"FPE", "FPE", SIGFPE},
	       {"ILL", "ILL", SIGILL},	   {"BUS", "BUS", SIGBUS},
	       {"TRAP", "TRAP", SIGTRAP}};

/* An abort has a reason where the C library says it. */
static void refine_abort(struct finding *f, struct report *r, const char *text)
{
	if (strcmp(f->bug.kind, "abort"))
		return;
	if (report_assertion(text, r->message, sizeof r->message))
		f->bug.kind = "assert";
	else if (report_refinement(text, r->message, sizeof r->message))
		f->bug.kind = "refinement";
	else if (report_contract(text, r->message, sizeof r->message))
		f->bug.kind = "contract";
	else if (strstr(text, "*** stack smashing detected ***"))
		f->bug.kind = "stack-smashing";
	else if (strstr(text, "*** buffer overflow detected ***"))
		f->bug.kind = "fortify-overflow";
}

static void name_kind(struct finding *f, struct report *r, const char *text)
{
	f->bug.kind = finding_text(f, "%s", r->kind);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (!strcmp(r->kind, signals[i].kind)) {
			f->bug.kind = signals[i].plain;
			f->bug.signal = signals[i].signal;
		}
	refine_abort(f, r, text);
}

/* err: what the program said itself, which names the reason of an abort. */
static void from_report(struct confirm *c, struct finding *f, struct reports_one *x, const char *err)
{
	struct report *r = &x->report;
	struct buf text = {0};

	f->bug.confirmed = 1;
	name_kind(f, r, err);
	if (r->survived)
		f->bug.signal = SIGABRT;
	const struct symbol *place = place_of(f->bug.kind, &x->frames);

	if (place)
		set_place(f, place);
	f->bug.place = x->place;
	f->bug.bucket = report_bucket(f->bug.kind, x->frames.data, x->frames.size);
	if (!strcmp(f->bug.kind, "refinement") || !strcmp(f->bug.kind, "contract")) /* several may stand in one line */
		f->bug.bucket = hash64(r->message, strlen(r->message), f->bug.bucket);
	report_render(r, x->text, c->symboliser, place, &text);
	f->bug.report = finding_keep(f, &text);
	summarise(f, r);
}

/* A death without a report: the program closed standard error, or the signal is not one that a
 * sanitizer looks at. */
static void from_signal(struct finding *f, int number, const char *text)
{
	const char *name = sigabbrev_np(number);
	struct report none = {0};

	f->bug.confirmed = 1;
	f->bug.kind = name ? name : "signal";
	snprintf(none.kind, sizeof none.kind, "%s", f->bug.kind);
	name_kind(f, &none, text);
	f->bug.signal = number;
	f->bug.bucket = report_bucket(f->bug.kind, NULL, 0);
	if (!strcmp(f->bug.kind, "assert") || !strcmp(f->bug.kind, "refinement") || !strcmp(f->bug.kind, "contract"))
		summarise(f, &none);
	else
		f->bug.summary = finding_text(f, "%s: killed by signal %d, without a report", f->bug.kind, number);
}

/* A signal whose report broke off. */
static void from_deadly(struct finding *f, const char *kind, const char *text)
{
	struct report none = {0};

	f->bug.confirmed = 1;
	snprintf(none.kind, sizeof none.kind, "%s", kind);
	name_kind(f, &none, text);
	f->bug.bucket = report_bucket(f->bug.kind, NULL, 0);
	f->bug.summary = finding_text(f, "%s: AddressSanitizer caught the signal and found no stack to report", f->bug.kind);
}

static void from_limit(struct finding *f, const char *kind, const char *words)
{
	f->bug.confirmed = 1;
	f->bug.kind = kind;
	f->bug.bucket = report_bucket(kind, NULL, 0);
	f->bug.summary = finding_text(f, "%s: %s", kind, words);
}

static void not_confirmed(struct finding *f, const char *kind, const char *words)
{
	f->bug.confirmed = 0;
	if (!f->bug.kind[0])
		f->bug.kind = kind;
	f->bug.summary = finding_text(f, "%s: %s", kind, words);
}

/* A text in which a NUL would hide what follows. */
static char *readable(const struct buf *b)
{
	char *text = mem_alloc(b->size + 1);

	for (size_t i = 0; i < b->size; i++)
		text[i] = b->data[i] ? b->data[i] : '?';
	text[b->size] = 0;
	return text;
}

typedef VEC(struct finding) finding_list;

/* How the run ended, where no report is about that. */
static void read_end(const struct run_result *run, const char *text, const char *err, struct finding *f)
{
	char kind[64];

	if (report_deadly(text, kind, sizeof kind))
		from_deadly(f, kind, err);
	else if (strstr(text, "AddressSanitizer: CHECK failed"))
		not_confirmed(f, "sanitizer-check",
			      "AddressSanitizer gave up, which proves nothing");
	else if (strstr(text, "ERROR: AddressSanitizer failed to ")) /* its own memory; a WARNING tells of a malloc that returned NULL */
		not_confirmed(f, FINDING_SPACE_LIMIT, "a limit of memory or address space left AddressSanitizer none, which proves nothing");
	else if (run->end == RUN_SIGNAL && run->signal == SIGXFSZ)
		not_confirmed(f, FINDING_FILE_LIMIT, "stopped because it wrote a larger file than runs may");
	else if (run->end == RUN_SIGNAL)
		from_signal(f, run->signal, err);
	else if (run->end == RUN_TIME)
		from_limit(f, "timeout", "it runs far beyond the time limit");
	else if (run->end == RUN_MEMORY)
		from_limit(f, "memory limit", "it uses far more memory than the limit");
	else if (run->end == RUN_PROCESSES)
		not_confirmed(f, "process limit", "stopped because it made too many processes");
	else if (run->end == RUN_WAITING)
		not_confirmed(f, FINDING_WAITING, "it waits without using the processor, and was ended by the clock");
	else if (run->end == RUN_STOPPED)
		not_confirmed(f, "stopped", "it stopped itself and was ended");
	if (run->end == RUN_SIGNAL)
		f->bug.signal = run->signal;
}

/* A finding becomes the first of all. The others stay in their order. */
static void put_first(struct finding *f, finding_list *all, size_t first)
{
	*f = all->data[first];
	memmove(all->data + first, all->data + first + 1, (all->size - first - 1) * sizeof *all->data);
	f->more = all->data;
	f->more_count = all->size - 1;
}

/* A finding joins the others, unless it is suppressed. */
static void take_finding(struct finding *x, finding_list *list, struct finding *hidden)
{
	const struct result_bug *b = &x->bug;
	const char *words = b->summary;
	size_t n = strlen(b->kind);

	if (!strncmp(words, b->kind, n) && !strncmp(words + n, ": ", 2))
		words += n + 2;
	if (!b->confirmed || !suppress_find(b->kind, words, b->function, b->file, b->line, b->bucket)) {
		vec_push(list, *x);
		return;
	}
	if (hidden->suppressed < FINDING_HIDDEN)
		hidden->hidden[hidden->suppressed] = b->place;
	hidden->suppressed++;
	finding_release(x);
}

/* A run that goes on after these has read or written something else than the program's text names: what it computes from then on may follow
 * from that alone, which a person who reads a later finding must know. */
static int leaves_object(const struct finding *x)
{
	return x->bug.file[0] && (!strcmp(x->bug.kind, "out-of-bounds-index") || !strcmp(x->bug.kind, "insufficient-object-size"));
}

static void say_after(struct finding *x, const struct buf *earlier)
{
	x->bug.summary = finding_text(x, "%s, after %.*s", x->bug.summary, (int)earlier->size, (const char *)earlier->data);
}

static void collect(struct confirm *c, const struct run_result *run, struct reports *all, const char *text, const char *err, struct finding *f)
{
	finding_list list = {0};
	struct finding end = FINDING_NONE, hidden = FINDING_NONE;
	struct buf left = {0}; /* where the run first left an object */
	size_t first = 0;

	for (size_t i = 0; i < all->list.size; i++) {
		struct finding x = FINDING_NONE;

		if (all->list.data[i].into)
			continue;
		if (run->end != RUN_EXIT && i == reports_last(all))
			first = list.size;
		from_report(c, &x, &all->list.data[i], err);
		if (left.size)
			say_after(&x, &left);
		else if (leaves_object(&x))
			buf_addf(&left, "%s at %s:%u of the same run", x.bug.kind, file_base(x.bug.file), x.bug.line);
		take_finding(&x, &list, &hidden);
	}
	if (!all->list.size || !(all->ended || (c->halts && run->end == RUN_SIGNAL)))
		read_end(run, text, err, &end);
	if (end.bug.confirmed || (!list.size && end.bug.kind[0])) {
		first = list.size;
		if (left.size && end.bug.confirmed)
			say_after(&end, &left);
		take_finding(&end, &list, &hidden);
	} else {
		finding_release(&end);
	}
	for (size_t i = 0; i < list.size; i++)
		list.data[i].survived = run->end == RUN_EXIT;
	if (list.size)
		put_first(f, &list, first < list.size ? first : 0);
	else
		vec_release(&list);
	if (run->end == RUN_SIGNAL && !f->bug.signal)
		f->bug.signal = run->signal;
	f->suppressed = hidden.suppressed;
	memcpy(f->hidden, hidden.hidden, sizeof f->hidden);
	buf_release(&left);
}

static int read_run(struct confirm *c, const struct run_result *run, struct finding *f)
{
	if (run->end == RUN_CUT) {
		f->cut = 1;
		return 0;
	}

	static const char hello[] = MUSTER_REPORT_HELLO;
	char *err = readable(&run->err), *report = readable(&run->report), *text = err;
	struct reports all;

	if (!strncmp(report, hello, sizeof hello - 1)) /* they came up: standard error is the program's */
		text = report + sizeof hello - 1;
	int found = reports_read(&all, text);

	if (found > 0) {
		reports_want(&all, c->symboliser);
		if (symboliser_resolve(c->symboliser) && !c->warned++)
			log_warn("crashes cannot be distinguished by their stacks: %s", error_text());
		reports_settle(&all, c->symboliser, is_own, c);
	}
	if (found >= 0)
		collect(c, run, &all, text, err, f);
	reports_release(&all);
	free(err);
	free(report);
	return found < 0 ? -1 : 0;
}

/* Kinds that the cov variant must show as well, and how it then ends. */
static const struct {
	const char *kind;
	enum run_end end;
	const char *words; /* if it does not */
} doubtful[] = {
    {"timeout", RUN_TIME, "only where sanitizers make the program slow"},
    {"memory limit", RUN_MEMORY, "only where sanitizers need memory of their own"},
    {"stack-overflow", RUN_SIGNAL, "only where sanitizers make the stack's frames larger"},
};

static int second_opinion(struct confirm *c, const void *data, size_t size, struct finding *f)
{
	struct run_result run;
	size_t i = 0, count = sizeof doubtful / sizeof *doubtful;

	while (i < count && strcmp(f->bug.kind, doubtful[i].kind))
		i++;
	if (!f->bug.confirmed || i == count || (c->settled && !strcmp(f->bug.kind, c->settled)))
		return 0;
	if (run_in(c, &c->cov, VARIANT_COV, data, size, &run))
		return -1;
	if (run.end == doubtful[i].end)
		return 0;
	if (run.end == RUN_CUT) { /* half an answer is none */
		finding_release(f);
		f->cut = 1;
		return 0;
	}
	if (doubtful[i].end == RUN_TIME) {
		finding_release(f);
		if (run_in(c, &c->slow, VARIANT_SAN, data, size, &run) || read_run(c, &run, f))
			return -1;
		if (run.end == RUN_CUT)
			return 0;
		if (run.end != RUN_TIME)
			return second_opinion(c, data, size, f);
	}
	not_confirmed(f, doubtful[i].kind, doubtful[i].words);
	if (f->more_count) { /* what was found before that is */
		finding_list rest = {f->more, f->more_count, f->more_count};

		f->more = NULL, f->more_count = 0;
		finding_release(f);
		put_first(f, &rest, 0);
	}
	return 0;
}

static void set_dir(struct confirm *c, char *dir)
{
	c->variant_dir = dir;
	c->real_dir = realpath(dir, NULL);
	if (!c->real_dir)
		c->real_dir = mem_strdup(dir);
}

int confirm_read(struct confirm *c, const char *dir, const struct run_result *run,
		 struct finding *f)
{
	*f = FINDING_NONE;
	c->halts = 1;
	if (!c->variant_dir)
		set_dir(c, mem_strdup(dir));
	if (!read_run(c, run, f))
		return 0;
	finding_release(f);
	return -1;
}

int confirm_run(struct confirm *c, const void *data, size_t size, struct finding *f)
{
	struct run_result run;

	*f = FINDING_NONE;
	int brief = c->settled && !strcmp(c->settled, "timeout"), r = 0;
	if (brief)
		r = run_in(c, &c->brief, VARIANT_SAN, data, size, &run);
	if (!r && !(brief && run.end == RUN_TIME)) /* it ended, and so may have more to say */
		r = run_in(c, &c->san, VARIANT_SAN, data, size, &run);
	if (r) {
		f->cut = deadline_cut(); /* there was no time to make the variant */
		return f->cut ? 0 : -1;
	}
	if (!c->variant_dir)
		set_dir(c, file_dir((c->san.variant.path ? &c->san : &c->brief)->variant.path));
	if (read_run(c, &run, f) || second_opinion(c, data, size, f)) {
		finding_release(f);
		return -1;
	}
	return 0;
}
