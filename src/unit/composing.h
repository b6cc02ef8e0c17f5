/* composing.h: summaries of callees for compositional search, in a worker of `muster test`.
 *
 * Functions are searched callees first. What the search of one found is left in a file that all workers of the session see; who searches a caller makes summaries of it, once in each worker.
 */
#ifndef MUSTER_UNIT_COMPOSING_H
#define MUSTER_UNIT_COMPOSING_H

#include "search/compose.h"
#include "unit/unit.h"

struct composing;
/* program: the variant that is traced, for the places of globals. NULL with words. */
struct composing *composing_new(struct test_session *s, const char *program);
void composing_free(struct composing *c);
struct compose *composing_compose(struct composing *c);

/* The search of a function is over: its tests are there for others. 0, -1. */
int composing_publish(const struct test_session *s, uint32_t function);
/* The function of the session that has these instructions; the count of its functions: none. */
uint32_t composing_function(const struct test_session *s, const struct site_function *at);
/* As far as the code shows: may summaries of the callee stand for its calls, where the function is searched? */
int composing_may_replace(const struct test_session *s, uint32_t function, uint32_t callee);
/* Before the search of a function: those that it calls, as far as they have summaries that may stand for a call. sites: of the traced variant. How many there are; -1. */
int composing_prepare(struct composing *c, uint32_t function, const struct site_tables *sites);

#endif
