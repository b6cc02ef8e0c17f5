int nested_square(unsigned char n, unsigned char m)
{
	int k = 0;

	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++)
			k++;
	if (k > 2000)
		return 1;
	return 0;
}
