struct st { int depth, deepest; };
static void step(struct st *s, char c)
{
	if (c == '{')
		s->depth++;
	else if (c == '}')
		s->depth--;
	if (s->depth > s->deepest)
		s->deepest = s->depth;
}
int count_in_struct(const char a[20])
{
	struct st s = {0, 0};
	for (int i = 0; i < 20; i++)
		step(&s, a[i]);
	if (s.deepest == 7)
		return 1;
	return 0;
}
