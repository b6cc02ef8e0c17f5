static int length(int n)
{
	int c = 0;

	while (n > 1) {
		n -= 2;
		c++;
	}
	return c;
}

int callee(int n)
{
	if (n < 0)
		return -1;
	if (length(n) == 650)
		return 1;
	return 0;
}
