/* tokenizer.c: harness of our own tokenizer and expression parser (calc.c): a text is run as a program. */
#include "calc.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct calc c;

	calc_init(&c, (const char *)data, size);
	calc_run(&c);
	return 0;
}
