int product_total(unsigned n, unsigned m)
{
	unsigned c = 0;

	if (n > 1000 || m > 1000)
		return 0;
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < m; j++)
			c++;
	if (c == 391 * 7)
		return 1;
	return 2;
}
