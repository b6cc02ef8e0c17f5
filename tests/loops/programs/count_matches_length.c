int count_matches_length(const char *s)
{
	int count = 0;

	for (; *s; s++)
		if (*s == '(')
			count++;
	if (count == 7)
		return 1;
	return 0;
}
