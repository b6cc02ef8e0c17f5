static void advance(int *at, int n)
{
	while (n > 0) {
		*at += 1;
		n--;
	}
}

int callee_pointer(int n)
{
	int at = 5;

	advance(&at, n);
	if (at == 1005)
		return 1;
	return 0;
}
