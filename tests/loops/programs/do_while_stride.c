int do_while_stride(unsigned n)
{
	unsigned s = 0;

	do
		s += 5;
	while (s < n);
	if (s == 10000)
		return 1;
	return 0;
}
