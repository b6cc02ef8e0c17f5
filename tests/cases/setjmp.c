/* setjmp and longjmp, with the value from the input and locals changed in between; sigsetjmp too.
 *
 * INPUT \x07\x02
 */
#include "case.h"
#include <setjmp.h>

static jmp_buf where;
static sigjmp_buf where2;
static int depth;

static void down(int n, int value) {
	volatile char pad[64];
	pad[0] = (char)value;
	depth++;
	if (n == 0)
		longjmp(where, value); // concrete: extern
	down(n - 1, value);
	pad[1] = pad[0];
}

int main(void) {
	load();
	volatile int kept = in[1];
	int r = setjmp(where);
	if (r == 0) {
		kept += 1;
		down(5, in[0]);
	}
	IF(r == 7);          // nobranch
	IF(kept == 3);       // branch
	IF(depth == 6);
	int x = in[0] * 3;
	IF(x == 21);         // branch
	if (sigsetjmp(where2, 1) == 0)
		siglongjmp(where2, 1);
	IF(in[1] == 2);      // branch
	return 0;
}
