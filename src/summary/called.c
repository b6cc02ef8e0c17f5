/* called.c: a must summary from one activation of a traced run.
 *
 * Leaves are taken in their order: parameters, then memory as it was read. A pointer that was followed gives a name to the object that it points to, if that has none: the object is then a *region*, as a
 * variable is. Every byte that was read or written is a byte of a region, and with it of a scalar of the region's type. P says of each pointer that was followed that it is not null, or which other pointer
 * or variable it is, and that the objects are apart; this fixes where every access goes. Other parts of an address leave an event of their own: they are fixed, or the read is one of a table.
 *
 * Always by making P stronger, never weaker: bounds are about the size that the object had (`len(p) >= n`), or exactly that size where one was broken. What cannot be said over places is replaced by what it
 * was, and the summary is partial.
 *
 * At the end the run itself must satisfy P and Q, by the values that were seen: else nothing is made of it.
 */
#include "summary/called_inside.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ACCESSES MUSTER_FEW_PARTS /* bytes and conditions of one summary: what is larger is nothing for people, and costs too much */

void called_missing(struct called_maker *m, const char *words)
{
	if (!strstr(buf_str(&m->why), words))
		buf_addf(&m->why, "%s%s", m->why.size ? "; " : "", words);
}

/* ---------------------------------------------------------------- places */

void called_note_value(struct called_maker *m, expr_t v, uint64_t bits, unsigned shift)
{
	uint64_t old = 0;

	map_get(&m->values, v, &old);
	map_set(&m->values, v, old | bits << shift);
}

void called_note_spot(struct called_maker *m, expr_t variable, enum place_type type, uint64_t address, uint32_t number, uint64_t bytes)
{
	size_t i = 0;

	while (i < m->spots.size && m->spots.data[i].variable != variable)
		i++;
	if (i == m->spots.size && (type == PLACE_UNSIGNED || type == PLACE_SIGNED) && bytes <= 8)
		vec_push(&m->spots, ((struct called_spot){variable, address, number, (uint32_t)bytes}));
}

/* The scalar that byte `at` of a region is in, and its variable. */
static expr_t place_at(struct called_maker *m, const struct called_region *g, int64_t at, int after, struct typed_scalar *s)
{
	struct buf path = BUF_EMPTY, text = BUF_EMPTY;
	int64_t element = (int64_t)g->element, j = !element ? 0 : at >= 0 ? at / element : -((-at + element - 1) / element);
	enum typed_kind kind = typed_form(&m->types, g->type).kind;
	const char *open = *g->text == '*' || *g->text == '(' || *g->text == '&' ? "(" : "", *close = *open ? ")" : "";

	if (!element)
		buf_adds(&text, g->text);
	else if (!j && kind == TYPED_STRUCT)
		buf_addf(&text, "%s%s%s->", open, g->text, close);
	else if (!j && kind != TYPED_CHAR)
		buf_addf(&text, kind == TYPED_ARRAY ? "(*%s%s%s)" : "*%s%s%s", open, g->text, close);
	else
		buf_addf(&text, "%s%s%s[%lld]", open, g->text, close, (long long)j);
	if (!typed_at(&m->types, g->type, (uint64_t)(at - j * element), &text, s)) {
		*s = (struct typed_scalar){.type = PLACE_UNSIGNED, .width = 8, .off = (uint64_t)(at - j * element), .bytes = 1, .of = TYPED_NONE};
		buf_clear(&text);
		buf_addf(&text, element ? "((unsigned char *)%s)[%lld]" : "((unsigned char *)&%s)[%lld]", g->text, (long long)at);
	}
	int64_t start = j * element + (int64_t)s->off;
	s->off = (uint64_t)start;
	buf_adds(&path, g->path);
	if (element)
		buf_addf(&path, "*%lld", (long long)start);
	else if (start)
		buf_addf(&path, "+%lld", (long long)start);
	expr_t v = place_variable(m->p, s->width, s->type, s->size, after, buf_str(&path), buf_str(&text));
	buf_release(&path);
	buf_release(&text);
	return v;
}

static const char *path_of(struct called_maker *m, expr_t v, const char **text)
{
	struct place pl;

	place_of(m->p, v, &pl);
	*text = arena_strdup(&m->arena, pl.text);
	return arena_strndup(&m->arena, pl.path, pl.path_size);
}

static expr_t byte_of(struct called_maker *m, expr_t v, const struct typed_scalar *s, int64_t at)
{
	return s->width == 1 ? expr_zext(m->p, v, 8) : expr_extract(m->p, v, (unsigned)(at - (int64_t)s->off) * 8, 8);
}

static void accessed(struct called_region *g, int64_t at, int64_t n)
{
	g->low = at < g->low ? at : g->low;
	g->high = at + n > g->high ? at + n : g->high;
}

/* n bytes of a region at entry, which had this value. */
static expr_t read_bytes(struct called_maker *m, uint32_t region, int64_t at, unsigned n, uint64_t value, struct typed_scalar *s)
{
	struct called_region g = m->regions.data[region];
	expr_t e = EXPR_NONE, v = place_at(m, &g, at, 0, s);

	accessed(&m->regions.data[region], at, n);
	if ((int64_t)s->off == at && s->bytes == n && s->width == 8 * n) {
		called_note_value(m, v, value, 0);
		called_note_spot(m, v, s->type, g.base + (uint64_t)at, 0, n);
		return v;
	}
	struct typed_scalar first = *s;
	for (unsigned i = 0; i < n; i++) {
		struct typed_scalar now;
		v = place_at(m, &g, at + i, 0, &now);
		called_note_value(m, v, now.width == 1 ? value >> (8 * i) & 1 : value >> (8 * i) & 255, now.width == 1 ? 0 : (unsigned)(at + i - (int64_t)now.off) * 8);
		called_note_spot(m, v, now.type, g.base + now.off, 0, now.bytes);
		expr_t byte = byte_of(m, v, &now, at + i);
		e = e == EXPR_NONE ? byte : expr_concat(m->p, byte, e);
	}
	*s = first;
	return e;
}

/* --------------------------------------------------------------- regions */

static uint32_t type_of_global(const struct called_maker *m, const char *name)
{
	const struct code *c = m->types.code;
	uint64_t i;

	if (m->f->front)
		return strmap_get(&m->f->front->global_numbers, name, &i) ? m->f->front->globals.data[i].type : TYPED_NONE;
	for (uint32_t k = 0; c && k < c->global_count; k++)
		if (!strcmp(c->globals[k].name, name))
			return typed_from_code(c->globals[k].type);
	return TYPED_NONE;
}

/* The region of a variable; CALLED_NO_REGION: the object is none, or none that C code of this unit can name. */
static uint32_t variable_region(struct called_maker *m, uint32_t object)
{
	const struct activation_object *o = &m->r->a->objects.data[object];
	size_t n = 0;
	const char *symbol = activation_object_name(m->r->t, o, &n);
	struct buf path = BUF_EMPTY, text = BUF_EMPTY;

	if (!symbol || !n || memchr(symbol, '.', n) || (o->is_static && o->unit != m->a->unit)) {
		if (symbol && !o->constant)
			called_missing(m, "a variable without a name in this unit has an influence");
		return CALLED_NO_REGION;
	}
	char *name = arena_strndup(&m->arena, symbol, n);
	buf_addf(&path, "&g%s", name);
	buf_addf(&text, "&%s", name);
	struct called_region r = {.path = arena_strdup(&m->arena, buf_str(&path) + 1), .text = name, .type = type_of_global(m, name), .base = o->base, .room = o->size,
			   .address = place_variable(m->p, 64, PLACE_POINTER, o->size, 0, buf_str(&path), buf_str(&text))};
	called_note_value(m, r.address, o->base, 0);
	buf_release(&path);
	buf_release(&text);
	vec_push(&m->regions, r);
	return (uint32_t)m->regions.size - 1;
}

static uint32_t region_of(struct called_maker *m, uint32_t object)
{
	uint64_t at;

	if (object == ACTIVATION_NONE)
		return CALLED_NO_REGION;
	if (map_get(&m->of_object, object, &at))
		return at ? (uint32_t)at - 1 : CALLED_NO_REGION;
	if (!m->r->a->objects.data[object].name)
		return CALLED_NO_REGION;
	uint32_t made = variable_region(m, object);
	if (made == CALLED_NO_REGION && m->r->a->objects.data[object].constant)
		return CALLED_NO_REGION; /* a literal: a pointer may give it a name */
	map_set(&m->of_object, object, made == CALLED_NO_REGION ? 0 : made + 1);
	m->globals |= made != CALLED_NO_REGION;
	return made;
}

/* The region that an address of an object lies in. */
static uint32_t region_at(struct called_maker *m, uint32_t object, uint64_t address)
{
	uint32_t home = called_home(m, address);

	return home != CALLED_NO_REGION ? home : region_of(m, object);
}

/* The address as a term; EXPR_NONE: it is not known. */
static expr_t address_term(struct called_maker *m, uint64_t address)
{
	uint32_t home = address ? called_home(m, address) : CALLED_NO_REGION;

	if (!address)
		return expr_const(m->p, 64, 0);
	if (home != CALLED_NO_REGION)
		return expr_binary(m->p, MUSTER_OP_ADD, m->regions.data[home].address, expr_const(m->p, 64, address - m->regions.data[home].base));
	for (uint32_t i = 0; i < m->r->a->objects.size; i++) {
		const struct activation_object *o = &m->r->a->objects.data[i];
		if (!o->known || address < o->base || address > o->base + o->size || o->event > m->a->end)
			continue;
		uint32_t region = region_of(m, i);
		if (region != CALLED_NO_REGION)
			return expr_binary(m->p, MUSTER_OP_ADD, m->regions.data[region].address, expr_const(m->p, 64, address - m->regions.data[region].base));
	}
	return EXPR_NONE;
}

/* ---------------------------------------------------------------- leaves */

void called_follow(struct called_maker *m, const struct activation_input *in, expr_t pointer, uint32_t target)
{
	struct exprs *p = m->p;
	struct typed_form form = typed_form(&m->types, target);
	uint32_t region;

	if (!in->value)
		return; /* that it is null is a condition of the path */
	region = called_home(m, in->value);
	if (in->points_to == ACTIVATION_NONE && region == CALLED_NO_REGION) {
		called_missing(m, "a pointer leads to something that is no known object");
		return;
	}
	map_set(&m->followed, pointer, form.size ? form.align : 1);
	if (region == CALLED_NO_REGION)
		region = region_of(m, in->points_to);
	if (region == CALLED_NO_REGION) {
		const char *text, *path = path_of(m, pointer, &text);
		vec_push(&m->regions, ((struct called_region){.path = path, .text = text, .type = form.size ? target : TYPED_NONE, .element = form.size ? form.size : 1,
						       .address = pointer, .base = in->value, .room = m->r->a->objects.data[in->points_to].size - in->points_at}));
		map_set(&m->of_object, in->points_to, m->regions.size);
		vec_push(&m->pre, expr_not(p, expr_eq(p, pointer, expr_const(p, 64, 0))));
		return;
	}
	const struct called_region *g = &m->regions.data[region];
	if (g->address != pointer)
		vec_push(&m->pre, expr_eq(p, pointer, expr_binary(p, MUSTER_OP_ADD, g->address, expr_const(p, 64, in->value - g->base))));
}

/* Its name and type by debug info, where the source is not at hand. */
static uint32_t code_parameter(const struct called_maker *m, uint32_t parameter, struct buf *text)
{
	const struct code_function *f = m->f->code;

	for (uint32_t k = 0; f && k < f->variable_count; k++)
		if (f->variables[k].parameter == parameter) {
			buf_adds(text, f->variables[k].name);
			return typed_from_code(f->variables[k].type);
		}
	return TYPED_NONE;
}

static void take_parameter(struct called_maker *m, const struct activation_input *in)
{
	const struct front_function *f = m->f->f;
	struct typed_scalar s;
	struct buf text = BUF_EMPTY, path = BUF_EMPTY;
	uint32_t type = TYPED_NONE;
	int array = 0;

	buf_addf(&path, "%u", in->parameter);
	if (!f)
		type = code_parameter(m, in->parameter, &text);
	if (f && in->parameter < f->parameters.size) {
		const struct front_parameter *q = &f->parameters.data[in->parameter];
		type = q->type;
		array = typed_form(&m->types, type).kind == TYPED_ARRAY;
		buf_adds(&text, q->name);
	}
	if (!text.size)
		buf_addf(&text, "parameter%u", in->parameter);
	uint32_t target = typed_target(&m->types, type);
	if (array)
		s = (struct typed_scalar){.type = PLACE_POINTER, .width = 64, .size = typed_form(&m->types, target).size, .of = type};
	else if (!typed_at(&m->types, type, 0, &text, &s))
		s = (struct typed_scalar){.type = in->followed ? PLACE_POINTER : PLACE_UNSIGNED, .width = in->width, .of = TYPED_NONE};
	if (s.width != in->width && type != TYPED_NONE) {
		called_missing(m, "a parameter is passed in another form");
		s.width = in->width;
	}
	expr_t v = place_variable(m->p, s.width, s.type, s.size, 0, buf_str(&path), buf_str(&text));
	called_note_value(m, v, in->value, 0);
	if (!in->part)
		called_note_spot(m, v, s.type, 0, in->parameter, 8);
	map_set(&m->leaves, in->leaf, v);
	if (in->followed && s.type == PLACE_POINTER)
		called_follow(m, in, v, target);
	else if (in->followed)
		called_missing(m, "a number is used as an address");
	buf_release(&path);
	buf_release(&text);
}

/* Literals may lie in each other: the region of one that has the address. */
static uint32_t literal_region(const struct called_maker *m, uint64_t address)
{
	for (uint32_t i = 0; i < m->regions.size; i++)
		if (m->regions.data[i].element && address - m->regions.data[i].base < m->regions.data[i].room)
			return i;
	return CALLED_NO_REGION;
}

static void take_memory(struct called_maker *m, const struct activation_input *in)
{
	uint32_t region = region_at(m, in->object, in->address);
	const struct activation_object *o = &m->r->a->objects.data[in->object];

	if (region == CALLED_NO_REGION && o->constant)
		region = literal_region(m, in->address);
	struct typed_scalar s;
	u128 v;
	if (region == CALLED_NO_REGION) {
		int part_of_program = o->constant && expr_is_const(m->p, in->place, &v);
		if (!part_of_program)
			map_set(&m->nameless, in->leaf, o->known ? 1 : 2);
		map_set(&m->leaves, in->leaf, expr_const(m->p, in->width, in->value));
		if (in->followed && !part_of_program)
			called_term(m, in->leaf);
		return;
	}
	expr_t e = read_bytes(m, region, (int64_t)(in->address - m->regions.data[region].base), in->width / 8, in->value, &s);
	map_set(&m->leaves, in->leaf, e);
	if (!in->followed)
		return;
	if (s.type == PLACE_POINTER && place_of(m->p, e, &(struct place){0}))
		called_follow(m, in, e, typed_target(&m->types, s.of));
	else
		called_missing(m, "a number is used as an address");
}

static expr_t leaf_term(void *ctx, expr_t v)
{
	struct called_maker *m = ctx;
	const struct expr_node n = *expr_get(m->p, v);
	uint64_t e;

	if (map_get(&m->nameless, v, &e))
		called_missing(m, e == 1 ? "memory that no pointer leads to has an influence" : "memory of the C library has an influence");
	if (map_get(&m->leaves, v, &e))
		return (expr_t)e;
	m->input |= n.op == MUSTER_OP_INPUT || n.op == MUSTER_OP_LENGTH;
	if (n.op == MUSTER_OP_INPUT)
		return expr_const(m->p, 8, n.a == 0 && n.k < m->r->size ? ((const uint8_t *)m->r->data)[n.k] : 0);
	if (n.op == MUSTER_OP_LENGTH)
		return expr_const(m->p, expr_width(m->p, v), m->r->size);
	return EXPR_NONE;
}

expr_t called_term(struct called_maker *m, expr_t e)
{
	return expr_substitute(m->p, e, leaf_term, m);
}

/* -------------------------------------------------------------------- P */

/* pointer == address of a variable: as a term. */
static expr_t name_address(struct called_maker *m, expr_t e)
{
	struct expr_node n = *expr_get(m->p, e);
	int negate = n.op == MUSTER_OP_XOR && n.width == 1 && expr_is_const(m->p, n.b, NULL);
	u128 v;

	if (negate)
		n = *expr_get(m->p, n.a);
	if (n.op != MUSTER_OP_EQ || !expr_is_const(m->p, n.b, &v) || called_has_address(m, n.a))
		return EXPR_NONE;
	expr_t address = address_term(m, (uint64_t)v);
	if (address == EXPR_NONE)
		return EXPR_NONE;
	expr_t made = expr_eq(m->p, n.a, address);
	return negate ? expr_not(m->p, made) : made;
}

/* A number in such a condition may be the address of something that is no object: of a function. */
static int has_pointer(struct called_maker *m, expr_t e)
{
	uint32_t count;
	const expr_t *vars = expr_vars(m->p, e, &count);
	struct place pl;

	for (uint32_t i = 0; i < count; i++)
		if (place_of(m->p, vars[i], &pl) && pl.type == PLACE_POINTER)
			return 1;
	return 0;
}

static void add_conjunct(struct called_maker *m, const struct activation_step *s, expr_t e)
{
	const struct expr_node n = *expr_get(m->p, e);
	u128 v;

	if (n.op == MUSTER_OP_AND && n.width == 1) {
		add_conjunct(m, s, n.a);
		add_conjunct(m, s, n.b);
		return;
	}
	if (expr_is_const(m->p, e, &v) || called_is_layout(m, s, e))
		return;
	if (called_has_address(m, e)) {
		expr_t named = name_address(m, e);
		if (named != EXPR_NONE)
			e = named;
		else
			m->addresses = 1; /* the others may imply it */
	}
	if ((s->kind == MUSTER_EV_CONCRETE && s->reason == MUSTER_REASON_TARGET) || has_pointer(m, e))
		m->addresses = 1; /* perhaps that of a function */
	vec_push(&m->pre, e);
}

/* A pointer was followed that its caller has made from the input: where it points is fixed there, in the caller's terms. The activation's own say so of the leaf (called_follow). */
static int is_callers(const struct called_maker *m, const struct activation_step *s)
{
	struct site site;
	uint32_t count;
	const expr_t *vars = expr_vars(m->p, s->term, &count);

	for (uint32_t i = 0; i < count; i++)
		if (expr_get(m->p, vars[i])->op == EXPR_OP_NAMED)
			return 0;
	if (s->kind == MUSTER_EV_CONCRETE)
		return s->reason == MUSTER_REASON_ADDRESS || s->reason == MUSTER_REASON_STORE;
	return s->kind == MUSTER_EV_GIVEN || (s->kind == MUSTER_EV_BRANCH && site_find(m->r->sites, s->unit, s->index, &site) && !site.outcomes);
}

static void add_condition(struct called_maker *m, const struct activation_step *s)
{
	if (s->kind == MUSTER_EV_BOUND)
		m->bounds = 1;
	else if (s->outer && is_callers(m, s))
		return;
	else if (s->outer)
		called_missing(m, "it reads input of the program");
	add_conjunct(m, s, expr_substitute(m->p, s->holds, leaf_term, m));
}

static void make_pre(struct called_maker *m)
{
	for (size_t i = 0; i < m->a->inputs.size; i++) {
		const struct activation_input *in = &m->a->inputs.data[i];
		if (in->kind == ACTIVATION_PARAMETER && m->a->is_segment && m->a->start != m->a->index)
			called_take_value(m, in);
		else if (in->kind == ACTIVATION_PARAMETER)
			take_parameter(m, in);
		else if (in->event <= m->r->broken)
			take_memory(m, in);
	}
	if (m->a->is_segment)
		called_take_held(m);
	for (size_t i = 0; i < m->a->steps.size; i++)
		if (m->a->steps.data[i].event <= m->r->broken && m->a->steps.data[i].event <= m->stop)
			add_condition(m, &m->a->steps.data[i]);
}

/* When all accesses are known: how large the objects are, and that they are apart. */
static void add_sizes(struct called_maker *m)
{
	struct exprs *p = m->p;
	VEC(expr_t) apart = {0};

	for (size_t i = 0; i < m->regions.size; i++) {
		const struct called_region *g = &m->regions.data[i];
		uint64_t need = g->element ? ((uint64_t)(g->high > 0 ? g->high : 0) + g->element - 1) / g->element : 0, all = g->element ? g->room / g->element : 0;

		if (!g->element)
			continue;
		vec_push(&apart, g->address);
		if (g->low < 0)
			called_missing(m, "a pointer points into its object");
		if (m->bounds && all > need)
			need = all;
		expr_t length = place_variable(p, 64, PLACE_LENGTH, 0, 0, g->path, g->text);
		called_note_value(m, length, all, 0);
		if (m->fails && all && (m->bounds || !strcmp(m->r->failure, "crash"))) /* a crash may be an access that no condition is about: how large the objects are decides */
			vec_push(&m->pre, expr_eq(p, length, expr_const(p, 64, all)));
		else if (need > 1)
			vec_push(&m->pre, expr_binary(p, MUSTER_OP_ULE, expr_const(p, 64, need), length));
	}
	if (apart.size > 1 || (apart.size && m->globals))
		vec_push(&m->pre, expr_apply(p, PLACE_APART, 1, apart.data, (unsigned)apart.size));
	vec_release(&apart);
}

/* -------------------------------------------------------------------- Q */

struct written {
	uint32_t region;
	int64_t at;
	uint32_t write; /* in the list */
	unsigned byte;
};

static int by_place(const void *x, const void *y)
{
	const struct written *a = x, *b = y;

	return a->region != b->region ? (a->region < b->region ? -1 : 1) : a->at < b->at ? -1 : a->at > b->at;
}

/* Made inside, so that nothing outside sees it unless a pointer to it is left somewhere. */
static int is_own(const struct called_maker *m, const struct activation_object *o)
{
	return o->known && o->born != ACTIVATION_NONE && o->event > m->a->begin && o->event < m->a->end;
}

void called_leave(struct called_maker *m, const struct typed_scalar *s, expr_t after, expr_t before, expr_t term, uint64_t value)
{
	u128 v;

	if (s->type == PLACE_POINTER && expr_is_const(m->p, term, &v)) {
		term = address_term(m, (uint64_t)v);
		if (term == EXPR_NONE) {
			called_missing(m, "it leaves a pointer to something that has no name at entry");
			return;
		}
	} else if (called_has_address(m, term)) {
		called_missing(m, SUMMARY_LEAVES_ADDRESS);
		return;
	}
	if (term == before)
		return;
	called_note_value(m, after, value, 0);
	vec_push(&m->post, expr_eq(m->p, after, term));
}

/* One scalar of which bytes were written, from list[i] on; returns how many. */
static size_t leave_scalar(struct called_maker *m, const struct written *list, size_t count)
{
	struct called_region g = m->regions.data[list[0].region];
	struct typed_scalar s;
	expr_t before = place_at(m, &g, list[0].at, 0, &s), after = place_at(m, &g, list[0].at, 1, &s), term = EXPR_NONE;
	uint64_t value = 0, old = 0;
	size_t used = 0;
	const struct activation_write *first = &m->a->writes.data[list[0].write];

	map_get(&m->values, before, &old);
	if (s.width >= 8 && list[0].byte == 0 && first->width == s.width && list[0].at == (int64_t)s.off) {
		called_leave(m, &s, after, before, expr_substitute(m->p, first->value, leaf_term, m), first->value_low);
		return s.bytes;
	}
	for (uint64_t i = 0; i < s.bytes; i++) {
		int64_t at = (int64_t)s.off + (int64_t)i;
		expr_t byte = byte_of(m, before, &s, at);
		uint64_t bits = old >> (8 * i) & 255;

		if (used < count && list[used].region == list[0].region && list[used].at == at) {
			const struct activation_write *w = &m->a->writes.data[list[used].write];
			unsigned k = list[used].byte;
			byte = expr_extract(m->p, expr_substitute(m->p, w->value, leaf_term, m), 8 * k, 8);
			bits = (k < 8 ? w->value_low >> (8 * k) : w->value_high >> (8 * (k - 8))) & 255;
			used++;
		}
		term = term == EXPR_NONE ? byte : expr_concat(m->p, byte, term);
		value |= bits << (8 * i);
	}
	if (s.width == 1)
		term = expr_extract(m->p, term, 0, 1), value &= 1;
	called_leave(m, &s, after, before, term, value);
	return used;
}

static void leave_memory(struct called_maker *m)
{
	VEC(struct written) all = {0};

	for (uint32_t i = 0; i < m->a->writes.size; i++) {
		const struct activation_write *w = &m->a->writes.data[i];
		uint32_t region = region_at(m, w->object, w->address);

		if (!m->across && m->a->is_segment && m->a->cut == MUSTER_CUT_RETURN && called_is_home(m, w->address))
			continue; /* the function is over, and with it its variables */
		if (region == CALLED_NO_REGION) {
			if (!is_own(m, &m->r->a->objects.data[w->object]))
				called_missing(m, "it writes bytes without a name");
			continue;
		}
		struct called_region *g = &m->regions.data[region];
		accessed(g, (int64_t)(w->address - g->base), w->width / 8);
		for (unsigned k = 0; k < w->width / 8 && !m->across; k++) /* what was written when the other function began is not known one by one */
			vec_push(&all, ((struct written){region, (int64_t)(w->address - g->base) + k, i, k}));
	}
	if (all.size > 1)
		qsort(all.data, all.size, sizeof *all.data, by_place);
	for (size_t i = 0; i < all.size;)
		i += leave_scalar(m, all.data + i, all.size - i);
	vec_release(&all);
}

static void leave_result(struct called_maker *m)
{
	const struct front_function *f = m->f->f;
	struct buf text = BUF_EMPTY;
	struct typed_scalar s = {.type = PLACE_UNSIGNED, .of = TYPED_NONE};
	int segment = m->a->is_segment;
	size_t parts = segment ? m->a->lives.size : m->a->results.size;

	if (!parts)
		return;
	expr_t first = segment ? m->a->lives.data[0].value : m->a->results.data[0];
	if (parts > 1 || first == EXPR_NONE) {
		called_missing(m, parts > 1 ? "a structure is returned" : "its result is floating point");
		return;
	}
	expr_t term = called_term(m, first);
	unsigned width = expr_width(m->p, term);
	buf_adds(&text, "result");
	if (!f || !typed_at(&m->types, f->result, 0, &text, &s))
		s = (struct typed_scalar){.type = !m->f->code || m->f->code->result_unsigned ? PLACE_UNSIGNED : m->f->code->result_width == width ? PLACE_SIGNED : width == 64 ? PLACE_POINTER : PLACE_UNSIGNED,
					  .width = width, .of = TYPED_NONE};
	if (s.width != width) {
		called_missing(m, "its result is returned in another form");
	} else {
		expr_t after = place_variable(m->p, width, s.type, s.size, 1, "r", buf_str(&text));
		uint32_t label = segment ? m->a->lives.data[0].label : m->r->t->events[m->r->calls->list.data[m->a->call].first_result].label;
		called_leave(m, &s, after, EXPR_NONE, term, (uint64_t)trace_value(m->r->t, label));
	}
	buf_release(&text);
}

/* ------------------------------------------------------------ the run itself */

static u128 run_value(void *ctx, expr_t v)
{
	const struct called_maker *m = ctx;
	uint64_t value = 0;

	map_get(&m->values, v, &value);
	return value;
}

static int holds(struct called_maker *m)
{
	return summary_all_hold(m->p, m->pre.data, m->pre.size, run_value, m) && summary_all_hold(m->p, m->post.data, m->post.size, run_value, m);
}

/* ---------------------------------------------------------------- the whole */

static void find_marks(struct called_maker *m)
{
	uint32_t marks = m->a->marks;

	if (m->fails)
		marks &= ~(ACTIVATION_MARK(ENDED) | ACTIVATION_MARKED(UNRECORDED));
	for (unsigned b = 0; b < ACTIVATION_MARK_BITS; b++)
		if (marks >> b & 1)
			called_missing(m, activation_mark_words(b));
	if (m->a->outer_numbers)
		called_missing(m, CALLED_ADDRESS);
	if (m->f->f && m->f->f->has_static_locals)
		called_missing(m, "a static local variable may have an influence");
}

/* Names of all functions that ran inside. */
static void add_functions(struct called_maker *m, struct summary *s)
{
	const struct calls *c = m->r->calls;

	vec_push(&s->functions, s->function);
	for (size_t i = m->a->call + 1; i < c->list.size && c->list.data[i].begin < m->a->end && c->list.data[i].begin <= m->stop; i++) {
		struct site_function f;
		size_t k = 0;

		if (c->list.data[i].begin < m->a->begin) /* before this segment */
			continue;
		if (!site_find_function(m->r->sites, c->list.data[i].unit, c->list.data[i].index, &f))
			continue;
		const char *name = strncmp(f.name, "__wrap_", 7) ? f.name : f.name + 7;
		while (k < s->functions.size && strcmp(s->functions.data[k], name))
			k++;
		if (k == s->functions.size)
			vec_push(&s->functions, arena_strdup(&m->l->arena, name));
	}
}

static void copy_terms(struct called_maker *m, struct summary *s)
{
	struct expr_import memo = {0};

	for (size_t i = 0; i < m->pre.size; i++)
		vec_push(&s->pre, expr_import(m->l->pool, m->p, m->pre.data[i], &memo));
	for (size_t i = 0; i < m->post.size; i++)
		vec_push(&s->post, expr_import(m->l->pool, m->p, m->post.data[i], &memo));
	expr_import_release(&memo);
}

int called_fill(struct called_maker *m, const char **reason)
{
	if (m->across && (m->a->end == CALLS_OPEN || m->r->broken <= m->stop)) {
		*reason = "the run did not come to its end";
		return 0;
	}
	m->fails = !m->across && m->r->broken != UINT64_MAX && m->a->begin < m->r->broken && m->r->broken < m->a->end;
	if (m->a->marks & ACTIVATION_MARK(TRUNCATED) || (!m->fails && m->a->end == CALLS_OPEN) || m->a->begin > m->r->broken) {
		*reason = "the run did not come to its end";
		return 0;
	}
	if (m->a->marks & ACTIVATION_MARKED(LARGE) || m->a->inputs.size + m->a->steps.size + m->a->writes.size > MOST_ACCESSES) {
		*reason = "it reads, tests and writes too much";
		return 0;
	}
	find_marks(m);
	make_pre(m);
	if (m->fails) {
		expr_t f = place_variable(m->p, 1, PLACE_FAILURE, 0, 1, "", m->r->failure);
		called_note_value(m, f, 1, 0);
		vec_push(&m->post, f);
	} else {
		m->input = 0; /* of conditions add_condition says it */
		if (m->across)
			called_leave_across(m);
		else if (m->a->is_segment && m->a->cut != MUSTER_CUT_RETURN)
			called_leave_values(m);
		else
			leave_result(m);
		leave_memory(m);
		if (m->input) /* what it leaves was returned by a function without a body, for one: it is from no place */
			called_missing(m, "it reads input of the program");
	}
	add_sizes(m);
	if (!holds(m)) {
		*reason = "what was made of it does not hold for the run itself";
		return 0;
	}
	return 1;
}

void called_open(struct called_maker *m, struct summaries *l, const struct called_run *r, const struct called_function *f, uint32_t number)
{
	*m = (struct called_maker){.l = l, .p = r->pool, .r = r, .f = f, .a = &r->a->list.data[number], .number = number, .stop = UINT64_MAX, .types = {f->front, f->code ? f->code->code : NULL}};
}

void called_close(struct called_maker *m)
{
	vec_release(&m->regions);
	vec_release(&m->spots);
	vec_release(&m->pre);
	vec_release(&m->post);
	map_release(&m->of_object);
	map_release(&m->leaves);
	map_release(&m->followed);
	map_release(&m->values);
	map_release(&m->before);
	map_release(&m->nameless);
	arena_release(&m->arena);
	buf_release(&m->why);
}

int called_finish(struct called_maker *m, struct summary *s, const char **reason)
{
	copy_terms(m, s);
	s->addresses = m->addresses;
	s->why = m->why.size ? arena_strdup(&m->l->arena, buf_str(&m->why)) : NULL;
	add_functions(m, s);
	if (!summary_normalise(m->l, s)) {
		*reason = "what was made of it contradicts itself";
		return 0;
	}
	if (!summary_fits(s)) {
		*reason = SUMMARY_TOO_LONG;
		return 0;
	}
	return 1;
}

int summary_called(struct summaries *l, const struct called_run *r, const struct called_function *f, uint32_t number, const char **reason)
{
	struct called_maker m;
	struct summary s = {.function = arena_strdup(&l->arena, f->name), .lp = {.symbol = "", .ordinal = SUMMARY_ENTRY}, .lq = {.symbol = "", .ordinal = SUMMARY_EXIT},
			    .line = f->line, .end_line = f->end_line, .paths = 1};
	called_open(&m, l, r, f, number);
	int ok = called_fill(&m, reason);

	if (ok) {
		if (m.a->is_segment)
			called_locate(&m, &s);
		if (m.fails)
			s.end_line = r->failure_line;
		ok = called_finish(&m, &s, reason);
	}
	if (ok)
		vec_push(&l->all, s);
	else
		summary_release(&s);
	called_close(&m);
	return ok;
}
