/* A test for overflow that relies on overflow: optimisers remove it.
 * site: arithmetic
 * san: signed integer overflow
 * status: 7
 */
#include <limits.h>
__attribute__((noinline)) static int grows(int x)
{
	return x + 1 > x; /* HERE */
}
int main(int argc, char **argv)
{
	return grows(INT_MAX - 1 + argc) ? 0 : 7;
}
