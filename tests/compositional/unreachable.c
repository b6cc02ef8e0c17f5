//: top 5/6
/* A branch that no combination of results reaches. */
static int two(int x) { return x > 3 ? 2 : 4; }
int top(int a, int b)
{
	int k = two(a) + two(b);
	if (k == 6)
		return 1;
	if (k == 7)
		return 2;
	if (k == 8)
		return 3;
	return 0;
}
