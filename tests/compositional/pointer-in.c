/* A structure of the caller's, read through a pointer: one path reads what the other does not. */
struct item {
	int kind;
	int a, b;
};
static int weigh(const struct item *p)
{
	if (p->kind == 1)
		return p->a > 100 ? 3 : 1;
	return p->b > 200 ? 5 : 2;
}
int top(int kind, int a, int b)
{
	struct item x = {kind, a, b};
	int k = weigh(&x);
	if (k == 5)
		return 1;
	if (k == 3)
		return 2;
	return 0;
}
