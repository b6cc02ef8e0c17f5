/* A floating-point number that no int can hold; the integer is not used.
 * site: float
 * san: outside the range of representable values
 */
int main(int argc, char **argv)
{
	double d = 1e20 * argc;
	int unused = (int)d; /* HERE */
	return 0;
}
