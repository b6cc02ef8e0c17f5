//: explode
/* A callee in two loops, with a threshold in each. */
static int vowel(char c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'; }
int top(char s[5][6])
{
	int rows = 0;
	for (int i = 0; i < 5; i++) {
		int n = 0;
		for (int k = 0; k < 6; k++)
			n += vowel(s[i][k]);
		rows += n == 3;
	}
	if (rows == 4)
		return 1;
	return 0;
}
