/* A load through a constant null pointer.
 * site: load
 * san: null pointer
 * signal: 11
 */
int main(void)
{
	int *p = 0;
	return *p; /* HERE */
}
