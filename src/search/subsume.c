/* subsume.c: constraint subsumption and skipping, against loops over the input.
 *
 * A loop leaves a constraint for each pass: n > 0, n > 1, n > 2 ... from one instruction,
 * each of which implies those before it. With subsumption only the strongest of
 * such a group is negated; with skipping, too, none of a group of two or more. The
 * path's prefix keeps them all: an implied constraint changes no answer.
 * What is left out here is dropped from the search, so the search is not exhaustive.
 */
#include "base/hash.h"
#include "search/ic_cut.h"
#include "search/inside.h"

/* A constraint `term < constant` of some kind. */
struct bounded {
	expr_t term;
	unsigned op, negated, constant_left;
	s128 constant; /* as the operator reads it */
};

static int read_bounded(const struct exprs *p, expr_t e, struct bounded *b)
{
	const struct expr_node *n = expr_get(p, e);
	u128 c;
	b->negated = n->op == MUSTER_OP_XOR && n->width == 1;
	if (b->negated)
		n = expr_get(p, n->a);
	b->op = n->op;
	if (n->op != MUSTER_OP_ULT && n->op != MUSTER_OP_ULE && n->op != MUSTER_OP_SLT &&
	    n->op != MUSTER_OP_SLE)
		return 0;
	if (expr_width(p, n->a) > 64)
		return 0;
	b->constant_left = (unsigned)expr_is_const(p, n->a, &c);
	if (!b->constant_left && !expr_is_const(p, n->b, &c))
		return 0;
	b->term = b->constant_left ? n->b : n->a;
	int is_signed = n->op == MUSTER_OP_SLT || n->op == MUSTER_OP_SLE;
	b->constant = is_signed ? op_signed(c, expr_width(p, n->a)) : (s128)c;
	return 1;
}

static uint64_t group_of(uint32_t site, const struct bounded *b)
{
	return hash_mix((uint64_t)site << 32 | b->term) ^
	       hash_mix(b->op * 4 + b->negated * 2 + b->constant_left);
}

/* Of two of one group: does the constraint with constant a imply the one with constant b? An upper
 * bound is stronger the smaller it is. */
static int implies(const struct bounded *of, s128 a, s128 b)
{
	int upper = of->constant_left == of->negated;
	return upper ? a <= b : a >= b;
}

/* One member of a group: its place in the list, and whether it is alone. */
struct strongest {
	size_t at;
	s128 constant;
	int alone;
};

void search_subsume(struct search *s, struct expansion *x, wanted_list *wanted)
{
	VEC(struct strongest) groups = {0};
	struct map number = {0};
	char *drop = mem_zalloc(wanted->size);
	for (size_t i = 0; i < wanted->size; i++) {
		const struct path_step *step = &s->now.parent.steps.data[wanted->data[i].step];
		struct bounded b;
		uint64_t g;
		if (step->kind != MUSTER_EV_BRANCH ||
		    !read_bounded(x->pool, path_constraint(step, &x->import, &s->sites), &b))
			continue;
		if (!map_get(&number, group_of(step->site, &b), &g)) {
			map_set(&number, group_of(step->site, &b), groups.size);
			vec_push(&groups, (struct strongest){i, b.constant, 1});
			continue;
		}
		struct strongest *top = &groups.data[g];
		int stronger = implies(&b, b.constant, top->constant);
		drop[stronger ? top->at : i] = 1;
		s->stats.subsumed++;
		if (stronger)
			*top = (struct strongest){i, b.constant, 0};
		top->alone = 0;
	}
	for (size_t g = 0; s->o.skip && g < groups.size; g++)
		if (!groups.data[g].alone && !drop[groups.data[g].at]) {
			drop[groups.data[g].at] = 1;
			s->stats.skipped++;
		}
	size_t kept = 0;
	for (size_t i = 0; i < wanted->size; i++)
		if (!drop[i])
			wanted->data[kept++] = wanted->data[i];
	if (!ic_shares(s)) /* else the others ask for them */
		s->losses.count[LOSS_SKIPPED] += wanted->size - kept;
	wanted->size = kept;
	free(drop);
	map_release(&number);
	vec_release(&groups);
}
