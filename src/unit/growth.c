/* growth.c: contracts that grew stronger since the last version.
 *
 * A run leaves the clauses of each function in its campaign. The next version of the file, which is another campaign, compares: a clause has grown if the call that shows it, which fails now, keeps every clause that the
 * function had then. Nothing is said where the last version did not cover the function's branches, did not have it, or has a clause that cannot be evaluated today.
 */
#include "base/file.h"
#include "base/mem.h"
#include "contract/cause.h"
#include "report/bug.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define VALUE BUG_CONTRACTS

/* A line for each clause, and one without for each function that was looked at well enough: "FUNCTION\tCLAUSE\n". Clauses of the others are for reports alone. */
int test_growth_note(struct test_session *s)
{
	struct buf b = BUF_EMPTY, weak = BUF_EMPTY;
	for (uint32_t i = 0; i < s->functions.size; i++) {
		const struct test_function *f = &s->functions.data[i];
		struct buf *to = f->verdict < TEST_EXPLORED ? &weak : &b;
		if (f->helper)
			continue;
		if (to == &b)
			buf_addf(&b, "%s\t\n", f->name);
		for (size_t k = 0; k < s->contracts.size; k++)
			if (s->contracts.data[k].function == i)
				buf_addf(to, "%s\t%s\n", f->name, s->contracts.data[k].requires);
	}
	int r = store_value_set(s->records.store, s->records.campaign, VALUE, b.data ? b.data : "", b.size) ||
		store_value_set(s->records.store, s->records.campaign, BUG_CONTRACTS_WEAK, weak.data ? weak.data : "", weak.size) ? -1 : 0;
	buf_release(&b);
	buf_release(&weak);
	return r;
}

struct looking {
	struct test_session *s;
	char *file;
	struct buf last; /* the lines of the newest campaign of the file that is not this one */
};

static int look_at(void *ctx, uint64_t id, struct hash128 key, const char *program, const char *command)
{
	struct looking *l = ctx;
	struct buf file = BUF_EMPTY, lines = BUF_EMPTY;
	(void)key, (void)program, (void)command;
	if (id != l->s->records.campaign && store_value_get(l->s->records.store, id, "file", &file) > 0 && !strcmp(buf_str(&file), l->file) &&
	    store_value_get(l->s->records.store, id, VALUE, &lines) > 0) {
		buf_release(&l->last);
		l->last = lines;
		lines = BUF_EMPTY;
	}
	buf_release(&file);
	buf_release(&lines);
	return 0;
}

/* Does the call keep all clauses that the function had? before: these, joined. 1; 0: it does not, or nobody knows. */
static int kept_before(struct test_session *s, const struct test_contract *c, const struct buf *last, struct buf *before)
{
	const struct test_function *f = &s->functions.data[c->function];
	char *copy = mem_strdup(buf_str((struct buf *)last)), *rest = copy, *line;
	size_t n = strlen(f->name);
	struct causes x;
	int known = 0, kept = 1;
	causes_init(&x, s->driven.harness, f->harness->number, NULL);
	while (kept && (line = strsep(&rest, "\n"))) {
		if (strncmp(line, f->name, n) || line[n] != '\t')
			continue;
		known = 1;
		if (!line[n + 1])
			continue;
		buf_addf(before, "%s%s", before->size ? " && " : "", line + n + 1);
		kept = causes_keeps_text(&x, c->data, c->size, line + n + 1) > 0;
	}
	causes_release(&x);
	free(copy);
	return known && kept;
}

int test_growth(struct test_session *s)
{
	struct looking l = {.s = s};
	if (!s->records.store || s->o->report_all || !s->contracts.size)
		return 0;
	l.file = file_absolute(s->file);
	int r = store_campaign_each(s->records.store, look_at, &l);
	for (size_t i = 0; i < s->contracts.size && l.last.size && !r; i++) {
		struct test_contract *c = &s->contracts.data[i];
		struct buf before = BUF_EMPTY;
		if (kept_before(s, c, &l.last, &before))
			c->before = arena_strdup(&s->arena, before.size ? buf_str(&before) : "true");
		buf_release(&before);
	}
	buf_release(&l.last);
	free(l.file);
	return r < 0 ? -1 : 0;
}
