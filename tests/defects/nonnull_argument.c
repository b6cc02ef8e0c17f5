/* Null for a parameter that must not be null.
 * site: call
 * san: null pointer passed as argument
 */
__attribute__((noinline, nonnull)) static int empty(const char *p)
{
	return p == 0;
}
int main(int argc, char **argv)
{
	return empty(argc > 5 ? "" : 0) == 3; /* HERE */
}
