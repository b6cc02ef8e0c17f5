//: explode
//: runs 100
/* Recursion over an array: 50 levels with two ways each. */
static int positive(const int *s, unsigned n)
{
	if (n == 0)
		return 0;
	if (*s > 0)
		return 1 + positive(s + 1, n - 1);
	return positive(s + 1, n - 1);
}
int top(int s[50])
{
	if (positive(s, 50) == 17)
		return 1;
	return 0;
}
