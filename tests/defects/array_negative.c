/* An index below a local array.
 * site: store
 * san: index -1 out of bounds
 */
int main(int argc, char **argv)
{
	int a[4] = {0}, i = -argc;
	a[i] = 3; /* HERE */
	return a[0];
}
