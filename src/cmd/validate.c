/* validate.c: muster validate: its options, and --changes, which says what was modified between two versions of a program.
 *
 * The table is that of static change impact: functions that were modified (M), that call such (IM), that call what is not in the program (U), and that call such (IU); then the
 * functions that were modified, each with the number of its instructions that were. docs/versions.md has the definitions. Summaries against a new version are validate_versions.c, --sample is validate_sample.c.
 */
#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "base/option.h"
#include "cmd/cmd.h"
#include "cmd/confine.h"
#include "cmd/validate.h"
#include "cmd/versions.h"
#include "ir/match.h"

#include <stdio.h>
#include <string.h>

#define SAMPLES 20 /* states of a summary that --sample runs, if nobody says */

static unsigned percent(uint32_t part, uint32_t whole)
{
	return whole ? (unsigned)((uint64_t)part * 100 / whole) : 0;
}

static void print_function(const struct match *m, uint32_t i)
{
	const struct whole_symbol *s = &m->old->symbols.data[i];
	const struct match_function *p = m->functions[i];
	const char *now = p ? m->new->symbols.data[m->to_new[i]].name : NULL;

	printf("  %s (%s", s->name, m->old->units.data[s->unit].name);
	if (s->function->line)
		printf(":%u", s->function->line);
	printf("): ");
	if (!p) {
		printf("deleted\n");
		return;
	}
	printf("%u of %u instructions modified%s", p->count - p->entry, s->order_count, p->entry ? ", and its entry" : "");
	if (strcmp(now, s->name))
		printf("; now %s, found by %s", now, match_by_text(m->by[i]));
	printf("\n");
}

static void print_words(const struct match *m, const struct match_counts *c)
{
	printf("functions  %u\n", c->functions);
	printf("M          %u (%u %%)  modified\n", c->m, percent(c->m, c->functions));
	printf("IM         %u (%u %%)  call a modified function\n", c->im, percent(c->im, c->functions));
	printf("U          %u (%u %%)  call what is not in the program\n", c->u, percent(c->u, c->functions));
	printf("IU         %u (%u %%)  call such a function\n", c->iu, percent(c->iu, c->functions));
	printf("%u of %u instructions modified; functions: %u deleted, %u added, %u renamed\n", c->modified, c->instructions, c->deleted, c->added, c->renamed);
	if (c->m)
		printf("modified:\n");
	for (uint32_t i = 0; i < m->old->symbols.size; i++)
		if (m->classes[i] & MATCH_M)
			print_function(m, i);
}

static void json_function(struct json *j, const struct match *m, uint32_t i)
{
	const struct whole_symbol *s = &m->old->symbols.data[i];
	const struct match_function *p = m->functions[i];
	unsigned k = m->classes[i];

	json_object_open(j);
	json_key(j, "name"), json_str(j, s->name);
	json_key(j, "file"), json_str(j, m->old->units.data[s->unit].name);
	json_key(j, "line"), json_u64(j, s->function->line);
	json_key(j, "now"), json_str(j, p ? m->new->symbols.data[m->to_new[i]].name : NULL);
	json_key(j, "found_by"), json_str(j, match_by_text(p ? m->by[i] : MATCH_BY_NONE));
	json_key(j, "m"), json_bool(j, k & MATCH_M);
	json_key(j, "im"), json_bool(j, k & MATCH_IM);
	json_key(j, "u"), json_bool(j, k & MATCH_U);
	json_key(j, "iu"), json_bool(j, k & MATCH_IU);
	json_key(j, "entry_modified"), json_bool(j, !p || p->entry);
	json_key(j, "modified"), json_u64(j, p ? p->count - p->entry : s->order_count);
	json_key(j, "instructions"), json_u64(j, s->order_count);
	json_object_close(j);
}

static void print_json(const struct match *m, const struct match_counts *c)
{
	struct buf out = BUF_EMPTY;
	struct json j;

	json_begin(&j, &out);
	j.indent = 2;
	json_object_open(&j);
	json_key(&j, "command"), json_str(&j, "validate");
	json_key(&j, "status"), json_str(&j, "complete");
	json_key(&j, "changes"), json_object_open(&j);
	json_key(&j, "functions"), json_u64(&j, c->functions);
	json_key(&j, "m"), json_u64(&j, c->m);
	json_key(&j, "im"), json_u64(&j, c->im);
	json_key(&j, "u"), json_u64(&j, c->u);
	json_key(&j, "iu"), json_u64(&j, c->iu);
	json_key(&j, "deleted"), json_u64(&j, c->deleted);
	json_key(&j, "added"), json_u64(&j, c->added);
	json_key(&j, "renamed"), json_u64(&j, c->renamed);
	json_key(&j, "instructions"), json_u64(&j, c->instructions);
	json_key(&j, "modified"), json_u64(&j, c->modified);
	json_object_close(&j);
	json_key(&j, "functions"), json_array_open(&j);
	for (uint32_t i = 0; i < m->old->symbols.size; i++)
		if (m->old->symbols.data[i].function)
			json_function(&j, m, i);
	json_array_close(&j);
	json_object_close(&j);
	printf("%s\n", buf_str(&out));
	buf_release(&out);
}

static int compare(const char *old, const char *new, const struct versions_options *o, int json)
{
	struct versions v;
	struct match_counts c;
	struct match *m;

	if (versions_load(&v, old, new, o)) {
		fprintf(stderr, "muster validate: %s\n", error_text());
		return EXIT_USAGE;
	}
	m = match_new(v.old.whole, v.new.whole);
	match_count(m, &c);
	if (json)
		print_json(m, &c);
	else
		print_words(m, &c);
	match_free(m);
	versions_release(&v);
	return c.m || c.added ? 1 : 0;
}

int cmd_validate(int argc, char **argv)
{
	static int json, changes;
	static struct validate_sample sample;
	static struct validate_against against;
	static const struct option_row rows[] = {
	    OPTION_STR("phase", 0, "LIST", &against.phases, "phases that are run, in this order (1,2,3)"),
	    OPTION_STR("function", 0, "NAME", &against.function, "summaries of this function alone"),
	    OPTION_DOUBLE("each", 0, "S", &against.each, "processor time for one summary (2)"),
	    OPTION_DOUBLE("time", 't', "S", &against.seconds, "seconds for all of it"),
	    OPTION_STR("externals", 0, "same|unknown", &against.externals, "functions of libraries in the new version (same)"),
	    OPTION_FLAG("no-runs", 0, &against.no_runs, "do not run the new version: nothing is said to be invalid"),
	    OPTION_FLAG("changes", 0, &changes, "what was modified: functions M, IM, U, IU, and each that is M"),
	    OPTION_FLAG("sample", 0, &sample.wanted, "run random states of the summaries that muster test --summaries FILE made"),
	    OPTION_U64("states", 0, "N", &sample.states, "of each summary (20), or to refute one that is not proved (6)"),
	    OPTION_U64("seed", 0, "N", &sample.seed, "other states"),
	    VERSIONS_ROWS(&against.versions),
	    OPTION_FLAG("json", 0, &json, "print JSON"),
	    CONFINE_ROWS,
	    OPTION_END,
	};
	static const struct option_spec spec = {
	    "validate", "[options] OLD NEW | --changes [--json] OLD NEW | --sample [options] FILE.c",
	    "Which summaries of the old version, as 'muster test --summaries OLD.c' made them, hold in the new\n"
	    "one? Valid ones are proved, by a phase: 1 nothing that they rest on was modified, 2 nothing\n"
	    "modified is reached, 3 on the new version alone. Invalid ones come with a run that shows it.\n"
	    VERSIONS_HELP
	    "With --changes: what was modified between the two. With --sample: do the summaries in the store\n"
	    "hold? Random states of their preconditions are run; with two versions, of those that were\n"
	    "validated, on the new one.\n"
	    "Exit code 0: all are valid (nothing was modified or added; none is violated); 1: one is invalid\n"
	    "(something was modified); 3: one is unknown; 4: a summary is violated, a defect of muster's.",
	    rows};
	const char *versions[2];

	versions_operands(&spec, argc, argv, versions, &against.versions);
	against.states = sample.states;
	sample.states = sample.states ? sample.states : SAMPLES;
	against.audit = sample.wanted ? sample.states : 0;
	against.seed = sample.seed;
	sample.store = against.versions.store;
	confine_apply(&spec);
	if (sample.wanted && !changes && !versions[1] && !against.versions.build)
		return validate_sample(&sample, versions[0], json);
	if (!versions[1] && !against.versions.build)
		option_usage(&spec, "give the old and the new version");
	if (changes)
		return compare(versions[0], versions[1], &against.versions, json);
	return validate_versions(&against, versions[0], versions[1], json);
}
