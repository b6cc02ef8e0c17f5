/* test_stage.c: the mutation stage on a small harness: what it finds, that it does the same again, and trimming. */
#include "cov_program.h"
#include "base/hash.h"
#include "base/mem.h"
#include "search/stage.h"

static const char harness[] =
    "#include <stdint.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)\n"
    "{\n"
    "	if (size < 6 || size > 900) return 0;\n"
    "	if (data[0] == '<')\n"
    "		if (data[1] == 'a')\n"
    "			if (data[2] == '>') {\n"
    "				if (memchr(data, '7', size))\n"
    "					if (data[size - 1] == '!')\n"
    "						abort();\n"
    "				int n = 0;\n"
    "				for (size_t i = 3; i < size; i++) if (data[i] == '[') n++;\n"
    "				if (n > 9) return 1;\n"
    "			}\n"
    "	return 0;\n"
    "}\n";

struct world {
	uint64_t by[2]; /* mutants that were handed over, of short inputs and of the long one */
	struct exec *exec;
	struct cover cover;
	struct havoc havoc;
	struct stage *stage;
	uint64_t ids, digest;
	unsigned found, aborts, pauses;
};

static int found(void *ctx, uint64_t parent, const uint8_t *data, size_t size, const struct exec_result *r,
		 struct cover_news news)
{
	struct world *w = ctx;

	assert_true(parent > 0 && parent <= w->ids);
	w->digest = hash64(data, size, w->digest);
	if (r->end == RUN_SIGNAL) {
		w->aborts++;
		return 0;
	}
	assert_int_equal(r->end, RUN_EXIT);
	assert_true(news.outcomes || news.classes);
	w->found++;
	cover_look(&w->cover, r, 1, NULL, NULL);
	stage_add(w->stage, ++w->ids, data, size, r);
	return 0;
}

/* Nothing is noted, so that all that takes a branch is new and handed over. */
static int found_always(void *ctx, uint64_t parent, const uint8_t *data, size_t size, const struct exec_result *r, struct cover_news news)
{
	struct world *w = ctx;

	(void)data, (void)size, (void)r, (void)news;
	w->by[parent == w->ids]++;
	return 0;
}

static int pause_now(void *ctx)
{
	struct world *w = ctx;

	return ++w->pauses >= 5;
}

static char *path;

static void begin(struct world *w, uint64_t seed, const struct stage_options *o, int (*pause)(void *))
{
	static char *argv[] = {"program", NULL};
	struct launch_options l = LAUNCH_DEFAULTS;
	struct stage_hooks hooks = {w, o->no_steps ? found_always : found, pause};

	memset(w, 0, sizeof *w);
	if (!path)
		path = make_program(harness, 1);
	l.argv = argv;
	l.program = path;
	l.out = l.err = LAUNCH_NULL;
	l.wall_seconds = 10;
	if (exec_open(&w->exec, &l, 0))
		fail_msg("%s", error_text());
	cover_init(&w->cover);
	havoc_init(&w->havoc, seed, 1000);
	w->stage = stage_new(o, w->exec, &w->cover, &w->havoc, &hooks);
}

static void end(struct world *w)
{
	stage_free(w->stage);
	havoc_release(&w->havoc);
	cover_release(&w->cover);
	exec_close(w->exec);
}

static void search(struct world *w, uint64_t seed, uint64_t runs)
{
	struct stage_options o = {.repeatable = 1};

	begin(w, seed, &o, NULL);
	stage_add(w->stage, ++w->ids, "seed seed", 9, NULL); /* its run is not known yet */
	if (stage_run(w->stage, runs))
		fail_msg("%s", error_text());
	assert_true(stage_stats(w->stage)->runs >= runs && stage_stats(w->stage)->runs < runs + 1000);
	end(w);
}

static void test_finds(void **unused)
{
	struct world w;
	unsigned aborts = 0;

	(void)unused;
	for (uint64_t seed = 1; seed <= 8; seed++) { /* one in a few finds it */
		search(&w, seed, 30000);
		assert_true(w.found >= 8);
		aborts += w.aborts;
	}
	assert_true(aborts > 0);
}

static void test_repeats(void **unused)
{
	struct world a, b, c;

	(void)unused;
	search(&a, 5, 8000);
	search(&b, 5, 8000);
	search(&c, 6, 8000);
	assert_true(a.digest == b.digest);
	assert_int_equal(a.found, b.found);
	assert_true(a.digest != c.digest);
}

static void test_trim(void **unused)
{
	static const char input[] = "<a>some text that does not matter [ more of it, and more, and more, and more";
	struct stage_options o = {0};
	struct buf data = BUF_EMPTY;
	struct exec_result r;
	uint64_t signature;
	struct world w;

	(void)unused;
	begin(&w, 1, &o, NULL);
	buf_add(&data, input, sizeof input - 1);
	assert_int_equal(exec_run(w.exec, data.data, data.size, &r), 0);
	signature = cover_signature(&r);
	/* The loop's count is part of the signature: a class of its own must stay. */
	assert_int_equal(stage_trim(w.stage, &data, &r, 1000), 1);
	assert_true(data.size < 60 && data.size >= 35);
	assert_true(cover_signature(&r) == signature);
	assert_memory_equal(data.data, "<a>", 3);
	assert_int_equal(exec_run(w.exec, data.data, data.size, &r), 0);
	assert_true(cover_signature(&r) == signature);
	buf_release(&data);
	end(&w);
}

/* Where much is found, trimming has its share of the runs and no more. */
static void test_trim_share(void **unused)
{
	struct stage_options o = {.repeatable = 1, .no_steps = 1};
	const struct stage_stats *stats;
	struct world w;

	(void)unused;
	begin(&w, 1, &o, NULL);
	stage_add(w.stage, ++w.ids, "<a>some text that does not matter", 33, NULL);
	assert_int_equal(stage_run(w.stage, 60000), 0);
	stats = stage_stats(w.stage);
	assert_true(w.by[1] > 1000 && stats->trim_runs > 0 && stats->trimmed_bytes > 0);
	assert_true(stats->trim_runs < stats->runs / 2);
	end(&w);
}

/* An input that costs many times the average has fewer mutants, not the most of the time. */
static void test_dear(void **unused)
{
	struct stage_options o = {.repeatable = 1, .no_steps = 1, .no_trim = 1};
	char text[890];
	struct world w;

	(void)unused;
	memset(text, 'x', sizeof text);
	begin(&w, 1, &o, NULL);
	for (unsigned i = 0; i < 100; i++)
		stage_add(w.stage, ++w.ids, "<a>7", 4, NULL);
	memcpy(text, "<a>", 3);
	stage_add(w.stage, ++w.ids, text, sizeof text, NULL);
	assert_int_equal(stage_run(w.stage, 60000), 0);
	assert_true(w.by[1] > 0 && w.by[1] < w.by[0] / 20);
	end(&w);
}

static void offer_all(struct world *w, unsigned count, const char *head)
{
	char text[32];

	for (unsigned i = 0; i < count; i++)
		stage_offer(w->stage, 1, text, (size_t)snprintf(text, sizeof text, "%s%u", head, i));
}

/* What others offer is run, and is found with its parent; while nothing comes of it, it has a small share. */
static void test_offers(void **unused)
{
	struct stage_options o = {.repeatable = 1, .no_steps = 1, .no_trim = 1};
	const struct stage_stats *stats;
	uint64_t before;
	struct world w;

	(void)unused;
	begin(&w, 1, &o, NULL);
	stage_add(w.stage, ++w.ids, "no use", 6, NULL);
	stats = stage_stats(w.stage);
	assert_true(stage_takes_offers(w.stage));
	offer_all(&w, 100, "<a>");
	assert_int_equal(stage_run(w.stage, 1), 0);
	assert_true(stats->offers > 0 && stats->offers <= 100 && stats->offers_found > 0);
	assert_true(w.by[1] == stats->offers_found); /* all of the one parent */
	assert_int_equal(stage_run(w.stage, 1000), 0);
	assert_int_equal(stats->offers, 100);
	for (unsigned i = 0; i < 4; i++) {
		offer_all(&w, 1000000, "none");
		assert_false(stage_takes_offers(w.stage));
		assert_int_equal(stage_run(w.stage, 20000), 0);
	}
	before = stats->offers;
	assert_true(before > 100 && before < 40000);
	assert_int_equal(stage_run(w.stage, 20000), 0);
	assert_true(stats->offers - before < 4000);
	end(&w);
}

static void test_pause(void **unused)
{
	struct stage_options o = {0};
	struct world w;

	(void)unused;
	begin(&w, 1, &o, pause_now);
	assert_int_equal(stage_run(w.stage, 1000), 0); /* nothing to do */
	stage_add(w.stage, ++w.ids, "a", 1, NULL);
	assert_int_equal(stage_run(w.stage, 1000000), 0);
	assert_true(stage_stats(w.stage)->runs < 500);
	end(&w);
}

/* Nothing but the empty input: rounds end though there is nothing to change at first. */
static void test_small(void **unused)
{
	struct stage_options o = {.no_trim = 1};
	struct world w;

	(void)unused;
	begin(&w, 1, &o, NULL);
	w.havoc.limit = 1;
	stage_add(w.stage, ++w.ids, "", 0, NULL);
	assert_int_equal(stage_run(w.stage, 2000), 0);
	assert_true(stage_stats(w.stage)->runs <= 2000);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_finds), cmocka_unit_test(test_repeats), cmocka_unit_test(test_trim),
	    cmocka_unit_test(test_pause), cmocka_unit_test(test_small), cmocka_unit_test(test_trim_share), cmocka_unit_test(test_dear),
	    cmocka_unit_test(test_offers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
