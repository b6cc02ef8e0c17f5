/* A libFuzzer harness, unchanged: no main.
 *
 * INPUT FUZZ\x01
 * SKIP native
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	if (size < 4) // branch
		return 0;
	if (data[0] == 'F' && data[1] == 'U') // branch
		puts("deep");
	if (size == 5) // branch
		puts("five");
	return 0;
}
