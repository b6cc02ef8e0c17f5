/* bind.c: the places of a summary as parts of an evaluation.
 *
 * A pointer of which P says that it is not null, and of which something that it leads to is named, is the address of an object of its own; one that P says is another place, or a number of bytes after it, is the address of that one's; one that is null
 * is 0; one of which P says that it is one of these is a choice of them; any other is a variable, of which nothing is known. The bytes of objects and globals that are places are the bytes of the places' variables, so P and Q stay as they are
 * but for pointers and bit-fields. P has to say that its objects lie apart.
 *
 * An object has as many elements as P guarantees: what an execution may do in the smallest it may do in all, since C code cannot read sizes, and the evaluation ends as undefined where it leaves
 * the object. If Q says that it is left, it has as many as P allows at most: what lies outside of that lies outside of all. Objects are aligned as their types want it. Where the length stands in conditions on other places, too, the size is a term; so it is where
 * the type has none (void, a type that the unit does not know).
 */
#include "validate/inside.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH_MOST 4096 /* elements that are tried for the least length that P allows */
#define APART_MOST 64 /* pointers of one statement that are looked at; with more, objects are not known to lie apart */
#define SIZE_MOST ((uint64_t)1 << 40) /* elements of an object whose length is a term: no machine has more */

static int fail(struct bind *b, const char *why)
{
	b->why = why;
	return -1;
}

/* ------------------------------------------------------------ what P names */

static void add_variables(struct bind *b, expr_t e)
{
	uint32_t count;
	const expr_t *vars = expr_vars(b->p, e, &count);
	for (uint32_t i = 0; i < count; i++) {
		size_t k = 0;
		while (k < b->variables.size && b->variables.data[k] != vars[i])
			k++;
		if (k == b->variables.size)
			vec_push(&b->variables, vars[i]);
	}
}

static int says(const struct bind *b, expr_t conjunct)
{
	for (size_t i = 0; i < b->s->pre.size; i++)
		if (b->s->pre.data[i] == conjunct)
			return 1;
	return 0;
}

struct zeroed {
	struct exprs *p;
	expr_t variable;
};
static expr_t zero_of(void *ctx, expr_t variable)
{
	struct zeroed *z = ctx;
	return variable == z->variable ? expr_const(z->p, expr_width(z->p, variable), 0) : EXPR_NONE;
}

/* A conjunct that says v == first + k. */
static int finds_alias(struct bind *b, expr_t v, expr_t first, uint64_t *k)
{
	struct zeroed z = {b->p, first};
	for (size_t i = 0; i < b->s->pre.size; i++) {
		uint32_t count;
		const expr_t *vars = expr_vars(b->p, b->s->pre.data[i], &count);
		if (count != 2 || expr_get(b->p, b->s->pre.data[i])->op != MUSTER_OP_EQ || !((vars[0] == v && vars[1] == first) || (vars[1] == v && vars[0] == first)))
			continue;
		struct expr_node n = *expr_get(b->p, expr_substitute(b->p, b->s->pre.data[i], zero_of, &z));
		u128 value;
		if (n.op == MUSTER_OP_EQ && n.a == v && expr_is_const(b->p, n.b, &value)) {
			*k = (uint64_t)value;
			return 1;
		}
	}
	return 0;
}

/* Is a place that the pointer leads to named? */
static int leads_on(const struct bind *b, const struct bind_pointer *x)
{
	for (size_t i = 0; i < b->variables.size; i++) {
		struct place pl;
		if (place_of(b->p, b->variables.data[i], &pl) && pl.path_size > x->place.path_size && pl.path[x->place.path_size] == '*' && !memcmp(pl.path, x->place.path, x->place.path_size))
			return 1;
	}
	for (size_t i = 0; i < b->s->pre.size; i++) { /* what lies apart is an object */
		expr_t args[APART_MOST], c = b->s->pre.data[i];
		int is = expr_get(b->p, c)->op == EXPR_OP_APPLY && !strcmp(expr_name(b->p, c), PLACE_APART);
		unsigned n = is ? expr_arguments(b->p, c, args, APART_MOST) : 0;
		for (unsigned k = 0; k < n && k < APART_MOST; k++)
			if (args[k] == x->variable)
				return 1;
	}
	return x->length != EXPR_NONE;
}

static void classify(struct bind *b)
{
	expr_t null = expr_const(b->p, 64, 0);
	for (size_t i = 0; i < b->pointers.size; i++) {
		struct bind_pointer *x = &b->pointers.data[i];
		expr_t is_null = expr_eq(b->p, x->variable, null);
		if (b->local && x->place.path_size > 1 && x->place.path[0] == '&' && x->place.path[1] == 'l') {
			x->is = BIND_HOME;
			continue;
		}
		x->is = says(b, is_null) ? BIND_NULL : says(b, expr_not(b->p, is_null)) && leads_on(b, x) ? BIND_OWN : BIND_FREE;
		if (x->place.path[0] == 'f')
			x->is = BIND_FREE;
	}
	for (size_t i = 0; i < b->pointers.size; i++) {
		struct bind_pointer *x = &b->pointers.data[i];
		for (uint32_t k = 0; k < b->pointers.size && x->is == BIND_FREE; k++)
			if ((b->pointers.data[k].is == BIND_OWN || b->pointers.data[k].is == BIND_HOME) && finds_alias(b, x->variable, b->pointers.data[k].variable, &x->offset)) {
				x->is = BIND_ALIAS;
				x->first = k;
			}
	}
}

/* v == 0, or v == first of an object: adds it to what v may be. */
static int add_choice(struct bind *b, struct bind_pointer *x, expr_t e)
{
	struct expr_node n = *expr_get(b->p, e);
	expr_t other = n.a == x->variable ? n.b : n.b == x->variable ? n.a : EXPR_NONE;
	u128 value;
	if (n.op != MUSTER_OP_EQ || other == EXPR_NONE || x->choice_count == BIND_CHOICES)
		return 0;
	if (expr_is_const(b->p, other, &value)) {
		x->choices[x->choice_count++] = CODE_NONE;
		return !value;
	}
	for (uint32_t i = 0; i < b->pointers.size; i++)
		if (b->pointers.data[i].is == BIND_OWN && b->pointers.data[i].variable == other) {
			x->choices[x->choice_count++] = i;
			return 1;
		}
	return 0;
}

/* A disjunction of such equations, which `yes` says is meant as it stands, and not its opposite. */
static int add_choices(struct bind *b, struct bind_pointer *x, expr_t e, int yes)
{
	struct expr_node n = *expr_get(b->p, e);
	if (n.op == MUSTER_OP_XOR && n.width == 1 && n.b == expr_true(b->p))
		return add_choices(b, x, n.a, !yes);
	if (n.width == 1 && n.op == (yes ? MUSTER_OP_OR : MUSTER_OP_AND))
		return add_choices(b, x, n.a, yes) && add_choices(b, x, n.b, yes);
	return yes && add_choice(b, x, e);
}

/* P leaves open which of a few addresses a pointer is: null, or those of objects. */
static void find_choices(struct bind *b)
{
	for (size_t i = 0; i < b->pointers.size; i++) {
		struct bind_pointer *x = &b->pointers.data[i];
		for (size_t k = 0; k < b->s->pre.size && x->is == BIND_FREE && x->place.path[0] != 'f'; k++) {
			x->choice_count = 0;
			if (add_choices(b, x, b->s->pre.data[k], 1) && x->choice_count)
				x->is = BIND_CHOICE;
		}
	}
}

/* Do all objects stand in one statement that they lie apart? */
static void find_apart(struct bind *b)
{
	expr_t args[APART_MOST];
	for (size_t i = 0; i < b->s->pre.size; i++) {
		expr_t c = b->s->pre.data[i];
		if (expr_get(b->p, c)->op != EXPR_OP_APPLY || strcmp(expr_name(b->p, c), PLACE_APART))
			continue;
		unsigned n = expr_arguments(b->p, c, args, APART_MOST), found = 0;
		for (unsigned k = 0; k < n && k < APART_MOST; k++)
			for (size_t j = 0; j < b->pointers.size; j++)
				found += b->pointers.data[j].is == BIND_OWN && b->pointers.data[j].variable == args[k];
		b->apart |= found == b->objects;
	}
}

/* ------------------------------------------------------------ sizes */

struct reading {
	expr_t length;
	uint64_t value;
};
static u128 length_value(void *ctx, expr_t v)
{
	const struct reading *r = ctx;
	return v == r->length ? r->value : 0;
}

static int has_variable(struct bind *b, expr_t e, expr_t v, uint32_t *count)
{
	const expr_t *vars = expr_vars(b->p, e, count);
	for (uint32_t i = 0; i < *count; i++)
		if (vars[i] == v)
			return 1;
	return 0;
}

/* The least length that P allows; 0: it stands beside other places. */
static uint64_t least_length(struct bind *b, expr_t length)
{
	uint32_t count;
	for (size_t i = 0; i < b->s->pre.size; i++)
		if (has_variable(b, b->s->pre.data[i], length, &count) && count > 1)
			return 0;
	for (uint64_t n = 1; n <= LENGTH_MOST; n++) {
		struct reading r = {length, n};
		int fits = 1;
		for (size_t i = 0; i < b->s->pre.size && fits; i++)
			if (has_variable(b, b->s->pre.data[i], length, &count))
				fits = expr_eval(b->p, b->s->pre.data[i], length_value, &r) != 0;
		if (fits)
			return n;
	}
	return 0;
}

/* The greatest one, the same. */
static uint64_t most_length(struct bind *b, expr_t length)
{
	uint32_t count;
	for (uint64_t n = LENGTH_MOST; n > 0; n--) {
		struct reading r = {length, n};
		int fits = 1;
		for (size_t i = 0; i < b->s->pre.size && fits; i++)
			if (has_variable(b, b->s->pre.data[i], length, &count))
				fits = count == 1 && expr_eval(b->p, b->s->pre.data[i], length_value, &r) != 0;
		if (fits)
			return n < LENGTH_MOST ? n : 0;
	}
	return 0;
}

/* ------------------------------------------------------------ alignment */

/* The type that the pointer points to; CODE_NONE. */
static uint32_t pointee(const struct code_function *f, const struct place *pl)
{
	uint32_t type = bind_type(f, pl);
	return type != CODE_NONE && f->code->types[type].kind == CODE_TYPE_POINTER ? f->code->types[type].base : CODE_NONE;
}

static void assume_aligned(struct bind *b, const struct bind_pointer *x)
{
	const struct code *c = b->old->code; /* what the types were that the summary speaks of */
	uint32_t type = pointee(b->old, &x->place);
	int known = type != CODE_NONE && c->types[type].bytes;
	uint64_t a = known || !x->place.size ? bind_alignment(c, type) : bind_alignment_of_size(c, x->place.size); /* the code casts it: the harness drives what it is cast to */
	unsigned low = 0;
	while (a >> low > 1)
		low++;
	if (low)
		vec_push(&b->pre, expr_eq(b->p, expr_extract(b->p, x->term, 0, low), expr_const(b->p, low, 0)));
}

/* ------------------------------------------------------------ objects */

static int ends_outside(const struct bind *b)
{
	struct place pl;
	return b->s->post.size == 1 && place_of(b->p, b->s->post.data[0], &pl) && pl.type == PLACE_FAILURE && !strcmp(pl.text, BIND_OUTSIDE);
}

static int make_object(struct bind *b, struct bind_pointer *x)
{
	struct buf name = BUF_EMPTY;
	uint64_t n = x->length != EXPR_NONE ? least_length(b, x->length) : 1;
	uint32_t type = pointee(b->f, &x->place);
	int known = type != CODE_NONE && b->f->code->types[type].bytes, layouts = known && b->f->code->types[type].bytes == x->place.size ? 1 : bind_same_layouts(b->old->code, b->f->code, x->place.size);
	if (!layouts || (known && layouts < 0))
		return fail(b, "what a pointer points to has another size");
	if (ends_outside(b)) /* what is outside of the largest is outside of all */
		n = x->length != EXPR_NONE ? most_length(b, x->length) : 0;
	buf_adds(&name, "*");
	buf_add(&name, x->place.path, x->place.path_size);
	if (!x->place.size && x->length == EXPR_NONE) /* void, or a type that the unit does not know: some bytes */
		n = 0;
	uint64_t element = x->place.size ? x->place.size : 1;
	if (n) {
		x->object = vc_object(b->vc, buf_str(&name), n * element);
	} else {
		expr_t length = x->length != EXPR_NONE ? x->length : vc_fresh(b->vc, 64, "length"), one = expr_const(b->p, 64, 1);
		x->object = vc_object_sized(b->vc, buf_str(&name), expr_binary(b->p, MUSTER_OP_MUL, length, expr_const(b->p, 64, element)));
		vec_push(&b->pre, expr_binary(b->p, MUSTER_OP_ULE, one, length));
		vec_push(&b->pre, expr_binary(b->p, MUSTER_OP_ULE, length, expr_const(b->p, 64, SIZE_MOST)));
		x->length = EXPR_NONE; /* what P says of it is kept */
	}
	buf_release(&name);
	x->offset = 0;
	x->term = vc_address(b->vc, x->object);
	assume_aligned(b, x);
	return 0;
}

/* The address of a local variable. */
static int take_home(struct bind *b, struct bind_pointer *x)
{
	x->object = local_home(b->local, b->vc, &x->place);
	if (x->object == VC_NO_OBJECT)
		return fail(b, "a local variable of the summary is not there");
	x->offset = 0;
	x->term = vc_address(b->vc, x->object);
	return 0;
}

/* One of its addresses, whichever. */
static expr_t choice_term(struct bind *b, const struct bind_pointer *x)
{
	expr_t which = vc_fresh(b->vc, 8, "choice"), term = EXPR_NONE;
	for (uint32_t i = 0; i < x->choice_count; i++) {
		expr_t now = x->choices[i] == CODE_NONE ? expr_const(b->p, 64, 0) : b->pointers.data[x->choices[i]].term;
		term = i ? expr_ite(b->p, expr_eq(b->p, which, expr_const(b->p, 8, i)), now, term) : now;
	}
	return term;
}

/* Is the function that the place is the address of there? One that is only declared may be weak. */
static int is_defined(const struct bind *b, const struct place *pl)
{
	const struct code *c = b->f->code;
	for (uint32_t i = 0; i < c->function_count; i++)
		if (strlen(c->functions[i].name) == pl->path_size - 1 && !memcmp(c->functions[i].name, pl->path + 1, pl->path_size - 1))
			return c->functions[i].defined;
	return 0;
}

static int make_objects(struct bind *b)
{
	for (size_t i = 0; i < b->pointers.size; i++)
		if ((b->pointers.data[i].is == BIND_OWN && make_object(b, &b->pointers.data[i])) || (b->pointers.data[i].is == BIND_HOME && take_home(b, &b->pointers.data[i])))
			return -1;
	for (size_t i = 0; i < b->pointers.size; i++) {
		struct bind_pointer *x = &b->pointers.data[i];
		if (x->is == BIND_ALIAS) {
			x->object = b->pointers.data[x->first].object;
			x->term = expr_binary(b->p, MUSTER_OP_ADD, b->pointers.data[x->first].term, expr_const(b->p, 64, x->offset));
		} else if (x->is == BIND_CHOICE) {
			x->term = choice_term(b, x);
		} else if (x->is != BIND_OWN && x->is != BIND_HOME) {
			x->term = x->is == BIND_NULL ? expr_const(b->p, 64, 0) : x->variable;
		}
		if (x->term != x->variable)
			map_set(&b->terms, x->variable, x->term);
		if (x->place.path[0] == 'f' && is_defined(b, &x->place)) /* a function's address */
			vec_push(&b->pre, expr_not(b->p, expr_eq(b->p, x->variable, expr_const(b->p, 64, 0))));
	}
	return 0;
}

/* ------------------------------------------------------------ paths */

static const struct bind_pointer *pointer_of(const struct bind *b, const char *path, size_t size)
{
	for (size_t i = 0; i < b->pointers.size; i++) {
		const struct bind_pointer *x = &b->pointers.data[i];
		if (x->place.path_size == size && !memcmp(x->place.path, path, size))
			return x;
	}
	return NULL;
}

/* OFFSET[.BIT:BITS] to the end of the path. */
static int parse_tail(const char *at, const char *end, struct bind_where *w)
{
	char *rest;
	w->offset += strtoull(at, &rest, 10);
	if (rest < end && *rest == '.') {
		w->bit = (unsigned)strtoul(rest + 1, &rest, 10);
		if (*rest != ':')
			return -1;
		w->bits = (unsigned)strtoul(rest + 1, &rest, 10);
	}
	return rest == end ? 0 : -1;
}

static int locate_global(struct bind *b, const char *at, const char *end, struct bind_where *w)
{
	const char *plus = memchr(at, '+', (size_t)(end - at));
	const struct code *code = b->f->code;
	size_t size = (size_t)((plus ? plus : end) - at);
	for (uint32_t g = 0; g < code->global_count; g++)
		if (strlen(code->globals[g].name) == size && !memcmp(code->globals[g].name, at, size)) {
			if (code->globals[g].constant)
				break;
			w->root = BIND_MEMORY;
			w->number = vc_global(b->vc, g);
			return plus ? parse_tail(plus + 1, end, w) : 0;
		}
	return fail(b, "a variable of the summary is not there");
}

static int locate_local(struct bind *b, const struct place *pl, struct bind_where *w)
{
	const char *end = pl->path + pl->path_size, *plus = memchr(pl->path, '+', pl->path_size), *why = local_locate(b->local, b->vc, pl, w);
	if (why || (plus && w->root == BIND_VALUE))
		return fail(b, why ? why : "a part of a local variable is a place");
	return plus ? parse_tail(plus + 1, end, w) : 0;
}

static int locate(struct bind *b, const struct place *pl, struct bind_where *w)
{
	const char *path = pl->path, *end = path + pl->path_size, *star = end;
	*w = (struct bind_where){0};
	while (star > path && *star != '*')
		star--;
	if (star > path) {
		const struct bind_pointer *x = pointer_of(b, path, (size_t)(star - path));
		if (!x || (x->is != BIND_OWN && x->is != BIND_ALIAS))
			return fail(b, "a place of the summary is behind a pointer that it does not fix");
		*w = (struct bind_where){.root = BIND_MEMORY, .number = x->object, .offset = x->offset};
		return parse_tail(star + 1, end, w);
	}
	if (*path == 'g')
		return locate_global(b, path + 1, end, w);
	if (*path == 'f' || (b->local && *path == '&' && path[1] == 'l')) {
		w->root = BIND_FUNCTION;
		return 0;
	}
	if (b->local && (*path == 'l' || *path == 's'))
		return locate_local(b, pl, w);
	if (*path != 'r' && (*path < '0' || *path > '9'))
		return fail(b, "a place of the summary is the address of a variable");
	const char *plus = memchr(path, '+', pl->path_size);
	w->root = *path == 'r' ? BIND_RESULT : BIND_PARAMETER;
	if (*path != 'r')
		w->number = (uint32_t)strtoul(path, NULL, 10);
	return plus ? parse_tail(plus + 1, end, w) : 0;
}

/* ------------------------------------------------------------ contents */

/* What the bits of a place are in bytes from its offset on. */
static expr_t part(struct bind *b, expr_t bytes, const struct bind_where *w, unsigned width)
{
	return expr_extract(b->p, bytes, w->bits ? w->bit : 0, width);
}

static unsigned bytes_of(const struct bind_where *w, unsigned width)
{
	return w->bits ? (w->bit + w->bits + 7) / 8 : (width + 7) / 8;
}

static expr_t offset_term(struct bind *b, uint64_t offset)
{
	return expr_const(b->p, 64, offset);
}

static int fits(struct bind *b, const struct bind_where *w, unsigned bytes)
{
	uint64_t size = vc_object_bytes(b->vc, w->number);
	return !size || w->offset + bytes <= size;
}

static int bind_memory(struct bind *b, expr_t v, const struct bind_where *w)
{
	unsigned width = expr_width(b->p, v), bytes = bytes_of(w, width);
	expr_t start = vc_object_start(b->vc, w->number);
	uint64_t known;
	if (!fits(b, w, bytes))
		return fail(b, "a place of the summary is outside of its object");
	if (w->bits) {
		map_set(&b->terms, v, part(b, expr_array_read(b->p, start, offset_term(b, w->offset), bytes * 8), w, width));
		return 0;
	}
	expr_t value = map_get(&b->terms, v, &known) ? (expr_t)known : v;
	value = expr_zext(b->p, value, bytes * 8); /* a bool */
	vc_object_set(b->vc, w->number, expr_array_write(b->p, start, offset_term(b, w->offset), value));
	return 0;
}

static int bind_parameter(struct bind *b, expr_t v, const struct bind_where *w)
{
	if (w->number >= b->f->parameters)
		return fail(b, "a parameter of the summary is not there");
	const struct code_value *c = &b->f->values[w->number];
	unsigned width = expr_width(b->p, v), whole = c->is_pointer ? 64 : c->width;
	uint64_t known;
	if (!whole) /* no term has it */
		return 0;
	if (!w->offset && !w->bits && width == whole) {
		b->args[w->number] = map_get(&b->terms, v, &known) ? (expr_t)known : v;
		return 0;
	}
	if (w->offset * 8 + w->bit + width > whole)
		return fail(b, "a parameter of the summary has another size");
	map_set(&b->terms, v, expr_extract(b->p, b->args[w->number], (unsigned)(w->offset * 8 + w->bit), width));
	return 0;
}

/* Bytes that two places share would be given twice. */
static int overlaps(struct bind *b, const struct bind_where *list, size_t count, const struct bind_where *w, unsigned bytes, const unsigned *sizes)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].root == w->root && list[i].number == w->number && !(list[i].bits && w->bits) && list[i].offset < w->offset + bytes && w->offset < list[i].offset + sizes[i])
			return fail(b, "two places of the summary overlap");
	return 0;
}

static int bind_places(struct bind *b)
{
	VEC(struct bind_where) list = {0};
	VEC(unsigned) sizes = {0};
	int e = 0;
	for (int fields = 0; fields < 2 && !e; fields++) /* bit-fields last: contents are complete then */
		for (size_t i = 0; i < b->variables.size && !e; i++) {
			struct bind_where w;
			struct place pl;
			expr_t v = b->variables.data[i];
			if (!place_of(b->p, v, &pl))
				e = fail(b, "the summary names something that is no place");
			else if (pl.type == PLACE_LENGTH || pl.type == PLACE_FAILURE || pl.after)
				continue;
			else if (!locate(b, &pl, &w) && !!w.bits == fields && w.root != BIND_FUNCTION) {
				unsigned bytes = bytes_of(&w, expr_width(b->p, v));
				const char *why = w.root == BIND_VALUE ? local_bind(b->local, b, v, &w) : NULL;
				if (why)
					fail(b, why);
				if (w.root == BIND_VALUE)
					continue;
				e = overlaps(b, list.data, list.size, &w, bytes, sizes.data) || (w.root == BIND_PARAMETER ? bind_parameter(b, v, &w) : w.root == BIND_MEMORY ? bind_memory(b, v, &w) : 0);
				vec_push(&list, w);
				vec_push(&sizes, bytes);
			}
			e = e || b->why ? -1 : 0;
		}
	vec_release(&list);
	vec_release(&sizes);
	return e;
}

int bind_is_unnamed(struct bind *b, uint32_t object, uint64_t offset, uint64_t bytes)
{
	for (size_t i = 0; i < b->variables.size; i++) {
		struct bind_where w;
		struct place pl;
		if (!place_of(b->p, b->variables.data[i], &pl))
			return 0;
		if (pl.after || pl.type == PLACE_LENGTH || pl.type == PLACE_FAILURE)
			continue;
		if (locate(b, &pl, &w))
			return 0;
		if (w.root == BIND_MEMORY && w.number == object && w.offset < offset + bytes && offset < w.offset + bytes_of(&w, expr_width(b->p, b->variables.data[i])))
			return 0;
	}
	return 1;
}

/* ------------------------------------------------------------ P */

static expr_t replaced(void *ctx, expr_t variable)
{
	uint64_t known;
	return map_get(&((struct bind *)ctx)->terms, variable, &known) ? (expr_t)known : EXPR_NONE;
}

/* Does the conjunct speak of the length of an object whose size was chosen? */
static int is_settled(struct bind *b, expr_t e)
{
	uint32_t count;
	for (size_t i = 0; i < b->pointers.size; i++)
		if (b->pointers.data[i].is == BIND_OWN && b->pointers.data[i].length != EXPR_NONE && has_variable(b, e, b->pointers.data[i].length, &count))
			return 1;
	return 0;
}

/* Pointers to objects that lie apart differ. */
static void assume_apart(struct bind *b, expr_t e)
{
	expr_t args[APART_MOST];
	unsigned n = expr_arguments(b->p, e, args, APART_MOST);
	for (unsigned i = 0; i < n && i < APART_MOST && !strcmp(expr_name(b->p, e), PLACE_APART); i++)
		for (unsigned k = 0; k < i; k++)
			vec_push(&b->pre, expr_not(b->p, expr_eq(b->p, expr_substitute(b->p, args[i], replaced, b), expr_substitute(b->p, args[k], replaced, b))));
}

static void assume(struct bind *b)
{
	for (size_t i = 0; i < b->s->pre.size; i++) {
		expr_t e = b->s->pre.data[i];
		if (expr_get(b->p, e)->op == EXPR_OP_APPLY)
			assume_apart(b, e);
		if (expr_get(b->p, e)->op == EXPR_OP_APPLY || is_settled(b, e))
			continue;
		vec_push(&b->pre, expr_substitute(b->p, e, replaced, b));
	}
}

static void find_pointers(struct bind *b)
{
	for (size_t i = 0; i < b->variables.size; i++) {
		struct place pl;
		if (!place_of(b->p, b->variables.data[i], &pl) || pl.after || pl.type != PLACE_POINTER)
			continue;
		vec_push(&b->pointers, ((struct bind_pointer){.variable = b->variables.data[i], .place = pl}));
	}
	for (size_t i = 0; i < b->variables.size; i++) {
		struct place pl;
		if (!place_of(b->p, b->variables.data[i], &pl) || pl.type != PLACE_LENGTH)
			continue;
		for (size_t k = 0; k < b->pointers.size; k++)
			if (b->pointers.data[k].place.path_size == pl.path_size && !memcmp(b->pointers.data[k].place.path, pl.path, pl.path_size))
				b->pointers.data[k].length = b->variables.data[i];
	}
	classify(b);
	find_choices(b);
	for (size_t i = 0; i < b->pointers.size; i++)
		b->objects += b->pointers.data[i].is == BIND_OWN;
	find_apart(b);
}

static void make_arguments(struct bind *b)
{
	b->args = mem_zalloc((b->f->parameters + 1) * sizeof *b->args);
	for (uint32_t i = 0; i < b->f->parameters; i++) {
		const struct code_value *c = &b->f->values[i];
		unsigned width = c->is_pointer ? 64 : c->width <= 128 ? c->width : 0;
		if (width)
			b->args[i] = vc_fresh(b->vc, width, "argument");
	}
}

int bind_open(struct bind *b, struct vc *vc, struct exprs *p, const struct code_function *f, const struct code_function *old, const struct summary *s, struct local *local, const expr_t *more, size_t count)
{
	*b = (struct bind){.p = p, .vc = vc, .f = f, .old = old, .s = s, .local = local};
	for (size_t i = 0; i < s->pre.size; i++)
		add_variables(b, s->pre.data[i]);
	for (size_t i = 0; i < s->post.size; i++)
		add_variables(b, s->post.data[i]);
	for (size_t i = 0; i < count; i++)
		add_variables(b, more[i]);
	for (uint32_t i = 0; i < f->parameters; i++)
		if (f->values[i].flags & CODE_BYVAL)
			return fail(b, "a structure is passed by value");
	find_pointers(b);
	if (b->objects > 1 && !b->apart)
		return fail(b, "objects of the summary may overlap");
	make_arguments(b);
	if (local)
		local_open(local, vc);
	if (local && local->known && b->objects)
		return fail(b, "an object of the summary may be a local variable");
	if (make_objects(b) || bind_places(b))
		return -1;
	if (local)
		local_fill(local, b);
	assume(b);
	return 0;
}

void bind_release(struct bind *b)
{
	vec_release(&b->variables);
	vec_release(&b->pointers);
	vec_release(&b->pre);
	vec_release(&b->after);
	map_release(&b->terms);
	free(b->args);
}

/* ------------------------------------------------------------ Q */

struct afterwards {
	struct bind *b;
	const struct vc_outcome *out;
};

static expr_t result_part(struct bind *b, const struct vc_outcome *out, const struct bind_where *w, unsigned width)
{
	unsigned low = (unsigned)w->offset * 8 + w->bit;
	if (out->value == EXPR_NONE || low + width > expr_width(b->p, out->value)) {
		fail(b, "the result is not modelled");
		return EXPR_NONE;
	}
	return expr_extract(b->p, out->value, low, width);
}

static expr_t left(void *ctx, expr_t variable)
{
	struct afterwards *a = ctx;
	struct bind *b = a->b;
	struct bind_where w;
	struct place pl;
	unsigned width = expr_width(b->p, variable);
	if (!place_of(b->p, variable, &pl) || !pl.after)
		return replaced(b, variable);
	if (b->landing && *pl.path == 'c') {
		uint32_t k = local_variable(b->landing->g, pl.path + 1, pl.path + pl.path_size);
		expr_t e = k == CODE_NONE ? EXPR_NONE : b->landed->values[k];
		if (e == EXPR_NONE || expr_width(b->p, e) != width)
			fail(b, "what a variable holds where it ends is not modelled");
		return b->why ? EXPR_NONE : e;
	}
	if (locate(b, &pl, &w))
		return EXPR_NONE;
	if (w.root == BIND_RESULT)
		return result_part(b, a->out, &w, width);
	if (w.root == BIND_VALUE) {
		expr_t e = local_after(b->local, b, &w, width);
		if (e == EXPR_NONE)
			fail(b, "what a local variable holds at the end is not modelled");
		return e;
	}
	if (w.root != BIND_MEMORY || !fits(b, &w, bytes_of(&w, width))) {
		fail(b, "a place of the postcondition is not there");
		return EXPR_NONE;
	}
	vec_push(&b->after, w);
	vec_last(&b->after).bits = w.bits ? w.bits : (width + 7) / 8 * 8;
	return part(b, vc_read(b->vc, a->out->memory, w.number, offset_term(b, w.offset), bytes_of(&w, width) * 8), &w, width);
}

expr_t bind_post(struct bind *b, const struct vc_outcome *out, expr_t conjunct)
{
	struct afterwards a = {b, out};
	if (expr_get(b->p, conjunct)->op == EXPR_OP_APPLY) {
		fail(b, "memory is freed");
		return EXPR_NONE;
	}
	expr_t e = expr_substitute(b->p, conjunct, left, &a);
	return b->why ? EXPR_NONE : e;
}

/* The bits of a byte that Q names. */
static unsigned named_bits(const struct bind *b, uint32_t object, uint64_t at)
{
	unsigned mask = 0;
	for (size_t i = 0; i < b->after.size; i++) {
		const struct bind_where *w = &b->after.data[i];
		for (unsigned k = 0; k < w->bits && w->number == object; k++)
			if (w->offset + (w->bit + k) / 8 == at)
				mask |= 1u << (w->bit + k) % 8;
	}
	return mask;
}

static expr_t same_byte(struct bind *b, expr_t x, expr_t y, unsigned named)
{
	expr_t all = expr_true(b->p);
	if (x == y || named == 255)
		return all;
	if (!named)
		return expr_eq(b->p, x, y);
	for (unsigned k = 0; k < 8; k++)
		if (!(named >> k & 1))
			all = expr_and(b->p, all, expr_eq(b->p, expr_extract(b->p, x, k, 1), expr_extract(b->p, y, k, 1)));
	return all;
}

static expr_t same_array(struct bind *b, uint32_t object, expr_t x, expr_t y)
{
	expr_t at = vc_fresh(b->vc, 64, "offset"), all = expr_eq(b->p, expr_array_select(b->p, x, at), expr_array_select(b->p, y, at));
	for (size_t i = 0; i < b->after.size; i++) {
		const struct bind_where *w = &b->after.data[i];
		if (w->number != object)
			continue;
		for (unsigned k = 0; k < (w->bit + w->bits + 7) / 8; k++) {
			expr_t here = expr_const(b->p, 64, w->offset + k);
			expr_t same = same_byte(b, expr_array_select(b->p, x, here), expr_array_select(b->p, y, here), named_bits(b, object, w->offset + k));
			all = expr_ite(b->p, expr_eq(b->p, at, here), same, all);
		}
	}
	return all;
}

int bind_is_apart(const struct bind *b, uint32_t global)
{
	return !b->objects || b->apart || !b->f->code->globals[global].escapes;
}

int bind_check_apart(struct bind *b)
{
	for (uint32_t i = 0; i < vc_objects(b->vc); i++) {
		uint32_t g = vc_object_global(b->vc, i);
		if (g != CODE_NONE && !b->f->code->globals[g].constant && !bind_is_apart(b, g))
			return fail(b, "an object of the summary may be a variable that the function uses");
	}
	return 0;
}

expr_t bind_frame(struct bind *b, const struct vc_outcome *out)
{
	expr_t all = bind_check_apart(b) ? EXPR_NONE : b->local ? local_frame(b->local, b) : expr_true(b->p);
	for (uint32_t i = 0; all != EXPR_NONE && i < vc_objects(b->vc); i++) {
		if (!vc_object_lasts(b->vc, i) || i + 1 == b->calls || (b->local && local_is_over(b->local, i)))
			continue;
		expr_t x = vc_object_start(b->vc, i), y = vc_contents(b->vc, out->memory, i);
		if (x == y)
			continue;
		if (expr_get(b->p, x)->op != MUSTER_OP_DATA || expr_get(b->p, y)->op != MUSTER_OP_DATA) {
			all = expr_and(b->p, all, same_array(b, i, x, y));
			continue;
		}
		for (uint64_t k = 0; k < expr_data_count(b->p, x); k++)
			all = expr_and(b->p, all, same_byte(b, expr_data_byte(b->p, x, k), expr_data_byte(b->p, y, k), named_bits(b, i, k)));
	}
	return all;
}
