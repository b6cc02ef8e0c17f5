int wrap_mask(unsigned n)
{
	unsigned at = 0;

	if (n > 5000)
		return -1;
	for (unsigned i = 0; i < n; i++)
		at = (at + 1) & 255;
	if (n > 1000 && at == 17)
		return 1;
	return 0;
}
