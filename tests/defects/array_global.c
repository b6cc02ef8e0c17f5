/* A constant index beyond a global array; the value is not used.
 * site: load
 * san: index 10 out of bounds
 */
static const char digits[10] = "0123456789";
int main(void)
{
	char unused = digits[10]; /* HERE */
	return 0;
}
