/* Two functions that call each other. */
static int odd(unsigned n);
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
int top(unsigned char n, unsigned char m)
{
	if (n > 12 || m > 12)
		return -1;
	if (even(n) && odd(m))
		return 1;
	return 0;
}
