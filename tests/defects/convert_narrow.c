/* A length is cut to eight bits. C defines it, so the sanitizers are silent; a checker is not.
 * site: convert
 */
int main(int argc, char **argv)
{
	unsigned length = 300 * argc;
	unsigned char stored = length; /* HERE */
	return 0;
}
