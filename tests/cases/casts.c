/* Conversions: truncation, zero and sign extension, through pointers and unions, inttoptr and back.
 *
 * INPUT \xf0\x81\xff\x7f\x01\x00\x00\x80
 */
#include "case.h"

union pun {
	uint32_t word;
	int16_t half[2];
	uint8_t byte[4];
};

int main(void) {
	load();
	IF((signed char)in[0] < 0);                       // branch
	IF((int64_t)(int16_t)u16(0) == -32272);           // branch
	IF((uint64_t)u16(0) == 0x81f0);                   // branch
	IF((uint8_t)u32(0) == 0xf0);                      // branch
	IF((int32_t)u64(0) == 0x7fff81f0);                // branch
	IF((__int128)(int64_t)u64(0) < 0);                // branch
	union pun p = {.word = u32(0)};
	IF(p.half[1] == 0x7fff);                          // branch
	IF(p.byte[1] == 0x81);                            // branch
	p.byte[2] = in[4];
	IF(p.word == 0x7f0181f0);                         // branch
	uintptr_t n = (uintptr_t)(char *)(uintptr_t)u32(4);
	IF(n == 0x80000001);                              // branch
	uint8_t bytes[8];
	*(uint64_t *)(void *)bytes = u64(0) + 1;
	IF(bytes[0] == 0xf1);                             // branch
	IF(*(uint16_t *)(void *)(bytes + 1) == 0xff81);   // branch
	return 0;
}
