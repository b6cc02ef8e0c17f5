struct list {
	int used, step;
};

int field_bound(struct list *p)
{
	int i = 0, s = 0;

	while (i < p->used) {
		i++;
		s += 3;
	}
	if (s == 3000)
		return 1;
	return 0;
}
