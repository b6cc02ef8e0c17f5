/* The zeros at the end of nothing.
 * site: intrinsic
 * san: passing zero to
 */
int main(int argc, char **argv)
{
	unsigned none = argc - 1;
	return __builtin_ctz(none) == 77; /* HERE */
}
