//: explode
/* A chain of four functions, called often. */
static int a(int x) { return x > 10 ? 2 : 1; }
static int b(int x) { return a(x) + (x > 20); }
static int c(int x) { return b(x) * 2 + (x > 30); }
int top(int s[20])
{
	int sum = 0;
	for (int i = 0; i < 20; i++)
		sum += c(s[i]);
	if (sum == 61)
		return 1;
	return 0;
}
