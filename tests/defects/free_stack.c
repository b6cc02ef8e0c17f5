/* An address that is no heap block is given back.
 * site: call
 * san: attempting free on address which was not malloc
 */
#include <stdlib.h>
int main(void)
{
	int x[4] = {0};
	int *volatile p = x;
	free(p); /* HERE */
	return x[0];
}
