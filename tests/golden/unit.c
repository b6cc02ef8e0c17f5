/* unit: functions of every verdict, two of them with a defect. */
#include <stddef.h>

struct item {
	struct item *next;
	int value;
};

int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : -1;
}

int percent(int share, int total)
{
	if (share > total)
		return 100;
	return (int)((long)share * 100 / total);
}

int second(const struct item *list)
{
	return list ? list->next->value : 0;
}

double half(double x)
{
	return x > 1.0 ? x / 2 : 0;
}

unsigned sum(unsigned n)
{
	unsigned s = 0;
	for (unsigned i = 0; i < (n & 7); i++)
		s += i;
	return s;
}

int asks_percent(int share, int total)
{
	return percent(share, total) > 50;
}
