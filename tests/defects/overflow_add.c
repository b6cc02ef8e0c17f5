/* A signed addition overflows; the sum is not used.
 * site: arithmetic
 * san: signed integer overflow
 */
#include <limits.h>
int main(int argc, char **argv)
{
	int big = INT_MAX - 1 + argc;
	int unused = big + 1; /* HERE */
	return 0;
}
