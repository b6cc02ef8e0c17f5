/* tables.c: each unit's bitcode is brought into the normal form, as for a variant, and its table written. */
#include "build/tables.h"

#include "base/error.h"
#include "build/units.h"
#include "ir/unit.h"

#include <stdlib.h>

static int add_unit(struct tables *t, const struct record_value *bitcode, struct hash128 hash)
{
	struct buf bytes = BUF_EMPTY;
	struct unit u;
	int e = record_unpack(bitcode, &bytes);

	if (!e && !hash_equal(hash128(bytes.data, bytes.size), hash))
		e = error_set("a record is damaged: its bitcode has another hash");
	if (!e)
		e = unit_load(&u, bytes.data, bytes.size, units_id(&t->taken, hash));
	buf_release(&bytes);
	if (e)
		return e;
	e = site_table_write(&u, &t->section);
	unit_release(&u);
	return e;
}

int tables_add(struct tables *t, const struct record *r)
{
	struct record_value bitcode, value;

	if (!record_find(r->payload, r->size, TAG_BITCODE, &bitcode))
		return 0;
	if (!record_find(r->payload, r->size, TAG_HASH, &value))
		return error_set("a record is damaged: it lacks a hash");
	struct hash128 hash = record_id(&value);
	return map_set(&t->seen, hash.a ^ hash.b, 1) ? add_unit(t, &bitcode, hash) : 0;
}

int tables_end(struct tables *t)
{
	return site_tables_add(&t->sites, t->section.data, t->section.size) < 0 ? -1 : 0;
}

void tables_release(struct tables *t)
{
	site_tables_release(&t->sites);
	buf_release(&t->section);
	map_release(&t->taken);
	map_release(&t->seen);
}
