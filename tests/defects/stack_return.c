/* A local array is read after its function has returned.
 * site: load
 * san: stack-use-after-return
 */
static char *volatile kept;
__attribute__((noinline)) static void keep(void)
{
	char text[16] = "text";
	kept = text;
}
int main(void)
{
	keep();
	return *kept == 1; /* HERE */
}
