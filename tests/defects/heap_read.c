/* One past the end of a heap block; the value is not used.
 * site: load
 * san: heap-buffer-overflow
 */
#include <stdlib.h>
int main(void)
{
	char *p = calloc(8, 1);
	char unused = p[8]; /* HERE */
	free(p);
	return 0;
}
