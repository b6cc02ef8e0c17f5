int header_records(const unsigned char *p, unsigned size)
{
	unsigned at = 1, records = 0;

	if (size < 1 || size > 64)
		return -1;
	for (unsigned i = 0; i < p[0]; i++) {
		if (at + 2 > size)
			return -2;
		at += 2;
		records++;
	}
	if (records == 21)
		return 1;
	return 0;
}
