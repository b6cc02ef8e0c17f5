/* Before the start of a heap block.
 * site: store
 * san: heap-buffer-overflow
 */
#include <stdlib.h>
int main(void)
{
	char *p = malloc(8);
	p[-1] = p[0] = 0; /* HERE */
	return 0;
}
