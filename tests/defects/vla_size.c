/* An array of no elements.
 * site: alloca
 * san: variable length array bound
 */
int main(int argc, char **argv)
{
	int n = argc - 1;
	char text[n]; /* HERE */
	char *volatile kept = text;
	return kept == 0;
}
