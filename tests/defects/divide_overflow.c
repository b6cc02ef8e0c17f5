/* The smallest integer divided by -1.
 * site: arithmetic
 * san: division of -2147483648 by -1
 * signal: 8
 */
#include <limits.h>
int main(int argc, char **argv)
{
	int small = INT_MIN + argc - 1;
	return small / -argc; /* HERE */
}
