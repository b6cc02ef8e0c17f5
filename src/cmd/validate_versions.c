/* validate_versions.c: muster validate OLD NEW: which summaries of the old version hold in the new one.
 *
 * The summaries are those that `muster test` left in the store for OLD. Both versions are driven in the same manner (unit/revalidate.h); what is printed is counts by the phase that decided, then what is invalid, each
 * with the run that shows it, then what is unknown, with the reason.
 */
#include "cmd/validate.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "build/home.h"
#include "cmd/confine.h"
#include "cmd/keep.h"
#include "unit/revalidate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHOWN 20 /* unknown summaries that are listed one by one for people */

static const char *const phase_words[] = {"not validated", "nothing that is called was modified", "nothing modified is reached, or what is does the same", "proved on the new version"};

/* ------------------------------------------------------------ for people */

static void print_pair(const struct revalidate_row *r)
{
	if (r->kind == SUMMARY_SEGMENT)
		printf("    from line %u to line %u%s%s\n", r->line, r->end_line, r->end_function ? ", in " : "", r->end_function ? r->end_function : "");
	printf("    pre   %s\n    post  %s\n", r->pre, r->post);
}

static void print_invalid(const struct revalidation *v)
{
	for (size_t i = 0; i < v->rows.size; i++) {
		const struct revalidate_row *r = &v->rows.data[i];
		if (r->r.verdict != VALIDATE_INVALID)
			continue;
		printf("\ninvalid: %s\n", r->function);
		print_pair(r);
		printf("    run   %s\n    %s\n", r->state, r->what);
	}
}

static void print_unknown(const struct revalidation *v)
{
	uint64_t shown = 0;
	for (size_t i = 0; i < v->rows.size; i++) {
		const struct revalidate_row *r = &v->rows.data[i];
		if (r->r.verdict != VALIDATE_UNKNOWN || shown++ >= SHOWN)
			continue;
		printf("\nunknown%s: %s: %s\n", r->was_partial ? " (partial)" : "", r->function, r->r.why ? r->r.why : "no phase was run");
		print_pair(r);
	}
	if (shown > SHOWN)
		printf("\nand %llu more unknown: --json lists all\n", (unsigned long long)(shown - SHOWN));
}

/* Valid ones that need more than their precondition says. */
static void print_partial(const struct revalidation *v)
{
	for (size_t i = 0; i < v->rows.size; i++) {
		const struct revalidate_row *r = &v->rows.data[i];
		if (r->r.verdict != VALIDATE_VALID || !r->r.partial || !r->r.needs)
			continue;
		printf("\nvalid (partial: %s): %s\n", r->r.needs, r->function);
		print_pair(r);
	}
}

static void print_violated(const struct revalidation *v)
{
	for (size_t i = 0; i < v->rows.size; i++) {
		const struct revalidate_row *r = &v->rows.data[i];
		if (!r->violated)
			continue;
		printf("\nviolated, a defect of muster's: %s, valid by phase %u\n", r->function, r->r.phase);
		print_pair(r);
		printf("    run   %s\n    %s\n", r->state, r->what);
	}
}

static void print_words(const struct revalidation *v)
{
	printf("%zu summaries: %llu valid, %llu invalid, %llu unknown\n", v->rows.size, (unsigned long long)v->valid, (unsigned long long)v->invalid, (unsigned long long)v->unknown);
	for (unsigned k = 1; k <= VALIDATE_PHASES; k++)
		if (v->phase[k])
			printf("  phase %u  %4llu  %s, %.1f ms each\n", k, (unsigned long long)v->phase[k], phase_words[k], 1e3 * v->seconds[k] / (double)v->phase[k]);
	if (v->partial)
		printf("  %llu of the valid ones are partial: they hold as far as they go\n", (unsigned long long)v->partial);
	print_violated(v);
	print_invalid(v);
	print_partial(v);
	print_unknown(v);
	if (v->not_run)
		printf("\nnothing was run, so nothing is invalid: for runs OLD and NEW are C files, of revisions too, or versions of C files in the store\n");
	if (v->interrupted)
		printf("\nthe time was over: some were not looked at\n");
}

/* ------------------------------------------------------------ JSON */

static void json_row(struct json *j, const struct revalidate_row *r)
{
	char hex[HASH_HEX_SIZE];
	struct buf verdict = BUF_EMPTY;
	buf_adds(&verdict, validate_verdict_key(r->r.verdict));
	if (r->r.verdict == VALIDATE_VALID && r->r.partial)
		buf_addf(&verdict, " (partial%s%s)", r->r.needs ? ": " : "", r->r.needs ? r->r.needs : "");
	json_object_open(j);
	json_key(j, "id"), json_str(j, hash_hex(r->key, hex));
	json_key(j, "function"), json_str(j, r->function);
	json_key(j, "kind"), json_str(j, r->kind == SUMMARY_FUNCTION ? "function" : r->end_function ? "across" : "segment");
	if (r->end_function)
		json_key(j, "end_function"), json_str(j, r->end_function), json_key(j, "begins"), json_str(j, r->from_loop ? "loop" : "entry");
	json_key(j, "line"), json_u64(j, r->line);
	json_key(j, "end_line"), json_u64(j, r->end_line);
	json_key(j, "verdict"), json_str(j, buf_str(&verdict));
	json_key(j, "phase");
	if (r->r.phase)
		json_u64(j, r->r.phase);
	else
		json_str(j, NULL);
	json_key(j, "seconds"), json_double(j, r->r.seconds);
	json_key(j, "pre"), json_str(j, r->pre);
	json_key(j, "post"), json_str(j, r->post);
	json_key(j, "partial"), json_bool(j, r->was_partial);
	json_key(j, "why"), json_str(j, r->r.why);
	json_key(j, "run"), json_str(j, r->state);
	json_key(j, "what"), json_str(j, r->what);
	json_key(j, "states_run"), json_int(j, r->ran);
	json_key(j, "violated"), json_bool(j, r->violated);
	json_object_close(j);
	buf_release(&verdict);
}

static void print_json(const struct revalidation *v)
{
	struct buf out = BUF_EMPTY;
	struct json j;
	json_begin(&j, &out);
	j.indent = 2;
	json_object_open(&j);
	json_key(&j, "command"), json_str(&j, "validate");
	json_key(&j, "status"), json_str(&j, v->interrupted ? "budget" : "complete");
	confine_json(&j);
	json_key(&j, "summaries"), json_array_open(&j);
	for (size_t i = 0; i < v->rows.size; i++)
		json_row(&j, &v->rows.data[i]);
	json_array_close(&j);
	json_key(&j, "counts"), json_object_open(&j);
	json_key(&j, "total"), json_u64(&j, v->rows.size);
	json_key(&j, "valid"), json_u64(&j, v->valid);
	json_key(&j, "invalid"), json_u64(&j, v->invalid);
	json_key(&j, "unknown"), json_u64(&j, v->unknown);
	json_key(&j, "partial"), json_u64(&j, v->partial);
	json_key(&j, "violated"), json_u64(&j, v->violated);
	json_key(&j, "phase1"), json_u64(&j, v->phase[1]);
	json_key(&j, "phase2"), json_u64(&j, v->phase[2]);
	json_key(&j, "phase3"), json_u64(&j, v->phase[3]);
	json_object_close(&j);
	json_object_close(&j);
	printf("%s\n", buf_str(&out));
	buf_release(&out);
}

/* ------------------------------------------------------------ for the report */

static void keep(const struct revalidation *v, const struct validate_against *a, const char *old, const char *new, double seconds)
{
	struct compared k = {.command = "validate", .status = v->interrupted ? "budget" : "complete", .old = old, .new = new ? new : "the work tree", .seconds = seconds};
	for (size_t n = 0; n < v->rows.size; n++) {
		const struct revalidate_row *r = &v->rows.data[n];
		struct compared_item *i = compared_item(&k, r->function, r->violated ? "violated" : validate_verdict_key(r->r.verdict));
		i->phase = r->r.phase;
		compared_part(&k, i, "pre", r->pre);
		compared_part(&k, i, "post", r->post);
		compared_part(&k, i, "run", r->state);
		compared_part(&k, i, "what it did", r->what);
		compared_part(&k, i, "why", r->r.why);
		compared_part(&k, i, "partial", r->r.verdict != VALIDATE_VALID || !r->r.partial ? NULL : r->r.needs ? r->r.needs : "it holds as far as it goes");
	}
	keep_compared(a->versions.store, &k);
	compared_release(&k);
}

/* ------------------------------------------------------------ wiring */

/* "1,2,3", "3", "2,1": 0; -1: no such list. */
static int read_phases(const char *text, uint8_t *order)
{
	unsigned n = 0;
	for (; *text; text++) {
		if (*text < '1' || *text > '3' || n == VALIDATE_PHASES || memchr(order, *text - '0', n))
			return -1;
		order[n++] = (uint8_t)(*text - '0');
		if (text[1] == ',')
			text++;
		else if (text[1])
			return -1;
	}
	return n ? 0 : -1;
}

static int exit_code(const struct revalidation *v)
{
	if (v->violated)
		return EXIT_INTERNAL;
	return v->invalid ? EXIT_FOUND : v->unknown || v->interrupted ? EXIT_INCONCLUSIVE : EXIT_OK;
}

/* Of nothing nothing is valid: the function has another name, or 'muster test' came to no summaries. */
static int check_some(const struct revalidation *v, const struct validate_against *a, const char *old)
{
	if (v->rows.size)
		return 0;
	return error_set("there are no summaries of %s%s'%s': 'muster show summaries' lists those that are there; a longer 'muster test --summaries --time S' makes more", a->function ? a->function : "", a->function ? " in " : "", old);
}

static int validate(const struct validate_against *a, const char *old, const char *new, struct store *store, const struct revalidate_options *o, struct revalidation *out)
{
	const char *name = new ? new : "the work tree";
	struct version before = {0}, after = {0};
	struct recall was = {0};
	struct driven now = {0};
	int e = version_open(&before, old, new, &a->versions) || version_open(&after, new, old, &a->versions) || recall_open(&was, store, &a->versions, &before, old) ||
		recall_build(&was, &after, name, &now) || revalidate_run(&was, &now, o, out) || check_some(out, a, old);
	driven_release(&now);
	recall_release(&was);
	version_release(&before);
	version_release(&after);
	return e ? -1 : 0;
}

int validate_versions(const struct validate_against *from, const char *old, const char *new, int json)
{
	struct validate_against own = *from, *a = &own;
	char *path = a->versions.store ? mem_strdup(a->versions.store) : file_join(home_project(), "store.db");
	struct revalidate_options o = {.function = a->function, .seed = a->seed, .validate = {.seconds = a->each}};
	struct revalidation v = {0};
	struct store *store;
	a->versions.store = path;
	if (a->phases && read_phases(a->phases, o.validate.order))
		die(EXIT_USAGE, "--phase wants phases, each once: 1,2,3");
	if (a->externals && strcmp(a->externals, "same") && strcmp(a->externals, "unknown"))
		die(EXIT_USAGE, "--externals is 'same' or 'unknown'");
	if (!new && !a->versions.build)
		die(EXIT_USAGE, "'%s' and what? Give NEW as well, or --build COMMAND to compare a git revision with the work tree", old);
	o.validate.externals_unknown = a->externals && !strcmp(a->externals, "unknown");
	o.no_runs = a->no_runs;
	o.audit = a->audit;
	o.states = a->states;
	if (access(path, F_OK))
		die(EXIT_USAGE, "nothing is stored of '%s' (there is no '%s'): run 'muster test --summaries %s' first", old, path, file_is_c(old) ? old : "FILE.c");
	if (deadline_open(a->seconds) || store_open(&store, path, STORE_READ_ONLY))
		die(EXIT_USAGE, "%s", error_text());
	double start = deadline_clock();
	int e = validate(a, old, new, store, &o, &v);
	if (e && deadline_over())
		fprintf(stderr, "muster validate: the time was over before both versions were read (%s): nothing is known; give more than --time %g\n", error_text(), a->seconds);
	else if (e)
		fprintf(stderr, "muster validate: %s\n", error_text());
	else if (json)
		print_json(&v);
	else
		print_words(&v);
	int code = e ? (deadline_over() ? EXIT_INCONCLUSIVE : EXIT_USAGE) : exit_code(&v);
	store_close(store);
	if (!e)
		keep(&v, a, old, new, deadline_clock() - start);
	revalidate_release(&v);
	free(path);
	return code;
}
