/* The result of one call is the argument of the next. */
static int max(int a, int b) { return a > b ? a : b; }
int top(int a, int b, int c, int d)
{
	int m = max(max(a, b), max(c, d));
	if (m == 1234)
		return 1;
	if (m == a && m == d && m > 5)
		return 2;
	return 0;
}
