/* whole: a program with a defect that its input reaches, and one that no input does. */
#include <stdio.h>

int ratio(int a, int b)
{
	return a / b;
}

int pick(const char *text, unsigned i)
{
	return text[i & 3];
}

int main(void)
{
	int a = getchar();
	return a == 'q' ? ratio(a, getchar() - 'z') : pick("abc", (unsigned)a);
}
