/* given.c: do two versions of a function differ only for calls that its contract forbids?
 *
 * The contract is the text that a person accepted (docs/contracts.md). Of it those clauses are read that compare words of the input (word.c, by their names in C) with each other, with numbers or with null; the others are left out. What is left excludes
 * fewer calls than the contract does, so what is proved of all calls that it allows is proved of all that keep the contract.
 */
#include "diff/inside.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct operand {
	const struct diff_word *word; /* NULL: a number */
	long long number;
};

static const struct diff_word *word_named(const struct diff_pair *x, const char *name)
{
	for (size_t i = 0; i < x->inputs.size; i++)
		if (!x->inputs.data[i].is_outside && !strcmp(x->inputs.data[i].name, name))
			return &x->inputs.data[i];
	return NULL;
}

/* Without blanks at both ends; cut in place. */
static char *trim(char *s)
{
	s += strspn(s, " \t");
	for (size_t n = strlen(s); n && isspace((unsigned char)s[n - 1]); n--)
		s[n - 1] = 0;
	return s;
}

static int read_operand(const struct diff_pair *x, char *text, struct operand *out)
{
	char *end;
	*out = (struct operand){0};
	if (!strcmp(text, "NULL"))
		return 1;
	errno = 0;
	out->number = strtoll(text, &end, 0);
	if (*text && !*end && !errno)
		return 1;
	out->word = word_named(x, text);
	return out->word != NULL;
}

static expr_t term_of(struct diff_pair *x, const struct operand *o, unsigned width)
{
	return o->word ? o->word->term : expr_const(x->p, width, (u128)(__int128)o->number & (((u128)1 << width) - 1));
}

/* Is the number one of the word's type? */
static int fits(const struct diff_pair *x, const struct diff_word *in, long long number)
{
	unsigned width = expr_width(x->p, in->term);
	if (in->is_unsigned || in->is_pointer)
		return number >= 0 && (width >= 63 || number < 1ll << width);
	return width >= 64 || (number >= -(1ll << (width - 1)) && number < 1ll << (width - 1));
}

static expr_t compare(struct diff_pair *x, const char *op, const struct operand *a, const struct operand *b)
{
	struct exprs *p = x->p;
	const struct diff_word *in = a->word ? a->word : b->word;
	if (!in || (a->word && b->word && (expr_width(p, a->word->term) != expr_width(p, b->word->term) || a->word->is_unsigned != b->word->is_unsigned || a->word->is_pointer != b->word->is_pointer)))
		return EXPR_NONE;
	unsigned width = expr_width(p, in->term);
	if (width < 8 || width > 64 || (!a->word && !fits(x, in, a->number)) || (!b->word && !fits(x, in, b->number)))
		return EXPR_NONE;
	expr_t left = term_of(x, a, width), right = term_of(x, b, width);
	enum muster_op less = in->is_unsigned || in->is_pointer ? MUSTER_OP_ULT : MUSTER_OP_SLT;
	int equation = !strcmp(op, "==") || !strcmp(op, "!="), down = op[0] == '>';
	if (in->is_pointer && !equation)
		return EXPR_NONE;
	if (equation)
		return op[0] == '=' ? expr_eq(p, left, right) : expr_not(p, expr_eq(p, left, right));
	if (!op[1]) /* < or > */
		return down ? expr_binary(p, less, right, left) : expr_binary(p, less, left, right);
	return expr_not(p, down ? expr_binary(p, less, left, right) : expr_binary(p, less, right, left));
}

/* EXPR_NONE: it is not one of those that are read. The text is cut. */
static expr_t literal(struct diff_pair *x, char *text)
{
	static const char *const ops[] = {"==", "!=", "<=", ">=", "<", ">"};
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		for (char *at = strstr(text, ops[i]); at; at = strstr(at + 1, ops[i])) {
			struct operand a, b;
			size_t n = strlen(ops[i]);
			if (*at == '>' && at > text && at[-1] == '-') /* p->n */
				continue;
			*at = 0;
			return read_operand(x, trim(text), &a) && read_operand(x, trim(at + n), &b) ? compare(x, ops[i], &a, &b) : EXPR_NONE;
		}
	return EXPR_NONE;
}

/* One of several literals. */
static expr_t clause(struct diff_pair *x, char *text)
{
	expr_t any = expr_false(x->p);
	for (char *next; text; text = next) {
		next = strstr(text, "||");
		if (next) {
			*next = 0;
			next += 2;
		}
		expr_t e = strpbrk(text, "()") ? EXPR_NONE : literal(x, text);
		if (e == EXPR_NONE)
			return EXPR_NONE;
		any = expr_or(x->p, any, e);
	}
	return any;
}

/* The clauses that are read, and their text. */
static expr_t contract(struct diff_pair *x, const char *text, struct buf *used)
{
	expr_t all = expr_true(x->p);
	char *copy = strdup(text), *next;
	for (char *s = copy; s; s = next) {
		next = strstr(s, "&&");
		if (next) {
			*next = 0;
			next += 2;
		}
		char *whole = strdup(trim(s));
		expr_t e = clause(x, s);
		if (e != EXPR_NONE) {
			all = expr_and(x->p, all, e);
			buf_addf(used, "%s%s", used->size ? " && " : "", whole);
		}
		free(whole);
	}
	free(copy);
	return all;
}

char *diff_given_contract(struct diff_pair *x, const char *text)
{
	struct exprs *p = x->p;
	struct buf used = BUF_EMPTY;
	expr_t both = expr_and(p, x->side[OLD].undefined, x->side[NEW].undefined);
	expr_t keeps = expr_true(p);
	if (!strstr(text, "||") || !(strchr(text, '(') || strstr(text, "&&"))) /* else what belongs together is not seen by cutting it */
		keeps = contract(x, text, &used);
	expr_t other[] = {keeps, expr_not(p, expr_or(p, x->same, expr_and(p, x->undefined, both)))};
	char *given = NULL;
	if (used.size && diff_pair_check(x, &keeps, 1, NULL) == VERDICT_SAT && diff_pair_check(x, other, 2, NULL) == VERDICT_UNSAT)
		given = buf_take(&used);
	buf_release(&used);
	return given;
}
