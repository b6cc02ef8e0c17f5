/* codes.c: bitcode of a program's records, by the ids that units have in its variants.
 *
 * Ids are given by units_collect from the order of the records, the same for every variant of a program. What cannot be read is not there:
 * whoever asks does without.
 */
#include "loops/codes.h"

#include "base/error.h"
#include "base/limit.h"
#include "base/map.h"
#include "base/mem.h"
#include "build/units.h"

#include <stdlib.h>

#define LARGEST LIMIT((64u << 20), 4096) /* bytes of a unit's bitcode that is read for loops | bounds reading time; larger units are rare */

struct codes {
	char *path;
	int opened; /* 1: yes, -1: it cannot be */
	struct program program;
	struct units units;
	struct map known; /* unit to place in list, + 1 */
	VEC(struct code *) list;
};

struct codes *codes_new(const char *program)
{
	struct codes *c = mem_zalloc(sizeof *c);
	c->path = mem_strdup(program);
	return c;
}

static int open_program(struct codes *c)
{
	if (c->opened)
		return c->opened;
	c->opened = -1;
	if (program_load(&c->program, c->path))
		return -1;
	if (!units_collect(&c->units, &c->program, VARIANT_TRACE))
		c->opened = 1;
	return c->opened;
}

void codes_free(struct codes *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->list.size; i++)
		code_free(c->list.data[i]);
	vec_release(&c->list);
	map_release(&c->known);
	if (c->opened) {
		units_release(&c->units);
		program_release(&c->program);
	}
	free(c->path);
	free(c);
}

static struct code *load(struct codes *c, uint32_t unit)
{
	struct code *code = NULL;
	for (size_t i = 0; i < c->units.list.size; i++) {
		const struct unit_object *o = &c->units.list.data[i];
		struct record_value v;
		struct buf bitcode = {0};
		if (o->id != unit || !record_find(o->record->payload, o->record->size, TAG_BITCODE, &v))
			continue;
		if (!record_unpack(&v, &bitcode) && bitcode.size <= LARGEST)
			code = code_load(bitcode.data, bitcode.size, unit);
		buf_release(&bitcode);
		break;
	}
	return code;
}

const struct code *codes_find(struct codes *c, uint32_t unit)
{
	uint64_t at = 0;
	if (map_get(&c->known, unit, &at))
		return c->list.data[at - 1];
	struct code *code = open_program(c) > 0 ? load(c, unit) : NULL;
	vec_push(&c->list, code);
	map_set(&c->known, unit, c->list.size);
	return code;
}
