/* types.c: clang's types as front_types.
 *
 * A type of clang is a node (unique for what was written) with qualifiers; each such pair has a
 * number, and pairs with the same canonical type and the same name share it. A number is given out
 * at once and the contents are filled in later from a list, so that recursive types and long chains
 * of structs need no recursion.
 *
 * Sugar: a type is taken apart through typedefs, attributes and elaborations only as far as its
 * shape shows (pointer, array, record...), so that a pointer to size_t points to size_t and not to
 * unsigned long. Contents of structs, unions and enums are read once, for the plain type, and
 * shared by all that are written differently.
 *
 * Names are put together here and not taken from clang's spelling, which writes anonymous types,
 * local ones and __typeof__ in ways that do not compile at the end of the unit.
 */
#include "front/reader.h"

#include <stdio.h>
#include <string.h>

enum { NAME_DEPTH = 64 }; /* declarators deeper than this have no name */

static uint64_t identity(CXType t)
{
	return (uint64_t)(uintptr_t)t.data[0];
}

/* Whether the declaration can be seen at the end of the file. */
static int at_file_scope(struct reader *r, CXCursor declaration)
{
	CXCursor parent = r->c->getCursorSemanticParent(declaration);

	return r->c->getCursorKind(parent) == CXCursor_TranslationUnit;
}

/* One layer of sugar off; 0 if there is none. Qualifiers of the layer are lost. */
static int peel(struct reader *r, CXType *t)
{
	CXType inner;

	switch ((int)t->kind) {
	case CXType_Typedef:
		inner = r->c->getTypedefDeclUnderlyingType(r->c->getTypeDeclaration(*t));
		break;
	case CXType_Elaborated:
		inner = r->c->Type_getNamedType(*t);
		break;
	case CXType_Attributed:
	case CXType_BTFTagAttributed:
		inner = r->c->Type_getModifiedType(*t);
		break;
	case CXType_Unexposed:
	case CXType_Auto:
		inner = r->c->getCanonicalType(*t);
		if (identity(inner) == identity(*t))
			return 0;
		break;
	default:
		return 0;
	}
	if (inner.kind == CXType_Invalid)
		inner = r->c->getCanonicalType(*t);
	if (inner.kind == t->kind && identity(inner) == identity(*t))
		return 0;
	*t = inner;
	return 1;
}

static CXType shape(struct reader *r, CXType t)
{
	while (peel(r, &t))
		;
	return t;
}

/* ------------------------------------------------------------------- names */
enum { Q_CONST = 1, Q_VOLATILE = 2 };

static int qualifiers(struct reader *r, CXType t)
{
	return (r->c->isConstQualifiedType(t) ? Q_CONST : 0) |
	       (r->c->isVolatileQualifiedType(t) ? Q_VOLATILE : 0);
}

static const char *qualifier_text(int q)
{
	static const char *const text[] = {"", "const ", "volatile ", "const volatile "};

	return text[q];
}

static char *printed(struct reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static char *printed(struct reader *r, const char *format, ...)
{
	struct buf b = {0};
	va_list ap;
	char *s;

	va_start(ap, format);
	buf_addv(&b, format, ap);
	va_end(ap);
	s = arena_strdup(&r->f->arena, buf_str(&b));
	buf_release(&b);
	return s;
}

static const char *spell(struct reader *r, CXType t, const char *inner, int q, int depth);

/* "struct s", "enum e", or the typedef that an anonymous one was declared with; NULL if there is
 * neither. */
static const char *tag_name(struct reader *r, CXType t)
{
	CXCursor declaration = r->c->getTypeDeclaration(t);
	const char *s = reader_string(r, r->c->getTypeSpelling(r->c->getUnqualifiedType(t)));

	if (!at_file_scope(r, declaration) || strstr(s, "__va_list_tag"))
		return NULL;
	if (!strchr(s, '(') && !strchr(s, ':'))
		return s;
	if (t.kind == CXType_Enum) /* compatible with its integer type */
		return spell(r, r->c->getEnumDeclIntegerType(declaration), "", 0, 0);
	return NULL;
}

static const char *spell_function(struct reader *r, CXType t, const char *inner, int depth)
{
	struct buf b = {0};
	const char *all;
	int n = r->c->getNumArgTypes(t);

	buf_adds(&b, inner);
	buf_adds(&b, "(");
	for (int i = 0; i < n; i++) {
		const char *p = spell(r, r->c->getArgType(t, (unsigned)i), "", 0, depth + 1);

		if (!p) {
			buf_release(&b);
			return NULL;
		}
		buf_addf(&b, "%s%s", i ? ", " : "", p);
	}
	if (t.kind == CXType_FunctionProto) {
		if (n <= 0)
			buf_adds(&b, r->c->isFunctionTypeVariadic(t) ? "..." : "void");
		else if (r->c->isFunctionTypeVariadic(t))
			buf_adds(&b, ", ...");
	}
	buf_adds(&b, ")");
	all = spell(r, r->c->getResultType(t), buf_str(&b), 0, depth + 1);
	buf_release(&b);
	return all;
}

static const char *spell_pointer(struct reader *r, CXType t, const char *inner, int q, int depth)
{
	CXType to = r->c->getPointeeType(t), look = to;
	const char *quals = qualifier_text(q);
	int wrap;

	/* A typedef of an array or function needs no brackets, but they do no harm. */
	while (look.kind != CXType_Typedef && peel(r, &look))
		;
	wrap = look.kind == CXType_FunctionProto || look.kind == CXType_FunctionNoProto ||
	       look.kind == CXType_ConstantArray || look.kind == CXType_IncompleteArray;
	if (look.kind == CXType_VariableArray)
		return NULL;
	if (!*inner && q) /* no blank after the last word */
		inner = printed(r, "*%.*s", (int)strlen(quals) - 1, quals);
	else
		inner = printed(r, "*%s%s", quals, inner);
	return spell(r, to, wrap ? printed(r, "(%s)", inner) : inner, 0, depth + 1);
}

/* The type as C writes it around the declarator `inner`. q: qualifiers that sugar outside of it
 * had. */
static const char *spell(struct reader *r, CXType t, const char *inner, int q, int depth)
{
	const char *base = NULL;

	if (depth > NAME_DEPTH)
		return NULL;
	q |= qualifiers(r, t);
	switch ((int)t.kind) {
	case CXType_Typedef: {
		CXCursor declaration = r->c->getTypeDeclaration(t);

		if (at_file_scope(r, declaration))
			base = reader_name(r, declaration);
		break;
	}
	case CXType_Pointer:
		return spell_pointer(r, t, inner, q, depth);
	case CXType_FunctionProto:
	case CXType_FunctionNoProto:
		return spell_function(r, t, inner, depth);
	case CXType_ConstantArray:
		return spell(r, r->c->getArrayElementType(t),
			     printed(r, "%s[%lld]", inner, r->c->getArraySize(t)), q, depth + 1);
	case CXType_IncompleteArray:
	case CXType_VariableArray: {
		CXType element = shape(r, r->c->getArrayElementType(t));

		/* Only the outermost may lack a number. */
		if (*inner && inner[strlen(inner) - 1] == ']')
			return NULL;
		if (element.kind == CXType_VariableArray)
			return NULL;
		return spell(r, r->c->getArrayElementType(t), printed(r, "%s[]", inner), q,
			     depth + 1);
	}
	case CXType_Record:
	case CXType_Enum:
		base = tag_name(r, t);
		if (!base)
			return NULL;
		break;
	case CXType_Atomic: {
		const char *value = spell(r, r->c->Type_getValueType(t), "", 0, depth + 1);

		if (!value)
			return NULL;
		base = printed(r, "_Atomic(%s)", value);
		break;
	}
	default:
		break;
	}
	if (!base) {
		CXType next = t;

		if (peel(r, &next))
			return spell(r, next, inner, q, depth + 1);
		base = reader_string(r, r->c->getTypeSpelling(r->c->getUnqualifiedType(t)));
	}
	return printed(r, "%s%s%s%s", qualifier_text(q), base, *inner ? " " : "", inner);
}

/* ---------------------------------------------------------------- contents */
static enum front_kind kind_of(struct reader *r, CXType t)
{
	switch ((int)t.kind) {
	case CXType_Void:
		return FRONT_VOID;
	case CXType_Bool:
		return FRONT_BOOL;
	case CXType_Char_U:
	case CXType_Char_S:
		return FRONT_CHAR;
	case CXType_UChar ... CXType_UInt128:
	case CXType_SChar ... CXType_Int128:
	case CXType_Enum:
		return FRONT_INT;
	case READER_FLOATS:
		return FRONT_FLOAT;
	case CXType_Pointer:
		return FRONT_POINTER;
	case CXType_FunctionProto:
	case CXType_FunctionNoProto:
		return FRONT_FUNCTION;
	case CXType_ConstantArray:
	case CXType_IncompleteArray:
	case CXType_VariableArray:
		return FRONT_ARRAY;
	case CXType_Record:
		return r->c->getCursorKind(r->c->getTypeDeclaration(t)) == CXCursor_UnionDecl
			   ? FRONT_UNION
			   : FRONT_STRUCT;
	case CXType_Atomic:
		return kind_of(r, shape(r, r->c->Type_getValueType(t)));
	default:
		return FRONT_OTHER;
	}
}

static int is_signed(CXType t)
{
	switch ((int)t.kind) {
	case CXType_Char_S:
	case CXType_SChar ... CXType_Int128:
	case READER_FLOATS:
		return 1;
	default:
		return 0;
	}
}

/* va_list, on this machine an array of one struct __va_list_tag. */
static int is_va_list(struct reader *r, CXType t)
{
	CXString s;
	const char *text;
	int is;

	if (t.kind == CXType_ConstantArray)
		t = shape(r, r->c->getArrayElementType(t));
	if (t.kind != CXType_Record)
		return 0;
	s = r->c->getTypeSpelling(t);
	text = r->c->getCString(s);
	is = text && strstr(text, "__va_list_tag") != NULL;
	r->c->disposeString(s);
	return is;
}

struct collector {
	struct reader *r;
	VEC(struct front_field) fields;
	VEC(struct front_enumerator) enumerators;
};

static enum CXVisitorResult add_field(CXCursor cursor, CXClientData data)
{
	struct collector *k = data;
	struct reader *r = k->r;
	struct front_field x = {.name = reader_name(r, cursor)};
	long long offset = r->c->Cursor_getOffsetOfField(cursor);

	if (strchr(x.name, '('))
		x.name = ""; /* "(anonymous union at ...)" */
	if (r->c->Cursor_isBitField(cursor)) {
		if (!*x.name)
			return CXVisit_Continue; /* padding */
		x.bits = (uint32_t)r->c->getFieldDeclBitWidth(cursor);
	}
	x.bit_offset = offset < 0 ? 0 : (uint64_t)offset;
	x.type = reader_type(r, r->c->getCursorType(cursor));
	x.as = reader_converted(r, cursor);
	vec_push(&k->fields, x);
	return CXVisit_Continue;
}

static enum CXChildVisitResult add_enumerator(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct collector *k = data;
	struct reader *r = k->r;

	(void)parent;
	if (r->c->getCursorKind(cursor) == CXCursor_EnumConstantDecl)
		vec_push(&k->enumerators,
			 (struct front_enumerator){reader_name(r, cursor),
						   r->c->getEnumConstantDeclValue(cursor)});
	return CXChildVisit_Continue;
}

static void fill_tag(struct reader *r, struct front_type *x, CXType t)
{
	struct collector k = {.r = r};

	if (t.kind == CXType_Enum) {
		CXCursor d = r->c->getCursorDefinition(r->c->getTypeDeclaration(t));
		CXType integer = shape(r, r->c->getEnumDeclIntegerType(d));

		x->is_enum = 1;
		x->is_signed = is_signed(integer);
		r->c->visitChildren(d, add_enumerator, &k);
		READER_KEEP(r, &x->enumerators, &k.enumerators);
		vec_release(&k.enumerators);
	} else {
		r->c->Type_visitFields(t, add_field, &k);
		READER_KEEP(r, &x->fields, &k.fields);
		vec_release(&k.fields);
	}
}

static void fill_function(struct reader *r, struct front_type *x, CXType t)
{
	VEC(uint32_t) parameters = {0};
	int n = r->c->getNumArgTypes(t);

	x->to = reader_type(r, r->c->getResultType(t));
	for (int i = 0; i < n; i++)
		vec_push(&parameters, reader_type(r, r->c->getArgType(t, (unsigned)i)));
	READER_KEEP(r, &x->parameters, &parameters);
	vec_release(&parameters);
	x->prototyped = t.kind == CXType_FunctionProto;
	x->variadic = x->prototyped && r->c->isFunctionTypeVariadic(t);
}

static void fill(struct reader *r, uint32_t number, CXType t)
{
	/* Other types get numbers meanwhile, and the vector moves: work on a copy. */
	struct front_type x = r->f->types.data[number];
	long long size = r->c->Type_getSizeOf(t), align = r->c->Type_getAlignOf(t), count;
	CXType s = shape(r, t);

	x.kind = kind_of(r, s);
	if (is_va_list(r, s)) {
		x.is_va_list = 1;
		x.kind = FRONT_OTHER;
	}
	if (x.kind != FRONT_VOID && x.kind != FRONT_FUNCTION) {
		x.size = size > 0 ? (uint64_t)size : 0;
		x.align = align > 0 ? (uint32_t)align : 1;
	}
	if (s.kind == CXType_Atomic)
		s = shape(r, r->c->Type_getValueType(s));
	x.is_signed = is_signed(s);
	switch (x.kind) {
	case FRONT_POINTER:
		x.to = reader_type(r, r->c->getPointeeType(s));
		break;
	case FRONT_ARRAY:
		count = s.kind == CXType_ConstantArray ? r->c->getArraySize(s) : 0;
		x.count = count > 0 ? (uint64_t)count : 0;
		x.to = reader_type(r, r->c->getArrayElementType(s));
		break;
	case FRONT_FUNCTION:
		fill_function(r, &x, s);
		break;
	case FRONT_STRUCT:
	case FRONT_UNION:
	case FRONT_INT:
		if (x.plain != number)
			break;
		if (s.kind == CXType_Record && !x.size)
			x.as = reader_stands_for(r, s);
		if (s.kind == CXType_Record)
			x.begins = reader_begins(r, s);
		if (s.kind == CXType_Record || s.kind == CXType_Enum)
			fill_tag(r, &x, s);
		break;
	default:
		break;
	}
	r->f->types.data[number] = x;
}

uint32_t reader_type(struct reader *r, CXType t)
{
	CXType canonical, element, plain;
	struct front_type x = {.as = FRONT_NONE};
	struct buf key = {0};
	uint64_t number;
	uint32_t plain_number;

	if (map_get(&r->type_numbers, identity(t), &number))
		return (uint32_t)number;
	canonical = r->c->getCanonicalType(t);
	x.name = spell(r, t, "", 0, 0);
	/* An array is const if its elements are, whichever of them clang says it of. */
	for (element = canonical;; element = r->c->getArrayElementType(element)) {
		x.is_const |= r->c->isConstQualifiedType(element) != 0;
		x.is_volatile |= r->c->isVolatileQualifiedType(element) != 0;
		if (element.kind != CXType_ConstantArray && element.kind != CXType_IncompleteArray)
			break;
	}
	buf_addf(&key, "%llx %s", (unsigned long long)identity(canonical), x.name ? x.name : "");
	if (strmap_get(&r->type_spelled, buf_str(&key), &number)) {
		buf_release(&key);
		map_set(&r->type_numbers, identity(t), number);
		return (uint32_t)number;
	}
	number = r->f->types.size;
	vec_push(&r->f->types, x);
	map_set(&r->type_numbers, identity(t), number);
	strmap_set(&r->type_spelled, buf_str(&key), number);
	buf_release(&key);
	vec_push(&r->pending, (struct reader_type){t, (uint32_t)number});

	plain = r->c->getUnqualifiedType(canonical);
	plain_number = identity(plain) == identity(t) ? (uint32_t)number : reader_type(r, plain);
	r->f->types.data[number].plain = plain_number;
	return (uint32_t)number;
}

void reader_types(struct reader *r)
{
	struct front_type *types;

	while (r->pending.size) {
		struct reader_type p = vec_pop(&r->pending);

		fill(r, p.number, p.type);
	}
	types = r->f->types.data;
	for (size_t i = 0; i < r->f->types.size; i++) {
		const struct front_type *plain = &types[types[i].plain];

		types[i].as = plain->as;
		if (plain == &types[i] || (!plain->fields.size && !plain->is_enum))
			continue;
		types[i].fields.data = plain->fields.data;
		types[i].fields.size = types[i].fields.cap = plain->fields.size;
		types[i].enumerators.data = plain->enumerators.data;
		types[i].enumerators.size = types[i].enumerators.cap = plain->enumerators.size;
		types[i].is_enum = plain->is_enum;
		types[i].is_signed = plain->is_signed;
	}
}
