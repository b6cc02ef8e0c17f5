/* The negative of the smallest integer.
 * site: arithmetic
 * san: negation of
 */
#include <limits.h>
int main(int argc, char **argv)
{
	int small = INT_MIN + argc - 1;
	return -small == 1; /* HERE */
}
