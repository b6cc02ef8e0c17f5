int stride3(int n)
{
	int i, steps = 0;

	for (i = 1; i < n; i += 3)
		steps++;
	if (i == 3001)
		return 1;
	if (steps > 5000)
		return 2;
	return 0;
}
