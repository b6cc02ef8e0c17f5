int count_longest_run(const unsigned char a[24])
{
	int run = 1, best = 1;
	for (int i = 1; i < 24; i++) {
		if (a[i] == a[i - 1])
			run++;
		else
			run = 1;
		if (run > best)
			best = run;
	}
	if (best == 6)
		return 1;
	return 0;
}
