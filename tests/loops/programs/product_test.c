int product_test(int n)
{
	for (int i = 0; i < n; i++)
		if (i * 12 == 9600)
			return 1;
	return 0;
}
