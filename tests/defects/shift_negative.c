/* A shift by less than nothing.
 * site: arithmetic
 * san: shift exponent -1 is negative
 */
int main(int argc, char **argv)
{
	return 4 >> -argc == 5; /* HERE */
}
