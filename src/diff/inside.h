/* inside.h: between the files of this folder: diff.c (which pairs, in which order), describe.c (what is said of one), given.c (whether its contract forbids what differs), pair.c (two functions as formulas), sets.c (the sets of inputs that follow), lockstep.c (loops related), refine.c (calls of functions that changed for some inputs), word.c (what functions get, and its
 * names in C), part.c (bits of them), cover.c (sets as conditions), box.c (as bounds of words), text.c (terms as C), witness.c (runs of both versions), seen.c (what they left), input.c (what they get, as text), stubs.c (functions outside as runs have them), shape.c (inputs with pointers), direct.c (inputs that come to the modified code), probe.c (many inputs). */
#ifndef MUSTER_DIFF_INSIDE_H
#define MUSTER_DIFF_INSIDE_H

#include "diff/diff.h"

#include "base/map.h"
#include "solve/solve.h"
#include "vc/vc.h"

enum { OLD, NEW };

/* ------------------------------------------------------------ inputs (word.c) */
struct diff_word { /* a word that a function gets: a parameter, a variable, what a pointer leads to */
	expr_t term;
	char *name;    /* in C */
	uint32_t type; /* in the new version's code, or CODE_NONE */
	uint8_t is_unsigned, is_pointer, is_parameter;
	uint8_t is_field, is_bool; /* a bit-field, or a bool, of which a word is one bit; of C's type bool */
	uint8_t is_outside; /* what a function outside returns (stubs.c) */
};

/* ------------------------------------------------------------ a pair (pair.c) */
struct diff_exit { /* of a function that does not return */
	expr_t guard, world;
};

#define DIFF_WORLD "the world" /* the object; no name of C: a variable may have any of those */

#define DIFF_PHIS 16 /* of a loop's header that are looked at */
struct diff_visit { /* of a loop's header */
	expr_t phis[DIFF_PHIS];
	uint32_t count;
	const struct vc_memory *memory;
	int there;
};
struct diff_cut { /* a loop that was cut */
	const struct code_function *f;
	uint32_t loop;
	unsigned depth;
	struct diff_visit entry, any, next;
	size_t entry_obligation, next_obligation; /* among vc_obligations */
};

struct diff_doubt { /* a call that counts as the same in both versions: where this holds, that is not known */
	expr_t where;
	uint64_t call; /* which one, for diff_pair.followed */
};

struct diff_side {
	const struct whole *whole;
	const struct code_function *f;
	struct vc *vc;
	struct diff_pair *pair;
	int which;
	uint32_t world; /* object */
	uint32_t count; /* object: calls of stubs so far; VC_NO_OBJECT: there are none */
	struct vc_outcome out;
	VEC(struct diff_exit) exits;
	VEC(struct diff_doubt) doubts;
	struct map calls;  /* the world after a call to the memory before it */
	struct map left;   /* what a call left (contents, their bytes, its result) to the world after it */
	VEC(struct diff_cut) cuts;
	size_t obligations;
	expr_t undefined, unknown, bound, endless;
	expr_t doubtful; /* any of the doubts; a part of unknown */
	const char *why; /* of unknown */
	int overlaps; /* it copies memory that may overlap, and that is undefined (options.apart) */
	uint32_t why_line;
	int abstract;	 /* calls that were abstracted */
};

#define DIFF_RESULT UINT32_MAX
struct diff_outside { /* what the n-th call of a stub returns, if it is one of this function, or writes */
	expr_t term;
	char *name;
	unsigned number, arguments;
	unsigned argument, offset; /* where it writes to: DIFF_RESULT: it is the result */
};
struct diff_callee { /* of a call through a pointer */
	expr_t guard, address;
};

struct differ;
struct diff_direct; /* direct.c */

struct diff_pair {
	struct differ *d;
	uint32_t symbols[2];
	struct exprs *p;
	struct solver *solver;
	struct solve_context *context; /* with the facts */
	struct diff_side side[2];
	expr_t *args;
	int flat_globals, abstracts, cuts; /* how the sides were evaluated */
	struct map compared[2]; /* sets.c: pairs of terms, whether they are certainly the same, or differ */
	struct map coupled; /* variables and arrays of the new version that are taken for those of the old one (lockstep.c) */
	struct map followed; /* calls of functions that changed, but not for all inputs: those that are followed nevertheless (refine.c) */
	struct buf proved; /* an input for which this holds is unchanged, as lockstep.c proved; in serial form, since the pool changes */
	int proved_flat; /* flat_globals then */
	unsigned unroll;
	struct diff_direct *direct; /* only these edges are followed; NULL: all */
	int stubs; /* functions outside are what they are in runs (stubs.c): the sets are proposals. 1 to 3: how far calls are followed */
	VEC(struct diff_outside) outside;
	VEC(struct diff_callee) callees;
	/* Of all inputs, each in one of these: */
	expr_t same, diff, undefined, termination, unknown, open;
	expr_t crash; /* of undefined: one version is not */
	const char *resized; /* a variable that both have, with another size, and that one writes to; NULL: there is none */
	expr_t proved_same; /* of same: what lockstep.c proved; EXPR_NONE: nothing */
	VEC(struct diff_word) inputs;
	VEC(expr_t) addresses; /* of globals: variables that are no inputs */
	double end, clock_end; /* deadline_processor; deadline_clock, later, since a busy machine is no reason to know less */
};

struct differ {
	const struct diff_options *o;
	const struct whole *whole[2];
	struct match *m;
	struct map symbol_of[2];  /* function's address to symbol */
	struct strmap data_of[2]; /* "unit name" of data to symbol */
	uint8_t *equal;		  /* by old symbol: the pair is equal for all inputs */
	struct buf *unchanged;	  /* by old symbol: a condition on its parameters for which the pair is known to be unchanged, in serial form */
	uint32_t component;	  /* of the old version: taken for equal, to be proved; CODE_NONE */
	struct diff_witnesses *witnesses;
	int apart; /* copies of memory that may not overlap came or went: where memory overlaps they are undefined. Else they are in both versions, and do the same */
};

/* The counterpart of a function as one number: the old version's symbol; CODE_NONE: it has none. */
uint32_t differ_pair_of(const struct differ *d, int which, uint32_t symbol);
uint32_t differ_symbol(const struct differ *d, int which, const struct code_function *f);
/* Data that both versions have with one size, and if it is constant one value: its name in terms. 0: it has a name of its own. */
int differ_data_name(const struct differ *d, int which, const struct code *code, uint32_t global, struct buf *out);
/* Has the other version it, too, with whatever size? */
int differ_data_paired(const struct differ *d, int which, const struct code *code, uint32_t global);
/* May the function, which is outside, call one of these that is not the same in both versions? */
int differ_calls_back(const struct differ *d, const struct code_function *outside);
/* Did a function change whose address is taken? */
int differ_taken_changed(const struct differ *d);
/* Does it start with another value in the other version? */
int differ_data_changed(const struct differ *d, int which, const struct code *code, uint32_t global);

/* sets.c: same, diff and the others, from what both sides do. */
void diff_sets_make(struct diff_pair *x);
/* What is coupled has changed, or the pool. */
void diff_sets_forget(struct diff_pair *x);
/* Certainly equal; arrays that are coupled count as one. */
expr_t diff_sets_same(struct diff_pair *x, expr_t a, expr_t b);
expr_t diff_sets_arrays_equal(struct diff_pair *x, expr_t a, expr_t b);

/* lockstep.c: callbacks of the evaluation, and after one with DIFF_CUT: are the versions equal for all inputs, by relating their loops? */
enum vc_loop_how diff_lockstep_loop(void *ctx, struct vc_loop *l);
expr_t diff_lockstep_visit(void *ctx, const struct vc_loop *l);
int diff_lockstep_proves(struct diff_pair *x); /* 0: x->proved may say of which inputs they are */

/* refine.c: calls of functions that changed for some inputs. */
/* The condition on the arguments under which the callee, whose pair this is, is unchanged. EXPR_NONE: none is known. */
expr_t diff_refine_unchanged(struct diff_side *s, const struct vc_call *c, uint32_t pair);
void diff_refine_doubt(struct diff_side *s, const struct vc_call *c, expr_t unchanged);
/* After an evaluation that abstracts: are the versions equal, if calls on which a difference rests are followed? */
int diff_refine_equal(struct diff_pair *x, unsigned unroll);
/* Both do the same, or both are undefined, for all inputs. */
int diff_pair_is_equal(struct diff_pair *x);
/* The name of parameter i of the function in terms. */
void diff_pair_parameter(const struct code_function *f, uint32_t i, struct buf *out);

/* Evaluates both, and makes the sets. Why it cannot be done at all, or NULL. Releases what an earlier evaluation made. */
#define DIFF_CUT 0u /* unroll: loops are cut */
const char *diff_pair_evaluate(struct diff_pair *x, int abstracts, unsigned unroll);
/* Its parameters alone, as terms; nothing is evaluated. Why it cannot be done at all, or NULL. */
const char *diff_pair_begin(struct diff_pair *x);
/* Are both results signed, or both not? Else the same bits may be two numbers. */
int diff_pair_same_sign(const struct code_function *f, const struct code_function *g);
void diff_pair_release(struct diff_pair *x);
enum verdict diff_pair_check(struct diff_pair *x, const expr_t *assumptions, unsigned count, struct solve_model *m);
/* The same with less work. */
enum verdict diff_pair_check_with(struct diff_pair *x, const struct solve_effort *e, const expr_t *assumptions, unsigned count, struct solve_model *m);
int diff_pair_is_over(const struct diff_pair *x); /* its time */
#define DIFF_WAITS 4 /* times the processor time of a pair, by the clock */
/* From now on it has so many seconds of processor time, if it had more, and by the clock so many times that: other programs, Z3, runs. */
void diff_pair_limit(struct diff_pair *x, double seconds, double waits);
void diff_pair_limit_to(struct diff_pair *x, double share); /* of what is left */
/* Does the term say something about inputs alone? */
int diff_pair_is_input_only(struct diff_pair *x, expr_t e);

/* Is there nothing but unreachable code after the call? */
int diff_pair_never_returns(const struct vc_call *c);

/* ------------------------------------------------------------ functions outside as in runs (stubs.c) */
void diff_stubs_begin(struct diff_side *s);
enum vc_call_how diff_stubs_call(struct diff_side *s, struct vc_call *c);
/* What runs ask of an input. */
expr_t diff_stubs_fit(struct diff_pair *x);
void diff_stubs_release(struct diff_pair *x);

/* ------------------------------------------------------------ inputs that come to the modified code (direct.c) */
/* Adds a case that was run, if one is found in the time that is left. */
int diff_direct_find(struct diff_pair *x, struct diff_function *f);
/* For the evaluation: it begins; an instruction or edge. */
void diff_direct_begin(struct diff_pair *x);
enum vc_end_kind diff_direct_ends(const struct diff_side *s, const struct vc_point *at, uint32_t edge);

/* ------------------------------------------------------------ inputs by search (probe.c) */
/* Adds a case that was run, if one is found in so many seconds of processor time; the children's is not counted, but the clock is. */
int diff_probe_find(struct diff_pair *x, struct diff_function *f, double seconds);

/* ------------------------------------------------------------ text (text.c) */
/* A condition on inputs, or its opposite, as C. 0: there is no short text for it. */
int diff_text_literal(struct diff_pair *x, expr_t atom, int positive, struct buf *out);
/* A set as one formula of GNU C, where only integers are in it: parameters, and bytes of globals. 0: it is something else, or too long. */
int diff_text_exact(struct diff_pair *x, expr_t e, struct buf *out);
void diff_text_constant(const struct diff_word *in, unsigned width, u128 value, struct buf *out);

/* Bytes of the number or pointer that lies at this offset of a variable; 1: of none. */
unsigned diff_word_scalar(const struct code *c, uint32_t global, uint64_t offset);

/* Adds the words that the term reads: variables, and what pointers lead to, with their names in C ("p->n"). */
void diff_word_collect(struct diff_pair *x, expr_t e);
/* The address as base plus constant. */
expr_t diff_word_base(struct exprs *p, expr_t address, uint64_t *offset);
/* Adds the word at this offset of what the pointer, one of the inputs, leads to. Its number, or SIZE_MAX: there are too many. */
size_t diff_word_behind(struct diff_pair *x, size_t pointer, uint64_t offset, unsigned bytes);
/* The global whose address the term is, in the new version's code, or CODE_NONE. */
uint32_t diff_word_global(const struct diff_pair *x, expr_t base);
/* A variable that is a byte of a global, in C. 0: it is none. */
int diff_word_byte_text(const struct diff_pair *x, expr_t variable, struct buf *out);
#define DEEP 8000 /* height of terms that are walked by recursion */
/* What the word is called, or NULL. */
const struct diff_word *diff_word_find(const struct diff_pair *x, expr_t term);

/* ------------------------------------------------------------ parts of words (part.c) */
struct diff_part { /* bits of a word */
	const struct diff_word *in;
	unsigned low, width;
};
/* The number among the words whose bits these are. 0: none. */
int diff_part_find(const struct diff_pair *x, expr_t e, struct diff_part *out);

/* ------------------------------------------------------------ places of a witness (place.c) */
/* The byte of the runs' memory that the input says. 0: it says none, and it is 0. */
int diff_place_byte(const struct diff_pair *x, const struct solve_model *m, uint64_t at, uint8_t *value);
void diff_place_name(const struct diff_pair *x, const struct solve_model *m, uint64_t at, struct buf *out); /* "byte 3 at p" */
/* Bits of a byte that belong to what is there, and not to its padding, by the type of the pointer that leads there, or of the variable. */
uint8_t diff_place_used(const struct diff_pair *x, const struct solve_model *m, uint64_t at);
uint8_t diff_place_global_used(const struct code *c, uint32_t global, uint64_t at);
void diff_place_bytes(const struct diff_pair *x, const struct solve_model *m, uint64_t at, struct buf *out); /* " {00 20}", or nothing */

/* ------------------------------------------------------------ covers (cover.c) */
struct diff_cube {
	VEC(expr_t) literals;
	char *text;
	int interval; /* of one word */
	u128 low;     /* its lower end, from the word's least value on */
	struct solve_model model; /* in it */
	struct diff_case shown;	  /* the run that confirmed it, if one was asked for */
};
struct diff_cover {
	VEC(struct diff_cube) cubes;
	int exact;   /* together they are the whole set */
	int all;     /* the set is everything */
	unsigned refused; /* cubes that were not confirmed, and are not there */
};
struct diff_confirm { /* is asked of each cube as soon as it is made, so that what is there when the time is over can be claimed. 0: it is not confirmed */
	int (*cube)(void *ctx, struct diff_cube *c);
	void *ctx;
};
/* box.c: the cube, which implies the set, again as bounds of words, as far out as it still does; its text, and an input near 0. The hints are comparisons of the code. */
struct diff_hints {
	const expr_t *data;
	size_t size;
};
void diff_box_make(struct diff_pair *x, expr_t set, const struct diff_hints *hints, struct diff_cube *c);
/* Parts of the set, each valid for every interpretation of what is no input; first of a part of it that is easy, unless that is EXPR_NONE. most: parts. confirm may be NULL. */
void diff_cover_make(struct diff_pair *x, expr_t set, expr_t easy, unsigned most, const struct diff_confirm *confirm, struct diff_cover *out);
void diff_cover_text(const struct diff_cover *c, struct buf *out);
void diff_cover_release(struct diff_cover *c);
/* refine.c: what is known of a pair, for its callers. */
void diff_refine_keep(struct diff_pair *x, const struct diff_cover *same);

/* ------------------------------------------------------------ what runs left (seen.c) */
struct diff_seen { /* of the calls of a version */
	char *out, *result, *memory, *end; /* result NULL: it did not return */
	int timeout, crashed;
	int wild; /* crashed, but not at null: memory that a run does not have */
};
void diff_seen_release(struct diff_seen *s);
/* What the calls of a version left, from the text on, which is moved behind it. -1: it says nothing. */
int diff_seen_read(char **text, struct diff_seen *out);
/* What the two versions did, on the input of the model if it is known; 0: nothing that differs. */
int diff_seen_differ(const struct diff_pair *x, const struct solve_model *m, const struct diff_seen *a, const struct diff_seen *b, struct diff_case *out);
void diff_seen_end_text(const struct diff_pair *x, int which, const struct diff_seen *s, struct buf *out); /* "returns 3" */

/* ------------------------------------------------------------ runs (witness.c) */
struct diff_witnesses *diff_witnesses_new(const struct differ *d);
void diff_witnesses_free(struct diff_witnesses *w);
/* Runs both versions on the model's input, or, where pointers are among the inputs, on another one of the region (a conjunction) whose pointers can be. out->termination says
 * whether one is expected not to end, out->undefined whether one is expected to crash. 1: they differ as the case then says; 0: they
 * do not, or in another manner than expected, or it cannot be run. */
int diff_witness_run(struct diff_pair *x, const struct solve_model *m, const expr_t *region, unsigned count, struct diff_case *out);
/* Runs an input that was written before. 1: they differ, as out then says; 0: they do not, and out->what is what both do; -1 with words. */
int diff_witness_replay(struct diff_pair *x, const char *text, struct diff_case *out);
/* The same of a model whose pointers can be. */
int diff_witness_run_as_is(struct diff_pair *x, const struct solve_model *m, struct diff_case *out);

/* The same of this input (input.c), which the model describes to people. */
int diff_witness_run_text(struct diff_pair *x, const struct solve_model *m, const char *text, struct diff_case *out);
/* Blocks of the version's object, in their order, as FUNCTION:LINE,LINE,... 0: the function cannot be called. */
typedef void diff_witness_block(void *ctx, int which, uint32_t block, const char *text);
int diff_witness_blocks(struct diff_pair *x, int which, diff_witness_block *block, void *ctx);
/* Many inputs at once, quickly, for a search: settings and reply are lines as in caller_many.c. -1: it cannot be done. Nothing that it says is a claim. */
int diff_witness_batch(struct diff_pair *x, const struct buf *settings, char *const *inputs, size_t count, struct buf *reply);

/* ------------------------------------------------------------ inputs of calls (input.c) */
struct diff_caller { /* who reads it */
	const struct code_function *f;
	int which;
	int call; /* the function in its table */
	int (*data)(const struct diff_caller *c, const char *name); /* a variable in its table, or -1 */
};
void diff_input_write(struct diff_pair *x, const struct solve_model *m, struct buf *out);
int diff_input_read(const struct differ *d, const char *text, const struct diff_caller *to, struct buf *out); /* -1 with words */

/* ------------------------------------------------------------ what is said (describe.c) */
/* The sets of a pair that is not equal, as the evaluation left them: conditions, cases, verdict. Cases that were there before stay, unless conditions say more. */
void diff_describe_pair(struct diff_pair *x, struct diff_function *f);
void diff_describe_add_case(struct diff_function *f, struct diff_case *c, const char *when);
void diff_describe_drop_cases(struct diff_function *f, size_t count); /* the first ones */

/* ------------------------------------------------------------ contracts (given.c) */
/* The part of the contract for which both versions do the same, or both are undefined, by proof; allocated. NULL: it is not known of any. */
char *diff_given_contract(struct diff_pair *x, const char *contract);

/* ------------------------------------------------------------ shapes (shape.c) */
/* Looks for an input of the set by choosing where pointers lead, and runs it: 1 as diff_witness_run. */
int diff_shape_run(struct diff_pair *x, expr_t set, struct diff_case *k);
/* Is there one, as far as the first shapes show? */
int diff_shape_has_input(struct diff_pair *x, expr_t set);

#endif
