/* trace.c: muster trace: one run of a program, its path in C.
 *
 * Makes the trace variant, runs it once under limits with the input's bytes
 * symbolic, validates what it left in the shared tables and prints it. On request
 * the trace is checked in two ways: every node computed again from the input
 * (--self-check), and the recorded constraints against the paths that changed inputs take
 * (--dependence), for which a variant with an event for every decision is traced
 * and the path variant run.
 */
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/option.h"
#include "base/vec.h"
#include "build/copies.h"
#include "build/variant.h"
#include "cmd/cmd.h"
#include "cmd/confine.h"
#include "cmd/targets.h"
#include "cmd/trace_activations.h"
#include "cmd/trace_show.h"
#include "run/print.h"
#include "run/sources.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct options {
	int json, summary, self_check, calls, libc, variant_only, prologue;
	const char *input, *output, *check;
	struct option_list summaries;
	int few;
	uint64_t table_limit, site_cap, dependence, seed, repeat, expr_nodes;
	struct target_options target;
};

/* One program, its variants and what they are run with. */
struct session {
	const struct options *o;
	char *const *argv;
	char *program;
	struct buf input;
	struct launch_input in;
	struct buf seeds; /* values of marked objects that no input supplied, for the oracle */
};

/* ------------------------------------------------------------- progress */

static const struct shm *watched;

static void *watch(void *unused)
{
	(void)unused;
	for (unsigned seconds = 2;; seconds += 2) {
		sleep(2);
		log_progress("%u s: %" PRIu64 " nodes, %" PRIu64 " events", seconds,
			     *(volatile uint64_t *)&watched->header->node_count,
			     *(volatile uint64_t *)&watched->header->event_count);
	}
	return NULL;
}

/* A run blocks; another thread has to look at the clock. */
static int run_watched(struct launcher *l, const struct launch_input *in, struct run_result *r,
		       const struct shm *shm)
{
	pthread_t thread;
	int watching = isatty(2) && !(watched = shm, pthread_create(&thread, NULL, watch, NULL));
	int failed = launcher_run(l, in, r);
	if (watching) {
		pthread_cancel(thread);
		pthread_join(thread, NULL);
		log_progress(NULL);
	}
	return failed;
}

static void mutant_done(unsigned done)
{
	log_progress("dependence: %u changed inputs", done);
}

/* -------------------------------------------------------------- the run */

static void read_input(struct session *s)
{
	const struct options *o = s->o;
	struct stat st;
	if (!o->input)
		return;
	if (stat(o->input, &st))
		die(EXIT_USAGE,
		    "there is no input '%s': name an existing file with --input, or leave it out",
		    o->input);
	if (S_ISREG(st.st_mode) && (uint64_t)st.st_size > o->target.shm.input_limit)
		die(EXIT_USAGE,
		    "'%s' has %lld bytes; the limit of symbolic input is %" PRIu64
		    ": use a smaller file, or --max-input",
		    o->input, (long long)st.st_size, o->target.shm.input_limit);
	if (file_read_limited(o->input, o->target.shm.input_limit, &s->input))
		die(EXIT_USAGE, "%s", error_text());
	s->in = target_input(s->argv, buf_str(&s->input), s->input.size, o->input);
}

static void start_session(struct session *s, const struct options *o, char **argv)
{
	memset(s, 0, sizeof *s);
	s->o = o;
	s->argv = argv;
	s->program = targets_program(argv[0]);
	read_input(s);
}

static void end_session(struct session *s)
{
	free(s->program);
	buf_release(&s->input);
	buf_release(&s->seeds);
}

static void make_target(struct target *t, const struct session *s, enum variant_kind kind)
{
	targets_make(t, s->program, s->argv, kind, &s->o->target);
}

static void open_trace(struct trace *t, const struct target *target, const struct run_result *r)
{
	int killed = r->end != RUN_EXIT && (r->end != RUN_SIGNAL || r->signal == SIGKILL);
	char words[600];
	if (trace_open(t, &target->shm, killed) == 0)
		return;
	run_result_words(r, words, sizeof words);
	die(EXIT_INCONCLUSIVE,
	    "%s. The run %s. Nothing of this trace can be used; look for the wild write with "
	    "-fsanitize=address",
	    error_text(), words);
}

/* A run that was stopped says nothing about what would have come: inconclusive, with the next step.
 */
static int check_end(const struct run_result *r)
{
	switch (r->end) {
	case RUN_TIME:
		log_warn("the program was stopped at the time limit; the trace goes up to there. "
			 "Give it more with --time");
		break;
	case RUN_WAITING:
		log_warn("the program waited, and was ended at the time limit; the trace goes up to there. What does it wait for?");
		break;
	case RUN_MEMORY:
		log_warn("the program was stopped at the memory limit; the trace goes up to there. "
			 "Give it more with --mem");
		break;
	case RUN_PROCESSES:
		log_warn("the program was stopped because it made too many processes; the trace "
			 "goes up to there. Try an input "
			 "or arguments with which it makes fewer");
		break;
	case RUN_STOPPED:
		log_warn("the program stopped itself (SIGSTOP or its kind) and nothing was there to "
			 "wake it; the trace goes up to "
			 "there");
		break;
	default:
		return EXIT_OK;
	}
	return EXIT_INCONCLUSIVE;
}

/* ----------------------------------------------------------------- checks */

#define SHOWN 10
#define CHANGED 64 /* inputs, for which a summary trace and an ordinary one are evaluated */

static int self_check(struct trace_show *show, const struct target *target, const struct session *s)
{
	static struct eval_check check;
	static struct eval_mismatch first[SHOWN];
	const struct trace *t = show->trace;
	struct sources bytes;
	struct print p;
	if (sources_load(&bytes, t, &target->options, &s->in))
		die(EXIT_USAGE, "%s", error_text());
	check = eval_self_check(t, bytes.inputs, first, SHOWN);
	sources_release(&bytes);
	show->check = &check;
	print_init(&p, t);
	for (uint64_t i = 0; i < check.mismatches && i < SHOWN; i++) {
		struct buf text = {0}, lets = {0};
		print_expr(&p, first[i].label, &text, &lets);
		log_warn("self-check: node %" PRIu32 " (%s, %u bits) had 0x%" PRIx64
			 ", its operands give 0x%" PRIx64 ": %s",
			 first[i].label, op_table[t->nodes[first[i].label].op].name,
			 t->nodes[first[i].label].width, (uint64_t)first[i].recorded,
			 (uint64_t)first[i].computed, buf_str(&text));
		buf_release(&text);
		buf_release(&lets);
	}
	print_release(&p);
	return check.mismatches ? EXIT_INTERNAL : EXIT_OK;
}

static void show_exception(const struct depend_exception *x, const struct trace *t,
			   const struct target *target)
{
	struct site site = {.file = "?", .function = "?"};
	struct buf text = {0}, lets = {0};
	struct print p;
	site_find(&target->sites, x->unit, x->index, &site);
	if (x->event < t->event_count) {
		print_init(&p, t);
		print_expr(&p, t->events[x->event].label, &text, &lets);
		print_release(&p);
	}
	log_warn("dependence: input %u (%s): %s; decision %" PRIu64 " at %s:%" PRIu32
		 " (%s); first false constraint: %s%s",
		 x->mutant, x->change, depend_words(x->verdict), x->position, site.file, site.line,
		 site.function,
		 x->event < t->event_count ? trace_event_text(t->events[x->event].kind) : "none",
		 x->event < t->event_count ? "" : "");
	if (text.size)
		log_warn("    %s%s%s", buf_str(&text), lets.size ? " where " : "", buf_str(&lets));
	char *path = mem_printf("muster-exception-%u", x->mutant);
	if (getenv("MUSTER_KEEP") && file_write_atomic(path, x->input.data, x->input.size) == 0)
		log_warn("    its bytes are in %s", path);
	free(path);
	buf_release(&text);
	buf_release(&lets);
}

static void event_words(const struct trace *t, uint64_t i, const struct site_tables *sites, struct buf *out)
{
	struct site site = {.file = "?", .function = "?"};

	if (i >= t->event_count) {
		buf_adds(out, "none");
		return;
	}
	site_find(sites, t->events[i].unit, t->events[i].index, &site);
	buf_addf(out, "%s at %s:%" PRIu32 " (%s)", trace_event_text(t->events[i].kind), site.file, site.line, site.function);
}

/* The trace that the user sees and the one with every decision are not of the same path, or one of them leaves something out. */
static void show_apart(const struct trace_show *show, const struct trace_places *places, const struct trace *all,
		       const struct target *target)
{
	struct buf ours = {0}, theirs = {0};

	event_words(show->trace, places->placed, show->sites, &ours);
	event_words(all, places->there, &target->sites, &theirs);
	log_warn("dependence: EXCEPTION: event %" PRIu64 " of the trace, %s, is not that of the variant with every decision, %s",
		 places->placed, buf_str(&ours), buf_str(&theirs));
	buf_release(&ours);
	buf_release(&theirs);
}

/* Objects that were marked without input bytes keep their seed values; the oracle gives them as
 * bytes. */
static void take_seeds(struct session *s, const struct trace *t)
{
	uint32_t source = t->header->object_source;
	uint64_t used = t->header->object_used;
	if (source >= t->source_count || used <= t->sources[source].size || used > s->o->target.shm.input_limit)
		return;
	buf_add(&s->seeds, s->in.memory, s->in.memory_size);
	buf_reserve(&s->seeds, used);
	memset(s->seeds.data + s->seeds.size, 0, used - s->seeds.size);
	s->seeds.size = used;
	for (uint32_t i = 1; i < t->node_count; i++)
		if (trace_is_node(t, i) && t->nodes[i].op == MUSTER_OP_INPUT &&
		    t->nodes[i].a == source && t->nodes[i].k < used &&
		    !(t->nodes[i].flags & MUSTER_NODE_UNREAD))
			s->seeds.data[t->nodes[i].k] = (char)t->nodes[i].low;
	s->in.memory = s->seeds.data;
	s->in.memory_size = used;
}

/* base: where the first run had its input; names of files decide, too. */
static int dependence(struct trace_show *show, struct session *s, const char *base)
{
	static struct depend_report report;
	struct target all, path, again;
	struct run_result r;
	struct trace t;

	take_seeds(s, show->trace);
	make_target(&all, s, VARIANT_TRACE_ALL);
	make_target(&path, s, VARIANT_PATH);
	make_target(&again, s, VARIANT_TRACE_ALL);
	all.options.base = path.options.base = again.options.base = base;
	struct launcher *l = launcher_new(&all.options);
	if (!l || run_watched(l, &s->in, &r, &all.shm))
		die(EXIT_USAGE, "%s", error_text());
	targets_check_started(&r);
	open_trace(&t, &all, &r);
	struct trace_places places;
	trace_compare(&places, show->trace, &t);
	int capped = show->trace->header->cap_count != 0; /* what was left out at caps is said, and nothing is claimed of it */
	struct depend d = {.path = path.options,
			   .traced = again.options,
			   .sites = &all.sites,
			   .input = s->in,
			   .shown = capped ? NULL : show->trace,
			   .places = &places,
			   .mutants = (unsigned)s->o->dependence,
			   .objects_too = s->in.memory == s->in.data,
			   .seed = s->o->seed,
			   .progress = mutant_done};
	int result = depend_run(&d, &t, &report), code = EXIT_OK;
	log_progress(NULL);
	show->depend = &report;
	if (result) {
		show->depend_error = mem_strdup(error_text());
		log_warn("dependence: %s", show->depend_error);
		code = result > 0 ? EXIT_INCONCLUSIVE : EXIT_INTERNAL;
	} else {
		if (report.within_trace)
			log_warn("dependence: the path variant takes another path from the start "
				 "(%s); changed inputs ran the "
				 "traced variant instead",
				 error_text());
		for (size_t i = 0; i < report.exceptions.size; i++)
			show_exception(&report.exceptions.data[i], report.exceptions.data[i].shown ? show->trace : &t, &all);
		if (report.apart != DEPEND_NOWHERE)
			show_apart(show, &places, &t, &all);
		code = depend_exceptions(&report) ? EXIT_INTERNAL : EXIT_OK;
	}
	launcher_free(l);
	trace_places_release(&places);
	trace_release(&t);
	target_release(&all);
	target_release(&path);
	target_release(&again);
	return code;
}

/* ------------------------------------------------------------- repeating */

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return a < b ? -1 : a > b;
}

static void repeat(struct trace_show *show, struct launcher *l, const struct session *s)
{
	VEC(double) costs = {0};
	for (uint64_t i = 0; i < s->o->repeat; i++) {
		struct run_result r;
		if (launcher_run(l, &s->in, &r))
			die(EXIT_USAGE, "%s", error_text());
		targets_check_started(&r);
		vec_push(&costs, r.user_seconds + r.system_seconds);
		show->repeat_faults = r.faults;
	}
	if (costs.size)
		qsort(costs.data, costs.size, sizeof *costs.data, by_value);
	show->repeats = (unsigned)costs.size;
	show->repeat_seconds = costs.data[costs.size / 2];
	vec_release(&costs);
}

/* ----------------------------------------------------------- activations */

/* What activations say, against the run and against an ordinary trace of it. */
static int check_activations(struct trace_show *show, const struct target *target, struct session *s, const char *base)
{
	static struct activations_check check;
	struct target plain;
	struct sources bytes;
	struct run_result r;
	struct trace t;

	if (sources_load(&bytes, show->trace, &target->options, &s->in))
		die(EXIT_USAGE, "%s", error_text());
	activations_values(show->activations, show->trace, show->pool, bytes.inputs, &check);
	make_target(&plain, s, VARIANT_TRACE);
	plain.options.base = base;
	struct launcher *l = launcher_new(&plain.options);
	if (!l || run_watched(l, &s->in, &r, &plain.shm))
		die(EXIT_USAGE, "%s", error_text());
	targets_check_started(&r);
	open_trace(&t, &plain, &r);
	if (!show->totals.full && !show->trace->cap_count)
		activations_compare(&t, show->trace, bytes.inputs, CHANGED, s->o->seed, &check);
	show->activations_check = &check;
	if (check.wrong || check.different)
		log_warn("self-check: %s", check.first);
	sources_release(&bytes);
	trace_release(&t);
	launcher_free(l);
	target_release(&plain);
	return check.wrong || check.different ? EXIT_INTERNAL : EXIT_OK;
}

/* -------------------------------------------------------------- the whole */

static void keep_output(const struct options *o, const struct run_result *r)
{
	if (!o->output)
		return;
	if (!strcmp(o->output, "-"))
		fwrite(r->out.data, 1, r->out.size, stderr);
	else if (file_write_atomic(o->output, r->out.data ? r->out.data : "", r->out.size))
		die(EXIT_USAGE, "%s", error_text());
	if (r->out_cut)
		log_warn("the program wrote more output than is kept; the rest was dropped");
}

/* The exit code in a word, for JSON: both come from here. */
static const char *status_of(int code, const struct trace_show *show)
{
	if (code == EXIT_INTERNAL)
		return "failed";
	if (code != EXIT_INCONCLUSIVE)
		return "complete";
	return show->depend_error && show->depend ? "inconclusive" : "budget";
}

static void read_calls(struct calls *c, const struct options *o, const struct trace *t)
{
	if ((o->calls || o->summaries.size) && calls_read(c, t))
		die(EXIT_INCONCLUSIVE, "%s. Nothing of these calls can be used; look for the wild write with -fsanitize=address", error_text());
}

static void read_activations(struct activations *a, const struct options *o, const struct trace *t, const struct calls *c, struct exprs *pool,
			     uint64_t input_size)
{
	if (o->summaries.size && activations_read(a, t, c, pool, input_size))
		die(EXIT_INCONCLUSIVE, "%s. Nothing of these activations can be used; look for the wild write with -fsanitize=address", error_text());
}

static int trace_once(const struct options *o, char **argv)
{
	struct session s;
	struct target target;
	struct run_result r;
	struct trace t;
	double start = clock_seconds();
	int code = EXIT_OK;

	start_session(&s, o, argv);
	make_target(&target, &s, o->calls || o->summaries.size ? VARIANT_CALLS : VARIANT_TRACE);
	if (o->summaries.size && trace_activations_name(&target.shm, &target.sites, &o->summaries))
		die(EXIT_USAGE, "%s", error_text());
	if (o->variant_only) {
		puts(target.variant.path);
		return EXIT_OK;
	}
	if (o->output) {
		target.options.out = LAUNCH_CAPTURE;
		target.options.err = LAUNCH_INHERIT;
		target.options.output_limit = 256u << 20;
	}
	target.options.server = o->repeat > 0;
	struct launcher *l = launcher_new(&target.options);
	if (!l || run_watched(l, &s.in, &r, &target.shm))
		die(EXIT_USAGE, "%s", error_text());
	targets_check_started(&r);
	keep_output(o, &r);
	open_trace(&t, &target, &r);

	struct calls calls = {0};
	read_calls(&calls, o, &t);
	struct activations activations = {0};
	struct exprs *pool = exprs_new();
	read_activations(&activations, o, &t, &calls, pool, s.in.size);
	struct trace_show show = {.program = argv[0],
				  .trace = &t,
				  .sites = &target.sites,
				  .run = &r,
				  .shm = &target.shm,
				  .node_limit = (unsigned)o->expr_nodes,
				  .libc = o->libc,
				  .calls = o->calls ? &calls : NULL,
				  .activations = o->summaries.size ? &activations : NULL,
				  .pool = pool,
				  .variant_seconds = target.seconds,
				  .copies = copies_name(target.variant.copies)};
	trace_totals(&t, &show.totals);
	code = check_end(&r);
	if (o->self_check && self_check(&show, &target, &s))
		code = EXIT_INTERNAL;
	if (o->self_check && o->summaries.size && code == EXIT_OK)
		code = check_activations(&show, &target, &s, launcher_base(l));
	if (o->dependence && code == EXIT_OK)
		code = dependence(&show, &s, launcher_base(l));
	else if (o->dependence)
		show.depend_error = mem_strdup("not compared: the trace has no end, or failed its self-check");
	if (show.totals.full && code == EXIT_OK) {
		log_warn("a table of the trace is full; the trace and what was checked go up to there. "
			 "Next: a larger --max-nodes or --max-events");
		code = EXIT_INCONCLUSIVE;
	}
	if (o->repeat) { /* writes over the tables: look at them again */
		repeat(&show, l, &s);
		trace_release(&t);
		open_trace(&t, &target, &r);
		calls_release(&calls);
		read_calls(&calls, o, &t);
		activations_release(&activations);
		read_activations(&activations, o, &t, &calls, pool, s.in.size);
	}
	show.seconds = clock_seconds() - start;
	show.status = status_of(code, &show);
	if (o->json || o->summary)
		trace_show_json(&show, !o->summary);
	else
		trace_show_text(&show);
	launcher_free(l);
	free(show.depend_error);
	activations_release(&activations);
	exprs_free(pool);
	calls_release(&calls);
	trace_release(&t);
	target_release(&target);
	end_session(&s);
	return code;
}

int cmd_trace(int argc, char **argv)
{
	struct options o = {.seed = 1, .target = TARGET_DEFAULTS};
	o.target.by_clock = 1;
	const struct option_row rows[] = {
	    OPTION_STR("input", 'i', "FILE", &o.input,
		       "the input: the file named by @@, else standard input and marked objects"),
	    TARGET_INPUT_ROWS(&o.target),
	    OPTION_FLAG("summary", 's', &o.summary, "totals only, as JSON"),
	    OPTION_FLAG("json", 0, &o.json, "the path as JSON"),
	    OPTION_STR("output", 0, "FILE", &o.output,
		       "keep the program's standard output (-: show it on standard error)"),
	    OPTION_FLAG("self-check", 0, &o.self_check,
			"compute every node again from the input; exit 4 on a difference"),
	    OPTION_U64("dependence", 0, "N", &o.dependence,
		       "run N changed inputs against the constraints; exit 4 if one contradicts"),
	    OPTION_U64("seed", 0, "N", &o.seed, "of the changes (1)"),
	    OPTION_U64("repeat", 0, "N", &o.repeat,
		       "run N times more through the fork server, and report the cost"),
	    OPTION_U64("expr-nodes", 0, "N", &o.expr_nodes,
		       "nodes of a condition that are written out (64)"),
	    OPTION_FLAG("libc", 0, &o.libc, "print what happens inside libc functions too, which is counted otherwise"),
	    OPTION_FLAG("calls", 0, &o.calls, "the tree of calls too, with arguments and results"),
	    OPTION_LIST("summaries", 0, "FUNCTION", &o.summaries, "activations of the function (or of all): what they read, decide and write; may be repeated"),
	    OPTION_FLAG("few", 0, &o.few, "with --summaries: only what may become a summary, as 'muster test' asks for it: 64 calls of a function, until they are too large"),
	    OPTION_STR("check", 'c', "LIST", &o.check, "whose checks the path has: names of 'muster show checkers', all, none (default)"),
	    TARGET_TIME_ROW(&o.target),
	    TARGET_MEM_ROW(&o.target),
	    OPTION_U64("table-limit", 0, "N", &o.table_limit,
		       "largest object, in bytes, that is read at a symbolic index (256)"),
	    OPTION_U64("site-cap", 0, "N", &o.site_cap,
		       "events one source place may have (no limit)"),
	    OPTION_U64("max-input", 0, "N", &o.target.shm.input_limit, "largest symbolic input in bytes (64M)"),
	    OPTION_U64("max-nodes", 0, "N", &o.target.shm.nodes, "room for nodes"),
	    OPTION_U64("max-events", 0, "N", &o.target.shm.events, "room for events"),
	    OPTION_FLAG(
		"prologue", 0, &o.prologue,
		"print the C definitions that conditions rely on (u32le, sx ...), run nothing"),
	    OPTION_FLAG("variant-only", 0, &o.variant_only,
			"make the variant, print its path, run nothing"),
	    CONFINE_ROWS,
	    OPTION_END};
	const struct option_spec spec = {"trace", "[options] -- PROGRAM [ARGUMENTS with @@]",
					 "Runs a program that was built with muster cc (or a "
					 "single .c file) and prints the path its input took:\n"
					 "each branch that depended on the input, with its "
					 "condition in C over the input's bytes. The program's\n"
					 "own output is discarded unless --output is given.",
					 rows};
	int i = option_parse(&spec, argc, argv);
	confine_apply(&spec);
	if (o.prologue) {
		fputs(cx_prologue, stdout);
		return EXIT_OK;
	}
	if (i >= argc)
		option_usage(&spec, "which program? muster trace --input FILE -- ./prog");
	if (o.check && variant_checks_list(o.check))
		option_usage(&spec, "--check: %s", error_text());
	o.target.shm.table_limit = (uint32_t)o.table_limit;
	o.target.shm.site_cap = (uint32_t)o.site_cap;
	o.target.shm.flags = o.calls || o.summaries.size ? MUSTER_FLAG_CALLS : 0;
	o.target.shm.flags |= o.summaries.size ? MUSTER_FLAG_SUMMARIES | (o.few ? MUSTER_FLAG_FEW : 0) : 0;
	o.target.part = !o.output; /* what such a run prints, it might print twice */
	return trace_once(&o, argv + i);
}
