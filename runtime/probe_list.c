/* probe_list.c: lists of variable arguments (vprintf): the types of what is in them, and lists that are used up.
 *
 * Lists have no types of their own. The types of a call with variable arguments go with it: the caller says
 * them before, the function takes them where it begins, and the list that it starts is known by its save area.
 * How many were taken from the list since follows from its offsets, which only grow. Where the caller said nothing
 * (it was not compiled with probes) only null pointers are looked for.
 *
 * A list that vprintf, one of its kin or a function of the program took arguments from has no value in C for their caller until va_end; on this machine the next one goes on where
 * that one ended. So each of them leaves where the list stood: one that comes with the same list, moved on since, is reported. va_start, va_copy and va_end of a list forget it.
 * A function that is given a pointer to a list (`va_list *`) may take from it.
 */
#include "probe_inside.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct list { /* as the ABI of x86-64 has it */
	uint32_t integers, floats;
	char *more, *saved;
};

#define INTEGERS_END 48u
#define FLOATS_END 176u
#define LISTS 64

static __thread struct {
	const void *function;
	const char *types;
} called;

/* Lists that were started, by save area: the newest of each. */
static __thread struct started {
	struct list first;
	const char *types;
} lists[LISTS];
static __thread unsigned started_last;

void muster_probe_call(const void *function, const char *types)
{
	called.function = function;
	called.types = types;
}

const char *muster_probe_enter(const void *function)
{
	const char *types = called.function == function ? called.types : NULL;

	called.function = NULL;
	return types;
}

static struct started *find_list(const struct list *l)
{
	for (unsigned i = 0; i < LISTS; i++)
		if (lists[i].types && lists[i].first.saved == l->saved)
			return &lists[i];
	return NULL;
}

void muster_probe_list(va_list list, const char *types)
{
	struct started *s = find_list((const struct list *)list);

	if (!s)
		s = &lists[started_last++ % LISTS];
	memcpy(&s->first, list, sizeof s->first);
	s->types = types;
	muster_probe_list_end(list);
}

static void advance(struct list *l, char type)
{
	if (type == 'L') {
		l->more = (char *)(((uintptr_t)l->more + 15) & ~(uintptr_t)15) + 16;
	} else if (type == 'd' && l->floats < FLOATS_END) {
		l->floats += 16;
	} else if (type != 'd' && l->integers < INTEGERS_END) {
		l->integers += 8;
	} else {
		l->more += 8;
	}
}

/* The types of what is left in a list, or NULL. */
static const char *types_left(const struct list *now)
{
	const struct started *s = find_list(now);

	if (!s)
		return NULL;
	struct list at = s->first;
	for (const char *t = s->types;; t++) {
		if (at.integers == now->integers && at.floats == now->floats && at.more == now->more)
			return t;
		if (!*t || *t == '?')
			return NULL;
		advance(&at, *t);
	}
}

/* ------------------------------------------------------------------- used up */

#define USED 16

/* Lists that were handed to a function, as they were before. */
static __thread struct used {
	const void *at; /* NULL: none */
	struct list before;
} used[USED];
static __thread unsigned used_last;

static struct used *find_used(const void *at)
{
	for (unsigned i = 0; i < USED; i++)
		if (used[i].at == at)
			return &used[i];
	return NULL;
}

static void note_used_up(const void *place, const char *name, const struct list *now)
{
	const struct used *u = find_used(now);

	/* Another list may stand where another was. */
	if (u && find_list(now) && u->before.saved == now->saved && memcmp(&u->before, now, sizeof *now))
		probe_note(place, "va-list", "%s: a function took arguments from the list before, and no va_end came since", name);
}

static void use(const struct list *at, const struct list *before)
{
	struct used *u = find_used(at);

	if (!u)
		u = &used[used_last++ % USED];
	u->at = at;
	u->before = *before;
}

void muster_probe_list_end(va_list list)
{
	struct used *u = find_used(list);

	if (u)
		u->at = NULL;
}

void muster_probe_list_take(va_list list)
{
	note_used_up(__builtin_return_address(0), "va_arg", (const struct list *)list);
}

void muster_probe_list_copy(va_list to, va_list from)
{
	note_used_up(__builtin_return_address(0), "va_copy", (const struct list *)from);
	muster_probe_list_end(to);
}

_Static_assert(sizeof(struct list) == PROBE_LIST_WORDS * sizeof(uint64_t), "what the functions have room for");

void muster_probe_list_given(va_list list, void *before)
{
	if (list)
		memcpy(before, list, sizeof(struct list));
}

void muster_probe_list_back(va_list list, const void *before)
{
	if (list && memcmp(before, list, sizeof(struct list)))
		use((const struct list *)list, before);
}

void muster_probe_format_list(const char *name, int flags, const char *to, const char *format, va_list list)
{
	struct arguments a = {.name = name, .flags = flags, .to = to, .place = __builtin_return_address(0)};

	note_used_up(a.place, name, (const struct list *)list);
	a.types = types_left((const struct list *)list);
	va_copy(a.list, list);
	probe_check_format(&a, format);
	va_end(a.list);
	use((const struct list *)list, (const struct list *)list);
}
