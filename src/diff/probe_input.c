/* probe_input.c: inputs with structure: what parameters, variables and results of functions outside may be by their types, and what they become by small changes.
 *
 * A pointer is null, or leads to an object of its type, a new one or one that is there; an object's members are made in the same manner, some calls deep. Members that no instruction looks at stay 0. Characters are texts. What a pointer to anything leads to
 * is bytes. Nothing here is more than a proposal.
 */
#include "diff/probe.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

#define STRIDE 1024ull	/* between objects */
#define LEVELS 5	/* of objects that lead to objects */
#define OBJECTS 120	/* of an input */
#define SLOTS 4000	/* of one that are changed */
#define ELEMENTS 8	/* of an array of numbers */
#define TEXT_BYTES 48
#define ANY_BYTES 96	/* of what a pointer to anything leads to */

static uint64_t next(uint64_t *random)
{
	*random = hash_mix(*random + 0x9e3779b97f4a7c15ull);
	return *random;
}

static uint64_t below(uint64_t *random, uint64_t n)
{
	return next(random) % n;
}

static int chance(uint64_t *random, unsigned percent)
{
	return below(random, 100) < percent;
}

/* ------------------------------------------------------------ scalars */

static uint64_t a_number(const struct probe_code *c, uint64_t *random)
{
	uint64_t n = c->numbers.size ? c->numbers.data[below(random, c->numbers.size)] : 1;
	switch (below(random, 8)) {
	case 0:
	case 1:
		return below(random, 4);
	case 2:
		return below(random, 64);
	case 3:
		return n + below(random, 3) - 1;
	case 4:
		return 0 - below(random, 4);
	case 5:
		return 1ull << below(random, 64);
	case 6:
		return chance(random, 20) ? next(random) : below(random, 70000);
	default:
		return n;
	}
}

static uint8_t a_character(uint64_t *random)
{
	static const char some[] = "abcxyzABC0123456789 \t\n<>/=\"'&;:!?-_.,#%()[]{}|*+@\\";
	return chance(random, 90) ? (uint8_t)some[below(random, sizeof some - 1)] : (uint8_t)next(random);
}

static void write_text(const struct probe_code *c, uint64_t *random, uint8_t *at, size_t room)
{
	size_t n = 0;
	unsigned parts = (unsigned)below(random, 4);
	memset(at, 0, room);
	for (unsigned i = 0; i < parts; i++) {
		const struct probe_text *t = c->texts.size ? &c->texts.data[below(random, c->texts.size)] : NULL;
		if (t && chance(random, 50) && n + t->size < room) {
			memcpy(at + n, t->data, t->size - 1);
			n += t->size - 1;
		} else if (n + 3 < room) {
			for (unsigned k = 1 + (unsigned)below(random, 3); k--;)
				at[n++] = a_character(random);
		}
	}
}

static void put(uint8_t *at, unsigned bytes, uint64_t value)
{
	memcpy(at, &value, bytes);
}

static uint64_t get(const uint8_t *at, unsigned bytes)
{
	uint64_t v = 0;
	memcpy(&v, at, bytes);
	return v;
}

/* ------------------------------------------------------------ objects */

static void fill(const struct probe_code *c, uint64_t *random, struct probe_input *in, uint8_t *at, size_t room, uint64_t offset, uint32_t type, unsigned level);

static struct probe_object *add_object(struct probe_input *in, uint32_t type, uint64_t size)
{
	uint64_t at = CALLER_ARENA + 4096;
	for (size_t i = 0; i < in->objects.size; i++) {
		const struct probe_object *o = &in->objects.data[i];
		uint64_t end = o->at + (o->size + STRIDE) / STRIDE * STRIDE;
		at = end > at ? end : at;
	}
	if (in->objects.size >= OBJECTS || size > 32768 || at + size + 8192 > CALLER_ARENA + CALLER_ARENA_BYTES)
		return NULL;
	vec_push(&in->objects, ((struct probe_object){at, type, (uint32_t)size, mem_zalloc(size + 8)}));
	return &vec_last(&in->objects);
}

static int is_characters(const struct code *c, uint32_t type)
{
	return type != CODE_NONE && c->types[type].kind == CODE_TYPE_INT && c->types[type].bytes == 1;
}

/* The address of a new object that has elements of this type, or 0. */
static uint64_t new_object(const struct probe_code *c, uint64_t *random, struct probe_input *in, uint32_t type, unsigned level)
{
	const struct code_type *t = type != CODE_NONE ? &c->code->types[type] : NULL;
	uint64_t count = !t ? 1 : t->kind == CODE_TYPE_INT ? ELEMENTS : t->kind == CODE_TYPE_POINTER ? 4 : chance(random, 80) ? 1 : 3;
	uint64_t size = is_characters(c->code, type) ? TEXT_BYTES : t && t->bytes ? count * t->bytes : ANY_BYTES;
	struct probe_object *o = add_object(in, t && t->bytes ? type : CODE_NONE, size);
	if (!o)
		return 0;
	uint64_t at = o->at;
	uint8_t *bytes = o->bytes;
	if (is_characters(c->code, type)) {
		write_text(c, random, bytes, size);
	} else if (t && t->bytes) {
		for (uint64_t i = 0; i < count; i++)
			fill(c, random, in, bytes, size, i * t->bytes, type, level + 1);
	} else {
		for (unsigned i = 0; i < 4 && chance(random, 50); i++)
			put(bytes + 4 * below(random, ANY_BYTES / 4), 4, a_number(c, random));
	}
	return at;
}

static uint64_t old_object(uint64_t *random, const struct probe_input *in, uint32_t type)
{
	uint64_t found = 0, count = 0;
	for (size_t i = 0; i < in->objects.size; i++)
		if (in->objects.data[i].type == type && !below(random, ++count))
			found = in->objects.data[i].at;
	return found;
}

/* A value of a pointer type; CODE_NONE: of an unknown one. */
static uint64_t a_pointer(const struct probe_code *c, uint64_t *random, struct probe_input *in, uint32_t type, unsigned level)
{
	uint32_t base = type != CODE_NONE && c->code->types[type].kind == CODE_TYPE_POINTER ? c->code->types[type].base : CODE_NONE, there;
	if (base != CODE_NONE && c->code->types[base].kind == CODE_TYPE_OTHER)
		return chance(random, 85) ? CALLER_CODE + below(random, CALLER_POINTERS) * CALLER_CODE_BYTES : 0;
	if (level > LEVELS || chance(random, level ? 20 + 10 * level : 5))
		return 0;
	there = base != CODE_NONE && c->code->types[base].bytes ? base : CODE_NONE;
	uint64_t old = chance(random, 15) ? old_object(random, in, there) : 0;
	return old ? old : new_object(c, random, in, base, level);
}

static int is_hot(const struct probe_code *c, uint64_t offset)
{
	return !offset || map_get(&c->offsets, offset, NULL);
}

/* What stands at the offset of an object, by its type. */
static void fill(const struct probe_code *c, uint64_t *random, struct probe_input *in, uint8_t *at, size_t room, uint64_t offset, uint32_t type, unsigned level)
{
	const struct code_type *t = type != CODE_NONE ? &c->code->types[type] : NULL;
	if (!t || offset + t->bytes > room || level > LEVELS + 8)
		return;
	if (t->kind == CODE_TYPE_INT && t->bytes <= 8) {
		if (chance(random, is_hot(c, offset) ? 60 : 10))
			put(at + offset, (unsigned)t->bytes, t->is_bool ? below(random, 2) : a_number(c, random));
	} else if (t->kind == CODE_TYPE_POINTER && t->bytes == 8) {
		if (chance(random, is_hot(c, offset) ? 85 : 8))
			put(at + offset, 8, a_pointer(c, random, in, type, level));
	} else if (t->kind == CODE_TYPE_ARRAY && t->base != CODE_NONE && is_characters(c->code, t->base)) {
		write_text(c, random, at + offset, t->bytes);
	} else if (t->kind == CODE_TYPE_ARRAY && t->base != CODE_NONE) {
		for (uint64_t i = 0; i < t->count && i < ELEMENTS; i++)
			fill(c, random, in, at, room, offset + i * c->code->types[t->base].bytes, t->base, level + 1);
	} else if (t->kind == CODE_TYPE_STRUCT || t->kind == CODE_TYPE_UNION) {
		uint32_t only = t->kind == CODE_TYPE_UNION && t->members ? (uint32_t)below(random, t->members) : CODE_NONE;
		for (uint32_t i = 0; i < t->members; i++) {
			const struct code_member *m = &c->code->members[t->first_member + i];
			if (!m->bits && (only == CODE_NONE || i == only))
				fill(c, random, in, at, room, offset + m->offset, m->type, level);
			else if (m->bits && chance(random, 30) && offset + m->offset < room)
				at[offset + m->offset] |= (uint8_t)next(random);
		}
	}
}

/* ------------------------------------------------------------ inputs */

static uint32_t parameter_type(const struct probe_code *c, uint32_t i)
{
	uint64_t type;
	return map_get(&c->parameters, i, &type) ? (uint32_t)type : CODE_NONE;
}

static uint64_t an_argument(const struct probe_code *c, uint64_t *random, struct probe_input *in, uint32_t i)
{
	const struct code_value *v = &c->f->values[i];
	uint64_t n;
	if (v->is_pointer)
		return a_pointer(c, random, in, parameter_type(c, i), 0);
	n = v->width == 1 || (parameter_type(c, i) != CODE_NONE && c->code->types[parameter_type(c, i)].is_bool) ? below(random, 2) : a_number(c, random);
	return v->width < 64 ? n & ((1ull << v->width) - 1) : n;
}

void probe_input_make(const struct probe_code *c, uint64_t *random, struct probe_input *out)
{
	*out = (struct probe_input){0};
	for (uint32_t i = 0; i < c->f->parameters && i < CALLER_ARGUMENTS; i++)
		out->args[i] = an_argument(c, random, out, i);
}

void probe_input_copy(const struct probe_input *in, struct probe_input *out)
{
	*out = (struct probe_input){0};
	memcpy(out->args, in->args, sizeof out->args);
	memcpy(out->rows, in->rows, sizeof out->rows);
	for (size_t i = 0; i < in->objects.size; i++) {
		struct probe_object o = in->objects.data[i];
		o.bytes = memcpy(mem_zalloc(o.size + 8), o.bytes, o.size);
		vec_push(&out->objects, o);
	}
	for (size_t i = 0; i < in->sets.size; i++)
		vec_push(&out->sets, in->sets.data[i]);
}

void probe_input_release(struct probe_input *in)
{
	for (size_t i = 0; i < in->objects.size; i++)
		free(in->objects.data[i].bytes);
	vec_release(&in->objects);
	vec_release(&in->sets);
}

/* ------------------------------------------------------------ slots */

struct walk {
	const struct probe_code *c;
	struct probe_input *in;
	probe_slots *out;
	struct map seen;
};

static void walk_pointer(struct walk *w, uint64_t at, uint32_t type, unsigned level);

static void walk_part(struct walk *w, struct probe_object *o, uint64_t offset, uint32_t type, unsigned level)
{
	const struct code *code = w->c->code;
	const struct code_type *t = type != CODE_NONE ? &code->types[type] : NULL;
	if (!t || offset + t->bytes > o->size || w->out->size >= SLOTS || level > 24)
		return;
	uint8_t *at = o->bytes + offset, hot = (uint8_t)is_hot(w->c, offset);
	if ((t->kind == CODE_TYPE_INT || t->kind == CODE_TYPE_FLOAT) && t->bytes <= 8) {
		vec_push(w->out, ((struct probe_slot){at, type, (unsigned)t->bytes, t->bytes == 1 && !t->is_bool ? PROBE_BYTE : PROBE_NUMBER, hot, t->is_bool}));
	} else if (t->kind == CODE_TYPE_POINTER && t->bytes == 8) {
		vec_push(w->out, ((struct probe_slot){at, type, 8, PROBE_POINTER, hot, 0}));
		walk_pointer(w, get(at, 8), type, level + 1);
	} else if (t->kind == CODE_TYPE_ARRAY && t->base != CODE_NONE) {
		for (uint64_t i = 0; i < t->count && i < 64; i++)
			walk_part(w, o, offset + i * code->types[t->base].bytes, t->base, level + 1);
	} else if (t->kind == CODE_TYPE_STRUCT || t->kind == CODE_TYPE_UNION) {
		for (uint32_t i = 0; i < t->members; i++) {
			const struct code_member *m = &code->members[t->first_member + i];
			if (!m->bits)
				walk_part(w, o, offset + m->offset, m->type, level);
			else if (offset + m->offset < o->size)
				vec_push(w->out, ((struct probe_slot){o->bytes + offset + m->offset, CODE_NONE, 1, PROBE_NUMBER, hot, 0}));
		}
	}
}

static struct probe_object *object_at(struct probe_input *in, uint64_t at)
{
	for (size_t i = 0; i < in->objects.size; i++)
		if (at - in->objects.data[i].at < in->objects.data[i].size)
			return &in->objects.data[i];
	return NULL;
}

static void walk_pointer(struct walk *w, uint64_t at, uint32_t type, unsigned level)
{
	const struct code *code = w->c->code;
	uint32_t base = type != CODE_NONE && code->types[type].kind == CODE_TYPE_POINTER ? code->types[type].base : CODE_NONE;
	struct probe_object *o = object_at(w->in, at);
	if (!o || !map_set(&w->seen, o->at, 1))
		return;
	if (base == CODE_NONE || !code->types[base].bytes)
		base = o->type;
	if (base == CODE_NONE) {
		for (uint32_t i = 0; i + 4 <= o->size; i += 4)
			vec_push(w->out, ((struct probe_slot){o->bytes + i, CODE_NONE, 4, PROBE_NUMBER, 0, 0}));
		return;
	}
	for (uint64_t i = 0; i + code->types[base].bytes <= o->size; i += code->types[base].bytes)
		walk_part(w, o, i, base, level);
}

void probe_input_slots(const struct probe_code *c, struct probe_input *in, probe_slots *out)
{
	struct walk w = {c, in, out, {0}};
	for (uint32_t i = 0; i < c->f->parameters && i < CALLER_ARGUMENTS; i++) {
		const struct code_value *v = &c->f->values[i];
		uint32_t type = parameter_type(c, i);
		unsigned bytes = v->is_pointer || v->width >= 64 ? 8 : v->width > 32 ? 8 : v->width > 16 ? 4 : v->width > 8 ? 2 : 1;
		vec_push(out, ((struct probe_slot){(uint8_t *)&in->args[i], type, bytes, v->is_pointer ? PROBE_POINTER : PROBE_NUMBER, 1, v->width == 1 || (type != CODE_NONE && c->code->types[type].is_bool)}));
		if (v->is_pointer)
			walk_pointer(&w, in->args[i], type, 0);
	}
	for (size_t i = 0; i < in->sets.size; i++) {
		struct probe_set *s = &in->sets.data[i];
		int pointer = c->code->types[s->type].kind == CODE_TYPE_POINTER;
		vec_push(out, ((struct probe_slot){(uint8_t *)&s->value, s->type, s->bytes, pointer ? PROBE_POINTER : PROBE_NUMBER, 1, c->code->types[s->type].is_bool}));
		if (pointer)
			walk_pointer(&w, s->value, s->type, 0);
	}
	for (unsigned i = 0; i < CALLER_CALLS; i++) {
		struct probe_row *r = &in->rows[i];
		uint64_t type;
		if (!r->is_set)
			continue;
		type = r->name && strmap_get(&c->results, r->name, &type) ? type : CODE_NONE;
		vec_push(out, ((struct probe_slot){(uint8_t *)&r->value, (uint32_t)type, 8, object_at(in, r->value) ? PROBE_POINTER : PROBE_NUMBER, 1, 0}));
		walk_pointer(&w, r->value, (uint32_t)type, 0);
	}
	map_release(&w.seen);
}

/* ------------------------------------------------------------ changes */

static void change_number(const struct probe_code *c, uint64_t *random, const struct probe_slot *s, const probe_slots *all)
{
	uint64_t now = get(s->at, s->bytes);
	switch (below(random, 6)) {
	case 0:
		now += below(random, 9) - 4;
		break;
	case 1:
		now ^= 1ull << below(random, 8 * s->bytes);
		break;
	case 2: {
		const struct probe_slot *o = &all->data[below(random, all->size)];
		now = o->kind == PROBE_POINTER ? 0 : get(o->at, o->bytes);
		break;
	}
	default:
		now = a_number(c, random);
	}
	put(s->at, s->bytes, s->is_bool ? now & 1 : now);
}

static void change_slot(const struct probe_code *c, uint64_t *random, struct probe_input *in, const struct probe_slot *s, const probe_slots *all)
{
	if (s->kind == PROBE_POINTER) {
		uint64_t now = get(s->at, 8);
		if (now && is_characters(c->code, s->type != CODE_NONE ? c->code->types[s->type].base : CODE_NONE) && chance(random, 60)) {
			struct probe_object *o = object_at(in, now);
			if (o && o->type != CODE_NONE)
				write_text(c, random, o->bytes, o->size);
		} else {
			put(s->at, 8, a_pointer(c, random, in, s->type, 1 + (unsigned)below(random, 3)));
		}
	} else if (s->kind == PROBE_BYTE) {
		*s->at = chance(random, 15) ? 0 : chance(random, 60) ? a_character(random) : (uint8_t)a_number(c, random);
	} else {
		change_number(c, random, s, all);
	}
}

/* A scalar somewhere in a variable. */
static void set_global(const struct probe_code *c, uint64_t *random, struct probe_input *in)
{
	uint32_t g = c->globals.data[below(random, c->globals.size)], type = c->code->globals[g].type;
	uint64_t offset = 0;
	for (unsigned depth = 0; depth < 12 && type != CODE_NONE; depth++) {
		const struct code_type *t = &c->code->types[type];
		if (t->kind == CODE_TYPE_ARRAY && t->base != CODE_NONE) {
			offset += t->count ? below(random, t->count) * c->code->types[t->base].bytes : 0;
			type = t->base;
		} else if ((t->kind == CODE_TYPE_STRUCT || t->kind == CODE_TYPE_UNION) && t->members) {
			const struct code_member *m = &c->code->members[t->first_member + below(random, t->members)];
			offset += m->offset;
			type = m->bits ? CODE_NONE : m->type;
		} else {
			break;
		}
	}
	const struct code_type *t = type != CODE_NONE ? &c->code->types[type] : NULL;
	if (!t || (t->kind != CODE_TYPE_INT && t->kind != CODE_TYPE_POINTER) || !t->bytes || t->bytes > 8 || in->sets.size >= 60)
		return;
	uint64_t value = t->kind == CODE_TYPE_POINTER ? a_pointer(c, random, in, type, 1) : t->is_bool ? below(random, 2) : a_number(c, random);
	if (t->bytes < 8)
		value &= (1ull << 8 * t->bytes) - 1;
	for (size_t i = 0; i < in->sets.size; i++)
		if (in->sets.data[i].global == g && in->sets.data[i].offset == offset) {
			in->sets.data[i].value = value;
			return;
		}
	vec_push(&in->sets, ((struct probe_set){g, type, offset, value, (unsigned)t->bytes}));
}

/* What a function outside returns, in one of the calls that the last run made. */
static int set_row(const struct probe_code *c, uint64_t *random, struct probe_input *in)
{
	unsigned count = 0;
	uint64_t type;
	while (count < CALLER_CALLS && in->rows[count].name)
		count++;
	if (!count)
		return 0;
	struct probe_row *r = &in->rows[below(random, count)];
	int typed = strmap_get(&c->results, r->name, &type) && c->code->types[type].kind == CODE_TYPE_POINTER;
	r->is_set = 1;
	if (!strcmp(r->name, "malloc") || !strcmp(r->name, "calloc") || !strcmp(r->name, "realloc"))
		r->value = below(random, 2);
	else if (typed || (!strcmp(r->name, CALLER_POINTER) && chance(random, 70)))
		r->value = a_pointer(c, random, in, typed ? (uint32_t)type : CODE_NONE, 0);
	else
		r->value = chance(random, 60) ? below(random, 3) : a_number(c, random);
	for (size_t i = 0, seen = 0; i < c->outs.size; i++)
		if (!strcmp(c->outs.data[i].name, r->name) && !below(random, ++seen)) {
			r->out = &c->outs.data[i];
			r->written = r->out->bytes == 8 && chance(random, 30) ? a_pointer(c, random, in, CODE_NONE, 1) : a_number(c, random);
		}
	return 1;
}

void probe_input_mutate(const struct probe_code *c, uint64_t *random, struct probe_input *in)
{
	unsigned changes = 1 + (unsigned)below(random, chance(random, 50) ? 2 : 6);
	for (unsigned i = 0; i < changes; i++) {
		probe_slots all = {0};
		if (chance(random, 25) && set_row(c, random, in))
			continue;
		if (c->globals.size && chance(random, 15)) {
			set_global(c, random, in);
			continue;
		}
		probe_input_slots(c, in, &all);
		for (unsigned try = 0; try < 6 && all.size; try++) {
			const struct probe_slot *s = &all.data[below(random, all.size)];
			if (!s->is_hot && !chance(random, 10))
				continue;
			change_slot(c, random, in, s, &all);
			break;
		}
		vec_release(&all);
	}
	for (uint32_t i = 0; i < c->f->parameters && i < CALLER_ARGUMENTS; i++)
		if (!c->f->values[i].is_pointer && c->f->values[i].width < 64)
			in->args[i] &= (1ull << c->f->values[i].width) - 1;
}

/* ------------------------------------------------------------ text */

static void write_bytes(const uint8_t *bytes, size_t n, struct buf *out)
{
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < n; i++) {
		buf_addc(out, digits[bytes[i] >> 4]);
		buf_addc(out, digits[bytes[i] & 15]);
	}
}

static void write_object(const struct probe_object *o, struct buf *out)
{
	for (uint32_t i = 0; i < o->size;) { /* stretches that are not 0 */
		uint32_t n = 0, last = 0;
		while (i < o->size && !o->bytes[i])
			i++;
		for (; i + n < o->size && n < last + 8; n++)
			if (o->bytes[i + n])
				last = n + 1;
		if (last) {
			buf_addf(out, " @%llx=", (unsigned long long)(o->at + i));
			write_bytes(o->bytes + i, last, out);
		}
		i += n;
	}
}

void probe_input_write(const struct probe_code *c, const char *function, const struct probe_input *in, struct buf *out)
{
	buf_addf(out, "%s(", function);
	for (uint32_t i = 0; i < c->f->parameters; i++)
		buf_addf(out, "%s0x%llx", i ? "," : "", (unsigned long long)in->args[i]);
	buf_addc(out, ')');
	for (size_t i = 0; i < in->objects.size; i++)
		write_object(&in->objects.data[i], out);
	for (size_t i = 0; i < in->sets.size; i++) {
		const struct probe_set *s = &in->sets.data[i];
		buf_addf(out, " %s+%llu=", c->code->globals[s->global].name, (unsigned long long)s->offset);
		write_bytes((const uint8_t *)&s->value, s->bytes, out);
	}
	for (unsigned i = 0; i < CALLER_CALLS; i++) {
		const struct probe_row *r = &in->rows[i];
		if (!r->is_set || !r->name)
			continue;
		buf_addf(out, " %s#%u/0=%llx", r->name, i, (unsigned long long)r->value);
		if (r->out)
			buf_addf(out, " %s#%u>%u+0.%u=%llx", r->name, i, r->out->argument, (unsigned)r->out->bytes, (unsigned long long)r->written);
	}
}
