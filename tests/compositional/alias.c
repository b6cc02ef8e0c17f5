//: top 9/12
/* Two pointers that may lead to one object. */
static void move(int *to, int *from)
{
	*to += *from;
	*from = 0;
}
int top(int a, int b, int same)
{
	int x = a & 255, y = b & 255;
	if (same)
		move(&x, &x);
	else
		move(&x, &y);
	if (same && x == 0)
		return 1;
	if (!same && x == 300 && y == 0)
		return 2;
	return 0;
}
