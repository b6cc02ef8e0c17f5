/* Address arithmetic wraps around; nothing is read there.
 * site: pointer
 * san: overflowed to
 */
int main(int argc, char **argv)
{
	char *p = (char *)argv;
	unsigned long far = -(unsigned long)argc;
	return p + far < p; /* HERE */
}
