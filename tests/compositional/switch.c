/* What a callee returns is switched on. */
static int kind(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return 1;
	if (c >= 'a' && c <= 'z')
		return 2;
	if (c == '-')
		return 3;
	return 0;
}
int top(unsigned char a, unsigned char b)
{
	switch (kind(a)) {
	case 1:
		return kind(b) == 1 ? 11 : 12;
	case 2:
		return kind(b) == 2 ? 21 : 22;
	case 3:
		return kind(b) == 1 ? 31 : 32;
	default:
		return 0;
	}
}
