/* crc32: a checksum that stands in the input, made with a table as zlib's is, and one that must come out as a constant. */
#include "challenge.h"

static uint32_t table[256];

static uint32_t crc32_of(const uint8_t *data, size_t size)
{
	uint32_t crc = ~0u;
	for (size_t i = 0; i < size; i++)
		crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xff];
	return ~crc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t stored;
	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
	}
	NEED(size >= 24);
	memcpy(&stored, data + 16, 4);
	NEED(data[3] == 'C' && data[9] == 0x80);
	NEED(crc32_of(data, 16) == stored);
	NEED(crc32_of(data + 20, 4) == 0x1badb002);
	NEED(data[0] > data[1]);
	abort();
}
