/* A shift by the width; the result is not used.
 * site: arithmetic
 * san: shift exponent 32 is too large
 */
int main(int argc, char **argv)
{
	int by = 31 + argc;
	unsigned unused = 1u << by; /* HERE */
	return 0;
}
