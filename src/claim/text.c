/* text.c: the text with assertions in it.
 *
 * A node without a patch at it or below is copied as it stands. A patched one becomes a statement expression: operands into variables
 * of their own types (what C converts them to is computed by __typeof__ over the text as it was, which evaluates nothing), the
 * assertion, the value. Nothing gets a line of its own, so that lines stay what they were. What an assignment or step changes is named
 * twice where that is harmless, else reached through its address.
 */
#include "claim/unit.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>

#define WORDS_MAX 100 /* characters of the operation in the assertion's words */
#define LIMIT "2147483648" /* bytes of an allocation that are beyond all measure: runtime/check.c's */
#define STACK_LIMIT "8388608" /* elements on the stack, likewise */

static void node_text(struct work *w, uint32_t n, struct buf *out);

static void patched_text(struct work *w, uint32_t n, size_t number, struct buf *out);

static void pieces(struct work *w, uint32_t n, uint32_t from, uint32_t to, uint32_t *at, struct buf *out)
{
	for (uint32_t c = node(w, n)->first; c; c = node(w, c)->next) {
		const struct tree_node *x = node(w, c);

		if (!map_get(&w->dirty, c, NULL))
			continue;
		if (x->kind == TREE_VARIABLE || x->kind == TREE_FUNCTION) { /* several may begin at one place */
			pieces(w, c, from, to, at, out);
		} else if (x->begin >= from && x->end <= to && x->begin >= *at) {
			buf_add(out, w->t->text + *at, x->begin - *at);
			node_text(w, c, out);
			*at = x->end;
		}
	}
}

static void span(struct work *w, uint32_t n, uint32_t from, uint32_t to, struct buf *out)
{
	uint32_t at = from;

	pieces(w, n, from, to, &at, out);
	buf_add(out, w->t->text + at, to - at);
}

/* As it was, whatever is patched in it. */
static void plain(const struct work *w, uint32_t n, struct buf *out)
{
	const char *s = w->t->text + node(w, n)->begin;
	size_t size = node(w, n)->end - node(w, n)->begin;
	int marked = memmem(s, size, "\n#", 2) != NULL;

	buf_addc(out, '(');
	for (size_t i = 0; i < size; i++)
		buf_addc(out, s[i] == '\n' && !marked ? ' ' : s[i]);
	buf_addc(out, ')');
}

static void quoted(const char *s, size_t size, struct buf *out)
{
	for (size_t i = 0; i < size && i < WORDS_MAX; i++) {
		if (s[i] == '"' || s[i] == '\\')
			buf_addc(out, '\\');
		buf_addc(out, (unsigned char)s[i] < ' ' ? ' ' : s[i]);
	}
	if (size > WORDS_MAX)
		buf_adds(out, "...");
}

/* (CONDITION) ? (void)0 : __assert_fail("KIND: TEXT", ...); */
static void assertion(struct work *w, uint32_t n, const char *condition, struct buf *out)
{
	const struct tree_node *x = node(w, n);

	buf_addf(out, "(%s) ? (void)0 : __assert_fail(\"%s: ", condition, w->c->kind);
	quoted(w->t->text + x->begin, x->end - x->begin, out);
	buf_adds(out, "\", \"");
	quoted(w->c->file, strlen(w->c->file), out);
	buf_addf(out, "\", %u, __func__); ", w->c->line);
}

/* What an assignment or step changes, as an lvalue for several uses: its text, or *__muster_p with the pointer declared in *out. */
static void changed(struct work *w, uint32_t left, unsigned k, struct buf *name, struct buf *out)
{
	if (claim_is_pure(w, left)) {
		plain(w, left, name);
		return;
	}
	buf_addf(out, "__auto_type __muster_p%u = &(", k);
	node_text(w, left, out);
	buf_adds(out, "); ");
	buf_addf(name, "(*__muster_p%u)", k);
}

static const char *operation(enum tree_op op)
{
	return op == TREE_OP_ADD ? "add" : op == TREE_OP_SUB ? "sub" : "mul";
}

/* __typeof__((L) op (R)) */
static void type_of_result(const struct work *w, uint32_t left, uint32_t right, const char *op, struct buf *out)
{
	buf_adds(out, "__typeof__(");
	plain(w, left, out);
	buf_addf(out, " %s ", op);
	if (right)
		plain(w, right, out);
	else
		buf_addc(out, '1');
	buf_adds(out, ") ");
}

static void finish_change(const struct tree_node *x, const char *name, unsigned k, struct buf *out)
{
	if (x->kind == TREE_ASSIGN)
		buf_addf(out, "%s %s= __muster_b%u; })", name, tree_op_text(x->op), k);
	else if (x->op == TREE_OP_PREINC || x->op == TREE_OP_PREDEC)
		buf_addf(out, "%s%s; })", tree_op_text(x->op), name);
	else
		buf_addf(out, "%s%s; })", name, tree_op_text(x->op));
}

/* Of an assignment with an operator, ++ and --: the operands under names; the operator in *op. */
static void change_operands(struct work *w, const struct patch *p, struct buf *name, enum tree_op *op, struct buf *out)
{
	const struct tree_node *x = node(w, p->node);
	uint32_t left = x->first, right = x->kind == TREE_ASSIGN ? node(w, left)->next : 0;
	unsigned k = p->number;

	*op = x->kind == TREE_ASSIGN ? (enum tree_op)x->op
	      : x->op == TREE_OP_PREINC || x->op == TREE_OP_POSTINC ? TREE_OP_ADD : TREE_OP_SUB;
	changed(w, left, k, name, out);
	if (right) { /* of its own type: an assignment converts to what it needs */
		buf_addf(out, "__auto_type __muster_b%u = (", k);
		node_text(w, right, out);
		buf_adds(out, "); ");
	} else {
		buf_addf(out, "int __muster_b%u = 1; ", k);
	}
}

static void overflow_change(struct work *w, const struct patch *p, struct buf *out)
{
	const struct tree_node *x = node(w, p->node);
	struct buf name = {0}, condition = {0};
	unsigned k = p->number;
	enum tree_op op;

	change_operands(w, p, &name, &op, out);
	buf_addf(out, "__typeof__(%s + __muster_b%u) __muster_x%u = %s, __muster_y%u = __muster_b%u, __muster_r%u; ", buf_str(&name), k, k,
		 buf_str(&name), k, k, k);
	buf_addf(&condition, "!__builtin_%s_overflow(__muster_x%u, __muster_y%u, &__muster_r%u)", operation(op), k, k, k);
	assertion(w, p->node, buf_str(&condition), out);
	finish_change(x, buf_str(&name), k, out);
	buf_release(&name);
	buf_release(&condition);
}

static void overflow_text(struct work *w, const struct patch *p, struct buf *out)
{
	const struct tree_node *x = node(w, p->node);
	uint32_t left = x->first, right = node(w, left)->next;
	struct buf condition = {0};
	unsigned k = p->number;

	buf_adds(out, "({ ");
	if (x->kind != TREE_BINARY && !(x->kind == TREE_UNARY && x->op == TREE_OP_MINUS)) {
		overflow_change(w, p, out);
		return;
	}
	if (x->kind == TREE_UNARY) {
		type_of_result(w, left, 0, "*", out);
		buf_addf(out, "__muster_a%u = (", k);
		node_text(w, left, out);
		buf_adds(out, "); ");
		buf_addf(&condition, "__muster_a%u == 0", k);
		assertion(w, p->node, buf_str(&condition), out);
		buf_addf(out, "-__muster_a%u; })", k);
	} else {
		type_of_result(w, left, right, tree_op_text(x->op), out);
		buf_addf(out, "__muster_a%u = (", k);
		node_text(w, left, out);
		buf_addf(out, "), __muster_b%u = (", k);
		node_text(w, right, out);
		buf_addf(out, "), __muster_r%u; ", k);
		buf_addf(&condition, "!__builtin_%s_overflow(__muster_a%u, __muster_b%u, &__muster_r%u)", operation(x->op), k, k, k);
		assertion(w, p->node, buf_str(&condition), out);
		buf_addf(out, "__muster_r%u; })", k);
	}
	buf_release(&condition);
}

/* -------------------------------------------------------------- conversions */

static const char *type_name(const struct tree_type *t)
{
	switch (t->bits) {
	case 8: return t->is_signed ? "signed char" : "unsigned char";
	case 16: return t->is_signed ? "short" : "unsigned short";
	case 32: return t->is_signed ? "int" : "unsigned";
	case 64: return t->is_signed ? "long" : "unsigned long";
	default: return t->is_signed ? "__int128" : "unsigned __int128";
	}
}

static void same_value(struct work *w, const struct patch *p, const char *value, struct buf *out)
{
	struct buf condition = {0};

	buf_addf(&condition, "(__int128)(%s)%s == (__int128)%s", type_name(&p->to), value, value);
	assertion(w, p->node, buf_str(&condition), out);
	buf_release(&condition);
}

static void convert_text(struct work *w, const struct patch *p, struct buf *out)
{
	const struct tree_node *x = node(w, p->node);
	struct buf name = {0};
	unsigned k = p->number;
	char value[40];
	enum tree_op op;

	snprintf(value, sizeof value, "__muster_v%u", k);
	buf_adds(out, "({ ");
	if (x->kind == TREE_CONVERT) {
		buf_addf(out, "%s %s = (", type_name(type_of(w, x->first)), value);
		node_text(w, x->first, out);
		buf_adds(out, "); ");
		same_value(w, p, value, out);
		buf_addf(out, "%s; })", value);
		return;
	}
	change_operands(w, p, &name, &op, out);
	buf_addf(out, "__auto_type %s = %s %s __muster_b%u; ", value, buf_str(&name), tree_op_text(op), k);
	same_value(w, p, value, out);
	finish_change(x, buf_str(&name), k, out);
	buf_release(&name);
}

/* -------------------------------------------------------------------- sizes */

/* Does it count as a number with a sign, whatever type it has? A difference does, and what was converted from such a number. */
static int is_signed(const struct work *w, uint32_t n)
{
	for (;;) {
		const struct tree_node *x = node(w, n);
		uint32_t c = x->first;

		if (type_of(w, n)->kind == TREE_TYPE_INT && type_of(w, n)->is_signed)
			return 1;
		if (x->kind == TREE_BINARY)
			return x->op == TREE_OP_SUB;
		if (x->kind != TREE_PAREN && x->kind != TREE_CONVERT && x->kind != TREE_CAST)
			return 0;
		while (c && node(w, c)->next)
			c = node(w, c)->next;
		if (!c)
			return 0;
		n = c;
	}
}

/* The value of a variable that has the operation's type, as a number. */
static void reading(const char *name, unsigned k, int with_sign, struct buf *out)
{
	char value[32];

	snprintf(value, sizeof value, "__muster_%s%u", name, k);
	if (with_sign)
		buf_addf(out, "(sizeof %s == 4 ? (__int128)(int)%s : (__int128)(long)%s)", value, value, value);
	else
		buf_addf(out, "(__int128)%s", value);
}

/* __muster_wrapped_K = it does not fit. */
static void note_wrap(struct work *w, const struct patch *p, uint32_t left, uint32_t right, struct buf *out)
{
	const struct tree_node *x = node(w, p->node);
	unsigned k = p->number;

	buf_addf(out, "__int128 __muster_x%u = ", k);
	reading("a", k, is_signed(w, left), out);
	buf_addf(out, ", __muster_y%u = ", k);
	if (x->op == TREE_OP_SHL)
		buf_addf(out, "(__int128)1 << (__muster_b%u & 63)", k);
	else
		reading("b", k, is_signed(w, right), out);
	buf_addf(out, ", __muster_e%u; ", k);
	buf_addf(out,
		 "__muster_wrapped_%u = __builtin_%s_overflow(__muster_x%u, __muster_y%u, &__muster_e%u) || "
		 "(__muster_x%u < 0 || __muster_y%u < 0 || (__typeof__(__muster_a%u))-1 < 0 ? "
		 "__muster_e%u < -((__int128)1 << (8 * sizeof __muster_a%u - 1)) || __muster_e%u >= (__int128)1 << (8 * sizeof __muster_a%u - 1) : "
		 "__muster_e%u >> 8 * sizeof __muster_a%u != 0); ",
		 k, x->op == TREE_OP_ADD ? "add" : "mul", k, k, k, k, k, k, k, k, k, k, k, k);
}

static void wrap_text(struct work *w, const struct patch *p, struct buf *out)
{
	const struct tree_node *x = node(w, p->node);
	uint32_t left = x->first, right = node(w, left)->next;
	const char *op = tree_op_text(x->op);
	unsigned k = p->number;

	buf_adds(out, "({ ");
	type_of_result(w, left, right, op, out);
	buf_addf(out, "__muster_a%u = (", k);
	if (x->kind == TREE_ASSIGN)
		plain(w, left, out);
	else
		node_text(w, left, out);
	buf_addf(out, "), __muster_b%u = (", k);
	node_text(w, right, out);
	buf_adds(out, "); ");
	note_wrap(w, p, left, right, out);
	if (x->kind == TREE_ASSIGN) {
		plain(w, left, out);
		buf_addf(out, " %s= __muster_b%u; })", op, k);
	} else {
		buf_addf(out, "__muster_a%u %s __muster_b%u; })", k, op, k);
	}
}

/* && !__muster_wrapped_1 ...: of all. */
static void nothing_wrapped(const struct work *w, struct buf *out)
{
	for (size_t i = 0; i < w->patches.size; i++)
		if (w->patches.data[i].kind == PATCH_WRAP)
			buf_addf(out, " && !__muster_wrapped_%u", w->patches.data[i].number);
}

static void limit_text(struct work *w, const struct patch *p, struct buf *out)
{
	struct buf condition = {0};
	unsigned k = p->number;

	buf_addf(out, "({ unsigned long __muster_v%u = (", k);
	patched_text(w, p->node, p->under, out);
	buf_adds(out, "); ");
	buf_addf(&condition, "__muster_v%u <= %s", k, p->on_stack ? STACK_LIMIT : LIMIT);
	nothing_wrapped(w, &condition);
	assertion(w, p->node, buf_str(&condition), out);
	buf_addf(out, "__muster_v%u; })", k);
	buf_release(&condition);
}

static void room_text(struct work *w, const struct patch *p, struct buf *out)
{
	buf_adds(out, "({ unsigned long __muster_v = (");
	patched_text(w, p->node, p->under, out);
	buf_adds(out, "); ");
	assertion(w, node(w, p->node)->parent, p->room, out);
	buf_adds(out, "__muster_v; })");
}

/* calloc(A, B): the text up to A, its variable, the text up to B ... */
static void product_text(struct work *w, const struct patch *p, struct buf *out)
{
	struct buf condition = {0};
	unsigned k = p->number, i = 0;
	uint32_t first = node(w, node(w, p->node)->first)->next, at = node(w, p->node)->begin;

	buf_adds(out, "({ ");
	for (uint32_t c = first; c; c = node(w, c)->next, i++)
		if (i == p->first || i == p->second) {
			buf_addf(out, "unsigned long __muster_%s%u = (", i == p->first ? "a" : "b", k);
			node_text(w, c, out);
			buf_adds(out, "); ");
		}
	buf_addf(out, "unsigned long __muster_r%u; ", k);
	buf_addf(&condition, "!__builtin_mul_overflow(__muster_a%u, __muster_b%u, &__muster_r%u) && __muster_r%u <= " LIMIT, k, k, k, k);
	nothing_wrapped(w, &condition);
	assertion(w, p->node, buf_str(&condition), out);
	i = 0;
	for (uint32_t c = first; c; c = node(w, c)->next, i++) {
		if (i != p->first && i != p->second)
			continue;
		span(w, p->node, at, node(w, c)->begin, out);
		buf_addf(out, "__muster_%s%u", i == p->first ? "a" : "b", k);
		at = node(w, c)->end;
	}
	span(w, p->node, at, node(w, p->node)->end, out);
	buf_adds(out, "; })");
	buf_release(&condition);
}

/* number: of the patch, from 1; 0: none. */
static void patched_text(struct work *w, uint32_t n, size_t number, struct buf *out)
{
	const struct patch *p = number ? &w->patches.data[number - 1] : NULL;

	if (!p)
		span(w, n, node(w, n)->begin, node(w, n)->end, out);
	else if (p->kind == PATCH_OVERFLOW)
		overflow_text(w, p, out);
	else if (p->kind == PATCH_CONVERT)
		convert_text(w, p, out);
	else if (p->kind == PATCH_WRAP)
		wrap_text(w, p, out);
	else if (p->kind == PATCH_LIMIT)
		limit_text(w, p, out);
	else if (p->kind == PATCH_ROOM)
		room_text(w, p, out);
	else
		product_text(w, p, out);
}

static void node_text(struct work *w, uint32_t n, struct buf *out)
{
	uint64_t number = 0;

	map_get(&w->at, n, &number);
	patched_text(w, n, number, out);
}

/* ------------------------------------------------------------------ portable */

void claim_portable(const char *text, size_t size, struct buf *out)
{
	const char *end = text + size, *line;

	for (; text < end; text = line) {
		line = memchr(text, '\n', (size_t)(end - text));
		line = line ? line + 1 : end;
		int guarded = !strncmp(text, "typedef ", 8) && memmem(text, (size_t)(line - text), " _Float", 7);

		if (!guarded)
			buf_add(out, text, (size_t)(line - text));
		else
			buf_addc(out, '\n');
	}
}

void claim_render(struct work *w, struct buf *out)
{
	struct buf text = {0};

	buf_adds(out, "extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((__noreturn__));\n");
	for (size_t i = 0; i < w->patches.size; i++)
		if (w->patches.data[i].kind == PATCH_WRAP)
			buf_addf(out, "static int __muster_wrapped_%u;\n", w->patches.data[i].number);
	buf_adds(out, "# 1 \"<source>\"\n");
	span(w, 1, 0, (uint32_t)w->t->size, &text);
	claim_portable(buf_str(&text), text.size, out);
	buf_release(&text);
}
