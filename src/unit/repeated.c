/* repeated.c: findings that are another one once more.
 *
 * An access that leaves its object is seen as an overflow near the object, and as a wild or misaligned pointer farther out: two kinds, one line, one defect. The second is left out of what is reported where the
 * first is reported of every function that shows the second; it stays in the store.
 */
#include "unit/unit.h"

#include <string.h>

static int shows(const struct test_bug *b, uint32_t function)
{
	int found = b->function == function;
	for (size_t i = 0; i < b->also.size && !found; i++)
		found = b->also.data[i] == function;
	return found && test_is_blamed(b, function);
}

static int has_kind(const struct test_bug *b, const char *const *kinds)
{
	for (; *kinds; kinds++)
		if (!strcmp(b->finding.bug.kind, *kinds))
			return 1;
	return 0;
}

/* Is it what the access of another bug, in the same line and by calls of the same functions, comes to farther out? */
static int is_same_access(const struct test_bug *b, const struct test_bug *other)
{
	static const char *const far[] = {"SEGV", "misaligned-pointer-use", NULL}, *const near[] = {"heap-buffer-overflow", "stack-buffer-overflow", "global-buffer-overflow", "heap-use-after-free", "null-pointer-use", NULL};
	const struct result_bug *x = &b->finding.bug, *y = &other->finding.bug;
	if (other->owed || !y->confirmed || !has_kind(b, far) || !has_kind(other, near) || !x->line || x->line != y->line || strcmp(x->file, y->file) || strcmp(x->function, y->function))
		return 0;
	for (size_t i = 0; i < b->blamed.size; i++)
		if (!shows(other, b->blamed.data[i]))
			return 0;
	return 1;
}

void test_drop_repeated(struct test_session *s)
{
	for (size_t i = 0; i < s->bugs.size; i++) {
		struct test_bug *b = &s->bugs.data[i];
		for (size_t k = 0; k < s->bugs.size && b->finding.bug.confirmed && !b->owed && !b->program && !test_is_program_level(b); k++)
			b->owed |= is_same_access(b, &s->bugs.data[k]);
	}
}
