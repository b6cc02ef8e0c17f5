/* A heap block is given back twice.
 * site: call
 * san: double-free
 * signal: 6
 */
#include <stdlib.h>
int main(void)
{
	char *p = malloc(8), *q = malloc(8);
	free(p);
	free(p); /* HERE */
	free(q);
	return 0;
}
