int count_balance(const char a[24])
{
	int depth = 0, deepest = 0;

	for (int i = 0; i < 24; i++) {
		if (a[i] == '(')
			depth++;
		else if (a[i] == ')')
			depth--;
		if (depth < 0)
			return -1;
		if (depth > deepest)
			deepest = depth;
	}
	if (depth == 0 && deepest == 9)
		return 1;
	return 0;
}
