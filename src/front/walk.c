/* walk.c: what a body calls, which globals it names and what it does to them.
 *
 * The tree below a function (or an initialiser) is walked with a stack of our own, in order of the
 * source: generated code has expressions that are thousands of operators deep. Each expression
 * carries what is done with it, told from above:
 *
 *	READ        its value is only looked at; of a pointer: and what it points to is only read
 *	VALUE       its value goes somewhere; of a pointer or an array: what it points to may be written
 *	HELD        its value goes into a pointer to const that is followed (escape.c): item.holder
 *	HELD_OBJECT its address does
 *	STORED      it is an object that is written, or whose address is taken
 *	CHANGED     it is an object that is written, and nothing else is done with it; else as STORED
 *	CALLED      it is what a direct call calls
 *
 * A global that is met in STORED, or as an array in VALUE, counts as written; so does one whose address is held by a pointer that leaks.
 * That a pointer is one to const says nothing by itself: whoever gets it may cast that away, since the object is not const. A construct
 * that is not known here passes VALUE or STORED on, so in doubt a global is written and a function's address is taken.
 */
#include "front/asm_text.h"
#include "front/reader.h"

#include <stdlib.h>
#include <string.h>

/* Who is walked: exactly one of the two is there. */
struct owner {
	struct front_function *function;
	struct front_global *global;
	uint32_t number; /* of the global */
	uint32_t stamp;
};

static enum CXChildVisitResult collect(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct reader *r = data;

	(void)parent;
	vec_push(&r->children, cursor);
	return CXChildVisit_Continue;
}

/* Whether the owner meets the number for the first time. */
#define FIRST_TIME(seen, number, stamp)                  \
	({                                               \
		while ((seen)->size <= (number))         \
			vec_push((seen), 0);             \
		uint32_t before_ = (seen)->data[number]; \
		(seen)->data[number] = (stamp);          \
		before_ != (stamp);                      \
	})

static CXType canonical_type(struct reader *r, CXCursor cursor)
{
	return r->c->getCanonicalType(r->c->getCursorType(cursor));
}

static int is_array(CXType t)
{
	return t.kind == CXType_ConstantArray || t.kind == CXType_IncompleteArray ||
	       t.kind == CXType_VariableArray;
}

static int is_vector(CXType t)
{
	return t.kind == CXType_Vector || t.kind == CXType_ExtVector;
}

static int is_number(CXType t)
{
	return t.kind >= CXType_Char_U && t.kind <= CXType_Int128;
}

static int is_address(CXType t)
{
	return t.kind == CXType_Pointer || t.kind == CXType_ConstantArray || t.kind == CXType_IncompleteArray || t.kind == CXType_FunctionProto;
}

static int is_float(CXType t)
{
	switch ((int)t.kind) {
	case READER_FLOATS:
	case CXType_Complex:
		return 1;
	default:
		return 0;
	}
}

static int is_setjmp(const char *name)
{
	static const char *const names[] = {"setjmp",	   "_setjmp",	       "sigsetjmp",
					    "__sigsetjmp", "__builtin_setjmp", "savectx"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return 1;
	return 0;
}

static void note_call(struct reader *r, struct owner *o, uint32_t callee)
{
	if (o->function && FIRST_TIME(&r->function_seen, callee, o->stamp))
		vec_push(&r->calls, callee);
}

static void note_builtin(struct reader *r, struct owner *o, const char *name)
{
	for (size_t i = 0; i < r->builtins.size; i++)
		if (!strcmp(r->builtins.data[i], name))
			return;
	if (o->function)
		vec_push(&r->builtins, arena_strdup(&r->f->arena, name));
}

static void meet_function(struct reader *r, struct owner *o, CXCursor declaration, int use)
{
	CXString s = r->c->getCursorSpelling(declaration);
	int number = reader_function(r, declaration);

	if (o->function && !strcmp(r->c->getCString(s), "__builtin_assume"))
		o->function->has_assume = 1;
	if (o->function && is_setjmp(r->c->getCString(s)))
		o->function->has_setjmp = 1;
	if (number < 0)
		note_builtin(r, o, r->c->getCString(s));
	r->c->disposeString(s);
	if (number < 0)
		return;
	if (use == CALLED) {
		r->f->functions.data[number].called++;
		note_call(r, o, (uint32_t)number);
		return;
	}
	r->f->functions.data[number].address_taken = 1;
	if (!o->function)
		r->f->globals.data[o->number].functions++;
	if (o->function && FIRST_TIME(&r->taken_seen, (uint32_t)number, o->stamp))
		vec_push(&r->takes, (uint32_t)number);
}

static void meet_variable(struct reader *r, struct owner *o, CXCursor declaration, struct reader_item item, CXType t)
{
	enum CXLinkageKind linkage = r->c->getCursorLinkage(declaration);
	int use = item.use;
	uint32_t number;

	reader_meet_holder(r, declaration, item);
	if (linkage != CXLinkage_Internal && linkage != CXLinkage_External &&
	    linkage != CXLinkage_UniqueExternal)
		return;
	if (r->c->Cursor_getStorageClass(declaration) == CX_SC_Register) { /* of the machine: it has no address, and it cannot be set */
		if (o->function)
			o->function->has_register = 1;
		return;
	}
	number = reader_global(r, declaration);
	if (use == HELD_OBJECT || (is_array(t) && use == HELD))
		reader_hold(r, reader_global_key(number), item.holder);
	else if ((use == STORED || use == CHANGED || (is_array(t) && use != READ)) && !r->f->globals.data[number].is_const)
		r->f->globals.data[number].written = 1;
	if (FIRST_TIME(&r->global_seen, number, o->stamp))
		vec_push(&r->globals, number);
}

static void meet_name(struct reader *r, struct owner *o, struct reader_item item, CXType t)
{
	CXCursor to = r->c->getCursorReferenced(item.cursor);

	switch ((int)r->c->getCursorKind(to)) {
	case CXCursor_FunctionDecl:
		meet_function(r, o, to, item.use);
		break;
	case CXCursor_VarDecl:
		meet_variable(r, o, to, item, t);
		break;
	case CXCursor_ParmDecl:
		reader_meet_holder(r, to, item);
		break;
	default:
		break;
	}
}

/* A function that an attribute names: __attribute__((cleanup(f))) on a variable calls it. */
static void meet_attribute(struct reader *r, struct owner *o, CXCursor cursor,
			   const char *attribute)
{
	const char *text = reader_pretty(r, cursor), *at = strstr(text, attribute), *end;
	uint64_t number;
	char *name;

	if (!at)
		return;
	at += strlen(attribute);
	at += strspn(at, "(\"");
	end = at + strcspn(at, ")\"");
	name = arena_strndup(&r->f->arena, at, (size_t)(end - at));
	if (strmap_get(&r->f->function_numbers, name, &number))
		note_call(r, o, (uint32_t)number);
	else if (o->function)
		o->function->calls_pointer = 1; /* somewhere */
}

static void meet_declaration(struct reader *r, struct owner *o, CXCursor cursor)
{
	CXType t;

	if (!o->function)
		return;
	if (r->c->Cursor_hasAttrs(cursor))
		meet_attribute(r, o, cursor, "cleanup");
	t = canonical_type(r, cursor);
	if (is_float(t))
		o->function->has_float = 1;
	if (r->c->Cursor_getStorageClass(cursor) != CX_SC_Static)
		return;
	while (is_array(t) && !r->c->isConstQualifiedType(t))
		t = r->c->getArrayElementType(t);
	if (!r->c->isConstQualifiedType(t))
		o->function->has_static_locals = 1;
}

/* A statement with an attribute, which libclang does not show: __attribute__((assume(n > 0))). */
static int says_assume(struct reader *r, CXCursor cursor)
{
	CXSourceRange extent = r->c->getCursorExtent(cursor);
	unsigned from = 0, to = 0;

	r->c->getSpellingLocation(r->c->getRangeStart(extent), NULL, NULL, NULL, &from);
	r->c->getSpellingLocation(r->c->getRangeEnd(extent), NULL, NULL, NULL, &to);
	return from < to && to <= r->text.size && memmem(r->text.data + from, to - from, "assume", 6);
}

static void meet_statement(struct reader *r, struct owner *o, CXCursor cursor, int kind)
{
	if (!o->function)
		return;
	switch (kind) {
	case CXCursor_ForStmt:
	case CXCursor_WhileStmt:
	case CXCursor_DoStmt:
	case CXCursor_IndirectGotoStmt:
		o->function->loops++;
		break;
	case CXCursor_LabelStmt:
		map_set(&r->labels, (uint64_t)(uintptr_t)cursor.data[1], 1);
		break;
	case CXCursor_LabelRef: {
		CXCursor label = r->c->getCursorReferenced(cursor);

		if (map_get(&r->labels, (uint64_t)(uintptr_t)label.data[1], NULL))
			o->function->loops++;
		break;
	}
	case CXCursor_GCCAsmStmt:
	case CXCursor_MSAsmStmt:
		o->function->has_asm = 1;
		break;
	case CXCursor_UnexposedStmt:
		if (says_assume(r, cursor))
			o->function->has_assume = 1;
		break;
	default:
		break;
	}
}

/* --------------------------------------------- what is done with the parts */
/* What is done with a pointer, when `use` is done with what it points to, of type t: p of *p, p[i] and p->m. */
static int use_of_base(int use, CXType t)
{
	if (use == HELD_OBJECT || (use == HELD && is_array(t)))
		return HELD;
	return use == STORED || (is_array(t) && use != READ) ? VALUE : READ;
}

static int use_below_unary(struct reader *r, CXCursor cursor, int use, CXType t)
{
	switch (r->c->getCursorUnaryOperatorKind(cursor)) {
	case CXUnaryOperator_PostInc:
	case CXUnaryOperator_PostDec:
	case CXUnaryOperator_PreInc:
	case CXUnaryOperator_PreDec:
		return use == READ ? CHANGED : STORED;
	case CXUnaryOperator_AddrOf:
		return use == READ || use == CALLED ? use : use == HELD ? HELD_OBJECT : STORED;
	case CXUnaryOperator_Deref:
		return use == CALLED ? use : use_of_base(use, t);
	case CXUnaryOperator_Extension:
	case CXUnaryOperator_Real:
	case CXUnaryOperator_Imag:
		return use;
	case CXUnaryOperator_Invalid:
		return use == STORED ? STORED : VALUE;
	default:
		return READ;
	}
}

static int use_below_binary(struct reader *r, CXCursor cursor, int use, size_t index)
{
	switch (r->c->getCursorBinaryOperatorKind(cursor)) {
	case CXBinaryOperator_Assign ... CXBinaryOperator_OrAssign:
		return index ? VALUE : use == READ ? CHANGED : STORED;
	case CXBinaryOperator_Add:
	case CXBinaryOperator_Sub:
		return use == READ || use == HELD ? use : VALUE;
	case CXBinaryOperator_Comma:
		return index == 0 ? READ : use;
	case CXBinaryOperator_Invalid:
		return use == STORED ? STORED : VALUE;
	default:
		return READ;
	}
}

static int use_below_member(struct reader *r, size_t index, int use, CXType t)
{
	int arrow;

	if (index >= r->children.size)
		return VALUE;
	arrow = canonical_type(r, r->children.data[index]).kind == CXType_Pointer;
	if (arrow)
		return use_of_base(use, t);
	if (use == HELD && is_array(t))
		return HELD_OBJECT;
	return use == HELD_OBJECT ? use : use == STORED || (is_array(t) && use != READ) ? STORED : READ;
}

/* What is done with the child at `index`, when `use` is done with the cursor whose children are
 * r->children and whose canonical type is t. */
static int use_below(struct reader *r, CXCursor cursor, int kind, int use, CXType t, size_t index)
{
	switch (kind) {
	case CXCursor_UnaryOperator:
		return use_below_unary(r, cursor, use, t);
	case CXCursor_BinaryOperator:
		return use_below_binary(r, cursor, use, index);
	case CXCursor_CompoundAssignOperator:
		return index ? VALUE : use == READ ? CHANGED : STORED;
	case CXCursor_ArraySubscriptExpr:
		if (is_vector(canonical_type(r, r->children.data[index])))
			return use;
		return use_of_base(use, t);
	case CXCursor_MemberRefExpr:
		return use_below_member(r, index, use, t);
	case CXCursor_ParenExpr:
		return use;
	case CXCursor_UnexposedExpr: /* an implicit conversion, or, with more than one part,
					an atomic operation */
		if (r->children.size != 1)
			return use == STORED ? STORED : VALUE;
		__attribute__((fallthrough));
	case CXCursor_CStyleCastExpr:
		return t.kind == CXType_Void ? READ : use;
	case CXCursor_ConditionalOperator:
		return index == 0 && r->children.size > 2 ? READ : use;
	case CXCursor_CallExpr:
		return index == 0 ? CALLED : VALUE;
	case CXCursor_CompoundStmt: /* its last value is that of ({ ... }) */
		return index + 1 == r->children.size ? use : READ;
	case CXCursor_LabelStmt:
		return use;
	case CXCursor_FunctionDecl:
	case CXCursor_ForStmt:
	case CXCursor_WhileStmt:
	case CXCursor_DoStmt:
	case CXCursor_IfStmt:
	case CXCursor_SwitchStmt:
	case CXCursor_CaseStmt:
	case CXCursor_DefaultStmt:
		return READ;
	case CXCursor_GCCAsmStmt:
	case CXCursor_MSAsmStmt:
		return STORED;
	default:
		return use == STORED ? STORED : VALUE;
	}
}

static enum CXChildVisitResult last_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	*(CXCursor *)data = cursor;
	return CXChildVisit_Continue;
}

static enum CXChildVisitResult first_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	*(CXCursor *)data = cursor;
	return CXChildVisit_Break;
}

/* The expression as it stands, whatever it is converted to. */
static CXCursor without_casts(struct reader *r, CXCursor e)
{
	enum CXCursorKind kind;

	while ((kind = r->c->getCursorKind(e)) == CXCursor_UnexposedExpr || kind == CXCursor_CStyleCastExpr || kind == CXCursor_ParenExpr) {
		CXCursor child = {.kind = CXCursor_InvalidFile};

		r->c->visitChildren(e, last_child, &child);
		e = child;
	}
	return e;
}

static int is_parameter(struct reader *r, CXCursor e)
{
	e = without_casts(r, e);
	return r->c->getCursorKind(e) == CXCursor_DeclRefExpr && r->c->getCursorKind(r->c->getCursorReferenced(e)) == CXCursor_ParmDecl;
}

static int is_some_pointer(struct reader *r, CXCursor e)
{
	int kind = (int)r->c->getCursorKind(without_casts(r, e));

	return is_address(canonical_type(r, e)) && kind != CXCursor_IntegerLiteral && kind != CXCursor_GNUNullExpr;
}

/* Of the comparison whose two sides are r->children. */
static int compares_pointers(struct reader *r, CXCursor cursor)
{
	switch (r->c->getCursorBinaryOperatorKind(cursor)) {
	case CXBinaryOperator_LT ... CXBinaryOperator_NE:
		return r->children.size == 2 && is_some_pointer(r, r->children.data[0]) && is_some_pointer(r, r->children.data[1]);
	default:
		return 0;
	}
}

static int points_to_const(struct reader *r, CXType t)
{
	return t.kind == CXType_Pointer && r->c->isConstQualifiedType(r->c->getPointeeType(t));
}

/* A pointer to what may be written, or to such a pointer: a call leaves it there (strtol). */
static int leads_to_written(struct reader *r, CXType t, int deep)
{
	CXType to = r->c->getPointeeType(t);

	if (t.kind != CXType_Pointer || to.kind == CXType_FunctionProto || to.kind == CXType_FunctionNoProto)
		return 0;
	return deep ? leads_to_written(r, to, 0) : !r->c->isConstQualifiedType(to);
}

/* Does it make a pointer to what may be written, or a number, of one to constants: by a cast, or by a call that is given one (strchr)? */
static int drops_const(struct reader *r, int kind, CXType t)
{
	int is_call = kind == CXCursor_CallExpr, makes = leads_to_written(r, t, 0) || (kind == CXCursor_CStyleCastExpr && is_number(t)), drops = 0;

	if (!is_call && kind != CXCursor_CStyleCastExpr && kind != CXCursor_UnexposedExpr)
		return 0;
	for (size_t i = 0; i < r->children.size; i++) {
		CXType of = canonical_type(r, r->children.data[i]);

		drops |= points_to_const(r, of);
		makes |= is_call && leads_to_written(r, of, 1);
	}
	return makes && drops;
}

/* Objects of a kind that no pointer to void, and none to bytes, is one of unless it is converted. */
static int has_kind(struct reader *r, CXCursor e)
{
	CXType t = canonical_type(r, without_casts(r, e));

	return t.kind == CXType_Pointer && r->c->getPointeeType(t).kind != CXType_Void && r->c->Type_getSizeOf(r->c->getPointeeType(t)) > 1;
}

/* Whether a call names what it calls: f(x), and also (*f)(x) and (&f)(x), of which libclang does
 * not say so itself. */
static int is_direct(struct reader *r, CXCursor call)
{
	CXCursor at = call;

	if (r->c->getCursorKind(r->c->getCursorReferenced(call)) == CXCursor_FunctionDecl)
		return 1;
	while (r->c->visitChildren(at, first_child, &at))
		switch ((int)r->c->getCursorKind(at)) {
		case CXCursor_DeclRefExpr:
			return r->c->getCursorKind(r->c->getCursorReferenced(at)) ==
			       CXCursor_FunctionDecl;
		case CXCursor_UnaryOperator:
		case CXCursor_ParenExpr:
		case CXCursor_UnexposedExpr:
			break;
		default:
			return 0;
		}
	return 0;
}

static int is_void_pointer(struct reader *r, CXCursor e)
{
	CXType t = canonical_type(r, e);

	return t.kind == CXType_Pointer && r->c->getPointeeType(t).kind == CXType_Void;
}

/* A call of a function without a body: malloc, memcpy. */
static int calls_outside(struct reader *r, CXCursor e)
{
	CXCursor callee;

	if (r->c->getCursorKind(e) != CXCursor_CallExpr)
		return 0;
	callee = r->c->getCursorReferenced(e);
	return r->c->getCursorKind(callee) == CXCursor_FunctionDecl && r->c->Cursor_isNull(r->c->getCursorDefinition(callee)) &&
	       strcmp(reader_name(r, callee), "free") != 0;
}

/* Does it take a pointer to void for one to something else, or hand it to a function without a body? What such a function itself returns is new, or one
 * of the pointers that it got. The parts of the expression, of type t, are r->children. */
static int looks_behind_void(struct reader *r, const struct owner *o, CXCursor cursor, int kind, CXType t)
{
	if (kind == CXCursor_UnexposedExpr || kind == CXCursor_CStyleCastExpr) {
		CXCursor operand = vec_last(&r->children), e = without_casts(r, operand);

		return t.kind == CXType_Pointer && r->c->getPointeeType(t).kind != CXType_Void && is_void_pointer(r, operand) &&
		       is_some_pointer(r, operand) && !calls_outside(r, e) && !reader_takes_for(r, t, operand, o->stamp - 1);
	}
	if (kind != CXCursor_CallExpr || !calls_outside(r, cursor))
		return 0;
	for (size_t i = 1; i < r->children.size; i++)
		if (is_void_pointer(r, without_casts(r, r->children.data[i])))
			return 1;
	return 0;
}

/* A pointer whose objects only another unit, or libc, can make. */
static int is_opaque(struct reader *r, CXType t)
{
	CXType to;
	CXString s;
	int file;

	if (t.kind != CXType_Pointer || (to = r->c->getPointeeType(t)).kind != CXType_Record)
		return 0;
	s = r->c->getTypeSpelling(to);
	file = strstr(r->c->getCString(s), "_IO_FILE") != NULL;
	r->c->disposeString(s);
	return file || r->c->Type_getSizeOf(to) < 0;
}

/* A pointer that may be to a structure. */
static int may_have_members(struct reader *r, CXType t)
{
	int to = t.kind == CXType_Pointer ? (int)r->c->getPointeeType(t).kind : 0;

	return to == CXType_Record || to == CXType_Void;
}

/* Does it look at a pointer to what only others can make, or, as bytes or as something else than it is, at a structure that may have such pointers? The parts of the expression, of type t, are r->children. */
static int looks_at_opaque(struct reader *r, CXCursor cursor, int kind, CXType t)
{
	if (is_opaque(r, t))
		return 1;
	if ((kind == CXCursor_UnexposedExpr || kind == CXCursor_CStyleCastExpr) && r->children.size && t.kind == CXType_Pointer) {
		CXType from = canonical_type(r, vec_last(&r->children)), a, b;

		if (!may_have_members(r, from))
			return 0;
		a = r->c->getUnqualifiedType(r->c->getPointeeType(from));
		b = r->c->getUnqualifiedType(r->c->getPointeeType(t));
		/* What was void may be any structure, and what was another is taken for what it is not. */
		if (b.kind == CXType_Void || b.kind == CXType_Record) /* what begins with the other has its members where they are */
			return b.kind == CXType_Record && a.kind == CXType_Record && !reader_begins_with(r, b, a) && !reader_begins_with(r, a, b);
		CXCursor what = without_casts(r, vec_last(&r->children));

		return r->c->getCursorKind(what) != CXCursor_IntegerLiteral && !calls_outside(r, what); /* NULL is no object */
	}
	if (kind != CXCursor_CallExpr || !calls_outside(r, cursor) || !strcmp(reader_name(r, r->c->getCursorReferenced(cursor)), "memset"))
		return 0;
	for (size_t i = 1; i < r->children.size; i++)
		if (may_have_members(r, canonical_type(r, without_casts(r, r->children.data[i]))))
			return 1;
	return 0;
}

/* Pointers that a call passes on to parameters of a function that the unit has. */
static void look_at_passed(struct reader *r, CXCursor call)
{
	CXCursor callee = r->c->getCursorReferenced(call), definition;
	int n;

	if (r->c->getCursorKind(callee) != CXCursor_FunctionDecl || r->c->Cursor_isNull(definition = r->c->getCursorDefinition(callee)))
		return;
	n = r->c->Cursor_getNumArguments(definition);
	for (size_t i = 1; i < r->children.size && (int)i <= n; i++)
		reader_pass(r, r->children.data[i], r->c->Cursor_getArgument(definition, (unsigned)i - 1));
}

/* A pointer that a variable or parameter is given: what that is converted to, it is as well. */
static void look_at_given(struct reader *r, CXCursor cursor, int kind, CXType t)
{
	CXCursor to = cursor;

	if (kind == CXCursor_VarDecl) {
		if (r->children.size && r->c->getCanonicalType(r->c->getCursorType(cursor)).kind == CXType_Pointer)
			reader_pass(r, vec_last(&r->children), cursor);
		return;
	}
	if (t.kind != CXType_Pointer || r->children.size != 2 || r->c->getCursorBinaryOperatorKind(cursor) != CXBinaryOperator_Assign || r->c->getCursorKind(r->children.data[0]) != CXCursor_DeclRefExpr)
		return;
	to = r->c->getCursorReferenced(r->children.data[0]);
	if (r->c->getCursorKind(to) == CXCursor_VarDecl || r->c->getCursorKind(to) == CXCursor_ParmDecl)
		reader_pass(r, r->children.data[1], to);
}

static struct reader_item item_below(struct reader *r, const struct reader_item *item, int kind, CXType t, size_t i)
{
	struct reader_item child = {r->children.data[i], use_below(r, item->cursor, kind, item->use, t, i), item->holder};
	uint64_t holder = 0;

	switch (kind) {
	case CXCursor_CallExpr:
		if (i)
			child.use = reader_argument(r, item->cursor, i - 1, &child.holder);
		break;
	case CXCursor_VarDecl:
		holder = reader_holder(r, item->cursor);
		break;
	case CXCursor_BinaryOperator:
		if (i == 1 && r->c->getCursorBinaryOperatorKind(item->cursor) == CXBinaryOperator_Assign &&
		    r->c->getCursorKind(r->children.data[0]) == CXCursor_DeclRefExpr)
			holder = reader_holder(r, r->c->getCursorReferenced(r->children.data[0]));
		break;
	default:
		break;
	}
	if (holder) {
		child.use = HELD;
		child.holder = holder;
	}
	return child;
}

/* (int[]){0} in the initialiser of a global: an object as any other, but no walk meets its name. */
static void meet_unnamed(struct reader *r, struct owner *o, const struct reader_item *item, CXType t)
{
	CXType of = t;

	while (is_array(of) && !r->c->isConstQualifiedType(of))
		of = r->c->getArrayElementType(of);
	if (r->c->isConstQualifiedType(of))
		return;
	if (item->use == HELD_OBJECT || (is_array(t) && item->use == HELD))
		reader_hold(r, reader_unnamed_key(o->number), item->holder);
	else if (item->use == STORED || (is_array(t) && item->use != READ))
		r->f->globals.data[o->number].has_unnamed = 1;
}

/* A pointer to what may be written, made of a pointer to a structure with refined fields and without its name, or of the address of a field: whatever is
 * written through it, no condition is looked at. */
static int hides_refined(struct reader *r, enum CXCursorKind kind, CXType t, CXCursor operand)
{
	const struct clang *c = r->c;
	CXType to = c->getPointeeType(t), from = canonical_type(r, operand);

	if (c->isConstQualifiedType(to))
		return 0;
	if (kind == CXCursor_UnaryOperator) { /* a field, or a field of a field: any structure around it may have a condition about it */
		for (; c->getCursorKind(operand) == CXCursor_MemberRefExpr; c->visitChildren(operand, first_child, &operand))
			if (reader_is_refined(r, c->getCursorType(c->getCursorSemanticParent(c->getCursorReferenced(operand)))))
				return 1;
		return 0;
	}
	if ((kind != CXCursor_UnexposedExpr && kind != CXCursor_CStyleCastExpr) || from.kind != CXType_Pointer)
		return 0;
	from = c->getPointeeType(from);
	return reader_is_refined(r, from) && c->getTypeDeclaration(c->getCanonicalType(to)).data[0] != c->getTypeDeclaration(c->getCanonicalType(from)).data[0];
}

/* A number is made of an address. Of a parameter as it stands the traced runtime knows which object it is. */
static void note_number(struct reader *r, struct owner *o, CXCursor address)
{
	*(is_parameter(r, address) ? &o->function->has_parameter_numbers : &o->function->has_address_numbers) = 1;
}

/* __builtin_is_aligned(p, 8) and its like do so without a conversion. The call's parts are r->children. */
static void look_at_alignment(struct reader *r, struct owner *o, CXCursor call)
{
	CXString s;
	const char *name;

	if (!o->function || r->children.size != 3)
		return;
	s = r->c->getCursorSpelling(call);
	name = r->c->getCString(s);
	if ((!strncmp(name, "__builtin_align_", 16) || !strcmp(name, "__builtin_is_aligned")) && is_address(canonical_type(r, r->children.data[1])))
		note_number(r, o, r->children.data[1]);
	r->c->disposeString(s);
}

static void walk(struct reader *r, struct owner *o, struct reader_item root)
{
	vec_clear(&r->stack);
	vec_push(&r->stack, root);
	while (r->stack.size) {
		struct reader_item item = vec_pop(&r->stack);
		int kind = (int)r->c->getCursorKind(item.cursor);
		CXType t = {0};

		if (kind == CXCursor_UnaryExpr) /* sizeof: not evaluated */
			continue;
		if (item.use == CHANGED && kind != CXCursor_DeclRefExpr && kind != CXCursor_ParenExpr)
			item.use = STORED;
		if (kind >= CXCursor_FirstExpr && kind <= CXCursor_LastExpr) {
			t = canonical_type(r, item.cursor);
			if (o->function && is_float(t))
				o->function->has_float = 1;
			if (kind == CXCursor_DeclRefExpr && o->function && (item.use == STORED || item.use == CHANGED) && t.kind == CXType_Pointer &&
			    r->c->getCursorKind(r->c->getCursorReferenced(item.cursor)) == CXCursor_ParmDecl)
				o->function->has_changed_parameter = 1;
			if (kind == CXCursor_CompoundLiteralExpr && !o->function)
				meet_unnamed(r, o, &item, t);
			if (kind == CXCursor_DeclRefExpr)
				meet_name(r, o, item, t);
		} else if (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) {
			meet_declaration(r, o, item.cursor);
		} else {
			meet_statement(r, o, item.cursor, kind);
		}
		vec_clear(&r->children);
		r->c->visitChildren(item.cursor, collect, r);
		if (o->function && r->children.size && t.kind == CXType_Pointer && hides_refined(r, kind, t, vec_last(&r->children)))
			o->function->has_hidden_refined = 1;
		if (o->function && !o->function->looks_behind_void && r->children.size)
			o->function->looks_behind_void = looks_behind_void(r, o, item.cursor, kind, t);
		if (o->function && kind == CXCursor_BinaryOperator && compares_pointers(r, item.cursor)) {
			o->function->compares_pointers = 1;
			o->function->compares_voids |= !has_kind(r, r->children.data[0]) || !has_kind(r, r->children.data[1]);
		}
		if (o->function && r->children.size)
			o->function->drops_const |= drops_const(r, kind, t);
		if (o->function && !o->function->looks_at_opaque)
			o->function->looks_at_opaque = looks_at_opaque(r, item.cursor, kind, t);
		if (kind == CXCursor_CallExpr)
			look_at_passed(r, item.cursor);
		if (kind == CXCursor_VarDecl || kind == CXCursor_BinaryOperator)
			look_at_given(r, item.cursor, kind, t);
		if (r->children.size && (kind == CXCursor_UnexposedExpr || kind == CXCursor_CStyleCastExpr)) {
			if (t.kind == CXType_Pointer) {
				int larger = reader_convert(r, t, vec_last(&r->children));
				if (o->function)
					o->function->takes_larger |= larger;
			} else if (o->function && is_number(t) && is_address(canonical_type(r, vec_last(&r->children))))
				note_number(r, o, vec_last(&r->children));
		}
		if (kind == CXCursor_CallExpr)
			look_at_alignment(r, o, item.cursor);
		for (size_t i = r->children.size; i-- > 0;) {
			struct reader_item child = item_below(r, &item, kind, t, i);

			if (kind == CXCursor_CallExpr && i == 0 && !is_direct(r, item.cursor)) {
				child.use = VALUE; /* nothing in it is called by name */
				if (o->function)
					o->function->calls_pointer = 1;
			}
			vec_push(&r->stack, child);
		}
	}
}

/* Functions and globals get numbers during a walk, which moves the vectors: the owner is a copy
 * meanwhile, and what others note about it (that its address is taken) is added afterwards. */
void reader_walk_function(struct reader *r, uint32_t number, CXCursor definition)
{
	struct front_function copy = r->f->functions.data[number], *real;
	struct owner o = {.function = &copy, .stamp = number + 1};

	vec_clear(&r->calls);
	vec_clear(&r->takes);
	vec_clear(&r->builtins);
	vec_clear(&r->globals);
	map_clear(&r->labels);
	reader_walks_parameters(r, definition);
	walk(r, &o, (struct reader_item){definition, VALUE, 0});
	if (copy.has_asm)
		copy.has_asm = asm_text_matters(reader_body(r, definition));
	real = &r->f->functions.data[number];
	copy.address_taken |= real->address_taken;
	copy.called = real->called;
	*real = copy;
	READER_KEEP(r, &real->calls, &r->calls);
	READER_KEEP(r, &real->takes, &r->takes);
	READER_KEEP(r, &real->builtins, &r->builtins);
	READER_KEEP(r, &real->globals, &r->globals);
}

void reader_walk_global(struct reader *r, uint32_t number, CXCursor declaration, CXCursor initial)
{
	struct owner o = {.number = number, .stamp = UINT32_MAX - number};
	uint64_t holder = reader_holder(r, declaration);
	struct front_global *g;

	vec_clear(&r->calls);
	vec_clear(&r->globals);
	walk(r, &o, (struct reader_item){initial, holder ? HELD : VALUE, holder});
	g = &r->f->globals.data[number];
	g->initialised = 1;
	READER_KEEP(r, &g->globals, &r->globals);
}
