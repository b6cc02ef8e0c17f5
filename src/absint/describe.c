/* describe.c: facts of the analysis in the words of the source.
 *
 * For a point the SSA values that the visible variables have there are looked up (code_names.c of ir), each value is asked for once, in the reading of its
 * variable's type, and the answer is printed with the variables' names. Two variables with one value, and variables with constants, are
 * equations of their own: they need no question.
 *
 * Invariant: every name in a text means, at the point and in C, the symbol whose dimension it stands for. So a variable without a certain value, or
 * one that another hides, is not named.
 */
#include "absint/describe.h"

#include "absint/text.h"
#include "base/mem.h"
#include "ir/code.h"

#include <stdlib.h>
#include <string.h>

#define WANTED_MAX 40 /* what a person can look at, and projections can bear */

struct describe {
	struct absint *a;
	const struct code_function *f;
	struct code_names *names;
	uint32_t *of_parameter; /* parameter -> its variable */
	VEC(uint32_t) globals;	/* that the function uses, and its statics */
	int all;
};

/* One answer while it is made: dimensions and their names. */
struct wording {
	struct describe *d;
	struct absint_point p;
	uint32_t scope, line;
	VEC(struct absint_symbol) wanted;
	VEC(struct text_name) names; /* beside wanted; then names that are only in `more` */
	linear_list more;
};

static uint32_t scope_of_function(const struct code_function *f)
{
	for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++)
		if (f->values[v].scope != CODE_NONE)
			return code_outermost(f->code, f->values[v].scope);
	return CODE_NONE;
}

static void list_globals(struct describe *d)
{
	const struct code *c = d->f->code;
	uint32_t own = scope_of_function(d->f);
	uint8_t *used = mem_zalloc(c->global_count + 1);

	for (uint32_t v = 0; v < d->f->value_count; v++)
		if (d->f->values[v].kind == CODE_ADDRESS)
			used[d->f->values[v].index] = 1;
	for (uint32_t g = 0; g < c->global_count; g++)
		if (c->global_variables[g].name &&
		    (used[g] || (own != CODE_NONE && code_outermost(c, c->global_variables[g].scope) == own)))
			vec_push(&d->globals, g);
	free(used);
}

struct describe *describe_new(struct absint *a, const struct code_function *f, int all)
{
	struct describe *d = mem_zalloc(sizeof *d);

	d->a = a;
	d->f = f;
	d->all = all;
	d->names = code_names_new(f);
	d->of_parameter = mem_alloc((f->parameters + 1) * sizeof *d->of_parameter);
	memset(d->of_parameter, 0xff, (f->parameters + 1) * sizeof *d->of_parameter);
	for (uint32_t v = 0; v < f->variable_count; v++)
		if (f->variables[v].parameter < f->parameters)
			d->of_parameter[f->variables[v].parameter] = v;
	list_globals(d);
	return d;
}

void describe_free(struct describe *d)
{
	if (!d)
		return;
	code_names_free(d->names);
	free(d->of_parameter);
	vec_release(&d->globals);
	free(d);
}

static void counter_words(const struct describe *d, uint32_t loop, const char *word, struct buf *out)
{
	const struct code_loop *l = &d->f->loops[loop];
	unsigned place = 1;

	for (uint32_t k = 0; k < d->f->loop_count; k++) {
		const struct code_loop *o = &d->f->loops[k];

		if (k != loop && o->line == l->line &&
		    (o->column < l->column || (o->column == l->column && o->header < l->header))) /* of a macro: blocks are in its order */
			place++;
	}
	buf_addf(out, place > 1 ? "%s(%u, %u)" : "%s(%u)", word, l->line, place);
}

/* ------------------------------------------------------------ names and types */
/* The scope of a point: that of the instruction that ends its block, or of one before it. */
static uint32_t scope_of(const struct code_function *f, uint32_t block)
{
	const struct code_block *b = &f->blocks[block];

	for (uint32_t k = b->count; k-- > 0;)
		if (f->values[b->first + k].scope != CODE_NONE)
			return f->values[b->first + k].scope;
	return CODE_NONE;
}

static int is_available(const struct wording *w, uint32_t value)
{
	const struct code_function *f = w->d->f;
	const struct code_value *v = &f->values[value];

	if (v->kind != CODE_INSTRUCTION)
		return v->kind == CODE_PARAMETER;
	/* At an edge everything of its block is there. */
	if (w->p.successor != ABSINT_ENTRY && v->block == w->p.block)
		return 1;
	return code_available(f, value, w->p.block);
}

static const struct code_type *integer_type(const struct code_function *f, uint32_t type)
{
	const struct code_type *t = type == CODE_NONE ? NULL : &f->code->types[type];

	return t && t->kind == CODE_TYPE_INT && t->bytes <= 8 ? t : NULL;
}

/* May the name be that of a global or static of the function, but for this one? Which of them it means hangs on blocks that no debug
 * information tells apart (`extern int n;` in one of them), so none is named by it. */
static int is_shared(const struct wording *w, const char *name, size_t length, uint32_t but)
{
	const struct describe *d = w->d;

	for (size_t i = 0; i < d->globals.size; i++) {
		const char *other = d->f->code->global_variables[d->globals.data[i]].name;

		if (d->globals.data[i] != but && strlen(other) == length && !memcmp(other, name, length))
			return 1;
	}
	return 0;
}

/* May a global's name stand at the point for it? */
static int is_global_named(const struct wording *w, const char *text, uint32_t root)
{
	const struct code_function *f = w->d->f;
	const struct code_variable *g;
	uint32_t scope = w->scope;
	size_t n = 0;

	if (f->values[root].kind != CODE_ADDRESS)
		return 0;
	g = &f->code->global_variables[f->values[root].index];
	while (text[n] == '*' || text[n] == '(')
		text++;
	while (text[n] == '_' || (text[n] >= '0' && text[n] <= '9') || ((text[n] | 32) >= 'a' && (text[n] | 32) <= 'z'))
		n++;
	if (code_hides(f, text, n, w->scope) || is_shared(w, text, n, f->values[root].index))
		return 0;
	if (g->scope == CODE_NONE)
		return 1;
	while (scope != CODE_NONE && scope != g->scope)
		scope = f->code->scopes[scope].parent;
	return scope != CODE_NONE && (!w->line || g->line <= w->line);
}

/* A variable's name means it at the point, and has a meaning in C (clang has names of its own for the sizes of arrays). */
static int is_named(const struct wording *w, uint32_t variable)
{
	const char *name = w->d->f->variables[variable].name;

	return *name && strncmp(name, "__vla_expr", 10) != 0 && code_visible(w->d->f, variable, w->scope, w->line) &&
	       !is_shared(w, name, strlen(name), CODE_NONE);
}

/* ------------------------------------------------------------- dimensions */
static void add_name(struct wording *w, char *text, unsigned bits, int is_signed)
{
	vec_push(&w->names, (struct text_name){text, bits, is_signed});
}

static void add_wanted(struct wording *w, struct absint_symbol s, char *text)
{
	vec_push(&w->wanted, s);
	add_name(w, text, s.width, s.is_signed);
}

static int has_value(const struct wording *w, uint32_t value, int is_signed, uint32_t *dim)
{
	for (*dim = 0; *dim < w->wanted.size; ++*dim) {
		const struct absint_symbol *s = &w->wanted.data[*dim];

		if (s->kind == ABSINT_VALUE && s->id == value && s->is_signed == is_signed)
			return 1;
	}
	return 0;
}

static uint32_t value_here(const struct wording *w, uint32_t variable)
{
	if (w->p.successor == ABSINT_ENTRY)
		return code_names_value(w->d->names, w->p.block, variable);
	return code_names_before(w->d->names, code_last(w->d->f, w->p.block), variable);
}

/* A variable whose name may stand at the point, with the value it has there; NULL if it may not. */
static const struct code_type *named(const struct wording *w, uint32_t variable, uint32_t *value)
{
	const struct code_function *f = w->d->f;
	const struct code_variable *x = &f->variables[variable];
	const struct code_type *t = integer_type(f, x->type);

	if (!t || x->home != CODE_NONE || !is_named(w, variable))
		return NULL;
	*value = value_here(w, variable);
	if (*value == CODE_NONE || f->values[*value].width != t->bytes * 8 || f->values[*value].kind == CODE_UNDEF)
		return NULL;
	return t;
}

/* Variables that have the value of a parameter, or those that have another one. */
static void add_variables(struct wording *w, int parameters)
{
	const struct code_function *f = w->d->f;

	for (uint32_t k = 0; k < f->variable_count && w->wanted.size < WANTED_MAX; k++) {
		uint32_t value, dim;
		const struct code_type *t = named(w, k, &value);

		if (!t || (f->values[value].kind == CODE_PARAMETER) != parameters)
			continue;
		if (!is_available(w, value) || has_value(w, value, !t->is_unsigned, &dim))
			continue;
		add_wanted(w, (struct absint_symbol){ABSINT_VALUE, value, (unsigned)t->bytes * 8, !t->is_unsigned},
			   mem_strdup(f->variables[k].name));
	}
}

/* Once all dimensions are there: variables with constants, and those that share a value. */
static void add_equal(struct wording *w)
{
	const struct code_function *f = w->d->f;

	for (uint32_t k = 0; k < f->variable_count; k++) {
		uint32_t value, dim;
		const struct code_type *t = named(w, k, &value);
		struct linear fact = {0};

		if (!t)
			continue;
		const struct code_value *v = &f->values[value];

		if (v->kind == CODE_CONSTANT)
			fact.constant = t->is_unsigned ? -(wide)code_unsigned(v) : -code_signed(v);
		else if (!has_value(w, value, !t->is_unsigned, &dim) || !strcmp(w->names.data[dim].text, f->variables[k].name))
			continue;
		else
			linear_add_dim(&fact, dim, -1);
		fact.kind = LINEAR_EQ;
		linear_add_dim(&fact, (uint32_t)w->names.size, 1);
		vec_push(&w->more, fact);
		add_name(w, mem_strdup(f->variables[k].name), (unsigned)t->bytes * 8, !t->is_unsigned);
	}
}

/* What a parameter was, where no variable still has it. */
static void add_parameters(struct wording *w)
{
	const struct code_function *f = w->d->f;

	for (uint32_t p = 0; p < f->parameters && w->wanted.size < WANTED_MAX; p++) {
		uint32_t variable = w->d->of_parameter[p], dim;
		const struct code_type *t = variable == CODE_NONE ? NULL : integer_type(f, f->variables[variable].type);

		if (!t || f->values[p].width != t->bytes * 8 || has_value(w, p, !t->is_unsigned, &dim) ||
		    !is_named(w, variable))
			continue;
		add_wanted(w, (struct absint_symbol){ABSINT_VALUE, p, (unsigned)t->bytes * 8, !t->is_unsigned},
			   mem_printf("old(%s)", f->variables[variable].name));
	}
}

/* A loop that was not entered on every path here has no count; its total starts with the outermost loop around it. */
static void add_counters(struct wording *w)
{
	const struct code_function *f = w->d->f;

	for (uint32_t l = 0; l < f->loop_count && w->wanted.size < WANTED_MAX; l++) {
		struct buf text = BUF_EMPTY;
		uint32_t outer = l;

		while (f->loops[outer].parent != CODE_NONE)
			outer = f->loops[outer].parent;
		if (!f->loops[l].line || !code_dominates(f, f->loops[outer].header, w->p.block))
			continue;
		if (code_dominates(f, f->loops[l].header, w->p.block)) {
			counter_words(w->d, l, "iterations", &text);
			add_wanted(w, absint_counter(w->d->a, l), buf_take(&text));
		}
		if (outer != l && w->wanted.size < WANTED_MAX) {
			counter_words(w->d, l, "total", &text);
			add_wanted(w, absint_total(w->d->a, l), buf_take(&text));
		}
	}
}

/* Memory with a name: what is in it, or what was in it at the start. */
static void add_cells(struct wording *w, enum absint_kind kind)
{
	const struct code_function *f = w->d->f;
	const struct absint_symbol *symbols;
	size_t n = absint_symbols(w->d->a, &symbols);

	for (size_t i = 0; i < n && w->wanted.size < WANTED_MAX; i++) {
		const struct code_cell *c;
		struct absint_symbol s = symbols[i];

		if (s.kind != kind)
			continue;
		c = &f->cells[s.id];
		if (!c->name || !c->width || (kind == ABSINT_OLD_CELL && f->values[c->root].op == CODE_ALLOCA && f->values[c->root].kind == CODE_INSTRUCTION))
			continue;
		if (c->variable != CODE_NONE ? !is_named(w, c->variable) : !is_global_named(w, c->name, c->root))
			continue;
		s.width = c->width;
		s.is_signed = !c->is_unsigned;
		add_wanted(w, s, kind == ABSINT_OLD_CELL ? mem_printf("old(%s)", c->name) : mem_strdup(c->name));
	}
}

void describe_point(struct describe *d, struct absint_point p, uint32_t line, struct buf *out)
{
	struct wording w = {.d = d, .p = p, .scope = scope_of(d->f, p.block), .line = line};
	struct absint_facts facts;

	/* What changed comes first: it is what is spoken about. */
	add_variables(&w, 0);
	add_cells(&w, ABSINT_CELL);
	add_counters(&w);
	add_variables(&w, 1);
	add_parameters(&w);
	add_cells(&w, ABSINT_OLD_CELL);
	add_equal(&w);
	absint_at(d->a, p, w.wanted.data, w.wanted.size, &facts);
	text_facts(out, &facts, &w.more, w.names.data, d->all);
	absint_facts_release(&facts);
	for (size_t i = 0; i < w.names.size; i++)
		free((char *)w.names.data[i].text);
	linear_list_release(&w.more);
	vec_release(&w.names);
	vec_release(&w.wanted);
}
