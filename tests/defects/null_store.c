/* A store through a null pointer, in front of the test for it.
 * site: store
 * san: null pointer
 * signal: 11
 */
#include <stddef.h>
static int set(int *p)
{
	*p = 1; /* HERE */
	return p ? 0 : 1;
}
int main(int argc, char **argv)
{
	int x;
	return set(argc > 5 ? &x : NULL);
}
