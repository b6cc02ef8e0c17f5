/* length: how long the input is, and what stands at its end. */
#include "challenge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	NEED(size > 50);
	NEED(size % 8 == 3);
	NEED(data[0] == size);
	NEED(data[size - 1] == 'Z');
	NEED(data[1] > 20 && data[1] < 40);
	NEED(data[size - data[1]] == 'Y');
	NEED(size == 91);
	abort();
}
