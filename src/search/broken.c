/* broken.c: reads a trace for checks that did not hold, and prints their conditions.
 *
 * The condition is the check's own term in normal form, over the bytes of the input that was run: it is true of this input by
 * construction, so what is printed is never a guess. It says nothing about how the run came there.
 *
 * A conversion that changes a number is a defect only where the result counts, so the whole path is read for them.
 *
 * Numbers of more than one byte get their names by substitution: each byte becomes a part of a variable with the name, and the
 * normal form puts parts that belong together into the whole variable again. A number with a sign is printed as what C reads in its signed type.
 */
#include "search/broken.h"

#include "base/file.h"
#include "base/map.h"
#include "expr/text.h"
#include "run/import.h"
#include "search/inside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The outcome of a compiler's check that reports, and whose it is; SITE_NO_OUTCOME: it is none. */
static uint32_t failing_outcome(const struct site_tables *sites, const struct muster_event *e, uint32_t *checker)
{
	const struct site_table *t = site_tables_find(sites, e->unit);
	int64_t at = t ? site_table_decision_at(t, e->index) : -1;
	struct site_decision d;
	if (at < 0 || !site_table_decision(t, (uint32_t)at, &d) || !d.check)
		return SITE_NO_OUTCOME;
	*checker = d.checker ? d.checker : (uint32_t)MUSTER_CHECK_OTHER;
	return d.fails;
}

static int is_broken(const struct trace *t, const struct site_tables *sites, const struct muster_event *e, struct broken_check *b)
{
	if (!trace_is_node(t, e->label) || t->nodes[e->label].width != 1)
		return 0;
	if (e->kind == MUSTER_EV_BOUND) {
		b->checker = MUSTER_BOUND_CHECKER(e->arg);
		b->violated = 0;
		return b->checker && !MUSTER_BOUND_HELD(e->arg);
	}
	if (e->kind != MUSTER_EV_BRANCH || failing_outcome(sites, e, &b->checker) != e->arg)
		return 0;
	b->violated = (int)trace_value(t, e->label) & 1;
	return 1;
}

static int is_conversion(uint32_t checker)
{
	return checker == MUSTER_CHECK_CONVERT_LOW || checker == MUSTER_CHECK_CONVERT_HIGH;
}

/* Which conversions have a result that counts later. Broken checks stand in the path in the same order. */
static void find_matters(const struct trace *t, const struct site_tables *tables, checker_set set, broken_list *list)
{
	struct path p = {.checks = set};
	struct sites sites;
	size_t at = 0;
	sites_init(&sites, tables);
	path_read(&p, t, &sites, NULL, 0);
	uint32_t *last = matter_of(&p, t, &sites);
	for (size_t i = 0; i < list->size; i++) {
		struct broken_check *b = &list->data[i];
		if (!is_conversion(b->checker))
			continue;
		while (at < p.steps.size && !(p.steps.data[at].label == b->label && p.steps.data[at].checker == b->checker && path_broke(&p.steps.data[at])))
			at++;
		b->matters = at < p.steps.size && matter_later(last, t, b->label, at);
		at++;
	}
	free(last);
	path_release(&p);
	sites_release(&sites);
}

void broken_find(const struct trace *t, const struct site_tables *sites, checker_set set, broken_list *out)
{
	int conversions = 0;
	for (uint64_t i = 0; i < t->event_count; i++) {
		const struct muster_event *e = &t->events[i];
		struct broken_check b = {.label = e->label, .matters = 1};
		if (!is_broken(t, sites, e, &b) || !(checker_pair(b.checker) & set))
			continue;
		if (!site_find(sites, e->unit, e->index, &b.site))
			b.site = (struct site){.unit = e->unit, .index = e->index, .file = "", .directory = "", .function = ""};
		conversions |= is_conversion(b.checker);
		vec_push(out, b);
	}
	if (conversions)
		find_matters(t, sites, set, out);
}

const struct broken_check *broken_at(const broken_list *list, const char *kind, const char *file, uint32_t line, uint32_t column)
{
	const struct broken_check *last = NULL;
	checker_set of = checker_of_kind(kind);
	const char *base = file_base(file);
	int several = 0;
	for (size_t i = list->size; i-- > 0;) {
		const struct broken_check *b = &list->data[i];
		if (b->site.line != line || !line || strcmp(file_base(b->site.file), base) || !(checker_pair(b->checker) & of))
			continue;
		if (column && b->site.column == column)
			return b;
		several |= last && (last->site.unit != b->site.unit || last->site.index != b->site.index);
		last = last ? last : b;
	}
	return several ? NULL : last;
}

/* --------------------------------------------------------------- condition */

struct renaming {
	struct exprs *pool;
	const struct broken_names *names;
	struct map variables; /* first byte to the named term */
	struct buf signed_names; /* "(int32_t)(uint32_t)x", ends with NUL each, and what they are replaced by */
};

static expr_t rename_byte(void *ctx, expr_t variable)
{
	struct renaming *r = ctx;
	uint64_t first, made;
	unsigned size;
	int is_signed;
	struct buf name = {0};
	const struct expr_node *n = expr_get(r->pool, variable);
	uint64_t at = n->k;
	if (n->op != MUSTER_OP_INPUT || n->a)
		return EXPR_NONE;
	if (!r->names->name(r->names->ctx, at, &first, &size, &is_signed, &name) || at < first || at >= first + size ||
	    (size != 1 && size != 2 && size != 4 && size != 8)) {
		buf_release(&name);
		return EXPR_NONE;
	}
	if (!map_get(&r->variables, first, &made)) {
		struct buf whole = {0};
		if (is_signed)
			buf_addf(&whole, "(uint%u_t)", size * 8);
		buf_adds(&whole, buf_str(&name));
		made = expr_named(r->pool, size * 8, buf_str(&whole));
		map_set(&r->variables, first, made);
		if (is_signed) { /* a comparison with 0 needs no cast either: see drop_casts */
			buf_addf(&r->signed_names, "(int%u_t)%s", size * 8, buf_str(&whole));
			buf_addc(&r->signed_names, 0);
			buf_adds(&r->signed_names, buf_str(&name));
			buf_addc(&r->signed_names, 0);
		}
		buf_release(&whole);
	}
	buf_release(&name);
	return expr_extract(r->pool, (expr_t)made, (unsigned)(at - first) * 8, 8);
}

/* Of (uint32_t)x == 0, at the end of the text. */
static void drop_last(const char *from, const char *to, struct buf *text)
{
	static const char *const tests[] = {" == 0", " != 0"};
	const char *whole = strchr(from + 1, '('); /* the second cast */
	size_t size = whole ? strlen(whole) : 0;
	for (unsigned i = 0; i < 2 && size; i++) {
		size_t all = size + strlen(tests[i]);
		if (text->size != all || memcmp(text->data, whole, size) || memcmp(text->data + size, tests[i], all - size))
			continue;
		buf_clear(text);
		buf_addf(text, "%s%s", to, tests[i]);
	}
}

/* x instead of (int32_t)(uint32_t)x. */
static void drop_casts(const struct renaming *r, struct buf *text)
{
	for (size_t at = 0; at < r->signed_names.size;) {
		const char *from = r->signed_names.data + at, *to = from + strlen(from) + 1;
		struct buf out = {0};
		const char *p = buf_str(text), *hit;
		for (; (hit = strstr(p, from)); p = hit + strlen(from)) {
			buf_add(&out, p, (size_t)(hit - p));
			buf_adds(&out, to);
		}
		buf_adds(&out, p);
		buf_release(text);
		*text = out;
		drop_last(from, to, text);
		at += strlen(from) + 1 + strlen(to) + 1;
	}
}

struct given {
	const struct exprs *pool;
	const struct import *im;
	const uint8_t *data;
	uint64_t size;
};

static u128 value_of(void *ctx, expr_t variable)
{
	const struct given *g = ctx;
	const struct expr_node *n = expr_get(g->pool, variable);
	uint64_t value = 0;
	if (n->op == MUSTER_OP_LENGTH)
		return n->a ? 0 : g->size;
	if (n->op != MUSTER_OP_INPUT || n->a)
		return 0;
	if (n->k < g->size)
		return g->data[n->k];
	map_get(&g->im->beyond, n->k, &value);
	return value;
}

/* Of "a or b" the part that is true of the input; it implies the whole. invert: of "not (a and b)". */
static expr_t narrow(struct exprs *p, expr_t e, int invert, struct given *g)
{
	for (;;) {
		struct expr_node n = *expr_get(p, e);
		if (n.width == 1 && n.op == MUSTER_OP_XOR && expr_is_const(p, n.b, NULL)) {
			e = n.a, invert = !invert;
		} else if (n.width == 1 && n.op == (invert ? MUSTER_OP_AND : MUSTER_OP_OR)) {
			int first = (int)expr_eval(p, n.a, value_of, g) & 1;
			e = first != invert ? n.a : n.b;
		} else {
			break;
		}
	}
	return invert ? expr_not(p, e) : e;
}

/* What prints conditions of one run. */
struct printer {
	struct exprs *pool;
	struct import im;
	struct renaming names; /* names.names NULL: bytes have none */
	struct given given;
};

static void printer_init(struct printer *p, const struct trace *t, const void *data, uint64_t size, const struct broken_names *names)
{
	*p = (struct printer){.pool = exprs_new()};
	p->names = (struct renaming){.pool = p->pool, .names = names};
	import_init(&p->im, t, p->pool, size);
	p->given = (struct given){p->pool, &p->im, data, size};
}

static void printer_release(struct printer *p)
{
	map_release(&p->names.variables);
	buf_release(&p->names.signed_names);
	import_release(&p->im);
	exprs_free(p->pool);
}

/* A condition that is true of the input, if it fits. */
static int print_condition(struct printer *p, expr_t e, size_t room, struct buf *out)
{
	struct buf text = {0}, lets = {0};
	const struct broken_names *names = p->names.names;
	if ((int)expr_eval(p->pool, e, value_of, &p->given) & 1) /* what only this input decides */
		e = narrow(p->pool, e, 0, &p->given);
	if (names)
		e = expr_substitute(p->pool, e, rename_byte, &p->names);
	expr_c(p->pool, e, &text, &lets, NULL, NULL);
	drop_casts(&p->names, &text);
	const char *c = buf_str(&text);
	int foreign = names && (strstr(c, "in[") || strstr(c, "(in,") || strstr(c, "(in)")); /* bytes mean nothing to who reads names */
	int hidden = strstr(c, "_overflow(") != NULL; /* the check's own name says as much */
	int fits = text.size && !foreign && !hidden && !lets.size && text.size <= room && !memchr(text.data, '\n', text.size);
	if (fits)
		buf_add(out, text.data, text.size);
	buf_release(&text);
	buf_release(&lets);
	return fits;
}

int broken_condition(const struct trace *t, const struct broken_check *b, const void *data, uint64_t size, const struct broken_names *names,
		     size_t room, struct buf *out)
{
	struct printer p;
	printer_init(&p, t, data, size, names);
	expr_t e = import_label(&p.im, b->label);
	int fits = !expr_is_const(p.pool, e, NULL) && print_condition(&p, b->violated ? e : expr_not(p.pool, e), room, out);
	printer_release(&p);
	return fits;
}

/* -------------------------------------------------------------------- path */

#define PATH_FIRST 60  /* steps of a bug's path that are kept from its start | a page can be read; the store stays small */
#define PATH_LAST 140  /* and before its end | likewise */
#define PATH_ROOM 100  /* characters of a step's condition | a line */
#define LIBC "runtime/libc/" /* where muster's own bodies of libc functions are compiled */

struct step {
	uint64_t event;
	uint64_t times; /* in a row */
	int breaks;	/* a check */
	struct site site;
};

/* A decision of the program that depends on the input, or a check that is broken. */
static int is_step(const struct trace *t, const struct site_tables *sites, const struct muster_event *e, struct site *site)
{
	struct broken_check b;
	if (!e->label || !trace_is_node(t, e->label) || (e->kind != MUSTER_EV_BRANCH && e->kind != MUSTER_EV_SWITCH && e->kind != MUSTER_EV_BOUND))
		return 0;
	if (!site_find(sites, e->unit, e->index, site) || !site->line || !strncmp(site->file, LIBC, strlen(LIBC)))
		return 0;
	return e->kind == MUSTER_EV_SWITCH || (e->kind == MUSTER_EV_BRANCH && !site->check) || is_broken(t, sites, e, &b);
}

/* The same place decided in the same manner, or broken once more: several checks stand at one access. */
static int goes_on(const struct trace *t, const struct step *last, const struct step *s)
{
	const struct muster_event *a = &t->events[last->event], *b = &t->events[s->event];
	if (last->breaks && s->breaks)
		return last->site.line == s->site.line && last->site.column == s->site.column && !strcmp(last->site.function, s->site.function);
	return !last->breaks && !s->breaks && a->unit == b->unit && a->index == b->index && a->arg == b->arg && b->kind == MUSTER_EV_BRANCH;
}

static void add_clean(struct buf *out, const char *text)
{
	for (; *text; text++)
		buf_addc(out, (unsigned char)*text < ' ' ? '?' : *text);
}

static void add_step(struct printer *p, const struct trace *t, const struct step *s, struct buf *out)
{
	const struct muster_event *e = &t->events[s->event];
	expr_t x = import_label(&p->im, e->label);
	u128 value = trace_value(t, e->label);
	unsigned width = t->nodes[e->label].width;

	buf_addf(out, "%" PRIu32 "\t%" PRIu32 "\t%" PRIu64 "\t", s->site.line, s->site.column, s->times);
	if (e->kind == MUSTER_EV_SWITCH)
		buf_addf(out, "= %" PRIu64, (uint64_t)value);
	else
		buf_adds(out, s->breaks ? "breaks" : e->arg ? "true" : "false");
	buf_addc(out, '\t');
	add_clean(out, s->site.function);
	buf_addc(out, '\t');
	if (*s->site.file != '/' && *s->site.directory)
		add_clean(out, s->site.directory), buf_addc(out, '/');
	add_clean(out, s->site.file);
	buf_addc(out, '\t');
	if (e->kind == MUSTER_EV_SWITCH)
		print_condition(p, expr_eq(p->pool, x, expr_const(p->pool, width, value)), PATH_ROOM, out);
	else if (width == 1)
		print_condition(p, value & 1 ? x : expr_not(p->pool, x), PATH_ROOM, out);
	buf_addc(out, '\n');
}

void broken_path(const struct trace *t, const struct site_tables *sites, const void *data, uint64_t size, const struct broken_names *names, struct buf *out)
{
	VEC(struct step) steps = {0};
	struct printer p;

	for (uint64_t i = 0; i < t->event_count; i++) {
		struct step s = {.event = i, .times = 1};
		if (!is_step(t, sites, &t->events[i], &s.site))
			continue;
		s.breaks = t->events[i].kind == MUSTER_EV_BOUND || s.site.check;
		if (!steps.size || !goes_on(t, &vec_last(&steps), &s)) {
			vec_push(&steps, s);
		} else if (!s.breaks) {
			vec_last(&steps).event = i;
			vec_last(&steps).times++;
		}
	}
	printer_init(&p, t, data, size, names);
	buf_addf(out, "%zu\n", steps.size);
	for (size_t i = 0; i < steps.size; i++) {
		if (i == PATH_FIRST && steps.size > PATH_FIRST + PATH_LAST)
			i = steps.size - PATH_LAST, buf_adds(out, "\n");
		add_step(&p, t, &steps.data[i], out);
	}
	printer_release(&p);
	vec_release(&steps);
}
