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

int broken_condition(const struct trace *t, const struct broken_check *b, const void *data, uint64_t size, const struct broken_names *names,
		     size_t room, struct buf *out)
{
	struct exprs *pool = exprs_new();
	struct import im;
	struct buf text = {0}, lets = {0};
	struct renaming r = {.pool = pool, .names = names};
	import_init(&im, t, pool, size);
	struct given g = {pool, &im, data, size};
	expr_t e = import_label(&im, b->label);
	if (!b->violated)
		e = expr_not(pool, e);
	if ((int)expr_eval(pool, e, value_of, &g) & 1) /* what only this input decides */
		e = narrow(pool, e, 0, &g);
	if (names)
		e = expr_substitute(pool, e, rename_byte, &r);
	expr_c(pool, e, &text, &lets, NULL, NULL);
	drop_casts(&r, &text);
	const char *c = buf_str(&text);
	int foreign = names && (strstr(c, "in[") || strstr(c, "(in,") || strstr(c, "(in)")); /* bytes mean nothing to who reads names */
	int hidden = strstr(c, "_overflow(") != NULL; /* the check's own name says as much */
	int fits = text.size && !foreign && !hidden && !lets.size && text.size <= room && !memchr(text.data, '\n', text.size);
	if (fits)
		buf_add(out, text.data, text.size);
	buf_release(&text);
	buf_release(&lets);
	map_release(&r.variables);
	buf_release(&r.signed_names);
	import_release(&im);
	exprs_free(pool);
	return fits;
}
