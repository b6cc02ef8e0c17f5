/* memcmp: blocks of bytes, through libc and against another part of the input. */
#include "challenge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t magic[16] = "\x89\x00\r\nMUSTER\x1a\xff\x80\x7f\x01";
	NEED(size >= 40);
	NEED(!memcmp(data, "ELEPHANT", 8));
	NEED(!memcmp(data + 8, magic, sizeof magic));
	NEED(!memcmp(data + 24, data, 4));
	NEED(memcmp(data + 28, "\x40\x00", 2) > 0 && memcmp(data + 28, "\x40\x03", 2) < 0);
	NEED(memchr(data + 30, 'Q', 4));
	abort();
}
