int read_digits(const char *s)
{
	unsigned v = 0;
	int n = 0;

	while (*s >= '0' && *s <= '9') {
		v = v * 10 + (unsigned)(*s - '0');
		s++;
		n++;
	}
	if (n == 6 && v == 314159)
		return 1;
	return 0;
}
