/* Listing 1 of the document in kind: a copy of the input drives the loop, the branch behind it is on the count alone. */
#ifndef THRESHOLD
#define THRESHOLD 25
#endif

int copy(int x)
{
	int i = 0, p = x;

	while (1) {
		if (p <= 0)
			break;
		i = i + 1;
		p = p - 1;
	}
	if (i == THRESHOLD)
		return 1;
	return 0;
}
