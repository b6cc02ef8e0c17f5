/* reports.c: tells the findings of one run apart.
 *
 * Two reports are one finding if their buckets are the same, or if the second is only what the machine made of the first: an
 * index is out of bounds, the run goes on, and AddressSanitizer sees the access. The second is then in the same
 * line of the same function and belongs to the same expression. For null pointers the line is enough, since every access
 * through one has a report of its own before it. For the others the columns decide: that of the code which checks is mostly that of the
 * access; where it is not (st[i].g = 1: the member, and the assignment), the source line says whether anything stands between the two.
 * Without the source they are taken for one: the line is reported in any case. The first is the one that is reported, except of a null
 * pointer: what a person looks for is its use, not the offset (of zero, mostly) that was added before.
 *
 * After an array with a negative number of elements the stack is no longer what it was: what is reported then is not read.
 */
#include "check/reports.h"

#include "build/variant.h"
#include "check/describe.h"

#include <ctype.h>
#include <string.h>

#define REPORTS 200 /* of one run that are read */

void reports_release(struct reports *all)
{
	for (size_t i = 0; i < all->list.size; i++) {
		report_release(&all->list.data[i].report);
		vec_release(&all->list.data[i].frames);
	}
	vec_release(&all->list);
	memset(all, 0, sizeof *all);
}

/* Kinds that the variant does not go on after. */
static int is_fatal(const struct report *r)
{
	static const char *const kinds[] = {"integer-divide-by-zero", "unreachable-call", "missing-return"};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(r->kind, kinds[i]))
			return 1;
	return !r->survived;
}

static int spoils_stack(const struct report *r)
{
	return !strcmp(r->kind, "non-positive-vla-bound-value") && strstr(r->message, "value -");
}

/* What C defines is a finding only for who asked for it. One flag of the compiler's may look for more than that. */
static int is_unasked(const struct report *r)
{
	int defined = !strcmp(r->kind, "unsigned-integer-overflow") || !strncmp(r->kind, "implicit-", 9);

	return defined && !(variant_checks_now() & CHECKER_BIT(checker_of_finding(r->kind, r->message)));
}

int reports_read(struct reports *all, const char *text)
{
	struct reports_one one = {.text = text};
	int found;

	memset(all, 0, sizeof *all);
	while (all->list.size < REPORTS && (found = report_read(&one.report, one.text)) > 0) {
		const char *next = one.text + one.report.end;

		int spoilt = spoils_stack(&one.report);

		all->ended = is_fatal(&one.report) || spoilt;
		if (is_unasked(&one.report))
			report_release(&one.report);
		else
			vec_push(&all->list, one);
		if (spoilt)
			break;
		one = (struct reports_one){.text = next};
	}
	if (!all->list.size && found < 0)
		return -1;
	return (int)all->list.size;
}

void reports_want(const struct reports *all, struct symboliser *s)
{
	for (size_t i = 0; i < all->list.size; i++) {
		const struct report *r = &all->list.data[i].report;

		for (size_t k = 0; k < r->frames.size; k++)
			if (r->frames.data[k].module)
				symboliser_want(s, r->frames.data[k].module, r->frames.data[k].offset);
	}
}

/* ------------------------------------------------------------- consequences */

static size_t skip_brackets(const char *p)
{
	size_t n = 0, depth = 0;

	do {
		depth += p[n] == '(' || p[n] == '[';
		depth -= p[n] == ')' || p[n] == ']';
	} while (p[n] && (n++, depth));
	return n;
}

/* The end of the name at p and of what is applied to it: members, elements, calls. */
static const char *operand_end(const char *p)
{
	for (;;) {
		while (isalnum((unsigned char)*p) || *p == '_')
			p++;
		const char *next = p + strspn(p, " \t");

		if (*next == '[' || *next == '(')
			p = next + skip_brackets(next);
		else if (*next == '.')
			p = next + 1;
		else if (next[0] == '-' && next[1] == '>')
			p = next + 2;
		else
			return p;
	}
}

/* Does the operand at column a go up to column b, with nothing between but blanks and closing parentheses? */
static int is_one_access(const char *line, uint32_t a, uint32_t b)
{
	if (!a || b < a || b > strlen(line))
		return 0;
	const char *end = operand_end(line + a - 1), *at = line + b - 1;

	return at <= end || strspn(end, " \t)") >= (size_t)(at - end);
}

/* Is it one that the machine may show once more, by an access or a trap? */
static int has_consequence(const struct report *r)
{
	static const char *const kinds[] = {"null-pointer-use", "out-of-bounds-index", "pointer-overflow", "nullptr", "insufficient-object-size",
					    "invalid-null-argument"};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strncmp(r->kind, kinds[i], strlen(kinds[i])))
			return 1;
	return !strcmp(r->kind, "signed-integer-overflow") && !strncmp(r->message, "division of ", 12);
}

/* Null plus an offset, then the access through it. */
static int is_null_access(const struct reports_one *first, const struct reports_one *second)
{
	return !strncmp(first->report.kind, "nullptr", 7) && !strcmp(second->report.kind, "null-pointer-use");
}

static int is_consequence(const struct reports_one *first, const struct reports_one *second)
{
	const struct symbol *a = first->frames.data, *b = second->frames.data;
	struct buf line = {0};

	if (!first->frames.size || !second->frames.size || (second->report.survived && !is_null_access(first, second)) || !strcmp(second->report.kind, "ABRT") ||
	    !has_consequence(&first->report))
		return 0;
	if (a->line != b->line || strcmp(a->function, b->function) || strcmp(a->file, b->file))
		return 0;
	if (a->column == b->column || (!strcmp(first->report.kind, "null-pointer-use") && second->report.zero_page))
		return 1;
	int same = !describe_line(a->file, a->line, &line) || is_one_access(buf_str(&line), a->column, b->column);

	buf_release(&line);
	return same;
}

void reports_settle(struct reports *all, const struct symboliser *s, int (*own)(void *ctx, const char *module), void *ctx)
{
	for (size_t i = 0; i < all->list.size; i++) {
		struct reports_one *x = &all->list.data[i];

		report_own_frames(&x->report, s, own, ctx, &x->frames);
		x->bucket = report_bucket(x->report.kind, x->frames.data, x->frames.size);
		x->place = strcmp(x->report.kind, "stack-overflow") ? report_bucket(x->report.kind, x->frames.data, x->frames.size > 0) : x->bucket;
		for (size_t k = 0; k < i && !x->into; k++) {
			struct reports_one *y = &all->list.data[k];

			if (y->bucket == x->bucket)
				x->into = y->into ? y->into : (uint32_t)k + 1;
			else if (y->into || !is_consequence(y, x))
				continue;
			else if (is_null_access(y, x))
				y->into = (uint32_t)i + 1;
			else
				x->into = (uint32_t)k + 1;
		}
	}
}

size_t reports_last(const struct reports *all)
{
	const struct reports_one *last = &all->list.data[all->list.size - 1];

	return last->into ? last->into - 1 : all->list.size - 1;
}
