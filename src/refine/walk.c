/* walk.c: statements in order of the source, with what is known at each.
 *
 * Before: which variables have their address taken, which may hold a value that was not checked (no initialiser, a jump past it,
 * assembly, setjmp, another unit), which are followed. The structure of C does the rest: a branch is walked with its
 * condition as a fact and both ends are merged; what a loop writes is unknown at its head, but for the refinements,
 * which hold at every statement; a case begins with what held at its switch. A function with labels, or with cases inside of
 * other statements, is walked weakly: no variable is followed and no condition believed.
 */
#include "refine/unit.h"

#include <string.h>

/* ----------------------------------------------------------------- before */
/* Every variable that is named below: it may be the one that the whole stands for. */
static void expose_below(struct unit *u, uint32_t n)
{
	uint32_t d = node(u, n)->kind == TREE_NAME ? referred(u, n) : 0;

	if (d)
		u->variables.data[d].addressed = 1;
	for (uint32_t c = node(u, n)->first; c; c = node(u, c)->next)
		expose_below(u, c);
}

/* The variable that an object is part of, without going through a pointer; 0: none, or (exposed here) one of several: _Generic,
 * __builtin_choose_expr. */
static uint32_t root(struct unit *u, uint32_t n)
{
	for (;;) {
		const struct tree_node *x;

		n = tree_bare(u->t, n);
		x = node(u, n);
		if (x->kind == TREE_NAME)
			return referred(u, n);
		if (x->kind == TREE_OTHER)
			expose_below(u, n);
		if (x->kind == TREE_MEMBER && !x->arrow && x->first)
			n = x->first;
		else if (x->kind == TREE_INDEX && x->first && type_of(u, tree_bare(u->t, x->first))->kind == TREE_TYPE_ARRAY)
			n = x->first;
		else
			return 0;
	}
}

static void mark_asm(struct unit *u, uint32_t n)
{
	uint32_t d = node(u, n)->kind == TREE_NAME ? referred(u, n) : 0;

	if (d)
		u->variables.data[d].asm_operand = u->variables.data[d].untrusted = u->variables.data[d].addressed = 1;
	for (uint32_t c = node(u, n)->first; c; c = node(u, c)->next)
		mark_asm(u, c);
}

static int is_called(struct unit *u, uint32_t n)
{
	uint32_t parent = node(u, n)->parent;

	while (node(u, parent)->kind == TREE_PAREN || node(u, parent)->kind == TREE_CONVERT) {
		n = parent;
		parent = node(u, n)->parent;
	}
	return node(u, parent)->kind == TREE_CALL && node(u, parent)->first == n;
}

static int is_write(const struct tree_node *x)
{
	return x->kind == TREE_ASSIGN || (x->kind == TREE_UNARY && x->op >= TREE_OP_POSTINC && x->op <= TREE_OP_PREDEC);
}

/* What has a second name by an attribute, and functions that conditions call: their arguments are not looked at there. */
static void mark_second_names(struct unit *u)
{
	for (uint32_t n = node(u, 1)->first; n; n = node(u, n)->next) {
		const struct tree_node *x = node(u, n);

		if (x->kind == TREE_FUNCTION && !strncmp(x->name, REFINE_HOLDS, strlen(REFINE_HOLDS)))
			expose_below(u, n);
		for (uint32_t to = x->alias ? node(u, 1)->first : 0; to; to = node(u, to)->next)
			if ((node(u, to)->kind == TREE_FUNCTION || node(u, to)->kind == TREE_VARIABLE) && !strcmp(node(u, to)->name, x->alias))
				u->variables.data[node(u, to)->canon].addressed = 1;
	}
}

/* Where each function is named first: what was written after it does not count there. */
static void mark_named(struct unit *u, uint32_t n)
{
	uint32_t d = referred(u, n), begin = node(u, n)->begin + 1;

	if (d && node(u, d)->kind == TREE_FUNCTION && (!u->variables.data[d].named || u->variables.data[d].named > begin))
		u->variables.data[d].named = begin;
}

/* Addresses that are taken anywhere in the unit. */
static void mark_addresses(struct unit *u)
{
	mark_second_names(u);
	for (uint32_t n = 2; n < u->t->nodes.size; n++) {
		const struct tree_node *x = node(u, n);
		uint32_t d = 0;

		if (is_write(x))
			root(u, x->first);
		if (x->kind == TREE_NAME)
			mark_named(u, n);
		if (x->kind == TREE_UNARY && x->op == TREE_OP_ADDRESS)
			d = root(u, x->first);
		else if (x->kind == TREE_CONVERT && type_of(u, n)->kind == TREE_TYPE_POINTER &&
			 type_of(u, x->first)->kind == TREE_TYPE_ARRAY)
			d = root(u, x->first);
		else if (x->kind == TREE_ASM)
			mark_asm(u, n);
		else if (x->kind == TREE_NAME && (d = referred(u, n)) && (node(u, d)->kind != TREE_FUNCTION || is_called(u, n)))
			d = 0;
		if (d)
			u->variables.data[d].addressed = 1;
	}
}

static int closed(struct unit *u, uint32_t global)
{
	const struct tree_node *x = node(u, global);

	return x->is_static && !u->variables.data[global].addressed && !type_of(u, global)->is_volatile;
}

static void mark_globals(struct unit *u)
{
	for (uint32_t n = 2; n < u->t->nodes.size; n++)
		if (node(u, n)->kind == TREE_VARIABLE && node(u, n)->canon == n && node(u, n)->is_global && !closed(u, n))
			u->variables.data[n].untrusted = 1;
	for (size_t i = 0; i < u->conjuncts.size; i++) {
		struct conjunct *c = &u->conjuncts.data[i];

		if (c->owner != OWNER_VARIABLE || !node(u, c->decl)->is_global)
			continue;
		if (c->site != c->decl)
			u->variables.data[c->decl].untrusted = 1;
		for (size_t k = 0; k < c->globals.size; k++)
			if (!closed(u, c->globals.data[k]))
				u->variables.data[c->decl].untrusted = 1;
	}
}

/* What a function's walk must know first. */
struct survey {
	int weak;
	uint32_t switch_scope; /* variables in sight when the innermost switch began */
	int in_switch, nested; /* statements between the switch and here */
};

static int is_setjmp(const char *name)
{
	return strstr(name, "setjmp") != NULL || !strcmp(name, "vfork") || !strcmp(name, "savectx") || !strcmp(name, "getcontext");
}

static void distrust(struct unit *u, size_t from)
{
	for (size_t i = from; i < u->scope.size; i++)
		if (node(u, u->scope.data[i])->kind == TREE_VARIABLE && !node(u, u->scope.data[i])->is_static)
			u->variables.data[u->scope.data[i]].untrusted = 1;
}

static void survey_variable(struct unit *u, uint32_t n)
{
	const struct tree_node *x = node(u, n);
	struct variable *v = &u->variables.data[n];

	vec_push(&u->scope, n);
	if (x->kind == TREE_VARIABLE && !x->init && !x->is_static)
		v->untrusted = 1;
	if (type_of(u, n)->is_volatile || (x->is_static && v->addressed))
		v->untrusted = 1;
}

static int writes(struct unit *u, uint32_t n)
{
	if (is_write(node(u, n)))
		return 1;
	for (uint32_t c = node(u, n)->first; c; c = node(u, c)->next)
		if (writes(u, c))
			return 1;
	return 0;
}

static void survey(struct unit *u, uint32_t n, struct survey *s)
{
	const struct tree_node *x = node(u, n);
	size_t scope = u->scope.size;
	struct survey inner = *s;

	switch (x->kind) {
	case TREE_PARAMETER:
		if (writes(u, n)) /* int f(int n, int a[n++]) */
			inner.weak = 2;
		survey_variable(u, n);
		break;
	case TREE_VARIABLE:
		if (x->is_cleaned) /* what is called where its block ends may write what others can reach */
			inner.weak = 2;
		if (!x->is_global && !x->is_extern)
			survey_variable(u, n);
		break;
	case TREE_LABEL:
		inner.weak = 1;
		distrust(u, 0);
		break;
	case TREE_CASE:
		distrust(u, s->switch_scope);
		if (s->nested)
			inner.weak = 1;
		break;
	case TREE_GOTO: inner.weak = 1; break;
	case TREE_NAME:
		if (is_setjmp(x->name)) {
			inner.weak = 2;
		}
		break;
	case TREE_BLOCK_EXPRESSION:
		inner.nested = 1;
		break;
	case TREE_SWITCH:
		inner.switch_scope = (uint32_t)u->scope.size;
		inner.nested = 0;
		inner.in_switch = 1;
		break;
	case TREE_BLOCK:
		inner.nested |= node(u, x->parent)->kind != TREE_SWITCH && s->in_switch;
		break;
	case TREE_IF: case TREE_WHILE: case TREE_DO: case TREE_FOR: inner.nested = 1; break;
	default: break;
	}
	for (uint32_t c = x->first; c; c = node(u, c)->next) {
		survey(u, c, &inner);
		if (inner.weak > s->weak)
			s->weak = inner.weak;
	}
	if (inner.weak > s->weak)
		s->weak = inner.weak;
	if (x->kind == TREE_BLOCK || x->kind == TREE_FOR || x->kind == TREE_FUNCTION)
		u->scope.size = scope;
}

static int followed(struct unit *u, uint32_t n)
{
	const struct tree_node *x = node(u, n);
	const struct variable *v = &u->variables.data[n];

	return !u->weak && type_width(u, x->type) && !v->addressed && !v->asm_operand && !type_of(u, n)->is_volatile &&
	       (x->kind == TREE_PARAMETER || (x->kind == TREE_VARIABLE && !x->is_static && !x->is_global && !x->is_extern));
}

static void follow(struct unit *u, uint32_t n)
{
	const struct tree_node *x = node(u, n);

	if (x->kind == TREE_PARAMETER || x->kind == TREE_VARIABLE) {
		if (u->weak == 2 && !x->is_static)
			u->variables.data[n].untrusted = 1;
		if (followed(u, n)) {
			u->variables.data[n].tracked = 1;
			u->variables.data[n].term = fresh(u, x->type);
			vec_push(&u->locals, n);
		}
	}
	for (uint32_t c = x->first; c; c = node(u, c)->next)
		follow(u, c);
}

/* Static variables in blocks whose refinement names what is not there between two calls. */
static void mark_statics(struct unit *u)
{
	for (size_t i = 0; i < u->conjuncts.size; i++) {
		struct conjunct *c = &u->conjuncts.data[i];

		if (c->owner != OWNER_VARIABLE || !node(u, c->decl)->is_static || node(u, c->decl)->is_global)
			continue;
		for (size_t k = 0; k < c->arguments.size; k++)
			if (c->arguments.data[k].decl)
				u->variables.data[c->decl].untrusted = 1;
		for (size_t k = 0; k < c->globals.size; k++)
			if (!closed(u, c->globals.data[k]))
				u->variables.data[c->decl].untrusted = 1;
	}
}

static void mark_refined(struct unit *u)
{
	for (size_t i = 0; i < u->conjuncts.size; i++) {
		struct conjunct *c = &u->conjuncts.data[i];

		if (c->owner == OWNER_VARIABLE)
			u->variables.data[c->decl].refined = 1;
		u->typedefs_refined |= c->owner == OWNER_TYPEDEF;
	}
	for (uint32_t n = 2; n < u->t->nodes.size; n++) {
		size_t i = 0, k = 0;
		uint32_t p = node(u, n)->parent;

		if (node(u, n)->kind != TREE_VARIABLE && node(u, n)->kind != TREE_PARAMETER)
			continue;
		if (conjunct_of_type(u, node(u, n)->type, &i))
			u->variables.data[node(u, n)->canon].refined = 1;
		if (node(u, n)->kind == TREE_PARAMETER && node(u, p)->kind == TREE_FUNCTION)
			for (; k < u->conjuncts.size; k++)
				if (u->conjuncts.data[k].owner == OWNER_PARAMETER && u->conjuncts.data[k].decl == node(u, p)->canon &&
				    function_parameter(u, p, u->conjuncts.data[k].index) == n)
					u->variables.data[n].refined = 1;
	}
}

/* -------------------------------------------------------------- statements */
static expr_t condition(struct unit *u, uint32_t n)
{
	return n && node(u, n)->kind != TREE_ABSENT ? truth(u, value(u, n)) : EXPR_NONE;
}

static void believe(struct unit *u, expr_t condition, int positive)
{
	if (!u->weak && condition)
		fact(u, positive ? condition : expr_not(u->pool, condition));
}

static int walk_if(struct unit *u, uint32_t n)
{
	uint32_t c = node(u, n)->first, yes = c ? node(u, c)->next : 0, no = yes ? node(u, yes)->next : 0;
	expr_t x = condition(u, c);
	struct state before = {0}, after = {0};
	int goes_on, other;

	state_save(u, &before);
	believe(u, x, 1);
	goes_on = !yes || walk_statement(u, yes);
	state_save(u, &after);
	state_restore(u, &before);
	believe(u, x, 0);
	other = !no || walk_statement(u, no);
	if (!goes_on && !other && !u->weak) {
		fact(u, expr_false(u->pool));
	} else if (!other && goes_on) { /* only the first branch comes here */
		state_restore(u, &after);
	} else if (goes_on) {
		state_merge(u, &after, x, before.facts);
	}
	state_release(&before);
	state_release(&after);
	return goes_on || other;
}

/* At the head everything that the loop writes is unknown. Whatever comes to the step, or to the condition of a do, went through the
 * head (and the condition of the others) in this turn: what was known there still is, but for what the body writes. */
static void walk_loop(struct unit *u, uint32_t n)
{
	uint32_t a = node(u, n)->first, b = a ? node(u, a)->next : 0, body, c, step = 0;
	size_t scope = u->scope.size, facts;
	struct state head = {0};

	if (node(u, n)->kind == TREE_FOR) {
		if (node(u, a)->kind != TREE_ABSENT)
			walk_statement(u, a);
		c = b;
		step = node(u, c)->next;
		body = node(u, step)->next;
	} else {
		c = node(u, n)->kind == TREE_WHILE ? a : b;
		body = c == a ? b : a;
	}
	facts = u->facts.size;
	havoc(u, n);
	if (node(u, n)->kind != TREE_DO)
		believe(u, condition(u, c), 1);
	state_save(u, &head);
	if (body)
		walk_statement(u, body);
	state_restore(u, &head);
	havoc(u, body);
	if (step && node(u, step)->kind != TREE_ABSENT)
		value(u, step);
	if (node(u, n)->kind == TREE_DO)
		condition(u, c);
	u->facts.size = facts;
	havoc(u, n);
	u->scope.size = scope;
	state_release(&head);
}

static void walk_switch(struct unit *u, uint32_t n)
{
	uint32_t c = node(u, n)->first, body = c ? node(u, c)->next : 0;
	size_t scope = u->scope.size, facts;
	uint32_t outer = u->in_switch;
	size_t outer_facts = u->switch_facts;

	condition(u, c);
	facts = u->switch_facts = u->facts.size;
	u->in_switch = n;
	if (body) {
		if (!u->weak)
			fact(u, expr_false(u->pool)); /* before the first case nothing runs */
		walk_statement(u, body);
	}
	u->facts.size = facts;
	havoc(u, n);
	u->scope.size = scope;
	u->in_switch = outer;
	u->switch_facts = outer_facts;
}

/* Its declared variable, in order; initialisers are met. */
static void walk_variable(struct unit *u, uint32_t n)
{
	const struct tree_node *x = node(u, n);
	struct variable *v = &u->variables.data[x->canon];
	uint32_t outer = u->declaring;
	expr_t r = EXPR_NONE;

	if (x->is_global || x->is_extern)
		return;
	if (!type_of(u, n)->count) /* sizes of arrays that are no constants */
		for (uint32_t c = x->first; c; c = node(u, c)->next)
			if (c != x->init && node(u, c)->type && node(u, c)->kind > TREE_ASM)
				value_perhaps(u, c); /* typeof */
	vec_push(&u->scope, n);
	if (x->is_static) {
		oblige_global(u, n);
		return;
	}
	if (v->tracked)
		v->term = fresh(u, x->type);
	if (!x->init) {
		oblige_none(u, n);
		return;
	}
	u->declaring = x->canon;
	r = value(u, x->init);
	r = convert(u, r, node(u, x->init)->type, x->type);
	u->declaring = outer;
	if (v->tracked && r)
		v->term = r;
	oblige_initial(u, n, r);
}

/* A function that is not written in this unit. */
static int is_the_librarys(struct unit *u, uint32_t d)
{
	for (uint32_t n = node(u, 1)->first; n; n = node(u, n)->next)
		if (node(u, n)->canon == d && node(u, n)->defined)
			return 0;
	return node(u, d)->kind == TREE_FUNCTION && !node(u, d)->is_static;
}

int is_noreturn(struct unit *u, uint32_t n)
{
	static const char *const names[] = {"abort", "exit", "_exit", "_Exit", "quick_exit", "__assert_fail", "__builtin_unreachable",
					    "__builtin_trap", "longjmp", "_longjmp", "siglongjmp"};
	uint32_t callee = node(u, n)->kind == TREE_CALL ? tree_bare(u->t, node(u, n)->first) : 0;

	for (size_t i = 0; callee && node(u, callee)->kind == TREE_NAME && i < sizeof names / sizeof names[0]; i++)
		if (!strcmp(node(u, callee)->name, names[i]))
			return !referred(u, callee) || is_the_librarys(u, referred(u, callee));
	/* Of the names above clang says so itself, whoever defines them. */
	return callee && node(u, callee)->kind == TREE_NAME && referred(u, callee) && node(u, referred(u, callee))->is_noreturn;
}

int walk_statement(struct unit *u, uint32_t n)
{
	const struct tree_node *x = node(u, n);
	size_t scope = u->scope.size;
	int goes_on = 1;

	switch (x->kind) {
	case TREE_BLOCK:
		for (uint32_t c = x->first; c; c = node(u, c)->next) {
			goes_on = walk_statement(u, c);
			if (!goes_on && !u->weak && node(u, c)->next)
				fact(u, expr_false(u->pool)); /* until a case */
		}
		u->scope.size = scope;
		return goes_on;
	case TREE_DECLARATION:
		for (uint32_t c = x->first; c; c = node(u, c)->next)
			if (node(u, c)->kind == TREE_VARIABLE)
				walk_variable(u, c);
			else
				havoc(u, c); /* typedef int row[n++]; */
		return 1;
	case TREE_IF: return walk_if(u, n);
	case TREE_WHILE: case TREE_DO: case TREE_FOR: walk_loop(u, n); return 1;
	case TREE_SWITCH: walk_switch(u, n); return 1;
	case TREE_CASE: case TREE_LABEL: {
		uint32_t last = 0;

		for (uint32_t c = x->first; c; c = node(u, c)->next)
			last = c;
		if (x->kind == TREE_CASE && u->in_switch && !u->weak) {
			u->facts.size = u->switch_facts;
			havoc(u, u->in_switch);
		}
		return last && (node(u, last)->kind <= TREE_ASM || x->kind == TREE_LABEL || node(u, last)->type)
			   ? walk_statement(u, last) : 1;
	}
	case TREE_RETURN:
		if (x->first)
			oblige_return(u, x->first, value(u, x->first));
		else
			oblige_end(u, n);
		return 0;
	case TREE_GOTO: case TREE_BREAK: case TREE_CONTINUE: return 0;
	case TREE_ASM: oblige_asm(u, n); return 1;
	case TREE_EMPTY: case TREE_ABSENT: case TREE_ANNOTATION: case TREE_ATTRIBUTE: return 1;
	case TREE_OTHER:
		if (!x->type) { /* a statement that is not known: attributed ones, mostly */
			for (uint32_t c = x->first; c; c = node(u, c)->next)
				goes_on = walk_statement(u, c);
			return goes_on;
		}
		value(u, n);
		return 1;
	default:
		value(u, n);
		return !is_noreturn(u, tree_bare(u->t, n));
	}
}

static void walk_function(struct unit *u, uint32_t n)
{
	struct survey s = {0};
	uint32_t body = 0;

	if (!strcmp(node(u, n)->file, "<muster>"))
		return;
	for (uint32_t c = node(u, n)->first; c; c = node(u, c)->next)
		if (node(u, c)->kind == TREE_BLOCK)
			body = c;
	if (!body)
		return;
	vec_clear(&u->scope);
	survey(u, n, &s);
	u->function = n;
	u->weak = s.weak;
	vec_clear(&u->facts);
	vec_clear(&u->locals);
	u->in_switch = 0;
	u->switch_facts = 0;
	follow(u, n);
	for (uint32_t c = node(u, n)->first; c; c = node(u, c)->next)
		if (node(u, c)->kind == TREE_PARAMETER)
			vec_push(&u->scope, c);
	oblige_entry(u, n);
	walk_statement(u, body);
	if (goes_on(u, body))
		oblige_end(u, body);
	vec_clear(&u->scope);
	vec_clear(&u->facts);
	vec_clear(&u->locals);
	u->function = 0;
	u->weak = 0;
}

void walk_unit(struct unit *u)
{
	mark_addresses(u);
	mark_globals(u);
	mark_statics(u);
	mark_refined(u);
	for (uint32_t n = node(u, 1)->first; n && !u->failed; n = node(u, n)->next) {
		const char *name = node(u, n)->name;

		if (node(u, n)->in_system || !strncmp(name, REFINE_HOLDS, strlen(REFINE_HOLDS)) ||
		    !strncmp(name, REFINE_NOW, strlen(REFINE_NOW)))
			continue;
		if (node(u, n)->kind == TREE_FUNCTION && node(u, n)->defined)
			walk_function(u, n);
		else if (node(u, n)->kind == TREE_VARIABLE)
			oblige_global(u, n);
	}
}
