/* Two callees that share a third. */
static int base(int x) { return x < 0 ? -x / 2 : x / 2; }
static int left(int x) { return base(x) > 5 ? 1 : 2; }
static int right(int x) { return base(x - 7) > 5 ? 4 : 8; }
int top(int x)
{
	int k = left(x) + right(x);
	if (k == 5)
		return 1;
	if (k == 6)
		return 2;
	if (k == 9)
		return 3;
	return 0;
}
