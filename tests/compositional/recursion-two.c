/* Two calls inside of each. */
static int fib(unsigned n)
{
	if (n > 8)
		return 0;
	return n < 2 ? (int)n : fib(n - 1) + fib(n - 2);
}
int top(unsigned char n)
{
	if (fib(n) == 21)
		return 1;
	return 0;
}
