/* ic_nodes.h: the operands of a trace's node, for sweeps over all nodes. */
#ifndef MUSTER_SEARCH_IC_NODES_H
#define MUSTER_SEARCH_IC_NODES_H

#include "run/trace.h"

/* Calls f for each operand that is a label. */
#define EACH_OPERAND(t, n, f)                                                                            \
	do {                                                                                             \
		unsigned arity_ = op_table[(n)->op].arity;                                               \
		if ((n)->op == MUSTER_OP_BYTES) {                                                        \
			for (unsigned i_ = 0; i_ < (n)->width / 8u; i_++)                                \
				f((n)->a + i_);                                                          \
		} else if ((n)->op == MUSTER_OP_READ) {                                                  \
			const uint32_t *cells_ = trace_data_cells((t), (n)->b);                          \
			f((n)->a);                                                                       \
			for (uint64_t i_ = 0; cells_ && i_ < (t)->nodes[(n)->b].k; i_++)                 \
				if (MUSTER_CELL_LABEL(cells_[i_]))                                       \
					f(MUSTER_CELL_LABEL(cells_[i_]));                                \
		} else if ((n)->op == MUSTER_OP_LEAF) {                                                  \
			if ((n)->a)                                                                      \
				f((n)->a);                                                               \
		} else {                                                                                 \
			if (arity_ > 0 && (n)->a)                                                        \
				f((n)->a);                                                               \
			if (arity_ > 1 && (n)->b)                                                        \
				f((n)->b);                                                               \
			if (arity_ > 2 && (n)->c)                                                        \
				f((n)->c);                                                               \
		}                                                                                        \
	} while (0)

#endif
