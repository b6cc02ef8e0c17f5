/* Branches inside a loop that ends by a condition of its own, with a stride. */
#ifndef THRESHOLD
#define THRESHOLD 25
#endif

int inside(int n)
{
	int r = 0;
	long s = 1;

	do {
		if (s == 2l * THRESHOLD + 1)
			r |= 1;
		s += 2;
		n -= 1;
	} while (n > 3);
	if (s > 2l * THRESHOLD + 5)
		r |= 2;
	return r;
}
