static int spin(int from, int to)
{
	int c = 0;

	for (int i = from; i < to; i++)
		c++;
	return c;
}

int callee_twice(int a, int b)
{
	int x = spin(0, a), y = spin(100, b);

	if (x == 410)
		return 1;
	if (y > 2000)
		return 2;
	return 0;
}
