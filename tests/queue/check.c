/* check.c: does every file in queue/ still do what it was kept for?
 *
 *	check-queue [-j] STORE DIRECTORY -- PROGRAM [ARGUMENTS with @@]
 *
 * The store says which test was the first to take each branch outcome. Each file of DIRECTORY/queue is run by itself in
 * a fresh process of the cov variant, with the bytes that are on the disk, and must
 *	have the bytes of its test in the store;
 *	end by itself, since inputs that crash or hang stand elsewhere;
 *	take every outcome that its test was the first to take, which are as many as the test claims to be new.
 * Tests that should have a file and have none are found too. A test may also be kept for how often it took an
 * outcome; which one is not recorded, so these are checked together: the runs of all files and crashing tests show every
 * hit-count class in the store. (A harness counts those in its loop, where earlier inputs may matter: there
 * they are only counted. With -j, several workers searched: two may claim the same outcome, and one of them is first.)
 * Prints a line for each complaint and one with the counts; status 1 if there was a complaint, 2 if it cannot be checked.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cmd/targets.h"
#include "run/exec.h"
#include "search/cover.h"
#include "search/search.h"
#include "store/outdir.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct claim {
	uint64_t test;
	uint32_t unit, outcome;
	uint8_t mask, shown; /* hit-count classes: in the store, by all runs here */
};

struct check {
	const char *directory;
	struct store *store;
	uint64_t campaign;
	char *key;
	struct exec *exec;
	VEC(struct claim) claims; /* by test */
	struct map files;	  /* test to index + 1 in names */
	VEC(char *) names;
	int several; /* workers */
	int looped;  /* the program is a harness that runs in a loop */
	uint64_t checked, counts_only, failing, complaints, classes;
};

static void complain(struct check *c, const char *name, const char *words)
{
	printf("%s: %s\n", name, words);
	c->complaints++;
}

static int find_campaign(void *ctx, uint64_t id, struct hash128 key, const char *program, const char *command)
{
	struct check *c = ctx;
	char hex[HASH_HEX_SIZE];
	(void)program, (void)command;
	if (!strcmp(hash_hex(key, hex), c->key))
		c->campaign = id;
	return c->campaign != 0;
}

static int add_claim(void *ctx, uint32_t unit, uint32_t outcome, uint8_t mask, uint64_t test)
{
	struct check *c = ctx;
	vec_push(&c->claims, (struct claim){test, unit, outcome, mask, 0});
	return 0;
}

static int by_test(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;
	return x->test != y->test ? (x->test < y->test ? -1 : 1) : 0;
}

static int add_file(void *ctx, uint64_t test, const char *name)
{
	struct check *c = ctx;
	if (map_get(&c->files, test, NULL))
		complain(c, name, "a second file of the same test");
	vec_push(&c->names, mem_strdup(name));
	map_set(&c->files, test, c->names.size);
	return 0;
}

static void open_all(struct check *c, const char *store)
{
	char *path = file_join(c->directory, "campaign");
	struct buf key = {0};
	if (file_read_limited(path, 4096, &key) || store_open(&c->store, store, STORE_READ_ONLY))
		die(EXIT_USAGE, "%s", error_text());
	buf_str(&key)[strcspn(buf_str(&key), "\n")] = 0;
	c->key = buf_str(&key);
	if (store_campaign_each(c->store, find_campaign, c) < 0 || !c->campaign)
		die(EXIT_USAGE, "the store '%s' does not know the search in '%s'", store, c->directory);
	if (store_cover_each(c->store, c->campaign, add_claim, c) || outdir_files(c->directory, add_file, c))
		die(EXIT_USAGE, "%s", error_text());
	if (c->claims.size)
		qsort(c->claims.data, c->claims.size, sizeof *c->claims.data, by_test);
	buf_release(&key);
	free(path);
}

static uint8_t class_of(uint8_t n)
{
	return n == 0 ? 0 : n < 4 ? 1 << (n - 1) : n < 8 ? 8 : n < 16 ? 16 : n < 32 ? 32 : n < 128 ? 64 : 128;
}

static uint8_t counter(const struct check *c, const struct exec_result *r, const struct claim *claim)
{
	uint32_t count;
	const struct exec_unit *units = exec_units(c->exec, &count);
	for (uint32_t i = 0; i < count; i++)
		if (units[i].unit == claim->unit)
			return claim->outcome < units[i].count ? r->counters[units[i].first + claim->outcome] : 0;
	return 0;
}

/* All claims are looked at for every run; quadratic, but nobody waits for it. */
static uint32_t look(struct check *c, const struct exec_result *r, uint64_t test, const char *name)
{
	uint32_t own = 0;
	for (size_t i = 0; i < c->claims.size; i++) {
		struct claim *claim = &c->claims.data[i];
		uint8_t n = counter(c, r, claim);
		claim->shown |= class_of(n);
		if (claim->test != test)
			continue;
		own++;
		if (!n && name) {
			char words[120];
			snprintf(words, sizeof words, "does not take outcome %" PRIu32 " of unit %08" PRIx32 ", for which it was kept", claim->outcome, claim->unit);
			complain(c, name, words);
		}
	}
	return own;
}

static void check_file(struct check *c, const struct store_test *t, const char *name)
{
	char *path = mem_printf("%s/queue/%s", c->directory, name), words[120];
	struct buf data = {0};
	struct exec_result r;
	uint32_t own;

	if (file_read(path, &data) || exec_fresh(c->exec, data.size ? data.data : "", data.size, &r))
		die(EXIT_USAGE, "%s", error_text());
	if (data.size != t->size || (t->size && memcmp(data.data, t->data, t->size)))
		complain(c, name, "has other bytes than its test in the store");
	if (r.end != RUN_EXIT) {
		snprintf(words, sizeof words, "does not end by itself: %s", run_end_key(r.end));
		complain(c, name, words);
	}
	own = look(c, &r, t->id, name);
	if (c->several ? own > t->new_outcomes : own != t->new_outcomes) {
		snprintf(words, sizeof words, "claims %" PRIu32 " new outcomes and was the first with %" PRIu32, t->new_outcomes, own);
		complain(c, name, words);
	}
	if (!!strstr(name, "+cov") != (t->new_outcomes > 0))
		complain(c, name, "+cov in its name is wrong");
	c->checked += own;
	c->counts_only += !own && t->origin != ORIGIN_SEED;
	buf_release(&data);
	free(path);
}

static int check_test(void *ctx, const struct store_test *t)
{
	struct check *c = ctx;
	struct exec_result r;
	uint64_t at;
	char name[40];

	if (map_get(&c->files, t->id, &at)) {
		check_file(c, t, c->names.data[at - 1]);
		return 0;
	}
	snprintf(name, sizeof name, "test %" PRIu64, t->id);
	if (t->flags & TEST_CRASH) {
		if (exec_fresh(c->exec, t->data, t->size, &r))
			die(EXIT_USAGE, "%s", error_text());
		c->failing += look(c, &r, t->id, NULL);
	} else if (t->flags & TEST_HANG) {
		c->looped = 1; /* its counts depend on the clock */
	} else if (t->flags & TEST_COVERS || t->origin == ORIGIN_SEED) {
		complain(c, name, "has no file in queue/");
	}
	return 0;
}

static void check_classes(struct check *c)
{
	for (size_t i = 0; i < c->claims.size; i++)
		c->classes += (uint64_t)__builtin_popcount(c->claims.data[i].mask & ~c->claims.data[i].shown);
	if (c->classes && !c->looped)
		complain(c, c->directory, "hit-count classes in the store that no file shows");
}

int main(int argc, char **argv)
{
	struct check c = {0};
	struct target_options o = TARGET_DEFAULTS;
	struct target cov;
	struct exec_result r;
	int at = 1;

	if (argc > at && !strcmp(argv[at], "-j"))
		c.several = at++;
	if (argc < at + 4 || strcmp(argv[at + 2], "--"))
		die(EXIT_USAGE, "check-queue [-j] STORE DIRECTORY -- PROGRAM [ARGUMENTS]");
	c.directory = argv[at + 1];
	open_all(&c, argv[at]);
	o.time = 10;
	char *program = targets_program(argv[at + 3]);
	targets_make(&cov, program, argv + at + 3, VARIANT_COV, &o);
	if (exec_open(&c.exec, &cov.options, 0) || exec_run(c.exec, "", 0, &r))
		die(EXIT_USAGE, "%s", error_text());
	c.looped = r.looped;
	if (store_test_each(c.store, c.campaign, 0, 1, check_test, &c))
		die(EXIT_USAGE, "%s", error_text());
	check_classes(&c);
	if (!c.names.size)
		complain(&c, c.directory, "there are no files in queue/");
	printf("%zu files, %" PRIu64 " outcomes they were kept for; %" PRIu64 " files for counts alone, %" PRIu64 " outcomes of crashing tests, %" PRIu64
	       " hit-count classes not shown; %" PRIu64 " complaints\n",
	       c.names.size, c.checked, c.counts_only, c.failing, c.classes, c.complaints);
	exec_close(c.exec);
	target_release(&cov);
	store_close(c.store);
	for (size_t i = 0; i < c.names.size; i++)
		free(c.names.data[i]);
	vec_release(&c.names);
	vec_release(&c.claims);
	map_release(&c.files);
	free(program);
	return c.complaints ? 1 : 0;
}
