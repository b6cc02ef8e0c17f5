/* block.c: a pass over the blocks of a function, or of one iteration of a loop, in order; instructions, branches and joins.
 *
 * The blocks are gone through in reverse postorder, an inner loop as one node at the place of its header. A node's conditions count from the end of the node that
 * dominates it on the paths of the pass: every path to a predecessor of a block passes the block's dominator, so the edge's condition is that of the dominators on the way down
 * and its own; where paths part and meet again without an end in between, nothing of them is left in the condition. Edges into a block exclude each other. A phi is a choice
 * between what they bring, and so is each object that they bring different contents of.
 *
 * A loop that is entered beside its header is one node, too: all edges into it have their condition by then, since the block that such an edge comes from stands before the header in reverse postorder (it is no
 * descendant of the header in the depth-first tree, or it would be in the loop). They are kept for a first pass over the loop, which begins at none of its blocks: its start is a node that stands before all of them.
 *
 * Values are kept by their number: a use is dominated by its definition, so what stands there is of this pass, or of the loop iteration that was left.
 */
#include "vc/inside.h"
#include "vc/value.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

#define GUESSED 256 /* bytes of an array of variable length, where guesses will do | as TABLE */

/* ------------------------------------------------------------ nodes */

void vc_frame_init(struct vc_frame *fr, const struct code_function *f, expr_t *values)
{
	*fr = (struct vc_frame){.f = f, .values = values, .begin = CODE_NONE, .end = CODE_NONE};
	fr->nodes = mem_zalloc((f->block_count + 1) * sizeof *fr->nodes);
	fr->flows = mem_zalloc((f->edge_count + 1) * sizeof *fr->flows);
	fr->aside = mem_zalloc((f->edge_count + 1) * sizeof *fr->aside);
}

void vc_frame_release(struct vc_frame *fr)
{
	free(fr->nodes);
	free(fr->flows);
	free(fr->aside);
	vec_release(&fr->own);
}

static const uint32_t *blocks_of(const struct vc_pass *ps, uint32_t *count)
{
	const struct code_function *f = ps->fr->f;
	*count = ps->loop == CODE_NONE ? f->order_count : f->loops[ps->loop].blocks;
	return ps->loop == CODE_NONE ? f->order : &f->loop_blocks[f->loops[ps->loop].first_block];
}

/* The block that stands for this one: itself, or the header of an inner loop. */
static uint32_t node_of(const struct vc_pass *ps, uint32_t block)
{
	const struct code_function *f = ps->fr->f;
	uint32_t inner = CODE_NONE;
	for (uint32_t l = f->blocks[block].loop; l != ps->loop; l = f->loops[l].parent)
		inner = l;
	return inner == CODE_NONE ? block : f->loops[inner].header;
}

static int is_aside(const struct vc_pass *ps)
{
	return ps->start == ps->fr->f->block_count;
}

static int is_inside(const struct vc_pass *ps, uint32_t edge)
{
	return ps->loop == CODE_NONE || code_in_loop(ps->fr->f, ps->loop, ps->fr->f->edges[edge].from);
}

/* Where the edge comes from: a node of the pass, or its start. */
static uint32_t node_before(const struct vc_pass *ps, uint32_t edge)
{
	return is_inside(ps, edge) ? node_of(ps, ps->fr->f->edges[edge].from) : ps->start;
}

const struct vc_flow *vc_edge_flow(const struct vc_pass *ps, uint32_t edge)
{
	static const struct vc_flow none;
	return is_inside(ps, edge) ? &ps->flows[edge] : is_aside(ps) ? &ps->fr->aside[edge] : &none;
}

/* What an earlier iteration left is forgotten. */
void vc_pass_init(struct vc_pass *ps, struct vc *v, struct vc_frame *fr, uint32_t loop, uint32_t start, expr_t base)
{
	uint32_t count;
	*ps = (struct vc_pass){.v = v, .fr = fr, .loop = loop, .start = start, .base = base, .nodes = fr->nodes, .flows = fr->flows};
	const uint32_t *blocks = blocks_of(ps, &count);
	if (fr->begin != CODE_NONE)
		ps->start = node_of(ps, fr->f->values[fr->begin].block);
	if (is_aside(ps))
		ps->nodes[start] = (struct vc_node){.out = expr_true(v->p), .whole = expr_true(v->p), .dominator = start};
	for (uint32_t i = 0; i < count; i++) {
		const struct code_block *b = &fr->f->blocks[blocks[i]];
		ps->nodes[blocks[i]] = (struct vc_node){0};
		for (uint32_t e = b->first_edge; e < b->first_edge + b->edges; e++)
			ps->flows[e] = (struct vc_flow){0};
	}
}

/* The nearest node that dominates both: a dominator comes first in the order. */
static uint32_t common_dominator(const struct vc_pass *ps, uint32_t a, uint32_t b)
{
	const struct code_block *blocks = ps->fr->f->blocks;
	while (a != b)
		if (b == ps->start || (a != ps->start && blocks[a].order > blocks[b].order))
			a = ps->nodes[a].dominator;
		else
			b = ps->nodes[b].dominator;
	return a;
}

expr_t vc_path_down(const struct vc_pass *ps, uint32_t d, uint32_t n)
{
	expr_t all = expr_true(ps->v->p);
	for (; n != d; n = ps->nodes[n].dominator)
		all = expr_and(ps->v->p, ps->nodes[n].out, all);
	return all;
}

expr_t vc_edge_whole(struct vc_pass *ps, uint32_t edge)
{
	const struct vc_flow *flow = vc_edge_flow(ps, edge);
	if (flow->taken == EXPR_NONE)
		return expr_false(ps->v->p);
	return expr_and(ps->v->p, ps->nodes[node_before(ps, edge)].whole, flow->taken);
}

/* ------------------------------------------------------------ joins */

static void set_value(struct vc_frame *fr, uint32_t at, expr_t e)
{
	fr->values[at] = e != EXPR_NONE ? e : VC_LOST;
}

static uint32_t pred_number(const struct code_function *f, uint32_t block, uint32_t edge)
{
	const struct code_block *b = &f->blocks[block];
	for (uint32_t k = 0; k < b->preds; k++)
		if (f->preds[b->first_pred + k] == edge)
			return k;
	BUG("edge %u does not lead to block %u", edge, block);
}

expr_t vc_choice(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t at, expr_t condition, expr_t a, expr_t b)
{
	if (condition == expr_true(v->p) || condition == expr_false(v->p))
		return condition == expr_true(v->p) ? a : b;
	expr_t e = vc_settled(v, fr, s, at, expr_ite(v->p, condition, a, b));
	return e != EXPR_NONE ? e : VC_LOST;
}

const struct vc_memory *vc_join(struct vc *v, struct vc_frame *fr, uint32_t block, const uint32_t *edges, const expr_t *selectors, const struct vc_memory *const *memories, size_t count)
{
	const struct code_function *f = fr->f;
	const struct code_block *b = &f->blocks[block];
	const struct vc_memory *m = memories[0];
	uint32_t phis = 0;
	while (phis < b->count && f->values[b->first + phis].op == CODE_PHI)
		phis++;
	expr_t *news = mem_zalloc((phis + 1) * sizeof *news); /* phis may use each other: all at once */
	for (size_t i = 0; i < count; i++) {
		uint32_t k = pred_number(f, block, edges[i]);
		for (uint32_t n = 0; n < phis; n++) {
			expr_t x = vc_value(v, fr, code_operand(f, b->first + n, k));
			if (x == EXPR_NONE || news[n] == VC_LOST)
				news[n] = VC_LOST;
			else
				news[n] = i ? vc_choice(v, fr, NULL, b->first + n, selectors[i], x, news[n]) : x;
		}
		if (i)
			m = vc_memory_ite(v, selectors[i], memories[i], m);
	}
	for (uint32_t n = 0; n < phis; n++)
		set_value(fr, b->first + n, news[n] != VC_LOST ? news[n] : vc_settled(v, fr, NULL, b->first + n, EXPR_NONE));
	free(news);
	return m;
}

void vc_ask_phis(struct vc *v, struct vc_frame *fr, uint32_t block)
{
	const struct code_block *b = &fr->f->blocks[block];
	for (uint32_t n = b->first; n < b->first + b->count && fr->f->values[n].op == CODE_PHI; n++)
		if (fr->values[n] == EXPR_NONE)
			fr->values[n] = vc_asked(v, fr, NULL, n);
}

/* Edges by which paths of the pass come to a node. */
struct arrivals {
	VEC(uint32_t) edges;
	VEC(expr_t) selectors; /* from the end of the node's dominator on; they exclude each other */
	VEC(const struct vc_memory *) memories;
	expr_t any;  /* of them */
	int beside; /* one leads into a loop, and not to its header */
};

/* Edges into the node: of a loop that is entered beside its header those from outside, wherever they lead to. */
static const uint32_t *edges_into(const struct vc_pass *ps, uint32_t node, uint32_t *count)
{
	const struct code_function *f = ps->fr->f;
	const struct code_block *b = &f->blocks[node];
	const struct code_loop *l = b->loop != ps->loop && f->loops[b->loop].irreducible ? &f->loops[b->loop] : NULL;
	*count = l ? l->entries : b->preds;
	return l ? &f->loop_edges[l->first_entry] : &f->preds[b->first_pred];
}

/* Does a path of this pass take the edge? */
static int is_taken(const struct vc_pass *ps, uint32_t edge)
{
	if (ps->fr->f->edges[edge].flags & CODE_EDGE_BACK)
		return 0;
	const struct vc_flow *flow = vc_edge_flow(ps, edge);
	return flow->taken != EXPR_NONE && flow->taken != expr_false(ps->v->p);
}

/* Of a node, from those of its predecessors that paths come from; CODE_NONE: none. */
static uint32_t find_dominator(const struct vc_pass *ps, const uint32_t *edges, uint32_t count)
{
	uint32_t d = CODE_NONE;
	for (uint32_t k = 0; k < count; k++) {
		if (!is_taken(ps, edges[k]))
			continue;
		uint32_t from = node_before(ps, edges[k]);
		d = d == CODE_NONE ? from : common_dominator(ps, d, from);
	}
	return d;
}

static void find_arrivals(struct vc_pass *ps, uint32_t node, const uint32_t *edges, uint32_t count, struct arrivals *a)
{
	struct exprs *p = ps->v->p;
	uint32_t d = ps->nodes[node].dominator = find_dominator(ps, edges, count);
	a->any = expr_false(p);
	for (uint32_t k = 0; k < count; k++) {
		uint32_t e = edges[k];
		if (!is_taken(ps, e))
			continue;
		expr_t selector = expr_and(p, vc_path_down(ps, d, node_before(ps, e)), vc_edge_flow(ps, e)->taken);
		if (selector == expr_false(p))
			continue;
		vec_push(&a->edges, e);
		vec_push(&a->selectors, selector);
		vec_push(&a->memories, vc_edge_flow(ps, e)->memory);
		a->any = vc_or(p, a->any, selector);
		a->beside |= ps->fr->f->edges[e].to != node;
	}
}

/* Keeps what enters a loop beside its header for the loop's first pass. */
static const struct vc_memory *keep_aside(struct vc_pass *ps, const uint32_t *edges, uint32_t count, const struct arrivals *a)
{
	const struct vc_memory *m = a->memories.data[0];
	for (uint32_t k = 0; k < count; k++)
		ps->fr->aside[edges[k]] = (struct vc_flow){0};
	for (size_t i = 0; i < a->edges.size; i++) {
		expr_t selector = a->edges.size > 1 ? a->selectors.data[i] : expr_true(ps->v->p); /* the node's own condition says that the loop is entered */
		ps->fr->aside[a->edges.data[i]] = (struct vc_flow){selector, a->memories.data[i]};
		if (i)
			m = vc_memory_ite(ps->v, selector, a->memories.data[i], m);
	}
	return m;
}

/* The state at the entry of a node, its phis set, unless it is a loop that is entered beside its header. 0: no path comes there. */
static int enter(struct vc_pass *ps, uint32_t node, struct vc_state *s, int *beside)
{
	uint32_t count;
	const uint32_t *edges = edges_into(ps, node, &count);
	struct arrivals a = {0};
	if (is_aside(ps) && node == ps->fr->f->loops[ps->loop].header)
		return 0;
	find_arrivals(ps, node, edges, count, &a);
	if (a.edges.size) {
		s->memory = a.beside ? keep_aside(ps, edges, count, &a) :
				       vc_join(ps->v, ps->fr, node, a.edges.data, a.selectors.data, a.memories.data, a.edges.size);
		s->shared = 1;
		s->base = expr_and(ps->v->p, ps->base, ps->nodes[ps->nodes[node].dominator].whole);
		s->here = a.any;
	}
	int some = a.edges.size != 0;
	*beside = a.beside;
	vec_release(&a.edges);
	vec_release(&a.selectors);
	vec_release(&a.memories);
	return some && !vc_dead(ps->v, s);
}

/* ------------------------------------------------------------ instructions */

/* Ends paths that divide by zero, or shift too far. */
static void check_operator(struct vc *v, struct vc_state *s, const struct code_function *f, uint32_t at, const expr_t *e)
{
	struct exprs *p = v->p;
	const struct code_value *c = &f->values[at];
	unsigned width = c->width;
	switch (c->op) {
	case CODE_SDIV:
	case CODE_SREM: {
		expr_t least = expr_eq(p, e[0], expr_const(p, width, (u128)1 << (width - 1)));
		expr_t minus = expr_eq(p, e[1], expr_const(p, width, ~(u128)0));
		vc_end_here(v, s, VC_UNDEFINED, expr_and(p, least, minus), f, at, "a division that overflows");
	}
	/* fallthrough */
	case CODE_UDIV:
	case CODE_UREM:
		vc_end_here(v, s, VC_UNDEFINED, expr_eq(p, e[1], expr_const(p, width, 0)), f, at, "a division by zero");
		break;
	case CODE_SHL:
	case CODE_LSHR:
	case CODE_ASHR:
		if (op_mask(width, width) == width) /* else every amount is below it */
			vc_end_here(v, s, VC_UNDEFINED, expr_not(p, expr_binary(p, MUSTER_OP_ULT, e[1], expr_const(p, width, width))), f, at, "a shift by the width or more");
		break;
	default:
		break;
	}
}

static expr_t resized(struct exprs *p, expr_t e, unsigned width)
{
	return expr_width(p, e) > width ? expr_extract(p, e, 0, width) : expr_zext(p, e, width);
}

static expr_t gep(struct vc *v, struct vc_frame *fr, uint32_t at)
{
	const struct code_value *c = &fr->f->values[at];
	expr_t e = vc_value(v, fr, code_operand(fr->f, at, 0));
	if (e == EXPR_NONE || !c->is_pointer) /* a vector of pointers */
		return EXPR_NONE;
	expr_t offset = expr_const(v->p, 64, (u128)(uint64_t)c->offset);
	for (uint32_t k = 1; k < c->operands; k++) {
		expr_t i = vc_value(v, fr, code_operand(fr->f, at, k));
		if (i == EXPR_NONE)
			return EXPR_NONE;
		i = expr_width(v->p, i) > 64 ? expr_extract(v->p, i, 0, 64) : expr_sext(v->p, i, 64);
		i = expr_binary(v->p, MUSTER_OP_MUL, i, expr_const(v->p, 64, (u128)(uint64_t)code_scale(fr->f, at, k)));
		offset = expr_binary(v->p, MUSTER_OP_ADD, offset, i);
	}
	return expr_binary(v->p, MUSTER_OP_ADD, e, offset);
}

/* `freeze undef`: what a local has without a value, and the n-th of them in a function (unit_load_unset). Evaluators of one pool share it: two versions of a function that
 * do the same, whatever it is, do the same or are both undefined. */
static expr_t unset_value(struct vc *v, const struct vc_frame *fr, uint32_t at)
{
	const struct code_function *f = fr->f;
	char name[256];
	unsigned number = 0;
	for (uint32_t i = f->first_instruction; i < at; i++)
		number += code_is_unset(f, i);
	snprintf(name, sizeof name, "%s%u.%.120s.%llx", VC_UNSET, number, f->name, (unsigned long long)fr->context);
	v->some_unset = 1;
	return expr_named(v->p, vc_width(&f->values[at]), name);
}

/* Instructions whose value is computed from their operands. */
static expr_t compute(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t at)
{
	const struct code_function *f = fr->f;
	const struct code_value *c = &f->values[at];
	expr_t e[3] = {0};
	if (c->op == CODE_GEP)
		return gep(v, fr, at);
	if (!vc_width(c) || c->operands > 3)
		return EXPR_NONE;
	if (code_is_unset(f, at))
		return unset_value(v, fr, at);
	for (uint32_t k = 0; k < c->operands; k++)
		if ((e[k] = vc_value(v, fr, code_operand(f, at, k))) == EXPR_NONE)
			return EXPR_NONE;
	switch (c->op) {
	case CODE_PTRTOINT:
	case CODE_INTTOPTR:
		return resized(v->p, e[0], vc_width(c));
	case CODE_COPY:
		return expr_width(v->p, e[0]) == vc_width(c) ? e[0] : EXPR_NONE;
	case CODE_SELECT:
		return expr_width(v->p, e[0]) == 1 ? expr_ite(v->p, e[0], e[1], e[2]) : EXPR_NONE;
	default:
		break;
	}
	if (c->op >= CODE_EQ && c->op <= CODE_SGE && code_operand_value(f, at, 0)->is_pointer)
		return vc_compare_pointers(v, c->op, e[0], e[1]);
	if (!vc_computes(f, at))
		return EXPR_NONE;
	if (!v->o.bare)
		check_operator(v, s, f, at, e);
	return vc_dead(v, s) ? EXPR_NONE : vc_combine(v->p, c, e);
}

/* Is the integer (or pointer) of the access given by the bytes of memory? */
static int is_word(const struct code_value *c, uint64_t bytes)
{
	unsigned width = vc_width(c);
	return width && bytes <= 16 && (width == 8 * bytes || (width == 1 && bytes == 1));
}

static void load(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t at)
{
	const struct code_value *c = &fr->f->values[at];
	struct vc_where w = {fr->f, at};
	expr_t address = vc_value(v, fr, code_operand(fr->f, at, 0));
	if (c->flags & CODE_VOLATILE && !v->o.loose)
		vc_stop_here(v, s, VC_UNKNOWN, fr->f, at, "a volatile or atomic access");
	else if ((address == EXPR_NONE || c->bytes > 16 || !c->bytes) && v->o.loose)
		set_value(fr, at, vc_width(c) ? vc_fresh(v, vc_width(c), "load") : EXPR_NONE);
	else if (address == EXPR_NONE || c->bytes > 16 || !c->bytes)
		vc_stop_here(v, s, VC_UNKNOWN, fr->f, at, "an access that is not modelled");
	else if (is_word(c, c->bytes))
		set_value(fr, at, vc_load(v, s, w, address, vc_width(c), c->bytes));
	else { /* it may still be outside of its object */
		vc_load(v, s, w, address, 8, c->bytes);
		set_value(fr, at, EXPR_NONE);
	}
}

static void store(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t at)
{
	const struct code_value *c = &fr->f->values[at];
	expr_t value = vc_value(v, fr, code_operand(fr->f, at, 0)), address = vc_value(v, fr, code_operand(fr->f, at, 1));
	if (v->o.loose && (value == EXPR_NONE || !is_word(code_operand_value(fr->f, at, 0), c->bytes)))
		value = c->bytes && c->bytes <= 16 ? vc_fresh(v, 8 * (unsigned)c->bytes, "store") : EXPR_NONE;
	if (v->o.loose) {
		if (address != EXPR_NONE && value != EXPR_NONE)
			vc_store(v, s, (struct vc_where){fr->f, at}, address, value);
	} else if (c->flags & CODE_VOLATILE)
		vc_stop_here(v, s, VC_UNKNOWN, fr->f, at, "a volatile or atomic access");
	else if (address == EXPR_NONE || value == EXPR_NONE || !is_word(code_operand_value(fr->f, at, 0), c->bytes))
		vc_stop_here(v, s, VC_UNKNOWN, fr->f, at, "a store of a value that is not modelled");
	else
		vc_store(v, s, (struct vc_where){fr->f, at}, address, value);
}

/* By the variable that lives there, and how many of this name there were before. */
static void shared_name(struct vc *v, const struct vc_frame *fr, uint32_t at, char *out, size_t size)
{
	const struct code_function *f = fr->f;
	const char *variable = "";
	char key[300];
	uint64_t count = 0;
	for (uint32_t i = 0; i < f->variable_count; i++)
		if (f->variables[i].home == at && f->variables[i].name)
			variable = f->variables[i].name;
	snprintf(key, sizeof key, VC_STACK "%.80s.%.80s.%llu", fr->depth ? f->name : "", variable, (unsigned long long)f->values[at].bytes);
	strmap_get(&v->locals, key, &count);
	strmap_set(&v->locals, key, count + 1);
	snprintf(out, size, "%s.%llu", key, (unsigned long long)count);
}

static void allocate(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t at)
{
	const struct code_value *c = &fr->f->values[at];
	char name[320];
	if (c->operands && !v->o.loose) {
		vc_stop_here(v, s, VC_UNKNOWN, fr->f, at, "an array of variable length");
		return;
	}
	if (v->o.same_locals)
		shared_name(v, fr, at, name, sizeof name);
	else
		snprintf(name, sizeof name, "%s%s.%.200s.%u.%u", v->o.varies ? VC_UNSET : "", v->o.prefix, fr->f->name, at, v->fresh++);
	v->some_unset |= v->o.varies;
	uint32_t object = vc_object(v, name, c->operands ? GUESSED : c->bytes);
	v->things.data[object].own = 1;
	vec_push(&fr->own, object);
	set_value(fr, at, vc_address(v, object));
}

static void fill_or_move(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t at)
{
	const struct code_value *c = &fr->f->values[at];
	struct vc_where w = {fr->f, at};
	expr_t e[3] = {0};
	for (uint32_t k = 0; k < 3; k++)
		e[k] = k < c->operands ? vc_value(v, fr, code_operand(fr->f, at, k)) : EXPR_NONE;
	if (e[0] == EXPR_NONE || e[1] == EXPR_NONE || e[2] == EXPR_NONE || c->flags & CODE_VOLATILE) {
		if (v->o.loose)
			return;
		vc_stop_here(v, s, VC_UNKNOWN, fr->f, at, "an access that is not modelled");
		return;
	}
	e[2] = resized(v->p, e[2], 64);
	if (c->op == CODE_FILL)
		vc_fill(v, s, w, e[0], resized(v->p, e[1], 8), e[2]);
	else
		vc_move(v, s, w, e[0], e[1], e[2]);
}

static void execute(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t at)
{
	unsigned op = fr->f->values[at].op;
	expr_t c = op != CODE_PHI && op != CODE_NOP ? vc_asked(v, fr, s, at) : EXPR_NONE;
	if (c != EXPR_NONE) {
		fr->values[at] = c;
		return;
	}
	switch ((enum code_op)op) {
	case CODE_PHI:
	case CODE_NOP:
		return;
	case CODE_LOAD:
		load(v, fr, s, at);
		return;
	case CODE_STORE:
		store(v, fr, s, at);
		return;
	case CODE_ALLOCA:
		allocate(v, fr, s, at);
		return;
	case CODE_FILL:
	case CODE_MOVE:
		fill_or_move(v, fr, s, at);
		return;
	case CODE_ATOMIC:
		if (v->o.loose) {
			set_value(fr, at, vc_width(&fr->f->values[at]) ? vc_fresh(v, vc_width(&fr->f->values[at]), "atomic") : EXPR_NONE);
			return;
		}
		vc_stop_here(v, s, VC_UNKNOWN, fr->f, at, "an atomic operation");
		return;
	case CODE_CALL:
		vc_call_run(v, fr, s, at);
		set_value(fr, at, vc_settled(v, fr, s, at, fr->values[at]));
		return;
	case CODE_ASSUME:
		c = vc_value(v, fr, code_operand(fr->f, at, 0));
		if (c == EXPR_NONE && v->o.loose)
			return;
		if (c == EXPR_NONE)
			vc_stop_here(v, s, VC_UNKNOWN, fr->f, at, "an assumption that is not modelled");
		else
			vc_end_here(v, s, VC_UNDEFINED, expr_not(v->p, c), fr->f, at, "an assumption that fails");
		return;
	case CODE_ANY:
	case CODE_PAIR:
		set_value(fr, at, EXPR_NONE);
		return;
	default:
		set_value(fr, at, vc_settled(v, fr, s, at, compute(v, fr, s, at)));
	}
}

/* ------------------------------------------------------------ the end of a block */

/* How the paths end that come to the instruction, or take the edge; VC_END_COUNT: they go on. */
static enum vc_end_kind ending(struct vc_pass *ps, struct vc_state *s, uint32_t at, uint32_t edge)
{
	if (!ps->v->o.ends || ps->fr->f->values[at].op == CODE_PHI)
		return VC_END_COUNT;
	struct vc_point point = vc_point_at(ps->v, ps->fr, s, at);
	return ps->v->o.ends(ps->v->o.ctx, &point, edge);
}

static void take(struct vc_pass *ps, uint32_t edge, expr_t condition, const struct vc_state *s)
{
	struct vc_state end = *s;
	uint32_t last = code_last(ps->fr->f, ps->fr->f->edges[edge].from);
	enum vc_end_kind kind = ending(ps, &end, last, edge);
	ps->flows[edge] = (struct vc_flow){condition, s->memory};
	if (kind == VC_END_COUNT)
		return;
	vc_end_here(ps->v, &end, kind, condition, ps->fr->f, last, NULL);
	ps->flows[edge] = (struct vc_flow){0};
}

static void do_return(struct vc_pass *ps, uint32_t last, struct vc_state *s, expr_t whole)
{
	struct vc_frame *fr = ps->fr;
	struct vc *v = ps->v;
	expr_t value = fr->f->values[last].operands ? vc_value(v, fr, code_operand(fr->f, last, 0)) : EXPR_NONE;
	fr->value_lost |= value == EXPR_NONE;
	if (!fr->some_return) {
		fr->value = value;
		fr->memory = s->memory;
		fr->returns = whole;
		fr->some_return = 1;
		return;
	}
	if (!fr->value_lost)
		fr->value = vc_choice(v, fr, s, last, whole, value, fr->value);
	fr->value_lost |= fr->value == VC_LOST;
	fr->memory = vc_memory_ite(v, whole, s->memory, fr->memory);
	fr->returns = vc_or(v->p, fr->returns, whole);
}

static expr_t decided_by(struct vc_pass *ps, uint32_t last, struct vc_state *s, unsigned width, expr_t c, uint32_t *outcome);

/* A check of the compiler's: the edge by which the program goes on. 1 if it is one, and not the first part of one that counts. */
static int pass_check(struct vc_pass *ps, uint32_t block, struct vc_state *s)
{
	const struct code_function *f = ps->fr->f;
	const struct code_block *b = &f->blocks[block];
	uint32_t last = code_last(f, block), pass = CODE_NONE;
	for (uint32_t k = 0; k < b->edges; k++)
		if (f->edges[b->first_edge + k].flags & CODE_EDGE_PASS)
			pass = k;
	if (pass == CODE_NONE)
		return 0;
	if (ps->v->o.checks && f->values[last].op == CODE_BRANCH && f->edges[b->first_edge + pass].flags & CODE_EDGE_UB) {
		if (!(f->edges[b->first_edge + (1 - pass)].flags & CODE_EDGE_REPORT))
			return 0;
		uint32_t only = CODE_NONE;
		expr_t c = vc_value(ps->v, ps->fr, code_operand(f, last, 0));
		if (c != EXPR_NONE && ps->v->o.settle)
			c = decided_by(ps, last, s, 1, c, &only);
		if (c == EXPR_NONE)
			vc_stop_here(ps->v, s, VC_UNKNOWN, f, last, "a check of a value that is not modelled");
		else if (only != pass && only != CODE_NONE)
			vc_stop_here(ps->v, s, VC_UNDEFINED, f, last, "a check that fails");
		else if (only != pass)
			vc_end_here(ps->v, s, VC_UNDEFINED, pass ? expr_not(ps->v->p, c) : c, f, last, "a check that fails");
	}
	take(ps, b->first_edge + pass, expr_true(ps->v->p), s);
	return 1;
}

/* What the block's end decides on, where the code says c. *outcome: the only one that counts, or CODE_NONE. */
static expr_t decided_by(struct vc_pass *ps, uint32_t last, struct vc_state *s, unsigned width, expr_t c, uint32_t *outcome)
{
	struct vc *v = ps->v;
	struct vc_point point = vc_point_at(v, ps->fr, s, last);
	point.decides = 1;
	point.width = width;
	if (c == EXPR_NONE && v->o.value)
		c = v->o.value(v->o.ctx, &point);
	if (v->o.settle)
		c = v->o.settle(v->o.ctx, &point, c == VC_LOST ? EXPR_NONE : c);
	*outcome = point.outcome;
	return c == VC_LOST ? EXPR_NONE : c;
}

/* options.varies: a decision that depends on what a local has without a value is undefined, and compilers use that. Does it? Two uses of the term may then differ. */
static void end_of_undecided(struct vc_pass *ps, struct vc_state *s, uint32_t last, expr_t c)
{
	expr_t again = vc_varied(ps->v, c);
	if (again != c)
		vc_end_here(ps->v, s, VC_UNDEFINED, expr_not(ps->v->p, expr_eq(ps->v->p, c, again)), ps->fr->f, last, "a decision on a local without a value");
}

static void branch(struct vc_pass *ps, uint32_t block, struct vc_state *s)
{
	const struct code_function *f = ps->fr->f;
	const struct code_block *b = &f->blocks[block];
	struct exprs *p = ps->v->p;
	uint32_t last = code_last(f, block), only;
	int computed = f->values[last].op == CODE_BRANCH || f->values[last].op == CODE_SWITCH;
	unsigned width = computed ? vc_width(code_operand_value(f, last, 0)) : 32;
	expr_t any = expr_false(p), c = decided_by(ps, last, s, width, computed ? vc_value(ps->v, ps->fr, code_operand(f, last, 0)) : EXPR_NONE, &only);
	if (ps->v->stopped)
		return;
	if (only != CODE_NONE) {
		take(ps, b->first_edge + only, expr_true(p), s);
		return;
	}
	if (c == EXPR_NONE && ps->v->o.loose && computed)
		c = vc_fresh(ps->v, width, "branch");
	if (c == EXPR_NONE) {
		vc_stop_here(ps->v, s, VC_UNKNOWN, f, last, computed ? "a branch on a value that is not modelled" : "a jump that is not modelled");
		return;
	}
	end_of_undecided(ps, s, last, c);
	for (uint32_t k = 1; k < b->edges; k++) {
		expr_t is = f->values[last].op == CODE_BRANCH ? c : expr_eq(p, c, expr_const(p, expr_width(p, c), computed ? code_unsigned(code_operand_value(f, last, k)) : k));
		any = vc_or(p, any, is);
		take(ps, b->first_edge + k, is, s);
	}
	take(ps, b->first_edge, expr_not(p, any), s);
	if (ps->v->o.edge) {
		struct vc_point point = vc_point_at(ps->v, ps->fr, s, last);
		for (uint32_t e = b->first_edge; e < b->first_edge + b->edges; e++)
			ps->v->o.edge(ps->v->o.ctx, &point, e, ps->flows[e].taken);
	}
}

static void leave(struct vc_pass *ps, uint32_t block, struct vc_state *s, expr_t before)
{
	const struct code_function *f = ps->fr->f;
	const struct code_block *b = &f->blocks[block];
	uint32_t last = code_last(f, block);
	if (pass_check(ps, block, s))
		return;
	switch ((enum code_op)f->values[last].op) {
	case CODE_JUMP:
		take(ps, b->first_edge, expr_true(ps->v->p), s);
		return;
	case CODE_RETURN:
		do_return(ps, last, s, expr_and(ps->v->p, before, s->here));
		return;
	case CODE_UNREACHABLE:
		vc_stop_here(ps->v, s, VC_UNREACHABLE, f, last, NULL);
		return;
	default:
		branch(ps, block, s);
	}
}

/* ------------------------------------------------------------ the pass */

static void run_block(struct vc_pass *ps, uint32_t block, struct vc_state *s, expr_t before)
{
	struct vc_frame *fr = ps->fr;
	uint32_t begin = fr->begin, last = code_last(fr->f, block);
	fr->begin = CODE_NONE;
	for (uint32_t at = begin != CODE_NONE ? begin : fr->f->blocks[block].first; at <= last && !vc_dead(ps->v, s); at++) {
		enum vc_end_kind kind = ending(ps, s, at, CODE_NONE);
		if (kind != VC_END_COUNT)
			vc_stop_here(ps->v, s, kind, fr->f, at, NULL);
		else if (at == fr->end && at != begin)
			vc_reach(ps->v, fr, s, at);
		else if (at == last)
			leave(ps, block, s, before);
		else if (!vc_limit(ps->v))
			execute(ps->v, fr, s, at);
	}
}

static void visit(struct vc_pass *ps, uint32_t block, const struct vc_memory *memory)
{
	struct vc *v = ps->v;
	const struct code_function *f = ps->fr->f;
	struct vc_node *n = &ps->nodes[block];
	struct vc_state s = {.base = ps->base, .here = expr_true(v->p), .memory = memory, .shared = 1};
	expr_t before = expr_true(v->p);
	int beside = 0;
	n->dominator = block;
	if (block != ps->start) {
		if (!enter(ps, block, &s, &beside))
			return;
		before = ps->nodes[n->dominator].whole;
	}
	if (f->blocks[block].loop != ps->loop) {
		n->out = s.here;
		n->whole = expr_and(v->p, before, s.here);
		vc_loop_run(ps, f->blocks[block].loop, &s, beside);
		return;
	}
	run_block(ps, block, &s, before);
	n->out = s.here;
	n->whole = expr_and(v->p, before, s.here);
}

void vc_pass_run(struct vc_pass *ps, const struct vc_memory *memory)
{
	uint32_t count;
	const uint32_t *blocks = blocks_of(ps, &count);
	for (uint32_t i = 0; i < count && !ps->v->stopped; i++)
		if (node_of(ps, blocks[i]) == blocks[i])
			visit(ps, blocks[i], memory);
}
