/* Arguments as input.
 *
 * ARGS -n 42 name
 * TRACE --args
 */
#include "case.h"

int main(int argc, char **argv) {
	IF(argc == 4);
	IF(argv[1][0] == '-');       // branch
	IF(atoi(argv[2]) == 42);     // branch
	IF(strcmp(argv[3], "name") == 0);
	return 0;
}
