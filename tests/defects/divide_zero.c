/* A division by zero.
 * site: arithmetic
 * san: division by zero
 * signal: 8
 */
int main(int argc, char **argv)
{
	return 100 / (argc - 1); /* HERE */
}
