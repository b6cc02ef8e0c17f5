/* strtol and its family, atoi, labs, div by hand.
 *
 * INPUT -123 0x7f 077 99999999999 4294967297zz\x00
 */
#include "case.h"
#include <errno.h>
#include <inttypes.h>

int main(void) {
	load();
	char *p = (char *)in, *end;
	long a = strtol(p, &end, 10);
	IF(a == -123);                   // branch
	unsigned long b = strtoul(end, &end, 0);
	IF(b == 127);                    // branch
	long long c = strtoll(end, &end, 0);
	IF(c == 63);                     // branch
	unsigned long long d = strtoull(end, &end, 10);
	IF(d == 99999999999);            // branch
	intmax_t e = strtoimax(end, &end, 10);
	IF(e == 4294967297);             // branch
	IF(*end == 'z');                 // branch
	IF(atoi(p) == -123);             // branch
	IF(atol(p + 1) == 123);          // branch
	IF(atoll(p) < 0);                // branch
	IF(labs(a) == 123);              // branch
	errno = 0;
	IF(strtol("99999999999999999999", NULL, 10) > 0 && errno == ERANGE); // nobranch
	return 0;
}
