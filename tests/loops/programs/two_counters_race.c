int two_counters_race(int a, int b)
{
	int steps = 0;

	if (a < 0 || b < 0 || a > 50000 || b > 50000)
		return -1;
	while (a < b) {
		a += 2;
		b += 1;
		steps++;
	}
	if (steps == 900)
		return 1;
	return 0;
}
