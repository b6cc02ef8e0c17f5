/* trace_show.c: prints a trace.
 *
 * Both forms go through the events once, in order, and write out what they have
 * every so often: a trace of millions of events needs no memory for its text.
 * A line of the text form has a fixed shape (trace_show.h), so that scripts can
 * take it apart; the JSON form has the same content, keyed.
 */
#include "cmd/trace_show.h"

#include "cmd/confine.h"
#include "cmd/trace_activations.h"
#include "cmd/trace_calls.h"

#include "base/json.h"
#include "ir/checker.h"
#include "run/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FLUSH (1u << 16)

static void flush(struct buf *b, size_t keep_below)
{
	if (b->size <= keep_below)
		return;
	fwrite(b->data, 1, b->size, stdout);
	buf_clear(b);
}

/* What an event is called: a select is a branch without a jump, a check one that the compiler made. */
static const char *kind_text(const struct muster_event *e, const struct site *site)
{
	if (e->kind == MUSTER_EV_BRANCH && site->check)
		return "check";
	if (e->kind == MUSTER_EV_BRANCH && site->kind == SITE_SELECT)
		return "select";
	return trace_event_text(e->kind);
}

static int is_shown(const struct trace_show *s, const struct muster_event *e)
{
	if (e->kind == MUSTER_EV_BRANCH || e->kind == MUSTER_EV_SWITCH)
		return e->label || s->all;
	return e->kind != MUSTER_EV_END && e->kind != MUSTER_EV_NONE && !trace_calls_event(e) && !trace_activations_event(e);
}

/* The event's expression, with its bindings. Returns 0 if parts were left out. */
static int expression(struct print *p, const struct muster_event *e, struct buf *text,
		      struct buf *lets)
{
	buf_clear(text);
	buf_clear(lets);
	if (!e->label || !trace_is_node(p->trace, e->label))
		return 1;
	switch (e->kind) {
	case MUSTER_EV_BRANCH:
	case MUSTER_EV_BOUND:
	case MUSTER_EV_GIVEN:
		return print_expr(p, e->label, text, lets);
	case MUSTER_EV_SWITCH:
	case MUSTER_EV_CONCRETE:
		return print_equal(p, e->label, text, lets);
	case MUSTER_EV_STALE:
	case MUSTER_EV_ALLOC:
		return print_expr(p, e->label, text, lets);
	default:
		return 1;
	}
}

static const char *full_words(unsigned arg)
{
	return arg ? "the event table is full: the trace ends here, the program went on "
		     "(--max-events)"
		   : "the node table is full: the trace ends here, the program went on "
		     "(--max-nodes)";
}

static void describe(const struct muster_event *e, const struct site *site, const char *text, struct buf *out)
{
	switch (e->kind) {
	case MUSTER_EV_BRANCH:
		if (site->check) { /* clang states the safe form */
			buf_addf(out, "%s: %s: %s", checker_get(site->checker)->name, e->arg ? "holds" : "does not hold",
				 e->label ? text : "concrete");
			break;
		}
		buf_addf(out, "%s: %s", e->arg ? "taken" : "not taken",
			 e->label ? text : "concrete");
		break;
	case MUSTER_EV_SWITCH:
		buf_adds(out, e->label ? text : "concrete");
		break;
	case MUSTER_EV_BOUND:
		if (MUSTER_BOUND_CHECKER(e->arg))
			buf_addf(out, "%s: ", checker_get(MUSTER_BOUND_CHECKER(e->arg))->name);
		buf_addf(out, "%s: %s", MUSTER_BOUND_HELD(e->arg) ? "holds" : "does not hold", text);
		break;
	case MUSTER_EV_GIVEN:
		buf_addf(out, "%s: %s", e->arg ? "holds" : "does not hold", text);
		break;
	case MUSTER_EV_CONCRETE:
		buf_addf(out, "%s: %s (%s)", trace_reason_key(e->arg), text,
			 trace_reason_text(e->arg));
		break;
	case MUSTER_EV_STALE:
		buf_addf(out, "%s no longer held %s: written unseen, the label is dropped",
			 e->arg ? "a register" : "memory", text);
		break;
	case MUSTER_EV_THREAD:
		buf_adds(out, "a thread was started; it runs concretely");
		break;
	case MUSTER_EV_FORK:
		buf_adds(out, "a child process was made; it runs concretely");
		break;
	case MUSTER_EV_LOST:
		buf_adds(out, trace_loss_text(e->arg));
		break;
	case MUSTER_EV_CAP:
		buf_adds(
		    out,
		    "event cap reached: later events of this site are only counted (--site-cap)");
		break;
	case MUSTER_EV_FULL:
		buf_adds(out, full_words(e->arg));
		break;
	default:
		buf_adds(out, text);
		break;
	}
}

static void add_lets(struct buf *out, const char *lets)
{
	while (*lets) {
		const char *end = strchr(lets, '\n');
		buf_addf(out, "    where %.*s\n", (int)(end - lets), lets);
		lets = end + 1;
	}
}

/* ------------------------------------------------------------ inside libc */

/* Where muster's own bodies of libc functions are compiled. */
#define LIBC "runtime/libc/"
#define WRAP "__wrap_"
#define FOLDED 8 /* functions that a line names */
#define BRIEF_NODES 16 /* of a condition that is too large to be written out, such as that of a number that libc read: its shape */

/* Events inside libc that follow each other. */
struct fold {
	struct {
		const char *function;
		uint64_t count;
	} list[FOLDED];
	unsigned functions;
	uint64_t more; /* of other functions */
	uint64_t all;  /* in the whole trace */
};

/* The name that the program calls it by. */
static const char *function_name(const struct site *site)
{
	if (!site->function || !site->function[0])
		return "?";
	return strncmp(site->function, WRAP, strlen(WRAP)) ? site->function : site->function + strlen(WRAP);
}

/* What is lost stays visible, and so does what a checker looks for. */
static int is_folded(const struct trace_show *s, const struct muster_event *e, const struct site *site)
{
	if (s->libc || !site->file || strncmp(site->file, LIBC, strlen(LIBC)))
		return 0;
	return e->kind == MUSTER_EV_SWITCH || (e->kind == MUSTER_EV_BRANCH && (!site->check || e->arg)) ||
	       (e->kind == MUSTER_EV_BOUND && MUSTER_BOUND_HELD(e->arg));
}

static void fold(struct fold *f, const char *function)
{
	unsigned i = 0;
	f->all++;
	while (i < f->functions && strcmp(f->list[i].function, function))
		i++;
	if (i == FOLDED) {
		f->more++;
		return;
	}
	if (i == f->functions) {
		f->list[i].function = function;
		f->list[i].count = 0;
		f->functions++;
	}
	f->list[i].count++;
}

/* The line for what was folded since the last one. */
static void unfold(struct fold *f, struct buf *out)
{
	for (unsigned i = 0; i < f->functions; i++)
		buf_addf(out, "%s%" PRIu64 " in %s", i ? ", " : "    libc: ", f->list[i].count, function_name(&(struct site){.function = f->list[i].function}));
	if (f->more)
		buf_addf(out, ", %" PRIu64 " in others", f->more);
	if (f->functions)
		buf_addc(out, '\n');
	f->functions = 0;
	f->more = 0;
}

/* Returns how many were folded. */
static uint64_t show_events(const struct trace_show *s)
{
	struct fold libc = {0};
	struct buf out = {0}, text = {0}, lets = {0};
	struct print p;
	print_init(&p, s->trace);
	if (s->node_limit)
		p.node_limit = s->node_limit;
	for (uint64_t i = 0; i < s->trace->event_count; i++) {
		const struct muster_event *e = &s->trace->events[i];
		struct site site = {.file = "", .function = ""};
		if (s->calls && trace_calls_event(e)) {
			unfold(&libc, &out);
			trace_calls_text(s, &p, i, &out);
			flush(&out, FLUSH);
		}
		if (!is_shown(s, e))
			continue;
		if (e->unit || e->index)
			site_find(s->sites, e->unit, e->index, &site);
		if (is_folded(s, e, &site)) {
			fold(&libc, site.function);
			continue;
		}
		unfold(&libc, &out);
		if (!expression(&p, e, &text, &lets) && !s->libc && !s->node_limit) {
			p.node_limit = BRIEF_NODES; /* not all of it is legible anyway */
			expression(&p, e, &text, &lets);
			p.node_limit = PRINT_NODES;
		}
		if (site.file && site.file[0])
			buf_addf(&out, "%s:%" PRIu32 ":%" PRIu32 ": ", site.file, site.line,
				 site.column);
		else
			buf_adds(&out, "?:0:0: ");
		buf_addf(&out, "%s: %s: ", function_name(&site), kind_text(e, &site));
		describe(e, &site, buf_str(&text), &out);
		buf_addc(&out, '\n');
		add_lets(&out, buf_str(&lets));
		flush(&out, FLUSH);
	}
	unfold(&libc, &out);
	flush(&out, 0);
	print_release(&p);
	buf_release(&out);
	buf_release(&text);
	buf_release(&lets);
	return libc.all;
}

static void count(const char *one, const char *many, uint64_t n, const char **comma)
{
	if (!n)
		return;
	printf("%s%" PRIu64 " %s", *comma, n, n == 1 ? one : many);
	*comma = ", ";
}

static void show_totals(const struct trace_show *s, uint64_t folded)
{
	const struct trace_totals *t = &s->totals;
	const char *comma = "";
	printf("\n");
	if (!t->branches && !t->switches)
		printf("no branch depended on the input%s",
		       t->concretisations || t->bounds ? "; " : "");
	count("branch", "branches", t->branches, &comma);
	count("switch", "switches", t->switches, &comma);
	count("concretisation", "concretisations", t->concretisations, &comma);
	count("bound", "bounds", t->bounds, &comma);
	count("stale label", "stale labels", t->stale, &comma);
	count("loss", "losses", t->lost, &comma);
	count("thread", "threads", s->run->counts.threads, &comma);
	count("child process", "child processes", s->run->counts.forks, &comma);
	count("event dropped at caps", "events dropped at caps", s->run->counts.dropped, &comma);
	if (folded)
		printf("; %" PRIu64 " of them inside libc (--libc prints each)", folded);
	printf("\n%" PRIu32 " nodes, %" PRIu64 " events, %.3f s of CPU, %" PRIu64 " MiB\n",
	       s->trace->node_count - 1, s->trace->event_count,
	       s->run->user_seconds + s->run->system_seconds, s->run->peak_kib / 1024);
	for (unsigned i = 0; i < s->trace->source_count; i++)
		if (s->trace->header->sources[i].used && s->trace->sources[i].size)
			printf("%s: %" PRIu64 " bytes\n", s->trace->sources[i].name,
			       s->trace->sources[i].size);
}

static void show_checks(const struct trace_show *s)
{
	const struct activations_check *a = s->activations_check;

	if (a)
		printf("activations: %" PRIu64 " terms computed again, %" PRIu64 " with another value; %u changed inputs, %u with another path than in an ordinary "
		       "trace\n", a->terms, a->wrong, a->changed, a->different);
	if (s->check) {
		printf("self-check: %" PRIu64 " nodes computed again from the input: ",
		       s->check->nodes);
		if (s->check->mismatches)
			printf("%" PRIu64 " MISMATCHES\n", s->check->mismatches);
		else
			printf("all have the value they had\n");
	}
	if (s->depend_error)
		printf("dependence: %s\n", s->depend_error);
	else if (s->depend) {
		printf("dependence: %u changed inputs, %" PRIu64 " constraints, %" PRIu64
		       " decisions:",
		       s->depend->mutants, s->depend->constraints, s->depend->decisions);
		for (unsigned v = 0; v < DEPEND_COUNT; v++)
			if (s->depend->count[v])
				printf("%s %u %s", v ? ";" : "", s->depend->count[v],
				       depend_words(v));
		if (s->depend->apart != DEPEND_NOWHERE)
			printf("; EXCEPTION: event %" PRIu64 " is not that of the variant with every decision", s->depend->apart);
		printf("\n");
	}
}

static void show_activations(const struct trace_show *s)
{
	struct buf out = {0};

	if (!s->activations)
		return;
	trace_activations_text(s, &out);
	flush(&out, 0);
	buf_release(&out);
}

void trace_show_text(const struct trace_show *s)
{
	char words[600];
	show_activations(s);
	show_totals(s, show_events(s));
	show_checks(s);
	if (s->repeats)
		printf("%u repeated runs: %.6f s of CPU each (median), the first %.6f s\n",
		       s->repeats, s->repeat_seconds,
		       s->run->user_seconds + s->run->system_seconds);
	run_result_words(s->run, words, sizeof words);
	printf("end: %s\n", words);
}

/* ------------------------------------------------------------------ JSON */

static void json_u64_key(struct json *j, const char *key, uint64_t v)
{
	json_key(j, key);
	json_u64(j, v);
}

static void json_str_key(struct json *j, const char *key, const char *v)
{
	json_key(j, key);
	json_str(j, v);
}

static void json_double_key(struct json *j, const char *key, double v)
{
	json_key(j, key);
	json_double(j, v);
}

static void json_event(struct json *j, const struct trace_show *s, struct print *p,
		       const struct muster_event *e, struct buf *text, struct buf *lets)
{
	struct site site = {.file = "", .function = ""};
	if (e->unit || e->index)
		site_find(s->sites, e->unit, e->index, &site);
	int whole = expression(p, e, text, lets);
	json_object_open(j);
	json_str_key(j, "kind", kind_text(e, &site));
	json_str_key(j, "file", site.file);
	json_u64_key(j, "line", site.line);
	json_u64_key(j, "column", site.column);
	json_str_key(j, "function", function_name(&site));
	json_key(j, "unit");
	json_hex(j, e->unit);
	json_u64_key(j, "index", e->index);
	if (text->size)
		json_str_key(j, e->kind == MUSTER_EV_STALE ? "expression" : "condition",
			     buf_str(text));
	if (lets->size)
		json_str_key(j, "where", buf_str(lets));
	if (!whole)
		json_key(j, "shortened"), json_bool(j, 1);
	if (e->kind == MUSTER_EV_BRANCH)
		json_key(j, site.check ? "holds" : "taken"), json_bool(j, e->arg);
	if (e->kind == MUSTER_EV_BRANCH && site.check)
		json_str_key(j, "checker", checker_get(site.checker)->name);
	if (e->kind == MUSTER_EV_GIVEN)
		json_key(j, "holds"), json_bool(j, e->arg);
	if (e->kind == MUSTER_EV_BOUND) {
		json_key(j, "holds"), json_bool(j, MUSTER_BOUND_HELD(e->arg));
		if (MUSTER_BOUND_CHECKER(e->arg))
			json_str_key(j, "checker", checker_get(MUSTER_BOUND_CHECKER(e->arg))->name);
	}
	if (e->kind == MUSTER_EV_CONCRETE)
		json_str_key(j, "reason", trace_reason_key(e->arg));
	if (e->kind == MUSTER_EV_LOST)
		json_str_key(j, "loss", trace_loss_key(e->arg));
	if (e->label && trace_is_node(s->trace, e->label)) {
		json_u64_key(j, "label", e->label);
		json_key(j, "value");
		json_hex(j, (uint64_t)trace_value(s->trace, e->label));
	}
	json_object_close(j);
}

static void json_path(struct json *j, const struct trace_show *s)
{
	struct buf text = {0}, lets = {0};
	struct print p;
	print_init(&p, s->trace);
	if (s->node_limit)
		p.node_limit = s->node_limit;
	json_key(j, "path");
	json_array_open(j);
	for (uint64_t i = 0; i < s->trace->event_count; i++) {
		if (!is_shown(s, &s->trace->events[i]))
			continue;
		json_event(j, s, &p, &s->trace->events[i], &text, &lets);
		flush(j->out, FLUSH);
	}
	json_array_close(j);
	print_release(&p);
	buf_release(&text);
	buf_release(&lets);
}

static void json_end(struct json *j, const struct run_result *r)
{
	char words[600];
	run_result_words(r, words, sizeof words);
	json_str_key(j, "end", run_end_key(r->end));
	json_str_key(j, "end_text", words);
	if (r->end == RUN_EXIT)
		json_u64_key(j, "code", (uint64_t)r->code);
	if (r->end == RUN_SIGNAL)
		json_u64_key(j, "signal", (uint64_t)r->signal);
}

static void json_totals(struct json *j, const struct trace_show *s)
{
	const struct trace_totals *t = &s->totals;
	const struct run_result *r = s->run;
	json_double_key(j, "target_seconds", r->user_seconds + r->system_seconds);
	json_double_key(j, "user_seconds", r->user_seconds);
	json_double_key(j, "system_seconds", r->system_seconds);
	json_double_key(j, "wall_seconds", r->wall_seconds);
	json_u64_key(j, "peak_kib", r->peak_kib);
	json_u64_key(j, "page_faults", r->faults);
	json_u64_key(j, "nodes", s->trace->node_count - 1);
	json_u64_key(j, "events", s->trace->event_count);
	json_u64_key(j, "trace_bytes",
		     (s->trace->node_count - 1) * sizeof(struct muster_node) +
			 s->trace->event_count * sizeof(struct muster_event));
	json_u64_key(j, "branches", t->branches);
	json_u64_key(j, "switches", t->switches);
	json_u64_key(j, "bounds", t->bounds);
	json_u64_key(j, "concretisations", t->concretisations);
	json_key(j, "reasons");
	json_object_open(j);
	for (unsigned i = 0; i < MUSTER_REASON_COUNT; i++)
		if (t->by_reason[i])
			json_u64_key(j, trace_reason_key(i), t->by_reason[i]);
	json_object_close(j);
	json_u64_key(j, "lost", t->lost);
	json_u64_key(j, "stale", r->counts.stale);
	json_u64_key(j, "threads", r->counts.threads);
	json_u64_key(j, "forks", r->counts.forks);
	json_u64_key(j, "capped", t->capped);
	json_u64_key(j, "dropped", r->counts.dropped);
	json_key(j, "truncated");
	json_bool(j, t->full != 0);
}

static void json_sources(struct json *j, const struct trace_show *s)
{
	json_key(j, "sources");
	json_array_open(j);
	for (unsigned i = 0; i < s->trace->source_count; i++) {
		json_object_open(j);
		json_str_key(j, "name", s->trace->sources[i].name);
		json_u64_key(j, "size", s->trace->sources[i].size);
		json_u64_key(j, "used", s->trace->header->sources[i].used);
		json_object_close(j);
	}
	json_array_close(j);
	if (!s->trace->object_count)
		return;
	json_key(j, "objects");
	json_array_open(j);
	for (unsigned i = 0; i < s->trace->object_count; i++) {
		const struct muster_object *o = &s->trace->header->objects[i];
		json_object_open(j);
		json_key(j, "name");
		json_strn(j, o->name, strnlen(o->name, sizeof o->name));
		json_u64_key(j, "offset", o->offset);
		json_u64_key(j, "size", o->size);
		json_object_close(j);
	}
	json_array_close(j);
}

static void json_check(struct json *j, const struct trace_show *s)
{
	json_key(j, "self_check");
	json_object_open(j);
	json_u64_key(j, "compared", s->check->nodes);
	json_u64_key(j, "undefined", s->check->undefined);
	json_u64_key(j, "mismatches", s->check->mismatches);
	json_object_close(j);
}

static void json_depend(struct json *j, const struct trace_show *s)
{
	const struct depend_report *d = s->depend;
	json_key(j, "dependence");
	json_object_open(j);
	if (s->depend_error) {
		json_str_key(j, "error", s->depend_error);
		json_object_close(j);
		return;
	}
	json_u64_key(j, "mutants", d->mutants);
	json_u64_key(j, "constraints", d->constraints);
	json_u64_key(j, "decisions", d->decisions);
	for (unsigned v = 0; v < DEPEND_COUNT; v++)
		json_u64_key(j, depend_key(v), d->count[v]);
	if (d->apart != DEPEND_NOWHERE)
		json_u64_key(j, "apart", d->apart);
	json_u64_key(j, "exceptions", depend_exceptions(d));
	json_object_close(j);
}

void trace_show_json(const struct trace_show *s, int path)
{
	struct buf out = {0};
	struct json j;
	json_begin(&j, &out);
	j.indent = path ? 1 : 2;
	json_object_open(&j);
	json_str_key(&j, "command", "trace");
	json_str_key(&j, "status", s->status);
	confine_json(&j);
	json_str_key(&j, "program", s->program);
	json_double_key(&j, "seconds", s->seconds);
	json_double_key(&j, "variant_seconds", s->variant_seconds);
	json_str_key(&j, "copies", s->copies);
	json_end(&j, s->run);
	json_totals(&j, s);
	if (s->repeats) {
		json_u64_key(&j, "repeats", s->repeats);
		json_double_key(&j, "first_seconds", s->run->user_seconds + s->run->system_seconds);
		json_double_key(&j, "repeat_seconds", s->repeat_seconds);
		json_u64_key(&j, "repeat_faults", s->repeat_faults);
	}
	json_sources(&j, s);
	if (s->check)
		json_check(&j, s);
	if (s->depend || s->depend_error)
		json_depend(&j, s);
	if (path && s->calls)
		trace_calls_json(s, &j);
	if (path && s->activations)
		trace_activations_json(s, &j);
	if (path)
		json_path(&j, s);
	json_object_close(&j);
	buf_addc(&out, '\n');
	flush(&out, 0);
	buf_release(&out);
}
