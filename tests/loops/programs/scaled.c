int scaled(int n)
{
	int i, off = 0;

	for (i = 0; i < n; i++)
		off = i * 8 + 4;
	if (off == 4004)
		return 1;
	return 0;
}
