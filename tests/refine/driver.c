/* driver.c: runs the functions of a generated file on many inputs in one process.
 *
 * Standard input: lines "FUNCTION P Q R". Standard output: for each the line of the source whose refinement failed, or 0. The
 * check that muster inserts is ours here: it jumps back instead of ending the process. */
#include <setjmp.h>
#include <stdio.h>

#define F(n) int f##n(int, int, int) __attribute__((weak));
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define ALL(X) TEN(X, ) TEN(X, 1) TEN(X, 2) TEN(X, 3)
ALL(F)

static jmp_buf back;
static int failed;

void muster_refine_holds(int holds, const char *text, const char *file, int line);
void muster_refine_holds(int holds, const char *text, const char *file, int line)
{
	(void)text, (void)file;
	if (!holds) {
		failed = line;
		longjmp(back, 1);
	}
}

int main(void)
{
#define ROW(n) f##n,
	static int (*const table[])(int, int, int) = {ALL(ROW)};
	int f, p, q, r;

	while (scanf("%d %d %d %d", &f, &p, &q, &r) == 4) {
		failed = 0;
		if (!setjmp(back))
			table[f](p, q, r);
		printf("%d\n", failed);
	}
	return 0;
}
