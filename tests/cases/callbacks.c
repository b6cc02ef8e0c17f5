/* Library code that calls back: the callback's labels are right, stale slots are never taken.
 *
 * INPUT dbca\x02\x07
 */
#define _GNU_SOURCE
#include "case.h"
#include <search.h>
#include <signal.h>

static int calls, seen;
static int compare(const void *a, const void *b) {
	calls++;
	return *(const unsigned char *)a - *(const unsigned char *)b;
}
static void visit(const void *node, VISIT which, int depth) {
	(void)depth;
	if (which == leaf || which == preorder)
		seen += **(unsigned char *const *)node;
}
static void at_end(void) { IF(in[5] == 7); }      // branch
static void on_signal(int n) { IF(in[4] + n == 12); } // branch

int main(void) {
	load();
	atexit(at_end);
	unsigned char sorted[4];
	memcpy(sorted, in, 4);
	qsort(sorted, 4, 1, compare);
	IF(sorted[0] == 'a');                           // branch
	unsigned char key = in[1];
	unsigned char *hit = bsearch(&key, sorted, 4, 1, compare);
	IF(hit && *hit == 'b');                         // branch
	void *root = NULL;
	for (int i = 0; i < 4; i++)
		tsearch(&sorted[i], &root, compare); // concrete: extern
	twalk(root, visit);
	IF(seen == 'a' + 'b' + 'c' + 'd');
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	return 0;
}
