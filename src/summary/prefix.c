/* prefix.c: segments composed.
 *
 * Where a segment ends, each place is a term over places of the function's entry: what Q's equation `after(x) == term` says, or what it was. So going from the first to the last, P of each, with these terms put in, is a condition on the entry. A variable that was not set is the parameter of that
 * name; what lies behind a pointer has the name that it has by the pointer at the entry, moved by what was added to it. Whatever does not fit into this gives nothing: the caller looks for another path.
 */
#include "summary/prefix.h"

#include "base/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct composing {
	struct exprs *p;
	const struct code_function *f;
	struct strmap now; /* path of a place to its term */
	int entry; /* nothing was passed so far: places are the entry's own */
	int fails;
};

/* The parameter that a variable of the function is, by its path: lNAME; CODE_NONE. */
static uint32_t parameter_of(const struct code_function *f, const char *path, size_t size)
{
	for (uint32_t i = 0; i < f->variable_count && path[0] == 'l' && !memchr(path, '#', size); i++)
		if (f->variables[i].parameter != CODE_NONE && strlen(f->variables[i].name) == size - 1 && !memcmp(f->variables[i].name, path + 1, size - 1))
			return f->variables[i].parameter;
	return CODE_NONE;
}

static expr_t term_now(struct composing *c, const struct place *pl, unsigned width);

/* The place at the entry that a pointer's term is, and the bytes that were added to it. 0: it is none. */
static int base_of(struct composing *c, expr_t pointer, struct place *base, uint64_t *added)
{
	struct expr_node n = *expr_get(c->p, pointer);
	u128 k = 0;
	if (n.op == MUSTER_OP_ADD && expr_is_const(c->p, n.b, &k))
		pointer = n.a;
	*added = (uint64_t)k;
	return place_of(c->p, pointer, base) && base->type == PLACE_POINTER && !base->after;
}

/* What lies behind a pointer, OFFSET bytes from where it points. */
static expr_t behind(struct composing *c, const struct place *pl, unsigned width)
{
	const char *star = pl->path + pl->path_size;
	struct place pointer = {.type = PLACE_POINTER}, base;
	char path[256], text[256], key[256];
	uint64_t added, known;
	while (star > pl->path && *star != '*')
		star--;
	pointer.path = pl->path;
	pointer.path_size = (size_t)(star - pl->path);
	pointer.text = "";
	if (memchr(star, '.', pl->path_size - pointer.path_size) || pl->path_size >= sizeof key)
		return EXPR_NONE;
	memcpy(key, pl->path, pointer.path_size);
	key[pointer.path_size] = 0;
	if (pl->path[0] != 'l' && !strmap_get(&c->now, key, NULL)) { /* the pointer is as it was */
		memcpy(path, pl->path, pl->path_size);
		path[pl->path_size] = 0;
		return place_variable(c->p, width, pl->type, pl->size, 0, path, pl->text);
	}
	expr_t at = term_now(c, &pointer, 64);
	if (at == EXPR_NONE || !base_of(c, at, &base, &added) || (added && base.size != 1))
		return EXPR_NONE;
	snprintf(path, sizeof path, "%.*s*%lld", (int)base.path_size, base.path, (long long)(strtoll(star + 1, NULL, 10) + (int64_t)added));
	if (strmap_get(&c->now, path, &known))
		return (expr_t)known;
	if (added)
		snprintf(text, sizeof text, "%s[%lld]", base.text, (long long)(strtoll(star + 1, NULL, 10) + (int64_t)added));
	else
		snprintf(text, sizeof text, "%s", pl->text);
	return place_variable(c->p, width, pl->type, pl->size, 0, path, text);
}

static expr_t term_now(struct composing *c, const struct place *pl, unsigned width)
{
	char path[256], number[16];
	uint64_t known;
	if (pl->path_size >= sizeof path)
		return EXPR_NONE;
	memcpy(path, pl->path, pl->path_size);
	path[pl->path_size] = 0;
	if (strmap_get(&c->now, path, &known))
		return (expr_t)known;
	if (memchr(pl->path, '*', pl->path_size))
		return behind(c, pl, width);
	if (pl->path[0] == 'g' || pl->path[0] == 'f' || (pl->path[0] >= '0' && pl->path[0] <= '9')) /* as it was */
		return *pl->text ? place_variable(c->p, width, pl->type, pl->size, 0, path, pl->text) : EXPR_NONE;
	uint32_t parameter = parameter_of(c->f, pl->path, pl->path_size);
	if (parameter == CODE_NONE || c->entry)
		return EXPR_NONE;
	snprintf(number, sizeof number, "%u", parameter);
	if (strmap_get(&c->now, number, &known))
		return (expr_t)known;
	uint64_t size = pl->size;
	const struct code_variable *v = NULL;
	for (uint32_t i = 0; i < c->f->variable_count && !v; i++)
		v = c->f->variables[i].parameter == parameter ? &c->f->variables[i] : NULL;
	if (pl->type == PLACE_POINTER && v->type != CODE_NONE && c->f->code->types[v->type].kind == CODE_TYPE_POINTER && c->f->code->types[v->type].base != CODE_NONE)
		size = c->f->code->types[c->f->code->types[v->type].base].bytes;
	return place_variable(c->p, width, pl->type, size, 0, number, v->name);
}

/* How many elements there are from a pointer on: as many as from where it was at the entry, without those that it was moved by. */
static expr_t length_now(struct composing *c, const struct place *pl)
{
	struct place pointer = {.type = PLACE_POINTER, .path = pl->path, .path_size = pl->path_size, .text = pl->text}, base;
	char path[256];
	uint64_t added;
	expr_t at = term_now(c, &pointer, 64);
	if (at == EXPR_NONE || !base_of(c, at, &base, &added) || base.path_size >= sizeof path || (added && base.size != 1))
		return EXPR_NONE;
	memcpy(path, base.path, base.path_size);
	path[base.path_size] = 0;
	return expr_binary(c->p, MUSTER_OP_SUB, place_variable(c->p, 64, PLACE_LENGTH, 0, 0, path, base.text), expr_const(c->p, 64, added));
}

static expr_t put_in(void *ctx, expr_t variable)
{
	struct composing *c = ctx;
	struct place pl;
	expr_t e = !place_of(c->p, variable, &pl) || pl.after || pl.type == PLACE_FAILURE ? EXPR_NONE
		   : pl.type == PLACE_LENGTH					     ? length_now(c, &pl)
										     : term_now(c, &pl, expr_width(c->p, variable));
	if (e == EXPR_NONE || expr_width(c->p, e) != expr_width(c->p, variable)) {
		c->fails = 1;
		return EXPR_NONE;
	}
	return e;
}

/* P, in terms of the entry. */
static int add_pre(struct composing *c, const struct summary *s, struct summary *out)
{
	for (size_t i = 0; i < s->pre.size && !c->fails; i++) {
		if (expr_get(c->p, s->pre.data[i])->op == EXPR_OP_APPLY) /* what lies apart is so by construction: states are made of objects that do */
			continue;
		expr_t e = expr_substitute(c->p, s->pre.data[i], put_in, c);
		if (e == expr_false(c->p))
			c->fails = 1;
		else if (e != expr_true(c->p))
			vec_push(&out->pre, e);
	}
	return !c->fails;
}

static int has_after(struct exprs *p, expr_t e)
{
	uint32_t count;
	const expr_t *vars = expr_vars(p, e, &count);
	struct place pl;
	for (uint32_t i = 0; i < count; i++)
		if (!place_of(p, vars[i], &pl) || pl.after)
			return 1;
	return 0;
}

/* after(x) == term, whichever stands left: the new term of x. */
static int add_equation(struct composing *c, expr_t q, struct strmap *next)
{
	struct expr_node n = *expr_get(c->p, q);
	struct place pl;
	char path[256];
	if (n.op != MUSTER_OP_EQ)
		return 0;
	expr_t x = n.a, term = n.b;
	if (!(place_of(c->p, x, &pl) && pl.after)) {
		x = n.b;
		term = n.a;
	}
	if (!place_of(c->p, x, &pl) || !pl.after || pl.path_size >= sizeof path || has_after(c->p, term))
		return 0;
	expr_t now = expr_substitute(c->p, term, put_in, c);
	if (memchr(pl.path, '*', pl.path_size)) { /* by the pointers of the segment's beginning: by what it is at the entry */
		expr_t place = behind(c, &pl, expr_width(c->p, x));
		if (place == EXPR_NONE || !place_of(c->p, place, &pl) || pl.path_size >= sizeof path)
			return 0;
	}
	memcpy(path, pl.path, pl.path_size);
	path[pl.path_size] = 0;
	strmap_set(next, path, now);
	return !c->fails;
}

static int pass(struct composing *c, const struct summary *s, struct summary *out)
{
	struct strmap next = {0};
	int ok = add_pre(c, s, out);
	for (size_t i = 0; i < s->post.size && ok; i++)
		ok = add_equation(c, s->post.data[i], &next);
	const char *key;
	uint64_t term;
	for (size_t at = 0; ok && strmap_next(&next, &at, &key, &term);)
		strmap_set(&c->now, key, term);
	strmap_release(&next);
	c->entry = 0;
	return ok;
}

int summary_prefix(struct summaries *l, const struct code_function *f, const uint32_t *before, size_t count, const struct summary *last, struct summary *out)
{
	struct composing c = {.p = l->pool, .f = f, .entry = 1};
	size_t had = out->pre.size;
	int ok = 1;
	for (size_t i = 0; i < count && ok; i++)
		ok = pass(&c, &l->all.data[before[i]], out);
	ok = ok && add_pre(&c, last, out);
	strmap_release(&c.now);
	if (!ok)
		out->pre.size = had;
	return ok;
}
