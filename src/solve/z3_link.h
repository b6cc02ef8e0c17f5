/* z3_link.h: what muster and its program muster-solver say to each other.
 *
 *	muster  --request-->  muster-solver
 *	        <--reply----
 *
 * Z3 keeps much of what it allocates and does not always look at its own clock. So it runs in a process
 * of its own, which is ended when it has grown or when the time of a query is over; the next query starts
 * another one. Both ends are on one machine and made from one source tree: structures go over the socket as they are.
 */
#ifndef MUSTER_SOLVE_Z3_LINK_H
#define MUSTER_SOLVE_Z3_LINK_H

#include <stdint.h>

#define Z3_LINK_VERSION 1 /* no limit: a version */
#define Z3_LINK_FD 3 /* no limit: the socket, in muster-solver */
#define Z3_LINK_MOST (1u << 30) /* bytes of a request's terms | beyond any query that ends in its time: bounds memory */

/* Followed by `size` bytes: terms in their serial form (expr/text.h), whose roots are the constraints, the goal (or true)
 * and the variables and other terms whose values are asked for, in this order. */
struct z3_request {
	uint32_t version;
	uint32_t size;
	uint32_t constraints, variables;
	uint64_t rlimit; /* as in struct backend_limits */
	double seconds;
};

/* Followed by the variables' values, 16 bytes each, if the verdict is SAT. */
struct z3_reply {
	uint32_t version;
	uint32_t verdict;
	uint64_t resident; /* bytes that the process has in memory now */
};

/* z3_serve.c: answers requests on Z3_LINK_FD until the other end is closed. memory: bytes that Z3 may allocate. */
int z3_serve(uint64_t memory);

#endif
