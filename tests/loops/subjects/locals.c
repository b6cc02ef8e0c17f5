/* The conditions name local variables only. */
#ifndef THRESHOLD
#define THRESHOLD 25
#endif

int locals(unsigned k)
{
	long a = 0, b = THRESHOLD;

	for (unsigned i = 0; i < k; i += 2) {
		a += 3;
		b--;
	}
	if (a == 3l * (THRESHOLD / 3))
		return 1;
	if (a > b && b > 0)
		return 2;
	return 0;
}
