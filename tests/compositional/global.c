//: explode
/* An output in a global variable. */
static int total;
static void add(int x)
{
	if (x > 7)
		total += 3;
	else
		total += 1;
}
int top(int s[30])
{
	total = 0;
	for (int i = 0; i < 30; i++)
		add(s[i]);
	if (total == 50)
		return 1;
	return 0;
}
