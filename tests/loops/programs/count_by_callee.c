static int count(const char *s, int n, char c)
{
	int k = 0;
	for (int i = 0; i < n; i++)
		if (s[i] == c)
			k++;
	return k;
}
int count_by_callee(const char a[32])
{
	if (count(a, 32, 'x') == 5 && count(a, 32, 'y') == 9)
		return 1;
	return 0;
}
