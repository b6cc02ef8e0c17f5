/* parse.c: a contract's text, as clause_text writes it, on the values of a call.
 *
 * A contract of an earlier version is known by its text alone. Its places are found by their texts in the entry state of today's function; what is not of the language, or names a place that is not there, is not known.
 */
#include "contract/cause.h"

#include "base/mem.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct values {
	const struct entry *e;
	const struct clause_value *v;
};

static const struct entry_place *place_of(const struct values *x, const char *text, const struct clause_value **v)
{
	for (size_t i = 0; i < x->e->places.size; i++)
		if (!strcmp(x->e->places.data[i].text, text)) {
			*v = &x->v[i];
			return &x->e->places.data[i];
		}
	return NULL;
}

/* A side of a comparison. */
struct side {
	int is_null, is_length, is_constant, is_signed, there, set;
	uint64_t value;
};

/* 0: it is none. */
static int read_side(const struct values *x, char *text, struct side *out)
{
	const struct clause_value *v = NULL;
	char *end;
	*out = (struct side){.there = 1};
	if (!strcmp(text, "NULL"))
		return out->is_null = 1;
	size_t n = strlen(text);
	if (!strncmp(text, "len(", 4) && n > 5 && text[n - 1] == ')') {
		text[n - 1] = 0;
		const struct entry_place *p = place_of(x, text + 4, &v);
		if (!p || !p->length)
			return 0;
		out->is_length = 1;
		out->there = v->there;
		out->value = v->length;
		return 1;
	}
	if (!strncmp(text, "before(", 7) && text[n - 1] == ')') {
		text[n - 1] = 0;
		const struct entry_place *p = place_of(x, text + 7, &v);
		if (!p || !p->length)
			return 0;
		out->is_length = 1;
		out->there = v->there && v->set; /* the driver's pointers have nothing in front */
		return 1;
	}
	const struct entry_place *p = place_of(x, text, &v);
	if (p) {
		out->there = v->there;
		out->set = v->set;
		out->value = v->value;
		out->is_signed = p->is_signed;
		return 1;
	}
	errno = 0;
	out->value = *text == '-' ? (uint64_t)strtoll(text, &end, 10) : strtoull(text, &end, 10);
	out->is_constant = 1;
	return end != text && (!*end || !strcmp(end, "u")) && !errno;
}

static int compare(const struct side *a, const char *op, const struct side *b)
{
	int by_sign = (a->is_signed || b->is_signed) && !a->is_length && !b->is_length;
	int less = by_sign ? (int64_t)a->value < (int64_t)b->value : a->value < b->value, same = a->value == b->value;
	if (b->is_null)
		return !strcmp(op, "!=") ? a->set : !strcmp(op, "==") ? !a->set : -1;
	return !strcmp(op, "==") ? same : !strcmp(op, "!=") ? !same : !strcmp(op, "<") ? less : !strcmp(op, "<=") ? less || same : !strcmp(op, ">") ? !less && !same : !strcmp(op, ">=") ? !less : -1;
}

/* terminated(p): likewise. */
static int ended_text_holds(const struct values *x, const char *text)
{
	const struct clause_value *v;
	size_t n = strlen(text);
	if (strncmp(text, "terminated(", 11) || text[n - 1] != ')')
		return -1;
	char *copy = mem_strndup(text + 11, n - 12);
	const struct entry_place *p = place_of(x, copy, &v);
	free(copy);
	return !p || !p->ended ? -1 : !v->there || !v->set || v->ended;
}

static int ordered_values(const struct clause_value *v, const struct clause_value *w)
{
	return v->set == w->set && (!v->set || (v->object == w->object && v->length >= w->length));
}

/* tree(p, next), whose whole text is a place, distinct(p, q) and ordered(p, q): 1, 0; -1: it is none of them, or not known. */
static int shape_text_holds(const struct values *x, const char *text)
{
	const struct clause_value *v, *w;
	const struct entry_place *p = place_of(x, text, &v), *q;
	size_t n = strlen(text);
	if (p && p->kind == ENTRY_SHAPE)
		return !v->there || v->value;
	int ordered = !strncmp(text, "ordered(", 8);
	if ((strncmp(text, "distinct(", 9) && !ordered) || text[n - 1] != ')')
		return ended_text_holds(x, text);
	size_t name = ordered ? 8 : 9;
	char *copy = mem_strndup(text + name, n - name - 1), *comma = strstr(copy, ", ");
	if (comma)
		*comma = 0;
	p = place_of(x, copy, &v);
	q = comma ? place_of(x, comma + 2, &w) : NULL;
	free(copy);
	if (!p || !q || !p->object || !q->object || p->pool != q->pool)
		return -1;
	if (!v->there || !w->there)
		return 1;
	if (ordered)
		return p->length && q->length ? ordered_values(v, w) : -1;
	return !v->set || !w->set || v->object != w->object;
}

/* 1 it holds, 0 it does not, -1 not known. What lies behind a null pointer holds. */
static int literal_holds(const struct values *x, char *text)
{
	struct side a, b;
	char *op = strchr(text, ' '), *right = op ? strchr(op + 1, ' ') : NULL;
	int shape = shape_text_holds(x, text);
	if (shape >= 0)
		return shape;
	if (!right || strchr(right + 1, ' '))
		return -1;
	*op++ = 0;
	*right++ = 0;
	if (!read_side(x, text, &a) || !read_side(x, right, &b) || a.is_null || a.is_constant)
		return -1;
	return !a.there || !b.there ? 1 : compare(&a, op, &b);
}

int contract_holds(const struct entry *e, const struct clause_value *values, const char *text)
{
	struct values x = {e, values};
	const struct clause_value *v;
	const struct entry_place *whole = place_of(&x, text, &v);
	if (whole && whole->kind == ENTRY_EVERY)
		return v->value != 0;
	char *copy = mem_strdup(text), *at = copy;
	int holds = 0, known = !strchr(text, '&');
	while (at && known && !holds) {
		char *next = strstr(at, " || ");
		if (next)
			*next = 0;
		int one = literal_holds(&x, at);
		known = one >= 0;
		holds = one > 0;
		at = next ? next + 4 : NULL;
	}
	free(copy);
	return holds ? 1 : known ? 0 : -1;
}

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Does the text name the place, and not one that it is a part of? */
static int names(const char *text, const char *place)
{
	size_t n = strlen(place);
	for (const char *s = strstr(text, place); s; s = strstr(s + 1, place)) {
		char before = s == text ? ' ' : s[-1], after = s[n];
		if (!is_word(before) && before != '.' && before != '>' && !is_word(after) && after != '.' && after != '[' && (after != '-' || s[n + 1] != '>'))
			return 1;
	}
	return 0;
}

int contract_meets(const struct entry *e, const struct clause_value *values, const char *text)
{
	const char *last = text; /* guards come first */
	if (!strncmp(text, "every(", 6) || !strncmp(text, "apart(", 6))
		return 1;
	for (const char *next; (next = strstr(last, " || "));)
		last = next + 4;
	for (size_t i = 0; i < e->places.size; i++)
		if (e->places.data[i].kind <= ENTRY_FUNCTION && names(last, e->places.data[i].text) && !values[i].there)
			return 0;
	return 1;
}

/* Does the list of members, "a, b)", have this one? */
static int has_member(const char *list, const char *name, size_t n)
{
	for (const char *s = list; *s; s += strcspn(s, ",)") + 1) {
		s += strspn(s, ", ");
		if (strcspn(s, ",)") == n && !strncmp(s, name, n))
			return 1;
		if (!*s || !s[strcspn(s, ",)")])
			return 0;
	}
	return 0;
}

int contract_implies(const char *strong, const char *weak)
{
	const char *a = strstr(strong, "tree("), *b = strstr(weak, "tree("), *members = a ? strchr(a, ',') : NULL, *s = b ? strchr(b, ',') : NULL;
	if (!members || !s || members - strong != s - weak || strncmp(strong, weak, (size_t)(s - weak)))
		return 0;
	for (s += strspn(s, ", "); *s && *s != ')'; s += strcspn(s, ",)"), s += strspn(s, ", "))
		if (!has_member(members, s, strcspn(s, ",)")))
			return 0;
	return 1;
}
