/* A negative length becomes a huge one. C defines it; a checker looks at the conversion.
 * site: convert
 */
int main(int argc, char **argv)
{
	int length = -argc;
	unsigned long size = length; /* HERE */
	return size < 10;
}
