/* tree.c: libclang's tree, copied into plain nodes.
 *
 * One visit in order of the source gives every cursor a node below its parent's. What refers to a declaration is noted by
 * clang's address of the first declaration and resolved when all nodes are there. libclang leaves out absent parts of a
 * `for` without a trace, so its semicolons are looked for in the text. A cursor that libclang does not expose is an
 * implicit conversion if it has one child that stands at the same place; anything else of that kind is TREE_OTHER.
 */
#include "front/tree.h"

#include "base/error.h"
#include "base/file.h"
#include "front/reader.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { STACK = 1 << 30 };

struct late {
	uint32_t node;
	uint64_t key;
};

struct builder {
	struct reader r;
	struct tree *t;
	struct map declarations; /* clang's address to node */
	struct map types;	 /* clang's address to number */
	VEC(struct late) refers, records, typedefs; /* node, or for the latter two the type */
	const char *last_file;
};
struct level {
	struct builder *b;
	uint32_t parent, last;
};

const char *tree_op_text(enum tree_op op)
{
	static const char *const texts[] = {
#define X(name, text) text,
	    TREE_OPS(X)
#undef X
	};

	return texts[op];
}

/* ------------------------------------------------------------------- types */
static void integer(struct tree_type *x, int is_signed, int rank)
{
	x->kind = TREE_TYPE_INT;
	x->is_signed = (uint8_t)is_signed;
	x->rank = (uint8_t)rank;
}

static void arithmetic(struct tree_type *x, enum CXTypeKind kind)
{
	switch ((int)kind) {
	case CXType_Void: x->kind = TREE_TYPE_VOID; break;
	case CXType_Bool: x->kind = TREE_TYPE_BOOL; break;
	case CXType_Char_U: integer(x, 0, 1); break;
	case CXType_UChar: integer(x, 0, 1); break;
	case CXType_Char_S: integer(x, 1, 1); break;
	case CXType_SChar: integer(x, 1, 1); break;
	case CXType_UShort: integer(x, 0, 2); break;
	case CXType_Short: integer(x, 1, 2); break;
	case CXType_UInt: integer(x, 0, 3); break;
	case CXType_Int: integer(x, 1, 3); break;
	case CXType_ULong: integer(x, 0, 4); break;
	case CXType_Long: integer(x, 1, 4); break;
	case CXType_ULongLong: integer(x, 0, 5); break;
	case CXType_LongLong: integer(x, 1, 5); break;
	case CXType_UInt128: integer(x, 0, 6); break;
	case CXType_Int128: integer(x, 1, 6); break;
	case CXType_Half: case CXType_Float16: case CXType_Float: case CXType_Double: case CXType_LongDouble:
	case CXType_Float128:
		x->kind = TREE_TYPE_FLOAT;
		break;
	default: break;
	}
}

static uint32_t type_number(struct builder *b, CXType t);

/* The names it was written with. */
static void note_typedefs(struct builder *b, CXType t, uint32_t number)
{
	const struct clang *c = b->r.c;

	for (int depth = 0; depth < 64; depth++) {
		if (t.kind == CXType_Elaborated) {
			t = c->Type_getNamedType(t);
		} else if (t.kind == CXType_Attributed) {
			t = c->Type_getModifiedType(t);
		} else if (t.kind == CXType_Typedef) {
			CXCursor d = c->getCanonicalCursor(c->getTypeDeclaration(t));

			vec_push(&b->typedefs, (struct late){number, (uint64_t)(uintptr_t)d.data[0]});
			t = c->getTypedefDeclUnderlyingType(d);
		} else {
			break;
		}
	}
}

static void fill_type(struct builder *b, struct tree_type *x, CXType t, uint32_t number)
{
	const struct clang *c = b->r.c;
	CXType plain = c->getCanonicalType(t);

	x->is_volatile = (uint8_t)(c->isVolatileQualifiedType(plain) != 0);
	x->is_const = (uint8_t)(c->isConstQualifiedType(plain) != 0);
	x->name = reader_string(&b->r, c->getTypeSpelling(c->getUnqualifiedType(t)));
	if (strstr(x->name, "(unnamed") || strstr(x->name, "(anonymous"))
		x->name = "";
	switch ((int)plain.kind) {
	case CXType_Pointer:
		x->kind = TREE_TYPE_POINTER;
		x->to = type_number(b, plain.kind == t.kind ? c->getPointeeType(t) : c->getPointeeType(plain));
		break;
	case CXType_Enum:
		arithmetic(x, c->getCanonicalType(c->getEnumDeclIntegerType(c->getTypeDeclaration(plain))).kind);
		break;
	case CXType_Record: {
		CXCursor d = c->getCanonicalCursor(c->getTypeDeclaration(plain));

		x->kind = TREE_TYPE_RECORD;
		vec_push(&b->records, (struct late){number, (uint64_t)(uintptr_t)d.data[0]});
		break;
	}
	case CXType_ConstantArray: case CXType_IncompleteArray: case CXType_VariableArray:
		x->kind = TREE_TYPE_ARRAY;
		x->to = type_number(b, c->getArrayElementType(t).kind != CXType_Invalid ? c->getArrayElementType(t)
											: c->getArrayElementType(plain));
		x->count = plain.kind == CXType_ConstantArray ? (uint64_t)c->getArraySize(plain) : 0;
		break;
	case CXType_FunctionProto: case CXType_FunctionNoProto:
		x->kind = TREE_TYPE_FUNCTION;
		x->to = type_number(b, c->getResultType(t).kind != CXType_Invalid ? c->getResultType(t)
										  : c->getResultType(plain));
		break;
	default:
		arithmetic(x, plain.kind);
	}
	/* Only of these: libclang does not survive the question about the type of a builtin function. */
	if (x->kind == TREE_TYPE_BOOL || x->kind == TREE_TYPE_INT || x->kind == TREE_TYPE_POINTER) {
		long long size = c->Type_getSizeOf(plain);

		x->bits = size > 0 ? (uint8_t)(8 * size) : 0;
	}
}

static uint32_t type_number(struct builder *b, CXType t)
{
	uint64_t key = (uint64_t)(uintptr_t)t.data[0], number;
	struct tree_type x = {0};

	if (t.kind == CXType_Invalid || !key)
		return 0;
	if (map_get(&b->types, key, &number))
		return (uint32_t)number;
	number = b->t->types.size;
	map_set(&b->types, key, number);
	vec_push(&b->t->types, (struct tree_type){.name = ""});
	fill_type(b, &x, t, (uint32_t)number);
	b->t->types.data[number] = x;
	note_typedefs(b, t, (uint32_t)number);
	return (uint32_t)number;
}

/* ------------------------------------------------------------------- nodes */
static uint32_t offset_of(struct builder *b, CXSourceLocation at)
{
	unsigned offset = 0;

	b->r.c->getSpellingLocation(at, NULL, NULL, NULL, &offset);
	return offset;
}

static const struct {
	int cursor;
	enum tree_kind kind;
} kinds[] = {
    {CXCursor_FunctionDecl, TREE_FUNCTION},
    {CXCursor_ParmDecl, TREE_PARAMETER},
    {CXCursor_VarDecl, TREE_VARIABLE},
    {CXCursor_FieldDecl, TREE_FIELD},
    {CXCursor_StructDecl, TREE_RECORD},
    {CXCursor_UnionDecl, TREE_RECORD},
    {CXCursor_TypedefDecl, TREE_TYPEDEF},
    {CXCursor_EnumConstantDecl, TREE_ENUMERATOR},
    {CXCursor_AnnotateAttr, TREE_ANNOTATION},
    {CXCursor_CompoundStmt, TREE_BLOCK},
    {CXCursor_DeclStmt, TREE_DECLARATION},
    {CXCursor_IfStmt, TREE_IF},
    {CXCursor_WhileStmt, TREE_WHILE},
    {CXCursor_DoStmt, TREE_DO},
    {CXCursor_ForStmt, TREE_FOR},
    {CXCursor_SwitchStmt, TREE_SWITCH},
    {CXCursor_CaseStmt, TREE_CASE},
    {CXCursor_DefaultStmt, TREE_CASE},
    {CXCursor_LabelStmt, TREE_LABEL},
    {CXCursor_GotoStmt, TREE_GOTO},
    {CXCursor_IndirectGotoStmt, TREE_GOTO},
    {CXCursor_BreakStmt, TREE_BREAK},
    {CXCursor_ContinueStmt, TREE_CONTINUE},
    {CXCursor_ReturnStmt, TREE_RETURN},
    {CXCursor_NullStmt, TREE_EMPTY},
    {CXCursor_GCCAsmStmt, TREE_ASM},
    {CXCursor_MSAsmStmt, TREE_ASM},
    {CXCursor_DeclRefExpr, TREE_NAME},
    {CXCursor_IntegerLiteral, TREE_NUMBER},
    {CXCursor_CharacterLiteral, TREE_NUMBER},
    {CXCursor_StringLiteral, TREE_STRING},
    {CXCursor_ParenExpr, TREE_PAREN},
    {CXCursor_CStyleCastExpr, TREE_CAST},
    {CXCursor_UnaryOperator, TREE_UNARY},
    {CXCursor_BinaryOperator, TREE_BINARY},
    {CXCursor_CompoundAssignOperator, TREE_ASSIGN},
    {CXCursor_ConditionalOperator, TREE_CHOICE},
    {CXCursor_CallExpr, TREE_CALL},
    {CXCursor_MemberRefExpr, TREE_MEMBER},
    {CXCursor_ArraySubscriptExpr, TREE_INDEX},
    {CXCursor_InitListExpr, TREE_LIST},
    {CXCursor_CompoundLiteralExpr, TREE_COMPOUND},
    {CXCursor_StmtExpr, TREE_BLOCK_EXPRESSION},
    {CXCursor_UnaryExpr, TREE_SIZEOF},
};

static enum tree_kind kind_of(int cursor)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (kinds[i].cursor == cursor)
			return kinds[i].kind;
	return TREE_OTHER;
}

static enum tree_op binary_op(enum CXBinaryOperatorKind k, int *assigns)
{
	*assigns = 0;
	switch ((int)k) {
	case CXBinaryOperator_Mul: return TREE_OP_MUL;
	case CXBinaryOperator_Div: return TREE_OP_DIV;
	case CXBinaryOperator_Rem: return TREE_OP_REM;
	case CXBinaryOperator_Add: return TREE_OP_ADD;
	case CXBinaryOperator_Sub: return TREE_OP_SUB;
	case CXBinaryOperator_Shl: return TREE_OP_SHL;
	case CXBinaryOperator_Shr: return TREE_OP_SHR;
	case CXBinaryOperator_LT: return TREE_OP_LT;
	case CXBinaryOperator_GT: return TREE_OP_GT;
	case CXBinaryOperator_LE: return TREE_OP_LE;
	case CXBinaryOperator_GE: return TREE_OP_GE;
	case CXBinaryOperator_EQ: return TREE_OP_EQ;
	case CXBinaryOperator_NE: return TREE_OP_NE;
	case CXBinaryOperator_And: return TREE_OP_AND;
	case CXBinaryOperator_Xor: return TREE_OP_XOR;
	case CXBinaryOperator_Or: return TREE_OP_OR;
	case CXBinaryOperator_LAnd: return TREE_OP_ANDAND;
	case CXBinaryOperator_LOr: return TREE_OP_OROR;
	case CXBinaryOperator_Comma: return TREE_OP_COMMA;
	default: break;
	}
	*assigns = 1;
	switch ((int)k) {
	case CXBinaryOperator_Assign: return TREE_OP_NONE;
	case CXBinaryOperator_MulAssign: return TREE_OP_MUL;
	case CXBinaryOperator_DivAssign: return TREE_OP_DIV;
	case CXBinaryOperator_RemAssign: return TREE_OP_REM;
	case CXBinaryOperator_AddAssign: return TREE_OP_ADD;
	case CXBinaryOperator_SubAssign: return TREE_OP_SUB;
	case CXBinaryOperator_ShlAssign: return TREE_OP_SHL;
	case CXBinaryOperator_ShrAssign: return TREE_OP_SHR;
	case CXBinaryOperator_AndAssign: return TREE_OP_AND;
	case CXBinaryOperator_XorAssign: return TREE_OP_XOR;
	case CXBinaryOperator_OrAssign: return TREE_OP_OR;
	default: *assigns = 0; return TREE_OP_OTHER;
	}
}

static enum tree_op unary_op(enum CXUnaryOperatorKind k)
{
	switch ((int)k) {
	case CXUnaryOperator_PostInc: return TREE_OP_POSTINC;
	case CXUnaryOperator_PostDec: return TREE_OP_POSTDEC;
	case CXUnaryOperator_PreInc: return TREE_OP_PREINC;
	case CXUnaryOperator_PreDec: return TREE_OP_PREDEC;
	case CXUnaryOperator_AddrOf: return TREE_OP_ADDRESS;
	case CXUnaryOperator_Deref: return TREE_OP_DEREF;
	case CXUnaryOperator_Plus: return TREE_OP_PLUS;
	case CXUnaryOperator_Minus: return TREE_OP_MINUS;
	case CXUnaryOperator_Not: return TREE_OP_NOT;
	case CXUnaryOperator_LNot: return TREE_OP_LNOT;
	case CXUnaryOperator_Extension: return TREE_OP_EXTENSION;
	default: return TREE_OP_OTHER;
	}
}

static void evaluate(struct builder *b, CXCursor cursor, struct tree_node *n)
{
	const struct clang *c = b->r.c;
	CXEvalResult e = c->Cursor_Evaluate(cursor);

	if (!e)
		return;
	if (c->EvalResult_getKind(e) == CXEval_Int) {
		n->has_value = 1;
		n->value = c->EvalResult_isUnsignedInt(e) ? c->EvalResult_getAsUnsigned(e)
							  : (uint64_t)c->EvalResult_getAsLongLong(e);
	}
	c->EvalResult_dispose(e);
}

/* An integer as it is written; binary ones are GNU's. */
static void literal(struct builder *b, CXCursor cursor, struct tree_node *n)
{
	const char *s = b->t->text + n->begin;
	char word[80], *end;
	size_t size = n->end - n->begin;

	if (!isdigit((unsigned char)*s) || size >= sizeof word) {
		evaluate(b, cursor, n);
		return;
	}
	memcpy(word, s, size);
	word[size] = 0;
	n->has_value = 1;
	n->value = word[0] == '0' && (word[1] | 32) == 'b' ? strtoull(word + 2, &end, 2) : strtoull(word, &end, 0);
	if (end[strspn(end, "uUlL")])
		n->has_value = 0;
}

/* The name in alias("NAME") or ifunc("NAME"); NULL: there is none. */
static const char *alias_in(struct builder *b, const char *text)
{
	const char *at = strstr(text, "((alias(\""), *end;

	at = at ? at + 9 : (at = strstr(text, "((ifunc(\"")) ? at + 9 : NULL;
	end = at ? strchr(at, '"') : NULL;
	return end ? arena_strndup(&b->r.f->arena, at, (size_t)(end - at)) : NULL;
}

/* GNU's attribute is part of the type, where that of a result or parameter may stand as well; the keyword is in front of the name. */
static int says_noreturn(struct builder *b, CXCursor cursor, const char *text)
{
	static const char word[] = "__attribute__((noreturn))";
	const struct clang *c = b->r.c;
	const char *type = reader_string(&b->r, c->getTypeSpelling(c->getCursorType(cursor))), *at;
	size_t size = strlen(type), n = sizeof word - 1;

	if (size > n && !strcmp(type + size - n, word) && !strncmp(type, "void (", 6) && type[6] != '*')
		return 1;
	at = text ? strstr(text, "_Noreturn") : NULL;
	at = at || !text ? at : strstr(text, "[[noreturn]]");
	return at && at < text + strcspn(text, "(");
}

static void fill_declaration(struct builder *b, CXCursor cursor, struct tree_node *n)
{
	const struct clang *c = b->r.c;
	enum CX_StorageClass storage;
	enum CXLinkageKind linkage = c->getCursorLinkage(cursor);

	n->at = offset_of(b, c->getCursorLocation(cursor));
	switch (n->kind) {
	case TREE_FUNCTION:
		n->defined = (uint8_t)(c->isCursorDefinition(cursor) != 0);
		n->is_static = linkage == CXLinkage_Internal;
		if (c->Cursor_hasAttrs(cursor)) {
			const char *text = reader_pretty(&b->r, cursor);

			n->is_weak = reader_says_weak(text) || strstr(text, "gnu_inline") || strstr(text, "((alias") || strstr(text, "((ifunc") ||
				     strstr(text, "((used") || strstr(text, "((constructor") || strstr(text, "((destructor");
			n->alias = alias_in(b, text);
			n->is_noreturn = (uint8_t)says_noreturn(b, cursor, text);
		} else {
			n->is_noreturn = (uint8_t)says_noreturn(b, cursor, NULL);
		}
		break;
	case TREE_VARIABLE:
		storage = c->Cursor_getStorageClass(cursor);
		n->is_extern = storage == CX_SC_Extern;
		n->is_global = linkage == CXLinkage_Internal || linkage == CXLinkage_External;
		n->is_static = storage == CX_SC_Static || linkage == CXLinkage_Internal;
		n->defined = !n->is_extern;
		if (c->Cursor_hasAttrs(cursor)) {
			const char *text = reader_pretty(&b->r, cursor);

			n->is_cleaned = strstr(text, "((cleanup(") != NULL;
			n->alias = alias_in(b, text);
		}
		break;
	case TREE_FIELD: n->is_bits = (uint8_t)(c->Cursor_isBitField(cursor) != 0); break;
	case TREE_ENUMERATOR:
		n->has_value = 1;
		n->value = (uint64_t)c->getEnumConstantDeclValue(cursor);
		break;
	default: break;
	}
}

static void fill_expression(struct builder *b, CXCursor cursor, struct tree_node *n, uint32_t number)
{
	const struct clang *c = b->r.c;
	CXCursor to;
	int assigns;

	switch (n->kind) {
	case TREE_NAME: case TREE_MEMBER:
		to = c->getCanonicalCursor(c->getCursorReferenced(cursor));
		if (!c->Cursor_isNull(to))
			vec_push(&b->refers, (struct late){number, (uint64_t)(uintptr_t)to.data[0]});
		n->at = n->kind == TREE_MEMBER ? offset_of(b, c->getCursorLocation(cursor)) : n->begin;
		break;
	case TREE_NUMBER: literal(b, cursor, n); break;
	case TREE_SIZEOF: evaluate(b, cursor, n); break;
	case TREE_UNARY: n->op = unary_op(c->getCursorUnaryOperatorKind(cursor)); break;
	case TREE_BINARY: case TREE_ASSIGN:
		n->op = binary_op(c->getCursorBinaryOperatorKind(cursor), &assigns);
		if (assigns)
			n->kind = TREE_ASSIGN;
		break;
	default: break;
	}
}

static int is_declaration(int kind)
{
	return kind >= TREE_FUNCTION && kind <= TREE_ENUMERATOR;
}

static uint32_t absent(struct builder *b, uint32_t parent)
{
	struct tree_node n = {.kind = TREE_ABSENT, .name = "", .file = "", .parent = parent};

	vec_push(&b->t->nodes, n);
	return (uint32_t)b->t->nodes.size - 1;
}

/* After a character constant or string that begins at s. */
static const char *behind_quote(const char *s, const char *end)
{
	char quote = *s++;

	while (s < end && *s != quote)
		s += *s == '\\' && s + 1 < end ? 2 : 1;
	return s < end ? s + 1 : s;
}

/* The two semicolons of a `for`. */
static void semicolons(const struct tree *t, const struct tree_node *n, uint32_t at[2])
{
	const char *s = t->text + n->begin, *end = t->text + n->end;
	int depth = 0, found = 0;

	at[0] = at[1] = n->end;
	while (s < end && found < 2) {
		if (*s == '"' || *s == '\'') {
			s = behind_quote(s, end);
			continue;
		}
		if (*s == '#') /* a line marker, or a directive: nothing of the statement */
			while (s < end && *s != '\n')
				s++;
		depth += *s == '(' || *s == '{' || *s == '[';
		depth -= *s == ')' || *s == '}' || *s == ']';
		if (*s == ';' && depth == 1)
			at[found++] = (uint32_t)(s - t->text);
		s++;
	}
}

static void complete_for(struct builder *b, uint32_t number)
{
	uint32_t part[4] = {0}, at[2], child = b->t->nodes.data[number].first;

	semicolons(b->t, &b->t->nodes.data[number], at);
	for (uint32_t next; child; child = next) {
		const struct tree_node *n = &b->t->nodes.data[child];

		next = n->next;
		part[!next ? 3 : n->begin < at[0] ? 0 : n->begin < at[1] ? 1 : 2] = child;
	}
	for (int i = 0; i < 4; i++)
		if (!part[i])
			part[i] = absent(b, number);
	b->t->nodes.data[number].first = part[0];
	for (int i = 0; i < 4; i++)
		b->t->nodes.data[part[i]].next = i < 3 ? part[i + 1] : 0;
}

/* What can only be said when the children are there. */
static void complete(struct builder *b, CXCursor cursor, uint32_t number)
{
	const struct clang *c = b->r.c;
	struct tree_node *n = &b->t->nodes.data[number], *child;
	CXCursor initial;

	if (n->kind == TREE_FOR) {
		complete_for(b, number);
	} else if (n->kind == TREE_OTHER && c->getCursorKind(cursor) == CXCursor_UnexposedExpr && n->first) {
		child = &b->t->nodes.data[n->first];
		if (!child->next && child->begin == n->begin && child->end == n->end)
			n->kind = TREE_CONVERT;
	} else if (n->kind == TREE_VARIABLE) {
		initial = c->Cursor_getVarDeclInitializer(cursor);
		if (!c->Cursor_isNull(initial)) {
			uint32_t begin = offset_of(b, c->getRangeStart(c->getCursorExtent(initial)));

			for (uint32_t i = n->first; i; i = b->t->nodes.data[i].next)
				if (b->t->nodes.data[i].begin == begin)
					n->init = i;
		}
	} else if (n->kind == TREE_MEMBER && n->first) {
		uint32_t s = b->t->nodes.data[n->first].end;

		while (s < n->end && b->t->text[s] != '.' && b->t->text[s] != '-')
			s++;
		n->arrow = s < n->end && b->t->text[s] == '-';
	}
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct level *l = data, below;
	struct builder *b = l->b;
	const struct clang *c = b->r.c;
	int kind = (int)c->getCursorKind(cursor);
	struct tree_node n = {.name = "", .parent = l->parent};
	CXSourceRange extent;
	CXSourceLocation start;
	uint32_t number;

	(void)parent;
	if (kind >= CXCursor_FirstRef && kind <= CXCursor_LastRef)
		return CXChildVisit_Continue;
	n.kind = (uint8_t)kind_of(kind);
	if (is_declaration(n.kind) && map_get(&b->declarations, (uint64_t)(uintptr_t)cursor.data[0], NULL))
		return CXChildVisit_Continue;
	if (kind >= CXCursor_FirstAttr && kind <= CXCursor_LastAttr && n.kind != TREE_ANNOTATION)
		n.kind = TREE_ATTRIBUTE;
	extent = c->getCursorExtent(cursor);
	start = c->getRangeStart(extent);
	n.begin = offset_of(b, start);
	n.end = offset_of(b, c->getRangeEnd(extent));
	n.line = reader_line(&b->r, start, NULL);
	if (n.kind == TREE_BLOCK)
		n.end_line = reader_line(&b->r, c->getRangeEnd(extent), NULL);
	n.file = l->parent == 1 ? (reader_line(&b->r, start, &n.file), n.file) : b->t->nodes.data[l->parent].file;
	if (l->parent == 1)
		n.in_system = (uint8_t)(c->Location_isInSystemHeader(start) != 0);
	else
		n.in_system = b->t->nodes.data[l->parent].in_system;
	if (n.in_system && n.kind == TREE_BLOCK)
		return CXChildVisit_Continue;
	number = (uint32_t)b->t->nodes.size;
	if (is_declaration(n.kind)) {
		CXCursor first = c->getCanonicalCursor(cursor);
		uint64_t known = number;

		n.name = reader_name(&b->r, cursor);
		map_set(&b->declarations, (uint64_t)(uintptr_t)cursor.data[0], number);
		/* The first one of a name that the compiler knows (index, abs ...) is its own, and not in the text. */
		if (!map_get(&b->declarations, (uint64_t)(uintptr_t)first.data[0], &known))
			map_set(&b->declarations, (uint64_t)(uintptr_t)first.data[0], number);
		n.canon = (uint32_t)known;
		n.line = reader_line(&b->r, c->getCursorLocation(cursor), NULL);
		fill_declaration(b, cursor, &n);
	} else if (n.kind == TREE_NAME || n.kind == TREE_MEMBER || n.kind == TREE_ANNOTATION || n.kind == TREE_ATTRIBUTE) {
		n.name = reader_name(&b->r, cursor);
	}
	n.type = type_number(b, n.kind == TREE_TYPEDEF ? c->getTypedefDeclUnderlyingType(cursor) : c->getCursorType(cursor));
	vec_push(&b->t->nodes, n);
	fill_expression(b, cursor, &b->t->nodes.data[number], number);
	if (l->last)
		b->t->nodes.data[l->last].next = number;
	else
		b->t->nodes.data[l->parent].first = number;
	l->last = number;
	below = (struct level){.b = b, .parent = number};
	c->visitChildren(cursor, visit, &below);
	complete(b, cursor, number);
	return CXChildVisit_Continue;
}

static void resolve(struct builder *b)
{
	uint64_t to;

	for (size_t i = 0; i < b->refers.size; i++)
		if (map_get(&b->declarations, b->refers.data[i].key, &to))
			b->t->nodes.data[b->refers.data[i].node].refers = (uint32_t)to;
	for (size_t i = 0; i < b->records.size; i++)
		if (map_get(&b->declarations, b->records.data[i].key, &to))
			b->t->types.data[b->records.data[i].node].record = (uint32_t)to;
	for (size_t i = 0; i < b->typedefs.size; i++)
		if (map_get(&b->declarations, b->typedefs.data[i].key, &to))
			vec_push(&b->t->types.data[b->typedefs.data[i].node].typedefs, (uint32_t)to);
}

static void mark_weak(void *ctx, const char *name, size_t size)
{
	struct tree *t = ctx;

	for (uint32_t n = t->nodes.data[1].first; n; n = t->nodes.data[n].next)
		if (t->nodes.data[n].kind == TREE_FUNCTION && strlen(t->nodes.data[n].name) == size &&
		    !memcmp(t->nodes.data[n].name, name, size))
			t->nodes.data[n].is_weak = 1;
}

static void build(void *ctx)
{
	struct builder *b = ctx;
	struct level top = {.b = b, .parent = 1};
	struct tree_node unit = {.kind = TREE_UNIT, .name = "", .file = ""};

	vec_push(&b->t->nodes, (struct tree_node){.name = "", .file = ""});
	unit.end = (uint32_t)b->t->size;
	vec_push(&b->t->nodes, unit);
	vec_push(&b->t->types, (struct tree_type){.name = ""});
	b->r.c->visitChildren(b->r.c->getTranslationUnitCursor(b->r.unit), visit, &top);
	resolve(b);
	reader_pragma_weak(b->t->text, b->t->size, mark_weak, b->t);
}

static void *on_thread(void *data)
{
	void **call = data;

	((void (*)(void *))call[0])(call[1]);
	return NULL;
}

void tree_with_stack(void (*f)(void *ctx), void *ctx)
{
	void *call[2] = {(void *)f, ctx};
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, STACK) || pthread_create(&thread, &attributes, on_thread, call))
		f(ctx);
	else
		pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
}

int tree_open(struct tree **t, const char *text, size_t size, const char *const *argv, int argc)
{
	struct builder b = {.r = {.c = clang_load()}};
	char *path;
	CXIndex index;
	int failed;

	*t = NULL;
	if (!b.r.c)
		return -1;
	if (size > UINT32_MAX / 2)
		return error_set("the preprocessed source has %zu bytes: too many", size);
	path = file_temp("unit.i");
	if (!path || file_write_atomic(path, text, size)) {
		free(path);
		return -1;
	}
	b.r.f = mem_zalloc(sizeof *b.r.f);
	b.t = mem_zalloc(sizeof *b.t);
	b.t->text = text;
	b.t->size = size;
	index = b.r.c->createIndex(0, 0);
	failed = reader_parse(&b.r, index, path, argv, argc);
	if (!failed)
		tree_with_stack(build, &b);
	if (b.r.unit)
		b.r.c->disposeTranslationUnit(b.r.unit);
	b.r.c->disposeIndex(index);
	b.t->arena = b.r.f->arena; /* what reader_string copied */
	free(b.r.f);
	free(path);
	map_release(&b.declarations);
	map_release(&b.types);
	vec_release(&b.refers);
	vec_release(&b.records);
	vec_release(&b.typedefs);
	if (failed)
		tree_close(b.t);
	else
		*t = b.t;
	return failed;
}

void tree_close(struct tree *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->types.size; i++)
		vec_release(&t->types.data[i].typedefs);
	vec_release(&t->nodes);
	vec_release(&t->types);
	arena_release(&t->arena);
	free(t);
}

uint32_t tree_bare(const struct tree *t, uint32_t node)
{
	for (;;) {
		const struct tree_node *n = &t->nodes.data[node];

		if (!n->first || (n->kind != TREE_PAREN && n->kind != TREE_CONVERT &&
				  !(n->kind == TREE_UNARY && n->op == TREE_OP_EXTENSION)))
			return node;
		node = n->first;
	}
}
