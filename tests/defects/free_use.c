/* A heap block is read after it was given back.
 * site: load
 * san: heap-use-after-free
 */
#include <stdlib.h>
int main(void)
{
	int *p = malloc(sizeof *p);
	*p = 0;
	free(p);
	int unused = *p; /* HERE */
	return 0;
}
