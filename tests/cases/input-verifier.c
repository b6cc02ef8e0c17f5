/* __VERIFIER_nondet_*: each call takes its bytes from the input.
 *
 * INPUT \x05\x00\x00\x00\x07\x01\x00\x00\x00\x00\x00\x00\x00\x02\x03\x00\x09
 * SKIP native
 */
#include <stdio.h>

extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern short __VERIFIER_nondet_short(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main(void) {
	int a = __VERIFIER_nondet_int();
	if (a == 5) // branch
		puts("five");
	char c = __VERIFIER_nondet_char();
	if (c == 7) // branch
		puts("seven");
	unsigned long l = __VERIFIER_nondet_ulong();
	if (l > 100) // branch
		puts("large");
	short s = __VERIFIER_nondet_short();
	if (s < 0) // branch
		puts("negative");
	if (__VERIFIER_nondet_bool()) // branch
		puts("true");
	return 0;
}
