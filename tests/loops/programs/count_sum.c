int count_sum(const unsigned char a[16], int n)
{
	unsigned sum = 0;

	if (n < 0 || n > 16)
		return -1;
	for (int i = 0; i < n; i++)
		sum += a[i];
	if (sum == 2500)
		return 1;
	return 0;
}
