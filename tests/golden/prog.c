/* prog: a program whose input decides whether it divides by zero. */
#include <stdio.h>

static int share(int whole, int parts)
{
	return whole / parts;
}

int main(void)
{
	int a = getchar(), b = getchar();
	for (int i = 0; i < 3; i++)
		if (a == 'a' + i)
			putchar(a);
	if (a != 'x')
		return 0;
	return share(7, b - '0') > 5;
}
