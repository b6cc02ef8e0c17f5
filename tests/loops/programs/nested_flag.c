int nested_flag(int n, int m)
{
	int seen = 0;

	if (n > 1000 || m > 1000)
		return -1;
	for (int i = 0; i < n; i++)
		for (int j = i; j < m; j++)
			if (i == 20 && j == 90)
				seen = 1;
	if (seen)
		return 1;
	return 0;
}
