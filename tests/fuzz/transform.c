/* transform: bytes are changed before they are compared: case, exclusive or, a table, base 16, reversal, a sum. */
#include "challenge.h"

#include <ctype.h>

static int nibble(int ch)
{
	return ch >= '0' && ch <= '9' ? ch - '0' : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t table[16] = {7, 2, 13, 0, 11, 6, 15, 4, 1, 9, 14, 3, 8, 5, 12, 10};
	char word[9] = {0};
	uint32_t sum = 0;
	NEED(size >= 32);
	for (int i = 0; i < 8; i++)
		word[i] = (char)toupper(data[i]);
	NEED(!strcmp(word, "CROWBAR!") && islower(data[0]));
	for (int i = 0; i < 8; i++)
		word[i] = (char)(data[8 + i] ^ (0x5a + i));
	NEED(!memcmp(word, "umbrella", 8));
	for (int i = 0; i < 4; i++)
		NEED(table[data[16 + i] & 15] == 3 * i + 1 - (i == 3 ? 2 : 0));
	for (int i = 0; i < 2; i++) {
		int high = nibble(data[20 + 2 * i]), low = nibble(data[21 + 2 * i]);
		NEED(high >= 0 && low >= 0 && (high << 4 | low) == 0xa7 + i);
	}
	for (int i = 0; i < 4; i++)
		word[i] = (char)data[27 - i];
	NEED(!memcmp(word, "REAL", 4));
	for (int i = 28; i < 32; i++)
		sum = sum * 31 + data[i];
	NEED(sum == 0x2f1d3b % 1000003);
	abort();
}
