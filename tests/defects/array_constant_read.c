/* A constant index beyond a local array; the value is not used.
 * site: load
 * san: index 7 out of bounds
 */
int main(void)
{
	int a[4] = {1, 2, 3, 4};
	int unused = a[7]; /* HERE */
	return 0;
}
