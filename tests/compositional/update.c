//: explode
/* State in a structure of the caller's that every call changes. */
struct counter {
	int hits, misses;
};
static void note(struct counter *c, int x)
{
	if (x == 4)
		c->hits++;
	else
		c->misses++;
}
int top(int s[24])
{
	struct counter c = {0, 0};
	for (int i = 0; i < 24; i++)
		note(&c, s[i]);
	if (c.hits == 9)
		return 1;
	return 0;
}
