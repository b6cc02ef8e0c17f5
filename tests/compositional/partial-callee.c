/* A callee with a static variable has no summary that may stand for a call: it is followed as it is. */
static int step(int x)
{
	static int calls;
	calls++;
	return x > 3 ? calls : 0;
}
int top(int a, int b)
{
	if (step(a) + step(b) == 3)
		return 1;
	return 0;
}
