/* unit.h: what the parts of refine share while one unit is worked on. Inside src/refine only.
 *
 * A conjunct is one condition of one refinement. It has a predicate, a function at file scope that says whether it holds
 * (muster_holds_N), so that clang resolves its names and types once, where they were written, and whoever checks it
 * only passes values. The order of the work: collect (on the tree as it came), predicates into the text, the tree again,
 * collect again (the same conjuncts, by number), then a walk over every function: values, facts, obligations, actions;
 * last the text with the actions.
 */
#ifndef MUSTER_REFINE_UNIT_H
#define MUSTER_REFINE_UNIT_H

#include "expr/expr.h"
#include "front/tree.h"
#include "refine/refine.h"
#include "solve/solve.h"

#define REFINE_MARK "muster.refine:"
#define REFINE_OPERATOR_MARK "muster.operator:"
#define REFINE_HOLDS "muster_holds_"
#define REFINE_NOW "muster_now_"

enum owner {
	OWNER_PARAMETER,
	OWNER_RESULT,
	OWNER_FIELD,
	OWNER_VARIABLE,
	OWNER_TYPEDEF,
	OWNER_OPERANDS,
	OWNER_PROMISE,
};

enum { SELF = -1 }; /* of an argument's index: the value itself */

/* A value that a predicate is given. */
struct argument {
	const char *name;
	int index;     /* of a parameter (or operand); SELF: the value of owner or result */
	uint32_t decl; /* of a field or local variable (first declaration); 0: by index */
	uint32_t type;
};

struct conjunct {
	enum owner owner;
	uint32_t decl;	   /* first declaration of the variable, field, typedef or function; of a signature: its typedef */
	int index;	   /* of the parameter */
	uint32_t site;	   /* where it is written: a node; its top-level declaration is the predicate's place */
	enum tree_op op;   /* of a signature */
	int unary;
	const char *text, *subject;
	VEC(struct argument) arguments;
	uint32_t predicate; /* function in the second tree */
	uint32_t condition; /* what it returns */
	VEC(uint32_t) globals; /* that the predicate names by itself: first declarations */
};

struct operator_result { /* what signatures of one operator and type promise, as text */
	uint32_t type;
	enum tree_op op;
	int unary;
	const char *text;
	uint32_t line;
	const char *file;
};

/* What is known of a declaration, by node number of the first one. */
struct variable {
	uint8_t addressed;  /* its address is taken somewhere */
	uint8_t untrusted;  /* it may have a value that was not checked */
	uint8_t tracked;    /* its values are followed */
	uint8_t refined;    /* conjuncts of its own or of its type */
	uint8_t called_elsewhere; /* a function whose address is taken */
	uint8_t asm_operand;
	expr_t term;	    /* of a tracked one: its value now */
	uint32_t alias;	    /* number (plus 1) of a pointer to it, for checks where another variable has its name */
	uint32_t named;	    /* of a function: where it is first (plus 1) */
	uint32_t flag;	    /* of one without initialiser: the number (plus 1) of the name that says at run time whether it was written */
};

/* What the text gets at a node. */
enum action_kind {
	ACTION_AFTER,	 /* the value is kept, then the checks */
	ACTION_INITIAL,	 /* the value under a name, of a type, for the checks; then the checks */
	ACTION_ARGUMENTS,/* of a call: arguments under names, checks, the call */
	ACTION_OPERANDS, /* of an operator */
	ACTION_OBJECT,	 /* of a write to a member: the address of the object under a name */
	ACTION_BEHIND,	 /* of a statement: text after it */
	ACTION_INSIDE,	 /* of a block: text after its { */
	ACTION_END,	 /* of a block: text in front of its }; of a return without a value: in front of it */
};
struct action {
	enum action_kind kind;
	uint32_t node, number; /* number: of the name */
	const char *type;      /* of INITIAL, OPERANDS */
	const char *checks;
	const char *checks_late; /* of OPERANDS: when the result is there */
	uint64_t hoisted;	 /* of ARGUMENTS: which */
};

struct unit {
	struct refine *r;
	struct tree *t;
	VEC(struct conjunct) conjuncts;
	VEC(struct operator_result) results;
	int every; /* checks for what was proved, too */
	int typedefs_refined;	/* there are some */
	struct map annotations; /* met: place in the text and declaration */
	VEC(struct variable) variables; /* by node */
	VEC(struct action) actions;
	struct map action_first; /* node to number + 1 of its last action; they are linked */
	VEC(uint32_t) action_next;
	VEC(uint8_t) dirty; /* by node: an action at it or below */

	VEC(uint32_t) scope; /* local variables and parameters in sight, innermost last */

	/* the prover */
	struct exprs *pool;
	struct solver *solver, *quick; /* quick: when many questions had no answer */
	unsigned unanswered;
	VEC(expr_t) facts;
	uint32_t fresh, names;
	uint32_t function; /* that is walked; 0: none */
	int weak;	   /* in it: nothing of the order of statements is believed */
	uint32_t in_switch; /* the innermost switch, and the facts that held there */
	size_t switch_facts;
	VEC(uint32_t) locals; /* tracked ones of it */
	uint32_t declaring; /* a variable whose initialiser is evaluated */
	int predicate_depth;
	const struct conjunct *inside; /* predicate that is evaluated, with */
	const expr_t *given;	       /* the values of its parameters */
	int failed; /* error_text() says what is wrong with a refinement */
	struct buf tail; /* text for the end of the unit */
};

static inline struct tree_node *node(struct unit *u, uint32_t n)
{
	return &u->t->nodes.data[n];
}
static inline struct tree_type *type_of(struct unit *u, uint32_t n)
{
	return &u->t->types.data[u->t->nodes.data[n].type];
}
static inline uint32_t child(struct unit *u, uint32_t n, int i)
{
	uint32_t c = u->t->nodes.data[n].first;

	while (c && i--)
		c = u->t->nodes.data[c].next;
	return c;
}
/* The first declaration of what a name or member refers to. */
static inline uint32_t referred(struct unit *u, uint32_t n)
{
	uint32_t d = u->t->nodes.data[n].refers;

	return d ? u->t->nodes.data[d].canon : 0;
}

/* words.c: a condition as text */
/* The names in it, less those after . and ->; each once. */
void words_names(const char *text, void (*each)(void *ctx, const char *name, size_t size), void *ctx);
/* Its conjuncts, trimmed; one that has || or ? or a comma outside of parentheses is whole. */
void words_split(const char *text, void (*each)(void *ctx, const char *part, size_t size), void *ctx);
/* The same condition without && and || where that makes no difference, so that it is no branch. */
void words_straight(const char *text, struct buf *out);
/* The condition with (*NAME) for each of the names. */
void words_star(const char *text, const char *const *names, size_t count, struct buf *out);
void words_quote(const char *text, struct buf *out); /* as a string of C */

/* collect.c: conjuncts of the tree u->t. -1 with words. */
int collect(struct unit *u);
void collect_release(struct unit *u);
/* Conjuncts of a declaration; i is where to go on, -1 at the end. */
struct conjunct *conjunct_of(struct unit *u, enum owner owner, uint32_t decl, int index, size_t *i);
struct conjunct *conjunct_of_type(struct unit *u, uint32_t type, size_t *i); /* by the names it was written with */
uint32_t function_parameter(struct unit *u, uint32_t function, int index); /* declaration or definition, as given */
uint32_t enclosing_record(struct unit *u, uint32_t field);
uint32_t in_sight(struct unit *u, const char *name, size_t size); /* a local of that name; 0: none */

/* predicate.c: the text with a predicate for each conjunct; then, with the second tree, the predicates' nodes. */
void predicates_add(struct unit *u, struct buf *out);
int predicates_bind(struct unit *u);
/* Whether a predicate gets the address of an argument: arrays, which are to keep their size. */
int by_address(struct unit *u, const struct conjunct *c, const struct argument *a);
const char *type_text(struct unit *u, uint32_t type); /* for __typeof__(TEXT) */

/* facts.c */
expr_t fresh(struct unit *u, uint32_t type); /* any value; EXPR_NONE where the type has no terms */
unsigned type_width(struct unit *u, uint32_t type);
void fact(struct unit *u, expr_t condition); /* of width 1; EXPR_NONE is nothing */
enum refine_outcome prove(struct unit *u, expr_t goal);
struct state {
	size_t facts; /* their number */
	VEC(expr_t) list, terms;
};
void state_save(struct unit *u, struct state *s);
void state_restore(struct unit *u, const struct state *s);
void state_release(struct state *s);
/* u has what holds where the condition is false, s where it is true; facts go back to `facts`. */
void state_merge(struct unit *u, struct state *s, expr_t condition, size_t facts);
/* All variables that are written below a node get any value that their refinements allow. */
void havoc(struct unit *u, uint32_t below);
/* The values of a conjunct's arguments as they are, where it speaks of a variable or of a parameter of this function. -1: it does not. */
int arguments_now(struct unit *u, const struct conjunct *c, expr_t *given);
/* What a trusted variable's refinements say of its value now. */
void invariants(struct unit *u, uint32_t decl);

/* value.c: the term of an expression; obligations in it are met on the way. EXPR_NONE: no term. */
expr_t value(struct unit *u, uint32_t n);
void value_perhaps(struct unit *u, uint32_t n); /* it may be evaluated, or not */
expr_t truth(struct unit *u, expr_t x); /* x != 0, width 1 */
expr_t convert(struct unit *u, expr_t x, uint32_t from, uint32_t to);
expr_t holds(struct unit *u, const struct conjunct *c, const expr_t *given); /* width 1 */
expr_t variable_value(struct unit *u, uint32_t decl);
expr_t apply(struct unit *u, enum tree_op op, expr_t a, expr_t b, unsigned width, int is_signed);

/* oblige.c */
void oblige_initial(struct unit *u, uint32_t variable, expr_t x);
void oblige_literal(struct unit *u, uint32_t n);
void oblige_none(struct unit *u, uint32_t variable); /* declared without a value */
void oblige_global(struct unit *u, uint32_t variable);
void oblige_unknown(struct unit *u, uint32_t n); /* an expression of a kind that is not known */
void oblige_write(struct unit *u, uint32_t n, uint32_t target, expr_t x); /* n: the expression that writes */
void oblige_call(struct unit *u, uint32_t call, const expr_t *values, uint32_t count, expr_t *result);
void oblige_entry(struct unit *u, uint32_t function);
void oblige_return(struct unit *u, uint32_t expression, expr_t x);
void oblige_end(struct unit *u, uint32_t n); /* of a body that is left by its end; of a return without a value */
void oblige_cast(struct unit *u, uint32_t cast, expr_t x);
void oblige_operator(struct unit *u, uint32_t n, enum tree_op op, int unary, expr_t a, expr_t b, expr_t result);
void note_address(struct unit *u, uint32_t n); /* &p->field */
void oblige_asm(struct unit *u, uint32_t n);
struct action *action_add(struct unit *u, enum action_kind kind, uint32_t n);

/* walk.c: every function of the unit. */
void walk_unit(struct unit *u);
/* 0 if control never gets after the statement. */
int walk_statement(struct unit *u, uint32_t n);
int is_noreturn(struct unit *u, uint32_t n); /* a call */

/* ends.c: whether control may get after the statement; loops and switches are looked into. */
int goes_on(struct unit *u, uint32_t n);

/* render.c: the text with its actions. */
void render(struct unit *u, struct buf *out);

#endif
