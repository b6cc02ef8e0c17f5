/* A load through a null pointer whose value is not used.
 * site: load
 * san: null pointer
 */
#include <stddef.h>
static int *find(int x)
{
	return x > 5 ? &x : NULL;
}
int main(int argc, char **argv)
{
	int *p = find(argc);
	int unused = *p; /* HERE */
	return 0;
}
