//: runs 600
//: explode
/* An output parameter, and an error code that the caller checks: 50 calls whose outputs add up. */
static int take(int x, int *out)
{
	if (x < 0)
		return -1;
	if (x > 100)
		return -2;
	*out = x > 50 ? 2 : 1;
	return 0;
}
int top(int s[50])
{
	int sum = 0;
	for (int i = 0; i < 50; i++) {
		int v = 0;
		if (take(s[i], &v))
			return -1;
		sum += v;
	}
	if (sum == 77)
		return 1;
	return 0;
}
