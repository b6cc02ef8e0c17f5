/* A byte that is no truth value is read as one.
 * site: load
 * san: not a valid value for type
 */
#include <stdbool.h>
#include <string.h>
int main(int argc, char **argv)
{
	bool b;
	char two = 1 + argc;
	memcpy(&b, &two, 1);
	bool unused = b; /* HERE */
	return 0;
}
