/* A callee that reads a global variable which the caller has set. */
static int mode;
static int scale(int x)
{
	if (mode == 1)
		return x > 5;
	if (mode == 2)
		return x > 50;
	return 0;
}
int top(int x, int y)
{
	mode = y > 0 ? 1 : 2;
	int k = scale(x);
	if (k && mode == 2)
		return 1;
	if (k)
		return 2;
	return 0;
}
