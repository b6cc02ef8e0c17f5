/* ends.c: whether control may come to the end of a function's body, where a result is promised and none is given.
 *
 * By the syntax alone, and always on the safe side: whatever is not known goes on. A statement goes on unless it is a jump, a call that
 * does not return, a loop without an exit, a switch that leaves by none of its cases, or made of such. After one that does not, only a
 * label or a case is reached. Conditions count as open, but for constants as people write them in while (1) and assert(0).
 */
#include "refine/unit.h"

#include <string.h>

static uint32_t last_of(struct unit *u, uint32_t n)
{
	uint32_t last = 0;

	for (uint32_t c = node(u, n)->first; c; c = node(u, c)->next)
		if (node(u, c)->kind != TREE_ATTRIBUTE && node(u, c)->kind != TREE_ANNOTATION)
			last = c;
	return last;
}

static int is_loop(struct unit *u, uint32_t n)
{
	return node(u, n)->kind == TREE_WHILE || node(u, n)->kind == TREE_DO || node(u, n)->kind == TREE_FOR;
}

static uint32_t body_of(struct unit *u, uint32_t n)
{
	return node(u, n)->kind == TREE_DO ? node(u, n)->first : last_of(u, n);
}

/* Whether a condition is a constant, and which. */
static int is_fixed(struct unit *u, uint32_t n, int truth)
{
	const struct tree_node *x;

	n = n ? tree_bare(u->t, n) : 0;
	x = node(u, n);
	if (!n || !x->type)
		return 0;
	if (x->kind == TREE_NUMBER)
		return x->has_value && (x->value != 0) == truth;
	if (x->kind == TREE_STRING)
		return truth;
	if (x->kind == TREE_UNARY && x->op == TREE_OP_LNOT)
		return is_fixed(u, x->first, !truth);
	if (x->kind == TREE_NAME && x->refers && node(u, x->refers)->kind == TREE_ENUMERATOR)
		return (node(u, x->refers)->value != 0) == truth;
	if (x->kind == TREE_OTHER && x->end - x->begin == 4 && !memcmp(u->t->text + x->begin, "true", 4)) /* of C23 */
		return truth;
	return 0;
}

/* Whether a break (or continue) below leaves what stands around n. Those in the head of an inner loop count for both. */
static int leaves(struct unit *u, uint32_t n, enum tree_kind jump)
{
	uint32_t inner = 0;

	if (node(u, n)->kind == jump)
		return 1;
	if (is_loop(u, n) || (node(u, n)->kind == TREE_SWITCH && jump == TREE_BREAK))
		inner = body_of(u, n);
	for (uint32_t c = node(u, n)->first; c; c = node(u, c)->next)
		if (c != inner && leaves(u, c, jump))
			return 1;
	return 0;
}

/* Whether it can be entered in its middle. */
static int has_entry(struct unit *u, uint32_t n)
{
	if (node(u, n)->kind == TREE_LABEL || node(u, n)->kind == TREE_CASE)
		return 1;
	for (uint32_t c = node(u, n)->first; c; c = node(u, c)->next)
		if (has_entry(u, c))
			return 1;
	return 0;
}

static int has_default(struct unit *u, uint32_t n)
{
	if (node(u, n)->kind == TREE_CASE && !memcmp(u->t->text + node(u, n)->begin, "default", 7))
		return 1;
	for (uint32_t c = node(u, n)->first; c; c = node(u, c)->next)
		if (node(u, c)->kind != TREE_SWITCH && has_default(u, c))
			return 1;
	return 0;
}

static int sequence(struct unit *u, uint32_t block, int reached)
{
	for (uint32_t c = node(u, block)->first; c; c = node(u, c)->next)
		if (reached || has_entry(u, c))
			reached = goes_on(u, c);
	return reached;
}

/* if (c) yes else no; c ? yes : no */
static int choice_goes_on(struct unit *u, uint32_t n)
{
	uint32_t c = node(u, n)->first, yes = c ? node(u, c)->next : 0, no = yes ? node(u, yes)->next : 0;

	if (!yes)
		return 1;
	if ((!is_fixed(u, c, 0) || has_entry(u, yes)) && goes_on(u, yes))
		return 1;
	return (!is_fixed(u, c, 1) || (no && has_entry(u, no))) && (!no || goes_on(u, no));
}

static int loop_goes_on(struct unit *u, uint32_t n)
{
	uint32_t a = node(u, n)->first, b = a ? node(u, a)->next : 0, body = body_of(u, n);

	if (!b || leaves(u, body, TREE_BREAK))
		return 1;
	if (node(u, n)->kind == TREE_WHILE)
		return !is_fixed(u, a, 1);
	if (node(u, n)->kind == TREE_FOR)
		return node(u, b)->kind != TREE_ABSENT && !is_fixed(u, b, 1);
	return !is_fixed(u, b, 1) && (goes_on(u, body) || leaves(u, body, TREE_CONTINUE));
}

static int switch_goes_on(struct unit *u, uint32_t n)
{
	uint32_t body = body_of(u, n);

	if (leaves(u, body, TREE_BREAK) || !has_default(u, body))
		return 1;
	return node(u, body)->kind == TREE_BLOCK ? sequence(u, body, 0) : goes_on(u, body);
}

static int expression_goes_on(struct unit *u, uint32_t n)
{
	const struct tree_node *x = node(u, n = tree_bare(u->t, n));

	switch (x->kind) {
	case TREE_CALL: return !is_noreturn(u, n);
	case TREE_BINARY: return x->op != TREE_OP_COMMA || (goes_on(u, x->first) && goes_on(u, last_of(u, n)));
	case TREE_CHOICE: return choice_goes_on(u, n);
	case TREE_BLOCK_EXPRESSION: return !x->first || goes_on(u, x->first);
	default: return 1;
	}
}

int goes_on(struct unit *u, uint32_t n)
{
	const struct tree_node *x = node(u, n);
	uint32_t last;

	switch (x->kind) {
	case TREE_RETURN: case TREE_GOTO: case TREE_BREAK: case TREE_CONTINUE: return 0;
	case TREE_BLOCK: return sequence(u, n, 1);
	case TREE_IF: return choice_goes_on(u, n);
	case TREE_WHILE: case TREE_DO: case TREE_FOR: return loop_goes_on(u, n);
	case TREE_SWITCH: return switch_goes_on(u, n);
	case TREE_CASE: case TREE_LABEL: last = last_of(u, n); return !last || goes_on(u, last);
	case TREE_OTHER: /* without a type: a statement with an attribute, mostly */
		last = x->type ? 0 : last_of(u, n);
		return !last || (last == x->first ? goes_on(u, last) : 1);
	default: return x->type ? expression_goes_on(u, n) : 1;
	}
}
