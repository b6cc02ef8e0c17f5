//: runs 40
/* Recursion along a list: a record of each length, and what lies in it. */
struct node {
	int value;
	struct node *next;
};
static int sum(const struct node *p)
{
	if (!p)
		return 0;
	if (p->value < 0)
		return -1;
	return (p->value & 7) + sum(p->next);
}
int top(struct node *p)
{
	int n = sum(p);
	if (n == 9)
		return 1;
	if (n < 0)
		return 2;
	return 0;
}
