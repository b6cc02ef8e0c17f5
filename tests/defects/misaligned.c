/* An int is read from an odd address; the value is not used.
 * site: load
 * san: misaligned address
 */
int main(int argc, char **argv)
{
	char bytes[16] __attribute__((aligned(8))) = {0};
	int unused = *(int *)(bytes + argc); /* HERE */
	return 0;
}
