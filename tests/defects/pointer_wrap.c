/* Address arithmetic wraps around; nothing is read there.
 * site: pointer
 * san: pointer index expression
 */
int main(int argc, char **argv)
{
	char c[4];
	unsigned long far = -(unsigned long)argc - 15;
	return c + (far << 4 >> 1) + (1ul << 63) < c; /* HERE */
}
