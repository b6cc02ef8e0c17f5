/* Constructors, destructors, thread-local and weak symbols run as they do natively.
 *
 * INPUT ab
 */
#include "case.h"

static int made;
static _Thread_local unsigned char kept[2];
__attribute__((weak)) int weak_value(void) { return 5; }
extern int missing(void) __attribute__((weak));

__attribute__((constructor)) static void before(void) {
	load();
	made = in[0];
}

__attribute__((destructor)) static void after(void) { IF(kept[1] == 'b'); } // branch

int main(void) {
	IF(made == 'a');        // branch
	memcpy(kept, in, 2);
	IF(kept[0] == 'a');     // branch
	IF(weak_value() == 5);  // nobranch
	IF(missing == NULL);    // nobranch
	return 0;
}
