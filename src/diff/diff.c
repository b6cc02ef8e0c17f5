/* diff.c: which pairs of functions are looked at, in which order, and what is said about each.
 *
 * Functions that were not modified and reach nothing modified (match.h) are equal without a question, and so are those that were not modified and call equal ones only. The others come bottom-up in
 * the call graph. A pair is evaluated first with equal callees as uninterpreted functions, which often proves it equal at once; then exactly, callees followed and loops unrolled, further where a
 * path was cut off by a bound. Where there are loops, relating them comes before that (lockstep.c). A component of mutually recursive functions is first taken for equal as a whole, which is then proved of each member, or given up for all.
 */
#include "diff/inside.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/log.h"
#include "build/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 10.0 /* for a pair, by default */
#define QUERY 3	     /* seconds of one query */
#define COSTLY 0.3   /* seconds of an evaluation: loops are not unrolled further */
#define SETS 1.0     /* seconds for sets once a difference was seen */
#define PROOF 0.2    /* times the seconds of a pair, for equality with calls abstracted; the same for loops related */
#define STUBS 0.3    /* the same for a first input that shows a difference */
#define QUICK 0.05    /* the same, for a first look whether they are equal when calls are followed */
#define DIRECT 0.5   /* the same, on top of it, for one that comes to modified code, if there is none yet */
#define PROBE 0.5    /* the same, for one that many runs show */
#define TOGETHER 8   /* modified functions that functions outside may come to, for which equality is tried as for a component */
#define FEW 300	     /* instructions of a function whose loops are unrolled twice at first, of a larger one once */
#define FIRST 5	     /* iterations of a loop that are looked at without refinement */

const char *diff_verdict_key(enum diff_verdict v)
{
	static const char *const keys[] = {
#define X(name, key) key,
	    DIFF_VERDICTS(X)
#undef X
	};
	return keys[v];
}

/* ------------------------------------------------------------ symbols */

uint32_t differ_symbol(const struct differ *d, int which, const struct code_function *f)
{
	uint64_t symbol;
	if (map_get(&d->symbol_of[which], (uint64_t)(uintptr_t)f, &symbol))
		return (uint32_t)symbol;
	return whole_find(d->whole[which], f->name);
}

uint32_t differ_pair_of(const struct differ *d, int which, uint32_t symbol)
{
	if (which == OLD)
		return d->m->to_new[symbol] == CODE_NONE ? CODE_NONE : symbol;
	return d->m->to_old[symbol];
}

static uint32_t data_symbol(const struct differ *d, int which, const struct code *code, const char *name)
{
	char key[400];
	uint64_t symbol;
	snprintf(key, sizeof key, "%p %.350s", (const void *)code, name);
	if (strmap_get(&d->data_of[which], key, &symbol))
		return (uint32_t)symbol;
	return whole_find(d->whole[which], name);
}

int differ_data_name(const struct differ *d, int which, const struct code *code, uint32_t global, struct buf *out)
{
	uint32_t symbol = data_symbol(d, which, code, code->globals[global].name), pair;
	if (symbol == CODE_NONE || (pair = differ_pair_of(d, which, symbol)) == CODE_NONE)
		return 0;
	const struct whole_symbol *s[2] = {&d->whole[OLD]->symbols.data[pair], &d->whole[NEW]->symbols.data[d->m->to_new[pair]]};
	uint64_t bytes[2] = {0};
	int constant[2] = {0}, thread_local[2] = {0};
	for (int k = 0; k < 2; k++) {
		const struct code *c = s[k]->unit != CODE_NONE ? d->whole[k]->units.data[s[k]->unit].code : NULL;
		for (uint32_t i = 0; c && i < c->global_count; i++)
			if (!strcmp(c->globals[i].name, s[k]->name)) {
				bytes[k] = c->globals[i].bytes;
				constant[k] = c->globals[i].constant;
				thread_local[k] = c->globals[i].thread_local;
			}
	}
	if (bytes[OLD] != bytes[NEW] || constant[OLD] != constant[NEW] || thread_local[OLD] != thread_local[NEW] || (constant[OLD] && d->m->changed[pair]))
		return 0;
	buf_adds(out, s[NEW]->name);
	return 1;
}

int differ_data_paired(const struct differ *d, int which, const struct code *code, uint32_t global)
{
	uint32_t symbol = data_symbol(d, which, code, code->globals[global].name);
	return symbol != CODE_NONE && differ_pair_of(d, which, symbol) != CODE_NONE;
}

int differ_data_changed(const struct differ *d, int which, const struct code *code, uint32_t global)
{
	uint32_t symbol = data_symbol(d, which, code, code->globals[global].name);
	uint32_t pair = symbol != CODE_NONE ? differ_pair_of(d, which, symbol) : CODE_NONE;
	return pair != CODE_NONE && d->m->changed[pair];
}

/* A function outside may call each one whose address is taken: is there one that was modified and is not proved equal? */
int differ_taken_changed(const struct differ *d)
{
	const struct whole *w = d->whole[OLD];
	for (uint32_t i = 0; i < w->symbols.size; i++)
		if (w->symbols.data[i].function && w->symbols.data[i].taken && d->m->classes[i] & (MATCH_M | MATCH_IM) && !d->equal[i])
			return 1;
	return 0;
}

int differ_calls_back(const struct differ *d, const struct code_function *outside)
{
	return strncmp(outside->name, "llvm.", 5) && !code_function_keeps_to_itself(outside) && differ_taken_changed(d);
}

/* Does the function call one outside that may call back, over any number of calls? */
static int reaches_back(const struct differ *d, uint32_t symbol, uint8_t *seen)
{
	const struct whole *w = d->whole[OLD];
	const struct whole_symbol *s = &w->symbols.data[symbol];
	int some = 0;
	if (seen[symbol])
		return 0;
	seen[symbol] = 1;
	for (uint32_t i = 0; i < s->callees && !some; i++)
		some = reaches_back(d, w->callees.data[s->first_callee + i], seen);
	for (uint32_t i = 0; s->function && i < s->function->callee_count && !some; i++) {
		const struct code_function *f = &s->function->code->functions[s->function->callees[i]];
		some = !f->defined && differ_calls_back(d, f);
	}
	return some;
}

static void index_symbols(struct differ *d, int which)
{
	const struct whole *w = d->whole[which];
	for (uint32_t i = 0; i < w->symbols.size; i++) {
		const struct whole_symbol *s = &w->symbols.data[i];
		char key[400];
		if (s->function)
			map_set(&d->symbol_of[which], (uint64_t)(uintptr_t)s->function, i);
		if (s->kind != WHOLE_DATA || s->unit == CODE_NONE)
			continue;
		snprintf(key, sizeof key, "%p %.350s", (const void *)w->units.data[s->unit].code, s->name);
		strmap_set(&d->data_of[which], key, i);
	}
}

/* ------------------------------------------------------------ one pair */

/* From now on it has so much of the time of a pair. */
static void give_time(struct diff_pair *x, double share)
{
	x->end = x->clock_end = 0;
	diff_pair_limit(x, share * (x->d->o->seconds > 0 ? x->d->o->seconds : SECONDS), DIFF_WAITS);
}

static void pair_init(struct diff_pair *x, struct differ *d, uint32_t symbol)
{
	struct solve_options o = {.seconds = QUERY, .no_optimistic = 1};
	*x = (struct diff_pair){.d = d, .symbols = {symbol, d->m->to_new[symbol]}};
	give_time(x, 1);
	x->solver = solver_new(&o);
	for (int k = 0; k < 2; k++) {
		x->side[k].whole = d->whole[k];
		x->side[k].which = k;
		x->side[k].pair = x;
		x->side[k].f = d->whole[k]->symbols.data[x->symbols[k]].function;
	}
}

static void pair_done(struct diff_pair *x)
{
	diff_pair_release(x);
	solver_free(x->solver);
}

/* Unrolled further as long as a bound is in the way and it costs little. If it stays in the way, a part of the sets is all there is: that of the fewest iterations in which there is a difference. NULL, or why not. */
static const char *evaluate_exactly(struct diff_pair *x)
{
	static const unsigned bounds[] = {6, 24, 300};
	if (x->d->o->no_refine)
		return diff_pair_evaluate(x, 0, FIRST);
	unsigned fewest = 0;
	for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
		double start = deadline_processor();
		const char *why = diff_pair_evaluate(x, 0, bounds[i]);
		if (why)
			return why;
		if (!fewest && diff_pair_check(x, &x->diff, 1, NULL) == VERDICT_SAT)
			fewest = bounds[i];
		expr_t bound = expr_and(x->p, x->unknown, expr_or(x->p, x->side[OLD].bound, x->side[NEW].bound));
		if (diff_pair_check(x, &bound, 1, NULL) == VERDICT_UNSAT && x->side[OLD].unknown != expr_true(x->p) && x->side[NEW].unknown != expr_true(x->p))
			return NULL;
		if (diff_pair_is_over(x) || deadline_processor() - start > COSTLY)
			break;
	}
	return diff_pair_evaluate(x, 0, fewest ? fewest : bounds[0]);
}

static void try_shapes(struct diff_pair *x, struct diff_function *f, expr_t set, struct diff_case k)
{
	if (!f->cases.size && diff_shape_run(x, set, &k))
		diff_describe_add_case(f, &k, NULL);
}

/* One input that shows a difference within a few iterations, with functions outside that do what the input says (stubs.c): found sooner than any condition. */
static int find_witness(struct diff_pair *x, struct diff_function *f)
{
	static const unsigned bounds[] = {1, 2, 5};
	for (size_t i = x->side[OLD].f->instructions < FEW; i < sizeof bounds / sizeof *bounds && !f->cases.size; i++) {
		double start = deadline_processor();
		x->stubs = (int)i + 1;
		if (diff_pair_evaluate(x, 0, bounds[i]) || diff_pair_is_over(x))
			break;
		for (int k = 0; k < 2; k++)
			log_info("diff of %s: %u iterations with stubs, evaluated in %.2f s: %s, line %u", f->name, bounds[i], deadline_processor() - start, x->side[k].unknown == expr_true(x->p) ? "unknown" : x->side[k].why ? x->side[k].why : "", x->side[k].why_line);
		try_shapes(x, f, x->diff, (struct diff_case){0});
		try_shapes(x, f, x->crash, (struct diff_case){.undefined = 1});
		try_shapes(x, f, x->open, (struct diff_case){0});
		log_info("diff of %s: %zu witnesses after %.2f s", f->name, f->cases.size, deadline_processor() - start);
	}
	x->stubs = 0;
	return f->cases.size != 0;
}

static void set_equal(struct differ *d, struct diff_function *f, uint32_t symbol)
{
	if (f->cases.size) /* runs of an input for which both versions are undefined */
		log_info("diff of %s: equal, and yet %s", f->name, f->cases.data[0].what);
	diff_describe_drop_cases(f, f->cases.size);
	d->equal[symbol] = 1;
	f->verdict = DIFF_EQUAL;
	f->complete = 1;
	f->unchanged = strdup("1");
}

/* Does it have a loop, or one in a function that it calls and that is followed? */
static int has_loops(const struct differ *d, uint32_t symbol)
{
	const struct whole *w = d->whole[OLD];
	const struct whole_symbol *s = &w->symbols.data[symbol];
	int some = s->function->loop_count != 0;
	for (uint32_t i = 0; i < s->callees && !some; i++) {
		const struct whole_symbol *c = &w->symbols.data[w->callees.data[s->first_callee + i]];
		some = c->function && c->component < s->component && has_loops(d, w->callees.data[s->first_callee + i]);
	}
	return some;
}

/* Does it call a function that is not there, or one through a pointer, or does one that it calls? */
static int calls_outside(const struct differ *d, uint32_t symbol)
{
	const struct whole *w = d->whole[OLD];
	const struct whole_symbol *s = &w->symbols.data[symbol];
	const struct code_function *f = s->function;
	for (uint32_t i = 0; f && i < f->value_count; i++)
		if (f->values[i].op == CODE_CALL && (f->values[i].target == CODE_NONE || (!f->code->functions[f->values[i].target].defined && strncmp(f->code->functions[f->values[i].target].name, "llvm.", 5))))
			return 1;
	for (uint32_t i = 0; i < s->callees; i++) {
		uint32_t callee = w->callees.data[s->first_callee + i];
		if (w->symbols.data[callee].component < s->component && calls_outside(d, callee))
			return 1;
	}
	return 0;
}

/* Seconds of its time. */
static double seconds_of(const struct differ *d, double share)
{
	return share * (d->o->seconds > 0 ? d->o->seconds : SECONDS);
}

static void analyse(struct differ *d, struct diff_function *f, uint32_t symbol)
{
	struct diff_pair x;
	double start = deadline_clock();
	pair_init(&x, d, symbol);
	const struct whole_symbol *s = &d->whole[OLD]->symbols.data[symbol];
	const char *why = NULL;
	int equal = 0;
	give_time(&x, PROOF);
	if (s->callees)
		why = diff_pair_evaluate(&x, 1, d->o->no_refine ? FIRST : 6);
	if (!why && s->callees)
		equal = d->o->no_refine ? diff_pair_is_equal(&x) : diff_refine_equal(&x, 6);
	give_time(&x, PROOF);
	if (!why && !equal && !d->o->no_refine && has_loops(d, symbol))
		equal = !diff_pair_evaluate(&x, 1, DIFF_CUT) && diff_lockstep_proves(&x);
	give_time(&x, STUBS);
	int loops = has_loops(d, symbol), looked = !why && !equal && !d->o->no_refine && (loops || calls_outside(d, symbol)), found = looked && find_witness(&x, f);
	if (looked && !found) { /* small functions are equal at once, if they are; a search of inputs would take all its time */
		give_time(&x, QUICK);
		equal = !evaluate_exactly(&x) && diff_pair_is_equal(&x);
	}
	if (looked && !found && !equal)
		found = diff_probe_find(&x, f, seconds_of(d, PROBE));
	if (looked && !found && !equal) {
		give_time(&x, DIRECT);
		found = diff_direct_find(&x, f);
	}
	give_time(&x, 1 - (s->callees ? PROOF : 0) - (loops ? PROOF : 0) - (looked ? STUBS : 0)); /* what is left */
	if (found)
		diff_pair_limit(&x, SETS, DIFF_WAITS);
	if (!why && !equal) {
		why = evaluate_exactly(&x);
		equal = !why && diff_pair_is_equal(&x);
	}
	if (equal) {
		set_equal(d, f, symbol);
	} else if (why) {
		f->verdict = f->cases.size ? DIFF_CHANGED : DIFF_MAY;
		f->why = strdup(why);
	} else {
		diff_describe_pair(&x, f);
	}
	if (!equal && !looked && !f->complete && !f->cases.size && !d->o->no_refine) {
		give_time(&x, DIRECT);
		if (diff_direct_find(&x, f))
			f->verdict = DIFF_CHANGED;
	}
	pair_done(&x);
	f->seconds = deadline_clock() - start;
}

/* ------------------------------------------------------------ components */

static int may_be_called_back(const struct differ *d, uint32_t symbol)
{
	if (!differ_taken_changed(d))
		return 0;
	uint8_t *seen = mem_zalloc(d->whole[OLD]->symbols.size + 1);
	int some = reaches_back(d, symbol, seen);
	free(seen);
	return some;
}

/* Nothing in it was modified, nor the type of its result, nor what functions outside may call meanwhile. */
static int is_unmodified(const struct differ *d, uint32_t symbol, unsigned classes)
{
	uint32_t now = d->m->to_new[symbol];
	return !(d->m->classes[symbol] & classes) && diff_pair_same_sign(d->whole[OLD]->symbols.data[symbol].function, d->whole[NEW]->symbols.data[now].function) &&
	       !may_be_called_back(d, symbol);
}

/* Can the pair be proved equal if its whole component is? */
static int equal_in_component(struct differ *d, uint32_t symbol)
{
	struct diff_pair x;
	pair_init(&x, d, symbol);
	give_time(&x, 2 * PROOF);
	int equal = !diff_pair_evaluate(&x, 1, 6) && diff_pair_is_equal(&x);
	if (!equal && has_loops(d, symbol))
		equal = !diff_pair_evaluate(&x, 1, DIFF_CUT) && diff_lockstep_proves(&x);
	pair_done(&x);
	return equal;
}

static int callees_equal(const struct differ *d, uint32_t symbol)
{
	const struct whole *w = d->whole[OLD];
	const struct whole_symbol *s = &w->symbols.data[symbol];
	for (uint32_t i = 0; i < s->callees; i++) {
		uint32_t callee = w->callees.data[s->first_callee + i];
		if (w->symbols.data[callee].function && callee != symbol && !d->equal[callee])
			return 0;
	}
	return 1;
}

static void analyse_component(struct differ *d, struct diff_function *functions, const uint32_t *symbols, size_t count, const uint8_t *wanted)
{
	const struct whole_symbol *first = &d->whole[OLD]->symbols.data[symbols[0]];
	int equal = first->recursive;
	double start = deadline_clock();
	d->component = first->component;
	for (int modified = 1; modified >= 0; modified--) /* where it may fail comes first */
		for (size_t i = 0; i < count && equal; i++)
			if (!(d->m->classes[symbols[i]] & MATCH_M) == !modified)
				equal = equal_in_component(d, symbols[i]);
	d->component = CODE_NONE;
	double together = deadline_clock() - start;
	for (size_t i = 0; i < count; i++) {
		if (equal)
			set_equal(d, &functions[i], symbols[i]);
		else if (is_unmodified(d, symbols[i], MATCH_M) && count == 1 && !first->recursive && callees_equal(d, symbols[i]))
			set_equal(d, &functions[i], symbols[i]);
		else if (wanted[symbols[i]])
			analyse(d, &functions[i], symbols[i]);
		functions[i].seconds += together;
	}
}

/* ------------------------------------------------------------ the program */

struct order {
	uint32_t symbol, component;
};

static int by_component(const void *a, const void *b)
{
	const struct order *x = a, *y = b;
	if (x->component != y->component)
		return x->component < y->component ? -1 : 1;
	return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

static struct diff_function about(const struct differ *d, int which, uint32_t symbol)
{
	const struct whole_symbol *s = &d->whole[which]->symbols.data[symbol];
	const char *file = s->function->file;
	struct diff_function f = {.file = file && *file ? file : d->whole[which]->units.data[s->unit].name, .line = s->function->line};
	if (which == OLD)
		f.name = s->name;
	else
		f.now = s->name;
	return f;
}

/* Marks what the function reaches. */
static void reach(const struct whole *w, uint32_t symbol, uint8_t *wanted)
{
	const struct whole_symbol *s = &w->symbols.data[symbol];
	if (wanted[symbol])
		return;
	wanted[symbol] = 1;
	for (uint32_t i = 0; i < s->callees; i++)
		reach(w, w->callees.data[s->first_callee + i], wanted);
}

/* Of the last component, what nobody asked for. */
static void drop_unwanted(struct diff *out, size_t first, const uint32_t *symbols, const uint8_t *wanted)
{
	size_t kept = first;
	for (size_t i = first; i < out->functions.size; i++)
		if (wanted[symbols[i - first]])
			out->functions.data[kept++] = out->functions.data[i];
		else
			free(out->functions.data[i].unchanged);
	out->functions.size = kept;
}

/* Functions outside may call back those whose address is taken, so these and all that they call are like one component with them: taken for equal as a whole, which is then proved of each that was modified. */
static void prove_called_back(struct differ *d, const uint8_t *early)
{
	const struct whole *w = d->whole[OLD];
	unsigned modified = 0;
	int equal = differ_taken_changed(d) && !d->o->no_refine;
	for (uint32_t i = 0; i < w->symbols.size && equal; i++)
		if (early[i] && w->symbols.data[i].function && w->symbols.data[i].function->defined) {
			modified += d->m->functions[i] && d->m->classes[i] & MATCH_M;
			equal = d->m->functions[i] != NULL && modified <= TOGETHER;
		}
	for (uint32_t i = 0; i < w->symbols.size && equal; i++)
		d->equal[i] = early[i] && d->m->functions[i];
	for (int proofs = 0; proofs < 2; proofs++) /* what costs nothing comes first */
		for (uint32_t i = 0; i < w->symbols.size && equal; i++)
			if (d->equal[i] && !(d->m->classes[i] & MATCH_M) == !proofs)
				equal = proofs ? equal_in_component(d, i) : is_unmodified(d, i, MATCH_M) && callees_equal(d, i);
	for (uint32_t i = 0; i < w->symbols.size && !equal; i++)
		d->equal[i] = 0;
}

static void all_pairs(struct differ *d, struct diff *out, const uint8_t *wanted)
{
	VEC(struct order) list = {0};
	VEC(uint32_t) symbols = {0};
	double began = deadline_clock();
	uint8_t *early = mem_zalloc(d->whole[OLD]->symbols.size + 1); /* what functions outside may call back, and what that reaches: callers want to know of it */
	for (uint32_t i = 0; i < d->whole[OLD]->symbols.size; i++)
		if (d->whole[OLD]->symbols.data[i].function && d->whole[OLD]->symbols.data[i].taken && d->m->classes[i] & (MATCH_M | MATCH_IM))
			reach(d->whole[OLD], i, early);
	prove_called_back(d, early);
	for (uint32_t i = 0; i < d->whole[OLD]->symbols.size; i++)
		if (d->m->functions[i])
			vec_push(&list, (struct order){i, d->whole[OLD]->symbols.data[i].component | (early[i] ? 0 : 1u << 31)});
	free(early);
	if (list.size)
		qsort(list.data, list.size, sizeof *list.data, by_component);
	for (size_t i = 0; i < list.size;) {
		size_t first = out->functions.size, end = i;
		int clean = 1, proved = 1, some = 0;
		vec_clear(&symbols);
		for (; end < list.size && list.data[end].component == list.data[i].component; end++) {
			uint32_t symbol = list.data[end].symbol;
			struct diff_function f = about(d, OLD, symbol);
			f.now = d->whole[NEW]->symbols.data[d->m->to_new[symbol]].name;
			f.modified = (d->m->classes[symbol] & MATCH_M) != 0;
			clean &= is_unmodified(d, symbol, MATCH_M | MATCH_IM);
			proved &= d->equal[symbol];
			some |= wanted[symbol];
			vec_push(&symbols, symbol);
			vec_push(&out->functions, f);
		}
		i = end;
		clean |= proved;
		for (size_t k = 0; k < symbols.size && clean; k++)
			set_equal(d, &out->functions.data[first + k], symbols.data[k]);
		if (!some || clean) { /* others want to know whether they are equal, if that costs nothing */
			drop_unwanted(out, first, symbols.data, wanted);
			continue;
		}
		if (deadline_over() || (d->o->total > 0 && deadline_clock() - began > d->o->total)) {
			out->interrupted = 1;
			for (size_t k = 0; k < symbols.size; k++) {
				out->functions.data[first + k].verdict = DIFF_MAY;
				out->functions.data[first + k].why = strdup("the time was over");
			}
			continue;
		}
		analyse_component(d, &out->functions.data[first], symbols.data, symbols.size, wanted);
		drop_unwanted(out, first, symbols.data, wanted);
	}
	vec_release(&list);
	vec_release(&symbols);
}

static int is_library(const struct whole_symbol *s)
{
	return !strncmp(s->name, LIBRARY_PREFIX, strlen(LIBRARY_PREFIX));
}

static void added_and_removed(struct differ *d, struct diff *out)
{
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < d->whole[k]->symbols.size; i++) {
			const struct whole_symbol *s = &d->whole[k]->symbols.data[i];
			if (!s->function || !s->function->defined || is_library(s) || (k == OLD ? d->m->functions[i] != NULL : d->m->to_old[i] != CODE_NONE && d->m->functions[d->m->to_old[i]]))
				continue;
			struct diff_function f = about(d, k, i);
			f.verdict = k == OLD ? DIFF_REMOVED : DIFF_ADDED;
			f.complete = 1;
			vec_push(&out->functions, f);
		}
}

static void changed_data(struct differ *d, struct diff *out)
{
	for (uint32_t i = 0; i < d->whole[OLD]->symbols.size; i++) {
		const struct whole_symbol *s = &d->whole[OLD]->symbols.data[i];
		if (s->kind == WHOLE_DATA && d->m->changed[i] && d->m->to_new[i] != CODE_NONE && s->name[0] != '.')
			vec_push(&out->data, strdup(s->name));
	}
}

static int find_wanted(const struct differ *d, uint8_t *wanted)
{
	const struct whole *w = d->whole[OLD];
	if (!d->o->function) {
		for (uint32_t i = 0; i < w->symbols.size; i++)
			wanted[i] = (!d->o->modified || d->m->classes[i] & MATCH_M) && !is_library(&w->symbols.data[i]);
		return 0;
	}
	uint32_t symbol = whole_find_any(w, d->o->function);
	if (symbol == CODE_NONE || !d->m->functions[symbol])
		return error_set("there is no function '%s' in both versions", d->o->function);
	reach(w, symbol, wanted);
	return 0;
}

/* Copies of memory that may not overlap (memcpy, and of structures). */
static unsigned copies(const struct whole *w, uint32_t symbol)
{
	const struct code_function *f = symbol == CODE_NONE ? NULL : w->symbols.data[symbol].function;
	unsigned count = 0;
	for (uint32_t v = f ? f->first_instruction : 0; f && v < f->first_instruction + f->instructions; v++)
		count += f->values[v].op == CODE_MOVE && f->values[v].flags & CODE_APART;
	return count;
}

static int copies_changed(const struct differ *d)
{
	int changed = 0;
	for (uint32_t s = 0; s < d->whole[OLD]->symbols.size && !changed; s++)
		changed = copies(d->whole[OLD], s) != copies(d->whole[NEW], d->m->to_new[s]);
	for (uint32_t s = 0; s < d->whole[NEW]->symbols.size && !changed; s++)
		changed = d->m->to_old[s] == CODE_NONE && copies(d->whole[NEW], s);
	return changed;
}

static void differ_init(struct differ *d, const struct whole *old, const struct whole *new, const struct diff_options *o)
{
	*d = (struct differ){.o = o, .whole = {old, new}, .component = CODE_NONE, .m = match_new(old, new), .equal = mem_zalloc(old->symbols.size + 1), .unchanged = mem_zalloc((old->symbols.size + 1) * sizeof(struct buf))};
	for (int k = 0; k < 2; k++)
		index_symbols(d, k);
	d->witnesses = diff_witnesses_new(d);
	d->apart = copies_changed(d);
}

/* All but the matching. */
static void differ_release(struct differ *d)
{
	diff_witnesses_free(d->witnesses);
	for (int k = 0; k < 2; k++) {
		map_release(&d->symbol_of[k]);
		strmap_release(&d->data_of[k]);
	}
	free(d->equal);
	for (size_t i = 0; i < d->whole[OLD]->symbols.size; i++)
		buf_release(&d->unchanged[i]);
	free(d->unchanged);
}

int diff_replay(const struct whole *old, const struct whole *new, const struct diff_options *o, const char *run, struct diff_case *out)
{
	struct differ d;
	struct diff_pair x;
	char *name = strndup(run, strcspn(run, "("));
	uint32_t symbol;
	int e;
	differ_init(&d, old, new, o);
	symbol = whole_find_any(old, name);
	*out = (struct diff_case){0};
	if (symbol == CODE_NONE || !d.m->functions[symbol]) {
		e = error_set("there is no function '%s' in both versions", name);
	} else {
		pair_init(&x, &d, symbol);
		e = diff_witness_replay(&x, run, out);
		pair_done(&x);
	}
	differ_release(&d);
	match_free(d.m);
	free(name);
	return e;
}

struct diff *diff_run(const struct whole *old, const struct whole *new, const struct diff_options *o)
{
	struct differ d;
	struct diff *out = mem_zalloc(sizeof *out);
	uint8_t *wanted = mem_zalloc(old->symbols.size + 1);
	differ_init(&d, old, new, o);
	out->match = d.m;
	int e = find_wanted(&d, wanted);
	if (!e) {
		all_pairs(&d, out, wanted);
		if (!o->function) {
			added_and_removed(&d, out);
			changed_data(&d, out);
		}
	}
	differ_release(&d);
	free(wanted);
	if (e) {
		diff_free(out);
		return NULL;
	}
	return out;
}

void diff_free(struct diff *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->functions.size; i++) {
		struct diff_function *f = &d->functions.data[i];
		diff_describe_drop_cases(f, f->cases.size);
		vec_release(&f->cases);
		free(f->changed);
		free(f->termination);
		free(f->unchanged);
		free(f->undefined);
		free(f->given);
		free(f->why);
	}
	vec_release(&d->functions);
	for (size_t i = 0; i < d->data.size; i++)
		free(d->data.data[i]);
	vec_release(&d->data);
	match_free(d->match);
	free(d);
}
