/* A signed multiplication overflows.
 * site: arithmetic
 * san: signed integer overflow
 */
int main(int argc, char **argv)
{
	long n = 4611686018427387904 * argc;
	return n * 2 == 1; /* HERE */
}
