int limit;

int global_bound(void)
{
	int c = 0;

	for (int i = 0; i < limit; i++)
		c++;
	if (c == 512)
		return 1;
	return 0;
}
