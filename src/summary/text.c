/* text.c: summaries for people: P and Q as C expressions, and as SMT-LIB.
 *
 * A conjunct is written by expr_c, which is exact: its variables are unsigned numbers. A signed place is therefore written as (uint32_t)x, and where the operator reads
 * it as signed, (int32_t)(uint32_t)x, which is x. Marks around such a place distinguish these casts from those that are needed. What people write most (a pointer is null or another pointer,
 * a place has a value, two places are equal) is written as they would.
 */
#include "expr/text.h"

#include "summary/rebuild.h"
#include "summary/summary.h"

#include <stdio.h>
#include <string.h>

#define OPEN '\x01'
#define READ_DEPTH 8 /* of terms in which reads of elements are looked for */

/* ------------------------------------------------------------- numbers */

static void number(struct buf *out, u128 value, unsigned width, int is_signed)
{
	uint64_t v = (uint64_t)value;

	if (is_signed && width <= 64 && v >> (width - 1) & 1) {
		uint64_t m = width == 64 ? -v : ((uint64_t)1 << width) - v;
		if (m == (uint64_t)1 << 63 || m == (uint64_t)1 << 31)
			buf_addf(out, "(-%llu - 1)", (unsigned long long)(m - 1));
		else
			buf_addf(out, "-%llu", (unsigned long long)m);
	} else {
		buf_addf(out, "%llu%s", (unsigned long long)v, v >> 63 ? "u" : "");
	}
}

/* ------------------------------------------------------- plain conjuncts */

static int variable(struct exprs *p, expr_t e, struct place *pl)
{
	return place_of(p, e, pl);
}

/* base + bytes, for a pointer to `size` bytes. */
static void pointer_text(const struct place *base, uint64_t bytes, struct buf *out)
{
	struct buf text = BUF_EMPTY;

	place_text(base, &text);
	if (!bytes)
		buf_adds(out, buf_str(&text));
	else if (base->size && bytes % base->size == 0)
		buf_addf(out, "%s + %llu", buf_str(&text), (unsigned long long)(bytes / base->size));
	else
		buf_addf(out, "(void *)((char *)%s + %llu)", buf_str(&text), (unsigned long long)bytes);
	buf_release(&text);
}

static int pointer_side(struct exprs *p, expr_t e, struct buf *out)
{
	struct place pl;
	const struct expr_node n = *expr_get(p, e);
	u128 bytes;

	if (expr_is_const(p, e, &bytes) && !bytes) {
		buf_adds(out, "NULL");
		return 1;
	}
	if (variable(p, e, &pl) && pl.type == PLACE_POINTER) {
		pointer_text(&pl, 0, out);
		return 1;
	}
	if (n.op == MUSTER_OP_ADD && expr_is_const(p, n.b, &bytes) && bytes >> 63 == 0 && variable(p, n.a, &pl) && pl.type == PLACE_POINTER) {
		pointer_text(&pl, (uint64_t)bytes, out);
		return 1;
	}
	return 0;
}

/* a == b where both are what people write. 0: something else. */
static int equality(struct exprs *p, const struct expr_node *n, int negate, struct buf *out)
{
	const char *op = negate ? " != " : " == ";
	struct place x, y;
	u128 value;
	size_t mark = out->size;

	if (!variable(p, n->a, &x) && !variable(p, n->b, &x))
		return 0;
	if (x.type == PLACE_POINTER) {
		int after = variable(p, n->b, &y) && y.after; /* what it became stands left */
		if (pointer_side(p, after ? n->b : n->a, out) && (buf_adds(out, op), pointer_side(p, after ? n->a : n->b, out)))
			return 1;
		out->size = mark;
		return 0;
	}
	if (x.type == PLACE_FLOAT || !variable(p, n->a, &x))
		return 0;
	if (expr_is_const(p, n->b, &value)) {
		place_text(&x, out);
		buf_adds(out, op);
		number(out, value, expr_width(p, n->a), x.type == PLACE_SIGNED);
		return 1;
	}
	if (!variable(p, n->b, &y) || y.type != x.type)
		return 0;
	place_text(y.after ? &y : &x, out);
	buf_adds(out, op);
	place_text(y.after ? &x : &y, out);
	return 1;
}

/* ------------------------------------------------- elements of objects */

static void term_text(struct exprs *p, expr_t e, struct buf *out);

/* The text of the object's pointer, if the table is the elements of one object from the first on, all whole; else 0. */
static int table_of(struct exprs *p, expr_t data, struct place *first, unsigned *bytes, struct buf *base)
{
	uint64_t count = expr_data_count(p, data);
	struct place pl;

	for (uint64_t i = 0; i < count; i++) {
		expr_t e = expr_data_byte(p, data, i), variable = e;
		const struct expr_node n = *expr_get(p, e);
		struct buf text = BUF_EMPTY;

		if (n.op == MUSTER_OP_EXTRACT)
			variable = n.a;
		if (!place_of(p, variable, &pl) || pl.after || pl.type == PLACE_POINTER)
			return 0;
		if (!i) {
			*first = pl;
			*bytes = expr_width(p, variable) / 8;
			if (pl.text[0] == '*' && !strpbrk(pl.text + 1, "*([."))
				buf_adds(base, pl.text + 1);
			else if (strlen(pl.text) > 3 && !strcmp(pl.text + strlen(pl.text) - 3, "[0]"))
				buf_add(base, pl.text, strlen(pl.text) - 3);
			else
				return 0;
		}
		if (i >= *bytes)
			buf_addf(&text, "%s[%llu]", buf_str(base), (unsigned long long)(i / *bytes));
		int fits = expr_width(p, variable) == *bytes * 8 && expr_extract(p, variable, (unsigned)(i % *bytes) * 8, 8) == e && pl.type == first->type &&
			   (i < *bytes ? pl.path_size == first->path_size && !strncmp(pl.path, first->path, pl.path_size) : !strcmp(pl.text, buf_str(&text)));
		buf_release(&text);
		if (!fits)
			return 0;
	}
	return 1;
}

/* A read of an object's elements at an index that is no constant: p[i]. P says that i lies in the table. */
static expr_t element(void *ctx, expr_t e)
{
	struct exprs *p = ctx;
	const struct expr_node n = *expr_get(p, e);
	struct place first;
	struct buf base = BUF_EMPTY, text = BUF_EMPTY;
	unsigned bytes;
	expr_t made = EXPR_NONE;

	if (n.op != MUSTER_OP_READ)
		return EXPR_NONE;
	if (table_of(p, n.b, &first, &bytes, &base) && n.width == bytes * 8) {
		buf_addf(&text, "%s[", buf_str(&base));
		term_text(p, expr_binary(p, MUSTER_OP_UDIV, n.a, expr_const(p, 64, bytes)), &text);
		buf_addc(&text, ']');
		made = place_variable(p, n.width, first.type, 0, 0, "", buf_str(&text));
	}
	buf_release(&base);
	buf_release(&text);
	return made;
}

/* ---------------------------------------------------------- by expr_c */

static void name(void *ctx, expr_t v, struct buf *out)
{
	struct exprs *p = ctx;
	struct place pl;
	unsigned width = expr_width(p, v), bits = width <= 8 ? 8 : width <= 16 ? 16 : width <= 32 ? 32 : 64;

	if (!place_of(p, v, &pl)) {
		buf_adds(out, expr_name(p, v));
		return;
	}
	if (pl.type == PLACE_SIGNED && width == bits)
		buf_addf(out, "(uint%u_t)%c", bits, OPEN);
	else if (pl.type == PLACE_SIGNED)
		buf_addf(out, "((uint%u_t)", bits);
	else if (pl.type == PLACE_POINTER)
		buf_adds(out, "(uint64_t)");
	place_text(&pl, out);
	if (pl.type == PLACE_SIGNED && width != bits)
		buf_addf(out, " & %llu)", (1ull << width) - 1);
}

/* (int32_t)(uint32_t)x, of a place that is signed, is x. */
static void drop_casts(struct buf *text)
{
	struct buf out = BUF_EMPTY;

	for (const char *p = buf_str(text); *p; p++) {
		static const char *const casts[] = {"(int8_t)(uint8_t)\x01", "(int16_t)(uint16_t)\x01", "(int32_t)(uint32_t)\x01", "(int64_t)(uint64_t)\x01"};
		size_t skip = 0;

		for (unsigned i = 0; i < 4; i++)
			if (!strncmp(p, casts[i], strlen(casts[i])))
				skip = strlen(casts[i]);
		if (skip)
			p += skip - 1;
		else if (*p != OPEN)
			buf_addc(&out, *p);
	}
	buf_release(text);
	*text = out;
}

static void term_text(struct exprs *p, expr_t e, struct buf *out)
{
	struct buf text = BUF_EMPTY;

	expr_c(p, e, &text, NULL, name, p);
	drop_casts(&text);
	buf_adds(out, buf_str(&text));
	buf_release(&text);
}

static void pointers(struct exprs *p, expr_t e, struct buf *out)
{
	unsigned count = expr_arguments(p, e, NULL, 0);
	expr_t args[64];
	struct place pl;

	buf_addf(out, "%s(", expr_name(p, e));
	expr_arguments(p, e, args, 64);
	for (unsigned i = 0; i < count && i < 64; i++) {
		buf_adds(out, i ? ", " : "");
		if (place_of(p, args[i], &pl))
			place_text(&pl, out);
	}
	buf_addc(out, ')');
}

static void conjunct(struct exprs *p, expr_t e, struct buf *out);

/* Of several: those inside of one need no brackets of their own. */
static void alternative(struct exprs *p, expr_t e, struct buf *out)
{
	struct buf text = BUF_EMPTY;

	conjunct(p, e, &text);
	if (expr_get(p, e)->op == MUSTER_OP_OR && text.size > 2)
		buf_add(out, text.data + 1, text.size - 2);
	else
		buf_adds(out, buf_str(&text));
	buf_release(&text);
}

static void conjunct(struct exprs *p, expr_t e, struct buf *out)
{
	e = summary_rebuild(p, e, element, p, READ_DEPTH);
	struct expr_node n = *expr_get(p, e);
	struct buf text = BUF_EMPTY;
	int negate = n.op == MUSTER_OP_XOR && n.width == 1 && expr_is_const(p, n.b, NULL);
	struct place pl;

	if (negate)
		n = *expr_get(p, n.a);
	if (n.op == MUSTER_OP_EQ && equality(p, &n, negate, out))
		return;
	if (n.op == MUSTER_OP_OR && n.width == 1 && !negate) {
		buf_addc(out, '(');
		alternative(p, n.a, out);
		buf_adds(out, " || ");
		alternative(p, n.b, out);
		buf_addc(out, ')');
		return;
	}
	if (n.op == EXPR_OP_APPLY && !negate) {
		pointers(p, e, out);
		return;
	}
	if (!negate && variable(p, e, &pl)) {
		place_text(&pl, out);
		return;
	}
	term_text(p, e, &text);
	int wrap = strstr(buf_str(&text), " || ") || strchr(buf_str(&text), '?');
	buf_addf(out, wrap ? "(%s)" : "%s", buf_str(&text));
	buf_release(&text);
}

void summary_c(struct summaries *l, const expr_t *conjuncts, size_t count, struct buf *out)
{
	if (!count)
		buf_adds(out, "1");
	for (size_t i = 0; i < count; i++) {
		buf_adds(out, i ? " && " : "");
		conjunct(l->pool, conjuncts[i], out);
	}
}

void summary_smtlib(struct summaries *l, const struct summary *s, struct buf *out)
{
	VEC(expr_t) all = {0};

	for (size_t i = 0; i < s->pre.size; i++)
		vec_push(&all, s->pre.data[i]);
	for (size_t i = 0; i < s->post.size; i++)
		vec_push(&all, s->post.data[i]);
	buf_addf(out, "; %s, line %u: the first %zu assertions are P, the others are Q\n", s->function, s->line, s->pre.size);
	expr_smtlib(l->pool, all.data, (unsigned)all.size, out);
	vec_release(&all);
}
