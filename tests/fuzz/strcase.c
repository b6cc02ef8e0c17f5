/* strcase: comparisons that do not mind the case, and searching in strings. */
#include "challenge.h"

#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char a[33];
	NEED(size >= 32);
	memcpy(a, data, 32);
	a[32] = 0;
	NEED(!strncasecmp(a, "Content-", 8));
	NEED(!strcasecmp(a + 8, "length: 12345") || strchr(a + 8, ';'));
	NEED(a[0] == 'c' && a[1] == 'O');
	NEED(strstr(a + 8, "abc;"));
	abort();
}
