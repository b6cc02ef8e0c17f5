/* version.c: a program's records go into the store, so that an older version needs no old checkout. What the store has already is not
 * written again. */
#include "campaign/version.h"

#include "base/vec.h"
#include "build/image.h"

int version_note(struct store *s, const char *program, uint64_t *id)
{
	VEC(struct store_record) records = {0};
	struct program p = {0};

	if (program_load(&p, program))
		return -1;
	for (size_t i = 0; i < p.images.size; i++)
		for (size_t k = 0; k < p.images.data[i].records.frames.size; k++) {
			const struct record *r = &p.images.data[i].records.frames.data[k];

			vec_push(&records, (struct store_record){hash128(r->payload, r->size), r->payload, r->size});
		}
	int e = store_version_add(s, program, records.data, records.size, id);
	vec_release(&records);
	program_release(&p);
	return e < 0 ? -1 : 0;
}
