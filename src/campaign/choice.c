/* choice.c: what --strategy auto made of each function: the campaign's value `choice`.
 *
 * Text: a line for each function in whose calls something is decided: outcomes, milliseconds, by whom it is taken, its name and why, with tabs between.
 * What is there last counts, so a search that is resumed and learns nothing anew leaves what was said before.
 */
#include "campaign/choice.h"

#include "campaign/campaign.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct note {
	const struct fuzz *f;
	struct buf text;
};

static void note_one(void *ctx, const struct search_cut_function *x)
{
	struct note *n = ctx;
	buf_addf(&n->text, "%" PRIu64 "\t%.0f\t%s\t%s\t%s\n", x->found, n->f->o->search.repeatable ? 0 : x->seconds * 1000, x->taken, x->name, x->why);
}

int choice_note(struct fuzz *f)
{
	struct note n = {.f = f};
	int r = 0;
	if (!f->o->search.ic_shares || f->number)
		return 0;
	search_cut_each(f->search, note_one, &n);
	if (n.text.size)
		r = store_value_set(f->records.store, f->records.campaign, "choice", n.text.data, n.text.size);
	buf_release(&n.text);
	return r;
}

static int by_found(const void *x, const void *y)
{
	const struct function_choice *a = x, *b = y;
	if (a->found != b->found)
		return a->found > b->found ? -1 : 1;
	return strcmp(a->function, b->function);
}

int choice_each(struct store *s, uint64_t campaign, void (*each)(void *ctx, const struct function_choice *c), void *ctx)
{
	struct buf text = {0};
	VEC(struct function_choice) list = {0};
	int r = store_value_get(s, campaign, "choice", &text) < 0 ? -1 : 0;
	char *at = buf_str(&text), *line;
	while (!r && (line = strsep(&at, "\n"))) {
		struct function_choice c = {0};
		char *found = strsep(&line, "\t"), *spent = strsep(&line, "\t"), *taken = strsep(&line, "\t"), *name = strsep(&line, "\t");
		if (!found || !spent || !taken || !name || !line)
			continue;
		c.found = strtoull(found, NULL, 10);
		c.seconds = strtod(spent, NULL) / 1000;
		c.taken = taken, c.function = name, c.why = line;
		vec_push(&list, c);
	}
	if (list.size)
		qsort(list.data, list.size, sizeof *list.data, by_found);
	for (size_t i = 0; i < list.size; i++)
		each(ctx, &list.data[i]);
	vec_release(&list);
	buf_release(&text);
	return r;
}
