/* predicate.c: a function at file scope for each conjunct, put before the declaration that has it.
 *
 * It goes after the last semicolon or function body that precedes that declaration at file scope (or, if that is no function, that ends it), with line
 * markers around it: clang's words about a condition name the refinement, and all lines keep their numbers. What the condition names
 * beside the values that it is given is thereby what it would be at that place. A conjunct of a global variable gets
 * a second function after the declaration, which looks at the variable as it is now.
 */
#include "refine/unit.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

struct insertion {
	uint32_t at, order;
	struct buf text;
};
struct insertions {
	VEC(struct insertion) list;
	VEC(uint32_t) ends; /* of declarations at file scope, ascending */
};

const char *type_text(struct unit *u, uint32_t type)
{
	const struct tree_type *t = &u->t->types.data[type];
	char *s;

	if (*t->name)
		return t->name;
	if (t->kind == TREE_TYPE_POINTER)
		return "void *";
	s = arena_alloc(&u->r->arena, 32);
	strcpy(s, t->is_signed ? "" : "unsigned ");
	strcat(s, t->bits == 8 ? "char" : t->bits == 16 ? "short" : t->bits == 32 ? "int" : "long");
	return s;
}

/* Where declarations at file scope end: after semicolons outside of all brackets, and after bodies. */
static void find_ends(struct unit *u, struct insertions *in)
{
	const char *text = u->t->text;
	size_t size = u->t->size, i = 0;
	uint32_t body = node(u, 1)->first;
	int depth = 0;

	vec_push(&in->ends, 0);
	while (i < size) {
		char c = text[i];

		if (c == '"' || c == '\'') {
			for (i++; i < size && text[i] != c; i++)
				i += text[i] == '\\';
		} else if (c == '#' && (!i || text[i - 1] == '\n')) {
			while (i + 1 < size && text[i] != '\n')
				i++;
		}
		depth += c == '{' || c == '(' || c == '[';
		depth -= c == '}' || c == ')' || c == ']';
		i++;
		while (body && (node(u, body)->kind != TREE_FUNCTION || !node(u, body)->defined || node(u, body)->end < i))
			body = node(u, body)->next;
		if (!depth && (c == ';' || (c == '}' && body && node(u, body)->end == i)))
			vec_push(&in->ends, (uint32_t)i);
	}
}

static uint32_t top_level(struct unit *u, uint32_t n)
{
	while (node(u, n)->parent != 1)
		n = node(u, n)->parent;
	return n;
}

/* The last end that is not after the offset. */
static uint32_t end_before(const struct insertions *in, uint32_t offset)
{
	size_t low = 0, high = in->ends.size;

	while (high - low > 1) {
		size_t mid = (low + high) / 2;

		if (in->ends.data[mid] <= offset)
			low = mid;
		else
			high = mid;
	}
	return in->ends.data[low];
}

static uint32_t end_behind(const struct insertions *in, uint32_t offset)
{
	uint32_t before = end_before(in, offset);

	for (size_t i = 0; i < in->ends.size; i++)
		if (in->ends.data[i] > before)
			return in->ends.data[i];
	return before;
}

/* The line that an offset stands in, counted from a declaration whose line is known. */
static long line_at(struct unit *u, uint32_t offset, uint32_t n)
{
	long line = node(u, n)->line;
	uint32_t at = node(u, n)->at;

	for (uint32_t i = offset; i < at; i++)
		line -= u->t->text[i] == '\n';
	for (uint32_t i = at; i < offset; i++)
		line += u->t->text[i] == '\n';
	return line > 0 ? line : 1;
}

static void marker(struct buf *out, long line, const char *file)
{
	buf_addf(out, "\n# %ld ", line);
	words_quote(file, out);
	buf_addc(out, '\n');
}

static struct buf *insertion(struct insertions *in, uint32_t at)
{
	vec_push(&in->list, (struct insertion){at, (uint32_t)in->list.size, BUF_EMPTY});
	return &vec_last(&in->list).text;
}

int by_address(struct unit *u, const struct conjunct *c, const struct argument *a)
{
	int parameter = a->index != SELF && !a->decl;

	(void)c;
	return u->t->types.data[a->type].kind == TREE_TYPE_ARRAY && !parameter;
}

/* After the declaration, whose own types and constants are then known; before functions, which use it. */
static uint32_t place_of(struct unit *u, struct insertions *in, const struct conjunct *c)
{
	uint32_t top = top_level(u, c->site);

	if (node(u, top)->kind != TREE_FUNCTION && c->owner != OWNER_PARAMETER && c->owner != OWNER_RESULT)
		return end_behind(in, node(u, c->site)->at);
	return end_before(in, node(u, top)->begin);
}

static void add_parameter(struct unit *u, const struct conjunct *c, const struct argument *a, struct buf *out)
{
	const struct tree_type *t = &u->t->types.data[a->type];

	if (by_address(u, c, a))
		buf_addf(out, "__typeof__(%s) *%s", type_text(u, a->type), a->name);
	else if (t->kind == TREE_TYPE_ARRAY) /* of a function: a pointer */
		buf_addf(out, "__typeof__(%s) *%s", type_text(u, t->to), a->name);
	else if (c->owner == OWNER_TYPEDEF && node(u, node(u, c->site)->parent)->kind == TREE_UNIT)
		buf_addf(out, "__typeof__(%s) %s", a->name, a->name);
	else
		buf_addf(out, "__typeof__(%s) %s", type_text(u, a->type), a->name);
}

/* An array stays one: it comes by its address, and its name means what is there. */
static void add_condition(struct unit *u, const struct conjunct *c, struct buf *out)
{
	struct buf text = BUF_EMPTY;
	const char *names[64];
	size_t count = 0;

	for (size_t i = 0; i < c->arguments.size && count < 64; i++)
		if (by_address(u, c, &c->arguments.data[i]))
			names[count++] = c->arguments.data[i].name;
	if (count)
		words_star(c->text, names, count, &text);
	words_straight(count ? buf_str(&text) : c->text, out);
	buf_release(&text);
}

static void add_predicate(struct unit *u, struct insertions *in, uint32_t number)
{
	struct conjunct *c = &u->conjuncts.data[number];
	uint32_t top = top_level(u, c->site), at = place_of(u, in, c);
	struct buf *out = insertion(in, at), words = BUF_EMPTY;

	buf_addf(&words, "%s:%u: refinement '%s'", node(u, c->site)->file, node(u, c->site)->line, c->text);
	marker(out, 1, buf_str(&words));
	buf_addf(out, "static __attribute__((unused)) int " REFINE_HOLDS "%u(", number);
	for (size_t i = 0; i < c->arguments.size; i++) {
		buf_adds(out, i ? ", " : "");
		add_parameter(u, c, &c->arguments.data[i], out);
	}
	buf_addf(out, "%s) { return ", c->arguments.size ? "" : "void");
	add_condition(u, c, out);
	buf_adds(out, "; }");
	marker(out, line_at(u, at, top), node(u, top)->file);
	buf_release(&words);
}

/* As the variable is now: for checks in places where another variable may have its name. */
static void add_now(struct unit *u, struct insertions *in, uint32_t number)
{
	struct conjunct *c = &u->conjuncts.data[number];
	uint32_t at = end_behind(in, node(u, c->site)->at);
	struct buf *out = insertion(in, at);

	marker(out, 1, "<muster>");
	buf_addf(out, "static __attribute__((unused)) int " REFINE_NOW "%u(void) { return " REFINE_HOLDS "%u(%s); }", number,
		 number, c->arguments.size ? node(u, c->site)->name : "");
	marker(out, line_at(u, at, c->site), node(u, c->site)->file);
}

static int by_place(const void *a, const void *b)
{
	const struct insertion *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

void predicates_add(struct unit *u, struct buf *out)
{
	struct insertions in = {0};
	uint32_t at = 0;

	find_ends(u, &in);
	for (uint32_t i = 0; i < u->conjuncts.size; i++) {
		add_predicate(u, &in, i);
		if (u->conjuncts.data[i].owner == OWNER_VARIABLE && node(u, u->conjuncts.data[i].site)->is_global)
			add_now(u, &in, i);
	}
	qsort(in.list.data, in.list.size, sizeof *in.list.data, by_place);
	for (size_t i = 0; i < in.list.size; i++) {
		struct insertion *x = &in.list.data[i];

		buf_add(out, u->t->text + at, x->at - at);
		buf_add(out, x->text.data, x->text.size);
		at = x->at;
		buf_release(&x->text);
	}
	buf_add(out, u->t->text + at, u->t->size - at);
	vec_release(&in.list);
	vec_release(&in.ends);
}

/* --------------------------------------------------------------- second tree */
/* Globals that a condition names; -1 if it does something. */
static int scan(struct unit *u, struct conjunct *c, uint32_t n)
{
	const struct tree_node *x = node(u, n);
	uint32_t d = x->kind == TREE_NAME ? referred(u, n) : 0;

	if (x->kind == TREE_ASSIGN || (x->kind == TREE_UNARY && x->op >= TREE_OP_POSTINC && x->op <= TREE_OP_PREDEC)) {
		u->failed = 1;
		return error_set("%s:%u: refinement \"%s\": a condition must not change anything", node(u, c->site)->file,
				 node(u, c->site)->line, c->text);
	}
	if (d && node(u, d)->kind == TREE_VARIABLE && node(u, d)->is_global)
		vec_push(&c->globals, d);
	for (uint32_t i = x->first; i; i = node(u, i)->next)
		if (scan(u, c, i))
			return -1;
	return 0;
}

int predicates_bind(struct unit *u)
{
	uint32_t missing = (uint32_t)u->conjuncts.size;

	for (uint32_t n = node(u, 1)->first; n; n = node(u, n)->next) {
		const char *name = node(u, n)->name;
		struct conjunct *c;
		unsigned long number;
		uint32_t body;

		if (node(u, n)->kind != TREE_FUNCTION || strncmp(name, REFINE_HOLDS, strlen(REFINE_HOLDS)))
			continue;
		number = strtoul(name + strlen(REFINE_HOLDS), NULL, 10);
		if (number >= u->conjuncts.size)
			continue;
		c = &u->conjuncts.data[number];
		for (body = node(u, n)->first; body && node(u, body)->kind != TREE_BLOCK;)
			body = node(u, body)->next;
		if (!body || node(u, node(u, body)->first)->kind != TREE_RETURN)
			continue;
		c->predicate = n;
		c->condition = node(u, node(u, body)->first)->first;
		missing--;
		if (scan(u, c, c->condition))
			return -1;
	}
	return missing ? error_set("refinements were not carried over: %u of %zu", missing, u->conjuncts.size) : 0;
}
