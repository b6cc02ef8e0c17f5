int down(unsigned n)
{
	int c = 0;

	while (n > 10) {
		n--;
		c++;
	}
	if (c == 555)
		return 1;
	return 0;
}
