/* carry.h: what the checks of an earlier run found out about a function that rests on nothing that changed (carry.c). */
#ifndef MUSTER_UNIT_CARRY_H
#define MUSTER_UNIT_CARRY_H

#include "unit/unit.h"

/* By what the bug is known in other versions: b->key. */
void carry_key(struct test_session *s, struct test_bug *b);
/* Was a bug of this function reported by this test, with such a bucket? */
int carry_reported(const struct test_session *s, uint32_t function, const struct test_case *t, uint64_t bucket);
/* With the verdicts: what a later run may take over, at the end of out. */
void carry_write(const struct test_session *s, uint32_t function, struct buf *out);
/* What carry_write wrote; NULL: it is not that. Freed by carry_free. */
struct carry *carry_read(const void *data, size_t size);
void carry_free(struct carry *c);

/* Once the inputs of old bugs were run: tests of the function whose outcome is known and whose bugs are seen again today have that outcome. */
void carry_outcomes(struct test_session *s, uint32_t function);
/* Once all tests were run: are its findings those of the earlier run, so that what was explained of them holds? Then causes and contracts are taken over: 1. */
int carry_contracts(struct test_session *s, uint32_t function);
/* Then, of functions without findings: what came of the search of calls whose objects are small. */
void carry_given(struct test_session *s);

#endif
