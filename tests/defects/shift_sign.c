/* A one is shifted out of a signed integer.
 * site: arithmetic
 * san: left shift of
 */
int main(int argc, char **argv)
{
	int x = 0x40000000 * argc;
	return x << 2 == 1; /* HERE */
}
