/* ic_graph.h: the call graph that IC-Cut learns from runs, and the order in which it takes functions. */
#ifndef MUSTER_SEARCH_IC_GRAPH_H
#define MUSTER_SEARCH_IC_GRAPH_H

#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>

typedef VEC(uint32_t) ic_numbers;

/* All zero is empty. */
struct ic_graph {
	struct map numbers; /* unit << 32 | index of a function to its number */
	VEC(uint64_t) functions; /* by number */
	VEC(ic_numbers) callees; /* by number */
	struct map edges;	 /* caller << 32 | callee */
};

void ic_graph_release(struct ic_graph *g);
/* The number of a function, which is added if it is new. */
uint32_t ic_graph_function(struct ic_graph *g, uint64_t function);
/* 1 if it is new. */
int ic_graph_call(struct ic_graph *g, uint32_t caller, uint32_t callee);
/* All functions, each once, after all it calls that do not call it again, directly or not (those of a cycle come one after the other). */
void ic_graph_order(const struct ic_graph *g, ic_numbers *out);

#endif
