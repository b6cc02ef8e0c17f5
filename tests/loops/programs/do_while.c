int do_while(int n)
{
	int c = 0;

	do {
		c++;
		n--;
	} while (n > 0);
	if (c == 1)
		return 1;
	if (c == 2222)
		return 2;
	return 0;
}
