/* Two loops one after the other; the branch relates their counts. */
#ifndef THRESHOLD
#define THRESHOLD 25
#endif

int sequential(int n, int m)
{
	int a = 0, b = 0;

	for (int i = 0; i < n; i++)
		a++;
	for (int j = a; j < m; j++)
		b++;
	if (b == THRESHOLD)
		return 1;
	if (a == b + THRESHOLD / 2)
		return 2;
	return 0;
}
