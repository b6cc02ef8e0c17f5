int two_counters(int n)
{
	int lo = 0, hi = n;

	if (n > 1000000)
		return -1;
	while (lo < hi) {
		lo++;
		hi--;
	}
	if (lo == 1234)
		return 1;
	return 0;
}
