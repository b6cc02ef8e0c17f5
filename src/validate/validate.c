/* validate.c: the pipeline of phases for one summary.
 *
 * Where code may read a local that has no value, the normal form has the value that it has on other paths. Phases 2 and 3 of a function that may do so, or that leads to one that may, look at both versions in the
 * form in which such a local has a value of its own (whole_unset), and take another one at each use: what is proved holds whatever is read.
 *
 * Each phase is sound by itself, so their order is a matter of cost. Formulas are evaluated in a pool of their own, which is freed with the summary: what one costs does not depend on how many came before.
 */
#include "validate/inside.h"

#include "base/deadline.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define WAITS 4   /* times its processor time that a summary may take by the clock: Z3, other programs */
#define QUERIES 4 /* a query may have this part of a summary's time */
#define SECONDS 2.0 /* of processor time for a summary, by default */

#define UNSET "a local may be read that has no value"

/* By symbol of a version: what is known of the functions that it leads to. */
enum { UNSET_ASKED = 1, UNSET_NONE, UNSET_SOME };

struct validation {
	struct validate_options o;
	uint8_t *unset[2]; /* of the old version, of the new one */
	struct validation *form; /* of the versions in the other form; NULL: there is none yet */
	int no_form;
	struct match *m;
	struct impact impact;
	struct solver *solver;
	struct arena words; /* reasons of summaries that were not proved */
};

const char *validate_verdict_key(enum validate_verdict v)
{
	static const char *const keys[] = {
#define X(name, key) key,
	    VALIDATE_VERDICTS(X)
#undef X
	};
	return keys[v];
}

struct validation *validation_new(const struct whole *old, const struct whole *new, const struct validate_options *o)
{
	struct validation *v = mem_zalloc(sizeof *v);
	v->o = *o;
	if (!v->o.order[0])
		memcpy(v->o.order, (uint8_t[]){1, 2, 3}, sizeof v->o.order);
	v->o.seconds = v->o.seconds > 0 ? v->o.seconds : SECONDS;
	v->m = match_new(old, new);
	impact_init(&v->impact, v->m, &v->o);
	struct solve_options so = {.conflicts = 20000, .no_cache = 1, .seconds = v->o.seconds / QUERIES};
	v->solver = solver_new(&so);
	return v;
}

void validation_free(struct validation *v)
{
	if (!v)
		return;
	validation_free(v->form);
	impact_release(&v->impact);
	free(v->unset[0]);
	free(v->unset[1]);
	solver_free(v->solver);
	match_free(v->m);
	arena_release(&v->words);
	free(v);
}

const struct match *validation_match(const struct validation *v)
{
	return v->m;
}

static void forget_state(struct validate_result *r)
{
	for (size_t i = 0; i < r->memory.size; i++) {
		free(r->memory.data[i].base);
		free(r->memory.data[i].bytes);
	}
	vec_clear(&r->memory);
	vec_clear(&r->state);
}

void validate_result_release(struct validate_result *r)
{
	free(r->why);
	free(r->needs);
	forget_state(r);
	vec_release(&r->state);
	vec_release(&r->memory);
}

/* ------------------------------------------------------------ places in the new version */

static uint64_t data_bytes(const struct whole *w, uint32_t symbol)
{
	const struct whole_symbol *s = &w->symbols.data[symbol];
	return s->unit == CODE_NONE ? 0 : w->units.data[s->unit].content->symbols[s->number].bytes;
}

/* A variable of the program that the summary names is the same one, of the same size, in the new version. */
static const char *check_global(const struct validation *v, const struct place *pl)
{
	char name[256];
	const char *plus = memchr(pl->path, '+', pl->path_size), *star = memchr(pl->path, '*', pl->path_size);
	const char *end = pl->path + pl->path_size;
	end = plus && plus < end ? plus : end;
	end = star && star < end ? star : end;
	size_t size = (size_t)(end - pl->path) - 1;
	if (size >= sizeof name)
		return "a name is too long";
	memcpy(name, pl->path + 1, size);
	name[size] = 0;
	uint32_t old = whole_find_any(v->m->old, name), new = old == CODE_NONE ? CODE_NONE : v->m->to_new[old];
	if (new == CODE_NONE || strcmp(v->m->new->symbols.data[new].name, name) || data_bytes(v->m->old, old) != data_bytes(v->m->new, new))
		return "a variable of the summary is not there, or is another one";
	return NULL;
}

/* Its bytes are the member of the same name. */
static const char *check_members(const struct code_function *old, const struct code_function *new, const struct place *pl)
{
	struct buf was = BUF_EMPTY, is = BUF_EMPTY;
	bind_names(old, pl, &was);
	bind_names(new, pl, &is);
	int same = !strcmp(buf_str(&was), buf_str(&is));
	buf_release(&was);
	buf_release(&is);
	return same ? NULL : "a place of the summary is another member now";
}

/* What the code casts a pointer to has the members that it had. */
static const char *check_cast(const struct code_function *old, const struct code_function *new, const struct place *pl)
{
	uint32_t type = bind_type(old, pl), base = type != CODE_NONE && old->code->types[type].kind == CODE_TYPE_POINTER ? old->code->types[type].base : CODE_NONE;
	if (pl->type != PLACE_POINTER || !pl->size || (base != CODE_NONE && old->code->types[base].bytes == pl->size))
		return NULL;
	return bind_same_layouts(old->code, new->code, pl->size) ? NULL : "a place of the summary is another member now";
}

/* As far as callers can see: widths of parameters and result. */
int validate_same_signature(const struct code_function *f, const struct code_function *g)
{
	if (f->parameters != g->parameters || f->variadic != g->variadic || f->result_width != g->result_width)
		return 0;
	for (uint32_t i = 0; i < f->parameters; i++)
		if (f->values[i].width != g->values[i].width || f->values[i].is_pointer != g->values[i].is_pointer || (f->values[i].flags ^ g->values[i].flags) & CODE_BYVAL)
			return 0;
	return 1;
}

static const char *check_places(const struct validation *v, uint32_t symbol, struct summaries *l, const struct summary *s)
{
	uint32_t now = v->m->to_new[symbol];
	const struct code_function *old = v->m->old->symbols.data[symbol].function, *new = now == CODE_NONE ? NULL : v->m->new->symbols.data[now].function;
	const char *why = !new ? "the new version does not have the function" : validate_same_signature(old, new) ? NULL : "the function has other parameters or another result";
	for (int post = 0; post < 2; post++)
		for (size_t i = 0; i < (post ? s->post.size : s->pre.size) && !why; i++) {
			uint32_t count;
			const expr_t *vars = expr_vars(l->pool, post ? s->post.data[i] : s->pre.data[i], &count);
			for (uint32_t k = 0; k < count && !why; k++) {
				struct place pl;
				if (!place_of(l->pool, vars[k], &pl))
					why = "the summary names something that is no place";
				else if (pl.path_size && pl.path[0] == 'c') /* of the function that it ends in: across.c */
					continue;
				else if (pl.path_size && pl.path[0] == 'g')
					why = check_global(v, &pl);
				if (!why && pl.path_size && pl.path[0] == 's' && memchr(pl.path, '*', pl.path_size))
					why = "a place of the summary is behind a value that no variable holds";
				if (!why && pl.path_size)
					why = check_members(old, new, &pl);
				if (!why && pl.path_size)
					why = check_cast(old, new, &pl);
			}
		}
	return why;
}

/* ------------------------------------------------------------ phases */

/* A copy in a pool of its own. */
static int copy(const struct summaries *l, const struct summary *s, struct summaries *to)
{
	struct buf bytes = BUF_EMPTY;
	struct summary x = {.function = s->function, .kind = s->kind, .lp = s->lp, .lq = s->lq, .end_function = s->end_function, .why = s->why};
	summary_write(l->pool, s, &bytes);
	summaries_init(to);
	int e = summary_read(to, bytes.data, bytes.size, &x);
	buf_release(&bytes);
	if (e)
		summary_release(&x);
	else
		vec_push(&to->all, x);
	return e;
}

/* Values are of the copy's variables: those of the summary's list have the same names. */
static void translate(struct validate_result *out, const struct summaries *from, struct summaries *to)
{
	struct expr_import memo = {0};
	if (out->missing != EXPR_NONE)
		out->missing = expr_import(to->pool, from->pool, out->missing, &memo);
	expr_import_release(&memo);
	for (size_t i = 0; i < out->state.size; i++) {
		expr_t v = out->state.data[i].variable;
		out->state.data[i].variable = expr_named(to->pool, expr_width(from->pool, v), expr_name(from->pool, v));
	}
}

/* The last resort of summaries that Phase 2 is asked for, in a copy of their own. */
static int run_beside(struct validation *v, uint32_t symbol, const struct summaries *l, const struct summary *s, const struct phase_budget *budget)
{
	struct summaries own;
	int ok = !copy(l, s, &own) && phase_beside(&v->impact, symbol, &own, &own.all.data[0], budget);
	summaries_release(&own);
	return ok;
}

static int run_segment(struct validation *v, unsigned phase, uint32_t symbol, struct summaries *own, const struct phase_budget *budget, const char **why)
{
	struct segment_part part;
	int ok = 0;
	*why = segment_part_open(&part, &v->impact, symbol, own, &own->all.data[0]);
	if (!*why)
		ok = (phase == 2 ? phase_2_segment : phase_3_segment)(&part, own, &own->all.data[0], budget, why);
	segment_part_release(&part);
	return ok;
}

static int run_phase(struct validation *v, unsigned phase, uint32_t symbol, struct summaries *l, const struct summary *s, const struct phase_budget *budget, const char **why, struct validate_result *out)
{
	struct summaries own;
	int ok = 0;
	if (phase == 1) {
		*why = s->end_function ? across_impact(&v->impact, symbol, l, s) : s->kind == SUMMARY_SEGMENT ? segment_impact(&v->impact, symbol, l, s) : impact_function(&v->impact, symbol);
		return !*why;
	}
	if (copy(l, s, &own)) {
		*why = "the summary cannot be read";
	} else if (s->end_function) {
		ok = across_phase(&v->impact, symbol, phase, &own, &own.all.data[0], budget, why);
	} else if (s->kind == SUMMARY_SEGMENT) {
		ok = run_segment(v, phase, symbol, &own, budget, why);
	} else if (phase == 2) {
		ok = phase_2(&v->impact, symbol, &own, &own.all.data[0], budget, why);
	} else {
		uint32_t now = v->m->to_new[symbol];
		const struct code_function *f = now == CODE_NONE ? NULL : v->m->new->symbols.data[now].function;
		if (f)
			ok = phase_3(f, v->m->old->symbols.data[symbol].function, &own, &own.all.data[0], budget, why, out);
		else
			*why = "the new version does not have the function";
		translate(out, &own, l);
	}
	summaries_release(&own);
	return ok;
}

/* Is it Q that is partial? Then it stays so, whatever P's states are proved to do. The words are those of summary/driven.c. */
static int misses_writes(const char *why)
{
	return strstr(why, "it leaves ") || strstr(why, "it frees ") || strstr(why, "it writes ");
}

/* Is R about what functions without a body return (stubs.c)? Both versions beside each other may show that it does not matter what they do. */
static int speaks_of_results(struct summaries *l, expr_t missing)
{
	uint32_t count;
	const expr_t *vars = expr_vars(l->pool, missing, &count);
	for (uint32_t i = 0; i < count; i++)
		if (expr_get(l->pool, vars[i])->op == EXPR_OP_NAMED && strstr(expr_name(l->pool, vars[i]), "()@"))
			return 1;
	return 0;
}

/* R as it is read: its conjuncts, without those that the others imply. */
static void say_missing(struct validation *v, struct summaries *l, struct validate_result *out)
{
	struct summary r = {0};
	struct buf text = BUF_EMPTY;
	vec_push(&r.pre, out->missing);
	if (summary_normalise(l, &r)) {
		summary_simplify(l, &r, v->solver);
		out->missing = expr_true(l->pool);
		for (size_t i = 0; i < r.pre.size; i++)
			out->missing = expr_and(l->pool, out->missing, r.pre.data[i]);
		summary_c(l, r.pre.data, r.pre.size, &text);
		out->needs = buf_take(&text);
	} else {
		out->missing = EXPR_NONE;
	}
	summary_release(&r);
}

/* What a run has there is chance, so none refutes the summary. */
static void say_unset(struct validate_result *out)
{
	char *against = out->why && strcmp(out->why, UNSET) ? out->why : NULL;
	char *text = against ? mem_printf("%s: %s", UNSET, against) : mem_strdup(UNSET);
	free(out->why);
	out->why = text;
	out->elsewhere = 1;
}

/* May the function, or one that it leads to, read a local without a value? mem2reg takes it for the value that it has on other paths, and so would a proof about this code. Each function is asked once, and
 * one that is being asked leads back to what is asked already. */
static int reads_unset(struct validation *v, int version, uint32_t symbol)
{
	const struct whole *w = version ? v->m->new : v->m->old;
	VEC(uint32_t) todo = {0};
	int found = 0;
	if (!v->unset[version])
		v->unset[version] = mem_zalloc(w->symbols.size + 1);
	uint8_t *known = v->unset[version];
	VEC(uint32_t) asked = {0};
	vec_push(&todo, symbol);
	while (todo.size && !found) {
		uint32_t at = todo.data[--todo.size];
		const struct whole_symbol *s = &w->symbols.data[at];
		if (known[at] == UNSET_ASKED || known[at] == UNSET_NONE)
			continue;
		found = known[at] == UNSET_SOME || whole_reads_unset(w, at);
		known[at] = UNSET_ASKED;
		vec_push(&asked, at);
		for (uint32_t i = 0; i < s->callees; i++)
			vec_push(&todo, w->callees.data[s->first_callee + i]);
	}
	for (size_t i = 0; i < asked.size; i++) /* all that one without leads to is without; of the others only the first is known to lead there */
		known[asked.data[i]] = found ? 0 : UNSET_NONE;
	if (found)
		known[symbol] = UNSET_SOME;
	vec_release(&asked);
	vec_release(&todo);
	return found;
}

/* Phase 1 speaks of no code. */
static int is_of_unset(struct validation *v, uint32_t symbol, unsigned phase)
{
	uint32_t now = v->m->to_new[symbol];
	return phase != 1 && ((phase == 2 && reads_unset(v, 0, symbol)) || (now != CODE_NONE && reads_unset(v, 1, now)));
}

static struct validation *unset_form(struct validation *v)
{
	const struct whole *old = v->form || v->no_form ? NULL : whole_unset(v->m->old), *new = old ? whole_unset(v->m->new) : NULL;
	if (new)
		v->form = validation_new(old, new, &v->o);
	v->no_form = !v->form;
	return v->form;
}

/* The versions in the form that the phase may look at; NULL: in none. The positions that segments are about are those of the normal form. */
static struct validation *form_for(struct validation *v, uint32_t symbol, unsigned phase, const struct summary *s)
{
	if (!is_of_unset(v, symbol, phase))
		return v;
	return s->kind == SUMMARY_FUNCTION && !s->end_function ? unset_form(v) : NULL;
}

void validate_summary(struct validation *v, struct summaries *l, const struct summary *s, struct validate_result *out)
{
	double start = deadline_processor();
	uint32_t symbol = whole_find_any(v->m->old, s->function);
	struct phase_budget budget = {v->solver, start + v->o.seconds, deadline_clock() + WAITS * v->o.seconds, &v->words, &v->o};
	const char *why = NULL;
	memset(out, 0, sizeof *out);
	if (symbol == CODE_NONE || !v->m->old->symbols.data[symbol].function)
		why = "the old version does not have the function";
	else
		why = check_places(v, symbol, l, s);
	for (unsigned i = 0; i < VALIDATE_PHASES && v->o.order[i] && !why && !out->verdict; i++) {
		const char *against = NULL;
		unsigned phase = v->o.order[i];
		struct validation *form = form_for(v, symbol, phase, s);
		forget_state(out);
		if (form ? run_phase(form, phase, symbol, l, s, &budget, &against, out) : (against = UNSET, 0)) {
			out->verdict = VALIDATE_VALID;
			out->phase = phase;
			out->partial = s->why && (phase != 3 || misses_writes(s->why) || out->rests);
		} else {
			free(out->why);
			out->why = against ? mem_strdup(against) : NULL;
		}
	}
	if (!why && !out->verdict && (out->missing == EXPR_NONE || s->called || speaks_of_results(l, out->missing)) && s->kind == SUMMARY_FUNCTION && memchr(v->o.order, 2, VALIDATE_PHASES)) {
		struct validation *form = form_for(v, symbol, 2, s);
		if (form && run_beside(form, symbol, l, s, &budget)) {
			out->verdict = VALIDATE_VALID;
			out->phase = 2;
			out->partial = s->why != NULL;
		}
	}
	out->elsewhere = why != NULL;
	if (why)
		out->why = mem_strdup(why);
	else if (!out->verdict && out->missing == EXPR_NONE && is_of_unset(v, symbol, 3))
		say_unset(out);
	if (out->verdict == VALIDATE_VALID) {
		free(out->why);
		out->why = NULL;
		out->missing = EXPR_NONE;
		forget_state(out);
	}
	if (out->missing != EXPR_NONE)
		say_missing(v, l, out);
	out->seconds = deadline_processor() - start;
}
