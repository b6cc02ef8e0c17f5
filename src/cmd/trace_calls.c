/* trace_calls.c: the tree of calls, printed.
 *
 * In text a call and its return are lines of the path, at the place where they happened, indented by depth. In JSON each call is an object of
 * the list `calls`, which names its caller by position.
 */
#include "cmd/trace_calls.h"

#include <inttypes.h>
#include <string.h>

#define INDENT 2
#define INDENT_MAX 64 /* levels */
#define LIBC "runtime/libc/"
#define WRAP "__wrap_"

int trace_calls_event(const struct muster_event *e)
{
	return e->kind == MUSTER_EV_CALL || e->kind == MUSTER_EV_CALLER || e->kind == MUSTER_EV_ARGUMENT || e->kind == MUSTER_EV_RESULT ||
	       e->kind == MUSTER_EV_RETURN;
}

static const char *plain_name(const char *name)
{
	return strncmp(name, WRAP, strlen(WRAP)) ? name : name + strlen(WRAP);
}

/* The function that begins there. */
static struct site_function function_at(const struct trace_show *s, uint32_t unit, uint32_t index)
{
	struct site_function f;

	if (!site_find_function(s->sites, unit, index, &f))
		return (struct site_function){.name = "?", .file = "", .directory = ""};
	f.name = plain_name(f.name);
	return f;
}

static int is_libc(const struct site_function *f)
{
	return !strncmp(f->file, LIBC, strlen(LIBC));
}

static int is_known(const struct trace_show *s, uint32_t unit)
{
	return unit != 0 && site_tables_find(s->sites, unit) != NULL;
}

/* How many of the calls that it lies in are printed, up to INDENT_MAX. */
static unsigned level_of(const struct trace_show *s, const struct call *c)
{
	unsigned n = 0, steps = 0;

	for (uint32_t i = c->parent; i != CALLS_NONE && n < INDENT_MAX; i = s->calls->list.data[i].parent) {
		const struct call *outer = &s->calls->list.data[i];
		struct site_function f = function_at(s, outer->unit, outer->index);
		n += s->libc || !is_libc(&f);
		if (++steps == 2 * INDENT_MAX)
			break;
	}
	return n;
}

/* A value in C. One that no input touches is a number: small negative ones of the usual sizes as such, others of 64 bits that look like
 * addresses in hexadecimal. */
static void add_value(struct print *p, uint32_t label, struct buf *text, struct buf *lets)
{
	const struct trace *t = p->trace;

	if (!label) {
		buf_adds(text, "/* floating point */");
		return;
	}
	const struct muster_node *n = &t->nodes[label];
	if (n->op != MUSTER_OP_CONST || n->width > 64) {
		print_expr(p, label, text, lets);
		return;
	}
	uint64_t v = muster_value(n);
	int64_t number = (int64_t)(v << (64 - n->width)) >> (64 - n->width);
	if (n->width >= 32 && number < 0 && number > -65536)
		buf_addf(text, "%" PRId64, number);
	else if (v > UINT32_MAX)
		buf_addf(text, "0x%" PRIx64, v);
	else
		buf_addf(text, "%" PRIu64, v);
}

/* Leaves of one parameter that is a structure stand in braces. */
static void add_arguments(struct print *p, const struct call *c, struct buf *text, struct buf *lets)
{
	const struct muster_event *e = p->trace->events + c->first_argument;

	for (uint32_t i = 0; i < c->arguments; i++) {
		int first = !i || e[i - 1].more != e[i].more, last = i + 1 == c->arguments || e[i + 1].more != e[i].more;
		buf_adds(text, i ? ", " : "");
		buf_adds(text, first && !last ? "{" : "");
		add_value(p, e[i].label, text, lets);
		buf_adds(text, last && !first ? "}" : "");
	}
}

static void add_results(struct print *p, const struct call *c, struct buf *text, struct buf *lets)
{
	for (uint32_t i = 0; i < c->results; i++) {
		buf_adds(text, i ? ", " : c->results > 1 ? "{" : "");
		add_value(p, p->trace->events[c->first_result + i].label, text, lets);
	}
	buf_adds(text, c->results > 1 ? "}" : "");
}

static void add_place(const struct trace_show *s, const struct call *c, int begins, const struct site_function *f, struct buf *out)
{
	struct site site;

	if (begins && is_known(s, c->from_unit)) {
		site_find(s->sites, c->from_unit, c->from_index, &site);
		buf_addf(out, "%s:%" PRIu32 ":%" PRIu32 ": %s: call: ", site.file[0] ? site.file : "?", site.line, site.column,
			 site.function[0] ? plain_name(site.function) : "?");
		return;
	}
	buf_addf(out, "%s:%" PRIu32 ":0: %s: %s: ", f->file[0] ? f->file : "?", f->line, begins ? "?" : f->name, begins ? "call" : "return");
}

void trace_calls_text(const struct trace_show *s, struct print *p, uint64_t event, struct buf *out)
{
	const struct call *c = calls_at(s->calls, event);
	struct buf text = {0}, lets = {0};

	if (!c)
		return;
	struct site_function f = function_at(s, c->unit, c->index);
	int begins = c->begin == event;
	if (is_libc(&f) && !s->libc)
		return;
	add_place(s, c, begins, &f, out);
	buf_addf(out, "%*s%s", (int)(INDENT * level_of(s, c)), "", f.name);
	if (begins) {
		buf_addc(&text, '(');
		add_arguments(p, c, &text, &lets);
		buf_addc(&text, ')');
		if (!is_known(s, c->from_unit))
			buf_adds(&text, " (called by code without instrumentation)");
	} else if (c->left != MUSTER_LEFT_RETURNED) {
		buf_addf(&text, ": %s", calls_left_words(c->left));
	} else if (c->results) {
		buf_adds(&text, " == ");
		add_results(p, c, &text, &lets);
	}
	buf_addf(out, "%s\n", buf_str(&text));
	for (const char *l = buf_str(&lets), *end; *l; l = end + 1) {
		end = strchr(l, '\n');
		buf_addf(out, "    where %.*s\n", (int)(end - l), l);
	}
	buf_release(&text);
	buf_release(&lets);
}

/* ------------------------------------------------------------------- JSON */

static void json_value(struct json *j, struct print *p, uint32_t label, uint32_t parameter)
{
	struct buf text = {0}, lets = {0};

	add_value(p, label, &text, &lets);
	json_object_open(j);
	if (parameter != CALLS_NONE)
		json_key(j, "parameter"), json_u64(j, parameter);
	json_key(j, "expression"), json_str(j, buf_str(&text));
	if (lets.size)
		json_key(j, "where"), json_str(j, buf_str(&lets));
	if (label) {
		json_key(j, "value"), json_hex(j, (uint64_t)trace_value(p->trace, label));
		json_key(j, "symbolic"), json_bool(j, p->trace->nodes[label].op != MUSTER_OP_CONST);
	}
	json_object_close(j);
	buf_release(&text);
	buf_release(&lets);
}

static void json_site(struct json *j, const struct trace_show *s, const struct call *c)
{
	struct site site;

	json_key(j, "from");
	if (!is_known(s, c->from_unit)) {
		json_null(j);
		return;
	}
	site_find(s->sites, c->from_unit, c->from_index, &site);
	json_object_open(j);
	json_key(j, "file"), json_str(j, site.file);
	json_key(j, "line"), json_u64(j, site.line);
	json_key(j, "column"), json_u64(j, site.column);
	json_object_close(j);
}

static void json_call(struct json *j, const struct trace_show *s, struct print *p, size_t i)
{
	const struct call *c = &s->calls->list.data[i];
	struct site_function f = function_at(s, c->unit, c->index);

	json_object_open(j);
	json_key(j, "id"), json_u64(j, i);
	json_key(j, "parent");
	if (c->parent == CALLS_NONE)
		json_null(j);
	else
		json_u64(j, c->parent);
	json_key(j, "function"), json_str(j, f.name);
	json_key(j, "file"), json_str(j, f.file);
	json_key(j, "line"), json_u64(j, f.line);
	json_site(j, s, c);
	json_key(j, "arguments"), json_array_open(j);
	for (uint32_t k = 0; k < c->arguments; k++) {
		const struct muster_event *e = &s->trace->events[c->first_argument + k];
		json_value(j, p, e->label, e->more);
	}
	json_array_close(j);
	json_key(j, "results"), json_array_open(j);
	for (uint32_t k = 0; k < c->results; k++)
		json_value(j, p, s->trace->events[c->first_result + k].label, CALLS_NONE);
	json_array_close(j);
	json_key(j, "left"), json_str(j, c->end == CALLS_OPEN ? "open" : calls_left_key(c->left));
	json_object_close(j);
}

void trace_calls_json(const struct trace_show *s, struct json *j)
{
	struct print p;

	print_init(&p, s->trace);
	if (s->node_limit)
		p.node_limit = s->node_limit;
	json_key(j, "calls");
	json_array_open(j);
	for (size_t i = 0; i < s->calls->list.size; i++)
		json_call(j, s, &p, i);
	json_array_close(j);
	json_key(j, "calls_lost"), json_bool(j, s->calls->lost);
	print_release(&p);
}
