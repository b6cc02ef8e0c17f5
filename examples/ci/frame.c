#include "frame.h"

static const int price[] = {3, 5, 5, 9};

int frame_used(int length)
{
	if (length < 0)
		return 0;
	if (length > FRAME_MOST)
		return 100;
	return length * 100 / FRAME_MOST;
}

int frame_check(int kind, int length)
{
	if (kind < 1 || kind > 4)
		return -1;
	return length >= 0 && length <= FRAME_MOST ? 0 : -1;
}

int frame_cost(int kind, int length)
{
	if (frame_check(kind, length))
		return -1;
	return price[kind - 1] * (length + 2);
}
