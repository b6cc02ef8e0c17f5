/* A callee that nobody can invert: the answer is the one that was seen. */
static unsigned hash(unsigned x)
{
	for (int i = 0; i < 8; i++)
		x = (x ^ (x >> 7)) * 2654435761u + 12345u;
	return x;
}
int top(unsigned x, unsigned y)
{
	unsigned h = hash(x);
	if (y == h)
		return 1;
	if (x == 77)
		return 2;
	return 0;
}
