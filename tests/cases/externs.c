/* A function without a body: labelled arguments are given up, what it writes is concrete, what it does
 * not touch keeps its labels.
 *
 * INPUT \x05\x03hello\x00
 */
#define _GNU_SOURCE
#include "case.h"
#include <sched.h>
#include <time.h>
#include <wchar.h>

int main(void) {
	load();
	struct timespec t = {in[0], in[1]};
	IF(t.tv_sec == 5);                    // branch
	clock_gettime(CLOCK_MONOTONIC, &t); // concrete: extern
	IF(t.tv_sec < 0);                     // nobranch
	div_t q = div(in[0], 3);
	IF(q.quot == 1);                      // branch
	int top = sched_get_priority_max(in[1]); // concrete: extern
	IF(top == -1);                        // nobranch
	char text[8];
	memcpy(text, in + 2, 6);
	IF(getpid() == 1);                    // nobranch
	IF(text[0] == 'h');                   // branch
	ssize_t w = write(1, text, 5);
	IF(w == 5);                           // nobranch
	IF(text[1] == 'e');                   // branch
	return 0;
}
