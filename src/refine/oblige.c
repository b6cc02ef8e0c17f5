/* oblige.c: obligations: where they arise, what they are over, what the text gets for those that the prover leaves.
 *
 * Every write is checked when it has happened, by the predicate over the names as they stand: the variable's own
 * refinements, those of its type, and those that name it. A write through a pointer, a call and assembly may have written
 * any variable that others can reach, so whatever depends on one is checked again. What is checked or proved is a fact from then on.
 */
#include "refine/oblige.h"

#include "base/error.h"

#include <string.h>

/* ----------------------------------------------------------------- actions */
struct action *action_add(struct unit *u, enum action_kind kind, uint32_t n)
{
	uint64_t before = 0;
	uint32_t number = (uint32_t)u->actions.size;

	map_get(&u->action_first, n, &before);
	map_set(&u->action_first, n, number + 1);
	vec_push(&u->action_next, (uint32_t)before);
	vec_push(&u->actions, (struct action){.kind = kind, .node = n, .number = u->names++, .checks = "", .checks_late = ""});
	for (uint32_t i = n; i && !u->dirty.data[i]; i = node(u, i)->parent)
		u->dirty.data[i] = 1;
	return &vec_last(&u->actions);
}

const char *keep(struct unit *u, struct buf *b)
{
	const char *s = b->size ? arena_strdup(&u->r->arena, buf_str(b)) : "";

	buf_release(b);
	return s;
}

/* -------------------------------------------------------------- obligations */
static const char no_value[] = "the end of the function is reached without a return";

static const char *reason(enum refine_outcome o, const struct site *s)
{
	enum refine_place p = s->place;

	if (o == REFINE_PROVED)
		return "";
	if (s->no_value)
		return no_value;
	if (o == REFINE_REJECTED)
		return "no value that can come here satisfies it";
	if (p == REFINE_AT_ALIAS)
		return "it may have been written through a pointer or in another function";
	if (p == REFINE_AT_ENTRY)
		return "callers outside of this file, or through a pointer, are not seen";
	return "it depends on values that are not known here";
}

int visible(struct unit *u, const struct conjunct *c, uint32_t n)
{
	return node(u, c->site)->begin <= node(u, n)->begin;
}

static void add_check(struct unit *u, const struct conjunct *c, const struct site *s, enum refine_outcome outcome)
{
	uint32_t number = (uint32_t)(c - u->conjuncts.data);
	struct buf words = BUF_EMPTY;

	buf_addf(&words, "%s (%s)", c->text, c->subject);
	if (s->no_value)
		buf_addf(&words, ": %s", no_value);
	if (u->every)
		buf_addf(&words, " [%s]", refine_outcome_key(outcome));
	if (s->no_value) {
		buf_adds(s->checks, "muster_refine_holds(0, ");
	} else if (!s->name) {
		buf_addf(s->checks, "muster_refine_holds(" REFINE_NOW "%u(), ", number);
	} else {
		buf_addf(s->checks, "muster_refine_holds(" REFINE_HOLDS "%u(", number);
		for (size_t i = 0; i < c->arguments.size; i++) {
			buf_adds(s->checks, i ? ", " : "");
			buf_adds(s->checks, by_address(u, c, &c->arguments.data[i]) ? "&" : "");
			s->name(u, s->ctx, c, i, s->checks);
		}
		buf_adds(s->checks, "), ");
	}
	words_quote(buf_str(&words), s->checks);
	buf_adds(s->checks, ", ");
	words_quote(node(u, s->n)->file, s->checks);
	buf_addf(s->checks, ", %u); ", s->line ? s->line : node(u, s->n)->line);
	buf_release(&words);
}

void oblige(struct unit *u, const struct conjunct *c, const expr_t *given, const struct site *s)
{
	expr_t goal = holds(u, c, given);
	struct refine_obligation o = {.file = arena_strdup(&u->r->arena, node(u, s->n)->file),
				      .line = s->line ? s->line : node(u, s->n)->line,
				      .function = u->function ? arena_strdup(&u->r->arena, node(u, u->function)->name) : "",
				      .subject = c->subject,
				      .text = c->text,
				      .place = s->place};

	o.outcome = s->place == REFINE_AT_ENTRY || s->no_value ? REFINE_RUNTIME : prove(u, goal);
	o.reason = reason(o.outcome, s);
	vec_push(&u->r->obligations, o);
	if (o.outcome != REFINE_PROVED || u->every)
		add_check(u, c, s, o.outcome);
	if (o.outcome != REFINE_REJECTED && !u->weak && u->function)
		fact(u, goal);
}

/* ---------------------------------------------------------------- variables */
/* A pointer to a local variable, made where it is declared; 0: there is no room for it. */
static uint32_t alias_of(struct unit *u, uint32_t d)
{
	struct variable *v = &u->variables.data[d];
	uint32_t at = node(u, d)->parent, body = 0;
	struct buf text = BUF_EMPTY;
	struct action *a;

	if (v->alias)
		return v->alias;
	if (node(u, d)->kind == TREE_PARAMETER) {
		for (uint32_t c = node(u, at)->first; c; c = node(u, c)->next)
			if (node(u, c)->kind == TREE_BLOCK)
				body = c;
		if (!body)
			return 0;
		a = action_add(u, ACTION_INSIDE, body);
	} else if (node(u, at)->kind == TREE_DECLARATION && node(u, node(u, at)->parent)->kind != TREE_FOR) {
		a = action_add(u, ACTION_BEHIND, at);
	} else {
		return 0;
	}
	v->alias = ++u->names;
	buf_addf(&text, "__typeof__(%s) *__muster_at%u = &%s; ", node(u, d)->name, v->alias, node(u, d)->name);
	a->checks = keep(u, &text);
	return v->alias;
}

/* How a local variable is called here: by its name, if that is still its own. */
static void local_name(struct unit *u, const struct conjunct *c, uint32_t d, struct buf *out)
{
	const char *name = node(u, d)->name;
	uint32_t seen = in_sight(u, name, strlen(name)), alias;

	if (seen == d) {
		buf_adds(out, name);
	} else if ((alias = alias_of(u, d))) {
		buf_addf(out, "*__muster_at%u", alias);
	} else if (!u->failed) {
		u->failed = 1;
		error_set("%s:%u: refinement \"%s\" names %s, which is hidden by another %s (line %u) where it must be checked: "
			  "rename one of them",
			  node(u, c->site)->file, node(u, c->site)->line, c->text, name, name, seen ? node(u, seen)->line : 0);
	}
}

/* As the variables are. */
void name_now(struct unit *u, void *ctx, const struct conjunct *c, size_t i, struct buf *out)
{
	const struct argument *a = &c->arguments.data[i];
	uint32_t d = a->decl;

	(void)ctx;
	if (!d && (c->owner == OWNER_PARAMETER || (c->owner == OWNER_RESULT && a->index != SELF)))
		d = function_parameter(u, u->function, a->index);
	else if (!d)
		d = c->decl;
	local_name(u, c, d, out);
}

/* As they are, but for the value itself, whose text is ctx. */
void name_value_text(struct unit *u, void *ctx, const struct conjunct *c, size_t i, struct buf *out)
{
	const struct argument *a = &c->arguments.data[i];

	if (a->index == SELF && !a->decl)
		buf_adds(out, ctx);
	else
		name_now(u, NULL, c, i, out);
}

/* A field of the object whose text is ctx, which ends in . or -> */
static void name_field(struct unit *u, void *ctx, const struct conjunct *c, size_t i, struct buf *out)
{
	(void)u;
	buf_addf(out, "%s%s", (const char *)ctx, c->arguments.data[i].name);
}

static int names_variable(struct unit *u, const struct conjunct *c, uint32_t d)
{
	for (size_t i = 0; i < c->arguments.size; i++) {
		if (c->arguments.data[i].decl == d)
			return 1;
		if (c->owner == OWNER_PARAMETER && function_parameter(u, u->function, c->arguments.data[i].index) == d)
			return 1;
	}
	for (size_t i = 0; i < c->globals.size; i++)
		if (c->globals.data[i] == d)
			return 1;
	return 0;
}

/* The variable or parameter of this function that the conjunct is about, if it is in sight now; 0: none. */
static uint32_t owner_here(struct unit *u, const struct conjunct *c)
{
	uint32_t d = 0;

	if (c->owner == OWNER_VARIABLE)
		d = c->decl;
	else if (c->owner == OWNER_PARAMETER && c->decl == node(u, u->function)->canon)
		d = function_parameter(u, u->function, c->index);
	if (!d || (node(u, d)->is_global && d != u->declaring))
		return d;
	for (size_t i = 0; i < u->scope.size; i++)
		if (u->scope.data[i] == d && d != u->declaring)
			return d;
	return 0;
}

/* Conjuncts of variables over the values as they are; x is what `written` has now (EXPR_NONE: as it is). */
static void oblige_now(struct unit *u, const struct conjunct *c, uint32_t written, expr_t x, struct site *s)
{
	expr_t given[MOST_ARGUMENTS];

	if (c->arguments.size > MOST_ARGUMENTS || !visible(u, c, s->n) || arguments_now(u, c, given))
		return;
	for (size_t i = 0; i < c->arguments.size; i++) {
		const struct argument *a = &c->arguments.data[i];
		uint32_t d = a->decl ? a->decl
			     : c->owner == OWNER_PARAMETER ? function_parameter(u, u->function, a->index)
							   : c->decl;

		if (d == written && x)
			given[i] = x;
	}
	s->name = c->owner == OWNER_VARIABLE && node(u, c->decl)->is_global ? NULL : name_now;
	oblige(u, c, given, s);
}

/* --------------------------------------------------------------- other names */
static int reachable(struct unit *u, uint32_t d)
{
	return u->variables.data[d].addressed || (node(u, d)->is_global && !node(u, d)->is_static);
}

/* Whether others may have written what the conjunct is about. */
static int exposed(struct unit *u, const struct conjunct *c, uint32_t owner)
{
	int found = reachable(u, owner);

	for (size_t i = 0; i < c->arguments.size; i++) {
		uint32_t d = c->arguments.data[i].decl;

		if (!d && c->owner == OWNER_PARAMETER)
			d = function_parameter(u, u->function, c->arguments.data[i].index);
		found |= d && reachable(u, d);
	}
	/* Of a variable of a block, the functions that write a static variable know nothing. */
	for (size_t i = 0; i < c->globals.size; i++)
		found |= !node(u, owner)->is_global || reachable(u, c->globals.data[i]);
	return found;
}

/* Refinements of the types of an object's fields. */
static void field_types(struct unit *u, uint32_t record, const char *object, struct site *s)
{
	uint32_t definition = 0;

	for (uint32_t n = 2; n < u->t->nodes.size && !definition; n++)
		if (node(u, n)->kind == TREE_RECORD && node(u, n)->canon == record && node(u, n)->first)
			definition = n;
	for (uint32_t f = definition ? node(u, definition)->first : 0; f; f = node(u, f)->next)
		for (size_t i = 0; node(u, f)->kind == TREE_FIELD && i < u->conjuncts.size;) {
			struct conjunct *c = conjunct_of_type(u, node(u, f)->type, &i);
			struct buf b = BUF_EMPTY;
			expr_t x;

			if (!c)
				break;
			buf_addf(&b, "%s%s", object, node(u, f)->name);
			s->name = name_value_text;
			s->ctx = (void *)keep(u, &b);
			x = fresh(u, node(u, f)->type);
			oblige(u, c, &x, s);
		}
}

/* An object as a whole; object is its text, up to the dot. */
void fields_of(struct unit *u, uint32_t type, const char *object, struct site *s)
{
	uint32_t record = u->t->types.data[type].record;
	expr_t given[MOST_ARGUMENTS];

	if (!record)
		return;
	if (u->typedefs_refined)
		field_types(u, record, object, s);
	for (size_t i = 0; i < u->conjuncts.size; i++) {
		const struct conjunct *c = &u->conjuncts.data[i];

		if (c->owner != OWNER_FIELD || node(u, enclosing_record(u, c->site))->canon != record ||
		    c->arguments.size > MOST_ARGUMENTS)
			continue;
		for (size_t k = 0; k < c->arguments.size; k++)
			given[k] = fresh(u, c->arguments.data[k].type);
		s->name = name_field;
		s->ctx = (void *)object;
		oblige(u, c, given, s);
	}
}

/* A variable without an initialiser is looked at only when it was written once: a flag of the run says so. 0: never mind it. */
static int has_value(struct unit *u, uint32_t d, struct buf *checks)
{
	const struct variable *v = &u->variables.data[d];

	if (v->flag)
		buf_addf(checks, "if (__muster_set%u) { ", v->flag);
	return v->flag || node(u, d)->is_global || node(u, d)->is_static || !v->untrusted || v->asm_operand;
}

static void has_value_end(struct unit *u, uint32_t d, struct buf *checks)
{
	if (u->variables.data[d].flag)
		buf_adds(checks, "} ");
}

void oblige_none(struct unit *u, uint32_t variable)
{
	struct variable *v = &u->variables.data[variable];
	int needed = v->addressed;
	struct buf text = BUF_EMPTY;

	/* In the head of a loop there is no room for the flag. */
	if (!v->refined || node(u, node(u, node(u, variable)->parent)->parent)->kind == TREE_FOR)
		return;
	for (size_t i = 0; i < u->conjuncts.size; i++) {
		const struct conjunct *c = &u->conjuncts.data[i];

		if (c->owner == OWNER_VARIABLE && c->decl == variable)
			needed |= c->arguments.size > 1 || c->globals.size;
	}
	if (!needed)
		return;
	v->flag = ++u->names;
	buf_addf(&text, "int __muster_set%u = 0; ", v->flag);
	action_add(u, ACTION_BEHIND, node(u, variable)->parent)->checks = keep(u, &text);
}

/* After something that may have written what has another name too. */
void oblige_others(struct unit *u, uint32_t n, struct buf *checks)
{
	struct site s = {.n = n, .place = REFINE_AT_ALIAS, .checks = checks};

	for (size_t i = 0; i < u->conjuncts.size; i++) {
		const struct conjunct *c = &u->conjuncts.data[i];
		uint32_t d = owner_here(u, c);

		if (d && exposed(u, c, d) && has_value(u, d, checks)) {
			oblige_now(u, c, 0, EXPR_NONE, &s);
			has_value_end(u, d, checks);
		}
	}
	for (size_t k = 0; k < u->scope.size; k++) {
		uint32_t d = u->scope.data[k];
		struct buf object = BUF_EMPTY;

		if (!u->variables.data[d].addressed || d == u->declaring)
			continue;
		if (type_of(u, d)->kind == TREE_TYPE_RECORD && !u->variables.data[d].untrusted) {
			if (in_sight(u, node(u, d)->name, strlen(node(u, d)->name)) == d)
				buf_addf(&object, "%s.", node(u, d)->name);
			else if (alias_of(u, d))
				buf_addf(&object, "__muster_at%u->", alias_of(u, d));
			else
				continue;
			fields_of(u, node(u, d)->type, keep(u, &object), &s);
			continue;
		}
		for (size_t i = 0; i < u->conjuncts.size;) { /* of the type */
			struct conjunct *c = conjunct_of_type(u, node(u, d)->type, &i);
			expr_t x = EXPR_NONE;

			if (!c || !has_value(u, d, checks))
				break;
			local_name(u, c, d, &object);
			s.name = name_value_text;
			s.ctx = (void *)keep(u, &object);
			x = fresh(u, node(u, d)->type);
			oblige(u, c, &x, &s);
			has_value_end(u, d, checks);
		}
	}
}

/* ------------------------------------------------------------------- writes */
static int has_effects(struct unit *u, uint32_t n)
{
	const struct tree_node *x = node(u, n);

	if (x->kind == TREE_ASSIGN || x->kind == TREE_CALL || x->kind == TREE_BLOCK_EXPRESSION || x->kind == TREE_OTHER ||
	    (x->kind == TREE_UNARY && x->op >= TREE_OP_POSTINC && x->op <= TREE_OP_PREDEC) ||
	    (x->type && type_of(u, n)->is_volatile))
		return 1;
	for (uint32_t c = x->first; c; c = node(u, c)->next)
		if (has_effects(u, c))
			return 1;
	return 0;
}

/* What is written, in one line. */
static void source_text(struct unit *u, uint32_t n, struct buf *out)
{
	int at_start = 0;

	for (uint32_t i = node(u, n)->begin; i < node(u, n)->end; i++) {
		char c = u->t->text[i];

		if (c == '#' && at_start) /* a line marker */
			while (i + 1 < node(u, n)->end && u->t->text[i] != '\n')
				i++;
		else
			buf_addc(out, c == '\n' ? ' ' : c);
		at_start = u->t->text[i] == '\n';
	}
}

static int is_post(struct unit *u, uint32_t n)
{
	return node(u, n)->kind == TREE_UNARY && (node(u, n)->op == TREE_OP_POSTINC || node(u, n)->op == TREE_OP_POSTDEC);
}

/* The value that was stored, where the expression's own value has the name. */
static const char *stored_text(struct unit *u, uint32_t n, uint32_t number)
{
	struct buf b = BUF_EMPTY;

	buf_addf(&b, "(__muster_v%u%s)", number, !is_post(u, n) ? "" : node(u, n)->op == TREE_OP_POSTINC ? " + 1" : " - 1");
	return keep(u, &b);
}

/* Refinements of the type that a place was declared with. */
void oblige_type(struct unit *u, uint32_t type, expr_t x, const char *text, struct site *s)
{
	for (size_t i = 0; i < u->conjuncts.size;) {
		struct conjunct *c = conjunct_of_type(u, type, &i);

		if (!c)
			break;
		s->name = name_value_text;
		s->ctx = (void *)text;
		oblige(u, c, &x, s);
	}
}

static void write_variable(struct unit *u, uint32_t d, expr_t x, struct site *s)
{
	if (u->variables.data[d].tracked)
		u->variables.data[d].term = x;
	for (size_t i = 0; i < u->conjuncts.size; i++) {
		const struct conjunct *c = &u->conjuncts.data[i];
		uint32_t owner = owner_here(u, c);

		if (!owner || (owner != d && !names_variable(u, c, d)))
			continue;
		if (owner == d) {
			oblige_now(u, c, d, x, s);
		} else if (has_value(u, owner, s->checks)) {
			oblige_now(u, c, d, x, s);
			has_value_end(u, owner, s->checks);
		}
	}
	if (u->variables.data[d].flag)
		buf_addf(s->checks, "__muster_set%u = 1; ", u->variables.data[d].flag);
	oblige_type(u, node(u, d)->type, x, node(u, d)->name, s);
}

/* Returns 1 if the object must get a name of its own: __muster_oN-> */
static int write_field(struct unit *u, uint32_t target, expr_t x, uint32_t number, struct site *s)
{
	uint32_t field = referred(u, target), base = node(u, target)->first;
	int effects = has_effects(u, base), used = 0;
	struct buf object = BUF_EMPTY;
	const char *text;
	expr_t given[MOST_ARGUMENTS];

	if (effects)
		buf_addf(&object, "__muster_o%u->", number);
	else {
		source_text(u, base, &object);
		buf_adds(&object, node(u, target)->arrow ? "->" : ".");
	}
	text = keep(u, &object);
	for (size_t i = 0; i < u->conjuncts.size; i++) {
		const struct conjunct *c = &u->conjuncts.data[i];
		int concerned = c->owner == OWNER_FIELD && c->decl == field;

		for (size_t k = 0; c->owner == OWNER_FIELD && k < c->arguments.size; k++)
			concerned |= c->arguments.data[k].decl == field;
		if (!concerned || c->arguments.size > MOST_ARGUMENTS)
			continue;
		for (size_t k = 0; k < c->arguments.size; k++)
			given[k] = c->arguments.data[k].decl == field && !node(u, field)->is_bits
				       ? x
				       : fresh(u, c->arguments.data[k].type);
		s->name = name_field;
		s->ctx = (void *)text;
		oblige(u, c, given, s);
		used = 1;
	}
	if (field) {
		struct buf b = BUF_EMPTY;

		buf_addf(&b, "%s%s", text, node(u, field)->name);
		text = keep(u, &b);
		used |= u->t->types.data[node(u, field)->type].typedefs.size > 0;
		oblige_type(u, node(u, field)->type, node(u, field)->is_bits ? fresh(u, node(u, field)->type) : x, text, s);
	}
	return effects && used && s->checks->size;
}

/* The variable that an object is part of, without a pointer on the way; 0: none. */
static uint32_t whole_of(struct unit *u, uint32_t n)
{
	for (;;) {
		n = tree_bare(u->t, n);
		if (node(u, n)->kind == TREE_NAME)
			return referred(u, n);
		if (node(u, n)->kind == TREE_MEMBER && !node(u, n)->arrow)
			n = node(u, n)->first;
		else if (node(u, n)->kind == TREE_INDEX &&
			 type_of(u, tree_bare(u->t, node(u, n)->first))->kind == TREE_TYPE_ARRAY)
			n = node(u, n)->first;
		else
			return 0;
	}
}

void oblige_write(struct unit *u, uint32_t n, uint32_t target, expr_t x)
{
	struct buf checks = BUF_EMPTY;
	uint32_t tgt = tree_bare(u->t, target), number = u->names++, whole = whole_of(u, tgt);
	struct site s = {.n = n, .place = REFINE_AT_ASSIGN, .checks = &checks};
	int needs_object = 0;
	struct action *a;

	if (u->predicate_depth)
		return;
	if (node(u, tgt)->kind == TREE_NAME && whole)
		write_variable(u, whole, x, &s);
	else if (node(u, tgt)->kind == TREE_MEMBER)
		needs_object = write_field(u, tgt, x, number, &s);
	else
		oblige_type(u, node(u, tgt)->type, x, stored_text(u, n, number), &s);
	if (type_of(u, tgt)->kind == TREE_TYPE_RECORD) {
		struct buf object = BUF_EMPTY;

		buf_addf(&object, "__muster_v%u.", number);
		fields_of(u, node(u, tgt)->type, keep(u, &object), &s);
	}
	if (node(u, tgt)->kind != TREE_NAME && whole) { /* part of a variable that a refinement may name */
		s.place = REFINE_AT_ASSIGN;
		for (size_t i = 0; i < u->conjuncts.size; i++)
			if (owner_here(u, &u->conjuncts.data[i]) && names_variable(u, &u->conjuncts.data[i], whole))
				oblige_now(u, &u->conjuncts.data[i], 0, EXPR_NONE, &s);
	}
	if (!whole)
		oblige_others(u, n, &checks);
	if (!checks.size)
		return;
	a = action_add(u, needs_object ? ACTION_OBJECT : ACTION_AFTER, n);
	a->number = number;
	a->checks = keep(u, &checks);
}

void note_address(struct unit *u, uint32_t n)
{
	uint32_t member = tree_bare(u->t, node(u, n)->first), field;
	struct buf b = BUF_EMPTY;
	int refined = 0;
	size_t i = 0;

	if (u->predicate_depth || node(u, member)->kind != TREE_MEMBER || whole_of(u, member) || !(field = referred(u, member)))
		return;
	refined = conjunct_of_type(u, node(u, field)->type, &i) != NULL;
	for (i = 0; i < u->conjuncts.size; i++)
		for (size_t k = 0; u->conjuncts.data[i].owner == OWNER_FIELD && k < u->conjuncts.data[i].arguments.size; k++)
			refined |= u->conjuncts.data[i].arguments.data[k].decl == field;
	if (!refined)
		return;
	buf_addf(&b, "%s:%u: note: the address of field %s is taken; what is written through it is not checked", node(u, n)->file,
		 node(u, n)->line, node(u, field)->name);
	vec_push(&u->r->notes, keep(u, &b));
}

/* The compiler's own atomic operations (__atomic_store_n, __c11_atomic_fetch_add ...) write through a pointer. */
void oblige_unknown(struct unit *u, uint32_t n)
{
	static const char *const starts[] = {"__atomic_", "__c11_atomic_", "__scoped_atomic_", "__opencl_atomic_", "__hip_atomic_"};
	struct buf checks = BUF_EMPTY;
	uint32_t number = u->names++, size = node(u, n)->end - node(u, n)->begin;
	int writes = 0;
	struct action *a;

	for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
		writes |= size > strlen(starts[i]) && !memcmp(u->t->text + node(u, n)->begin, starts[i], strlen(starts[i]));
	if (!writes)
		return;
	oblige_others(u, n, &checks);
	if (!checks.size)
		return;
	a = action_add(u, ACTION_AFTER, n);
	a->number = number;
	a->checks = keep(u, &checks);
}

void oblige_asm(struct unit *u, uint32_t n)
{
	struct buf checks = BUF_EMPTY;

	for (uint32_t c = node(u, n)->first; c; c = node(u, c)->next)
		if (node(u, c)->type)
			value(u, c);
	havoc(u, n);
	oblige_others(u, n, &checks);
	if (checks.size)
		action_add(u, ACTION_BEHIND, n)->checks = keep(u, &checks);
}
