/* candidates.h: between cause.c and candidates.c: the search for the causes of a function's failing calls. */
#ifndef MUSTER_CONTRACT_CANDIDATES_H
#define MUSTER_CONTRACT_CANDIDATES_H

#include "contract/cause.h"

/* A candidate and what is known of it. */
struct candidate {
	struct clause clause;
	uint64_t breaks;   /* failing calls that are left, which break it */
	uint64_t contrary; /* passing ones */
	uint64_t kept;	   /* calls that keep it, with all its places there: passing ones; of a clause about pointers and lengths also those that fail, elsewhere */
	double score;	   /* the lower the better */
};

/* What is known of a literal by proof. */
enum { NOT_ASKED, EXCLUDED, ALLOWED };
struct proved {
	struct clause_literal l;
	uint8_t *calls; /* of each failing call: its path together with the literal is unsatisfiable, or it is not shown to be */
};

struct cause_search {
	int joint;   /* clauses explain some call together */
	int scalars; /* these are the candidates now; else what speaks of pointers and lengths */
	int every;   /* what is said of all structures of a type is tried as well: nothing simpler explains more */
	int asserts; /* some call that is left failed an assertion */
	int unbroken; /* candidates need no failing call that breaks them: another call of a path may */
	struct causes *c;
	size_t places, calls;
	struct clause_value *values; /* of call i: from i * places on */
	VEC(struct clause_literal) literals, guards;
	VEC(struct candidate) candidates;
	struct solve_path **paths; /* of calls, made when first asked */
	uint8_t *left;		   /* of each call: it failed, and nothing explains it yet */
	uint8_t *looked;	   /* of each place: the path of some failing call depends on what it has */
	VEC(struct proved) proved;
	uint8_t *whole; /* of each call and place: convention.c's answer */
	uint64_t left_count, passing;
};

/* The values of a call: its input. */
struct bytes {
	const struct exprs *pool;
	const uint8_t *data;
	size_t size;
};
u128 cause_byte_value(void *ctx /* struct bytes */, expr_t v);

/* The function's entry state, with objects that have grown so far. */
const struct entry *causes_entry(struct causes *c, uint32_t growth);
const struct entry *cause_entry_of(struct causes *c, const struct cause_call *x);

/* Sets f->looked: which places the paths of failing calls depend on. */
void candidates_looked(struct cause_search *f);
/* Does the path of a call depend on whether the place, a pointer, is null? */
int candidate_looks(struct cause_search *f, uint32_t place, size_t call);
/* Makes f->candidates for the calls that are left. */
void candidates_list(struct cause_search *f);
/* Does the call keep the clause? */
int candidate_holds(struct cause_search *f, const struct clause *c, size_t call);
/* What is known of it by the values of all calls. */
struct candidate candidate_judge(struct cause_search *f, const struct clause *c);
/* Is it none if some call that passes breaks it? */
int candidate_suits_all(const struct clause *c);
double candidate_score(const struct cause_search *f, const struct candidate *x);
int candidate_better(const struct candidate *a, const struct candidate *b);

#endif
