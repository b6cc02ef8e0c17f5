/* sizes.c: assertions about sizes: of allocations, and of memory functions on members.
 *
 * The size of an allocation is asserted where it is handed over: within the limit, and nothing that it was made of wrapped. What it was
 * made of is followed through the unit by name: the operators of the argument itself, of what its variables and members
 * are given, and, of a parameter, of what callers hand over. Each such operator notes whether it wrapped when it was
 * evaluated last; nothing aborts there, since the program may look at the result and turn back.
 */
#include "claim/unit.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WRAPS 200

/* Without what compilers and fortified headers put around a name. */
static int is_named(const char *name, const char *want)
{
	size_t n = strlen(want);

	if (!strncmp(name, "__builtin_", 10))
		name += 10;
	name += strspn(name, "_");
	return !strncmp(name, want, n) && (!name[n] || !strcmp(name + n, "_chk"));
}

/* The name of what is called; "" through a pointer. */
static const char *callee_name(const struct work *w, uint32_t call)
{
	uint32_t callee = tree_bare(w->t, node(w, call)->first);
	uint32_t to = node(w, callee)->kind == TREE_NAME ? node(w, callee)->refers : 0;

	return to && node(w, to)->kind == TREE_FUNCTION ? node(w, to)->name : "";
}

static uint32_t argument(const struct work *w, uint32_t call, unsigned i)
{
	uint32_t c = node(w, node(w, call)->first)->next;

	while (c && i--)
		c = node(w, c)->next;
	return c;
}

/* -------------------------------------------------------------- allocations */

static void follow(struct work *w, uint32_t n, unsigned depth);

/* What callers hand over for a parameter. */
static void follow_parameter(struct work *w, uint32_t parameter, unsigned depth)
{
	uint32_t function = node(w, parameter)->parent;
	unsigned index = 0;

	for (uint32_t c = node(w, function)->first; c && c != parameter; c = node(w, c)->next)
		index += node(w, c)->kind == TREE_PARAMETER;
	for (uint32_t n = 1; n < w->t->nodes.size; n++) {
		uint32_t callee = node(w, n)->kind == TREE_CALL ? tree_bare(w->t, node(w, n)->first) : 0;

		if (callee && node(w, callee)->kind == TREE_NAME && node(w, callee)->refers &&
		    node(w, node(w, callee)->refers)->canon == node(w, function)->canon && argument(w, n, index))
			follow(w, argument(w, n, index), depth);
	}
}

static void wraps_at(struct work *w, uint32_t n)
{
	const struct tree_node *x = node(w, n);

	if (w->wraps < MAX_WRAPS && type_of(w, n)->kind == TREE_TYPE_INT && type_of(w, n)->bits <= 64 &&
	    (x->op == TREE_OP_ADD || x->op == TREE_OP_MUL || x->op == TREE_OP_SHL) && (x->kind != TREE_ASSIGN || claim_is_pure(w, x->first)))
		claim_patch(w, n, PATCH_WRAP);
}

/* What a variable, parameter or member is given anywhere in the unit. */
static void follow_name(struct work *w, uint32_t declared, unsigned depth)
{
	uint32_t canon = node(w, declared)->canon;

	if (!map_set(&w->seen, declared, 1))
		return;
	for (uint32_t n = 1; n < w->t->nodes.size; n++) {
		const struct tree_node *x = node(w, n);

		if (x->kind == TREE_VARIABLE && x->init && x->canon == canon)
			follow(w, x->init, depth);
		if (x->kind == TREE_PARAMETER && n == declared)
			follow_parameter(w, n, depth);
		if (x->kind != TREE_ASSIGN)
			continue;
		const struct tree_node *left = node(w, tree_bare(w->t, x->first));
		uint32_t right = node(w, x->first)->next;

		if ((left->kind != TREE_NAME && left->kind != TREE_MEMBER) || left->refers != declared)
			continue;
		wraps_at(w, n);
		if (!x->op || x->op == TREE_OP_ADD || x->op == TREE_OP_MUL)
			follow(w, right, depth);
	}
}

static void follow(struct work *w, uint32_t n, unsigned depth)
{
	uint32_t bare = n ? tree_bare(w->t, n) : 0;
	const struct tree_node *x = node(w, bare);

	if (!bare || !depth)
		return;
	switch (x->kind) {
	case TREE_BINARY:
		wraps_at(w, bare);
		if (x->op == TREE_OP_ADD || x->op == TREE_OP_MUL || x->op == TREE_OP_SHL || x->op == TREE_OP_SUB) {
			follow(w, x->first, depth - 1);
			follow(w, node(w, x->first)->next, depth - 1);
		}
		break;
	case TREE_CAST:
		for (uint32_t c = x->first; c; c = node(w, c)->next)
			if (!node(w, c)->next)
				follow(w, c, depth - 1);
		break;
	case TREE_CHOICE:
		for (uint32_t c = x->first ? node(w, x->first)->next : 0; c; c = node(w, c)->next)
			follow(w, c, depth - 1);
		break;
	case TREE_NAME: case TREE_MEMBER:
		if (x->refers)
			follow_name(w, x->refers, depth - 1);
		break;
	case TREE_ASSIGN:
		wraps_at(w, bare);
		follow(w, node(w, x->first)->next, depth - 1);
		break;
	default: break;
	}
}

static const struct {
	const char *name;
	int first, second; /* the argument that is the size; and the other factor, or -1 */
} allocators[] = {
    {"malloc", 0, -1},	      {"calloc", 0, 1},		{"realloc", 1, -1}, {"reallocarray", 1, 2}, {"aligned_alloc", 1, -1},
    {"memalign", 1, -1},      {"valloc", 0, -1},	{"alloca", 0, -1},  {"posix_memalign", 2, -1},
};

/* Which arguments are the size. Through a pointer: as many as malloc has, or calloc, or realloc. */
static int size_arguments(const struct work *w, uint32_t call, int *first, int *second)
{
	const char *name = callee_name(w, call);

	for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++)
		if (is_named(name, allocators[i].name)) {
			*first = allocators[i].first, *second = allocators[i].second;
			return 1;
		}
	if (*name || !argument(w, call, 0) || argument(w, call, 2))
		return 0;
	int two = argument(w, call, 1) != 0;
	int moves = type_of(w, argument(w, call, 0))->kind == TREE_TYPE_POINTER;

	*first = two && moves;
	*second = two && !moves ? 1 : -1;
	return type_of(w, argument(w, call, (unsigned)*first))->kind == TREE_TYPE_INT;
}

void claim_sizes(struct work *w, uint32_t call)
{
	int first, second;
	struct patch *p;

	if (!size_arguments(w, call, &first, &second) || !argument(w, call, (unsigned)first))
		return;
	follow(w, argument(w, call, (unsigned)first), 12);
	if (second >= 0)
		follow(w, argument(w, call, (unsigned)second), 12);
	p = second >= 0 ? claim_patch(w, call, PATCH_PRODUCT) : claim_patch(w, argument(w, call, (unsigned)first), PATCH_LIMIT);
	if (p)
		p->first = (unsigned)first, p->second = (unsigned)second;
}

/* An array on the stack whose size is computed. */
void claim_array(struct work *w, uint32_t variable)
{
	const struct tree_node *x = node(w, variable);
	struct patch *p;

	if (type_of(w, variable)->kind != TREE_TYPE_ARRAY || type_of(w, variable)->count || !x->first || node(w, x->first)->next ||
	    node(w, x->first)->kind < TREE_NAME || type_of(w, x->first)->kind != TREE_TYPE_INT)
		return;
	follow(w, x->first, 12);
	p = claim_patch(w, x->first, PATCH_LIMIT);
	if (p)
		p->on_stack = 1;
}

/* ------------------------------------------------------------------ members */

static const struct {
	const char *name;
	unsigned pointers, size;
} functions[] = {
    {"memcpy", 2, 2}, {"memmove", 2, 2}, {"memset", 1, 2}, {"mempcpy", 2, 2}, {"strncpy", 1, 2}, {"bzero", 1, 1},
};

static void add_text(const struct work *w, uint32_t n, struct buf *out)
{
	buf_add(out, w->t->text + node(w, n)->begin, node(w, n)->end - node(w, n)->begin);
}

/* The room that a pointer to a member has, as C: sizeof of the member without what stands before. 0: it is no such pointer. */
static int room_of(const struct work *w, uint32_t pointer, struct buf *out)
{
	uint32_t n = tree_bare(w->t, pointer);
	const struct tree_node *x = node(w, n);

	while (x->kind == TREE_CAST) { /* (char *)s->name */
		uint32_t c = x->first;

		while (c && node(w, c)->next)
			c = node(w, c)->next;
		if (!c)
			return 0;
		n = tree_bare(w->t, c), x = node(w, n);
	}
	if (x->kind == TREE_UNARY && x->op == TREE_OP_ADDRESS) {
		n = tree_bare(w->t, x->first), x = node(w, n);
		if (x->kind == TREE_MEMBER) {
			buf_adds(out, "sizeof(");
			add_text(w, n, out);
			buf_addc(out, ')');
			return 1;
		}
		uint32_t array = x->kind == TREE_INDEX ? tree_bare(w->t, x->first) : 0;

		if (!array || node(w, array)->kind != TREE_MEMBER || type_of(w, array)->kind != TREE_TYPE_ARRAY)
			return 0;
		buf_adds(out, "(sizeof(");
		add_text(w, array, out);
		buf_adds(out, ") - sizeof(");
		add_text(w, n, out);
		buf_adds(out, ") * (");
		add_text(w, node(w, x->first)->next, out);
		buf_adds(out, "))");
		return claim_is_pure(w, node(w, x->first)->next);
	}
	if (x->kind == TREE_BINARY && x->op == TREE_OP_ADD) {
		uint32_t array = tree_bare(w->t, x->first), index = node(w, x->first)->next;

		if (node(w, array)->kind != TREE_MEMBER || type_of(w, array)->kind != TREE_TYPE_ARRAY || !claim_is_pure(w, index))
			return 0;
		buf_adds(out, "(sizeof(");
		add_text(w, array, out);
		buf_adds(out, ") - sizeof(*(");
		add_text(w, array, out);
		buf_adds(out, ")) * (");
		add_text(w, index, out);
		buf_adds(out, "))");
		return 1;
	}
	if (x->kind != TREE_MEMBER || type_of(w, n)->kind != TREE_TYPE_ARRAY)
		return 0;
	buf_adds(out, "sizeof(");
	add_text(w, n, out);
	buf_addc(out, ')');
	return 1;
}

void claim_members(struct work *w, uint32_t call)
{
	const char *name = callee_name(w, call);

	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		struct buf rooms = {0};

		if (!is_named(name, functions[i].name))
			continue;
		for (unsigned k = 0; k < functions[i].pointers; k++) {
			struct buf one = {0};
			uint32_t pointer = argument(w, call, k);

			if (pointer && room_of(w, pointer, &one))
				buf_addf(&rooms, "%s__muster_v <= %s", rooms.size ? " && " : "", buf_str(&one));
			buf_release(&one);
		}
		uint32_t size = argument(w, call, functions[i].size);
		struct patch *p = rooms.size && size ? claim_patch(w, size, PATCH_ROOM) : NULL;

		if (p)
			p->room = buf_take(&rooms);
		buf_release(&rooms);
		return;
	}
}
