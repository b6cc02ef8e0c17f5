//: explode
/* A state that goes from call to call. */
static int next(int state, char c)
{
	switch (state) {
	case 0:
		return c == 'm' ? 1 : 0;
	case 1:
		return c == 'u' ? 2 : 0;
	case 2:
		return c == 's' ? 3 : 0;
	default:
		return 3;
	}
}
int top(char s[16])
{
	int state = 0;
	for (int i = 0; i < 16; i++)
		state = next(state, s[i]);
	if (state == 3)
		return 1;
	return 0;
}
