/* memory.c: what a search keeps in memory, within the budget.
 *
 * A set of keys has two generations. A key is added to the younger one; when that is full, the older one is forgotten and the
 * younger takes its place. So at least the newest half of what was added is known, and no set grows past its part. To forget
 * costs repeated work and nothing else.
 *
 * Everything has a ceiling of its own from the budget's table, but they are estimates, and allocators keep what was freed. So now and
 * then the process as a whole is looked at: one that comes near its budget forgets all that can be found again.
 */
#include "search/inside.h"

#include "base/budget.h"
#include "base/log.h"

#include <malloc.h>

#define SLOT 17 /* bytes of a slot of a map, of which up to three quarters are used | sizeof */
#define MANY (32ull << 20) /* bytes whose return is worth the milliseconds that it takes | by hand (share) */
#define LOOK 2.0 /* seconds between two looks at the process | by hand (share) */
#define NEAR 9 / 10 /* of the budget, where it is time to forget | the last tenth is for what is under way */

void memory_limit(struct memory *m, uint64_t bytes)
{
	size_t slots = 16;

	while (2 * slots * SLOT * 2 <= bytes) /* twice as many, in two generations */
		slots *= 2;
	m->limit = slots / 4 * 3;
}

int memory_has(const struct memory *m, uint64_t key)
{
	return map_get(&m->young, key, NULL) || (m->old.size && map_get(&m->old, key, NULL));
}

int memory_add(struct memory *m, uint64_t key)
{
	if (m->old.size && map_get(&m->old, key, NULL))
		return 0;
	if (!map_set(&m->young, key, 1))
		return 0;
	if (m->young.size >= m->limit) {
		map_release(&m->old);
		m->old = m->young;
		m->young = (struct map){0};
	}
	return 1;
}

void memory_release(struct memory *m)
{
	map_release(&m->old);
	map_release(&m->young);
}

static struct memory *const *sets_of(struct search *s, struct memory *out[SEARCH_SETS + 1])
{
	size_t n = 0;

#define X(name) out[n++] = &s->known.name;
	SEARCH_MEMORIES(X)
#undef X
	out[n] = NULL;
	return out;
}

void search_memory_init(struct search *s)
{
	struct memory *all[SEARCH_SETS + 1];

	for (struct memory *const *m = sets_of(s, all); *m; m++)
		memory_limit(*m, budget_share(BUDGET_SETS) / SEARCH_SETS);
}

void search_memory_release(struct search *s)
{
	struct memory *all[SEARCH_SETS + 1];

	for (struct memory *const *m = sets_of(s, all); *m; m++)
		memory_release(*m);
}

void search_memory_freed(uint64_t bytes)
{
	if (bytes >= MANY)
		malloc_trim(0);
}

/* All that can be found again, and back to the system with it. */
static void forget_most(struct search *s)
{
	struct memory *all[SEARCH_SETS + 1];

	for (struct memory *const *m = sets_of(s, all); *m; m++)
		map_release(&(*m)->old);
	search_drop_suspended(s);
	solver_forget(s->solver);
	traces_release(&s->next.traces);
	malloc_trim(0);
}

void search_memory_look(struct search *s)
{
	static int said;
	double now = clock_seconds();
	uint64_t total = budget_total(), used;

	if (now < s->budget.next_look)
		return;
	s->budget.next_look = now + LOOK;
	s->stats.memory_peak = budget_peak();
	used = budget_resident();
	if (used < total * NEAR)
		return;
	forget_most(s);
	s->stats.forgotten++;
	used = budget_resident();
	if (used > total && !said) {
		said = 1;
		log_warn("this search needs %llu MB, more than its budget of %llu MB with nothing kept that can be found again: give --memory more, "
			 "or -j less",
			 (unsigned long long)(used >> 20), (unsigned long long)(total >> 20));
	}
}
