/* A division by zero whose result is not used.
 * site: arithmetic
 * san: division by zero
 */
int main(int argc, char **argv)
{
	int unused = 100 % (argc - 1); /* HERE */
	return 0;
}
