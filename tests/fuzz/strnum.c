/* strnum: numbers that are written out. */
#include "challenge.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char a[9], b[13], c[11];
	unsigned x = 0, y = 0;
	NEED(size >= 30);
	memcpy(a, data, 8);
	memcpy(b, data + 8, 12);
	memcpy(c, data + 20, 10);
	a[8] = b[12] = c[10] = 0;
	NEED(atoi(a) == 83721);
	NEED(strtoul(b, NULL, 16) == 0xbadc0de);
	NEED(sscanf(c, "%u:%u", &x, &y) == 2);
	NEED(x == 640 && y > 470 && y < 490);
	abort();
}
