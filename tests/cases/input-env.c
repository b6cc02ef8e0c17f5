/* An environment variable as input.
 *
 * ENV MODE=fast
 * TRACE --env MODE
 */
#include "case.h"

int main(void) {
	const char *mode = getenv("MODE");
	if (!mode)
		return 1;
	IF(mode[0] == 'f');          // branch
	IF(strcmp(mode, "fast") == 0);
	return 0;
}
