/* digest.c: what an input of a function means, and what the harness puts around it, as one digest.
 *
 * Two plans of one function with equal digests read the same bytes as the same call: the layout, every type that roots and pools lead to, the targets of pointers to functions, and what
 * stands in for functions without a body. Types are numbered in the order in which they are met, so the digest does not depend on what else the unit has.
 */
#include "harness/harness.h"

#include "base/map.h"

struct writer {
	const struct harness *h;
	struct buf out;
	struct map types; /* number in the plan to the one here, + 1 */
	uint32_t next;
};

static void add_name(struct writer *w, const char *s)
{
	buf_adds(&w->out, s ? s : "");
	buf_addc(&w->out, 0);
}

static void add_type(struct writer *w, uint32_t number)
{
	uint64_t known;

	if (number >= w->h->types.size) { /* none: the result of a void function */
		buf_add32(&w->out, UINT32_MAX);
		return;
	}
	if (map_get(&w->types, number, &known)) {
		buf_add32(&w->out, (uint32_t)known);
		return;
	}
	const struct drive_type *t = &w->h->types.data[number];
	map_set(&w->types, number, ++w->next);
	buf_add32(&w->out, w->next);
	buf_add32(&w->out, t->kind);
	buf_add32(&w->out, t->flags);
	buf_add32(&w->out, t->size);
	buf_add32(&w->out, t->count);
	buf_add32(&w->out, t->limit);
	buf_add32(&w->out, t->fixed);
	if (t->kind == DRIVE_POINTER || t->kind == DRIVE_ARRAY)
		add_type(w, t->a);
	for (uint32_t k = 0; t->kind == DRIVE_STRUCT && k < t->count; k++) {
		buf_add32(&w->out, w->h->members.data[t->a + k].offset);
		add_type(w, w->h->members.data[t->a + k].type);
	}
	for (uint32_t k = 0; t->kind == DRIVE_FUNCTION && k < t->count; k++)
		add_name(w, w->h->targets.data[t->a + k]);
	if (number < w->h->pool_keys.size)
		add_type(w, w->h->pool_keys.data[number]);
}

static void add_roots(struct writer *w, const struct drive_function *f)
{
	buf_add32(&w->out, f->parameters);
	for (uint32_t k = 0; k < f->parameters + f->globals; k++) {
		const struct drive_root *r = &w->h->roots.data[f->first_root + k];

		add_name(w, w->h->root_names.data[f->first_root + k]);
		buf_add32(&w->out, r->flags);
		buf_add32(&w->out, r->at);
		add_type(w, r->type);
	}
}

static void add_pools(struct writer *w, const struct drive_function *f)
{
	for (uint32_t k = 0; k < f->pools; k++) {
		const struct drive_pool *p = &w->h->pools.data[f->first_pool + k];

		buf_add32(&w->out, p->objects);
		for (uint32_t n = 0; n < p->objects; n++)
			buf_add32(&w->out, p->at[n]);
		add_type(w, p->pointer);
	}
}

static void add_stubs(struct writer *w, const struct harness_function *f)
{
	for (uint32_t k = 0; k < f->stub_count; k++) {
		uint32_t stub = w->h->stubs.data[f->stubs[k]];

		if (stub & HARNESS_STUB_POINTER)
			add_name(w, w->h->front->types.data[stub & ~HARNESS_STUB_POINTER].name);
		else
			add_name(w, w->h->front->functions.data[stub].name);
		buf_addc(&w->out, (char)w->h->stub_memory.data[f->stubs[k]]);
		add_type(w, w->h->stub_types.data[f->stubs[k]]);
	}
}

struct hash128 harness_digest(const struct harness *h, const struct harness_function *f)
{
	struct writer w = {.h = h};

	buf_add32(&w.out, DRIVE_VERSION);
	buf_add32(&w.out, f->limits);
	add_name(&w, f->weak);
	if (f->number != UINT32_MAX) {
		const struct drive_function *call = &h->calls.data[f->number];

		buf_add32(&w.out, call->results);
		buf_add32(&w.out, call->size);
		buf_add32(&w.out, call->result_size);
		add_type(&w, call->result_size ? call->result_type : UINT32_MAX);
		add_roots(&w, call);
		add_pools(&w, call);
		add_stubs(&w, f);
	}
	struct hash128 d = hash128(w.out.data, w.out.size);
	buf_release(&w.out);
	map_release(&w.types);
	return d;
}
