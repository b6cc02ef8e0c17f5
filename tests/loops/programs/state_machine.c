int state_machine(int n)
{
	int state = 0, rounds = 0;

	if (n > 100000)
		return -1;
	while (n-- > 0) {
		switch (state) {
		case 0:
			state = 1;
			break;
		case 1:
			state = 2;
			break;
		default:
			state = 0;
			rounds++;
			break;
		}
	}
	if (rounds == 200)
		return 1;
	if (state == 2 && rounds > 300)
		return 2;
	return 0;
}
