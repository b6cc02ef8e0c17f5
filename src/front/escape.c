/* escape.c: may code that the walk does not see write a global, through a pointer to const?
 *
 * An object that is not const itself may be written through any pointer to it: whoever gets a const int * may cast. So the address of a global is
 * followed as long as it stands in variables that are pointers to const: parameters of functions of the unit, local variables, static variables.
 * These are the holders. What is done with a holder other than looking (it is returned, cast, given to unknown code, its address is taken) is a
 * leak, and each global whose address may stand in a holder that leaks counts as written.
 *
 * Functions of the system only read what they take as a pointer to const, unless they hand the pointer on as one that can be written through: by
 * their result (strchr) or by a parameter (strtol).
 *
 * An edge goes from what is held to its holder; keys are declarations and, above them, numbers of globals.
 */
#include "front/reader.h"

#include <stdlib.h>
#include <string.h>

#define GLOBAL_OBJECT (1ull << 63)  /* the global: its address is held */
#define GLOBAL_POINTER (1ull << 62) /* the global as a holder */
#define UNNAMED (3ull << 62)	    /* what stands without a name in the global's initialiser: (int[]){0} */

uint64_t reader_global_key(uint32_t number)
{
	return GLOBAL_OBJECT | number;
}

uint64_t reader_unnamed_key(uint32_t number)
{
	return UNNAMED | number;
}

void reader_hold(struct reader *r, uint64_t what, uint64_t holder)
{
	vec_push(&r->held, (struct reader_held){what, holder});
}

/* Of a parameter int a[4] libclang says that it is an array. */
static int is_const_pointer(struct reader *r, CXType t)
{
	const struct clang *c = r->c;

	t = c->getCanonicalType(t);
	if (t.kind == CXType_Pointer) {
		t = c->getPointeeType(t);
	} else if (t.kind == CXType_ConstantArray || t.kind == CXType_IncompleteArray || t.kind == CXType_VariableArray) {
		if (c->isConstQualifiedType(t))
			return 1;
		t = c->getArrayElementType(t);
	} else {
		return 0;
	}
	while (t.kind == CXType_ConstantArray && !c->isConstQualifiedType(t))
		t = c->getArrayElementType(t);
	return c->isConstQualifiedType(t) != 0;
}

uint64_t reader_holder(struct reader *r, CXCursor d)
{
	enum CXLinkageKind linkage = r->c->getCursorLinkage(d);
	int kind = (int)r->c->getCursorKind(d);
	CXType t = r->c->getCanonicalType(r->c->getCursorType(d));

	if ((kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl) || (kind == CXCursor_VarDecl && t.kind != CXType_Pointer) || !is_const_pointer(r, t))
		return 0;
	if (linkage == CXLinkage_Internal)
		return GLOBAL_POINTER | reader_global(r, d);
	return linkage == CXLinkage_NoLinkage ? (uint64_t)(uintptr_t)d.data[0] : 0;
}

void reader_meet_holder(struct reader *r, CXCursor declaration, struct reader_item item)
{
	uint64_t key = item.use == READ || item.use == CHANGED ? 0 : reader_holder(r, declaration);

	if (!key)
		return;
	if (item.use == HELD)
		reader_hold(r, key, item.holder);
	else
		map_set(&r->leaks, key, 1);
}

void reader_walks_parameters(struct reader *r, CXCursor definition)
{
	int n = r->c->Cursor_getNumArguments(definition);

	for (int i = 0; i < n; i++)
		map_set(&r->walked, (uint64_t)(uintptr_t)r->c->Cursor_getArgument(definition, (unsigned)i).data[0], 1);
}

/* ------------------------------------------------------------- arguments */
/* Functions of libc that are often declared by hand, in the order of strcmp. */
static const char *const readers[] = {
    "atoi", "atol", "atoll", "bcmp", "memcmp", "printf", "puts", "strcasecmp", "strcmp", "strcspn", "strlen", "strncasecmp", "strncmp", "strnlen", "strspn",
};

static int compare(const void *a, const void *b)
{
	return strcmp(a, *(const char *const *)b);
}

/* And does it forget what it got? */
static int is_of_system(struct reader *r, CXCursor callee)
{
	CXString s = r->c->getCursorSpelling(callee);
	const char *name = r->c->getCString(s);
	int keeps = !strcmp(name, "pthread_setspecific"), known = !strncmp(name, "__builtin_", 10) || bsearch(name, readers, sizeof readers / sizeof *readers, sizeof *readers, compare);

	r->c->disposeString(s);
	return !keeps && (known || r->c->Location_isInSystemHeader(r->c->getCursorLocation(callee)));
}

/* getopt's char *const argv[]: it turns them round all the same. */
static int is_list(struct reader *r, CXType t)
{
	return r->c->getCanonicalType(r->c->getPointeeType(r->c->getCanonicalType(t))).kind == CXType_Pointer;
}

/* Can what it gets come back as a pointer? */
static int hands_on(struct reader *r, CXType f)
{
	const struct clang *c = r->c;
	int n = c->getNumArgTypes(f);

	if (c->getCanonicalType(c->getResultType(f)).kind == CXType_Pointer)
		return 1;
	for (int i = 0; i < n; i++) {
		CXType t = c->getCanonicalType(c->getArgType(f, (unsigned)i));

		if (t.kind == CXType_Pointer && c->getPointeeType(t).kind == CXType_Pointer && !c->isConstQualifiedType(c->getPointeeType(t)))
			return 1;
	}
	return 0;
}

int reader_argument(struct reader *r, CXCursor call, size_t index, uint64_t *holder)
{
	const struct clang *c = r->c;
	CXCursor callee = c->getCursorReferenced(call), definition;
	CXType f;

	if (c->getCursorKind(callee) != CXCursor_FunctionDecl)
		return VALUE;
	definition = c->getCursorDefinition(callee);
	if (!c->Cursor_isNull(definition)) {
		int n = c->Cursor_getNumArguments(definition);

		if (n >= 0 && index < (size_t)n && (*holder = reader_holder(r, c->Cursor_getArgument(definition, (unsigned)index)))) {
			map_set(&r->asked, *holder, 1);
			return HELD;
		}
		return VALUE;
	}
	f = c->getCanonicalType(c->getCursorType(callee));
	if (f.kind != CXType_FunctionProto || index >= (size_t)c->getNumArgTypes(f) || !is_const_pointer(r, c->getArgType(f, (unsigned)index)) ||
	    is_list(r, c->getArgType(f, (unsigned)index)))
		return VALUE;
	return is_of_system(r, callee) && !hands_on(r, f) ? READ : VALUE;
}

/* -------------------------------------------------------------- the end */
static void leak(struct reader *r, uint64_t key)
{
	struct front_global *all = r->f->globals.data;

	if ((key & UNNAMED) == UNNAMED)
		all[(uint32_t)key].has_unnamed = 1;
	else if (key & GLOBAL_OBJECT)
		all[(uint32_t)key].written |= !all[(uint32_t)key].is_const;
	else
		map_set(&r->leaks, key, 1);
}

void reader_escapes(struct reader *r)
{
	size_t left = r->held.size, before, at = 0;
	uint64_t key, one;

	/* A parameter whose uses were not seen: the body that counts is another one. */
	while (map_next(&r->asked, &at, &key, &one))
		if (!map_get(&r->walked, key, NULL))
			map_set(&r->leaks, key, 1);
	do {
		before = left;
		for (size_t i = 0; i < left;) {
			const struct reader_held h = r->held.data[i];

			if (!map_get(&r->leaks, h.holder, NULL)) {
				i++;
				continue;
			}
			leak(r, h.what);
			r->held.data[i] = r->held.data[--left];
		}
	} while (left != before);
}
