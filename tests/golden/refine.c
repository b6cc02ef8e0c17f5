#include <muster/muster.h>

int half(int x MUSTER_REFINE("x > 0"))
{
	return 100 / x;
}

int good(void)
{
	return half(4);
}

int bad(void)
{
	return half(-4);
}

int open(int y)
{
	return half(y);
}
