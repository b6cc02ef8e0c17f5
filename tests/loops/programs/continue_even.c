int continue_even(int n)
{
	int odd = 0;

	for (int i = 0; i < n; i++) {
		if (i % 2 == 0)
			continue;
		odd++;
	}
	if (odd == 400)
		return 1;
	return 0;
}
