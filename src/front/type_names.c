/* type_names.c: names for types that have none, by what has them.
 *
 * The struct in `static struct { int a; } state;` can be written __typeof__(state), and that in a
 * member of struct s
 * __typeof__(((struct s *)0)->member). Names spread from what has one: from records to their
 * members, from pointers to what they point to, from arrays to their elements. A type is named
 * once, so each is looked at once.
 */
#include "base/buf.h"
#include "front/reader.h"

struct naming {
	struct front *f;
	VEC(uint32_t) todo; /* types that have a name and were not looked at */
};

/* typedef struct { int a; } *p: the pointer itself has no other name either. */
static void name_plain(struct naming *n, const struct front_type *t)
{
	struct front_type *plain = &n->f->types.data[t->plain];

	if (plain->name || t->is_const || t->is_volatile || t->is_va_list)
		return;
	plain->name = t->name;
	vec_push(&n->todo, t->plain);
}

static void name_type(struct naming *n, uint32_t type, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void name_type(struct naming *n, uint32_t type, const char *format, ...)
{
	struct front_type *t = &n->f->types.data[type];
	struct buf b = {0};
	va_list ap;

	if (t->name || t->kind == FRONT_FUNCTION || t->is_va_list)
		return;
	va_start(ap, format);
	buf_addv(&b, format, ap);
	va_end(ap);
	t->name = arena_strdup(&n->f->arena, buf_str(&b));
	buf_release(&b);
	vec_push(&n->todo, type);
	name_plain(n, t);
}

/* Members of `record` are reached through an object of the type `name`; those of its anonymous
 * members, too. */
static void name_members(struct naming *n, uint32_t record, const char *name, int depth)
{
	const struct front_type *t = &n->f->types.data[record];

	for (size_t i = 0; i < t->fields.size; i++) {
		const struct front_field *field = &t->fields.data[i];

		if (*field->name)
			name_type(n, field->type, "__typeof__(((__typeof__(%s) *)0)->%s)", name,
				  field->name);
		else if (depth < 16)
			name_members(n, field->type, name, depth + 1);
	}
}

static void look_at(struct naming *n, uint32_t type)
{
	const struct front_type *t = &n->f->types.data[type];

	switch (t->kind) {
	case FRONT_STRUCT:
	case FRONT_UNION:
		if (!t->is_const && !t->is_volatile)
			name_members(n, type, t->name, 0);
		break;
	case FRONT_POINTER:
		name_type(n, t->to, "__typeof__(*(__typeof__(%s))0)", t->name);
		break;
	case FRONT_ARRAY:
		name_type(n, t->to, "__typeof__((*(__typeof__(%s) *)0)[0])", t->name);
		break;
	default:
		break;
	}
}

void reader_type_names(struct reader *r)
{
	struct naming n = {.f = r->f};

	for (size_t i = 0; i < r->f->types.size; i++) {
		struct front_type *t = &r->f->types.data[i];

		if (!t->name)
			continue;
		vec_push(&n.todo, (uint32_t)i);
		name_plain(&n, t);
	}
	for (size_t i = 0; i < r->f->globals.size; i++)
		name_type(&n, r->f->globals.data[i].type, "__typeof__(%s)",
			  r->f->globals.data[i].name);
	while (n.todo.size)
		look_at(&n, vec_pop(&n.todo));
	for (size_t i = 0; i < r->f->types.size; i++) {
		struct front_type *t = &r->f->types.data[i];

		if (!t->name && t->kind == FRONT_POINTER &&
		    r->f->types.data[t->to].kind != FRONT_FUNCTION)
			t->name = "void *";
	}
	vec_release(&n.todo);
}
