/* ic_probe.c: from a trace of summary mode to interfaces.
 *
 * Labels are in the order of time, so sweeps over the nodes are enough. Backwards from the conditions of all steps up to the unit's end: which nodes are tested. A leaf belongs to one
 * activation, so if it is tested, that activation tests it; if the leaf of an output is tested, another one did after its call. The sweep goes through
 * outputs to what they were computed from: more is taken for tested than need be, never less. Forwards: what each node depends on. An output of a reused call
 * is a variable of its own there, so whether the call is reused is decided at its first output, when all its inputs are older. Data that a call hands on as it found it (a function that reads) is no output:
 * nothing that it decided is in it, and a fresh variable in its place would hide the input from all that comes after.
 *
 * An input is known in another call by its key: a parameter by its number, memory by the address as the activation computed it, over the keys of its
 * other inputs.
 */
#include "search/ic_probe.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/limit.h"
#include "search/ic_lanes.h"
#include "search/ic_nodes.h"

#include <string.h>

enum flag {
	TESTED = 1,
	BEFORE = 2,	 /* tested before the unit was called */
	ON_INPUT = 4,	 /* depends on bytes of the input, not through a reused call */
	ON_LENGTH = 8,
	ON_OUTPUT = 16,	 /* depends on outputs of reused calls */
	ON_ANY = 32,	 /* depends on the input, through whatever */
	ON_TIED = 64,	 /* depends on a tied input of the unit */
	ON_HELD = 128,	 /* depends on a held input of a reused call */
};

struct reader {
	struct ic_probe *p;
	const struct trace *t;
	const struct calls *c;
	uint32_t unit_call;
	ic_decide decide;
	void *ctx;
	uint8_t *flags; /* by node */
	uint64_t *keys; /* by node */
	VEC(uint32_t) leaves; /* labels of inputs, in order */
};

void ic_probe_release(struct ic_probe *p)
{
	for (size_t i = 0; i < p->list.size; i++) {
		vec_release(&p->list.data[i].inputs);
		vec_release(&p->list.data[i].outputs);
		vec_release(&p->list.data[i].values);
	}
	vec_release(&p->list);
	vec_release(&p->decisions);
}

struct ic_call *ic_probe_call(struct ic_probe *p, uint32_t call)
{
	for (size_t i = 0; i < p->list.size; i++)
		if (p->list.data[i].call == call)
			return &p->list.data[i];
	return NULL;
}

/* ----------------------------------------------------------------- events */

static int is_step(const struct muster_event *e)
{
	return e->label && (e->kind == MUSTER_EV_BRANCH || e->kind == MUSTER_EV_SWITCH || e->kind == MUSTER_EV_BOUND ||
			    (e->kind == MUSTER_EV_CONCRETE && e->arg != MUSTER_REASON_ORDER));
}

static void mark(struct reader *r, const uint32_t *open, size_t count, size_t innermost, int lost)
{
	for (size_t i = innermost && innermost < count ? count - innermost : 0; i < count; i++) {
		r->p->list.data[open[i]].marked = 1;
		r->p->list.data[open[i]].lost |= lost;
	}
}

/* Activations with their calls, what is marked of them, and what is tested. */
static int read_events(struct reader *r)
{
	VEC(uint32_t) calls = {0}, open = {0}; /* calls; of the list, those that are open */
	uint64_t unit_begins = r->c->list.data[r->unit_call].begin, unit_ends = r->c->list.data[r->unit_call].end;
	int e = 0;
	for (uint64_t i = 0; i < r->t->event_count && !e; i++) {
		const struct muster_event *v = &r->t->events[i];
		const struct call *c;
		if (is_step(v) && i <= unit_ends)
			r->flags[v->label] |= i < unit_begins ? TESTED | BEFORE : TESTED;
		switch (v->kind) {
		case MUSTER_EV_CALL:
			if ((c = calls_at(r->c, i)))
				vec_push(&calls, (uint32_t)(c - r->c->list.data));
			break;
		case MUSTER_EV_RETURN:
			if (!calls.size)
				break;
			if (open.size && r->p->list.data[vec_last(&open)].call == vec_last(&calls)) {
				if (v->arg == MUSTER_LEFT_TAIL || v->arg == MUSTER_LEFT_LOST)
					r->p->list.data[vec_last(&open)].lost = 1;
				open.size--;
			}
			calls.size--;
			break;
		case MUSTER_EV_ACTIVATION:
			if (!calls.size || v->index != r->p->list.size + 1) {
				e = error_set("an activation out of order: the target wrote over the trace");
				break;
			}
			vec_push(&open, (uint32_t)r->p->list.size);
			vec_push(&r->p->list, (struct ic_call){.call = vec_last(&calls), .number = v->index});
			break;
		case MUSTER_EV_BIND:
			vec_push(&r->leaves, v->label);
			break;
		case MUSTER_EV_MARK:
			mark(r, open.data, open.size, v->more, v->arg == MUSTER_MARK_ROOM);
			break;
		case MUSTER_EV_LOST:
		case MUSTER_EV_THREAD:
		case MUSTER_EV_FORK:
			mark(r, open.data, open.size, 0, 0);
			break;
		case MUSTER_EV_CAP:
		case MUSTER_EV_FULL:
			mark(r, open.data, open.size, 0, 1);
			break;
		default:
			break;
		}
	}
	vec_release(&calls);
	vec_release(&open);
	return e;
}

/* ------------------------------------------------------------------ sweeps */

static void sweep_back(struct reader *r)
{
	for (uint32_t i = r->t->node_count; i-- > 1;) {
		const struct muster_node *n = &r->t->nodes[i];
		uint8_t down = r->flags[i] & (TESTED | BEFORE);
		if (!down || !trace_is_node(r->t, i))
			continue;
#define DOWN(l) r->flags[l] |= down
		EACH_OPERAND(r->t, n, DOWN);
#undef DOWN
	}
}

static struct ic_call *call_of(struct reader *r, const struct muster_node *leaf)
{
	return leaf->c && leaf->c <= r->p->list.size ? &r->p->list.data[leaf->c - 1] : NULL;
}

/* -------------------------------------------------------------------- keys */

/* Keys of older nodes are known: a node's is made of its operator and of theirs, so all together cost one look at each. */
static uint64_t key_of_node(const struct reader *r, const struct muster_node *n)
{
	uint64_t h = hash_mix((uint64_t)n->op << 8 | n->width);
	if (n->op == MUSTER_OP_CONST)
		return hash_mix(h ^ muster_value(n));
	if (n->op == MUSTER_OP_INPUT || n->op == MUSTER_OP_LENGTH)
		return h;
	uint64_t constant = n->width <= 64 && (!n->a || !n->b || n->op == MUSTER_OP_EXTRACT) && n->op != MUSTER_OP_LEAF ? n->k : 0;
	h = hash_mix(h ^ constant);
	unsigned place = 0;
#define MIX(l) h = hash_mix(h ^ (r->keys[l] + ++place))
	EACH_OPERAND(r->t, n, MIX);
#undef MIX
	return h;
}

static uint64_t key_of_leaf(const struct reader *r, const struct muster_node *n)
{
	uint64_t where = n->aux ? n->b ? r->keys[n->b] : n->k : n->k + 1;
	return hash_mix(hash_mix(where) ^ (n->aux ? 2u : 1u) ^ (uint64_t)n->width << 8);
}

static int is_input_leaf(const struct muster_node *n)
{
	return n->op == MUSTER_OP_LEAF && n->aux < 2;
}

/* ------------------------------------------------------------------ inputs */

/* An input of a call, as far as it is known without its neighbours. */
static struct ic_input input_of(const struct reader *r, uint32_t label, uint64_t key)
{
	const struct muster_node *n = &r->t->nodes[label];
	uint8_t on = n->a ? r->flags[n->a] : 0;
	struct ic_input in = {.key = key, .width = n->width, .value = muster_value(n), .pointer = n->flags & MUSTER_NODE_FOLLOWED ? 1 : 0,
			      .length = on & ON_LENGTH ? 1 : 0};
	in.kind = on & (ON_INPUT | ON_OUTPUT) ? IC_TIED : IC_CONCRETE;
	if (in.kind == IC_TIED && !(on & ON_OUTPUT)) {
		struct ic_lanes l = ic_lanes_of(r->t, n->a);
		in.lanes = ic_lanes_bytes(&l);
	}
	return in;
}

static int is_tested(const struct reader *r, uint32_t label)
{
	return r->flags[label] & TESTED || r->t->nodes[label].flags & MUSTER_NODE_FOLLOWED;
}

/* What is known of an activation's inputs goes to its call. */
static void add_input(struct reader *r, uint32_t label)
{
	uint64_t key = r->keys[label];
	struct ic_call *c = call_of(r, &r->t->nodes[label]);
	if (c && is_tested(r, label)) {
		struct ic_input in = input_of(r, label, key);
		vec_push(&c->inputs, in);
	}
}

static void decide_call(struct reader *r, struct ic_call *c)
{
	if (c->decided || c->call == r->unit_call)
		return;
	c->decided = 1;
	c->reused = !c->lost && r->decide(r->ctx, c);
}

/* Is the output made of whole bytes of the input? Then the call hands data on, and what is decided over it is decided over the input. */
static int is_handed_on(const struct reader *r, const struct muster_node *n)
{
	struct ic_lanes l;
	if (!n->a)
		return 0;
	l = ic_lanes_of(r->t, n->a);
	return ic_lanes_bytes(&l) != 0;
}

static uint8_t flags_of(struct reader *r, const struct muster_node *n)
{
	uint8_t on = 0;
	if (n->op == MUSTER_OP_INPUT)
		return ON_INPUT | ON_ANY;
	if (n->op == MUSTER_OP_LENGTH)
		return ON_LENGTH | ON_ANY;
#define UP(l) on |= r->flags[l] & (ON_INPUT | ON_LENGTH | ON_OUTPUT | ON_ANY)
	EACH_OPERAND(r->t, n, UP);
#undef UP
	if (n->op == MUSTER_OP_LEAF && n->aux > 1) {
		struct ic_call *c = call_of(r, n);
		if (c)
			decide_call(r, c);
		if (c && c->reused && !is_handed_on(r, n))
			on = (uint8_t)(ON_OUTPUT | (on & ON_ANY));
	}
	return on;
}

static void add_output(struct reader *r, uint32_t label)
{
	const struct muster_node *n = &r->t->nodes[label];
	struct ic_call *c = call_of(r, n);
	if (!c || !is_tested(r, label) || is_handed_on(r, n))
		return;
	vec_push(&c->outputs, n->aux == 3 ? n->k + 1 : n->k);
	vec_push(&c->values, muster_value(n));
}

static void sweep_forward(struct reader *r)
{
	for (uint32_t i = 1; i < r->t->node_count; i++) {
		const struct muster_node *n = &r->t->nodes[i];
		if (!trace_is_node(r->t, i))
			continue;
		r->flags[i] |= flags_of(r, n);
		r->keys[i] = is_input_leaf(n) ? key_of_leaf(r, n) : key_of_node(r, n);
		if (n->op == MUSTER_OP_LEAF && n->aux > 1)
			add_output(r, i);
		else if (n->op == MUSTER_OP_LEAF)
			add_input(r, i);
	}
	for (size_t i = 0; i < r->p->list.size; i++)
		decide_call(r, &r->p->list.data[i]);
}

/* -------------------------------------------------------- the unit's own call */

/* Bytes of the input that were tested before it was called. */
static void constrained_bytes(const struct reader *r, struct map *out)
{
	for (uint32_t i = 1; i < r->t->node_count; i++)
		if (r->flags[i] & BEFORE && trace_is_node(r->t, i) && r->t->nodes[i].op == MUSTER_OP_INPUT && !r->t->nodes[i].a)
			map_set(out, IC_LANE_BYTE + r->t->nodes[i].k, 1);
}

/* How many of its tested inputs use each byte. */
static void count_uses(const struct reader *r, uint32_t number, struct map *uses)
{
	for (size_t i = 0; i < r->leaves.size; i++) {
		const struct muster_node *n = &r->t->nodes[r->leaves.data[i]];
		if (n->c != number || !n->a || !is_tested(r, r->leaves.data[i]))
			continue;
		struct ic_lanes l = ic_lanes_of(r->t, n->a);
		for (unsigned k = 0; k < IC_LANES; k++) {
			uint64_t times = 0;
			map_get(uses, l.lane[k], &times);
			map_set(uses, l.lane[k], times + 1);
		}
	}
}

static int is_free(const struct ic_lanes *l, const struct map *constrained, const struct map *uses)
{
	for (unsigned k = 0; k < IC_LANES; k++) {
		uint64_t times = 0;
		if (l->lane[k] < IC_LANE_BYTE)
			continue;
		map_get(uses, l->lane[k], &times);
		if (times != 1 || map_get(constrained, l->lane[k], NULL))
			return 0;
	}
	return 1;
}

static void free_inputs(struct reader *r, struct ic_call *unit)
{
	struct map constrained = {0}, uses = {0};
	size_t at = 0;
	constrained_bytes(r, &constrained);
	count_uses(r, unit->number, &uses);
	for (size_t i = 0; i < r->leaves.size; i++) {
		uint32_t label = r->leaves.data[i];
		const struct muster_node *n = &r->t->nodes[label];
		if (n->c != unit->number || !is_tested(r, label))
			continue;
		struct ic_input *in = &unit->inputs.data[at++];
		if (in->kind != IC_TIED || !in->lanes)
			continue;
		struct ic_lanes l = ic_lanes_of(r->t, n->a);
		if (is_free(&l, &constrained, &uses))
			in->kind = IC_FREE;
	}
	map_release(&constrained);
	map_release(&uses);
}

/* Of a leaf: is it a tied input of the unit, a held one of a reused call? */
static uint8_t bond_of(struct reader *r, uint32_t label)
{
	const struct ic_call *c = call_of(r, &r->t->nodes[label]);
	uint64_t key = r->keys[label];
	if (!c || (c->call != r->unit_call && !c->reused))
		return 0;
	for (size_t i = 0; i < c->inputs.size; i++)
		if (c->inputs.data[i].key == key)
			return c->call == r->unit_call ? (c->inputs.data[i].kind == IC_TIED ? ON_TIED : 0) : c->inputs.data[i].held ? ON_HELD : 0;
	return 0;
}

static void sweep_bonds(struct reader *r)
{
	for (uint32_t i = 1; i < r->t->node_count; i++) {
		const struct muster_node *n = &r->t->nodes[i];
		uint8_t on = 0;
		if (!trace_is_node(r->t, i))
			continue;
#define UP(l) on |= r->flags[l] & (ON_TIED | ON_HELD)
		EACH_OPERAND(r->t, n, UP);
#undef UP
		if (n->op == MUSTER_OP_LEAF && n->aux < 2)
			on |= bond_of(r, i);
		r->flags[i] |= on;
	}
}

static void read_decisions(struct reader *r)
{
	for (uint64_t i = 0; i < r->t->event_count; i++) {
		const struct muster_event *e = &r->t->events[i];
		if ((e->kind != MUSTER_EV_BRANCH && e->kind != MUSTER_EV_SWITCH) || !e->label || !(r->flags[e->label] & ON_ANY))
			continue;
		uint8_t on = r->flags[e->label];
		vec_push(&r->p->decisions, (struct ic_decision){e->unit, e->index, on & ON_OUTPUT && !(on & (ON_INPUT | ON_LENGTH)), on & ON_TIED ? 1 : 0, on & ON_HELD ? 1 : 0});
	}
}

int ic_probe_read(struct ic_probe *p, const struct trace *t, const struct calls *c, uint32_t unit_call, ic_decide decide, void *ctx)
{
	struct reader r = {.p = p, .t = t, .c = c, .unit_call = unit_call, .decide = decide, .ctx = ctx};
	memset(p, 0, sizeof *p);
	r.flags = mem_zalloc(t->node_count + 1);
	r.keys = mem_zalloc((t->node_count + 1) * sizeof *r.keys);
	int e = read_events(&r);
	if (!e) {
		sweep_back(&r);
		sweep_forward(&r);
		struct ic_call *unit = ic_probe_call(p, unit_call);
		if (unit)
			free_inputs(&r, unit);
		sweep_bonds(&r);
		read_decisions(&r);
	}
	free(r.flags);
	free(r.keys);
	vec_release(&r.leaves);
	return e;
}
