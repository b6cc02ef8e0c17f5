/* Atomics as plain operations: loads, stores, every fetch-op, exchange, compare-exchange, C11 and
 * builtin forms, several widths.
 *
 * INPUT \x05\x03\x09\x01
 */
#include "case.h"
#include <stdatomic.h>

static atomic_int counter;
static _Atomic unsigned char byte;
static _Atomic long long wide;
static unsigned plain;

int main(void) {
	load();
	atomic_store(&counter, in[0]);
	IF(atomic_load(&counter) == 5);                         // branch
	IF(atomic_fetch_add(&counter, in[1]) == 5);             // branch
	IF(counter == 8);                                       // branch
	IF(atomic_fetch_sub(&counter, 1) == 8);                 // branch
	IF(atomic_fetch_and(&counter, 3) == 7);                 // branch
	IF(atomic_fetch_or(&counter, in[2]) == 3);              // branch
	IF(atomic_fetch_xor(&counter, in[3]) == 11);            // branch
	IF(atomic_exchange(&counter, in[2]) == 10);             // branch
	int expected = 9;
	IF(atomic_compare_exchange_strong(&counter, &expected, in[0])); // branch
	IF(counter == 5);                                       // branch
	expected = 77;
	IF(atomic_compare_exchange_strong(&counter, &expected, 1)); // branch
	IF(expected == 5);                                      // branch
	byte = in[0];
	byte += in[1];
	IF(byte == 8);                                          // branch
	wide = in[2];
	wide *= 1000000007;
	IF(wide == 9000000063);                                 // branch
	plain = in[0];
	IF(__atomic_fetch_add(&plain, 2, __ATOMIC_SEQ_CST) == 5); // branch
	IF(__sync_val_compare_and_swap(&plain, 7, in[1]) == 7); // branch
	IF(__atomic_load_n(&plain, __ATOMIC_ACQUIRE) == 3);     // branch
	IF(__atomic_nand_fetch(&plain, in[3], __ATOMIC_SEQ_CST) == ~1u); // branch
	IF(__atomic_exchange_n(&plain, 4, __ATOMIC_SEQ_CST) == ~1u); // branch
	IF(plain == 4);                                         // nobranch
	return 0;
}
