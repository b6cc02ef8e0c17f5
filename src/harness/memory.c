/* memory.c: stubs that manage memory.
 *
 * A library of several files has its own malloc and free somewhere else, or takes them as pointers.
 * A stub that returned one of the driver's small objects for any size would give false alarms
 * everywhere, so functions without a body that look like one of these by name and by type do what
 * their names say: NAMEalloc(n) is malloc, of two sizes the product; NAMErealloc(p, n), of two sizes the last, which is the
 * new one; NAMEreallocarray(p, n, size);
 * NAMEfree(p); NAMEstrdup(s). A pointer before, as many interfaces have it for the user's data, is
 * left aside.
 *
 * Pointers to functions have only their types; a type counts if some member, parameter or typedef
 * of it has such a name.
 */
#include "harness/plan.h"

#include <string.h>
#include <strings.h>

enum memory_kind {
	MEMORY_NONE,
	MEMORY_MALLOC,
	MEMORY_CALLOC,
	MEMORY_REALLOC,
	MEMORY_FREE,
	MEMORY_STRDUP
};

/* What matters of a function's type: the last pointer, and the integers. */
struct shape {
	int result; /* 0: void, 1: pointer to bytes, -1: anything else */
	int pointers, integers, others;
	size_t pointer, first_integer, last_integer; /* indices */
};

static int has(const char *name, const char *part)
{
	return name && strcasestr(name, part) != NULL;
}

static int to_bytes(const struct front *f, const struct front_type *t)
{
	const struct front_type *to = &f->types.data[t->to];

	return to->kind == FRONT_VOID || to->kind == FRONT_CHAR ||
	       (to->kind == FRONT_INT && to->size == 1);
}

static void add_parameter(const struct front *f, uint32_t type, size_t index, struct shape *s)
{
	const struct front_type *t = &f->types.data[type];

	if (t->kind == FRONT_POINTER) {
		s->pointers++;
		s->pointer = index;
		s->others += !to_bytes(f, t) &&
			     s->integers; /* a pointer after the sizes is something else */
	} else if (t->kind == FRONT_INT && t->size >= 4) {
		s->first_integer = s->integers ? s->first_integer : index;
		s->last_integer = index;
		s->integers++;
	} else {
		s->others++;
	}
}

static int result_of(const struct front *f, uint32_t type)
{
	const struct front_type *t = &f->types.data[type];

	if (t->kind == FRONT_VOID)
		return 0;
	return t->kind == FRONT_POINTER && to_bytes(f, t) ? 1 : -1;
}

static struct shape shape_of(const struct front *f, uint32_t entry)
{
	struct shape s = {0};

	if (entry & HARNESS_STUB_POINTER) {
		const struct front_type *t = &f->types.data[entry & ~HARNESS_STUB_POINTER];

		s.result = result_of(f, t->to);
		s.others = t->variadic != 0;
		for (size_t i = 0; i < t->parameters.size; i++)
			add_parameter(f, t->parameters.data[i], i, &s);
	} else {
		const struct front_function *fn = &f->functions.data[entry];

		s.result = result_of(f, fn->result);
		s.others = fn->variadic != 0;
		for (size_t i = 0; i < fn->parameters.size; i++)
			add_parameter(f, fn->parameters.data[i].type, i, &s);
	}
	return s;
}

static enum memory_kind kind_of(const char *name, const struct shape *s)
{
	if (s->others)
		return MEMORY_NONE;
	if (has(name, "realloc") && s->result == 1 && s->pointers >= 1 && s->integers >= 1 &&
	    s->integers <= 2)
		return MEMORY_REALLOC;
	if (s->result == 0 && s->pointers >= 1 && s->pointers <= 2 && !s->integers &&
	    (has(name, "free") || has(name, "dealloc")))
		return MEMORY_FREE;
	if (has(name, "alloc") && !has(name, "dealloc") && s->result == 1 && s->pointers <= 1 &&
	    s->integers >= 1 && s->integers <= 2)
		return has(name, "calloc") || has(name, "zalloc") ? MEMORY_CALLOC : MEMORY_MALLOC;
	if (has(name, "strdup") && s->result == 1 && s->pointers >= 1 && s->pointers <= 2 &&
	    !s->integers)
		return MEMORY_STRDUP;
	return MEMORY_NONE;
}

/* The last pointer of free must be one to bytes: freeing a struct means more than that. */
static enum memory_kind checked(const struct front *f, uint32_t entry, const char *name)
{
	struct shape s = shape_of(f, entry);
	enum memory_kind kind = kind_of(name, &s);
	uint32_t type;

	if (kind == MEMORY_NONE || kind == MEMORY_MALLOC || kind == MEMORY_CALLOC)
		return kind;
	type = entry & HARNESS_STUB_POINTER
		   ? f->types.data[entry & ~HARNESS_STUB_POINTER].parameters.data[s.pointer]
		   : f->functions.data[entry].parameters.data[s.pointer].type;
	return to_bytes(f, &f->types.data[type]) ? kind : MEMORY_NONE;
}

/* Notes of a pointer to functions what its name says. */
static void hint(struct planner *p, uint32_t type, const char *name)
{
	const struct front_type *t = &p->f->types.data[type];
	const char *names[3] = {name, t->name, NULL};
	uint32_t to;

	if (t->kind != FRONT_POINTER || p->f->types.data[t->to].kind != FRONT_FUNCTION)
		return;
	to = t->to;
	names[2] = p->f->types.data[to].name;
	for (int i = 0; i < 3; i++) {
		enum memory_kind kind;

		/* "void *(*)(size_t)" is no name; a typedef is. */
		if (!names[i] || strchr(names[i], '('))
			continue;
		kind = checked(p->f, to | HARNESS_STUB_POINTER, names[i]);
		if (kind != MEMORY_NONE) {
			map_set(&p->memory, plan_function_hash(p->f, to), kind);
			return;
		}
	}
}

void plan_memory_hints(struct planner *p)
{
	for (size_t i = 0; i < p->f->types.size; i++) {
		const struct front_type *t = &p->f->types.data[i];

		for (size_t k = 0; k < t->fields.size; k++)
			hint(p, t->fields.data[k].type, t->fields.data[k].name);
	}
	for (size_t i = 0; i < p->f->functions.size; i++) {
		const struct front_function *fn = &p->f->functions.data[i];

		for (size_t k = 0; k < fn->parameters.size; k++)
			hint(p, fn->parameters.data[k].type, fn->parameters.data[k].name);
	}
}

int plan_memory(struct planner *p, uint32_t entry)
{
	uint64_t kind;

	if (!(entry & HARNESS_STUB_POINTER))
		return checked(p->f, entry, p->f->functions.data[entry].name);
	return map_get(&p->memory, plan_function_hash(p->f, entry & ~HARNESS_STUB_POINTER), &kind)
		   ? (int)kind
		   : 0;
}

/* NAMEreallocarray: its sizes are a number of elements, and what each takes. */
static int is_array(const struct harness *h, uint32_t stub)
{
	uint32_t entry = h->stubs.data[stub];

	return !(entry & HARNESS_STUB_POINTER) && has(h->front->functions.data[entry].name, "array");
}

int harness_stub_memory(const struct harness *h, uint32_t stub, const char *function,
			const char *argument, struct buf *out)
{
	struct shape s = shape_of(h->front, h->stubs.data[stub]);

	switch ((enum memory_kind)h->stub_memory.data[stub]) {
	case MEMORY_NONE:
		return 0;
	case MEMORY_MALLOC:
		buf_addf(out, "return %smalloc((unsigned long)%s%zu", function, argument,
			 s.first_integer);
		if (s.integers > 1)
			buf_addf(out, " * (unsigned long)%s%zu", argument, s.last_integer);
		buf_adds(out, ");");
		return 1;
	case MEMORY_CALLOC:
		buf_addf(out, "return %scalloc((unsigned long)%s%zu, ", function, argument,
			 s.first_integer);
		if (s.integers > 1)
			buf_addf(out, "(unsigned long)%s%zu);", argument, s.last_integer);
		else
			buf_adds(out, "1);");
		return 1;
	case MEMORY_REALLOC:
		if (s.integers > 1 && is_array(h, stub))
			buf_addf(out, "return %sreallocarray((void *)%s%zu, (unsigned long)%s%zu, (unsigned long)%s%zu);", function, argument, s.pointer, argument, s.first_integer, argument,
				 s.last_integer);
		else
			buf_addf(out, "return %srealloc((void *)%s%zu, (unsigned long)%s%zu);", function, argument, s.pointer, argument, s.last_integer);
		return 1;
	case MEMORY_FREE:
		buf_addf(out, "%sfree((void *)%s%zu);", function, argument, s.pointer);
		return 1;
	case MEMORY_STRDUP:
		buf_addf(out, "return (void *)%sstrdup((const char *)%s%zu);", function, argument,
			 s.pointer);
		return 1;
	}
	return 0;
}
