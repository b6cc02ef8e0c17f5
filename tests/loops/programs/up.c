int up(int n)
{
	int c = 0;

	for (int i = 0; i < n; i++)
		c++;
	if (c == 300)
		return 1;
	return 0;
}
