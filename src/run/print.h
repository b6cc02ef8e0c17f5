/* print.h: nodes of a trace as C over the input's bytes.
 *
 *	in[3] == 'a'
 *	(in[0] | in[1] << 8) > 300
 *	u32le(in, 4) + 8 > len(in)
 *
 * The text, after cx_prologue (expr/cexpr.h) and the bindings, is C that
 * computes the node's value, if nothing had to be left out. What is long or used
 * twice gets a name (t1, t2, ...); beyond the limit a part is written as
 * "…(12 nodes, 5 here)": how many nodes it has and the value it had.
 */
#ifndef MUSTER_RUN_PRINT_H
#define MUSTER_RUN_PRINT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "expr/cexpr.h"
#include "run/trace.h"

#define PRINT_NODES 64 /* nodes of an expression that are written out */

struct print_item {
	uint32_t label;
	uint32_t uses;
	int done;
	struct cx x;
};

struct print_let {
	const char *name, *definition;
	int used;
};

struct print {
	const struct trace *trace;
	unsigned node_limit;
	int whole_tables; /* every byte of tables that are read; else the first few */

	/* The printer's own. */
	struct arena arena; /* of one expression */
	struct map index;   /* label to item + 1 */
	VEC(struct print_item) items;
	VEC(struct print_let) lets;
	struct map tables;  /* DATA label to its number in this trace */
	VEC(uint32_t) seen; /* of the count of nodes left out */
};

void print_init(struct print *p, const struct trace *t);
void print_release(struct print *p);

/* Appends the expression to text and its bindings, one a line, in order, to lets. Returns 1 if all
 * of it was written, 0 if parts were left out. A node of width 1 is a truth value, others are in
 * U-form. */
int print_expr(struct print *p, uint32_t label, struct buf *text, struct buf *lets);
/* The same for the constraint `node == value it had`. */
int print_equal(struct print *p, uint32_t label, struct buf *text, struct buf *lets);
/* The value a node had, as its expression's neighbours would write it: 'a', 300, 0x1f. */
void print_value(const struct trace *t, uint32_t label, struct buf *text);

#endif
