int count_matches(const unsigned char a[32])
{
	int count = 0;

	for (int i = 0; i < 32; i++)
		if (a[i] == 'x')
			count++;
	if (count == 7)
		return 1;
	return 0;
}
