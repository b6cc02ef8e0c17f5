//: explode
//: runs 100
/* Recursion that counts through a pointer: 30 levels with two ways each. */
static void count(const unsigned char *s, unsigned n, int *odd)
{
	if (n == 0)
		return;
	if (*s & 1)
		++*odd;
	count(s + 1, n - 1, odd);
}
int top(unsigned char s[30])
{
	int odd = 0;
	count(s, 30, &odd);
	if (odd == 13)
		return 1;
	return 0;
}
