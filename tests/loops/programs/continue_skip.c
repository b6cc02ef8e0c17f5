int continue_skip(int n, int from)
{
	int c = 0;

	if (from < 0 || from > 3000)
		return -1;
	for (int i = 0; i < n; i++) {
		if (i < from)
			continue;
		c++;
	}
	if (c == 1200)
		return 1;
	return 0;
}
