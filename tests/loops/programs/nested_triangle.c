int nested_triangle(int n)
{
	int k = 0;

	if (n > 5000)
		return -1;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < i; j++)
			k++;
	if (k > 4000)
		return 1;
	return 0;
}
