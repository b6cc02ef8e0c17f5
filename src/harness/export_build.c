/* export_build.c: an input as statements of C.
 *
 * Objects come first, each as a variable with its memory; those that point to others are filled
 * once all have a name, so cycles are no matter. Then globals, results of functions without a body,
 * and a variable for each parameter.
 *
 * Values are initialisers as far as C has one; bytes that an initialiser cannot say (value.h) are
 * written after it one run at a time, pointers inside such places each by itself.
 */
#include "harness/export.h"

#include "base/error.h"
#include "harness/text.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------ initialisers */

/* An image and what its initialiser says of it. */
struct piece {
	struct value_image im;
	uint8_t *bytes, *built, *pointers;
	size_t size;
};

static void piece_open(struct piece *p, struct export *e, uint32_t type, size_t at)
{
	p->size = e->h->types.data[type].size;
	p->bytes = mem_zalloc(3 * p->size + 1);
	p->built = p->bytes + p->size;
	p->pointers = p->built + p->size;
	value_load(&p->im, &e->w, type, at, 0, NULL, p->bytes);
}

static void piece_release(struct piece *p)
{
	free(p->bytes);
}

static int is_pointer(const struct harness *h, uint32_t type)
{
	uint32_t kind = h->types.data[type].kind;

	return kind == DRIVE_POINTER || kind == DRIVE_FUNCTION || kind == DRIVE_OPAQUE;
}

/* Whether the type can be written in C at all. */
static int has_initialiser(const struct export *e, uint32_t type)
{
	if (is_pointer(e->h, type))
		return 1;
	return !e->raw &&
	       value_front(e->h, e->h->type_front.data[type], e->h->types.data[type].size) != NULL;
}

static void add_initialiser(struct export *e, struct piece *p)
{
	struct value_printer v = {.form = VALUE_SOURCE,
				  .out = e->out,
				  .names = (const char *const *)e->names,
				  .built = p->built,
				  .pointers = p->pointers};

	value_print_image(&v, &p->im);
	buf_release(&v.path);
}

static void add_pointer_value(struct export *e, const struct value_pointer *vp)
{
	if (vp->to.to == WALK_TARGET)
		buf_addf(e->out, "(void *)%s", e->h->targets.data[vp->to.target]);
	else if (vp->to.to == WALK_OBJECT)
		buf_addf(e->out, "(char *)%s + %zu", e->names[vp->to.object],
			 (size_t)vp->to.element * e->w.objects.data[vp->to.object].size);
	else
		buf_adds(e->out, "NULL");
}

/* What the initialiser left out, at `address` (an expression of type char *). */
static void add_rest(struct export *e, const struct piece *p, const char *address, size_t from)
{
	struct value_pointer vp;
	size_t end;

	for (size_t i = 0; i < p->size; i = end) {
		end = i + 1;
		if (value_pointer_at(&p->im, i, &vp)) {
			end = i + e->h->types.data[vp.type].size;
			if (p->pointers[i] || !p->bytes[i])
				continue;
			buf_addf(e->out, "\tmuster_fill(%s + %zu, &(void *){", address, from + i);
			add_pointer_value(e, &vp);
			buf_adds(e->out, "}, sizeof(void *));\n");
			continue;
		}
		if (p->bytes[i] == p->built[i])
			continue;
		while (end < p->size && p->bytes[end] != p->built[end] &&
		       !value_pointer_at(&p->im, end, &vp))
			end++;
		buf_addf(e->out, "\tmuster_fill(%s + %zu, ", address, from + i);
		text_string(e->out, p->bytes + i, end - i);
		buf_addf(e->out, ", %zu);\n", end - i);
	}
}

/* ------------------------------------------------------------------ objects */

/* node1: from the words of its type. */
static char *object_name(struct export *e, const struct walk_object *o)
{
	const struct front_type *types = e->h->front->types.data;
	const struct front_type *t = &types[e->h->type_front.data[o->type]];
	const char *text = t->name ? t->name : "object", *s;
	struct buf b = {0};
	char *name;

	if (o->string)
		text = "string";
	else if (e->h->types.data[o->type].kind == DRIVE_POINTER)
		text = "pointer";
	for (s = text; *s; s++)
		if (!strncmp(s, "struct ", 7) || !strncmp(s, "union ", 6) ||
		    !strncmp(s, "const ", 6) || !strncmp(s, "enum ", 5))
			s = strchr(s, ' ');
		else if ((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '_' ||
			 (*s >= '0' && *s <= '9' && b.size))
			buf_addc(&b, *s);
		else if (b.size && b.data[b.size - 1] != '_' && s[1])
			buf_addc(&b, '_');
	if (!b.size || strstr(text, "__typeof__")) {
		buf_clear(&b);
		buf_adds(&b, "object");
	}
	buf_addf(&b, "%u", o->number);
	name = export_name(e, buf_str(&b));
	buf_release(&b);
	return name;
}

static void element_type(const struct export *e, const struct walk_object *o, struct buf *out)
{
	const struct front_type *types = e->h->front->types.data;
	uint32_t front = e->h->type_front.data[o->type];

	if (types[front].size != o->size || types[front].kind == FRONT_VOID ||
	    !export_type(e, front, out))
		buf_adds(out, o->size == 1 ? "unsigned char" : "");
	if (!out->size)
		buf_addf(out, "struct { unsigned char bytes[%u]; }", o->size);
}

static int reaches(const struct export *e, const struct walk_object *o)
{
	struct value_pointer vp;
	int found = 0;

	if (!walk_has_pointers(e->h, o->type))
		return 0;
	for (uint32_t i = 0; i < o->elements && !found; i++) {
		struct piece p;
		piece_open(&p, (struct export *)e, o->type, o->at + (size_t)i * o->size);
		for (size_t k = 0; k < p.size && !found; k++)
			found = value_pointer_at(&p.im, k, &vp) && p.bytes[k];
		piece_release(&p);
	}
	return found;
}

/* The elements as one compound literal, with its address; what it leaves out of the pieces is for
 * add_rest. */
static void add_literal(struct export *e, const struct walk_object *o, const char *type,
			struct piece *pieces)
{
	struct buf *out = e->out, one = {0};

	if (o->elements > 1) {
		buf_addf(out, "(%s[%u]){", type, o->elements);
		for (uint32_t i = 0; i < o->elements; i++) {
			buf_adds(out, i ? ", " : "");
			add_initialiser(e, &pieces[i]);
		}
		buf_addc(out, '}');
		return;
	}
	e->out = &one;
	add_initialiser(e, &pieces[0]);
	e->out = out;
	buf_addf(out, *buf_str(&one) == '{' ? "&(%s)%s" : "&(%s){%s}", type, buf_str(&one));
	buf_release(&one);
}

static void open_pieces(struct export *e, const struct walk_object *o, struct piece **pieces)
{
	*pieces = mem_zalloc((o->elements + 1) * sizeof **pieces);
	for (uint32_t i = 0; i < o->elements; i++)
		piece_open(&(*pieces)[i], e, o->type, o->at + (size_t)i * o->size);
}

static void close_pieces(struct export *e, const struct walk_object *o, struct piece *pieces,
			 const char *name)
{
	char *address = mem_printf("(char *)%s", name);

	for (uint32_t i = 0; i < o->elements; i++) {
		add_rest(e, &pieces[i], address, (size_t)i * o->size);
		piece_release(&pieces[i]);
	}
	free(address);
	free(pieces);
}

static uint32_t align_of(const struct export *e, const struct walk_object *o)
{
	const struct front_type *t = &e->h->front->types.data[e->h->type_front.data[o->type]];

	return t->align > 16 ? t->align : 0;
}

/* Characters, numbers: the bytes as a string. */
static int is_text(const struct export *e, const struct walk_object *o)
{
	const struct front_type *t = &e->h->front->types.data[e->h->type_front.data[o->type]];

	return o->string || (o->size == 1 && (t->kind == FRONT_CHAR || e->raw));
}

static void add_size(struct export *e, const struct walk_object *o, const char *name)
{
	if (o->elements > 1)
		buf_addf(e->out, "%u * ", o->elements);
	buf_addf(e->out, "sizeof *%s", name);
}

/* Whether its bytes are written once all objects have names. */
static int is_late(const struct export *e, const struct walk_object *o)
{
	return !is_text(e, o) && (reaches(e, o) || !has_initialiser(e, o->type) || align_of(e, o));
}

static void declare_object(struct export *e, const struct walk_object *o, const char *name)
{
	struct buf type = {0};
	struct piece *pieces;
	size_t size = (size_t)(o->elements + o->string) * o->size;
	int zero = walk_zero(&e->w, o->at, (size_t)o->elements * o->size);

	element_type(e, o, &type);
	buf_addf(e->out, "\t%s *%s = ", buf_str(&type), name);
	if (is_text(e, o)) {
		uint8_t *bytes = mem_zalloc(size + 1);
		walk_copy(&e->w, o->at, (size_t)o->elements * o->size, bytes);
		buf_adds(e->out, "muster_copy(");
		text_string(e->out, bytes, size - (o->string && o->size == 1));
		buf_addf(e->out, ", %zu);\n", size);
		free(bytes);
	} else if (is_late(e, o) || zero) {
		buf_adds(e->out, align_of(e, o) ? "muster_aligned(" : "muster_object(");
		add_size(e, o, name);
		if (align_of(e, o))
			buf_addf(e->out, ", %u", align_of(e, o));
		buf_adds(e->out, ");\n");
	} else {
		open_pieces(e, o, &pieces);
		buf_adds(e->out, "muster_copy(");
		add_literal(e, o, buf_str(&type), pieces);
		buf_adds(e->out, ", ");
		add_size(e, o, name);
		buf_adds(e->out, ");\n");
		close_pieces(e, o, pieces, name);
	}
	buf_release(&type);
}

static void fill_object(struct export *e, const struct walk_object *o, const char *name)
{
	struct buf type = {0};
	struct piece *pieces;

	if (!is_late(e, o) || walk_zero(&e->w, o->at, (size_t)o->elements * o->size))
		return;
	open_pieces(e, o, &pieces);
	if (has_initialiser(e, o->type)) {
		element_type(e, o, &type);
		buf_addf(e->out, "\tmuster_fill(%s, ", name);
		add_literal(e, o, buf_str(&type), pieces);
		buf_adds(e->out, ", ");
		add_size(e, o, name);
		buf_adds(e->out, ");\n");
	}
	close_pieces(e, o, pieces, name);
	buf_release(&type);
}

/* ------------------------------------------------------------------ globals */

struct global {
	struct export *e;
	const char *name;
	struct value_image raw, value;
	uint8_t *done; /* 1: a byte of the image that was dealt with */
	int known;
};

static int all_zero(const uint8_t *p, size_t n)
{
	while (n)
		if (p[--n])
			return 0;
	return 1;
}

/* A leaf by assignment, if it has a value that can be assigned. */
static void set_leaf(void *ctx, const struct value_leaf *leaf)
{
	struct global *g = ctx;
	struct export *e = g->e;
	const struct front_type *t = &e->h->front->types.data[leaf->front];
	struct value_printer v = {
	    .form = VALUE_SOURCE, .out = e->out, .names = (const char *const *)e->names};
	struct value_pointer vp;
	int pointer = !leaf->bits && value_pointer_at(&g->raw, leaf->off, &vp);
	int number =
	    leaf->bits || t->kind == FRONT_INT || t->kind == FRONT_CHAR || t->kind == FRONT_BOOL;
	int known = g->known && t->kind == FRONT_FLOAT && t->size < 16;

	if (leaf->bits ? !value_bits(g->raw.bytes + leaf->off, leaf->bits, 0)
		       : all_zero(g->raw.bytes + leaf->off, leaf->size))
		return;
	if (t->is_const || (!pointer && !number && !known))
		return;
	if (t->kind == FRONT_FLOAT) { /* not every pattern of bits survives as a literal */
		struct buf scratch = {0};
		int exact = text_float(&scratch, g->value.bytes + leaf->off, t->size, 0) == 1;
		buf_release(&scratch);
		if (!exact)
			return;
	}
	buf_addf(e->out, "\t%s %s ", leaf->path, g->known || pointer ? "=" : "^=");
	if (pointer && leaf->size == e->h->types.data[g->raw.type].size)
		value_print_image(&v, &g->raw);
	else
		value_print_leaf(&v, g->known && !pointer ? &g->value : &g->raw, leaf);
	buf_adds(e->out, ";\n");
	if (!leaf->bits) {
		memset(g->done + leaf->off, 0xff, leaf->size);
	} else {
		for (uint32_t i = 0; i < leaf->bits->bits; i++) {
			uint64_t bit = leaf->bits->bit_offset + i;
			g->done[leaf->off + bit / 8] |= 1 << bit % 8;
		}
	}
	buf_release(&v.path);
}

/* What no assignment said: as bytes that are combined with what is there. */
static void set_rest(struct global *g)
{
	struct export *e = g->e;
	size_t size = e->h->types.data[g->raw.type].size, end;
	struct value_pointer vp;

	for (size_t i = 0; i < size; i = end) {
		struct buf bytes = {0};

		end = i + 1;
		if (value_pointer_at(&g->raw, i, &vp)) {
			end = i + e->h->types.data[vp.type].size;
			if (g->done[i] || !g->raw.bytes[i])
				continue;
			buf_addf(e->out, "\tmuster_fill((char *)&%s + %zu, &(void *){", g->name, i);
			add_pointer_value(e, &vp);
			buf_adds(e->out, "}, sizeof(void *));\n");
			continue;
		}
		if (!(g->raw.bytes[i] & ~g->done[i]))
			continue;
		buf_addc(&bytes, g->raw.bytes[i] & ~g->done[i]);
		while (end < size && (g->raw.bytes[end] & ~g->done[end]) &&
		       !value_pointer_at(&g->raw, end, &vp)) {
			buf_addc(&bytes, g->raw.bytes[end] & ~g->done[end]);
			end++;
		}
		buf_addf(e->out, "\tmuster_xor((char *)&%s + %zu, ", g->name, i);
		text_string(e->out, (uint8_t *)bytes.data, bytes.size);
		buf_addf(e->out, ", %zu);\n", bytes.size);
		buf_release(&bytes);
	}
}

static void set_global(struct export *e, uint32_t number)
{
	const struct harness *h = e->h;
	const struct drive_root *root = &h->roots.data[number];
	const uint8_t *initial =
	    number < h->root_initial.size ? h->root_initial.data[number] : NULL;
	size_t size = h->types.data[root->type].size;
	uint8_t *bytes = mem_zalloc(3 * size + 1);
	struct global g = {.e = e,
			   .name = h->root_names.data[number],
			   .done = bytes + 2 * size,
			   .known = initial != NULL};

	value_load(&g.raw, &e->w, root->type, root->at, 1, NULL, bytes);
	value_load(&g.value, &e->w, root->type, root->at, 1, initial, bytes + size);
	if (!all_zero(bytes, size)) {
		if (!e->raw)
			value_leaves(&g.raw, g.name, 0, set_leaf, &g);
		set_rest(&g);
	}
	free(bytes);
}

/* ------------------------------------------------------- results, parameters */

static void add_variable(struct export *e, uint32_t type, uint32_t front, size_t at,
			 const char *name)
{
	struct piece p;
	char *address = mem_printf("(char *)&%s", name);
	const struct front_type *t = &e->h->front->types.data[front];

	piece_open(&p, e, type, at);
	buf_addc(e->out, '\t');
	if (t->kind == FRONT_ARRAY && is_pointer(e->h, type)) { /* a parameter */
		if (!export_type(e, t->to, e->out))
			buf_adds(e->out, "void");
		buf_addf(e->out, " *%s", name);
	} else {
		if (!export_type(e, front, e->out))
			buf_adds(e->out, "void *");
		buf_addf(e->out, "%s%s", vec_last(e->out) == '*' ? "" : " ", name);
	}
	if (has_initialiser(e, type)) {
		buf_adds(e->out, " = ");
		add_initialiser(e, &p);
		buf_adds(e->out, ";\n");
	} else {
		buf_adds(e->out, ";\n");
		buf_addf(e->out, "\tmemset((void *)&%s, 0, sizeof %s);\n", name, name);
	}
	add_rest(e, &p, address, 0);
	piece_release(&p);
	free(address);
}

static void add_results(struct export *e)
{
	for (uint32_t i = 0; i < DRIVE_RESULTS; i++) {
		size_t at = e->w.f->results + i * DRIVE_RESULT;

		if (walk_zero(&e->w, at, DRIVE_RESULT))
			continue;
		for (size_t k = 0; k < e->w.result_types.size; k++) {
			uint32_t type = e->w.result_types.data[k];
			char wish[32], *name;

			snprintf(wish, sizeof wish,
				 e->w.result_types.size > 1 ? "returned%u_%zu" : "returned%u",
				 i + 1, k + 1);
			name = export_name(e, wish);
			add_variable(e, type, e->h->type_front.data[type], at, name);
			buf_addf(e->out, "\tmuster_results[%u][%u] = &%s;\n", i,
				 export_column(e, type), name);
			free(name);
		}
	}
}

static void add_parameters(struct export *e)
{
	const struct front_function *fn = &e->h->front->functions.data[e->w.about->front];

	for (uint32_t i = 0; i < e->w.f->parameters; i++) {
		const struct drive_root *root = &e->h->roots.data[e->w.f->first_root + i];
		char unnamed[32];
		const char *wish = fn->parameters.data[i].name;

		snprintf(unnamed, sizeof unnamed, "argument%u", i + 1);
		e->parameters[i] = export_name(e, *wish ? wish : unnamed);
		add_variable(e, root->type, fn->parameters.data[i].type, root->at,
			     e->parameters[i]);
	}
}

void export_build(struct export *e)
{
	for (size_t i = 0; i < e->w.objects.size; i++)
		e->names[i] = object_name(e, &e->w.objects.data[i]);
	for (size_t i = 0; i < e->w.objects.size; i++)
		declare_object(e, &e->w.objects.data[i], e->names[i]);
	for (size_t i = 0; i < e->w.objects.size; i++)
		fill_object(e, &e->w.objects.data[i], e->names[i]);
	for (uint32_t i = 0; i < e->w.f->globals; i++)
		set_global(e, e->w.f->first_root + e->w.f->parameters + i);
	add_results(e);
	add_parameters(e);
}
