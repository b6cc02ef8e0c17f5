/* lockstep.c: loops of both versions related, so that equality is proved for all iterations.
 *
 * Both functions are evaluated with every loop cut: at the header, phis and what the loop may write are variables. The n-th loop that one version comes to is taken to be the n-th of the other.
 * Coupled variables (a phi of the old version with one of the new one, an object's contents in both) are made one variable, by substitution in everything that the new version says. That they are equal is proved: when the loop is
 * entered, and after an iteration from any state in which they are. What cannot be proved is no longer coupled, and the rest is proved again, until nothing falls out. If then both versions enter each loop, come
 * back to its header, and end, under the same conditions, and do the same where they end, they do so in all runs: by induction on the visits of headers, both runs are in coupled states. Neither ends if the other does not.
 *
 * Guessing which variables belong together can only fail to prove something.
 *
 * If that fails, it is proved of the inputs with which both versions come to the first loop at all: a test that was added before it changes the others alone. Where that can be proved, these inputs are unchanged.
 */
#include "diff/inside.h"

#include "base/deadline.h"
#include "expr/text.h"

#include <stdlib.h>
#include <string.h>

#define LOOPS 12    /* that are cut in an evaluation */
#define COUPLES 256 /* bytes and phis */

/* ------------------------------------------------------------ what the evaluation shows */

enum vc_loop_how diff_lockstep_loop(void *ctx, struct vc_loop *l)
{
	(void)ctx;
	(void)l;
	return VC_LOOP_CUT;
}

static struct diff_visit visit_of(const struct vc_loop *l)
{
	const struct code_block *header = &l->f->blocks[l->f->loops[l->loop].header];
	struct diff_visit v = {.memory = l->memory, .there = 1};
	for (uint32_t n = header->first; n < header->first + header->count && l->f->values[n].op == CODE_PHI && v.count < DIFF_PHIS; n++)
		v.phis[v.count++] = l->values[n];
	return v;
}

/* Visits come as entry, any, then those of inner loops, then next, which may be missing. */
expr_t diff_lockstep_visit(void *ctx, const struct vc_loop *l)
{
	struct diff_side *s = ctx;
	struct diff_cut *c;
	if (l->visit == VC_VISIT_ENTRY) {
		vec_push(&s->cuts, (struct diff_cut){.f = l->f, .loop = l->loop, .depth = l->depth, .entry = visit_of(l), .entry_obligation = s->obligations++});
		return expr_true(s->pair->p);
	}
	for (c = s->cuts.data + s->cuts.size - 1; c > s->cuts.data; c--) /* the innermost that is open */
		if (c->f == l->f && c->loop == l->loop && c->depth == l->depth && !c->next.there)
			break;
	if (l->visit == VC_VISIT_ANY) {
		c->any = visit_of(l);
	} else {
		c->next = visit_of(l);
		c->next_obligation = s->obligations++;
	}
	return expr_true(s->pair->p);
}

/* ------------------------------------------------------------ couples */

struct couple {
	expr_t old, new;		/* variables */
	expr_t entry[2], next[2];	/* their values then */
	expr_t enters[2], returns[2];	/* under which conditions */
	int broken;
};

struct prover {
	struct diff_pair *x;
	VEC(struct couple) couples;
	expr_t enters[LOOPS][2], returns[LOOPS][2];
	expr_t given; /* what is assumed of the input */
};

static expr_t guard_of(struct diff_side *s, size_t obligation, int there)
{
	size_t count;
	const struct vc_obligation *o = vc_obligations(s->vc, &count);
	return there && obligation < count ? o[obligation].guard : expr_false(s->pair->p);
}

static void add_couple(struct prover *k, size_t loop, expr_t any[2], expr_t entry[2], expr_t next[2])
{
	struct couple c = {.old = any[OLD], .new = any[NEW]};
	struct exprs *p = k->x->p;
	for (int i = 0; i < 2; i++) {
		if (any[i] == EXPR_NONE || any[i] == VC_LOST || entry[i] == EXPR_NONE || entry[i] == VC_LOST || next[i] == VC_LOST)
			return;
		c.entry[i] = entry[i];
		c.next[i] = next[i] != EXPR_NONE ? next[i] : any[i];
		c.enters[i] = k->enters[loop][i];
		c.returns[i] = k->returns[loop][i];
	}
	int array = expr_is_array(p, any[OLD]) || expr_is_array(p, any[NEW]);
	if (k->couples.size >= COUPLES || any[OLD] == any[NEW] || array || expr_get(p, any[OLD])->op != EXPR_OP_NAMED || expr_get(p, any[NEW])->op != EXPR_OP_NAMED ||
	    expr_width(p, any[OLD]) != expr_width(p, any[NEW]))
		return;
	vec_push(&k->couples, c);
}

static const char *name_of_phi(const struct diff_cut *c, uint32_t n)
{
	uint32_t value = c->f->blocks[c->f->loops[c->loop].header].first + n;
	for (uint32_t i = 0; i < c->f->binding_count; i++)
		if (c->f->bindings[i].value == value)
			return c->f->variables[c->f->bindings[i].variable].name;
	return NULL;
}

/* The phi of the new loop that belongs to phi n of the old one: by the match, by the variable's name, by its place. */
static uint32_t partner_of(const struct prover *k, const struct diff_cut *a, const struct diff_cut *b, uint32_t n)
{
	const struct exprs *p = k->x->p;
	uint32_t first[2] = {a->f->blocks[a->f->loops[a->loop].header].first, b->f->blocks[b->f->loops[b->loop].header].first};
	uint32_t symbol = differ_symbol(k->x->d, OLD, a->f), value = symbol != CODE_NONE ? match_value(k->x->d->m, symbol, first[OLD] + n) : CODE_NONE;
	const char *name = name_of_phi(a, n), *other;
	if (value != CODE_NONE && value >= first[NEW] && value < first[NEW] + b->any.count && differ_symbol(k->x->d, NEW, b->f) == k->x->d->m->to_new[symbol])
		return value - first[NEW];
	for (uint32_t i = 0; i < b->any.count && name; i++)
		if ((other = name_of_phi(b, i)) && !strcmp(name, other))
			return i;
	for (uint32_t i = n; i < b->any.count; i++)
		if (a->any.phis[n] != VC_LOST && b->any.phis[i] != VC_LOST && expr_width(p, a->any.phis[n]) == expr_width(p, b->any.phis[i]))
			return i;
	return CODE_NONE;
}

static void couple_phis(struct prover *k, size_t loop, const struct diff_cut *a, const struct diff_cut *b)
{
	uint8_t taken[DIFF_PHIS] = {0};
	for (uint32_t n = 0; n < a->any.count; n++) {
		uint32_t m = partner_of(k, a, b, n);
		if (m == CODE_NONE || taken[m])
			continue;
		taken[m] = 1;
		add_couple(k, loop, (expr_t[]){a->any.phis[n], b->any.phis[m]}, (expr_t[]){a->entry.phis[n], b->entry.phis[m]},
			   (expr_t[]){a->next.there ? a->next.phis[n] : EXPR_NONE, b->next.there ? b->next.phis[m] : EXPR_NONE});
	}
}

/* The world is bytes like other objects, but compared as a whole: by the calls that made it. */
static void couple_world(struct prover *k, size_t loop, const struct diff_cut *c[2])
{
	struct exprs *p = k->x->p;
	expr_t any[2], entry[2], next[2], zero = expr_const(p, 64, 0);
	for (int i = 0; i < 2; i++) {
		struct diff_side *s = &k->x->side[i];
		any[i] = vc_contents(s->vc, c[i]->any.memory, s->world);
		if (any[i] == vc_contents(s->vc, c[i]->entry.memory, s->world))
			return;
		entry[i] = vc_read(s->vc, c[i]->entry.memory, s->world, zero, 64);
		next[i] = vc_read(s->vc, c[i]->next.there ? c[i]->next.memory : c[i]->any.memory, s->world, zero, 64);
	}
	for (uint64_t b = 0; b < 8; b++)
		add_couple(k, loop, (expr_t[]){expr_data_byte(p, any[OLD], b), expr_data_byte(p, any[NEW], b)}, entry, next);
}

/* Contents of an object that both loops may write: byte by byte, or an array as a whole. */
static void couple_object(struct prover *k, size_t loop, const struct diff_cut *c[2], uint32_t object[2])
{
	struct exprs *p = k->x->p;
	expr_t any[2], entry[2], next[2];
	for (int i = 0; i < 2; i++) {
		struct vc *v = k->x->side[i].vc;
		any[i] = vc_contents(v, c[i]->any.memory, object[i]);
		entry[i] = vc_contents(v, c[i]->entry.memory, object[i]);
		next[i] = c[i]->next.there ? vc_contents(v, c[i]->next.memory, object[i]) : any[i];
		if (any[i] == entry[i])
			return;
	}
	if (expr_get(p, any[OLD])->op == MUSTER_OP_DATA && expr_get(p, any[NEW])->op == MUSTER_OP_DATA && expr_data_count(p, any[OLD]) == expr_data_count(p, any[NEW])) {
		for (uint64_t b = 0; b < expr_data_count(p, any[OLD]); b++)
			add_couple(k, loop, (expr_t[]){expr_data_byte(p, any[OLD], b), expr_data_byte(p, any[NEW], b)}, (expr_t[]){expr_data_byte(p, entry[OLD], b), expr_data_byte(p, entry[NEW], b)},
				   (expr_t[]){expr_data_byte(p, next[OLD], b), expr_data_byte(p, next[NEW], b)});
	} else if (expr_get(p, any[OLD])->op == EXPR_OP_ARRAY && expr_get(p, any[NEW])->op == EXPR_OP_ARRAY) {
		struct couple c = {.old = any[OLD], .new = any[NEW]};
		for (int i = 0; i < 2; i++) {
			c.entry[i] = entry[i];
			c.next[i] = next[i];
			c.enters[i] = k->enters[loop][i];
			c.returns[i] = k->returns[loop][i];
		}
		vec_push(&k->couples, c);
	}
}

static int is_local(const struct vc *v, uint32_t object)
{
	return !strncmp(vc_object_name(v, object), VC_STACK, strlen(VC_STACK));
}

static int can_couple(const struct vc *v, uint32_t object, int locals)
{
	return locals ? is_local(v, object) : vc_object_lasts(v, object);
}

/* What others know first, then locals. */
static void couple_memory(struct prover *k, size_t loop, const struct diff_cut *a, const struct diff_cut *b)
{
	const struct vc *v[2] = {k->x->side[OLD].vc, k->x->side[NEW].vc};
	couple_world(k, loop, (const struct diff_cut *[]){a, b});
	for (int locals = 0; locals < 2; locals++)
		for (uint32_t i = 0; i < vc_objects(v[OLD]); i++)
			for (uint32_t j = 0; j < vc_objects(v[NEW]) && i != k->x->side[OLD].world && can_couple(v[OLD], i, locals); j++)
				if (can_couple(v[NEW], j, locals) && !strcmp(vc_object_name(v[OLD], i), vc_object_name(v[NEW], j)))
					couple_object(k, loop, (const struct diff_cut *[]){a, b}, (uint32_t[]){i, j});
}

/* ------------------------------------------------------------ proofs */

static expr_t coupled(void *ctx, expr_t variable)
{
	struct prover *k = ctx;
	uint64_t old;
	return map_get(&k->x->coupled, variable, &old) ? (expr_t)old : EXPR_NONE;
}

static expr_t told(struct prover *k, expr_t e)
{
	return expr_substitute(k->x->p, e, coupled, k);
}

static int is_valid(struct prover *k, expr_t e)
{
	expr_t other = expr_and(k->x->p, k->given, expr_not(k->x->p, told(k, e)));
	return other == expr_false(k->x->p) || diff_pair_check(k->x, &other, 1, NULL) == VERDICT_UNSAT;
}

/* Where both are there, the values are equal. */
static int values_agree(struct prover *k, const expr_t guard[2], const expr_t value[2])
{
	struct exprs *p = k->x->p;
	expr_t there = expr_and(p, guard[OLD], guard[NEW]), same;
	if (expr_is_array(p, value[OLD]))
		same = diff_sets_arrays_equal(k->x, value[OLD], value[NEW]);
	else
		same = diff_sets_same(k->x, value[OLD], value[NEW]);
	return is_valid(k, expr_or(p, expr_not(p, there), same));
}

static void find_coupled(struct prover *k)
{
	map_clear(&k->x->coupled);
	diff_sets_forget(k->x);
	for (size_t i = 0; i < k->couples.size; i++)
		if (!k->couples.data[i].broken)
			map_set(&k->x->coupled, k->couples.data[i].new, k->couples.data[i].old);
}

/* Takes couples apart until those that are left hold. */
static int settle(struct prover *k)
{
	for (int more = 1; more;) {
		more = 0;
		find_coupled(k);
		for (size_t i = 0; i < k->couples.size; i++) {
			struct couple *c = &k->couples.data[i];
			if (c->broken || (values_agree(k, c->enters, c->entry) && values_agree(k, c->returns, c->next)))
				continue;
			c->broken = more = 1;
		}
		if (diff_pair_is_over(k->x))
			return 0;
	}
	return 1;
}

static int same_guards(struct prover *k, size_t loops)
{
	struct exprs *p = k->x->p;
	for (size_t i = 0; i < loops; i++)
		if (!is_valid(k, expr_eq(p, k->enters[i][OLD], k->enters[i][NEW])) || !is_valid(k, expr_eq(p, k->returns[i][OLD], k->returns[i][NEW])))
			return 0;
	return 1;
}

static int same_ends(struct prover *k)
{
	struct diff_pair *x = k->x;
	struct exprs *p = x->p;
	diff_sets_make(x); /* again: arrays that are coupled count as one */
	expr_t cuts = expr_and(p, vc_ends_by(x->side[OLD].vc, VC_CUT), vc_ends_by(x->side[NEW].vc, VC_CUT));
	expr_t undefined = expr_and(p, x->side[OLD].undefined, x->side[NEW].undefined);
	return is_valid(k, expr_or(p, x->same, expr_or(p, cuts, undefined)));
}

/* Calls that count as the same are. */
static int no_doubts(struct prover *k)
{
	for (int i = 0; i < 2; i++)
		if (k->x->side[i].doubts.size && !is_valid(k, expr_not(k->x->p, k->x->side[i].doubtful)))
			return 0;
	return 1;
}

static int proves(struct prover *k, size_t loops)
{
	for (size_t i = 0; i < k->couples.size; i++)
		k->couples.data[i].broken = 0;
	return settle(k) && no_doubts(k) && same_guards(k, loops) && same_ends(k);
}

/* Does it speak of parameters and of memory before the call only? Those have one name in all evaluations. */
static int is_lasting(struct diff_pair *x, expr_t e)
{
	uint32_t count;
	const expr_t *vars = expr_vars(x->p, e, &count);
	int ok = diff_pair_is_input_only(x, e);
	for (uint32_t i = 0; i < count && ok; i++) {
		const struct diff_word *in = diff_word_find(x, vars[i]);
		ok = (in && in->is_parameter) || (expr_is_array(x->p, vars[i]) && !strcmp(expr_name(x->p, vars[i]), VC_FLAT));
	}
	return ok;
}

/* Of the inputs with which both come to the first loop. */
static void prove_entered(struct prover *k, size_t loops)
{
	struct diff_pair *x = k->x;
	expr_t both = expr_and(x->p, k->enters[0][OLD], k->enters[0][NEW]);
	if (expr_is_const(x->p, both, NULL) || !is_lasting(x, both) || diff_pair_is_over(x))
		return;
	k->given = both;
	if (!proves(k, loops))
		return;
	expr_write(x->p, &both, 1, &x->proved);
	x->proved_flat = x->flat_globals;
}

int diff_lockstep_proves(struct diff_pair *x)
{
	struct diff_side *s = x->side;
	struct prover k = {.x = x, .given = expr_true(x->p)};
	size_t loops = s[OLD].cuts.size;
	int proved = 0;
	if (!loops || loops != s[NEW].cuts.size || loops > LOOPS)
		return 0;
	for (size_t i = 0; i < loops; i++)
		for (int j = 0; j < 2; j++) {
			struct diff_cut *c = &s[j].cuts.data[i];
			k.enters[i][j] = guard_of(&s[j], c->entry_obligation, 1);
			k.returns[i][j] = guard_of(&s[j], c->next_obligation, c->next.there);
		}
	for (size_t i = 0; i < loops; i++) {
		couple_phis(&k, i, &s[OLD].cuts.data[i], &s[NEW].cuts.data[i]);
		couple_memory(&k, i, &s[OLD].cuts.data[i], &s[NEW].cuts.data[i]);
	}
	proved = proves(&k, loops);
	if (!proved)
		prove_entered(&k, loops);
	vec_release(&k.couples);
	map_clear(&x->coupled);
	diff_sets_forget(x);
	return proved;
}
