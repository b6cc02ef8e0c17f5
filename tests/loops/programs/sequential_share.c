int sequential_share(int n)
{
	int a = 0, b = 0;

	while (a < n)
		a++;
	while (b < a + a)
		b++;
	if (b == 1500)
		return 1;
	return 0;
}
