int break_budget(int n)
{
	int budget = 1000;

	while (n > 0) {
		if (--budget == 0)
			break;
		n--;
	}
	if (budget == 0)
		return 1;
	if (budget == 333)
		return 2;
	return 0;
}
