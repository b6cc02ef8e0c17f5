/* A constant index beyond a local array is written; nobody reads the array.
 * site: store
 * san: index 5 out of bounds
 */
int main(void)
{
	int a[4];
	a[5] = 1; /* HERE */
	return 0;
}
