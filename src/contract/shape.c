/* shape.c: trees behind pointers, on the bytes of an input and as terms (shape.h).
 *
 * Nodes are the objects of a pool. What is reached from the pointer is a tree if no node of it has two ways to come to it: no edge leads to where the walk began, and none of the others is led to by two
 * edges from nodes that are reached. A cycle would need a node with two: the one by which it is entered. So the term needs no paths, only which nodes are reached, and that is a fixed point after as many steps as
 * there are nodes.
 */
#include "contract/shape.h"

#include <string.h>

/* ------------------------------------------------------------------ values */

struct following {
	const struct shape *s;
	shape_byte byte;
	void *ctx;
	uint8_t seen[DRIVE_OBJECTS];
};

static size_t pointer_at(const struct shape *s, uint32_t node, unsigned member)
{
	return s->blocks[node] + DRIVE_HEADER + s->offset[member];
}

/* From the object of this choice on: 1 it is a tree so far. */
static int follow(struct following *f, uint8_t choice)
{
	if (!choice || choice > f->s->objects)
		return 1;
	if (f->seen[choice - 1])
		return 0;
	f->seen[choice - 1] = 1;
	for (unsigned i = 0; i < f->s->members; i++)
		if (!follow(f, f->byte(f->ctx, pointer_at(f->s, choice - 1u, i))))
			return 0;
	return 1;
}

int shape_holds(const struct shape *s, uint8_t choice, shape_byte byte, void *ctx)
{
	struct following f = {.s = s, .byte = byte, .ctx = ctx};
	return choice < s->shift || follow(&f, (uint8_t)(choice - s->shift));
}

/* ------------------------------------------------------------------- terms */

static expr_t is_byte(struct exprs *p, expr_t byte, uint32_t value)
{
	return expr_eq(p, byte, expr_const(p, 8, value));
}

/* Does that member of the node `from` lead to the node `to`? */
static expr_t edge(struct exprs *p, const struct shape *s, uint32_t from, unsigned member, uint32_t to)
{
	return is_byte(p, expr_input(p, 0, pointer_at(s, from, member)), to + 1);
}

static void find_reached(struct exprs *p, const struct shape *s, const expr_t *first, expr_t *reached)
{
	expr_t next[DRIVE_OBJECTS];
	memcpy(reached, first, s->objects * sizeof *reached);
	for (uint32_t step = 1; step < s->objects; step++) {
		for (uint32_t to = 0; to < s->objects; to++) {
			next[to] = reached[to];
			for (uint32_t from = 0; from < s->objects; from++)
				for (unsigned m = 0; m < s->members; m++)
					next[to] = expr_or(p, next[to], expr_and(p, reached[from], edge(p, s, from, m, to)));
		}
		memcpy(reached, next, s->objects * sizeof *reached);
	}
}

/* No node is led to twice; that the walk begins there counts as once. */
static expr_t is_tree(struct exprs *p, const struct shape *s, const expr_t *first, const expr_t *reached)
{
	expr_t twice = expr_false(p);
	for (uint32_t to = 0; to < s->objects; to++) {
		expr_t once = first[to];
		for (uint32_t from = 0; from < s->objects; from++)
			for (unsigned m = 0; m < s->members; m++) {
				expr_t e = expr_and(p, reached[from], edge(p, s, from, m, to));
				twice = expr_or(p, twice, expr_and(p, once, e));
				once = expr_or(p, once, e);
			}
	}
	return expr_not(p, twice);
}

expr_t shape_term(struct exprs *p, struct shape *s)
{
	expr_t first[DRIVE_OBJECTS], reached[DRIVE_OBJECTS];
	if (s->term)
		return s->term;
	for (uint32_t i = 0; i < s->objects; i++)
		first[i] = is_byte(p, s->choice, i + 1 + s->shift);
	find_reached(p, s, first, reached);
	return s->term = is_tree(p, s, first, reached);
}
