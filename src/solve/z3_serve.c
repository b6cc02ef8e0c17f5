/* z3_serve.c: the loop of muster-solver: reads a query, asks Z3, writes the answer.
 *
 * Each query has a pool of its own. Terms are normalised again as they are read, which changes their form and not
 * their meaning; the asker evaluates every model in its own terms. Whatever goes wrong ends the process: the asker takes that for UNKNOWN.
 */
#include "solve/z3_link.h"

#include "base/budget.h"
#include "base/mem.h"
#include "expr/text.h"
#include "solve/backend.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <z3.h>

#define ADDRESS_ROOM (1ull << 30) /* bytes of programs, stacks and heaps beyond what Z3 counts | libraries, stacks and arenas take part of it */

/* 0: all is there. -1: the end. */
static int receive(void *to, size_t size)
{
	char *p = to;

	while (size) {
		ssize_t n = recv(Z3_LINK_FD, p, size, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

static int send_all(const void *from, size_t size)
{
	const char *p = from;

	while (size) {
		ssize_t n = send(Z3_LINK_FD, p, size, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

static void ask(struct exprs *p, const struct z3_request *q, const expr_t *roots, struct buf *out)
{
	struct backend_limits l = {.rlimit = q->rlimit, .seconds = q->seconds};
	struct z3_reply r = {.version = Z3_LINK_VERSION};
	struct backend *b = backend_z3_here.open(&backend_z3_here, p);
	const expr_t *vars = roots + q->constraints + 1;

	for (uint32_t i = 0; i < q->constraints; i++)
		b->assert_term(b, roots[i]);
	r.verdict = b->check(b, roots[q->constraints], &l);
	buf_add(out, &r, sizeof r);
	for (uint32_t i = 0; r.verdict == VERDICT_SAT && i < q->variables; i++) {
		u128 v = b->value(b, vars[i]);

		buf_add(out, &v, sizeof v);
	}
	b->close(b);
}

static int serve_one(const struct z3_request *q, const void *terms)
{
	unsigned count = 0, wanted = q->constraints + 1 + q->variables;
	expr_t *roots = mem_realloc(NULL, wanted, sizeof *roots);
	struct exprs *p = exprs_new();
	struct buf out = BUF_EMPTY;
	int bad = expr_read_serial(p, terms, q->size, roots, wanted, &count) || count != wanted;

	if (!bad)
		ask(p, q, roots, &out);
	exprs_free(p);
	free(roots);
	if (!bad) {
		((struct z3_reply *)(void *)out.data)->resident = budget_resident();
		bad = send_all(out.data, out.size);
	}
	buf_release(&out);
	return bad ? -1 : 0;
}

int z3_serve(uint64_t memory)
{
	struct rlimit address = {memory + ADDRESS_ROOM, memory + ADDRESS_ROOM};
	struct buf terms = BUF_EMPTY;
	struct z3_request q;
	char megabytes[24];

	snprintf(megabytes, sizeof megabytes, "%" PRIu64, (memory >> 20) + 1);
	Z3_global_param_set("memory_max_size", megabytes);
#ifndef MUSTER_ASAN /* which reserves more addresses than any limit leaves */
	setrlimit(RLIMIT_AS, &address);
#else
	(void)address;
#endif
	while (!receive(&q, sizeof q)) {
		if (q.version != Z3_LINK_VERSION || q.size > Z3_LINK_MOST || q.constraints > q.size || q.variables > q.size)
			return 1;
		buf_clear(&terms);
		buf_reserve(&terms, q.size);
		if (receive(terms.data, q.size) || serve_one(&q, terms.data))
			return 1;
	}
	buf_release(&terms);
	return 0;
}
