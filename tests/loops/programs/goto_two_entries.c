int goto_two_entries(int n, int skip)
{
	int c = 0;

	if (skip)
		goto middle;
head:
	if (n <= 0)
		goto out;
	c++;
middle:
	c++;
	n--;
	goto head;
out:
	if (c == 901)
		return 1;
	if (c == 1000)
		return 2;
	return 0;
}
