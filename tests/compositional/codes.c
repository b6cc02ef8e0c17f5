/* Error codes one after another, each checked. */
static int check(unsigned char c, unsigned char low, unsigned char high)
{
	if (c < low)
		return -1;
	if (c > high)
		return 1;
	return 0;
}
int top(unsigned char a, unsigned char b, unsigned char c)
{
	if (check(a, 10, 20))
		return 1;
	if (check(b, 30, 40) < 0)
		return 2;
	if (check(c, 50, 60) > 0)
		return 3;
	if (check(a, 15, 15) == 0 && check(b, 33, 35) == 0)
		return 4;
	return 0;
}
