/* declare.c: functions and globals of a parsed unit.
 *
 * Three passes: the declarations at file level, which give numbers to what is defined; the bodies
 * and initialisers (walk.c), which add what is only used; the types (types.c), attributes and names
 * of all that have a number. Each looks at a declaration once.
 *
 * libclang has no cursors for noreturn, nonnull, no_sanitize, alias and asm labels: they are read from the declaration as
 * clang prints it, without its body.
 */
#include "front/reader.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Builtins of the compiler are declared like functions, but are none. */
static int is_builtin(const char *name)
{
	static const char *const starts[] = {"__builtin_", "__sync_", "__atomic_", "__c11_atomic_",
					     "__scoped_atomic_"};

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return 1;
	return 0;
}

/* -------------------------------------------------- functions and globals */
static uint32_t add_function(struct reader *r, const char *name)
{
	struct front_function x = {.name = name, .file = "", .result_as = FRONT_NONE};
	uint64_t number = r->f->functions.size;

	strmap_set(&r->f->function_numbers, name, number);
	vec_push(&r->f->functions, x);
	return (uint32_t)number;
}

static void fill_parameter(struct reader *r, struct front_parameter *p, CXCursor cursor);

/* GNU's noreturn is part of the type; the keyword is an attribute (apply_attributes). */
static int says_noreturn(struct reader *r, CXType type)
{
	CXString s = r->c->getTypeSpelling(type);
	int says = strstr(r->c->getCString(s), "((noreturn))") != NULL;

	r->c->disposeString(s);
	return says;
}

/* By the name, since code is also included from .c and .inc files and comes from .y files by #line;
 * in preprocessed source there is nothing but names. */
static int is_header(struct reader *r, const char *file, CXSourceLocation at)
{
	size_t n = strlen(file);

	if (!strcmp(file, r->f->file))
		return 0;
	return (n > 2 && !strcmp(file + n - 2, ".h")) || r->c->Location_isInSystemHeader(at);
}

static enum CXChildVisitResult find_body(CXCursor child, CXCursor parent, CXClientData ctx)
{
	struct reader *r = ((void **)ctx)[0];
	uint32_t *body = ((void **)ctx)[1];
	unsigned at = 0;

	(void)parent;
	if (r->c->getCursorKind(child) != CXCursor_CompoundStmt)
		return CXChildVisit_Continue;
	r->c->getSpellingLocation(r->c->getRangeStart(r->c->getCursorExtent(child)), NULL, NULL, NULL, &at);
	if (at < r->text.size && r->text.data[at] == '{')
		*body = at;
	return CXChildVisit_Break;
}

/* Everything but the body. */
static void fill_function(struct reader *r, uint32_t number, CXCursor d)
{
	struct front_function *x = &r->f->functions.data[number];
	VEC(struct front_parameter) parameters = {0};
	CXSourceLocation at = r->c->getCursorLocation(d);
	CXType type = r->c->getCursorType(d);
	int n = r->c->Cursor_getNumArguments(d), from_typedef = 0;

	r->c->visitChildren(d, find_body, (void *[]){r, &x->body});
	x->line = reader_line(r, at, &x->file);
	x->end_line = reader_line(r, r->c->getRangeEnd(r->c->getCursorExtent(d)), NULL);
	x->result = reader_type(r, r->c->getCursorResultType(d));
	x->variadic = r->c->Cursor_isVariadic(d) != 0;
	x->noreturn = says_noreturn(r, type);
	x->is_static = r->c->getCursorLinkage(d) == CXLinkage_Internal;
	x->is_inline = r->c->Cursor_isFunctionInlined(d) != 0;
	x->in_header = is_header(r, x->file, at);
	/* fn_type f; has parameters in its type alone. */
	if (n <= 0 && type.kind == CXType_FunctionProto)
		from_typedef = r->c->getNumArgTypes(type);
	for (int i = 0; i < n; i++) {
		struct front_parameter p = {0};

		fill_parameter(r, &p, r->c->Cursor_getArgument(d, (unsigned)i));
		vec_push(&parameters, p);
	}
	for (int i = 0; i < from_typedef; i++)
		vec_push(&parameters,
			 (struct front_parameter){
			     .name = "",
			     .as = FRONT_NONE,
			     .type = reader_type(r, r->c->getArgType(type, (unsigned)i)),
			 });
	READER_KEEP(r, &x->parameters, &parameters);
	vec_release(&parameters);
}

int reader_function(struct reader *r, CXCursor d)
{
	CXString s = r->c->getCursorSpelling(d);
	const char *name = r->c->getCString(s);
	uint64_t number;
	int known;

	known = strmap_get(&r->f->function_numbers, name, &number);
	if (!known && is_builtin(name)) {
		r->c->disposeString(s);
		return -1;
	}
	if (!known) {
		number = add_function(r, arena_strdup(&r->f->arena, name));
		fill_function(r, (uint32_t)number, d);
	}
	r->c->disposeString(s);
	return (int)number;
}

/* The name in int f(int) asm("name"); NULL: there is none. */
static const char *label_in(struct reader *r, const char *text)
{
	const char *at = strstr(text, " asm(\"");

	return at ? arena_strndup(&r->f->arena, at + 6, strcspn(at + 6, "\"")) : NULL;
}

/* Declarations of one variable differ: int a[]; int a[3]; extern int a[]. The one that knows most
 * counts. */
static void meet_global(struct reader *r, struct front_global *g, CXCursor d)
{
	enum CX_StorageClass storage = r->c->Cursor_getStorageClass(d);
	CXType type = r->c->getCursorType(d);
	CXCursor initial = r->c->Cursor_getVarDeclInitializer(d);
	int defines = storage != CX_SC_Extern || !r->c->Cursor_isNull(initial);

	if (g->type == UINT32_MAX || r->c->Type_getSizeOf(type) > 0)
		g->type = reader_type(r, type);
	g->defined |= defines;
	g->is_static = r->c->getCursorLinkage(d) == CXLinkage_Internal;
	if (r->c->Cursor_hasAttrs(d)) {
		const char *text = reader_pretty(r, d), *label = label_in(r, text);

		g->is_weak |= reader_says_weak(text);
		g->symbol = label ? label : g->symbol;
	}
	g->is_thread |= r->c->getCursorTLSKind(d) != CXTLS_None;
	g->is_const = r->f->types.data[g->type].is_const;
	if (!g->requires)
		g->requires = reader_requires(r, d);
}

uint32_t reader_global(struct reader *r, CXCursor d)
{
	CXString s = r->c->getCursorSpelling(d);
	const char *name = r->c->getCString(s);
	struct front_global x = {.type = UINT32_MAX};
	uint64_t number;

	if (!strmap_get(&r->f->global_numbers, name, &number)) {
		number = r->f->globals.size;
		strmap_set(&r->f->global_numbers, name, number);
		x.name = arena_strdup(&r->f->arena, name);
		meet_global(r, &x, d);
		vec_push(&r->f->globals, x);
	}
	r->c->disposeString(s);
	return (uint32_t)number;
}

/* -------------------------------------------------------------- attributes */
static void fill_parameter(struct reader *r, struct front_parameter *p, CXCursor cursor)
{
	CXType type = r->c->getCursorType(cursor);

	p->as = FRONT_NONE; /* known when the body was walked */
	p->name = reader_name(r, cursor);
	p->type = reader_type(r, type);
	p->nonnull = r->c->Type_getNullability(type) == CXTypeNullability_NonNull;
	if (r->c->Cursor_hasAttrs(cursor) && strstr(reader_pretty(r, cursor), "nonnull"))
		p->nonnull = 1;
	p->requires = reader_requires(r, cursor);
}

/* __attribute__((nonnull(1, 3))), or all without a list. */
static void apply_nonnull(struct reader *r, struct front_function *x, const char *list)
{
	if (*list != '(') {
		for (size_t i = 0; i < x->parameters.size; i++) {
			uint32_t type = x->parameters.data[i].type;

			x->parameters.data[i].nonnull |=
			    r->f->types.data[type].kind == FRONT_POINTER;
		}
		return;
	}
	while (*list && *list != ')') {
		char *end;
		unsigned long n = strtoul(++list, &end, 10);

		if (n >= 1 && n <= x->parameters.size)
			x->parameters.data[n - 1].nonnull = 1;
		list = end + strcspn(end, ",)");
	}
}

/* __attribute__((alias("name"))): another name of that function, which is as good as a call of it.
 */
static void apply_alias(struct reader *r, struct front_function *x, const char *name)
{
	uint64_t number;
	uint32_t callee;

	name = arena_strndup(&r->f->arena, name, strcspn(name, "\""));
	if (!strmap_get(&r->f->function_numbers, name, &number))
		return;
	callee = (uint32_t)number;
	x->calls.data = arena_copy(&r->f->arena, &callee, sizeof callee);
	x->calls.size = x->calls.cap = 1;
}

/* Sanitizers of which nothing is promised. */
static int is_other_sanitizer(const char *name, size_t length)
{
	static const char *const others[] = {
	    "thread",	"memory",   "kernel-memory", "hwaddress",	  "kernel-hwaddress", "memtag",	  "leak",     "dataflow",
	    "coverage", "safe-stack", "shadow-call-stack", "kcfi", "scudo",	      "realtime", "numerical",
	};

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strlen(others[i]) == length && !memcmp(others[i], name, length))
			return 1;
	return length >= 3 && !memcmp(name, "cfi", 3);
}

/* no_sanitize("undefined", "thread"), which clang prints for no_sanitize_address as well. */
static int takes_checks_out(const char *text)
{
	static const char between[] = "\", ";

	if (strstr(text, "disable_sanitizer_instrumentation"))
		return 1;
	while ((text = strstr(text, "no_sanitize("))) {
		const char *end = strchr(text, ')');

		text += strlen("no_sanitize(");
		for (text += strspn(text, between); *text && text < end; text += strspn(text, between)) {
			size_t length = strcspn(text, "\"");

			if (!is_other_sanitizer(text, length))
				return 1;
			text += length;
		}
	}
	return 0;
}

/* What has the symbol of a definition is another name of it. */
static void resolve_labels(struct reader *r)
{
	struct strmap symbols = {0};
	struct front *f = r->f;
	uint64_t number;
	int labels = 0;

	for (size_t i = 0; i < f->functions.size; i++) {
		const struct front_function *x = &f->functions.data[i];

		labels |= x->symbol != NULL;
		if (x->defined)
			strmap_set(&symbols, x->symbol ? x->symbol : x->name, i);
	}
	for (size_t i = 0; labels && i < f->functions.size; i++) {
		struct front_function *x = &f->functions.data[i];
		uint32_t callee;

		if (x->defined || !strmap_get(&symbols, x->symbol ? x->symbol : x->name, &number))
			continue;
		callee = (uint32_t)number;
		x->calls.data = arena_copy(&f->arena, &callee, sizeof callee);
		x->calls.size = x->calls.cap = 1;
		x->is_other_name = 1;
	}
	strmap_release(&symbols);
}

/* What a declaration of a function that has a number says by attributes. Types are filled. */
static void apply_attributes(struct reader *r, CXCursor d)
{
	CXString s = r->c->getCursorSpelling(d);
	struct front_function *x;
	const char *text, *at;
	uint64_t number;
	int known = strmap_get(&r->f->function_numbers, r->c->getCString(s), &number);

	r->c->disposeString(s);
	if (!known)
		return;
	x = &r->f->functions.data[number];
	text = reader_pretty(r, d);
	if (strstr(text, "_Noreturn") || strstr(text, "((noreturn))"))
		x->noreturn = 1;
	x->is_weak |= reader_says_weak(text);
	if (!x->symbol)
		x->symbol = label_in(r, text);
	for (at = text; (at = strstr(at, "((nonnull")); at += 9)
		apply_nonnull(r, x, at + 9);
	x->has_unchecked |= takes_checks_out(text);
	x->has_hidden_callers |= reader_says_called(text);
	if ((at = strstr(text, "((alias(\"")) && !x->calls.size)
		apply_alias(r, x, at + 9);
}

static void note_weak(void *ctx, const char *name, size_t size)
{
	struct front *f = ctx;
	char *word = arena_strndup(&f->arena, name, size);
	uint64_t number;

	if (strmap_get(&f->function_numbers, word, &number))
		f->functions.data[number].is_weak = 1;
	if (strmap_get(&f->global_numbers, word, &number))
		f->globals.data[number].is_weak = 1;
}

/* -------------------------------------------------------------- file level */
struct file_level {
	struct reader *r;
	VEC(CXCursor) functions; /* definitions; by number */
	VEC(CXCursor) globals;	 /* definitions and tentative ones, in order */
	VEC(CXCursor) attributed;
	VEC(CXCursor) declarations; /* of functions, definitions among them */
	VEC(CXCursor) variables;  /* with attributes */
	VEC(CXCursor) assemblies; /* asm("...") at file level, and what else libclang has no kind for */
};

static enum CXChildVisitResult at_file_level(CXCursor d, CXCursor parent, CXClientData data)
{
	struct file_level *l = data;
	struct reader *r = l->r;
	const char *name;
	uint64_t number;

	(void)parent;
	switch ((int)r->c->getCursorKind(d)) {
	case CXCursor_FunctionDecl:
		vec_push(&l->declarations, d);
		if (r->c->Cursor_hasAttrs(d))
			vec_push(&l->attributed, d);
		if (!r->c->isCursorDefinition(d))
			break;
		name = reader_name(r, d);
		if (!strncmp(name, "muster_holds_", 13) || !strncmp(name, "muster_now_", 11) ||
		    !strncmp(name, "muster_initial_", 15)) /* of src/refine, not of the source */
			break;
		if (strmap_get(&r->f->function_numbers, name, &number)) {
			l->functions.data[number] =
			    d; /* after extern inline: the one that counts */
		} else {
			number = add_function(r, name);
			vec_push(&l->functions, d);
		}
		r->f->functions.data[number].defined = 1;
		break;
	case CXCursor_UnexposedDecl:
		vec_push(&l->assemblies, d);
		break;
	case CXCursor_VarDecl:
		if (r->c->Cursor_hasAttrs(d))
			vec_push(&l->variables, d);
		if (r->c->Cursor_getStorageClass(d) != CX_SC_Extern ||
		    !r->c->Cursor_isNull(r->c->Cursor_getVarDeclInitializer(d)))
			vec_push(&l->globals, d);
		break;
	default:
		break;
	}
	return CXChildVisit_Continue;
}

static void note_declared(struct reader *r, CXCursor d)
{
	uint64_t number;

	if (strmap_get(&r->f->function_numbers, reader_name(r, d), &number))
		r->f->functions.data[number].declared++;
}

static void read_globals(struct reader *r, struct file_level *l)
{
	for (size_t i = 0; i < l->globals.size; i++) {
		uint32_t number = reader_global(r, l->globals.data[i]);
		struct front_global copy = r->f->globals.data[number];

		meet_global(r, &copy, l->globals.data[i]);
		r->f->globals.data[number] = copy;
	}
}

/* What bodies take the parameters for. */
static void apply_conversions(struct reader *r, struct front_function *x, CXCursor d)
{
	int n = r->c->Cursor_getNumArguments(d);

	for (int i = 0; i < n && (size_t)i < x->parameters.size; i++)
		x->parameters.data[i].as =
		    reader_converted(r, r->c->Cursor_getArgument(d, (unsigned)i));
}

static void write_unseen(struct front_global *g)
{
	g->written |= !g->is_const;
}

/* Each global that the text names inside of its strings is written: by an alias, or by an assembler. */
static void write_named(struct reader *r, const char *text)
{
	uint64_t number;
	int quoted = 0;
	size_t n;

	for (; *text; text += n ? n : 1) {
		for (n = 0; isalnum((unsigned char)text[n]) || text[n] == '_'; n++)
			;
		if (*text == '"')
			quoted = !quoted;
		else if (quoted && *text == '\\' && text[1]) /* \n */
			text++;
		if (n && quoted && strmap_get(&r->f->global_numbers, arena_strndup(&r->f->arena, text, n), &number))
			write_unseen(&r->f->globals.data[number]);
	}
}

/* Writes that no walk sees: of __attribute__((alias("NAME"))) and asm("NAME") on another declaration, of text for the assembler, and of whoever finds
 * an object by its section or needs it to be there. */
static void apply_hidden_names(struct reader *r, const struct file_level *l)
{
	const char *text, *at;

	for (size_t i = 0; i < l->variables.size; i++) {
		CXCursor d = l->variables.data[i];

		text = reader_pretty(r, d);
		if (strstr(text, "section(") || strstr(text, "((used))") || strstr(text, "gnu::used"))
			write_unseen(&r->f->globals.data[reader_global(r, d)]);
		if ((at = strstr(text, "alias(")) || (at = strstr(text, "asm(")))
			write_named(r, at);
	}
	for (size_t i = 0; i < l->assemblies.size; i++)
		write_named(r, reader_pretty(r, l->assemblies.data[i]));
	for (size_t i = 0; i < l->functions.size; i++)
		if (r->f->functions.data[i].has_asm && (at = strstr(reader_body(r, l->functions.data[i]), "asm")))
			write_named(r, at); /* and by other strings after it: a template may have any text */
}

void reader_unit(struct reader *r)
{
	struct file_level l = {.r = r};

	r->c->visitChildren(r->c->getTranslationUnitCursor(r->unit), at_file_level, &l);
	for (size_t i = 0; i < l.functions.size; i++)
		fill_function(r, (uint32_t)i, l.functions.data[i]);
	read_globals(r, &l);
	for (size_t i = 0; i < l.functions.size; i++)
		reader_walk_function(r, (uint32_t)i, l.functions.data[i]);
	reader_passed(r);
	for (size_t i = 0; i < l.functions.size; i++)
		apply_conversions(r, &r->f->functions.data[i], l.functions.data[i]);
	for (size_t i = 0; i < r->f->functions.size; i++) {
		uint32_t as = reader_result_as(r, r->f->functions.data[i].name);

		r->f->functions.data[i].result_as = as;
	}
	reader_behind_voids(r);
	for (size_t i = 0; i < l.globals.size; i++) {
		CXCursor initial = r->c->Cursor_getVarDeclInitializer(l.globals.data[i]);

		if (!r->c->Cursor_isNull(initial))
			reader_walk_global(r, reader_global(r, l.globals.data[i]), l.globals.data[i], initial);
	}
	apply_hidden_names(r, &l);
	reader_escapes(r);
	reader_types(r);
	for (size_t i = 0; i < l.attributed.size; i++)
		apply_attributes(r, l.attributed.data[i]);
	resolve_labels(r);
	reader_pragma_weak(r->text.data, r->text.size, note_weak, r->f);
	reader_type_names(r);
	for (size_t i = 0; i < l.declarations.size; i++)
		note_declared(r, l.declarations.data[i]);
	reader_mentions(r);
	vec_release(&l.declarations);
	vec_release(&l.functions);
	vec_release(&l.globals);
	vec_release(&l.attributed);
	vec_release(&l.variables);
	vec_release(&l.assemblies);
}
