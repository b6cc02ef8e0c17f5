int sequential_three(int n, int m)
{
	int i = 0, c = 0;

	for (; i < n; i++)
		c++;
	for (; i < m; i++)
		c += 2;
	for (int j = 0; j < 10; j++)
		c++;
	if (c == 2010)
		return 1;
	if (c > 3000)
		return 2;
	return 0;
}
