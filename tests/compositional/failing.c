/* A callee that fails for some arguments: the caller keeps away from these, but for one. */
static int divide(int a, int b)
{
	if (b > 100)
		return 0;
	return a / b;
}
int top(int a, int b)
{
	if (b <= 0)
		return -1;
	if (divide(a, b) == 7)
		return 1;
	if (divide(a, b - 1) == 3)
		return 2;
	return 0;
}
