//: explode
/* 50 calls whose error codes add up behind an output parameter. */
static int check(unsigned char c, int *errors)
{
	if (c >= 32 && c < 127)
		return 0;
	*errors += c == 0 ? 2 : 1;
	return -1;
}
static int all(const unsigned char *s, int *errors)
{
	*errors = 0;
	for (int i = 0; i < 50; i++)
		check(s[i], errors);
	return *errors;
}
int top(unsigned char s[50])
{
	int errors;
	all(s, &errors);
	if (errors == 33)
		return 1;
	return 0;
}
