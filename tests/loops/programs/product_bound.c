int product_bound(int n, int k)
{
	int i = 0;

	if (k < 2 || k > 9 || n > 20000)
		return -1;
	while (i * k < n)
		i++;
	if (i == 1500)
		return 1;
	return 0;
}
