/* A text that does not fit its array.
 * site: call
 * san: stack-buffer-overflow
 */
#include <string.h>
int main(int argc, char **argv)
{
	char to[4], *volatile from = "seven..";
	strcpy(to, from); /* HERE */
	return to[0] == 0;
}
