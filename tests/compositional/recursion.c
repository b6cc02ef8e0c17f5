/* Recursion by counting: 50 deep. */
static int count(unsigned n)
{
	if (n == 0)
		return 0;
	return 1 + count(n - 1);
}
int top(unsigned char n)
{
	if (count(n) == 50)
		return 1;
	return 0;
}
