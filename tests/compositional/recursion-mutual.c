//: explode
//: runs 100
/* Two functions that call each other along an array: 40 levels with two ways each. */
static int falling(const unsigned char *s, unsigned n);
static int rising(const unsigned char *s, unsigned n)
{
	if (n == 0)
		return 0;
	if (*s > 100)
		return 1 + falling(s + 1, n - 1);
	return falling(s + 1, n - 1);
}
static int falling(const unsigned char *s, unsigned n)
{
	if (n == 0)
		return 0;
	if (*s < 50)
		return 1 + rising(s + 1, n - 1);
	return rising(s + 1, n - 1);
}
int top(unsigned char s[40])
{
	if (rising(s, 40) == 21)
		return 1;
	return 0;
}
