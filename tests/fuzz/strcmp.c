/* strcmp: words that end in a zero byte, compared through libc. */
#include "challenge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char a[16], b[16];
	NEED(size >= 32);
	memcpy(a, data, 15);
	memcpy(b, data + 16, 15);
	a[15] = b[15] = 0;
	NEED(!strncmp(a, "key=", 4));
	NEED(!strcmp(a + 4, "velvet"));
	NEED(strlen(b) == 9);
	NEED(!strcmp(b + 3, "harbor"));
	NEED(b[0] == a[4] && b[1] == a[5] && b[2] == '-');
	abort();
}
