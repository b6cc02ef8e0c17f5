/* direct.c: an input that comes to the code that was modified, by following one path at a time that leads there.
 *
 * All paths of a large function at once are more terms than anybody can have. Here one version, the leading one, has a target, a block with a modified instruction, and of its branches only the edges of a nearest
 * path from the entry to the target and from there to a return are followed. Of the other version the same edges are followed where the branch has a counterpart on that path; all edges where it has
 * none; and else those of a nearest path to a return. Paths that leave this end as a bound. Functions outside are stubs (stubs.c).
 *
 * Edges have weights. If no input takes the path, the first block on it that none comes to is found, and the edge to it becomes heavy: the next path goes another way around, if there is one. If inputs take it and their runs do not
 * differ, all of its edges become a little heavier.
 *
 * None of this claims anything: the sets are proposals for inputs, and what the runs of both versions show is what is said. If no input is known to differ, one that comes to the target is tried all the same.
 */
#include "diff/inside.h"

#include "base/hash.h"
#include "base/limit.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

#define TARGETS LIMIT(10, 1) /* blocks with modified instructions that are tried | each costs a few evaluations of a part of the function */
#define TRIES LIMIT(12, 1)   /* paths to a target | later ones are ever less likely to be taken */
#define ITERATIONS 3	     /* of a loop */
#define HEAVY 100	     /* what an edge weighs more that no input takes there */
#define NOISE 4		     /* the same of other edges of such a path, at most */
#define FAR UINT32_MAX

struct visit { /* of a block of the leading version */
	uint32_t block;
	expr_t guard;
};

struct diff_direct {
	int leading;
	uint32_t *weights;   /* of the leading version's edges, above 1 */
	uint8_t *follows[2]; /* by edge */
	VEC(struct visit) visits;
};

/* ------------------------------------------------------------ paths */

static uint32_t weight(const uint32_t *weights, uint32_t edge)
{
	return 1 + (weights ? weights[edge] : 0);
}

/* Of each block from the nearest goal; FAR: none can be reached. */
static uint32_t *distances(const struct code_function *f, const uint8_t *goals, const uint32_t *weights)
{
	uint32_t *far = mem_zalloc((f->block_count + 1) * sizeof *far);
	for (uint32_t b = 0; b < f->block_count; b++)
		far[b] = goals[b] ? 0 : FAR;
	for (int changed = 1; changed;) {
		changed = 0;
		for (uint32_t i = f->order_count; i-- > 0;) {
			const struct code_block *b = &f->blocks[f->order[i]];
			for (uint32_t e = b->first_edge; e < b->first_edge + b->edges; e++) {
				uint32_t to = far[f->edges[e].to], now = to == FAR ? FAR : to + weight(weights, e);
				if (now < far[f->order[i]]) {
					far[f->order[i]] = now;
					changed = 1;
				}
			}
		}
	}
	return far;
}

/* The edges of a nearest path from the block to a goal. 0: there is none. */
static int follow_path(const struct code_function *f, uint32_t block, const uint8_t *goals, const uint32_t *weights, uint8_t *follows)
{
	uint32_t *far = distances(f, goals, weights);
	int some = far[block] != FAR;
	while (some && !goals[block]) {
		const struct code_block *b = &f->blocks[block];
		uint32_t next = CODE_NONE;
		for (uint32_t e = b->first_edge; e < b->first_edge + b->edges && next == CODE_NONE; e++)
			if (far[f->edges[e].to] != FAR && far[f->edges[e].to] + weight(weights, e) == far[block])
				next = e;
		follows[next] = 1;
		block = f->edges[next].to;
	}
	free(far);
	return some;
}

static uint8_t *find_returns(const struct code_function *f)
{
	uint8_t *goals = mem_zalloc(f->block_count + 1);
	for (uint32_t i = 0; i < f->order_count; i++)
		goals[f->order[i]] = f->values[code_last(f, f->order[i])].op == CODE_RETURN;
	return goals;
}

/* again: if the target is in a loop, with another iteration after it. */
static int choose_path(const struct code_function *f, uint32_t target, int again, const uint32_t *weights, uint8_t *follows)
{
	uint8_t *there = mem_zalloc(f->block_count + 1), *header = mem_zalloc(f->block_count + 1), *returns = find_returns(f);
	uint32_t loop = f->blocks[target].loop;
	there[target] = 1;
	int some = follow_path(f, 0, there, weights, follows);
	if (some)
		follow_path(f, target, returns, weights, follows);
	if (some && again && loop != CODE_NONE && f->loops[loop].header != target) {
		header[f->loops[loop].header] = 1;
		follow_path(f, target, header, weights, follows);
	}
	free(there);
	free(header);
	free(returns);
	return some;
}

/* The same in the other version. to: from its values to those of the leading one. */
static void choose_others(const struct code_function *f, const uint32_t *to, const struct code_function *leading, const uint8_t *leads, uint8_t *follows)
{
	uint8_t *returns = find_returns(f);
	uint32_t *far = distances(f, returns, NULL);
	for (uint32_t i = 0; i < f->order_count; i++) {
		const struct code_block *b = &f->blocks[f->order[i]];
		uint32_t last = to[code_last(f, f->order[i])];
		const struct code_block *l = last == CODE_NONE ? NULL : &leading->blocks[leading->values[last].block];
		int on_path = 0;
		for (uint32_t k = 0; l && l->edges == b->edges && k < l->edges; k++)
			on_path |= leads[l->first_edge + k];
		for (uint32_t k = 0; k < b->edges; k++) {
			uint32_t next = far[f->edges[b->first_edge + k].to];
			follows[b->first_edge + k] = on_path ? leads[l->first_edge + k] : !l || (next != FAR && next + 1 == far[f->order[i]]);
		}
	}
	free(far);
	free(returns);
}

/* ------------------------------------------------------------ following */

static int begins_block(const struct code_function *f, uint32_t at)
{
	uint32_t first = f->blocks[f->values[at].block].first;
	return at == first || f->values[at - 1].op == CODE_PHI;
}

void diff_direct_begin(struct diff_pair *x)
{
	if (x->direct)
		vec_clear(&x->direct->visits); /* their terms are gone */
}

enum vc_end_kind diff_direct_ends(const struct diff_side *s, const struct vc_point *at, uint32_t edge)
{
	struct diff_direct *d = s->pair->direct;
	if (at->f != s->f || at->depth)
		return VC_END_COUNT;
	if (edge != CODE_NONE)
		return d->follows[s->which][edge] ? VC_END_COUNT : VC_BOUND;
	if (s->which == d->leading && begins_block(at->f, at->at))
		vec_push(&d->visits, ((struct visit){at->f->values[at->at].block, vc_point_guard(at)}));
	return VC_END_COUNT;
}

/* What comes after the first that no input comes to weighs more. */
static void learn(struct diff_pair *x, struct diff_direct *d, unsigned try, int possible)
{
	const struct code_function *f = x->side[d->leading].f;
	size_t low = 0, high = d->visits.size; /* inputs come to all before low, and to none from high on */
	while (!possible && low < high && !diff_pair_is_over(x)) {
		size_t middle = (low + high) / 2;
		if (diff_shape_has_input(x, d->visits.data[middle].guard))
			low = middle + 1;
		else
			high = middle;
	}
	uint32_t from = low ? d->visits.data[low - 1].block : CODE_NONE, to = low < d->visits.size ? d->visits.data[low].block : CODE_NONE;
	for (uint32_t e = 0; e < f->edge_count; e++) {
		if (!d->follows[d->leading][e])
			continue;
		int here = !possible && (to != CODE_NONE ? f->edges[e].to == to : f->edges[e].from == from);
		d->weights[e] += (here ? HEAVY : 0) + (uint32_t)(hash_join(hash_join(17, try), e) % NOISE);
	}
	if (!possible && from != CODE_NONE)
		log_info("diff of %s: %zu of %zu blocks are reached, the last one ends at line %u", f->name, low, d->visits.size, f->values[code_last(f, from)].line);
}

/* ------------------------------------------------------------ targets */

typedef VEC(uint32_t) blocks;

/* Blocks with nothing but instructions that the other version does not have, then others with modified ones. */
static void find_targets(const struct diff_pair *x, int which, blocks *out)
{
	const struct match_function *m = x->d->m->functions[x->symbols[OLD]];
	const struct code_function *f = x->side[which].f;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < f->order_count; i++) {
			const struct code_block *b = &f->blocks[f->order[i]];
			uint32_t alone = 0, modified = 0;
			for (uint32_t v = b->first; v < b->first + b->count; v++) {
				uint32_t other = which == OLD ? m->to_new[v] : m->to_old[v];
				alone += other == CODE_NONE;
				modified |= which == OLD ? m->modified[v] : other != CODE_NONE && m->modified[other];
			}
			if (pass ? alone != b->count && (alone || modified) : alone == b->count)
				vec_push(out, f->order[i]);
		}
}

static int try_set(struct diff_pair *x, struct diff_function *f, expr_t set)
{
	struct diff_case k = {0};
	if (set == expr_false(x->p) || !diff_shape_run(x, set, &k))
		return 0;
	diff_describe_add_case(f, &k, NULL);
	return 1;
}

/* One path. 1: a run differs. */
static int try_path(struct diff_pair *x, struct diff_function *f, struct diff_direct *d, uint32_t target, unsigned try)
{
	const struct match_function *m = x->d->m->functions[x->symbols[OLD]];
	struct diff_side *s = &x->side[d->leading];
	int found = 0;
	for (int k = 0; k < 2; k++)
		memset(d->follows[k], 0, x->side[k].f->edge_count);
	if (!choose_path(s->f, target, try % 2, d->weights, d->follows[d->leading]))
		return 0;
	choose_others(x->side[!d->leading].f, d->leading == OLD ? m->to_old : m->to_new, s->f, d->follows[d->leading], d->follows[!d->leading]);
	if (diff_pair_evaluate(x, 0, ITERATIONS))
		return 0;
	int possible = diff_shape_has_input(x, s->out.returns);
	log_info("diff of %s: target at line %u of the %s version, path %u: %s", f->name, s->f->values[code_last(s->f, target)].line, d->leading == OLD ? "old" : "new", try, possible ? "there is an input" : "no input");
	if (possible)
		found = try_set(x, f, x->diff) || try_set(x, f, x->crash) || try_set(x, f, s->out.returns) || try_set(x, f, x->open);
	if (!found)
		learn(x, d, try, possible);
	return found;
}

static int try_target(struct diff_pair *x, struct diff_function *f, struct diff_direct *d, uint32_t target)
{
	int found = 0;
	x->direct = d;
	for (unsigned try = 0; try < TRIES && !found && !diff_pair_is_over(x); try++)
		found = try_path(x, f, d, target, try);
	x->direct = NULL;
	return found;
}

int diff_direct_find(struct diff_pair *x, struct diff_function *f)
{
	blocks targets[2] = {{0}};
	struct diff_direct d[2] = {{.leading = OLD}, {.leading = NEW}};
	int found = 0;
	for (int k = 0; k < 2; k++) {
		find_targets(x, k, &targets[k]);
		d[k].weights = mem_zalloc((x->side[k].f->edge_count + 1) * sizeof *d[k].weights);
		for (int i = 0; i < 2; i++)
			d[k].follows[i] = mem_zalloc(x->side[i].f->edge_count + 1);
	}
	x->stubs = 2;
	for (size_t i = 0; i < TARGETS && !found; i++)
		for (int k = NEW; k >= OLD && !found && !diff_pair_is_over(x); k--)
			if (i < targets[k].size)
				found = try_target(x, f, &d[k], targets[k].data[i]);
	x->stubs = 0;
	for (int k = 0; k < 2; k++) {
		vec_release(&targets[k]);
		vec_release(&d[k].visits);
		free(d[k].weights);
		for (int i = 0; i < 2; i++)
			free(d[k].follows[i]);
	}
	return found;
}
