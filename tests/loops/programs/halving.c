int halving(unsigned n)
{
	int bits = 0;

	while (n) {
		n >>= 1;
		bits++;
	}
	if (bits == 23)
		return 1;
	return 0;
}
