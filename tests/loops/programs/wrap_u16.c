int wrap_u16(unsigned short a, unsigned short n)
{
	unsigned short c = a;

	for (unsigned short i = 0; i < n; i++)
		c += 7;
	if (n > 1000 && c < 50 && a > 60000)
		return 1;
	return 0;
}
