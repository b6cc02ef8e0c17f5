int count_sum_if(const unsigned char a[20])
{
	int sum = 0;
	for (int i = 0; i < 20; i++)
		if (a[i] > 100)
			sum += a[i];
	if (sum == 1234)
		return 1;
	return 0;
}
