/* oblige_initial.c: obligations of first values: variables of blocks and of the program, elements of arrays, literals of structures.
 *
 * A local variable's value is checked under another name before it is the variable's. What lives as long as the program has a constant:
 * the prover decides, or a constructor looks at it before main; in a block, whoever comes by.
 */
#include "refine/oblige.h"

#include <string.h>

const char *spelled(struct unit *u, const char *inner)
{
	struct buf b = BUF_EMPTY;

	buf_addf(&b, "__typeof__(%s)", inner);
	return keep(u, &b);
}

/* The elements of an array that was given values, by a loop. */
static void oblige_elements(struct unit *u, uint32_t variable, struct buf *checks)
{
	struct buf inner = BUF_EMPTY, name = BUF_EMPTY;
	struct site s = {.n = variable, .place = REFINE_AT_INITIAL, .checks = &inner};
	uint32_t type = node(u, variable)->type, number = u->names++;
	const char *element;

	while (u->t->types.data[type].kind == TREE_TYPE_ARRAY)
		type = u->t->types.data[type].to;
	element = type_text(u, type);
	buf_addf(&name, "((%s *)&%s)[__muster_i%u]", element, node(u, variable)->name, number);
	if (u->t->types.data[type].kind == TREE_TYPE_RECORD) {
		buf_addc(&name, '.');
		fields_of(u, type, keep(u, &name), &s);
	} else {
		oblige_type(u, type, fresh(u, type), keep(u, &name), &s);
	}
	if (inner.size)
		buf_addf(checks, "for (unsigned long __muster_i%u = 0; __muster_i%u < sizeof %s / sizeof(%s); __muster_i%u++) { %s} ",
			 number, number, node(u, variable)->name, element, number, buf_str(&inner));
	buf_release(&inner);
}

/* (struct s){ ... }: where its address is taken it must stay what it is. */
void oblige_literal(struct unit *u, uint32_t n)
{
	uint32_t parent = node(u, n)->parent, number = u->names++;
	struct buf checks = BUF_EMPTY, object = BUF_EMPTY;
	struct site s = {.n = n, .place = REFINE_AT_INITIAL, .checks = &checks};
	struct action *a;

	while (node(u, parent)->kind == TREE_PAREN)
		parent = node(u, parent)->parent;
	if (u->predicate_depth || type_of(u, n)->kind != TREE_TYPE_RECORD || node(u, parent)->kind == TREE_MEMBER ||
	    (node(u, parent)->kind == TREE_UNARY && node(u, parent)->op == TREE_OP_ADDRESS))
		return;
	buf_addf(&object, "__muster_v%u.", number);
	fields_of(u, node(u, n)->type, keep(u, &object), &s);
	if (!checks.size)
		return;
	a = action_add(u, ACTION_AFTER, n);
	a->number = number;
	a->checks = keep(u, &checks);
}

void oblige_initial(struct unit *u, uint32_t variable, expr_t x)
{
	struct buf checks = BUF_EMPTY, name = BUF_EMPTY;
	uint32_t number = u->names++, init = node(u, variable)->init;
	struct site s = {.n = variable, .place = REFINE_AT_INITIAL, .name = name_value_text, .checks = &checks};
	struct action *a;
	expr_t given[MOST_ARGUMENTS];
	const char *text;

	if (type_of(u, variable)->kind == TREE_TYPE_ARRAY) {
		uint32_t at = node(u, variable)->parent;

		if (node(u, node(u, at)->parent)->kind != TREE_FOR)
			oblige_elements(u, variable, &checks);
		if (checks.size)
			action_add(u, ACTION_BEHIND, at)->checks = keep(u, &checks);
		return;
	}
	buf_addf(&name, "__muster_v%u", number);
	text = keep(u, &name);
	for (size_t i = 0; i < u->conjuncts.size; i++) {
		const struct conjunct *c = &u->conjuncts.data[i];

		if (c->owner != OWNER_VARIABLE || c->decl != node(u, variable)->canon || c->arguments.size > MOST_ARGUMENTS ||
		    arguments_now(u, c, given))
			continue;
		for (size_t k = 0; k < c->arguments.size; k++)
			if (!c->arguments.data[k].decl)
				given[k] = x;
		s.name = name_value_text;
		s.ctx = (void *)text;
		oblige(u, c, given, &s);
	}
	oblige_type(u, node(u, variable)->type, x, text, &s);
	if (type_of(u, variable)->kind == TREE_TYPE_RECORD) {
		buf_addf(&name, "%s.", text);
		fields_of(u, node(u, variable)->type, keep(u, &name), &s);
	}
	if (!checks.size)
		return;
	a = action_add(u, ACTION_INITIAL, init);
	a->number = number;
	a->type = spelled(u, node(u, variable)->name);
	a->checks = keep(u, &checks);
}

/* Whether this declaration is the one that gives a global its first value. */
static int gives_value(struct unit *u, uint32_t variable)
{
	uint32_t canon = node(u, variable)->canon;

	if (node(u, variable)->init)
		return 1;
	if (node(u, variable)->is_extern)
		return 0;
	for (uint32_t n = node(u, 1)->first; n; n = node(u, n)->next)
		if (node(u, n)->kind == TREE_VARIABLE && node(u, n)->canon == canon && n != variable &&
		    (node(u, n)->init || (!node(u, n)->is_extern && n < variable)))
			return 0;
	return 1;
}

/* Lives as long as the program: the value is a constant. What is not decided is looked at before main, or where the block begins. */
void oblige_global(struct unit *u, uint32_t variable)
{
	const struct tree_node *v = node(u, variable);
	struct buf checks = BUF_EMPTY, object = BUF_EMPTY;
	struct site s = {.n = variable, .place = REFINE_AT_INITIAL, .checks = &checks};
	unsigned width = type_width(u, v->type);
	uint32_t before = u->function, declaring = u->declaring;
	expr_t x = EXPR_NONE, given[MOST_ARGUMENTS];

	if (!(u->variables.data[v->canon].refined || type_of(u, variable)->kind == TREE_TYPE_RECORD ||
	      (type_of(u, variable)->kind == TREE_TYPE_ARRAY && type_of(u, variable)->count)) ||
	    !gives_value(u, variable))
		return;
	u->function = 0;
	u->predicate_depth++; /* constants: nothing in them is an obligation */
	if (width)
		x = v->init ? convert(u, value(u, v->init), node(u, v->init)->type, v->type) : expr_const(u->pool, width, 0);
	u->predicate_depth--;
	for (size_t i = 0; i < u->conjuncts.size; i++) {
		const struct conjunct *c = &u->conjuncts.data[i];

		if (c->owner != OWNER_VARIABLE || c->decl != v->canon || c->arguments.size > MOST_ARGUMENTS)
			continue;
		for (size_t k = 0; k < c->arguments.size; k++)
			given[k] = c->arguments.data[k].decl ? fresh(u, c->arguments.data[k].type) : x;
		s.name = v->is_global ? NULL : name_now;
		oblige(u, c, given, &s);
	}
	oblige_type(u, v->type, x, v->name, &s);
	if (type_of(u, variable)->kind == TREE_TYPE_RECORD) {
		buf_addf(&object, "%s.", v->name);
		fields_of(u, v->type, keep(u, &object), &s);
	} else if (type_of(u, variable)->kind == TREE_TYPE_ARRAY) {
		oblige_elements(u, variable, &checks);
	}
	u->function = before;
	u->declaring = declaring;
	if (!checks.size)
		return;
	if (v->is_global)
		buf_addf(&u->tail, "static __attribute__((constructor)) void muster_initial_%u(void) { %s}\n", u->names++,
			 buf_str(&checks));
	else
		action_add(u, ACTION_BEHIND, v->parent)->checks = keep(u, &checks);
	buf_release(&checks);
}
