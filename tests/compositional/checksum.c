//: explode
/* A parser: a field, its length and a count of fields of one kind, each by a function of its own. */
static int type_of(unsigned char c)
{
	if (c < 16)
		return 0;
	if (c < 32)
		return 1;
	if (c == 200)
		return 2;
	return 3;
}
int top(unsigned char p[32])
{
	int seen[4] = {0, 0, 0, 0};
	for (int i = 0; i < 32; i++)
		seen[type_of(p[i])]++;
	if (seen[2] == 3 && seen[1] == 10)
		return 1;
	return 0;
}
