/* merge_unify.c: what the labels of a run say about what the code does not (loop_merge.h).
 *
 * A decision has a term by the code, over leaves, and one by the run's label, over input bytes.
 * Both are in normal form, so where their operators agree, a leaf's place in the one is the leaf's
 * meaning in the other. The result is put in: unless both terms are then one, nothing was learned.
 * Where normal forms differ and one leaf is open, the bytes of the input that the label depends on
 * are tried.
 */
#include "base/limit.h"
#include "loops/merge_inside.h"

#define DEEPEST LIMIT(40, 2) /* operators above each other in terms that are unified: recursion depth | recursion depth */

struct unify {
	struct merge *m;
	VEC(uint32_t) trail; /* leaves that were bound on the way */
	unsigned steps;
};

static void undo(struct unify *u, size_t size)
{
	while (u->trail.size > size) {
		uint32_t leaf = vec_pop(&u->trail);
		u->m->leaves.data[leaf].bound = EXPR_NONE;
	}
}

static int bind(struct unify *u, uint32_t leaf, expr_t to)
{
	struct merge_leaf *l = &u->m->leaves.data[leaf];
	if (l->bound != EXPR_NONE)
		return l->bound == to;
	l->bound = to;
	vec_push(&u->trail, leaf);
	return 1;
}

static expr_t stripped(const struct exprs *p, expr_t e)
{
	const struct expr_node *n = expr_get(p, e);
	return n->op == MUSTER_OP_ZEXT || n->op == MUSTER_OP_SEXT ? n->a : e;
}

/* Two loads from one object, and two bytes of the input, in the other order? Where operands
 * commute, nothing else tells which is which. */
static int is_swapped(const struct unify *u, const expr_t *of_a, const expr_t *of_b)
{
	const struct exprs *p = u->m->pool;
	const struct merge_leaf *l[2];
	uint64_t at, k[2];
	for (unsigned i = 0; i < 2; i++) {
		const struct expr_node *n = expr_get(p, stripped(p, of_b[i]));
		if (!map_get(&u->m->by_name, stripped(p, of_a[i]), &at) || n->op != MUSTER_OP_INPUT)
			return 0;
		l[i] = &u->m->leaves.data[at - 1];
		k[i] = n->k;
	}
	return l[0]->root && l[0]->root == l[1]->root &&
	       (l[0]->offset < l[1]->offset) != (k[0] < k[1]);
}

static int agree(struct unify *u, expr_t a, expr_t b, unsigned depth)
{
	struct exprs *p = u->m->pool;
	const struct expr_node x = *expr_get(p, a), y = *expr_get(p, b);
	expr_t of_a[3], of_b[3];
	uint64_t at;
	if (a == b)
		return 1;
	if (x.width != y.width || !depth || ++u->steps > 400)
		return 0;
	if (x.op == EXPR_OP_NAMED)
		return map_get(&u->m->by_name, a, &at) && bind(u, (uint32_t)(at - 1), b);
	if (x.op != y.op || x.k != y.k || x.high != y.high)
		return 0;
	unsigned n = expr_operands(p, a, of_a), same = 0;
	if (!n || n != expr_operands(p, b, of_b))
		return 0;
	size_t before = u->trail.size;
	if (n == 2 && expr_commutes(x.op) && is_swapped(u, of_a, of_b)) {
		expr_t first = of_b[0];
		of_b[0] = of_b[1];
		of_b[1] = first;
	}
	while (same < n && agree(u, of_a[same], of_b[same], depth - 1))
		same++;
	if (same == n)
		return 1;
	undo(u, before);
	if (n == 2 && expr_commutes(x.op) && agree(u, of_a[0], of_b[1], depth - 1) &&
	    agree(u, of_a[1], of_b[0], depth - 1))
		return 1;
	undo(u, before);
	return 0;
}

/* The leaf that is not bound, if there is one only, or CODE_NONE. */
static uint32_t open_leaf(struct merge *m, expr_t e)
{
	uint32_t n, leaf = CODE_NONE;
	const expr_t *vars = expr_vars(m->pool, e, &n);
	uint64_t at;
	for (uint32_t i = 0; i < n; i++) {
		if (expr_get(m->pool, vars[i])->op != EXPR_OP_NAMED)
			continue;
		if (!map_get(&m->by_name, vars[i], &at))
			return CODE_NONE;
		if (m->leaves.data[at - 1].bound != EXPR_NONE)
			continue;
		if (leaf != CODE_NONE)
			return CODE_NONE;
		leaf = (uint32_t)(at - 1);
	}
	return leaf;
}

/* As many bytes of the input in a row as the leaf has. */
static int guess(struct unify *u, expr_t mine, expr_t label)
{
	struct exprs *p = u->m->pool;
	uint32_t leaf = open_leaf(u->m, mine), n, bytes = 0;
	const expr_t *vars = expr_vars(p, label, &n);
	uint64_t low = UINT64_MAX;
	if (leaf == CODE_NONE)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct expr_node *v = expr_get(p, vars[i]);
		if (v->op != MUSTER_OP_INPUT || v->a)
			return 0;
		low = v->k < low ? v->k : low;
		bytes++;
	}
	unsigned width = expr_width(p, u->m->leaves.data[leaf].name);
	if (!bytes || width % 8 || bytes > width / 8)
		return 0;
	expr_t e = expr_input(p, 0, low);
	for (unsigned i = 1; i < width / 8; i++)
		e = expr_concat(p, expr_input(p, 0, low + i), e);
	return bind(u, leaf, e);
}

void merge_unify(struct merge *m, expr_t mine, expr_t label)
{
	struct unify u = {.m = m};
	if (!merge_unknown(m, mine) || expr_width(m->pool, mine) != expr_width(m->pool, label))
		return;
	if (!agree(&u, mine, label, DEEPEST) || merge_bind(m, mine) != label) {
		undo(&u, 0);
		if (!guess(&u, mine, label) || merge_bind(m, mine) != label)
			undo(&u, 0);
	}
	vec_release(&u.trail);
}
