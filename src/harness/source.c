/* source.c: the plan as C, to stand at the end of the unit.
 *
 * The unit is preprocessed already and need not know our headers, so the types of muster/drive.h
 * are written once more under reserved names. Then come, in this order: definitions of what nobody
 * defines (globals and stubs), a thunk for each function, the tables, and the table's address in
 * the section that the driver walks.
 *
 * Types are named through __typeof__, which takes every name that C has for a type. Thunks and
 * stubs are compiled without checks: no decision of theirs may stand beside those of the unit.
 */
#include "harness/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>


static const char head[] =
    "\n"
    "# 1 \"<muster>\"\n"
    "#pragma pack(push, 8)\n"
    "struct __muster_type { unsigned kind, flags, size, count, a, limit, fixed; };\n"
    "struct __muster_member { unsigned offset, type; };\n"
    "struct __muster_root { unsigned type, flags, at; void *address; };\n"
    "struct __muster_pool { unsigned pointer, objects, at[8]; };\n"
    "struct __muster_function { const char *name; unsigned id; void (*call)(void **, void *); "
    "unsigned first_root,"
    " parameters, globals, first_pool, pools, results, size, result_type, result_size; };\n"
    "struct __muster_table { unsigned version, types_count, functions_count; const struct "
    "__muster_type *types; const"
    " struct __muster_member *members; const struct __muster_root *roots; const struct "
    "__muster_pool *pools; const struct"
    " __muster_function *functions; void *const *targets; const unsigned *type_pool_keys; };\n"
    "#pragma pack(pop)\n"
    "extern void __muster_result(void *, const struct __muster_table *, unsigned) "
    "__asm__(\"muster_drive_result\");\n"
    "extern unsigned long __muster_length(const void *, unsigned long) "
    "__asm__(\"muster_drive_length\");\n"
    "extern unsigned long __muster_length_at(const void *, unsigned long, int *) "
    "__asm__(\"muster_drive_length_at\");\n"
    HARNESS_QUIET " static int muster_tree_from(const char *p, unsigned long size, unsigned count, const unsigned long *at, const char **seen, unsigned *n, int *unknown) {\n"
    "	if (!p || !(unknown ? __muster_length_at(p, size, unknown) : __muster_length(p, size))) return 1;\n"
    "	for (unsigned i = 0; i < *n; i++) if (seen[i] == p) return 0;\n"
    "	if (*n == 2048) return 0; /* there are no more */\n"
    "	seen[(*n)++] = p;\n"
    "	for (unsigned i = 0; i < count; i++)\n"
    "		if (!muster_tree_from(*(const char *const *)(p + at[i]), size, count, at, seen, n, unknown)) return 0;\n"
    "	return 1;\n"
    "}\n"
    HARNESS_QUIET " static int muster_tree(const volatile void *p, unsigned long size, unsigned count, const unsigned long *at, int *unknown) {\n"
    "	const char *seen[2048]; unsigned n = 0;\n"
    "	return muster_tree_from((const char *)p, size, count, at, seen, &n, unknown);\n"
    "}\n"
    HARNESS_QUIET " static unsigned long muster_rest(const volatile void *p, unsigned long size, int *unknown) {\n"
    "	return unknown ? __muster_length_at((const void *)p, size, unknown) : __muster_length((const void *)p, size);\n"
    "}\n"
    HARNESS_QUIET " static int muster_terminated(const volatile void *p, unsigned long size, int *unknown) {\n"
    "	unsigned long n = p ? muster_rest(p, 1, unknown) : 0; int ended = !p;\n"
    "	for (unsigned long i = 0; i < n; i++) ended |= ((const char *)p)[i] == 0;\n"
    "	return ended;\n"
    "}\n"
    HARNESS_QUIET " static int muster_ordered(const volatile void *p, const volatile void *q, unsigned long size, int *unknown) {\n"
    "	if (!p || !q) return !p && !q;\n"
    "	unsigned long n = muster_rest(p, size, unknown), m = muster_rest(q, size, unknown);\n"
    "	return (const volatile char *)p + n * size == (const volatile char *)q + m * size && n >= m;\n"
    "}\n"
    HARNESS_QUIET " static unsigned long muster_product(unsigned long a, unsigned long b) {\n"
    "	return -(unsigned long)!!((a | b) >> 32) | a * b;\n"
    "}\n"
    "extern void __muster_contract_holds(int, const char *, const char *, int) "
    "__asm__(\"muster_contract_holds\");\n"
    "extern void __muster_assume(int) __asm__(\"muster_assume\");\n"
    "extern void *__muster_malloc(unsigned long) __asm__(\"malloc\");\n"
    "extern void *__muster_calloc(unsigned long, unsigned long) __asm__(\"calloc\");\n"
    "extern void *__muster_realloc(void *, unsigned long) __asm__(\"realloc\");\n"
    "extern void *__muster_reallocarray(void *, unsigned long, unsigned long) __asm__(\"reallocarray\");\n"
    "extern void __muster_free(void *) __asm__(\"free\");\n"
    "extern char *__muster_strdup(const char *) __asm__(\"strdup\");\n"
    "extern void __muster_exit(int) __asm__(\"_exit\") __attribute__((noreturn));\n"
    "static const struct __muster_table muster_drive_table;\n";

_Static_assert(DRIVE_OBJECTS == 8 && DRIVE_OBJECTS * DRIVE_MOST == 2048, "the text above has these numbers");
_Static_assert(sizeof(struct drive_type) == 28 && sizeof(struct drive_root) == 24 &&
		   sizeof(struct drive_pool) == 40 && sizeof(struct drive_function) == 64 &&
		   sizeof(struct drive_table) == 72,
	       "the text above has these types");

void harness_type_name(const struct front *f, uint32_t type, int parameter, struct buf *out)
{
	const struct front_type *t = &f->types.data[type];

	if (t->kind == FRONT_ARRAY && (parameter || !t->name)) {
		harness_type_name(f, t->to, 0, out);
		buf_adds(out, " *");
	} else if (t->kind == FRONT_VOID) {
		buf_adds(out, "void");
	} else {
		buf_addf(out, "__typeof__(%s)", t->name);
	}
}

/* ----------------------------------------------------------------- stubs */

/* The body: a result from the input. What does not fit into a slot is zero. */
static void add_stub_body(const struct harness *h, uint32_t stub, uint32_t result, int noreturn,
			  struct buf *out)
{
	uint32_t type = h->stub_types.data[stub];

	buf_adds(out, ") { ");
	if (!(h->stubs.data[stub] & HARNESS_STUB_POINTER))
		harness_stub_statement(h, h->stubs.data[stub], out);
	if (!noreturn && h->stub_memory.data[stub] && type != UINT32_MAX)
		buf_addf(out, "unsigned char __muster_fails; __muster_result(&__muster_fails, &muster_drive_table, %u); "
			      "if (__muster_fails == 1) return 0; ",
			 type);
	if (noreturn) {
		buf_adds(out, "__muster_exit(0);");
	} else if (!harness_stub_memory(h, stub, "__muster_", "__muster_", out) &&
		   type != UINT32_MAX) {
		buf_adds(out, "union { ");
		harness_type_name(h->front, result, 0, out);
		buf_addf(out, " v; char bytes[%u]; } u; ", h->types.data[type].size);
		if (h->types.data[type].size <= DRIVE_RESULT)
			buf_addf(out, "__muster_result(&u, &muster_drive_table, %u); ", type);
		else
			buf_adds(out, "__builtin_memset(&u, 0, sizeof u); ");
		buf_adds(out, "return u.v;");
	}
	buf_adds(out, " }\n");
}

static void add_stub(const struct harness *h, uint32_t stub, struct buf *out)
{
	uint32_t entry = h->stubs.data[stub], front_type = entry & ~HARNESS_STUB_POINTER;
	int pointer = entry != front_type;
	const struct front_type *ft = pointer ? &h->front->types.data[front_type] : NULL;
	const struct front_function *fn = pointer ? NULL : &h->front->functions.data[entry];
	size_t count = pointer ? ft->parameters.size : fn->parameters.size;

	buf_adds(out, pointer ? HARNESS_QUIET " static " : HARNESS_QUIET " ");
	harness_type_name(h->front, pointer ? ft->to : fn->result, 0, out);
	if (pointer)
		buf_addf(out, " muster_stub_%u(", front_type);
	else
		buf_addf(out, " %s(", fn->name);
	for (size_t i = 0; i < count; i++) {
		buf_adds(out, i ? ", " : "");
		harness_type_name(h->front,
			      pointer ? ft->parameters.data[i] : fn->parameters.data[i].type, 1,
			      out);
		buf_addf(out, " __muster_%zu", i);
	}
	if (count && (pointer ? ft->variadic : fn->variadic))
		buf_adds(out, ", ...");
	add_stub_body(h, stub, pointer ? ft->to : fn->result, !pointer && fn->noreturn, out);
}

static void add_stubs(const struct harness *h, struct buf *out)
{
	for (size_t i = 0; i < h->extern_globals.size; i++) {
		const struct front_global *g = &h->front->globals.data[h->extern_globals.data[i]];
		const struct front_type *t = &h->front->types.data[g->type];

		if (t->kind == FRONT_ARRAY && !t->count) {
			harness_type_name(h->front, t->to, 0, out);
			buf_addf(out, " %s[%u];\n", g->name, h->options.elements);
		} else if (!t->size) { /* incomplete: only its address, and bytes after it, are of use */
			buf_addf(out, "_Alignas(16) char muster_incomplete_%zu[%u] __asm__(\"%s\");\n", i, HARNESS_INCOMPLETE,
				 g->symbol ? g->symbol : g->name);
		} else {
			harness_type_name(h->front, g->type, 0, out);
			buf_addf(out, " %s;\n", g->name);
		}
	}
	for (uint32_t i = 0; i < h->stubs.size; i++)
		add_stub(h, i, out);
}

/* ---------------------------------------------------------------- thunks */

/* A compiler's message about the expression names the expression as its file. */
static void add_assumption(void *ctx, const char *text)
{
	struct buf *out = ctx;

	buf_adds(out, "\n# 1 \"precondition '");
	for (const char *s = text; *s; s++)
		if (*s == '"' || *s == '\\')
			buf_addf(out, "\\%c", *s);
		else
			buf_addc(out, *s == '\n' ? ' ' : *s);
	buf_adds(out, "'\"\n__muster_assume((");
	plan_requires_expand(text, NULL, out);
	buf_adds(out, ") != 0);\n# 1 \"<muster>\"\n");
}

static void add_arguments(const struct harness *h, const struct front_function *fn, struct buf *out)
{
	for (size_t i = 0; i < fn->parameters.size; i++) {
		buf_addf(out, "%s*(", i ? ", " : "");
		harness_type_name(h->front, fn->parameters.data[i].type, 1, out);
		buf_addf(out, " *)__muster_a[%zu]", i);
	}
}

/* An array parameter whose objects may be smaller has as many elements as it says. */
static void add_array_sizes(const struct harness *h, const struct harness_function *hf, struct buf *out)
{
	const struct front_function *fn = &h->front->functions.data[hf->front];
	uint32_t root = h->calls.data[hf->number].first_root;

	for (size_t i = 0; i < fn->parameters.size; i++) {
		const struct front_parameter *m = &fn->parameters.data[i];
		const struct front_type *t = &h->front->types.data[m->type];
		const struct drive_type *d = &h->types.data[h->roots.data[root + i].type];
		char *text;

		if (t->kind != FRONT_ARRAY || t->count < 2 || !*m->name || d->kind != DRIVE_POINTER || d->fixed)
			continue;
		text = mem_printf("!%s | (len(%s) >= %" PRIu64 ")", m->name, m->name, t->count);
		add_assumption(out, text);
		free(text);
	}
}

static void add_preconditions(const struct harness *h, const struct harness_function *hf, struct buf *out)
{
	const struct front_function *fn = &h->front->functions.data[hf->front];
	struct buf all = BUF_EMPTY;

	add_array_sizes(h, hf, &all);
	plan_requires(h, fn, add_assumption, &all);
	if (all.size) {
		buf_adds(out, "{ ");
		for (size_t i = 0; i < fn->parameters.size; i++) {
			const struct front_parameter *m = &fn->parameters.data[i];

			if (!*m->name)
				continue;
			harness_type_name(h->front, m->type, 1, out);
			buf_addf(out, " %s = *(", m->name);
			harness_type_name(h->front, m->type, 1, out);
			buf_addf(out, " *)__muster_a[%zu]; ", i);
		}
		buf_add(out, all.data, all.size);
		buf_adds(out, "} ");
	}
	buf_release(&all);
}

static void add_thunk(const struct harness *h, const struct harness_function *hf, struct buf *out)
{
	const struct front_function *fn = &h->front->functions.data[hf->front];

	/* Otherwise no unit would have the body of an inline function. */
	if (fn->is_inline && !fn->is_static)
		buf_addf(out, "extern __typeof__(%s) %s;\n", fn->name, fn->name);
	buf_addf(out, HARNESS_QUIET " static void muster_thunk_%u(void **__muster_a, void *__muster_r) { ",
		 hf->number);
	add_preconditions(h, hf, out);
	if (h->calls.data[hf->number].result_size)
		buf_adds(out, "__auto_type __muster_v = ");
	buf_addf(out, "%s(", fn->name);
	add_arguments(h, fn, out);
	buf_adds(out, "); ");
	if (h->calls.data[hf->number].result_size)
		buf_adds(out, "*(__typeof__(__muster_v) *)__muster_r = __muster_v; ");
	buf_adds(out, "}\n");
}

/* ---------------------------------------------------------------- tables */

static void add_types(const struct harness *h, struct buf *out)
{
	buf_adds(out, "static const struct __muster_type muster_drive_types[] = {\n");
	for (size_t i = 0; i < h->types.size; i++) {
		const struct drive_type *t = &h->types.data[i];

		buf_addf(out, "{%u,%u,%u,%u,%u,%u,%u},\n", t->kind, t->flags, t->size, t->count,
			 t->a, t->limit, t->fixed);
	}
	buf_adds(out, "{0}};\nstatic const struct __muster_member muster_drive_members[] = {\n");
	for (size_t i = 0; i < h->members.size; i++)
		buf_addf(out, "{%u,%u},\n", h->members.data[i].offset, h->members.data[i].type);
	buf_adds(out, "{0}};\nstatic const unsigned muster_drive_keys[] = {\n");
	for (size_t i = 0; i < h->pool_keys.size; i++)
		buf_addf(out, "%u,\n", h->pool_keys.data[i]);
	buf_adds(out, "0};\n");
}

static void add_roots(const struct harness *h, struct buf *out)
{
	buf_adds(out, "static const struct __muster_root muster_drive_roots[] = {\n");
	for (size_t i = 0; i < h->roots.size; i++) {
		const struct drive_root *r = &h->roots.data[i];

		if (r->flags & DRIVE_GLOBAL)
			buf_addf(out, "{%u,%u,%u,(void *)&%s},\n", r->type, r->flags, r->at,
				 h->front->globals.data[h->root_front.data[i]].name);
		else
			buf_addf(out, "{%u,%u,%u,0},\n", r->type, r->flags, r->at);
	}
	buf_adds(out, "{0}};\nstatic const struct __muster_pool muster_drive_pools[] = {\n");
	for (size_t i = 0; i < h->pools.size; i++) {
		const struct drive_pool *p = &h->pools.data[i];

		buf_addf(out, "{%u,%u,{", p->pointer, p->objects);
		for (uint32_t k = 0; k < p->objects; k++)
			buf_addf(out, "%u,", p->at[k]);
		buf_adds(out, p->objects ? "}},\n" : "0}},\n");
	}
	buf_adds(out, "{0}};\n");
}

static void add_functions(const struct harness *h, struct buf *out)
{
	buf_adds(out, "static const struct __muster_function muster_drive_functions[] = {\n");
	for (size_t i = 0; i < h->calls.size; i++) {
		const struct drive_function *c = &h->calls.data[i];

		buf_addf(out, "{\"%s\",%uu,muster_thunk_%zu,%u,%u,%u,%u,%u,%u,%u,%u,%u},\n",
			 c->name, c->id, i, c->first_root, c->parameters, c->globals, c->first_pool,
			 c->pools, c->results, c->size, c->result_type, c->result_size);
	}
	buf_adds(out, "{0}};\nstatic void *const muster_drive_targets[] = {\n");
	for (size_t i = 0; i < h->targets.size; i++)
		buf_addf(out, "(void *)%s,\n", h->targets.data[i]);
	buf_adds(out, "0};\n");
}

void harness_source(const struct harness *h, struct buf *out)
{
	buf_adds(out, head);
	harness_statements(h, out);
	add_stubs(h, out);
	for (size_t i = 0; i < h->functions.size; i++)
		if (h->functions.data[i].number != UINT32_MAX)
			add_thunk(h, &h->functions.data[i], out);
	add_types(h, out);
	add_roots(h, out);
	add_functions(h, out);
	buf_addf(
	    out,
	    "static const struct __muster_table muster_drive_table = {%u,%u,%u,muster_drive_types,"
	    "muster_drive_members,muster_drive_roots,muster_drive_pools,muster_drive_functions,"
	    "muster_drive_targets,muster_drive_keys};\n",
	    DRIVE_VERSION, h->table.types_count, h->table.functions_count);
	buf_adds(out, "static const struct __muster_table *const muster_drive_entry "
		      "__attribute__((used, retain,"
		      " section(\"" DRIVE_SECTION "\"))) = &muster_drive_table;\n");
}
