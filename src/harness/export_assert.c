/* export_assert.c: an observation as assertions.
 *
 * The observation is read along the same table as the input (muster/drive.h). Every scalar that has
 * a name is asserted: numbers by value, floats by their bits, pointers if they are null, a
 * function, or an object of the test; runs of plain numbers by one comparison. Padding has no name
 * and is not asserted, nor is what differed between two runs, nor pointers to elsewhere.
 */
#include "harness/export.h"

#include "harness/text.h"

#include <string.h>

struct assertion {
	struct export *e;
	struct value_image im;
	const uint8_t *again; /* the same bytes of the second observation, or NULL */
	int result; /* it is the function's result: a copy, of which a union's idle bytes mean
		       nothing */
};

static int same(const struct assertion *a, size_t off, size_t n)
{
	return !a->again || !memcmp(a->im.bytes + off, a->again + off, n);
}

static void assert_pointer(struct assertion *a, const char *path, const struct value_pointer *vp)
{
	struct buf *out = a->e->out;

	if (!vp->known)
		return;
	if (vp->to.to == WALK_NULL)
		buf_addf(out, "\tassert_true(%s == NULL);\n", path);
	else if (vp->to.to == WALK_TARGET)
		buf_addf(out, "\tassert_true((void *)%s == (void *)%s);\n", path,
			 a->e->h->targets.data[vp->to.target]);
	else if (vp->to.object == WALK_NONE)
		return;
	else if (vp->to.element)
		buf_addf(out, "\tassert_true((void *)%s == (void *)&%s[%u]);\n", path,
			 a->e->names[vp->to.object], vp->to.element);
	else
		buf_addf(out, "\tassert_true((void *)%s == (void *)%s);\n", path,
			 a->e->names[vp->to.object]);
}

static void assert_bytes(struct assertion *a, const char *path, size_t off, size_t n)
{
	buf_addf(a->e->out, "\tassert_memory_equal((const void *)&%s, ", path);
	text_string(a->e->out, a->im.bytes + off, n);
	buf_addf(a->e->out, ", %zu);\n", n);
}

static int has_pointer(const struct assertion *a, size_t off, size_t n)
{
	struct value_pointer vp;

	for (size_t i = 0; i < n; i++)
		if (value_pointer_at(&a->im, off + i, &vp))
			return 1;
	return 0;
}

static void assert_number(struct assertion *a, const struct value_leaf *leaf)
{
	struct value_printer v = {.form = VALUE_SOURCE, .out = a->e->out};

	buf_addf(a->e->out, "\tassert_int_equal(%s, ", leaf->path);
	value_print_leaf(&v, &a->im, leaf);
	buf_adds(a->e->out, ");\n");
	buf_release(&v.path);
}

/* By its bits; the pattern of a NaN cannot be written as a number. */
static void assert_float(struct assertion *a, const struct value_leaf *leaf,
			 const struct front_type *t)
{
	struct buf value = {0}, type = {0};

	if (text_float(&value, a->im.bytes + leaf->off, t->size, 0) == 1 &&
	    export_type(a->e, leaf->front, &type))
		buf_addf(a->e->out, "\tassert_memory_equal((const void *)&%s, (&(%s){%s}), %zu);\n",
			 leaf->path, buf_str(&type), buf_str(&value),
			 t->size == 16 ? 10 : (size_t)t->size);
	else
		assert_bytes(a, leaf->path, leaf->off, t->size == 16 ? 10 : t->size);
	buf_release(&value);
	buf_release(&type);
}

/* An array of numbers as one comparison with an initialiser, if that says every byte. */
static void assert_array(struct assertion *a, const struct value_leaf *leaf)
{
	struct buf value = {0};
	uint8_t *built = mem_zalloc(leaf->off + leaf->size);
	struct value_printer v = {.form = VALUE_SOURCE, .out = &value, .built = built};

	value_print_leaf(&v, &a->im, leaf);
	if (memcmp(built + leaf->off, a->im.bytes + leaf->off, leaf->size)) {
		assert_bytes(a, leaf->path, leaf->off, leaf->size);
	} else {
		buf_addf(a->e->out, "\tassert_memory_equal((const void *)&%s, (&(", leaf->path);
		if (!export_type(a->e, leaf->front, a->e->out))
			buf_addf(a->e->out, "__typeof__(%s)", leaf->path);
		buf_addf(a->e->out, ")%s), sizeof %s);\n", buf_str(&value), leaf->path);
	}
	buf_release(&value);
	buf_release(&v.path);
	free(built);
}

static void assert_leaf(void *ctx, const struct value_leaf *leaf)
{
	struct assertion *a = ctx;
	const struct front_type *t = &a->e->h->front->types.data[leaf->front];
	struct value_pointer vp;

	if (leaf->bits) {
		const uint8_t *again = a->again ? a->again + leaf->off : NULL;
		if (!again || value_bits(a->im.bytes + leaf->off, leaf->bits, 0) ==
				  value_bits(again, leaf->bits, 0))
			assert_number(a, leaf);
		return;
	}
	if (!same(a, leaf->off, leaf->size))
		return;
	if (value_pointer_at(&a->im, leaf->off, &vp)) {
		if (leaf->size == 8 && t->kind != FRONT_UNION && t->kind != FRONT_STRUCT)
			assert_pointer(a, leaf->path, &vp);
		return;
	}
	if (t->kind == FRONT_UNION || t->kind == FRONT_OTHER || t->kind == FRONT_VOID ||
	    t->kind == FRONT_POINTER) {
		if (!a->result && !has_pointer(a, leaf->off, leaf->size))
			assert_bytes(a, leaf->path, leaf->off, leaf->size);
	} else if (t->kind == FRONT_BOOL && a->im.bytes[leaf->off] > 1) {
		return; /* no value of the type */
	} else if (t->kind == FRONT_ARRAY && a->e->h->front->types.data[t->to].kind != FRONT_CHAR) {
		assert_array(a, leaf);
	} else if (t->kind == FRONT_FLOAT) {
		assert_float(a, leaf, t);
	} else if (t->kind == FRONT_ARRAY || leaf->size > 8) {
		assert_bytes(a, leaf->path, leaf->off, leaf->size);
	} else {
		assert_number(a, leaf);
	}
}

static void assert_image(struct export *e, uint32_t type, const char *path, const uint8_t *bytes,
			 const uint8_t *again, int result)
{
	struct assertion a = {.e = e, .again = again, .result = result};
	const struct front_type *t =
	    value_front(e->h, e->h->type_front.data[type], e->h->types.data[type].size);

	a.im = (struct value_image){&e->w, type, bytes, 0, 0, 1};
	if (e->raw && t && (t->kind == FRONT_STRUCT || t->kind == FRONT_UNION))
		return; /* without names, members cannot be told from padding */
	value_leaves(&a.im, path, 1, assert_leaf, &a);
}

/* ------------------------------------------------------------------ objects */

/* Numbers and characters side by side. */
static int is_plain(const struct export *e, const struct walk_object *o)
{
	const struct front_type *t = &e->h->front->types.data[e->h->type_front.data[o->type]];

	if (e->h->types.data[o->type].kind != DRIVE_BYTES)
		return 0;
	return o->string || t->kind == FRONT_CHAR || t->kind == FRONT_INT ||
	       t->kind == FRONT_VOID || (t->kind == FRONT_FLOAT && t->size < 16);
}

static void assert_plain(struct export *e, const struct walk_object *o, const char *name,
			 const uint8_t *bytes, uint32_t n)
{
	struct value_image im = {&e->w, o->type, NULL, 0, 0, 1};
	struct value_printer v = {.form = VALUE_SOURCE, .out = e->out};
	const struct front_type *t = value_front(e->h, e->h->type_front.data[o->type], o->size);

	buf_addf(e->out, "\tassert_memory_equal(%s, ", name);
	if (o->size == 1 || !t || t->kind == FRONT_FLOAT || e->raw) {
		/* The literal's own 0 is the last byte. */
		text_string(e->out, bytes,
			    (size_t)n * o->size - (o->size == 1 && n && !bytes[n - 1]));
	} else {
		buf_adds(e->out, "((");
		export_type(e, e->h->type_front.data[o->type], e->out);
		buf_addf(e->out, "[%u]){", n);
		for (uint32_t i = 0; i < n; i++) {
			buf_adds(e->out, i ? ", " : "");
			im.bytes = bytes + (size_t)i * o->size;
			value_print_image(&v, &im);
		}
		buf_adds(e->out, "})");
	}
	buf_addf(e->out, ", %u * sizeof *%s);\n", n, name);
	buf_release(&v.path);
}

static void assert_object(struct export *e, uint32_t index, const uint8_t *bytes,
			  const uint8_t *again, uint32_t elements)
{
	const struct walk_object *o = &e->w.objects.data[index];
	const char *name = e->names[index];
	size_t size = (size_t)elements * o->size;

	if (elements != o->elements + o->string)
		return; /* what was observed is not what the test makes */
	if (elements > 1 && is_plain(e, o) && (!again || !memcmp(bytes, again, size))) {
		assert_plain(e, o, name, bytes, elements);
		return;
	}
	for (uint32_t i = 0; i < elements; i++) {
		struct buf path = {0};
		const struct front_type *t =
		    &e->h->front->types.data[e->h->type_front.data[o->type]];

		if (elements == 1 && t->kind == FRONT_STRUCT)
			buf_addf(&path, "%s->", name);
		else
			buf_addf(&path, "%s[%u]", name, i);
		assert_image(e, o->type, buf_str(&path), bytes + (size_t)i * o->size,
			     again ? again + (size_t)i * o->size : NULL, 0);
		buf_release(&path);
	}
}

/* -------------------------------------------------------------- observation */

/* n bytes of the observation, NULL if it has no more. */
static const uint8_t *take(const struct harness_case *c, size_t *at, size_t n)
{
	const uint8_t *p = (const uint8_t *)c->observation + *at;

	if (n > c->observation_size - *at)
		return NULL;
	*at += n;
	return p;
}

static const uint8_t *again_of(const struct harness_case *c, const uint8_t *p)
{
	return c->again ? (const uint8_t *)c->again + (p - (const uint8_t *)c->observation) : NULL;
}

static void assert_objects(struct export *e, size_t at)
{
	const struct harness_case *c = e->c;
	const uint8_t *p;

	while ((p = take(c, &at, sizeof(struct drive_seen))) != NULL) {
		struct drive_seen seen;
		uint32_t index, size;

		memcpy(&seen, p, sizeof seen);
		if (c->again && memcmp(&seen, again_of(c, p), sizeof seen))
			return; /* another layout from here on */
		if (seen.pool >= e->w.f->pools || !seen.number || seen.number > DRIVE_OBJECTS)
			return;
		index = e->w.index.data[seen.pool * DRIVE_OBJECTS + seen.number - 1];
		size = e->h->types
			   .data[e->h->types
				     .data[e->h->pools.data[e->w.f->first_pool + seen.pool].pointer]
				     .a]
			   .size;
		if (seen.freed)
			continue;
		p = take(c, &at, (size_t)seen.elements * size);
		if (!p)
			return;
		if (index)
			assert_object(e, index - 1, p, again_of(c, p), seen.elements);
	}
}

void export_assert(struct export *e)
{
	const struct harness_case *c = e->c;
	const struct drive_function *f = e->w.f;
	size_t at = 0;
	const uint8_t *p;

	if (f->result_size) {
		p = take(c, &at, f->result_size);
		if (!p)
			return;
		assert_image(e, f->result_type, e->result, p, again_of(c, p), 1);
	}
	for (uint32_t i = 0; i < f->globals; i++) {
		uint32_t number = f->first_root + f->parameters + i;
		uint32_t type = e->h->roots.data[number].type;

		p = take(c, &at, e->h->types.data[type].size);
		if (!p)
			return;
		assert_image(e, type, e->h->root_names.data[number], p, again_of(c, p), 0);
	}
	assert_objects(e, at);
}
