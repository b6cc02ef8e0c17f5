/* Bit-fields: signed and unsigned, read, written next to each other, across bytes, compared.
 *
 * INPUT \xa5\x3c\x7e\x81\x10\x20\x30\x40
 */
#include "case.h"

struct fields {
	unsigned a : 3;
	int b : 5;
	unsigned c : 11;
	int d : 13;
	unsigned long long e : 37;
	_Bool f : 1;
	signed char g : 2;
};

struct header {
	uint32_t length : 24, kind : 7, last : 1;
};

int main(void) {
	load();
	struct fields s = {0};
	s.a = in[0];
	s.b = in[1];
	s.c = u16(0);
	s.d = u16(2);
	s.e = u64(0);
	s.f = in[0] > 5;
	s.g = (signed char)in[2];
	IF(s.a == 5);          // branch
	IF(s.b == -4);         // branch
	IF(s.c > 1000);        // branch
	IF(s.d < 0);           // branch
	IF(s.e == 1);          // branch
	IF(s.f);               // branch
	IF(s.g == -2);         // branch
	s.c++;
	IF(s.c == 0);          // branch
	s.b -= 7;
	IF(s.b == 5);          // branch
	s.d = 9;
	IF(s.c == 1190);       // branch
	struct header h;
	memcpy(&h, in, sizeof h);
	IF(h.length == 0x7e3ca5); // branch
	IF(h.kind == 1);       // branch
	IF(h.last);            // branch
	return 0;
}
