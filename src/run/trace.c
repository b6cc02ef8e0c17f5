/* trace.c: is what stands in the shared mapping a trace?
 *
 * One pass over the nodes, one over the events. Nodes are checked in order, so
 * when a node is looked at, all older ones are known to be good; "operands are
 * older" then gives a DAG without a search. The contents of DATA nodes lie in
 * the node table itself; a bitmap marks them, and nothing may refer to them.
 *
 * Invariant after trace_open: for every label l in an operand or an event of the
 * view, 0 < l < node_count, l is not DATA contents, and the widths are those the
 * operator asks for; values and constants are masked to their width. Every count
 * lies within the mapping as the engine made it. It is not checked again downstream.
 */
#include "run/trace.h"

#include "base/error.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SCRIBBLED "the target wrote over the trace"

static int bad_node(const struct trace *t, uint32_t i, const char *what)
{
	const struct muster_node *n = &t->nodes[i];
	return error_set("node %" PRIu32 " (%s, width %u): %s: " SCRIBBLED, i,
			 n->op < MUSTER_OP_COUNT ? op_table[n->op].name : "unknown operator",
			 n->width, what);
}

static int is_payload(const struct trace *t, uint32_t i)
{
	return t->payload && t->payload[i / 64] >> i % 64 & 1;
}

int trace_is_node(const struct trace *t, uint32_t label)
{
	return label && label < t->node_count && !is_payload(t, label) &&
	       t->nodes[label].op != MUSTER_OP_DATA;
}

/* A label that node i may have as an operand: only READ refers to DATA, and looks for itself. */
static inline int older(const struct trace *t, uint32_t i, uint32_t operand)
{
	return operand && operand < i && !is_payload(t, operand) &&
	       t->nodes[operand].op != MUSTER_OP_DATA;
}

static int check_data(struct trace *t, uint32_t i)
{
	const struct muster_node *n = &t->nodes[i];
	uint64_t room = t->node_count - i - 1;
	if (n->aux > 1)
		return bad_node(t, i, "unknown kind of contents");
	if (n->k == 0 || n->k > room * 32)
		return bad_node(t, i, "its contents reach past the table");
	uint64_t blocks = (n->k + 31) / 32 + (n->aux ? (n->k * 4 + 31) / 32 : 0);
	if (blocks > room)
		return bad_node(t, i, "its contents reach past the table");
	const uint32_t *cells = trace_data_cells(t, i);
	for (uint64_t j = 0; cells && j < n->k; j++) {
		uint32_t label = MUSTER_CELL_LABEL(cells[j]);
		if (!label)
			continue;
		if (!older(t, i, label))
			return bad_node(t, i, "a cell of its contents is no older node");
		if (MUSTER_CELL_BYTE(cells[j]) * 8 >= t->nodes[label].width)
			return bad_node(
			    t, i, "a cell of its contents names a byte past its node's width");
	}
	if (!t->payload)
		t->payload = mem_zalloc((t->node_count / 64 + 1) * sizeof *t->payload);
	for (uint64_t j = i + 1; j <= i + blocks; j++)
		t->payload[j / 64] |= (uint64_t)1 << j % 64;
	return 0;
}

static int check_leaf(struct trace *t, uint32_t i)
{
	const struct muster_node *n = &t->nodes[i];
	switch (n->op) {
	case MUSTER_OP_INPUT:
	case MUSTER_OP_LENGTH:
		if (n->a >= t->source_count)
			return bad_node(t, i, "no such source of input");
		if (n->width != (n->op == MUSTER_OP_INPUT ? 8 : 64))
			return bad_node(t, i, "wrong width");
		return 0;
	case MUSTER_OP_CONST:
		return 0;
	case MUSTER_OP_DATA:
		return check_data(t, i);
	default:
		return bad_node(t, i, "not a node");
	}
}

/* Two operands of one width, of which one may be the constant k. */
static int check_binary(struct trace *t, uint32_t i, int test)
{
	const struct muster_node *n = &t->nodes[i];
	if ((n->a && !older(t, i, n->a)) || (n->b && !older(t, i, n->b)))
		return bad_node(t, i, "an operand is no older node");
	if (!n->a && !n->b)
		return bad_node(t, i, "no operand has a label");
	unsigned width = trace_operand_width(t, n);
	if (n->a && n->b) {
		if (t->nodes[n->a].width != t->nodes[n->b].width)
			return bad_node(t, i, "its operands differ in width");
	} else if (width > 64 || (width < 64 && n->k >> width)) {
		return bad_node(t, i, "its constant does not fit the width");
	}
	if (n->width != (test ? 1 : width))
		return bad_node(t, i, "its width is not that of its operands");
	return 0;
}

static int check_unary(struct trace *t, uint32_t i)
{
	const struct muster_node *n = &t->nodes[i];
	if (!older(t, i, n->a))
		return bad_node(t, i, "its operand is no older node");
	unsigned from = t->nodes[n->a].width;
	switch (n->op) {
	case MUSTER_OP_EXTRACT:
		if ((n->width <= 64 && n->k >= 128) || trace_extract_low(n) + n->width > from)
			return bad_node(t, i, "it takes bits that its operand does not have");
		return 0;
	case MUSTER_OP_ZEXT:
	case MUSTER_OP_SEXT:
		if (n->width < from)
			return bad_node(t, i, "it extends to fewer bits");
		return 0;
	case MUSTER_OP_BSWAP:
		if (n->width % 8)
			return bad_node(t, i, "its width is no number of bytes");
		/* fall through */
	default:
		if (n->width != from)
			return bad_node(t, i, "its width is not that of its operand");
		return 0;
	}
}

static int check_bound(struct trace *t, uint32_t i)
{
	const struct muster_node *n = &t->nodes[i];
	if (n->width > 64 || n->aux > 3 || !n->c)
		return bad_node(t, i, "no input or output of an activation");
	if (n->a && (!older(t, i, n->a) || t->nodes[n->a].width != n->width))
		return bad_node(t, i, "what it is bound to is no older node of its width");
	if (n->b && (!older(t, i, n->b) || t->nodes[n->b].width != 64))
		return bad_node(t, i, "its address is no older node of 64 bits");
	return 0;
}

static int check_special(struct trace *t, uint32_t i)
{
	const struct muster_node *n = &t->nodes[i], *nodes = t->nodes;
	if (n->op == MUSTER_OP_LEAF)
		return check_bound(t, i);
	if (!older(t, i, n->a))
		return bad_node(t, i, "its first operand is no older node");
	switch (n->op) {
	case MUSTER_OP_CONCAT:
		if (!older(t, i, n->b))
			return bad_node(t, i, "its second operand is no older node");
		if (nodes[n->a].width + nodes[n->b].width != n->width)
			return bad_node(t, i, "its width is not the sum of its parts");
		return 0;
	case MUSTER_OP_BYTES:
		if (n->width % 8)
			return bad_node(t, i, "its width is no number of bytes");
		for (uint32_t j = 0; j < n->width / 8u; j++)
			if (!older(t, i, n->a + j) || nodes[n->a + j].width != 8)
				return bad_node(t, i, "its parts are not older bytes");
		return 0;
	case MUSTER_OP_ITE:
		if (!older(t, i, n->b) || !older(t, i, n->c))
			return bad_node(t, i, "an operand is no older node");
		if (nodes[n->a].width != 1 || nodes[n->b].width != n->width ||
		    nodes[n->c].width != n->width)
			return bad_node(t, i, "its width is not that of its operands");
		return 0;
	case MUSTER_OP_READ:
		if (!n->b || n->b >= i || is_payload(t, n->b) || nodes[n->b].op != MUSTER_OP_DATA)
			return bad_node(t, i, "it reads what is no data");
		if (nodes[n->a].width != 64)
			return bad_node(t, i, "its offset is not 64 bits wide");
		if (n->width % 8 || n->width / 8u > nodes[n->b].k)
			return bad_node(t, i, "it reads more than the data has");
		return 0;
	default:
		return bad_node(t, i, "unknown operator");
	}
}

static int check_node(struct trace *t, uint32_t i)
{
	const struct muster_node *n = &t->nodes[i];
	if (n->op >= MUSTER_OP_COUNT)
		return bad_node(t, i, "unknown operator");
	if (n->op == MUSTER_OP_DATA)
		return check_data(t, i);
	if (n->width < 1 || n->width > 128)
		return bad_node(t, i, "no such width");
	if (n->width < 64 ? muster_value(n) >> n->width != 0
			  : n->width > 64 && n->width < 128 && n->k >> (n->width - 64) != 0)
		return bad_node(t, i, "its value does not fit its width");
	t->wide |= n->width > 64;
	switch (op_table[n->op].shape) {
	case OP_LEAF:
		return check_leaf(t, i);
	case OP_SAME:
		return check_binary(t, i, 0);
	case OP_TEST:
		return check_binary(t, i, 1);
	case OP_UNARY:
	case OP_RESIZE:
		return check_unary(t, i);
	default:
		return check_special(t, i);
	}
}

static int bad_event(const struct trace *t, uint64_t i, const char *what)
{
	unsigned kind = t->events[i].kind;
	return error_set("event %" PRIu64 " (%s): %s: " SCRIBBLED, i,
			 kind < MUSTER_EV_COUNT ? trace_event_text(kind) : "unknown kind", what);
}

static int check_event(const struct trace *t, uint64_t i)
{
	const struct muster_event *e = &t->events[i];
	switch (e->kind) {
	case MUSTER_EV_BRANCH:
		/* A concrete decision (traces of every decision) has no label. */
		if (e->arg > 1)
			return bad_event(t, i, "neither taken nor not taken");
		if (e->label && (!trace_is_node(t, e->label) || t->nodes[e->label].width != 1))
			return bad_event(t, i, "its condition is no node of one bit");
		return 0;
	case MUSTER_EV_BOUND:
		if (MUSTER_BOUND_CHECKER(e->arg) >= MUSTER_CHECK_COUNT)
			return bad_event(t, i, "there is no such checker");
		if (!trace_is_node(t, e->label) || t->nodes[e->label].width != 1)
			return bad_event(t, i, "its condition is no node of one bit");
		return 0;
	case MUSTER_EV_GIVEN:
		if (!trace_is_node(t, e->label) || t->nodes[e->label].width != 1 || e->arg > 1)
			return bad_event(t, i, "its condition is no node of one bit");
		return 0;
	case MUSTER_EV_ENTRY:
		if (!trace_is_node(t, e->label) || t->nodes[e->label].width > 64)
			return bad_event(t, i, "its value is no node of at most 64 bits");
		return 0;
	case MUSTER_EV_ARGUMENT:
	case MUSTER_EV_RESULT:
	case MUSTER_EV_LIVE:
		if (e->label && !trace_is_node(t, e->label))
			return bad_event(t, i, "its value is no node");
		return 0;
	case MUSTER_EV_BIND:
	case MUSTER_EV_OUTPUT:
		if (!trace_is_node(t, e->label) || t->nodes[e->label].op != MUSTER_OP_LEAF)
			return bad_event(t, i, "it binds what is no leaf");
		return 0;
	case MUSTER_EV_OBJECT:
		if (!trace_is_node(t, e->label) || t->nodes[e->label].op != MUSTER_OP_CONST)
			return bad_event(t, i, "its size is no number");
		return 0;
	case MUSTER_EV_WRITE:
		if (!trace_is_node(t, e->label) || e->arg > 16 || t->nodes[e->label].width != 8 * e->arg)
			return bad_event(t, i, "its value is no node of as many bytes");
		return 0;
	case MUSTER_EV_PLACE:
		if (!trace_is_node(t, e->label) || t->nodes[e->label].width != 64)
			return bad_event(t, i, "its address is no node of 64 bits");
		return 0;
	case MUSTER_EV_MARK:
		return e->arg < MUSTER_MARK_COUNT ? 0 : bad_event(t, i, "there is no such mark");
	case MUSTER_EV_RETURN:
		return e->arg < MUSTER_LEFT_COUNT ? 0 : bad_event(t, i, "there is no such end of a call");
	case MUSTER_EV_SWITCH:
		if (e->label && !trace_is_node(t, e->label))
			return bad_event(t, i, "its value is no node");
		return 0;
	case MUSTER_EV_CONCRETE:
		if (!trace_is_node(t, e->label))
			return bad_event(t, i, "its value is no node");
		if (e->arg >= MUSTER_REASON_COUNT)
			return bad_event(t, i, "unknown reason");
		return 0;
	case MUSTER_EV_MEMORY:
	case MUSTER_EV_NAME:
		if (!e->label || e->label >= t->node_count || is_payload(t, e->label) || t->nodes[e->label].op != MUSTER_OP_DATA)
			return bad_event(t, i, "its contents are no table");
		return 0;
	case MUSTER_EV_SEGMENT:
		return e->arg <= MUSTER_CUT_LOST ? 0 : bad_event(t, i, "there is no such cut");
	case MUSTER_EV_LOST:
		return e->arg < MUSTER_LOST_COUNT ? 0 : bad_event(t, i, "unknown loss");
	case MUSTER_EV_NONE:
		return bad_event(t, i, "not an event");
	default:
		return e->kind < MUSTER_EV_COUNT ? 0 : bad_event(t, i, "there is no such kind");
	}
}

/* What the header says, against what the engine knows. */
static int check_header(const struct trace *t, const struct shm *s)
{
	const struct muster_header *h = t->header;
	if (h->magic != MUSTER_ABI_MAGIC)
		return error_set("the trace's header is gone: " SCRIBBLED);
	if (h->version && h->version < MUSTER_ABI_VERSION)
		return error_set("the trace has format %" PRIu32 ", and this muster reads format %u only: make the variant again with this muster "
				 "and trace the input once more",
				 h->version, MUSTER_ABI_VERSION);
	if (h->version != MUSTER_ABI_VERSION)
		return error_set("trace format %" PRIu32 ", but this muster reads format %u: " SCRIBBLED, h->version, MUSTER_ABI_VERSION);
	if (h->node_count == 0 || h->node_count > s->node_capacity ||
	    h->node_count > MUSTER_LABEL_MASK + 1ull)
		return error_set("%" PRIu64 " nodes in a table for %" PRIu64 ": " SCRIBBLED,
				 h->node_count, s->node_capacity);
	if (h->event_count > s->event_capacity + 1) /* FULL has room of its own */
		return error_set("%" PRIu64 " events in a table for %" PRIu64 ": " SCRIBBLED,
				 h->event_count, s->event_capacity);
	if (h->object_count > MUSTER_MAX_OBJECTS || h->cap_count > MUSTER_MAX_CAPS)
		return error_set("the header counts %" PRIu32 " objects and %" PRIu32
				 " caps: " SCRIBBLED,
				 h->object_count, h->cap_count);
	if (h->missing || h->not_missing) /* who runs such variants has made the function and run it again: then it was not so */
		return error_set("the run ended at a function that the variant lacks (missing unit %08" PRIx64 "): it is no trace, or " SCRIBBLED, h->missing >> 32);
	return 0;
}

static int check_tables(struct trace *t, int killed)
{
	for (uint32_t i = 1; i < t->node_count; i++) {
		if (is_payload(t, i) || check_node(t, i) == 0)
			continue;
		if (!killed || i + 1 < t->node_count)
			return -1;
		t->node_count--;
	}
	for (uint64_t i = 0; i < t->event_count; i++) {
		if (check_event(t, i) == 0)
			continue;
		if (!killed || i + 1 < t->event_count)
			return -1;
		t->event_count--;
	}
	return 0;
}

int trace_open(struct trace *t, const struct shm *s, int killed)
{
	memset(t, 0, sizeof *t);
	t->header = s->header;
	if (check_header(t, s))
		return -1;
	t->sources = s->sources;
	t->source_count = s->source_count;
	t->nodes = shm_nodes(s);
	t->events = shm_events(s);
	t->node_count = (uint32_t)t->header->node_count;
	t->event_count = t->header->event_count;
	t->object_count = t->header->object_count;
	t->cap_count = t->header->cap_count;
	if (check_tables(t, killed)) {
		trace_release(t);
		return -1;
	}
	return 0;
}

void trace_copy(struct trace *to, const struct trace *from)
{
	size_t nodes = from->node_count * sizeof *from->nodes;
	size_t events = from->event_count * sizeof *from->events;
	size_t sources = from->source_count * sizeof *from->sources;
	size_t bits = from->payload ? ((size_t)from->node_count + 63) / 64 * 8 : 0;
	char *own = mem_alloc(nodes + sources + events + 1);

	*to = *from;
	memcpy(own, from->nodes, nodes);
	memcpy(own + nodes, from->sources, sources);
	memcpy(own + nodes + sources, from->events, events);
	to->own = own;
	to->nodes = (const struct muster_node *)own;
	to->sources = (const struct muster_source *)(own + nodes);
	to->events = (const struct muster_event *)(own + nodes + sources);
	to->header = NULL;
	to->object_count = to->cap_count = 0;
	if (bits) {
		to->payload = mem_alloc(bits);
		memcpy(to->payload, from->payload, bits);
	}
}

void trace_release(struct trace *t)
{
	free(t->payload);
	free(t->own);
	memset(t, 0, sizeof *t);
}

void trace_totals(const struct trace *t, struct trace_totals *out)
{
	memset(out, 0, sizeof *out);
	for (uint64_t i = 0; i < t->event_count; i++) {
		const struct muster_event *e = &t->events[i];
		switch (e->kind) {
		case MUSTER_EV_BRANCH:
		case MUSTER_EV_SWITCH:
			if (!e->label)
				out->concrete_decisions++;
			else if (e->kind == MUSTER_EV_BRANCH)
				out->branches++;
			else
				out->switches++;
			break;
		case MUSTER_EV_CONCRETE:
			out->concretisations++;
			out->by_reason[e->arg]++;
			break;
		case MUSTER_EV_BOUND:
			out->bounds++;
			break;
		case MUSTER_EV_GIVEN:
			out->given++;
			break;
		case MUSTER_EV_STALE:
			out->stale++;
			break;
		case MUSTER_EV_LOST:
			out->lost++;
			break;
		case MUSTER_EV_THREAD:
			out->threads++;
			break;
		case MUSTER_EV_FORK:
			out->forks++;
			break;
		case MUSTER_EV_CAP:
			out->capped++;
			break;
		case MUSTER_EV_FULL:
			out->full = 1 + (e->arg != 0);
			break;
		case MUSTER_EV_END:
			out->end = e->arg;
			break;
		default:
			break;
		}
	}
}

const char *trace_event_text(unsigned kind)
{
	static const char *const text[] = {
#define X(name, text) text,
	    MUSTER_EVENTS(X)
#undef X
	};
	return kind < MUSTER_EV_COUNT ? text[kind] : "unknown";
}

const char *trace_reason_key(unsigned reason)
{
	static const char *const key[] = {
#define X(name, key, text) key,
	    MUSTER_REASONS(X)
#undef X
	};
	return reason < MUSTER_REASON_COUNT ? key[reason] : "unknown";
}

const char *trace_reason_text(unsigned reason)
{
	static const char *const words[] = {
#define X(name, key, text) text,
	    MUSTER_REASONS(X)
#undef X
	};
	return reason < MUSTER_REASON_COUNT ? words[reason] : "unknown reason";
}

const char *trace_loss_key(unsigned loss)
{
	static const char *const key[] = {
#define X(name, key, text) key,
	    MUSTER_LOSSES(X)
#undef X
	};
	return loss < MUSTER_LOST_COUNT ? key[loss] : "unknown";
}

const char *trace_loss_text(unsigned loss)
{
	static const char *const words[] = {
#define X(name, key, text) text,
	    MUSTER_LOSSES(X)
#undef X
	};
	return loss < MUSTER_LOST_COUNT ? words[loss] : "unknown loss";
}
