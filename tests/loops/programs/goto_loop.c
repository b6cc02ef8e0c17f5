int goto_loop(int n)
{
	int c = 0;

again:
	if (c < n) {
		c++;
		goto again;
	}
	if (c == 850)
		return 1;
	return 0;
}
