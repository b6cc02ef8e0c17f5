/* trace.h: a validated view of what a finished run left in the shared mapping.
 *
 * The tables lie in memory that the target could write to. trace_open looks at
 * every node and every event once and refuses a table that breaks a rule of the format
 * (docs/trace-format.md), so that everything after it may follow labels without
 * checks: an operand is an older, real node of the right width.
 */
#ifndef MUSTER_RUN_TRACE_H
#define MUSTER_RUN_TRACE_H

#include "expr/op.h"
#include "muster/abi.h"
#include "run/shm.h"

#include <stddef.h>
#include <stdint.h>

struct trace {
	const struct muster_header *header;  /* objects and caps; their names may lack an end */
	const struct muster_source *sources; /* the engine's own copy */
	const struct muster_node *nodes;     /* [1, node_count) */
	const struct muster_event *events;
	uint32_t node_count; /* one past the last label */
	uint64_t event_count;
	unsigned source_count;
	unsigned object_count, cap_count;
	int wide;	   /* is there a node of more than 64 bits? */
	uint64_t *payload; /* a bit for each node that is the contents of a DATA node; NULL where
			      there is none */
	void *own;	   /* of a copy: its tables */
};

/* Looks at the tables of a run that is over (no process of it is alive). The view points into the
 * mapping and into s. -1 with words that name what is wrong in a table. With `killed` the run was
 * ended from outside, perhaps while it was writing: the last node and the last
 * event are left out of the view if they are not whole. */
int trace_open(struct trace *t, const struct shm *s, int killed);
void trace_release(struct trace *t);
/* The tables and sources of a view, in memory of the copy's own (header: NULL, no objects, no caps): it stays when
 * the mapping is used for another run. Release both. */
void trace_copy(struct trace *to, const struct trace *from);

/* Is it the label of a value (not 0, not beyond the table, not DATA or its contents)? */
int trace_is_node(const struct trace *t, uint32_t label);

/* The value a node had in the run. */
static inline u128 trace_value(const struct trace *t, uint32_t label)
{
	const struct muster_node *n = &t->nodes[label];
	return n->width > 64 ? (u128)n->k << 64 | n->value64 : muster_value(n);
}

/* The width of the operands of a binary operator or comparison: that of a labelled one. */
static inline unsigned trace_operand_width(const struct trace *t, const struct muster_node *n)
{
	return t->nodes[n->a ? n->a : n->b].width;
}

/* The first bit of an EXTRACT. A result wider than 64 bits has the high part of its value in k and
 * starts at bit 0. */
static inline unsigned trace_extract_low(const struct muster_node *n)
{
	return n->width > 64 ? 0 : (unsigned)n->k;
}

/* Contents of a DATA node, and its cells (NULL if all its bytes are constants). */
static inline const uint8_t *trace_data_bytes(const struct trace *t, uint32_t label)
{
	return (const uint8_t *)&t->nodes[label + 1];
}
static inline const uint32_t *trace_data_cells(const struct trace *t, uint32_t label)
{
	const struct muster_node *n = &t->nodes[label];
	return n->aux ? (const uint32_t *)&t->nodes[label + 1 + (n->k + 31) / 32] : NULL;
}

/* What the events of a trace add up to. */
struct trace_totals {
	uint64_t branches; /* symbolic ones; selects on one bit are among them */
	uint64_t switches;
	uint64_t concrete_decisions; /* of traces that have every decision */
	uint64_t bounds, given;
	uint64_t concretisations;
	uint64_t by_reason[MUSTER_REASON_COUNT];
	uint64_t stale, threads, forks, capped;
	uint64_t lost; /* kinds of data that may have come without labels */
	int full; /* 0, or 1 + the table that was full */
	int end;  /* enum muster_end */
};
void trace_totals(const struct trace *t, struct trace_totals *out);

const char *trace_event_text(unsigned kind);   /* "branch", ... */
const char *trace_reason_key(unsigned reason); /* "float", ... */
const char *trace_reason_text(unsigned reason);
const char *trace_loss_key(unsigned loss); /* "syscall", ... */
const char *trace_loss_text(unsigned loss);

#endif
