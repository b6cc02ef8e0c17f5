/* Beyond an array inside a structure, into its neighbour.
 * site: store
 * san: index 4 out of bounds
 */
struct pair {
	char name[4];
	char next[4];
};
int main(int argc, char **argv)
{
	struct pair p = {{0}, {0}};
	p.name[argc + 3] = 1; /* HERE */
	return p.next[0] - 1;
}
