/* copies_grow.c: which functions are made next.
 *
 * A run of a variant in the state COPIES_PART came to a function that is missing. Each making loads the unit and links the program anew, so it makes more than that one: what
 * the function calls, and what that calls, nearest first; then its neighbours in the unit. It stops when there is a quarter more code than there was. So a program is whole after a dozen of
 * these at most. Calls are those of the site table, which every variant has: calls by pointers are not
 * among them, and find their function missing when they are made.
 */
#include "build/copies.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

uint64_t copies_part_least(void)
{
	const char *s = getenv(COPIES_PART_VARIABLE);
	uint64_t n = s ? strtoull(s, NULL, 10) : 0;

	return n ? n : UINT64_MAX;
}

int copies_part_tested(void)
{
	return copies_part_least() < COPIES_PART_TEST;
}

struct node {
	const struct site_table *table;
	struct site_function f;
	int made, seen, runtime;
};

#define RUNTIME "runtime/" /* where muster's own bodies of libc functions are compiled: they are in every variant. A program's own folder of that name is not guessed at */

/* The functions of a program and who calls whom. */
struct graph {
	const struct site_tables *tables;
	VEC(struct node) nodes; /* by unit, and in each by first ordinal */
	struct strmap names;	/* "1a2b3c4d name" to place + 1; "* name" for those that all units see */
	uint64_t made;		/* instructions */
};

static void name_node(struct graph *g, const struct node *n)
{
	char *own = mem_printf("%08x %s", n->f.unit, n->f.name), *all = mem_printf("* %s", n->f.name);

	strmap_set(&g->names, own, g->nodes.size);
	if (!n->f.internal)
		strmap_set(&g->names, all, g->nodes.size);
	free(own);
	free(all);
}

static void graph_init(struct graph *g, const struct site_tables *t, const struct copies_list *made)
{
	*g = (struct graph){.tables = t};
	for (size_t i = 0; i < t->count; i++) {
		struct strmap names = {0};

		copies_list_of(made, t->tables[i].unit, &names);
		for (uint32_t k = 0; k < t->tables[i].functions; k++) {
			struct node n = {.table = &t->tables[i]};

			if (!site_table_function(n.table, k, &n.f))
				continue;
			n.runtime = !strncmp(n.f.file, RUNTIME, strlen(RUNTIME));
			n.made = strmap_get(&names, n.f.name, NULL);
			g->made += n.made ? n.f.count : 0;
			vec_push(&g->nodes, n);
			name_node(g, &n);
		}
		strmap_release(&names);
	}
}

static void graph_release(struct graph *g)
{
	vec_release(&g->nodes);
	strmap_release(&g->names);
}

static struct node *node_of(struct graph *g, uint32_t unit, const char *name)
{
	char *own = mem_printf("%08x %s", unit, name), *all = mem_printf("* %s", name);
	uint64_t at = 0;

	if (!strmap_get(&g->names, own, &at))
		strmap_get(&g->names, all, &at);
	free(own);
	free(all);
	return at ? &g->nodes.data[at - 1] : NULL;
}

/* The first site of the table at or behind an ordinal. */
static uint32_t first_site(const struct site_table *t, uint32_t index)
{
	uint32_t low = 0, high = t->sites;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		struct site s;

		if (site_table_site(t, middle, &s) && s.index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void each_callee(struct graph *g, const struct node *n, void (*f)(void *ctx, struct node *callee), void *ctx)
{
	struct site s;

	for (uint32_t i = first_site(n->table, n->f.first); i < n->table->sites && site_table_site(n->table, i, &s) && s.index - n->f.first < n->f.count; i++) {
		struct node *callee = s.kind == SITE_CALL && *s.what ? node_of(g, n->f.unit, s.what) : NULL;

		if (callee)
			f(ctx, callee);
	}
}

/* Functions on their way, each once. */
struct queue {
	struct graph *g;
	VEC(struct node *) list;
	size_t at;
	int undecided; /* only those without a decision */
};

/* Checks are decisions without a counter. */
static int is_undecided(const struct node *n)
{
	struct site_decision d;

	for (uint32_t i = 0; i < n->f.decisions; i++)
		if (site_table_decision(n->table, n->f.first_decision + i, &d) && !d.check)
			return 0;
	return 1;
}

static void put(void *ctx, struct node *n)
{
	struct queue *q = ctx;

	if (n->seen || (n->runtime && q->list.size) || (q->undecided && (n->runtime || !is_undecided(n))))
		return;
	n->seen = 1;
	vec_push(&q->list, n);
}

static void make(struct graph *g, struct node *n, struct copies_list *made)
{
	if (n->made)
		return;
	n->made = 1;
	g->made += n->f.count;
	copies_list_add(made, n->f.unit, n->f.name);
}

/* Until there is `enough`. */
static void make_reachable(struct queue *q, uint64_t enough, struct copies_list *made)
{
	while (q->at < q->list.size && q->g->made < enough) {
		struct node *n = q->list.data[q->at++];

		make(q->g, n, made);
		each_callee(q->g, n, put, q);
	}
}

#define GROWTH 4    /* part of what there is that is made at least. By hand: twice the code made sqlite3's first solved input, which is a syntax error, wait for half of the program */
#define LEAST 20000 /* instructions that are made at least: half a second's work, about what loading and linking a large program takes anyway */

int copies_grow(struct copies_list *made, const struct site_tables *t, uint64_t site)
{
	struct graph g;
	struct queue q = {.g = &g};
	struct site_function f;
	struct node *n;
	uint64_t enough, least = copies_part_tested() ? copies_part_least() : LEAST;

	graph_init(&g, t, made);
	n = site_find_function(t, (uint32_t)(site >> 32), (uint32_t)site, &f) ? node_of(&g, f.unit, f.name) : NULL;
	if (!n || n->made) {
		graph_release(&g);
		return 1;
	}
	enough = g.made + (g.made / GROWTH > least ? g.made / GROWTH : least);
	put(&q, n);
	make_reachable(&q, enough, made);
	for (size_t i = 0, first = (size_t)(n - g.nodes.data); i < g.nodes.size && g.made < enough; i++) {
		put(&q, &g.nodes.data[(first + i) % g.nodes.size]);
		make_reachable(&q, enough, made);
	}
	vec_release(&q.list);
	graph_release(&g);
	return 0;
}

#define SMALL 200 /* instructions of a function that is made without being asked for, if nobody would know that it is entered */

uint64_t copies_complete(struct copies_list *made, const struct site_tables *t)
{
	struct graph g;
	struct queue q = {.g = &g, .undecided = 1};
	uint64_t left = 0;

	graph_init(&g, t, made);
	for (size_t i = 0; i < g.nodes.size; i++)
		if (g.nodes.data[i].made)
			each_callee(&g, &g.nodes.data[i], put, &q);
	for (size_t i = 0; i < g.nodes.size; i++)
		if (g.nodes.data[i].f.count <= SMALL && !copies_part_tested())
			put(&q, &g.nodes.data[i]);
	make_reachable(&q, UINT64_MAX, made);
	for (size_t i = 0; i < g.nodes.size; i++)
		left += g.nodes.data[i].made || g.nodes.data[i].runtime ? 0 : g.nodes.data[i].f.count;
	vec_release(&q.list);
	graph_release(&g);
	return left;
}
