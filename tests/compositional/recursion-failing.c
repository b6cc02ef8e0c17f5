/* A defect that only a deep enough call has. */
static int table[12];
static int deep(unsigned n, unsigned at)
{
	if (n == 0)
		return table[at];
	return 1 + deep(n - 1, at + 1);
}
int top(unsigned char n)
{
	if (n > 20)
		return -1;
	if (deep(n, 0) == 7)
		return 1;
	return 0;
}
