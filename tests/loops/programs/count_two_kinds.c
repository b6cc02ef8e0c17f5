int count_two_kinds(const char a[40])
{
	int commas = 0, semis = 0;
	for (int i = 0; i < 40; i++) {
		if (a[i] == ',')
			commas++;
		if (a[i] == ';')
			semis++;
	}
	if (commas == semis && commas > 11)
		return 1;
	return 0;
}
