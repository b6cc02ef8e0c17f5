/* gathering.c: which functions of a program have summaries of their calls, and which runs say something about them.
 *
 * Every function that a unit of the program defines; bodies of libc's functions are none. Nothing is made of a run that broke a check: what a function does after something undefined is not the program's.
 */
#include "campaign/gathering.h"

#include "build/join.h"
#include "campaign/campaign.h"

#include <string.h>

#define SLOWER 8 /* times the time of an ordinary run */

static const struct whole_symbol *symbol_of(const struct whole *w, const struct site_function *site)
{
	for (size_t i = 0; i < w->symbols.size; i++) {
		const struct whole_symbol *s = &w->symbols.data[i];
		if (s->function && s->function->defined && !strcmp(s->name, site->name) && s->function->line == site->line && !strcmp(s->function->file, site->file))
			return s;
	}
	return NULL;
}

static int is_wanted(void *ctx, const struct site_function *site, struct called_function *out)
{
	struct gathering *g = ctx;
	const struct whole_symbol *s = symbol_of(g->whole, site);

	if (!s)
		return 0;
	*out = (struct called_function){.name = s->name, .code = s->function, .line = site->line, .end_line = site->line};
	for (uint32_t v = s->function->first_instruction; v < s->function->first_instruction + s->function->instructions; v++)
		if (s->function->values[v].op == CODE_RETURN && s->function->values[v].line > out->end_line)
			out->end_line = s->function->values[v].line;
	return 1;
}

/* Did the run itself break a check? */
static int judge(void *ctx, const struct trace *t, struct called_run *r)
{
	struct gathering *g = ctx;

	(void)r;
	g->path.exact = 1;
	g->path.checks = g->checks;
	path_read(&g->path, t, &g->sites, NULL, 0);
	for (size_t i = 0; i < g->path.steps.size; i++)
		if (path_broke(&g->path.steps.data[i]) && !g->path.steps.data[i].free) {
			g->broken++;
			return 0;
		}
	return !g->path.cut;
}

int gathering_open(struct gathering *g, const struct fuzz *f)
{
	struct target_options o = f->o->target;

	*g = (struct gathering){.checks = f->o->search.checks};
	o.time = f->o->run_time * SLOWER;
	o.shm.table_limit = 4096;
	g->whole = join_load(f->program);
	if (!g->whole || gather_open(&g->calls, f->program, f->argv, &o))
		return -1;
	g->calls.wanted = is_wanted;
	g->calls.judge = judge;
	g->calls.ctx = g;
	sites_init(&g->sites, &g->calls.target.sites);
	return 0;
}

void gathering_close(struct gathering *g)
{
	if (!g->whole)
		return;
	gather_release(&g->calls);
	sites_release(&g->sites);
	path_release(&g->path);
	whole_free(g->whole);
}
