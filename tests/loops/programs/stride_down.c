int stride_down(int n)
{
	int c = 0;

	if (n > 100000)
		return -1;
	while (n >= 4) {
		n -= 4;
		c++;
	}
	if (c == 777 && n == 2)
		return 1;
	return 0;
}
