/* An array element that nobody wrote decides. The sanitizers of the san variant do not see it.
 * site: load
 */
int main(int argc, char **argv)
{
	int a[2];
	a[argc & 1] = 0;
	if (a[!(argc & 1)] == 12345) /* HERE */
		return 1;
	return 0;
}
