/* Structures by value: in registers, on the stack, returned in registers and through memory, nested,
 * with arrays, with floats beside integers, assigned, compared byte by byte.
 *
 * INPUT \x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10
 */
#include "case.h"

struct one { unsigned char c; };
struct three { unsigned char c[3]; };
struct pair { int a, b; };
struct wide { long a, b; };
struct big { int n[10]; };
struct mixed { float f; int i; double d; };
struct nested { struct pair p; struct one o[2]; long l; };

static int take_one(struct one x) { return x.c; }
static int take_three(struct three x) { return x.c[0] + x.c[1] * x.c[2]; }
static long take_pair(struct pair x, struct wide y) { return x.a * y.b - x.b * y.a; }
static int take_big(int before, struct big x, int after) { return before + x.n[0] + x.n[9] + after; }
static int take_mixed(struct mixed x, int k) { return x.i * k; }
static struct pair make_pair(int a, int b) { return (struct pair){b, a}; }
static struct wide make_wide(long a) { return (struct wide){a, a * a}; }
static struct three make_three(const unsigned char *p) { return (struct three){{p[2], p[1], p[0]}}; }
static struct mixed make_mixed(int i) { return (struct mixed){1.5f, i, 2.5}; }
static struct big make_big(const unsigned char *p) {
	struct big b = {{0}};
	for (int i = 0; i < 10; i++)
		b.n[i] = p[i];
	return b;
}
static struct nested make_nested(int x) {
	return (struct nested){{x, x + 1}, {{(unsigned char)x}, {(unsigned char)(x + 1)}}, x};
}
static int change(struct big b) {
	b.n[0] = 99;
	return b.n[1];
}

int main(void) {
	load();
	IF(take_one((struct one){in[0]}) == 1);                                     // branch
	IF(take_three((struct three){{in[0], in[1], in[2]}}) == 7);                 // branch
	IF(take_pair((struct pair){in[0], in[1]}, (struct wide){in[2], in[3]}) == -2); // branch
	struct big b = make_big(in);
	IF(take_big(in[0], b, in[1]) == 14);                                        // branch
	IF(change(b) == 2);                                                         // branch
	IF(b.n[0] == 1);                                                            // branch
	IF(take_mixed(make_mixed(in[4]), in[5]) == 30);                             // branch
	IF(make_pair(in[0], in[1]).a == 2);                                         // branch
	IF(make_wide(in[3]).b == 16);                                               // branch
	IF(make_three(in).c[0] == 3);                                               // branch
	IF(make_big(in + 2).n[9] == 12);                                            // branch
	IF(make_nested(in[7]).o[1].c == 9);                                         // branch
	struct nested n = make_nested(in[7]), m;
	m = n;
	IF(m.p.b == 9);                                                             // branch
	IF(m.l == 8);                                                               // branch
	struct big (*f)(const unsigned char *) = make_big;
	IF(f(in).n[3] == 4);                                                        // branch
	return 0;
}
