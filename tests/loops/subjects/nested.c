/* Listing 3 in kind: nested loops, k grows by 5 in the inner one; the trip counts multiply. */
#ifndef THRESHOLD
#define THRESHOLD 25
#endif

int nested(int n, int m)
{
	int i = 0, j, k = 0, limit = THRESHOLD;

	while (i < n) {
		j = 0;
		while (j < m) {
			if (k > limit)
				return 1;
			k = k + 5;
			j++;
		}
		i++;
	}
	if (k == 0)
		return 2;
	return 0;
}
