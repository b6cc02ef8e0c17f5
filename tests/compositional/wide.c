/* Arguments and results of several widths. */
static unsigned char low(unsigned long x) { return x > 1000 ? (unsigned char)(x >> 8) : (unsigned char)x; }
static long wide(signed char c) { return c < 0 ? -1000000L * c : c; }
int top(unsigned long x, signed char c)
{
	if (low(x) == 200 && x > 5000)
		return 1;
	if (wide(c) == 5000000)
		return 2;
	return 0;
}
