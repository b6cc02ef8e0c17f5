/* convert.c: what pointers to void and to incomplete types really point to, by how the unit
 * converts them.
 *
 * zlib's strm->state is a struct internal_state *, which no unit defines; inflate.c casts it to
 * struct inflate_state * wherever it uses it. Each conversion from such a pointer to one that says
 * more is noted for the field or parameter it was read from, and for the incomplete type; so is one
 * from a struct to a larger struct, which hides behind it (zlib's gzFile and gz_state), and one of a
 * parameter or variable that it is passed on to. container_of(p, T, m), where m is the first member of T, is one
 * as well. What the result of a function is converted to, where it is called, is noted for the function. Other conversions to characters say nothing, since anything may be looked at as bytes. A field or
 * parameter with two answers has none. This is a guess about callers, good for choosing what to
 * build; nothing may be proved from it.
 */
#include "base/hash.h"
#include "front/reader.h"

#include <string.h>

#define BEGINS_DEPTH 8 /* structures inside of each other, each the first member */

static uint64_t plain_identity(struct reader *r, CXType t)
{
	t = r->c->getUnqualifiedType(r->c->getCanonicalType(t));
	return (uint64_t)(uintptr_t)t.data[0];
}

static int is_incomplete(struct reader *r, CXType t)
{
	return t.kind == CXType_Record && r->c->Type_getSizeOf(t) < 0;
}

/* An object whose kind is known: not void, characters, functions. */
static int is_telling(struct reader *r, CXType t)
{
	switch ((int)t.kind) {
	case CXType_Record:
		return r->c->Type_getSizeOf(t) > 0;
	case CXType_Char16 ... CXType_UInt128:
	case CXType_WChar ... CXType_LongDouble:
	case CXType_Bool:
	case CXType_Enum:
	case CXType_Pointer:
	case CXType_ConstantArray:
		return 1;
	default:
		return 0;
	}
}

/* A handle, or the base of a larger struct. */
static int is_larger(struct reader *r, CXType to, CXType from)
{
	return from.kind == CXType_Record && to.kind == CXType_Record && r->c->Type_getSizeOf(from) > 0 &&
	       r->c->Type_getSizeOf(to) > r->c->Type_getSizeOf(from);
}

static void note(struct reader *r, uint64_t from, CXType to, CXType pointee)
{
	struct reader_conversion x = {from, plain_identity(r, pointee), to, 0, 0};
	uint64_t key = hash_mix(from) ^ x.pointee, number, best;

	/* A pair that shares its key with another is lost: less is known. */
	if (!map_get(&r->conversion_pairs, key, &number)) {
		number = r->conversions.size;
		vec_push(&r->conversions, x);
		map_set(&r->conversion_pairs, key, number);
	}
	if (r->conversions.data[number].from != from ||
	    r->conversions.data[number].pointee != x.pointee)
		return;
	r->conversions.data[number].count++;
	if (!map_get(&r->conversion_best, from, &best)) {
		map_set(&r->conversion_best, from, number);
		return;
	}
	if (best == number)
		return;
	r->conversions.data[best].several = r->conversions.data[number].several = 1;
	if (r->conversions.data[number].count > r->conversions.data[best].count)
		map_set(&r->conversion_best, from, number);
}

static enum CXChildVisitResult last_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	*(CXCursor *)data = cursor;
	return CXChildVisit_Continue;
}

/* The field or parameter that an expression reads, or (locals) the variable; 0 if it is something else. */
static uint64_t subject(struct reader *r, CXCursor at, int locals)
{
	CXCursor to, inner;
	int kind;

	for (;;) {
		switch ((int)r->c->getCursorKind(at)) {
		case CXCursor_ParenExpr:
		case CXCursor_UnexposedExpr:
		case CXCursor_CStyleCastExpr:
			inner = at;
			r->c->visitChildren(at, last_child, &inner);
			if (inner.data[1] == at.data[1])
				return 0;
			at = inner;
			continue;
		case CXCursor_DeclRefExpr:
		case CXCursor_MemberRefExpr:
			to = r->c->getCursorReferenced(at);
			kind = (int)r->c->getCursorKind(to);
			return kind == CXCursor_ParmDecl || kind == CXCursor_FieldDecl || (locals && kind == CXCursor_VarDecl)
				   ? (uint64_t)(uintptr_t)to.data[0]
				   : 0;
		default:
			return 0;
		}
	}
}

/* By what a function's result is known, whichever of its declarations is meant. */
static uint64_t result_identity(const char *name)
{
	return hash64(name, strlen(name), 0x726573756c74);
}

/* The function whose result an expression is, called by its name; 0 if it is something else. */
static uint64_t called(struct reader *r, CXCursor at)
{
	for (;;) {
		int kind = (int)r->c->getCursorKind(at);
		CXCursor inner = at;

		if (kind == CXCursor_CallExpr) {
			CXCursor to = r->c->getCursorReferenced(at);

			return (int)r->c->getCursorKind(to) == CXCursor_FunctionDecl ? result_identity(reader_name(r, to)) : 0;
		}
		if (kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr && kind != CXCursor_CStyleCastExpr)
			return 0;
		r->c->visitChildren(at, last_child, &inner);
		if (inner.data[1] == at.data[1])
			return 0;
		at = inner;
	}
}

/* Below an expression, the first member that it names: of offsetof(T, m). */
static enum CXChildVisitResult find_member(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct {
		struct reader *r;
		CXCursor field;
		int found;
	} *x = data;

	(void)parent;
	if (x->r->c->getCursorKind(cursor) != CXCursor_MemberRef)
		return CXChildVisit_Recurse;
	x->field = x->r->c->getCursorReferenced(cursor);
	x->found = 1;
	return CXChildVisit_Break;
}

struct operands {
	CXCursor all[2];
	unsigned count;
};

static enum CXChildVisitResult take_operand(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct operands *o = data;

	(void)parent;
	if (o->count < 2)
		o->all[o->count] = cursor;
	o->count++;
	return CXChildVisit_Continue;
}

/* container_of(p, T, m) is (T *)((char *)p - offsetof(T, m)): where m is the first member of T, p is taken for a T. What is subtracted from; else the operand itself. */
static CXCursor container_member(struct reader *r, CXCursor operand)
{
	struct operands below = {.count = 0};
	struct {
		struct reader *r;
		CXCursor field;
		int found;
	} member = {.r = r};
	CXCursor at = operand;

	for (;; at = below.all[0]) {
		int kind = (int)r->c->getCursorKind(at);

		below.count = 0;
		r->c->visitChildren(at, take_operand, &below);
		if (kind == CXCursor_BinaryOperator && below.count == 2 && r->c->getCursorBinaryOperatorKind(at) == CXBinaryOperator_Sub)
			break;
		if ((kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr) || below.count != 1)
			return operand;
	}
	if (r->c->getCursorType(below.all[0]).kind != CXType_Pointer)
		return operand;
	r->c->visitChildren(below.all[1], find_member, &member);
	if (!member.found || r->c->getCursorKind(member.field) != CXCursor_FieldDecl || r->c->Cursor_getOffsetOfField(member.field))
		return operand;
	for (at = below.all[0];;) { /* without the cast to characters */
		int kind = (int)r->c->getCursorKind(at);
		CXCursor inner = at;

		if (kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr && kind != CXCursor_CStyleCastExpr)
			return at;
		r->c->visitChildren(at, last_child, &inner);
		if (inner.data[1] == at.data[1])
			return operand;
		at = inner;
	}
}

int reader_convert(struct reader *r, CXType t, CXCursor operand)
{
	operand = container_member(r, operand);

	CXType source = r->c->getCanonicalType(r->c->getCursorType(operand)), from, to;
	uint64_t declaration;

	if (source.kind != CXType_Pointer)
		return 0;
	from = r->c->getPointeeType(source);
	to = r->c->getPointeeType(t);
	if (((from.kind == CXType_Void || is_incomplete(r, from)) && is_telling(r, to)) || is_larger(r, to, from)) {
		declaration = subject(r, operand, 1);
		if (!declaration && from.kind == CXType_Void)
			declaration = called(r, operand);
		if (declaration)
			note(r, declaration, t, to);
		if (is_incomplete(r, from))
			note(r, plain_identity(r, from), to, to);
	} else if (is_incomplete(r, to) && is_telling(r, from)) {
		note(r, plain_identity(r, to), from, from);
	}
	if (!is_larger(r, to, from))
		return 0;
	map_set(&r->larger, plain_identity(r, from), 1);
	return 1;
}

struct first_field {
	struct reader *r;
	CXType type;
	int there;
};

static enum CXVisitorResult take_first(CXCursor field, CXClientData data)
{
	struct first_field *f = data;

	f->type = f->r->c->getCanonicalType(f->r->c->getCursorType(field));
	f->there = !f->r->c->Cursor_isBitField(field);
	return CXVisit_Break;
}

int reader_begins_with(struct reader *r, CXType large, CXType small)
{
	for (unsigned depth = 0; depth < BEGINS_DEPTH && large.kind == CXType_Record; depth++) {
		struct first_field f = {.r = r};

		if (large.data[0] == small.data[0])
			return 1;
		if (r->c->getCursorKind(r->c->getTypeDeclaration(large)) == CXCursor_UnionDecl) /* other members of it have the same bytes */
			return 0;
		r->c->Type_visitFields(large, take_first, &f);
		if (!f.there)
			return 0;
		large = r->c->getUnqualifiedType(f.type);
	}
	return 0;
}

int reader_begins(struct reader *r, CXType type)
{
	return map_get(&r->larger, plain_identity(r, type), NULL);
}

void reader_pass(struct reader *r, CXCursor operand, CXCursor parameter)
{
	uint64_t from = subject(r, operand, 1);

	if (!from)
		from = called(r, operand);
	if (from && r->c->getCanonicalType(r->c->getCursorType(parameter)).kind == CXType_Pointer)
		vec_push(&r->flows, (struct reader_flow){from, (uint64_t)(uintptr_t)parameter.data[0], 0});
}

/* Each flow is taken once at most, so this ends. */
void reader_passed(struct reader *r)
{
	for (int more = 1; more;) {
		more = 0;
		for (size_t i = 0; i < r->flows.size; i++) {
			struct reader_flow *x = &r->flows.data[i];
			uint64_t number;

			if (x->done || !map_get(&r->conversion_best, x->to, &number) || r->conversions.data[number].several)
				continue;
			x->done = more = 1;
			note(r, x->from, r->conversions.data[number].to, r->c->getPointeeType(r->conversions.data[number].to));
		}
	}
}

int reader_takes_for(struct reader *r, CXType t, CXCursor operand, uint32_t function)
{
	uint64_t declaration = is_telling(r, r->c->getPointeeType(t)) ? subject(r, operand, 0) : 0;

	if (declaration)
		vec_push(&r->taken_for, (struct reader_taken){declaration, function});
	return declaration != 0;
}

void reader_behind_voids(struct reader *r)
{
	uint64_t number;

	for (size_t i = 0; i < r->taken_for.size; i++)
		if (!map_get(&r->conversion_best, r->taken_for.data[i].declaration, &number) || r->conversions.data[number].several)
			r->f->functions.data[r->taken_for.data[i].function].looks_behind_void = 1;
}

uint32_t reader_converted(struct reader *r, CXCursor declaration)
{
	uint64_t number;

	if (!map_get(&r->conversion_best, (uint64_t)(uintptr_t)declaration.data[0], &number) ||
	    r->conversions.data[number].several)
		return FRONT_NONE;
	return reader_type(r, r->conversions.data[number].to);
}

uint32_t reader_result_as(struct reader *r, const char *function)
{
	uint64_t number;

	if (!map_get(&r->conversion_best, result_identity(function), &number) || r->conversions.data[number].several)
		return FRONT_NONE;
	return reader_type(r, r->conversions.data[number].to);
}

uint32_t reader_stands_for(struct reader *r, CXType incomplete)
{
	uint64_t number;

	if (!map_get(&r->conversion_best, plain_identity(r, incomplete), &number))
		return FRONT_NONE;
	return reader_type(r, r->c->getUnqualifiedType(r->conversions.data[number].to));
}
