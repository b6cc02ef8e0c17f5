/* Another thread overwrites labelled memory: its own stores clear the labels, no false label remains.
 *
 * INPUT \x05\x03
 * FLAGS -pthread
 * ALLOW extern
 */
#include "case.h"
#include <pthread.h>

static void *work(void *arg) {
	memset(in, 9, 1);
	in[1] = 7;
	return arg;
}

int main(void) {
	load();
	IF(in[0] == 5); // branch
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	IF(in[0] == 9); // nobranch
	IF(in[1] == 7); // nobranch
	return 0;
}
