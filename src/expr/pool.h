/* pool.h: the inside of a struct exprs, for the files of this folder only.
 *
 * Nodes lie in one array in order of creation. A table of (id, hash) pairs finds the
 * node that equals a wanted one. What is derived from nodes (digests, sets of variables, marks of
 * walks) lies beside them in arrays indexed by id, made when first asked for.
 */
#ifndef MUSTER_EXPR_POOL_H
#define MUSTER_EXPR_POOL_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "expr/expr.h"

struct expr_slot {
	uint32_t id; /* 0: free */
	uint32_t hash;
};

/* The bytes of a DATA term. term is NULL where all are constant; else term[i] says it, and
 * value[i] is meaningful only if term[i] is a constant. */
struct expr_table {
	uint64_t count;
	uint8_t *value;
	expr_t *term;
};

struct expr_slice { /* part of a table, so that it is looked up by content only once */
	expr_t data, part;
	uint64_t from, count;
};

struct expr_sets; /* vars.c */

struct exprs {
	struct expr_node *nodes;
	uint32_t count, cap;
	struct expr_slot *slots;
	uint32_t mask;	/* of slots */
	unsigned depth; /* of constructors calling each other */
	int expand;	/* reads go through whole arrays (expr_expand_arrays) */
	struct arena arena;
	struct strmap names;
	VEC(const char *) name_list;
	VEC(struct expr_table) tables;
	struct map table_index; /* hash of the content to table number */
	VEC(struct expr_slice) slices;
	struct map slice_index;
	expr_t byte_const[256];
	struct hash128 *digests; /* of ids below digest_done */
	uint32_t digest_done, digest_cap;
	struct expr_sets *sets;
	uint32_t *mark;	 /* mark[id] == stamp: seen in this walk */
	uint32_t *place; /* where the walk put it */
	uint32_t mark_cap, stamp;
};

/* The operator's number on disk and in digests, which must not move when MUSTER_OPS grows. */
#define EXPR_CODE_NAMED 0xf0u
#define EXPR_CODE_APPLY 0xf1u
#define EXPR_CODE_LIST 0xf2u
#define EXPR_CODE_ARRAY 0xf3u
#define EXPR_CODE_SELECT 0xf4u
#define EXPR_CODE_WRITE 0xf5u
#define EXPR_CODE_FILL 0xf6u
static inline unsigned expr_code(unsigned op)
{
	return op < EXPR_OP_NAMED ? op : EXPR_CODE_NAMED + (op - EXPR_OP_NAMED);
}
_Static_assert(EXPR_CODE_FILL - EXPR_CODE_NAMED == EXPR_OP_FILL - EXPR_OP_NAMED && EXPR_OP_FILL + 1 == EXPR_OP_COUNT, "a code for each operator, in order");

uint64_t expr_name_number(struct exprs *p, const char *name);

/* The node, found or made. The caller normalised it. */
expr_t expr_make(struct exprs *p, struct expr_node n);

static inline expr_t expr_make3(struct exprs *p, unsigned op, unsigned width, expr_t a, expr_t b,
				expr_t c)
{
	return expr_make(
	    p,
	    (struct expr_node){.op = (uint8_t)op, .width = (uint8_t)width, .a = a, .b = b, .c = c});
}

static inline const struct expr_node *node(const struct exprs *p, expr_t e)
{
	return &p->nodes[e];
}

static inline u128 node_value(const struct expr_node *n)
{
	return (u128)n->high << 64 | n->k;
}

static inline int is_op(const struct exprs *p, expr_t e, unsigned op)
{
	return p->nodes[e].op == op;
}

static inline int is_variable(const struct exprs *p, expr_t e)
{
	unsigned op = p->nodes[e].op;
	return op == MUSTER_OP_INPUT || op == MUSTER_OP_LENGTH || op == EXPR_OP_NAMED || op == EXPR_OP_ARRAY;
}

static inline u128 ones(unsigned width)
{
	return op_mask(~(u128)0, width);
}

/* The operator's value, total: what C leaves undefined has SMT-LIB's meaning. Arguments as of
 * op_apply. */
u128 expr_total(enum muster_op op, unsigned width, unsigned from, unsigned low, u128 a, u128 b,
		u128 c);

/* The value of an APPLY term: some function of its name and operands. Of a LIST: something that distinguishes its operands. */
u128 expr_apply_value(const struct exprs *p, expr_t e, u128 a, u128 b, u128 c);

/* The table of a DATA term. */
static inline const struct expr_table *expr_table_of(const struct exprs *p, expr_t data)
{
	return &p->tables.data[node(p, data)->k];
}
/* The value of a READ whose table is constant where it matters: byte(ctx, term) evaluates the
 * others. */
u128 expr_table_read(const struct expr_table *t, u128 at, unsigned bytes,
		     u128 (*byte)(void *ctx, expr_t term), void *ctx);

/* The ids below the roots (and they), operands first, DATA's byte terms before DATA; leaves
 * included. Afterwards expr_walked gives a term's position. Both hold until the next walk. Linear,
 * no recursion. */
struct expr_order {
	expr_t *data;
	size_t size, cap;
};
void expr_walk(const struct exprs *p, const expr_t *roots, size_t count, struct expr_order *out);
void expr_new_stamp(struct exprs *p); /* no term is marked */
static inline int expr_walked(const struct exprs *p, expr_t e, uint32_t *place)
{
	if (p->mark[e] != p->stamp)
		return 0;
	*place = p->place[e];
	return 1;
}

/* The term of a node with other operands, by the constructor of its operator. Leaves are made anew,
 * a DATA node excepted. */
expr_t expr_rebuild(struct exprs *p, const struct expr_node *n, expr_t a, expr_t b, expr_t c);

void expr_sets_free(struct exprs *p);

#endif
