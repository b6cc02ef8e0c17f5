int wrap_u8(unsigned char start)
{
	unsigned char c = start;
	int steps = 0;

	while (c != 3) {
		c++;
		steps++;
	}
	if (steps == 250)
		return 1;
	return 0;
}
