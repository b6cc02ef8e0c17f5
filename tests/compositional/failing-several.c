/* A callee with three defects, each of which the caller leads to: one does not hide the others. */
static int pick(int a, int b, unsigned char m)
{
	if (m == 1)
		return a / b;
	if (m == 2)
		return a % (b - 7);
	if (m == 3)
		return a / (b - 9);
	return a;
}
int top(int a, unsigned char b, unsigned char m)
{
	if (a < 0)
		return -1;
	if (pick(a, b, m) == 77)
		return 1;
	return 0;
}
