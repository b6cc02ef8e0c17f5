/* Threads other than the first run concretely, safely, and are reported; the first goes on.
 *
 * INPUT \x05\x03\x08
 * FLAGS -pthread
 * PATH *thread*
 * ALLOW extern
 * SKIP dependence
 */
#include "case.h"
#include <pthread.h>

static int results[4];
static void *work(void *arg) {
	int i = (int)(intptr_t)arg;
	int sum = 0;
	for (int k = 0; k < 100000; k++)
		sum += in[k & 1];
	results[i] = sum;
	if (in[2] == 8)
		results[i] += i;
	return NULL;
}

int main(void) {
	load();
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, work, (void *)(intptr_t)i);
	IF(in[0] == 5);             // branch
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	IF(results[3] == 400003);
	IF(in[1] == 3);             // branch
	return 0;
}
