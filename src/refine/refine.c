/* refine.c: the whole way from a preprocessed unit to obligations and the unit with checks (unit.h has the steps). */
#include "refine/refine.h"

#include "base/error.h"
#include "refine/unit.h"

#include <string.h>

/* For one question: hard ones are left to the run. Counted, not timed, so that the answer is the same on every machine. */
enum { CONFLICTS = 4000, RLIMIT = 2000000, QUICK = 200 };

const char refine_definition[] =
    "\n# 1 \"<muster>\"\n"
    "int dprintf(int, const char *__restrict, ...);\n"
    "__attribute__((weak)) void muster_refine_holds(int holds, const char *text, const char *file, int line)\n"
    "{\n\tif (holds)\n\t\treturn;\n"
    "\tdprintf(2, \"muster: refinement violated: %s at %s:%d\\n\", text, file, line);\n"
    "\t__builtin_abort();\n}\n";

const char *refine_outcome_key(enum refine_outcome o)
{
	static const char *const keys[] = {
#define X(name, key, words) key,
	    REFINE_OUTCOMES(X)
#undef X
	};

	return keys[o];
}

const char *refine_outcome_words(enum refine_outcome o)
{
	static const char *const words[] = {
#define X(name, key, words) words,
	    REFINE_OUTCOMES(X)
#undef X
	};

	return words[o];
}

const char *refine_place_key(enum refine_place p)
{
	static const char *const keys[] = {
#define X(name, key) key,
	    REFINE_PLACES(X)
#undef X
	};

	return keys[p];
}

int refine_marked(const char *text, size_t size)
{
	return memmem(text, size, REFINE_MARK, strlen(REFINE_MARK)) ||
	       memmem(text, size, REFINE_OPERATOR_MARK, strlen(REFINE_OPERATOR_MARK));
}

struct work {
	struct unit *u;
	const char *text;
	size_t size;
	const char *const *argv;
	int argc, status;
};

/* The second tree, with predicates, and everything on it. */
static int second(struct work *w, struct buf *with)
{
	struct unit *u = w->u;
	int e = tree_open(&u->t, with->data, with->size, w->argv, w->argc);

	if (e)
		return e;
	collect_release(u);
	e = collect(u);
	if (!e)
		e = predicates_bind(u);
	if (e)
		return e;
	for (size_t i = 0; i < u->t->nodes.size; i++) {
		vec_push(&u->variables, (struct variable){0});
		vec_push(&u->dirty, 0);
	}
	u->pool = exprs_new();
	u->solver = solver_new(&(struct solve_options){.no_optimistic = 1, .conflicts = CONFLICTS, .z3_rlimit = RLIMIT});
	u->quick = solver_new(&(struct solve_options){.no_optimistic = 1, .conflicts = QUICK, .no_z3 = 1});
	walk_unit(u);
	if (u->failed)
		return -1;
	render(u, &u->r->text);
	return 0;
}

static void go(void *ctx)
{
	struct work *w = ctx;
	struct unit *u = w->u;
	struct buf with = BUF_EMPTY;

	w->status = tree_open(&u->t, w->text, w->size, w->argv, w->argc);
	if (!w->status)
		w->status = collect(u);
	u->r->refinements = (uint32_t)u->conjuncts.size;
	if (!w->status && !u->conjuncts.size) {
		buf_add(&u->r->text, w->text, w->size);
	} else if (!w->status) {
		predicates_add(u, &with);
		tree_close(u->t);
		u->t = NULL;
		w->status = second(w, &with);
	}
	if (u->solver)
		solver_free(u->solver);
	if (u->quick)
		solver_free(u->quick);
	if (u->pool)
		exprs_free(u->pool);
	collect_release(u);
	tree_close(u->t);
	buf_release(&with);
}

/* Words of a failure are the thread's own. */
struct call {
	struct work w;
	char *words;
};

static void on_stack(void *ctx)
{
	struct call *c = ctx;

	go(&c->w);
	if (c->w.status)
		c->words = strdup(error_text());
}

int refine_source(struct refine *r, const char *text, size_t size, const char *const *argv, int argc, int options)
{
	struct unit u = {.r = r, .every = options & REFINE_EVERY};
	struct call c = {.w = {.u = &u, .text = text, .size = size, .argv = argv, .argc = argc}};

	*r = (struct refine){0};
	tree_with_stack(on_stack, &c);
	vec_release(&u.conjuncts);
	vec_release(&u.results);
	vec_release(&u.variables);
	vec_release(&u.actions);
	vec_release(&u.action_next);
	vec_release(&u.dirty);
	vec_release(&u.scope);
	vec_release(&u.facts);
	vec_release(&u.locals);
	map_release(&u.action_first);
	map_release(&u.annotations);
	buf_release(&u.tail);
	if (c.w.status) {
		error_set("%s", c.words ? c.words : "");
		free(c.words);
		refine_release(r);
		return -1;
	}
	return 0;
}

void refine_release(struct refine *r)
{
	vec_release(&r->obligations);
	vec_release(&r->notes);
	buf_release(&r->text);
	arena_release(&r->arena);
}
