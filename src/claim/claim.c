/* claim.c: finds the operation that a claim is about, and has it written anew.
 *
 * A report names a line and a column of the preprocessed text (the san variant is compiled from it); line markers say which
 * lines of the text are that line of that file. A node is meant if its own place is there, as clang reports it: a binary operator's is
 * the operator, a conversion's where its operand begins, a call's where it begins; and if its types fit. Whatever fits is
 * asserted: several nodes at one place make the same claim.
 */
#include "claim/claim.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "claim/unit.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int claim_is_wanted(const char *kind)
{
	return !strcmp(kind, "unsigned-integer-overflow") || !strncmp(kind, "implicit-", 9) || !strcmp(kind, "alloc-size") ||
	       !strcmp(kind, "sub-object");
}

/* "muster: refinement violated: TEXT at FILE:LINE", as it stands in the bug's words "(TEXT) does not hold". */
static int refinement_failed(const struct claim *c, const char *err)
{
	const char *p = c->message ? strstr(c->message, ": (") : NULL, *end = p ? strstr(p, ") does not hold") : NULL;
	char *line = p && end ? mem_printf("muster: refinement violated: %.*s at ", (int)(end - p - 3), p + 3) : NULL;
	int found = line && strstr(err, line);

	free(line);
	return found;
}

int claim_failed(const struct claim *c, const char *err)
{
	if (!strcmp(c->kind, "refinement"))
		return refinement_failed(c, err);
	char *mark = mem_printf(": Assertion `%s: ", c->kind), *line = mem_printf(":%u: ", c->line);
	const char *p = strstr(err, mark);
	const char *begin = p;
	int found = 0;

	while (begin && begin > err && begin[-1] != '\n')
		begin--;
	if (p) {
		const char *at = strstr(begin, line);

		found = at && at < p;
	}
	free(mark);
	free(line);
	return found;
}

/* ------------------------------------------------------------------ reports */

int claim_read(struct claim *c, const char *kind, const char *file, uint32_t line, const char *report, struct buf *message)
{
	char *place = mem_printf("%s:%u:", file_base(file), line);
	const char *p = report;
	int found = 0;

	*c = (struct claim){.kind = kind, .file = file, .line = line};
	for (; !found && (p = strstr(p, place)); p++) {
		const char *number = p + strlen(place);
		char *end;

		c->column = (uint32_t)strtoul(number, &end, 10);
		if (end == number || !c->column || strncmp(end, ": ", 2) || (p > report && !strchr("/ \n", p[-1])))
			continue;
		buf_clear(message);
		buf_add(message, end + 2, strcspn(end + 2, "\n"));
		c->message = buf_str(message);
		found = 1;
	}
	free(place);
	return found;
}

/* ------------------------------------------------------------------- places */

/* "# 12 "dir/x.c" 2": the file's name in *name, without quotes; 1, or 0. */
static int is_marker(const char *line, const char *end, uint32_t *number, const char **name, size_t *size)
{
	const char *p = line;
	char *after;

	if (p >= end || *p++ != '#')
		return 0;
	if (!strncmp(p, "line", 4))
		p += 4;
	while (p < end && *p == ' ')
		p++;
	if (p >= end || !isdigit((unsigned char)*p))
		return 0;
	*number = (uint32_t)strtoul(p, &after, 10);
	p = memchr(after, '"', (size_t)(end - after));
	if (!p)
		return 1;
	*name = p + 1;
	p = memrchr(*name, '"', (size_t)(end - *name));
	*size = p ? (size_t)(p - *name) : 0;
	return 1;
}

static int same_file(const char *a, size_t size, const char *b)
{
	const char *base = memrchr(a, '/', size);

	base = base ? base + 1 : a;
	size -= (size_t)(base - a);
	return strlen(file_base(b)) == size && !memcmp(file_base(b), base, size);
}

static void find_places(struct work *w)
{
	const char *text = w->t->text, *end = text + w->t->size, *name = "", *line = text;
	size_t size = 0;
	uint32_t number = 1;

	for (; line < end; number++) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));

		stop = stop ? stop : end;
		if (is_marker(line, stop, &number, &name, &size))
			number--;
		else if (number == w->c->line && same_file(name, size, w->c->file)) {
			vec_push(&w->lines, ((struct text_line){(uint32_t)(line - text), (uint32_t)(stop - text)}));
			if (w->c->column <= (size_t)(stop - line))
				vec_push(&w->places, (uint32_t)(line - text) + w->c->column - 1);
		}
		line = stop + 1;
	}
}

/* Where clang says that an expression is. */
static uint32_t own_place(const struct work *w, uint32_t n)
{
	const struct tree_node *x = node(w, n);
	uint32_t at = x->begin;

	if (x->kind == TREE_BINARY || x->kind == TREE_ASSIGN)
		at = node(w, x->first)->end;
	else if (x->kind == TREE_UNARY && (x->op == TREE_OP_POSTINC || x->op == TREE_OP_POSTDEC))
		at = node(w, x->first)->end;
	while (at < x->end && isspace((unsigned char)w->t->text[at]))
		at++;
	return at;
}

int claim_is_place(const struct work *w, uint32_t n)
{
	uint32_t at = own_place(w, n);

	for (size_t i = 0; i < w->places.size; i++)
		if (w->places.data[i] == at)
			return 1;
	return 0;
}

/* ------------------------------------------------------------------ patches */

struct patch *claim_patch(struct work *w, uint32_t n, enum patch_kind kind)
{
	uint64_t under = 0;
	int is_size = kind == PATCH_LIMIT || kind == PATCH_ROOM;

	if (map_get(&w->at, n, &under) && !(is_size && w->patches.data[under - 1].kind == PATCH_WRAP))
		return NULL;
	vec_push(&w->patches, ((struct patch){.node = n, .kind = kind, .number = (unsigned)w->patches.size + 1, .under = under}));
	map_set(&w->at, n, w->patches.size);
	for (uint32_t up = n; up && map_set(&w->dirty, up, 1); up = node(w, up)->parent)
		;
	w->wraps += kind == PATCH_WRAP;
	return &vec_last(&w->patches);
}

int claim_is_pure(const struct work *w, uint32_t n)
{
	const struct tree_node *x = node(w, n);

	if (x->kind != TREE_NAME && x->kind != TREE_NUMBER && x->kind != TREE_PAREN && x->kind != TREE_CONVERT && x->kind != TREE_CAST &&
	    x->kind != TREE_MEMBER && x->kind != TREE_INDEX && !(x->kind == TREE_UNARY && x->op == TREE_OP_DEREF) &&
	    x->kind != TREE_BINARY && x->kind != TREE_SIZEOF)
		return 0;
	if (type_of(w, n)->is_volatile)
		return 0;
	for (uint32_t c = x->first; c && x->kind != TREE_SIZEOF; c = node(w, c)->next)
		if (!claim_is_pure(w, c))
			return 0;
	return 1;
}

static int is_unsigned(const struct tree_type *t)
{
	return t->kind == TREE_TYPE_INT && !t->is_signed && t->bits >= 32;
}

static int is_step(const struct tree_node *x)
{
	return x->kind == TREE_UNARY &&
	       (x->op == TREE_OP_POSTINC || x->op == TREE_OP_POSTDEC || x->op == TREE_OP_PREINC || x->op == TREE_OP_PREDEC);
}

static int is_sum(const struct tree_node *x)
{
	return x->op == TREE_OP_ADD || x->op == TREE_OP_SUB || x->op == TREE_OP_MUL;
}

static void overflow_at(struct work *w, uint32_t n)
{
	const struct tree_node *x = node(w, n);
	int operates = (x->kind == TREE_BINARY && is_sum(x)) || is_step(x) || (x->kind == TREE_UNARY && x->op == TREE_OP_MINUS);

	if ((operates && is_unsigned(type_of(w, n))) || (x->kind == TREE_ASSIGN && is_sum(x) && type_of(w, n)->kind == TREE_TYPE_INT))
		claim_patch(w, n, PATCH_OVERFLOW);
}

/* "... of value -1 (32-bit, signed) to type 'unsigned char' changed the value to 255 (8-bit, unsigned)": the types of both. 0: not so. */
static int read_types(const char *message, struct tree_type type[2])
{
	const char *p = message;

	for (int i = 0; i < 2; i++) {
		unsigned bits;
		char sign[12];

		for (p = p ? strchr(p, '(') : NULL; p && sscanf(p, "(%u-bit, %11[a-z])", &bits, sign) != 2; p = strchr(p + 1, '('))
			;
		if (!p)
			return 0;
		type[i] = (struct tree_type){.kind = TREE_TYPE_INT, .bits = (uint8_t)bits, .is_signed = *sign == 's'};
		p++;
	}
	return 1;
}

static int same_type(const struct tree_type *a, const struct tree_type *b)
{
	return a->kind == b->kind && a->bits == b->bits && a->is_signed == b->is_signed;
}

static void convert_at(struct work *w, uint32_t n)
{
	const struct tree_node *x = node(w, n);
	struct tree_type told[2];
	struct patch *p = NULL;

	if (!w->c->message || !read_types(w->c->message, told)) {
		free(w->reason);
		w->reason = mem_strdup("the report does not say between which types the conversion is");
		return;
	}
	if (x->kind == TREE_CONVERT && same_type(type_of(w, n), &told[1]) && same_type(type_of(w, x->first), &told[0]))
		p = claim_patch(w, n, PATCH_CONVERT);
	else if ((is_step(x) || (x->kind == TREE_ASSIGN && x->op)) && same_type(type_of(w, n), &told[1]))
		p = claim_patch(w, n, PATCH_CONVERT);
	if (p)
		p->to = told[1];
}

static void size_at(struct work *w, uint32_t n)
{
	if (!strcmp(w->c->kind, "alloc-size"))
		claim_sizes(w, n);
	else if (!strcmp(w->c->kind, "sub-object"))
		claim_members(w, n);
}

static int is_in_line(const struct work *w, uint32_t n)
{
	for (size_t i = 0; i < w->lines.size; i++)
		if (node(w, n)->begin >= w->lines.data[i].begin && node(w, n)->begin < w->lines.data[i].end)
			return 1;
	return 0;
}

/* muster's own checks know columns of the source itself: after a macro they are others here. All calls of the line are meant then. */
static void patch_calls(struct work *w)
{
	for (uint32_t n = 1; n < w->t->nodes.size; n++)
		if (node(w, n)->kind == TREE_CALL && is_in_line(w, n))
			size_at(w, n);
		else if (node(w, n)->kind == TREE_VARIABLE && !strcmp(w->c->kind, "alloc-size") && is_in_line(w, n))
			claim_array(w, n);
}

static void patch_all(struct work *w)
{
	const char *kind = w->c->kind;

	find_places(w);
	for (uint32_t n = 1; w->places.size && n < w->t->nodes.size; n++) {
		if (node(w, n)->kind < TREE_NAME || !claim_is_place(w, n))
			continue;
		if (!strcmp(kind, "unsigned-integer-overflow"))
			overflow_at(w, n);
		else if (!strncmp(kind, "implicit-", 9))
			convert_at(w, n);
		else if (node(w, n)->kind == TREE_CALL)
			size_at(w, n);
	}
	if (!w->patches.size)
		patch_calls(w);
}

/* -------------------------------------------------------------------- whole */

struct call {
	struct work w;
	const char *text;
	size_t size;
	const char *const *argv;
	int argc;
	struct buf *out;
	char *words; /* of a failure: those of an error are the thread's own */
};

static void go(void *ctx)
{
	struct call *c = ctx;
	struct work *w = &c->w;

	if (tree_open(&w->t, c->text, c->size, c->argv, c->argc)) {
		c->words = mem_strdup(error_text());
		return;
	}
	patch_all(w);
	if (w->patches.size)
		claim_render(w, c->out);
	else
		c->words = mem_printf("no assertion at %s:%u:%u states it: %s", file_base(w->c->file), w->c->line, w->c->column,
				      w->reason ? w->reason : "no operation of its kind is there as it was written");
	tree_close(w->t);
}

int claim_source(const struct claim *c, const char *text, size_t size, const char *const *argv, int argc, struct buf *out)
{
	struct call k = {.w = {.c = c}, .text = text, .size = size, .argv = argv, .argc = argc, .out = out};

	tree_with_stack(go, &k);
	for (size_t i = 0; i < k.w.patches.size; i++)
		free(k.w.patches.data[i].room);
	vec_release(&k.w.patches);
	vec_release(&k.w.places);
	vec_release(&k.w.lines);
	map_release(&k.w.at);
	map_release(&k.w.dirty);
	map_release(&k.w.seen);
	free(k.w.reason);
	if (!k.words)
		return 0;
	error_set("%s", k.words);
	free(k.words);
	return -1;
}
