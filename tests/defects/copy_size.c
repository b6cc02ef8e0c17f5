/* A copy of more bytes than there are.
 * site: memory
 * san: buffer-overflow
 */
#include <string.h>
struct large {
	char bytes[32];
};
int main(void)
{
	char small[8] = "1234567";
	struct large *volatile from = (struct large *)small;
	struct large to;
	to = *from; /* HERE */
	return to.bytes[0] == 0;
}
