int skip_spaces(const char *s)
{
	int n = 0;

	while (*s == ' ') {
		s++;
		n++;
	}
	if (n == 12)
		return *s == 'k' ? 2 : 1;
	return 0;
}
