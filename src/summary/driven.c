/* driven.c: a must summary from one traced run of a driven function.
 *
 * Bytes of the input become places by substitution (places.c). Three kinds of bytes are no values of the entry state and are settled first, always by making P stronger, never weaker:
 *
 * *Choices of pointers.* A pointer whose choice influences a condition or Q is fixed to what it was in this run: null, the same as another place, or an object of its own. P says so by
 * facts about the pointers, which are all that C code can see of it, addresses as numbers apart (these leave an event, and make the summary partial).
 *
 * *Headers*, the number of elements. C code cannot read it; it stands in bounds only. If what the bounds say of it is `at least n`, P says len(p) >= n; if `at most n`, that; a bound
 * with an index that is no constant keeps the length as a variable, up to the limit of the driver. In all other conditions a string's bytes do not depend on the header: its
 * bytes are what the place holds, the 0 at the end too. So there the header is replaced by its largest value, which takes the driver's choice `i < n ? byte : 0` away.
 *
 * *Results of functions without a body*, padding: no places. They are replaced by what they were, and the summary is partial.
 *
 * At the end the run itself must satisfy P and Q, by the values that memory had: else nothing is made of it.
 */
#include "summary/driven.h"

#include "base/mem.h"
#include "muster/abi.h"
#include "summary/rebuild.h"

#include <stdlib.h>
#include <string.h>

#define REBUILD_DEPTH 12 /* of terms in which lengths are looked for */

#define NEAR (1u << 20) /* bytes from an object: numbers that are so near are addresses */

struct maker {
	struct summaries *l;
	struct exprs *p;
	const struct driven_run *r;
	struct places st;
	struct summary s;
	struct map used;     /* offsets of the input that conditions or Q depend on */
	struct map pointers; /* labels that are whole pointers before the call */
	struct map values;   /* variable to value in this run (low 64 bits) */
	int keep_headers;    /* for substitute(): headers of strings stay */
	int mixed;	     /* a length stands beside other variables */
	struct buf why;
};

static void missing(struct maker *m, const char *words)
{
	if (!strstr(buf_str(&m->why), words))
		buf_addf(&m->why, "%s%s", m->why.size ? "; " : "", words);
}

static void also(expr_t **data, size_t *size, size_t *cap, expr_t e)
{
	VEC(expr_t) v = {*data, *size, *cap};
	vec_push(&v, e);
	*data = v.data, *size = v.size, *cap = v.cap;
}
#define add_to(list, e) also(&(list)->data, &(list)->size, &(list)->cap, e)

static const struct driven_memory *memory_of(const struct driven_run *r, unsigned after, unsigned what, uint32_t number)
{
	for (size_t i = 0; i < r->memory_count; i++)
		if (r->memory[i].after == after && r->memory[i].what == what && r->memory[i].number == number)
			return &r->memory[i];
	return NULL;
}

static const struct driven_memory *memory_of_leaf(const struct maker *m, unsigned after, const struct places_leaf *l)
{
	uint32_t parameters = m->st.walk.f->parameters;

	if (l->object != WALK_NONE)
		return memory_of(m->r, after, MUSTER_MEMORY_OBJECT, m->st.objects.data[l->object].memory);
	return l->root < parameters ? memory_of(m->r, after, MUSTER_MEMORY_PARAMETER, l->root) : memory_of(m->r, after, MUSTER_MEMORY_GLOBAL, l->root - parameters);
}

/* ----------------------------------------------------------- what is used */

/* The label whose eight bytes stand at i, or 0. */
static uint32_t whole_label(const struct driven_memory *d, size_t i)
{
	uint32_t label;

	if (!d->cells || i + 8 > d->size || !(label = MUSTER_CELL_LABEL(d->cells[i])))
		return 0;
	for (unsigned k = 0; k < 8; k++)
		if (d->cells[i + k] != MUSTER_CELL(label, k))
			return 0;
	return label;
}

static int is_same(const struct driven_memory *a, const struct driven_memory *b, size_t i)
{
	uint32_t x = a->cells ? a->cells[i] : 0, y = b->cells ? b->cells[i] : 0;

	return x == y && (x || a->bytes[i] == b->bytes[i]);
}

static void use(struct maker *m, expr_t e)
{
	uint32_t count;
	const expr_t *vars = expr_vars(m->p, e, &count);

	for (uint32_t i = 0; i < count; i++)
		if (expr_get(m->p, vars[i])->op == MUSTER_OP_INPUT)
			map_set(&m->used, expr_get(m->p, vars[i])->k, 1);
}

/* Conditions, and what is new after the call; a pointer that was only copied is not looked at. */
static void find_used(struct maker *m)
{
	const struct driven_run *r = m->r;

	for (size_t i = 0; i < r->memory_count; i++)
		for (size_t k = 0; k + 8 <= r->memory[i].size && !r->memory[i].after; k++)
			if (whole_label(&r->memory[i], k))
				map_set(&m->pointers, whole_label(&r->memory[i], k), 1);
	for (size_t i = 0; i < r->condition_count; i++)
		use(m, r->conditions[i].e);
	for (size_t i = 0; i < r->memory_count; i++) {
		const struct driven_memory *d = &r->memory[i], *before = memory_of(r, 0, d->what, d->number);

		for (size_t k = 0; k < d->size && d->after; k++) {
			uint32_t label = whole_label(d, k);
			if (label && map_get(&m->pointers, label, NULL))
				k += 7;
			else if (!before || before->size != d->size || !is_same(before, d, k))
				use(m, d->terms[k]);
		}
	}
}

static int is_used(void *ctx, const struct places_leaf *l)
{
	const struct maker *m = ctx;

	return map_get(&m->used, l->at, NULL) || map_get(&m->used, l->at + 1, NULL);
}

/* ---------------------------------------------------------- substitution */

static const struct places_object *header_of(const struct maker *m, uint64_t at)
{
	for (size_t i = 0; i < m->st.objects.size; i++)
		if (m->st.objects.data[i].header == at)
			return &m->st.objects.data[i];
	return NULL;
}

/* A byte that is part of a pointer that P has fixed. */
static int in_pointer(const struct maker *m, uint64_t at)
{
	for (size_t i = 0; i < m->st.leaves.size; i++) {
		const struct places_leaf *l = &m->st.leaves.data[i];
		if (l->type == PLACE_POINTER && at >= l->at && at < l->at + 8)
			return 1;
	}
	return 0;
}

static expr_t last_element(struct maker *m, const struct places_object *o)
{
	return expr_binary(m->p, MUSTER_OP_ADD, o->length, expr_const(m->p, 64, (u128)(uint64_t)((int64_t)o->element - 1)));
}

/* The low bits of the last element, made wider, are the last element: the object has at most `limit`. */
static expr_t whole_length(void *ctx, expr_t e)
{
	struct maker *m = ctx;
	const struct expr_node n = *expr_get(m->p, e);

	if (n.op != MUSTER_OP_ZEXT || n.width > 64 || expr_get(m->p, n.a)->op != MUSTER_OP_EXTRACT)
		return EXPR_NONE;
	const struct expr_node x = *expr_get(m->p, n.a);
	for (size_t i = 0; i < m->st.objects.size; i++) {
		const struct places_object *o = &m->st.objects.data[i];
		expr_t last = last_element(m, o);

		if (o->limit > 1 && n.a == expr_extract(m->p, last, 0, x.width) && o->limit <= 1u << x.width)
			return expr_binary(m->p, MUSTER_OP_ADD, expr_extract(m->p, o->length, 0, n.width),
					   expr_const(m->p, n.width, (u128)(uint64_t)((int64_t)o->element - 1) & (((u128)1 << n.width) - 1)));
	}
	return EXPR_NONE;
}

static expr_t place_byte(void *ctx, expr_t v)
{
	struct maker *m = ctx;
	const struct expr_node n = *expr_get(m->p, v);
	const struct places_object *o;
	uint64_t known;

	if (n.op == EXPR_OP_NAMED)
		return EXPR_NONE;
	if (n.op != MUSTER_OP_INPUT) {
		missing(m, "the length of the input has an influence");
		return expr_const(m->p, expr_width(m->p, v), 0);
	}
	if (map_get(&m->st.bytes, n.k, &known))
		return (expr_t)known;
	o = header_of(m, n.k);
	if (o && o->string && !m->keep_headers)
		return expr_const(m->p, 8, o->limit - 1);
	if (o) { /* elements - 1, counted from the object's start; add_limits says that it is below limit */
		m->mixed = 1;
		return expr_extract(m->p, last_element(m, o), 0, 8);
	}
	if (!in_pointer(m, n.k)) {
		uint32_t results = m->st.walk.f->results;
		int stub = n.k >= results && n.k < results + DRIVE_RESULTS * DRIVE_RESULT;
		missing(m, stub ? "the result of a function without a body has an influence" : "bytes without a name have an influence");
	}
	return expr_const(m->p, 8, walk_byte(&m->st.walk, n.k));
}

/* What is left of padding is replaced, too. */
static expr_t padding_byte(void *ctx, expr_t v)
{
	struct maker *m = ctx;
	const char *name = expr_get(m->p, v)->op == EXPR_OP_NAMED ? expr_name(m->p, v) : "";

	if (strncmp(name, "padding", 7))
		return EXPR_NONE;
	missing(m, "padding has an influence");
	return expr_const(m->p, 8, walk_byte(&m->st.walk, strtoull(name + 7, NULL, 10)));
}

static expr_t over_places(struct maker *m, expr_t e)
{
	e = expr_substitute(m->p, expr_substitute(m->p, e, place_byte, m), padding_byte, m);
	return m->mixed ? summary_rebuild(m->p, e, whole_length, m, REBUILD_DEPTH) : e;
}

/* ------------------------------------------------------------------ P */

static void note_value(struct maker *m, expr_t v, u128 value)
{
	map_set(&m->values, v, (uint64_t)value);
}

/* The one header that a condition depends on, if on nothing else. */
static const struct places_object *only_header(struct maker *m, expr_t e)
{
	uint32_t count;
	const expr_t *vars = expr_vars(m->p, e, &count);

	return count == 1 && expr_get(m->p, vars[0])->op == MUSTER_OP_INPUT ? header_of(m, expr_get(m->p, vars[0])->k) : NULL;
}

static u128 header_value(void *ctx, expr_t v)
{
	(void)v;
	return *(const uint8_t *)ctx;
}

/* What the bounds on this object's header say together: at least, at most, or this many elements from the pointer on. */
static void length_fact(struct maker *m, const struct places_object *o)
{
	uint8_t fits[256], any = 0;
	uint32_t least = UINT32_MAX, most = 0, now = o->elements - 1;

	for (uint32_t last = 0; last < o->limit && last < 256; last++) {
		uint8_t header = (uint8_t)last;
		fits[last] = 1;
		for (size_t i = 0; i < m->r->condition_count; i++)
			if (only_header(m, m->r->conditions[i].e) == o) {
				any = 1;
				fits[last] &= expr_eval(m->p, m->r->conditions[i].e, header_value, &header) != 0;
			}
		if (fits[last]) {
			least = least == UINT32_MAX ? last : least;
			most = last;
		}
	}
	if (!any || o->limit < 2)
		return;
	for (uint32_t i = least; i <= most; i++)
		if (!fits[i])
			least = most = now;
	/* Elements from the pointer on: the whole less those before it. */
	expr_t low = expr_const(m->p, 64, (uint64_t)least + 1 - o->element), high = expr_const(m->p, 64, (uint64_t)most + 1 - o->element);
	if (least)
		add_to(&m->s.pre, expr_binary(m->p, MUSTER_OP_ULE, low, o->length));
	if (most + 1 < o->limit)
		add_to(&m->s.pre, expr_binary(m->p, MUSTER_OP_ULE, o->length, high));
	if (o->string && least + 1 == o->limit) { /* the driver's last byte is 0 without a label */
		for (size_t i = 0; i < m->st.leaves.size; i++)
			if (&m->st.objects.data[m->st.leaves.data[i].object] == o && m->st.leaves.data[i].is_end)
				add_to(&m->s.pre, expr_eq(m->p, m->st.leaves.data[i].variable, expr_const(m->p, m->st.leaves.data[i].width, 0)));
	}
}

static void pointer_fact(struct maker *m, const struct places_leaf *l)
{
	struct exprs *p = m->p;
	expr_t null = expr_const(p, 64, 0);
	const struct driven_memory *d = memory_of_leaf(m, 0, l);
	uint64_t value = 0;

	if (d)
		memcpy(&value, d->bytes + l->off, 8);
	note_value(m, l->variable, value);
	if (!l->followed)
		return;
	switch (l->to.to.to) {
	case WALK_NULL:
		add_to(&m->s.pre, expr_eq(p, l->variable, null));
		return;
	case WALK_OBJECT:
		for (size_t i = 0; i < m->st.objects.size; i++) {
			const struct places_object *o = &m->st.objects.data[i];
			const struct places_leaf *first = &m->st.leaves.data[o->pointer];

			if (o->walk != l->to.to.object)
				continue;
			if (first == l)
				add_to(&m->s.pre, expr_not(p, expr_eq(p, l->variable, null)));
			else
				add_to(&m->s.pre, expr_eq(p, l->variable,
							  expr_binary(p, MUSTER_OP_ADD, first->variable,
								      expr_const(p, 64, ((int64_t)l->to.to.element - (int64_t)o->element) * (int64_t)m->st.walk.objects.data[o->walk].size))));
			if (l->to.to.element)
				missing(m, "a pointer points into its object");
			return;
		}
		return;
	case WALK_TARGET: {
		const char *target = m->r->h->targets.data[l->to.to.target];
		struct buf path = BUF_EMPTY;

		buf_addf(&path, "f%s", target);
		expr_t f = place_variable(p, 64, PLACE_POINTER, 0, 0, buf_str(&path), target);
		buf_release(&path);
		note_value(m, f, value);
		add_to(&m->s.pre, expr_eq(p, l->variable, f));
		return;
	}
	case WALK_KEEP:
		missing(m, "a global pointer has the value that the program starts with");
		return;
	}
}

static void facts(struct maker *m)
{
	VEC(expr_t) apart = {0};

	for (size_t i = 0; i < m->st.leaves.size; i++)
		if (m->st.leaves.data[i].type == PLACE_POINTER)
			pointer_fact(m, &m->st.leaves.data[i]);
	for (size_t i = 0; i < m->st.objects.size; i++) {
		const struct places_object *o = &m->st.objects.data[i];
		vec_push(&apart, m->st.leaves.data[o->pointer].variable);
		note_value(m, o->length, o->elements - o->element);
		length_fact(m, o);
		if (o->limit > 1 && !m->r->returned && !strcmp(m->r->failure, "crash")) /* an access that no condition is about: how large the objects are may decide */
			add_to(&m->s.pre, expr_eq(m->p, o->length, expr_const(m->p, 64, o->elements - o->element)));
	}
	if (apart.size > 1 || (apart.size && m->st.walk.f->globals))
		add_to(&m->s.pre, expr_apply(m->p, PLACE_APART, 1, apart.data, (unsigned)apart.size));
	vec_release(&apart);
}

static void add_limits(struct maker *m)
{
	for (size_t i = 0; i < m->st.objects.size; i++) {
		const struct places_object *o = &m->st.objects.data[i];
		uint32_t count;

		for (size_t k = 0; k < m->s.pre.size; k++) {
			const expr_t *vars = expr_vars(m->p, m->s.pre.data[k], &count);
			uint32_t j = 0;
			while (j < count && vars[j] != o->length)
				j++;
			if (j == count || count == 1)
				continue;
			add_to(&m->s.pre, expr_binary(m->p, MUSTER_OP_ULE, expr_const(m->p, 64, 1), o->length));
			add_to(&m->s.pre, expr_binary(m->p, MUSTER_OP_ULE, o->length, expr_const(m->p, 64, o->limit - o->element)));
			break;
		}
	}
}

static void make_pre(struct maker *m)
{
	facts(m);
	for (size_t i = 0; i < m->r->condition_count; i++) {
		const struct driven_condition *c = &m->r->conditions[i];

		if (only_header(m, c->e))
			continue;
		m->keep_headers = c->bound;
		add_to(&m->s.pre, over_places(m, c->e));
	}
	m->keep_headers = 0;
	if (m->mixed)
		add_limits(m);
}

/* ------------------------------------------------------------------ Q */

/* The pointer that an address of this run is, as a term; EXPR_NONE: it is not known. */
static expr_t address_term(struct maker *m, uint64_t address)
{
	const struct driven_memory *bases = memory_of(m->r, 0, MUSTER_MEMORY_ADDRESS, 0);

	if (!address)
		return expr_const(m->p, 64, 0);
	for (size_t i = 0; i < m->st.objects.size && bases; i++) {
		const struct places_object *o = &m->st.objects.data[i];
		const struct walk_object *w = &m->st.walk.objects.data[o->walk];
		uint64_t base;

		memcpy(&base, bases->bytes + 8 * o->memory, 8);
		if (address < base || address > base + (uint64_t)o->elements * w->size)
			continue;
		return expr_binary(m->p, MUSTER_OP_ADD, m->st.leaves.data[o->pointer].variable, expr_const(m->p, 64, address - base - (uint64_t)o->element * w->size));
	}
	return EXPR_NONE;
}

/* A place before the call that has this label whole. */
static expr_t copied(struct maker *m, uint32_t label)
{
	for (size_t i = 0; i < m->st.leaves.size && label; i++) {
		const struct places_leaf *l = &m->st.leaves.data[i];
		const struct driven_memory *d = l->type == PLACE_POINTER ? memory_of_leaf(m, 0, l) : NULL;

		if (d && whole_label(d, l->off) == label)
			return l->variable;
	}
	return EXPR_NONE;
}

static expr_t leaf_term(struct maker *m, const struct places_leaf *l, const struct driven_memory *d)
{
	expr_t e = EXPR_NONE;

	for (uint32_t i = l->bytes; i-- > 0;)
		e = e == EXPR_NONE ? d->terms[l->off + i] : expr_concat(m->p, e, d->terms[l->off + i]);
	e = over_places(m, e);
	if (l->bits || l->is_bool)
		e = expr_extract(m->p, e, l->bits ? l->bit : 0, l->width);
	return e;
}

/* after(l) == term, if it is not what it was. */
static void leave(struct maker *m, const struct places_leaf *l, const struct driven_memory *before, const struct driven_memory *d)
{
	int same = before != NULL;
	expr_t term;

	for (uint32_t i = 0; i < l->bytes && same; i++)
		same = is_same(before, d, l->off + i);
	if (same)
		return;
	expr_t after = place_variable(m->p, l->width, l->type, l->size, 1, l->path, l->text);
	note_value(m, after, places_take(l, d->bytes));
	if (l->type == PLACE_POINTER) {
		uint64_t address;
		u128 value;

		memcpy(&address, d->bytes + l->off, 8);
		term = copied(m, whole_label(d, l->off));
		if (term == EXPR_NONE && !expr_is_const(m->p, leaf_term(m, l, d), &value))
			term = EXPR_NONE;
		else if (term == EXPR_NONE)
			term = address_term(m, address);
		if (term == EXPR_NONE) {
			missing(m, "it leaves a pointer to something that has no name at entry");
			return;
		}
	} else {
		term = leaf_term(m, l, d);
		if (before && term == l->variable)
			return;
	}
	add_to(&m->s.post, expr_eq(m->p, after, term));
}

static int never(void *ctx, const struct places_leaf *l)
{
	(void)ctx, (void)l;
	return 0;
}

/* The leaves of the result, as those of a parameter of its type. */
static void leave_result(struct maker *m)
{
	const struct driven_memory *d = memory_of(m->r, 1, MUSTER_MEMORY_RESULT, 0);
	struct places result = {.pool = m->p, .follow = never};

	if (!d)
		return;
	result.walk = m->st.walk;
	places_add(&result, m->st.walk.f->result_type, "result", "r");
	for (size_t i = 0; i < result.leaves.size; i++)
		leave(m, &result.leaves.data[i], NULL, d);
	memset(&result.walk, 0, sizeof result.walk);
	places_release(&result);
}

static void make_post(struct maker *m)
{
	leave_result(m);
	for (size_t i = 0; i < m->st.leaves.size; i++) {
		const struct places_leaf *l = &m->st.leaves.data[i];
		const struct driven_memory *before = memory_of_leaf(m, 0, l), *after = memory_of_leaf(m, 1, l);

		if (before && after && before->size == after->size)
			leave(m, l, before, after);
	}
	for (size_t i = 0; i < m->st.objects.size; i++)
		if (!memory_of(m->r, 1, MUSTER_MEMORY_OBJECT, m->st.objects.data[i].memory)) {
			add_to(&m->s.post, expr_apply(m->p, PLACE_FREED, 1, &m->st.leaves.data[m->st.objects.data[i].pointer].variable, 1));
			missing(m, "it frees memory");
		}
}

/* Bytes that changed and are in no leaf: writes that Q has not. */
static void check_writes(struct maker *m)
{
	for (size_t i = 0; i < m->r->memory_count; i++) {
		const struct driven_memory *d = &m->r->memory[i], *before = memory_of(m->r, 0, d->what, d->number);

		if (!d->after || !before || before->size != d->size)
			continue;
		for (size_t k = 0; k < d->size; k++) {
			int named = is_same(before, d, k);
			for (size_t j = 0; j < m->st.leaves.size && !named; j++) {
				const struct places_leaf *l = &m->st.leaves.data[j];
				named = memory_of_leaf(m, 1, l) == d && k >= l->off && k < l->off + l->bytes;
			}
			if (!named) {
				missing(m, "it writes bytes without a name");
				return;
			}
		}
	}
}

/* ------------------------------------------------------------- the run itself */

static u128 run_value(void *ctx, expr_t v)
{
	struct maker *m = ctx;
	uint64_t value = 0;

	if (!map_get(&m->values, v, &value)) {
		const struct places_leaf *l = places_find(&m->st, v);
		const struct driven_memory *d = l ? memory_of_leaf(m, 0, l) : NULL;
		return d ? places_take(l, d->bytes) : 1; /* failures hold */
	}
	return value;
}

static int holds(struct maker *m)
{
	return summary_all_hold(m->p, m->s.pre.data, m->s.pre.size, run_value, m) && summary_all_hold(m->p, m->s.post.data, m->s.post.size, run_value, m);
}

/* Is it a number near an object of this run, or the negation of one? */
static int is_address(const struct maker *m, uint64_t v)
{
	const struct driven_memory *bases = memory_of(m->r, 0, MUSTER_MEMORY_ADDRESS, 0);

	for (size_t i = 0; bases && i + 8 <= bases->size; i += 8) {
		uint64_t base;
		memcpy(&base, bases->bytes + i, 8);
		if (base && (v - base + NEAR < 2 * NEAR || base + v + NEAR < 2 * NEAR))
			return 1;
	}
	return 0;
}

static int has_address(const struct maker *m, expr_t e, struct map *seen)
{
	expr_t operands[3];
	u128 v;

	if (!map_set(seen, e, 1))
		return 0;
	if (expr_is_const(m->p, e, &v))
		return expr_width(m->p, e) == 64 && is_address(m, (uint64_t)v);
	if (expr_get(m->p, e)->op == MUSTER_OP_DATA)
		return summary_is_table(m->p, e);
	for (unsigned i = 0, n = expr_operands(m->p, e, operands); i < n; i++)
		if (has_address(m, operands[i], seen))
			return 1;
	return 0;
}

/* Where an object stood in this run is in P or Q: in P the rest may imply it. Q says nothing of what was left there. */
static void find_addresses(struct maker *m)
{
	size_t left = 0;

	for (size_t i = 0; i < m->s.post.size; i++) {
		struct map seen = {0};
		if (has_address(m, m->s.post.data[i], &seen))
			missing(m, SUMMARY_LEAVES_ADDRESS);
		else
			m->s.post.data[left++] = m->s.post.data[i];
		map_release(&seen);
	}
	m->s.post.size = left;
	for (size_t i = 0; i < m->s.pre.size && !m->s.addresses; i++) {
		struct map seen = {0};
		m->s.addresses = has_address(m, m->s.pre.data[i], &seen);
		map_release(&seen);
	}
}

static int fill(struct maker *m, const char **reason)
{
	const struct driven_run *r = m->r;

	if (m->st.unknown_initial)
		missing(m, "what a global held before is not known");
	make_pre(m);
	if (r->returned) {
		make_post(m);
		check_writes(m);
	} else {
		expr_t f = place_variable(m->p, 1, PLACE_FAILURE, 0, 1, "", r->failure);
		note_value(m, f, 1);
		add_to(&m->s.post, f);
	}
	if (!summary_normalise(m->l, &m->s) || !holds(m)) {
		*reason = "what was made of it does not hold for the run itself";
		return 0;
	}
	if (!summary_fits(&m->s)) {
		*reason = SUMMARY_TOO_LONG;
		return 0;
	}
	find_addresses(m);
	return 1;
}

int summary_driven(struct summaries *l, const struct driven_run *r, const char **reason)
{
	struct maker m = {.l = l, .p = l->pool, .r = r};

	m.s = (struct summary){.function = arena_strdup(&l->arena, r->name),
			       .lp = {.symbol = "", .ordinal = SUMMARY_ENTRY},
			       .lq = {.symbol = "", .ordinal = SUMMARY_EXIT},
			       .line = r->line,
			       .end_line = r->end_line,
			       .paths = 1};
	if (r->why)
		missing(&m, r->why);
	find_used(&m);
	places_open(&m.st, m.p, r->h, r->number, r->data, r->size, is_used, &m);
	int ok = fill(&m, reason);
	if (ok) {
		m.s.why = m.why.size ? arena_strdup(&l->arena, buf_str(&m.why)) : NULL;
		vec_push(&l->all, m.s);
	} else {
		summary_release(&m.s);
	}
	places_release(&m.st);
	map_release(&m.used);
	map_release(&m.pointers);
	map_release(&m.values);
	buf_release(&m.why);
	return ok;
}

int driven_follow(void *named, const struct places_leaf *pointer)
{
	const struct driven_named *n = named;

	for (size_t i = 0; i < n->s->pre.size; i++) {
		uint32_t count;
		const expr_t *vars = expr_vars(n->pool, n->s->pre.data[i], &count);

		for (uint32_t k = 0; k < count; k++)
			if (vars[k] == pointer->variable)
				return 1;
	}
	return 0;
}
