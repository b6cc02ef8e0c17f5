/* A variable is read after its block has ended.
 * site: load
 * san: stack-use-after-scope
 */
int main(int argc, char **argv)
{
	int *p;
	{
		int x[4] = {argc, 2, 3, 4};
		p = x;
	}
	return *p - 1; /* HERE */
}
