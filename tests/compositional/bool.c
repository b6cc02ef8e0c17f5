//: explode
/* Truth values of two predicates, combined. */
#include <stdbool.h>
static bool even(int x) { return (x & 1) == 0; }
static bool big(int x) { if (x > 1000) return true; return false; }
int top(int s[18])
{
	int both = 0, none = 0;
	for (int i = 0; i < 18; i++) {
		both += even(s[i]) & big(s[i]);
		none += !even(s[i]) & !big(s[i]);
	}
	if (both == 7 && none == 5)
		return 1;
	return 0;
}
