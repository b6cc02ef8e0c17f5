/* render.c: the unit's text with its actions.
 *
 * A node without actions at it or below is copied as it stands. A node with actions is written anew around the text of
 * its parts; statement expressions keep values and order. Nothing gets a line of its own, so lines stay what they were.
 */
#include "refine/unit.h"

#include <ctype.h>
#include <string.h>

static void span(struct unit *u, uint32_t n, uint32_t from, uint32_t to, struct buf *out);

static struct action *action_of(struct unit *u, uint32_t n, enum action_kind kind)
{
	uint64_t number = 0;

	map_get(&u->action_first, n, &number);
	for (; number; number = u->action_next.data[number - 1])
		if (u->actions.data[number - 1].kind == kind)
			return &u->actions.data[number - 1];
	return NULL;
}

static void node_text(struct unit *u, uint32_t n, struct buf *out);

static void pieces(struct unit *u, uint32_t n, uint32_t from, uint32_t to, uint32_t *at, struct buf *out)
{
	for (uint32_t c = node(u, n)->first; c; c = node(u, c)->next) {
		const struct tree_node *x = node(u, c);

		if (!u->dirty.data[c])
			continue;
		if (x->kind == TREE_VARIABLE || x->kind == TREE_FUNCTION) { /* several may begin at one place */
			pieces(u, c, from, to, at, out);
		} else if (x->begin >= from && x->end <= to && x->begin >= *at) {
			buf_add(out, u->t->text + *at, x->begin - *at);
			node_text(u, c, out);
			*at = x->end;
		}
	}
}

/* The text from one place to another, with what of the node's parts lies between. */
static void span(struct unit *u, uint32_t n, uint32_t from, uint32_t to, struct buf *out)
{
	uint32_t at = from;

	pieces(u, n, from, to, &at, out);
	buf_add(out, u->t->text + at, to - at);
}

static void call_text(struct unit *u, uint32_t n, struct action *a, struct buf *out)
{
	uint32_t callee = node(u, n)->first, at, c;
	uint32_t function = referred(u, tree_bare(u->t, callee));
	int i = 0;

	buf_adds(out, "({ ");
	for (c = node(u, callee)->next; c; c = node(u, c)->next, i++) {
		uint32_t p = i < 64 && a->hoisted >> i & 1 ? function_parameter(u, function, i) : 0;

		if (!p)
			continue;
		if (type_of(u, p)->kind == TREE_TYPE_POINTER || type_of(u, p)->kind == TREE_TYPE_ARRAY)
			buf_adds(out, "__auto_type");
		else
			buf_addf(out, "__typeof__(%s)", type_text(u, node(u, p)->type));
		buf_addf(out, " __muster_a%u_%d = (", a->number, i);
		node_text(u, c, out);
		buf_adds(out, "); ");
	}
	buf_adds(out, a->checks);
	at = node(u, n)->begin;
	i = 0;
	for (c = node(u, callee)->next; c; c = node(u, c)->next, i++) {
		span(u, n, at, node(u, c)->begin, out);
		if (i < 64 && a->hoisted >> i & 1)
			buf_addf(out, "__muster_a%u_%d", a->number, i);
		else
			node_text(u, c, out);
		at = node(u, c)->end;
	}
	span(u, n, at, node(u, n)->end, out);
	buf_adds(out, "; })");
}

/* Operands under names, their checks, the operation, its checks. */
static void operands_text(struct unit *u, uint32_t n, struct action *a, const char *place, struct buf *out)
{
	const struct tree_node *x = node(u, n);
	uint32_t left = x->first, right = node(u, left)->next, k = a->number;
	const char *op = tree_op_text(x->op);

	buf_adds(out, "({ ");
	if (x->kind == TREE_ASSIGN && !place) {
		buf_addf(out, "__auto_type __muster_p%u = &(", k);
		node_text(u, left, out);
		buf_addf(out, "); %s __muster_a%u = *__muster_p%u; ", a->type, k, k);
	} else {
		buf_addf(out, "%s __muster_a%u = (", a->type, k);
		if (place)
			buf_adds(out, place);
		else
			node_text(u, left, out);
		buf_adds(out, "); ");
	}
	if (right) {
		buf_addf(out, "%s __muster_b%u = (", a->type, k);
		node_text(u, right, out);
		buf_adds(out, "); ");
	}
	buf_adds(out, a->checks);
	if (x->kind == TREE_ASSIGN) {
		if (*a->checks_late)
			buf_addf(out, "__auto_type __muster_r%u = __muster_a%u %s __muster_b%u; %s", k, k, op, k, a->checks_late);
		if (place)
			buf_addf(out, "%s %s= __muster_b%u; })", place, op, k);
		else
			buf_addf(out, "*__muster_p%u %s= __muster_b%u; })", k, op, k);
		return;
	}
	if (right)
		buf_addf(out, "__auto_type __muster_r%u = __muster_a%u %s __muster_b%u; ", k, k, op, k);
	else
		buf_addf(out, "__auto_type __muster_r%u = %s __muster_a%u; ", k, op, k);
	buf_addf(out, "%s__muster_r%u; })", a->checks_late, k);
}

/* Of an operator that assigns: the text of a place that can be written twice; NULL: it has effects or is no variable. */
static const char *plain_place(struct unit *u, uint32_t n, struct buf *keep)
{
	uint32_t left = node(u, n)->kind == TREE_ASSIGN ? tree_bare(u->t, node(u, n)->first) : 0;

	if (!left || node(u, left)->kind != TREE_NAME)
		return NULL;
	buf_adds(keep, node(u, left)->name);
	return buf_str(keep);
}

static void core_text(struct unit *u, uint32_t n, const char *place, struct buf *out)
{
	struct action *a;
	struct buf name = BUF_EMPTY;

	if ((a = action_of(u, n, ACTION_OPERANDS))) {
		operands_text(u, n, a, place ? place : plain_place(u, n, &name), out);
	} else if ((a = action_of(u, n, ACTION_ARGUMENTS))) {
		call_text(u, n, a, out);
	} else if (place) {
		uint32_t target = node(u, n)->first;

		span(u, n, node(u, n)->begin, node(u, target)->begin, out);
		buf_adds(out, place);
		span(u, n, node(u, target)->end, node(u, n)->end, out);
	} else {
		span(u, n, node(u, n)->begin, node(u, n)->end, out);
	}
	buf_release(&name);
}

/* The type of the name that keeps an expression's value. */
static void kept_type(struct unit *u, uint32_t n, struct buf *out)
{
	uint32_t target = node(u, n)->first ? tree_bare(u->t, node(u, n)->first) : 0;
	uint32_t field = target && node(u, target)->kind == TREE_MEMBER ? referred(u, target) : 0;

	if (field && node(u, field)->is_bits)
		buf_addf(out, "__typeof__(%s)", type_text(u, node(u, field)->type));
	else
		buf_adds(out, "__auto_type");
}

static void object_text(struct unit *u, uint32_t n, struct action *a, struct buf *out)
{
	uint32_t member = tree_bare(u->t, node(u, n)->first);
	struct buf place = BUF_EMPTY;

	buf_addf(out, "({ __auto_type __muster_o%u = %s(", a->number, node(u, member)->arrow ? "" : "&");
	node_text(u, node(u, member)->first, out);
	buf_adds(out, "); ");
	kept_type(u, n, out);
	buf_addf(out, " __muster_v%u = (", a->number);
	buf_addf(&place, "__muster_o%u->%s", a->number, node(u, member)->name);
	core_text(u, n, buf_str(&place), out);
	buf_addf(out, "); %s__muster_v%u; })", a->checks, a->number);
	buf_release(&place);
}

static void after_text(struct unit *u, uint32_t n, struct action *a, struct buf *out)
{
	buf_adds(out, "({ ");
	if (type_of(u, n)->kind == TREE_TYPE_VOID) {
		core_text(u, n, NULL, out);
		buf_addf(out, "; %s})", a->checks);
		return;
	}
	kept_type(u, n, out);
	buf_addf(out, " __muster_v%u = (", a->number);
	core_text(u, n, NULL, out);
	buf_addf(out, "); %s__muster_v%u; })", a->checks, a->number);
}

static void value_text(struct unit *u, uint32_t n, struct buf *out)
{
	struct action *a;

	if ((a = action_of(u, n, ACTION_OBJECT)))
		object_text(u, n, a, out);
	else if ((a = action_of(u, n, ACTION_AFTER)))
		after_text(u, n, a, out);
	else
		core_text(u, n, NULL, out);
}

static void block_text(struct unit *u, uint32_t n, struct buf *out)
{
	const struct tree_node *x = node(u, n);
	struct action *end = action_of(u, n, ACTION_END);
	uint64_t number = 0;

	buf_adds(out, "{ ");
	map_get(&u->action_first, n, &number);
	for (; number; number = u->action_next.data[number - 1]) /* the last one first: pointers are made before checks */
		if (u->actions.data[number - 1].kind == ACTION_INSIDE)
			buf_adds(out, u->actions.data[number - 1].checks);
	span(u, n, x->begin + 1, x->end - 1, out);
	buf_addf(out, "%s}", end ? end->checks : "");
}

static void node_text(struct unit *u, uint32_t n, struct buf *out)
{
	const struct tree_node *x = node(u, n);
	struct action *a;

	if (!u->dirty.data[n]) {
		buf_add(out, u->t->text + x->begin, x->end - x->begin);
		return;
	}
	if (x->kind == TREE_ASM && (a = action_of(u, n, ACTION_BEHIND))) { /* perhaps the only statement of a branch */
		buf_adds(out, "({ ");
		value_text(u, n, out);
		buf_addf(out, "; %s})", a->checks);
		return;
	}
	if (x->kind == TREE_RETURN && (a = action_of(u, n, ACTION_END))) {
		buf_addf(out, "({ %s", a->checks);
		value_text(u, n, out);
		buf_adds(out, "; })");
		return;
	}
	if ((a = action_of(u, n, ACTION_INITIAL))) {
		int list = x->kind == TREE_LIST;

		buf_addf(out, "({ %s __muster_v%u = %s", a->type, a->number, list ? "" : "(");
		value_text(u, n, out);
		buf_addf(out, "%s; %s__muster_v%u; })", list ? "" : ")", a->checks, a->number);
	} else if (x->kind == TREE_BLOCK) {
		block_text(u, n, out);
	} else {
		value_text(u, n, out);
	}
	uint64_t number = 0;

	map_get(&u->action_first, n, &number);
	for (; number; number = u->action_next.data[number - 1])
		if (u->actions.data[number - 1].kind == ACTION_BEHIND)
			buf_addf(out, " %s", u->actions.data[number - 1].checks);
}

/* An annotate("muster...") that has been read: "muster.refine:" becomes "muster.refined:", so that it is not done twice;
 * or all of them go. */
static void annotations(struct buf *text, int strip)
{
	static const char word[] = "annotate(";
	struct buf out = BUF_EMPTY;
	const char *from = buf_str(text), *end = from + text->size, *s;

	while (from < end) {
		if (*from == 'a' && !strncmp(from, word, sizeof word - 1)) {
			for (s = from + sizeof word - 1; isspace((unsigned char)*s);)
				s++;
			if (strip && (!strncmp(s, "\"muster.refine", 14) || !strncmp(s, "\"muster.operator", 16))) {
				while (s < end && *s != ')') {
					if (*s == '"')
						for (s++; s < end && *s != '"'; s++)
							s += *s == '\\';
					s++;
				}
				from = s < end ? s + 1 : s;
				continue;
			}
			if (!strip && !strncmp(s, "\"" REFINE_MARK, 15)) {
				buf_adds(&out, "annotate(\"muster.refined:");
				from = s + 15;
				continue;
			}
			if (!strip && !strncmp(s, "\"" REFINE_OPERATOR_MARK, 17)) {
				buf_adds(&out, "annotate(\"muster.operators:");
				from = s + 17;
				continue;
			}
		}
		buf_addc(&out, *from++);
	}
	buf_release(text);
	*text = out;
}

void refine_strip(struct buf *text)
{
	annotations(text, 1);
}

void render(struct unit *u, struct buf *out)
{
	static const char declaration[] =
	    "void muster_refine_holds(int holds, const char *text, const char *file, int line);";
	const char *line = u->t->size && u->t->text[0] == '#' ? memchr(u->t->text, '\n', u->t->size) : NULL;

	/* A marker in the first line is the unit's name: it stays first. */
	if (line) {
		buf_add(out, u->t->text, (size_t)(line + 1 - u->t->text));
		buf_addf(out, "%s\n", declaration);
	} else {
		buf_addf(out, "%s ", declaration);
	}
	span(u, 1, 0, (uint32_t)u->t->size, out);
	if (u->tail.size) {
		buf_adds(out, "\n# 1 \"<muster>\"\n");
		buf_add(out, u->tail.data, u->tail.size);
	}
	annotations(out, 0);
}
