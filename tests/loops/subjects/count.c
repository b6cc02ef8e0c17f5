/* The document's first program: x depends on the input y through the number of iterations only. */
#ifndef THRESHOLD
#define THRESHOLD 25
#endif

int count(int y)
{
	int x = 0;

	while (y > 0) {
		x++;
		y--;
	}
	if (x > THRESHOLD)
		return 1;
	return 0;
}
