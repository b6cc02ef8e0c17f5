/* refined.c: what a declaration says that its value satisfies, as one condition for --requires.
 *
 * Whoever makes values for a function (muster test) keeps to what callers would: MUSTER_REQUIRES and MUSTER_REFINE on the declaration,
 * the refinements of the types that it was written with, and those of the fields of a structure that it is or points to. A refinement of a type or
 * field speaks of it by its own name, which becomes the place in question: `used <= cap` is
 * `!r || r->used <= r->cap` for a parameter r. "muster.refined:" is a refinement whose checks are in the text already.
 */
#include "front/reader.h"

#include <ctype.h>
#include <string.h>

struct conditions {
	struct reader *r;
	struct buf text;
	int count;
	int refinements_only;
	/* how names in an annotation are to be written: */
	const char *self, *place; /* self becomes place */
	CXCursor record;	  /* its fields become place, separator, name */
	const char *separator;
	const char *guard; /* before each condition, or "" */
};

static int name_size(const char *s)
{
	int n = 0;

	while (isalpha((unsigned char)s[n]) || s[n] == '_' || (n && isdigit((unsigned char)s[n])))
		n++;
	return n;
}

struct lookup {
	struct reader *r;
	const char *name;
	int size, found;
};

static enum CXVisitorResult same_field(CXCursor field, CXClientData data)
{
	struct lookup *l = data;
	const char *name = reader_name(l->r, field);

	l->found |= (int)strlen(name) == l->size && !memcmp(name, l->name, (size_t)l->size);
	return l->found ? CXVisit_Break : CXVisit_Continue;
}

static int is_field(struct conditions *q, const char *name, int size)
{
	struct lookup l = {q->r, name, size, 0};

	if (q->separator)
		q->r->c->Type_visitFields(q->r->c->getCursorType(q->record), same_field, &l);
	return l.found;
}

/* The condition with its names as they are to be. */
static void add_names(struct conditions *q, const char *text)
{
	char before = 0;

	while (*text) {
		int n = name_size(text);

		if (!n && isdigit((unsigned char)*text)) { /* a number with its letters */
			while (isalnum((unsigned char)*text) || *text == '.')
				buf_addc(&q->text, *text++);
			before = '0';
			continue;
		}
		if (n && before != '.' && q->self && (int)strlen(q->self) == n && !memcmp(text, q->self, (size_t)n)) {
			buf_adds(&q->text, q->place);
		} else if (n && before != '.' && is_field(q, text, n)) {
			buf_addf(&q->text, "%s%s", q->place, q->separator);
			buf_add(&q->text, text, (size_t)n);
		} else {
			buf_add(&q->text, text, n ? (size_t)n : 1);
		}
		if (*text == '>' && before == '-')
			before = '.';
		else if (!isspace((unsigned char)*text))
			before = *text;
		text += n ? n : 1;
	}
}

static void add_condition(struct conditions *q, const char *text)
{
	if (q->count == 1) { /* there will be two */
		char *first = buf_take(&q->text);

		buf_addf(&q->text, "(%s)", first);
		free(first);
	}
	if (q->count)
		buf_adds(&q->text, " && (");
	buf_adds(&q->text, q->guard);
	buf_adds(&q->text, *q->guard ? "(" : "");
	add_names(q, text);
	buf_adds(&q->text, *q->guard ? ")" : "");
	if (q->count)
		buf_adds(&q->text, ")");
	q->count++;
}

static enum CXChildVisitResult add_annotation(CXCursor cursor, CXCursor parent, CXClientData data)
{
	static const char *const starts[] = {"muster.refine:", "muster.refined:", "muster.requires:"};
	struct conditions *q = data;
	const char *text;

	(void)parent;
	if (q->r->c->getCursorKind(cursor) != CXCursor_AnnotateAttr)
		return CXChildVisit_Continue;
	text = reader_name(q->r, cursor);
	for (int i = 0; i < (q->refinements_only ? 2 : 3); i++)
		if (!strncmp(text, starts[i], strlen(starts[i])))
			add_condition(q, text + strlen(starts[i]));
	return CXChildVisit_Continue;
}

/* Refinements of the names that a type was written with, for the value at a place. */
static void add_type(struct conditions *q, CXType t, const char *place)
{
	const struct clang *c = q->r->c;

	for (int depth = 0; depth < 64; depth++) {
		if (t.kind == CXType_Elaborated) {
			t = c->Type_getNamedType(t);
		} else if (t.kind == CXType_Attributed) {
			t = c->Type_getModifiedType(t);
		} else if (t.kind == CXType_Typedef) {
			CXCursor d = c->getTypeDeclaration(t);

			if (c->Cursor_hasAttrs(d)) {
				q->self = reader_name(q->r, d);
				q->place = place;
				q->separator = NULL;
				q->refinements_only = 1;
				c->visitChildren(d, add_annotation, q);
			}
			t = c->getTypedefDeclUnderlyingType(d);
		} else {
			return;
		}
	}
}

struct object {
	struct conditions *q;
	const char *place, *separator;
	CXCursor record;
};

static enum CXVisitorResult add_field(CXCursor field, CXClientData data)
{
	struct object *o = data;
	struct conditions *q = o->q;
	struct buf place = BUF_EMPTY;

	q->self = NULL;
	q->place = o->place;
	q->separator = o->separator;
	q->record = o->record;
	q->refinements_only = 1;
	if (q->r->c->Cursor_hasAttrs(field))
		q->r->c->visitChildren(field, add_annotation, q);
	buf_addf(&place, "%s%s%s", o->place, o->separator, reader_name(q->r, field));
	add_type(q, q->r->c->getCursorType(field), buf_str(&place));
	buf_release(&place);
	return CXVisit_Continue;
}

/* What a pointer (or array, as a parameter) points to, as it was written; of no kind if that cannot be told. */
static CXType pointee(struct reader *r, CXType t)
{
	const struct clang *c = r->c;

	for (int depth = 0; depth < 64; depth++) {
		if (t.kind == CXType_Elaborated)
			t = c->Type_getNamedType(t);
		else if (t.kind == CXType_Attributed)
			t = c->Type_getModifiedType(t);
		else if (t.kind == CXType_Typedef)
			t = c->getTypedefDeclUnderlyingType(c->getTypeDeclaration(t));
		else
			break;
	}
	return t.kind == CXType_Pointer ? c->getPointeeType(t) : c->getArrayElementType(t);
}

const char *reader_requires(struct reader *r, CXCursor declaration)
{
	const struct clang *c = r->c;
	struct conditions q = {.r = r, .guard = ""};
	const char *name = reader_name(r, declaration), *text = NULL;
	CXType type = c->getCursorType(declaration), plain = c->getCanonicalType(type);
	struct object o = {.q = &q, .place = name, .separator = "."};
	struct buf guard = BUF_EMPTY, first = BUF_EMPTY;

	if (c->Cursor_hasAttrs(declaration))
		c->visitChildren(declaration, add_annotation, &q);
	if (*name) {
		add_type(&q, type, name);
		if (plain.kind == CXType_Pointer || c->getArrayElementType(plain).kind != CXType_Invalid) {
			plain = c->getCanonicalType(pointee(r, plain));
			o.separator = "->";
			buf_addf(&guard, "!%s || ", name);
			q.guard = buf_str(&guard);
			buf_addf(&first, "(*%s)", name);
			add_type(&q, pointee(r, type), buf_str(&first));
		}
		if (plain.kind == CXType_Record) {
			o.record = c->getTypeDeclaration(plain);
			c->Type_visitFields(plain, add_field, &o);
		}
	}
	if (q.count)
		text = arena_strdup(&r->f->arena, buf_str(&q.text));
	buf_release(&q.text);
	buf_release(&guard);
	buf_release(&first);
	return text;
}

/* ---------------------------------------------------------------- objects */

struct inside {
	struct reader *r;
	CXCursor record;
	int found;
	unsigned depth;
};

static int any_refined(struct reader *r, CXType t, unsigned depth);

static enum CXVisitorResult look_inside(CXCursor field, CXClientData data)
{
	struct inside *in = data;
	struct conditions q = {.r = in->r, .guard = ""};
	struct object o = {.q = &q, .place = "", .separator = ".", .record = in->record};

	add_field(field, &o);
	in->found |= q.count || any_refined(in->r, in->r->c->getCursorType(field), in->depth - 1);
	buf_release(&q.text);
	return in->found ? CXVisit_Break : CXVisit_Continue;
}

static int any_refined(struct reader *r, CXType t, unsigned depth)
{
	const struct clang *c = r->c;
	CXType element;

	t = c->getCanonicalType(t);
	while ((element = c->getArrayElementType(t)).kind != CXType_Invalid)
		t = c->getCanonicalType(element);
	if (t.kind != CXType_Record || !depth)
		return 0;
	struct inside in = {.r = r, .record = c->getTypeDeclaration(t), .depth = depth};
	uint64_t key = (uint64_t)(uintptr_t)in.record.data[0], known;

	if (map_get(&r->refined, key, &known))
		return (int)known;
	c->Type_visitFields(t, look_inside, &in);
	map_set(&r->refined, key, (uint64_t)in.found);
	return in.found;
}

int reader_is_refined(struct reader *r, CXType t)
{
	return any_refined(r, t, 16);
}
