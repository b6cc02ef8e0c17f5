//: explode
/* Results that are numbers of their argument, not constants. */
static int clamp(int x)
{
	if (x < 0)
		return 0;
	if (x > 9)
		return 9;
	return x;
}
int top(int s[25])
{
	int sum = 0;
	for (int i = 0; i < 25; i++)
		sum += clamp(s[i]);
	if (sum == 123)
		return 1;
	return 0;
}
