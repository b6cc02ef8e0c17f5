//: runs 60
/* What calls add up to, and what a loop of the caller counts: summaries and merged paths on one path. */
static int grade(unsigned char c)
{
	if (c < 10)
		return 0;
	return c < 100 ? 3 : 7;
}
int top(unsigned char s[50])
{
	int sum = 0, count = 0;
	for (int i = 0; i < 24; i++)
		sum += grade(s[i]);
	for (int i = 24; i < 50; i++)
		if (s[i] == 'x')
			count++;
	if (sum == 101 && count == 9)
		return 1;
	return 0;
}
