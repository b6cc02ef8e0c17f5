int break_out(int n, int stop)
{
	int i;

	for (i = 0; i < n; i++)
		if (i == stop)
			break;
	if (i == 640 && i < n)
		return 1;
	return 0;
}
