//: explode
/* Calls in a loop whose results are counted. */
static int is_positive(int x)
{
	if (x > 0)
		return 1;
	return 0;
}
int top(int s[40])
{
	int count = 0;
	for (int i = 0; i < 40; i++)
		count += is_positive(s[i]);
	if (count == 17)
		return 1;
	return 0;
}
