int down_to_zero(unsigned short n)
{
	int sum = 7;

	while (n--)
		sum += 2;
	if (sum == 4007)
		return 1;
	return 0;
}
