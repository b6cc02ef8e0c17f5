struct cursor {
	unsigned at, end;
};

int field_start(struct cursor *c)
{
	unsigned rounds = 0;

	while (c->at < c->end) {
		c->at += 7;
		rounds++;
	}
	if (rounds == 500)
		return 1;
	return 0;
}
