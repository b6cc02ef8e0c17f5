/* slice.c: unrelated constraints are left out: variables in classes that constraints join.
 *
 * Union-find over variables. The members of a class and its constraints are linked lists, which
 * joining concatenates, so joining costs nothing but the search for the two roots, and
 * adding n constraints over them near n. A class may own a backend that has been told the first
 * constraints of its list; on joining, the class whose backend knows more goes first and the
 * other's constraints become pending, which keeps the invariant: what the backend has
 * not got is the end of the list from `pending` on.
 */
#include "solve/ladder.h"

void partition_release(struct partition *s)
{
	vec_release(&s->parts);
	vec_release(&s->next_var);
	vec_release(&s->next_constraint);
}

void partition_variable(struct partition *s)
{
	uint32_t i = (uint32_t)s->parts.size;
	struct part part = {.parent = i, .vars = 1, .first_var = i + 1, .last_var = i + 1};

	vec_push(&s->parts, part);
	vec_push(&s->next_var, 0);
}

uint32_t partition_find(struct partition *s, uint32_t variable)
{
	struct part *parts = s->parts.data;

	while (parts[variable].parent != variable) {
		parts[variable].parent = parts[parts[variable].parent].parent;
		variable = parts[variable].parent;
	}
	return variable;
}

/* Digests are added as numbers of 128 bits: a sum does not depend on the order. */
struct hash128 digest_sum(struct hash128 x, struct hash128 y)
{
	u128 sum = ((u128)x.a << 64 | x.b) + ((u128)y.a << 64 | y.b);

	return (struct hash128){(uint64_t)(sum >> 64), (uint64_t)sum};
}

static void append_constraints(struct partition *s, struct part *to, const struct part *from)
{
	if (!from->first)
		return;
	if (to->last)
		s->next_constraint.data[to->last - 1] = from->first;
	else
		to->first = from->first;
	if (!to->pending)
		to->pending = from->first;
	to->last = from->last;
	to->constraints += from->constraints;
	to->sum = digest_sum(to->sum, from->sum);
}

uint32_t partition_join(struct partition *s, uint32_t a, uint32_t b)
{
	struct part *x, *y, *parts = s->parts.data;

	a = partition_find(s, a);
	b = partition_find(s, b);
	if (a == b)
		return a;
	if (parts[a].asserted < parts[b].asserted ||
	    (parts[a].asserted == parts[b].asserted && parts[a].vars < parts[b].vars)) {
		uint32_t t = a;

		a = b;
		b = t;
	}
	x = &parts[a];
	y = &parts[b];
	append_constraints(s, x, y);
	s->next_var.data[x->last_var - 1] = y->first_var;
	x->last_var = y->last_var;
	x->vars += y->vars;
	y->parent = a;
	return a;
}

void partition_constraint(struct partition *s, uint32_t variable, struct hash128 digest)
{
	uint32_t number = (uint32_t)s->next_constraint.size + 1;
	struct part one = {.first = number, .last = number, .constraints = 1, .sum = digest};

	vec_push(&s->next_constraint, 0);
	append_constraints(s, &s->parts.data[partition_find(s, variable)], &one);
}
