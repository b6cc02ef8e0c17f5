/* No input at all: a path without symbolic branches.
 *
 * BRANCHES 0
 */
#include "case.h"

int main(int argc, char **argv) {
	(void)argv;
	IF(argc == 1); // nobranch
	return 0;
}
