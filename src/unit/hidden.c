/* hidden.c: ranges of members that callers cannot name.
 *
 * A library hands out a pointer to void, or to a structure that its own one begins with, and casts it back: `((struct private *)f->Private)->RunningBits`. Who calls it has no name for that member and cannot set it: callers owe
 * an object that the library made, and what the library keeps in it is the structure's invariant. Whether it does keep the range is not proved here. What speaks against it is looked for: a constant that some store of the
 * unit puts there and that breaks the clause (`s->count = 0` beside a division by s->count), an argument that a function takes as it is (`s->count = n`), or, where 0 breaks it, that the unit clears memory at all. Then the finding stays a bug.
 * Static variables are the same: nobody else has a name for them. They must keep the clause from the start.
 */
#include "unit/hidden.h"

#include "base/error.h"
#include "base/mem.h"
#include "build/units.h"

#include <stdlib.h>
#include <string.h>

static void load_units(struct hidden *h)
{
	struct program p;
	struct units u;
	h->opened = -1;
	if (program_load(&p, h->program))
		return;
	if (units_collect(&u, &p, VARIANT_TRACE)) {
		program_release(&p);
		return;
	}
	h->opened = 1;
	for (size_t i = 0; i < u.list.size; i++) {
		struct record_value v;
		struct buf bitcode = {0};
		struct written w;
		if (!record_find(u.list.data[i].record->payload, u.list.data[i].record->size, TAG_BITCODE, &v))
			continue;
		if (!record_unpack(&v, &bitcode) && !written_load(&w, bitcode.data, bitcode.size))
			vec_push(&h->units, w);
		else
			h->opened = -1;
		buf_release(&bitcode);
	}
	units_release(&u);
	program_release(&p);
}

void hidden_release(struct hidden *h)
{
	for (size_t i = 0; i < h->units.size; i++)
		written_release(&h->units.data[i]);
	vec_release(&h->units);
}

/* Does the clause hold if the place has this value, and nothing else is there? */
static int holds_for(const struct entry *e, const struct clause *c, uint32_t place, uint64_t value)
{
	const struct entry_place *x = &e->places.data[place];
	struct clause_value *v = mem_zalloc((e->places.size + 1) * sizeof *v);
	unsigned drop = 64 - x->bits;
	struct clause one = {.part = {c->part[0]}, .count = 1}; /* of a guard the other values are not known */
	v[place].there = 1;
	v[place].value = x->is_signed ? (uint64_t)((int64_t)(value << drop) >> drop) : value << drop >> drop;
	int half = (int64_t)v[place].value >> 62 == 0 || (int64_t)v[place].value >> 62 == -1; /* the sum of two such fits */
	int holds = c->part[0].op == CLAUSE_FITS ? half : clause_holds(e, &one, v);
	free(v);
	return holds;
}

static int is_broken_by(const struct written *w, const struct entry *e, const struct clause *c, uint32_t place)
{
	const struct entry_place *x = &e->places.data[place];
	if (w->clears && !holds_for(e, c, place, 0))
		return 1;
	if (x->is_global && !holds_for(e, c, place, x->first))
		return 1;
	for (size_t i = 0; i < w->all.size; i++) {
		const struct written_member *m = &w->all.data[i];
		if (m->offset == x->offset && 8 * m->bytes == x->bits && !strcmp(m->type, x->type) && (m->any || !holds_for(e, c, place, m->value)))
			return 1;
	}
	return 0;
}

int hidden_keeps(struct hidden *h, const struct entry *e, const struct clause *c)
{
	for (unsigned k = 0; k < 2; k++) {
		const struct entry_place *x = &e->places.data[k ? c->part[0].b : c->part[0].a];
		if (!x->type || x->kind != ENTRY_NUMBER)
			return 0;
	}
	if (!h->opened)
		load_units(h);
	for (size_t i = 0; i < h->units.size; i++)
		if (is_broken_by(&h->units.data[i], e, c, c->part[0].a) || is_broken_by(&h->units.data[i], e, c, c->part[0].b))
			return 0;
	return h->opened > 0;
}
