/* search_program.h: a small program in its cov and trace variants, made in the test, and a search over it.
 *
 * The program marks its input (__VERIFIER_nondet_int and the like); the compiler may be told to add checks.
 */
#ifndef TESTS_SEARCH_PROGRAM_H
#define TESTS_SEARCH_PROGRAM_H

#include "bitcode.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "instrument/fold.h"
#include "instrument/instrument.h"
#include "search/frontier.h"
#include "search/search.h"

#include <stdlib.h>

#define UNIT 0x5ea4c400
/* Checks that the program goes on behind, and, as in functions that are driven, those that end the run. */
#define CHECKS_ALL \
	"-fsanitize=undefined,unsigned-integer-overflow,implicit-conversion -fno-sanitize=function,vptr,object-size -fsanitize-trap=all"
#define CHECKS "-fsanitize=undefined -fno-sanitize=function,vptr,object-size -fsanitize-trap=all -ftrap-function=" FOLD_ENDS

struct searched {
	char *argv[2];
	char *cov, *trace; /* paths */
	struct exec *exec;
	struct shm shm[2];
	struct launch_options options[2];
	struct launcher *launcher[2];
	struct site_tables sites;
	struct frontier frontier;
	struct search *search;
	unsigned failures;
};

static inline char *variant_of(const char *text, const char *flags, enum instrument_kind kind, checker_set checks)
{
	struct instrument_options options = {.verify = 1, .fast_compile = 1, .checks = checks};
	const char *build = getenv("MUSTER_BUILD") ? getenv("MUSTER_BUILD") : "build"; /* tests/check.mk says where another one is */
	char *archive = mem_printf("%s/runtime/%s", build, kind == INSTRUMENT_COV ? "libmuster_cov.a" : "libmuster_rt.a");
	char *wraps = mem_printf("%s/runtime/%s", build, kind == INSTRUMENT_COV ? "wraps_cov" : "wraps");
	char *path = file_temp("program"), *object = file_temp("unit.o");
	struct buf bitcode = {0}, code = {0}, names = {0};
	VEC(char *) argv = {0};
	struct proc_result r = {0};

	compile_with(text, flags, &bitcode);
	if (instrument_unit(bitcode.data, bitcode.size, UNIT, kind, &options, &code) ||
	    file_write_atomic(object, code.data, code.size) ||
	    file_read(wraps, &names))
		fail_msg("%s", error_text());
	vec_push(&argv, "clang-19");
	vec_push(&argv, object);
	vec_push(&argv, "-Wl,--whole-archive");
	vec_push(&argv, archive);
	vec_push(&argv, "-Wl,--no-whole-archive");
	for (char *s = strtok(buf_str(&names), "\n"); s; s = strtok(NULL, "\n"))
		vec_push(&argv, mem_printf("-Wl,--wrap=%s", s));
	size_t end = argv.size;
	vec_push(&argv, "-lm");
	vec_push(&argv, "-o");
	vec_push(&argv, path);
	vec_push(&argv, NULL);
	if (proc_run(argv.data, NULL, &r) || r.status)
		fail_msg("cannot link: %d %s", r.status, error_text());
	proc_release(&r);
	for (size_t i = 5; i < end; i++)
		free(argv.data[i]);
	vec_release(&argv);
	buf_release(&bitcode);
	buf_release(&code);
	buf_release(&names);
	free(object);
	free(archive);
	free(wraps);
	return path;
}

static inline int note_failure(void *ctx, const struct search_test *t, const struct exec_result *r)
{
	struct searched *p = ctx;

	(void)t, (void)r;
	p->failures++;
	return 0;
}

/* 1: each slice ends after the first question. */
static int search_hasty;

static inline int pause_search(void *ctx)
{
	(void)ctx;
	return search_hasty;
}

static inline int add_test(void *ctx, struct search_test *t, const struct search_cover *c, size_t n)
{
	return frontier_add(&((struct searched *)ctx)->frontier, t, c, n);
}

/* 1: of the two best tests one after the other is taken. */
static int search_alternates;

static inline int take_test(void *ctx, struct search_test *t, struct buf *data)
{
	static unsigned times;
	struct frontier *f = &((struct searched *)ctx)->frontier;
	struct search_test best;
	int r = frontier_take(f, t, data);

	if (r <= 0 || !search_alternates || times++ % 2 || !f->heap.size)
		return r;
	best = *t;
	buf_clear(data);
	r = frontier_take(f, t, data);
	return frontier_update(f, &best) ? -1 : r;
}

static inline int update_test(void *ctx, const struct search_test *t)
{
	return frontier_update(&((struct searched *)ctx)->frontier, t);
}

static inline void search_open_told(struct searched *p, const char *text, const char *flags, const struct search_options *o,
				    int (*violated)(void *ctx, const struct search_test *t, const struct search_violation *v))
{
	struct search_hooks hooks = {p, add_test, take_test, update_test, note_failure, pause_search, violated, NULL};
	struct shm_options tables = {.table_limit = 4096, .nodes = 1 << 20, .events = 1 << 18};
	struct launch_options l = LAUNCH_DEFAULTS;

	memset(p, 0, sizeof *p);
	frontier_init(&p->frontier);
	p->cov = variant_of(text, flags, INSTRUMENT_COV, o->checks);
	p->trace = variant_of(text, flags, INSTRUMENT_TRACE, o->checks);
	if (site_tables_add_elf(&p->sites, p->trace) < 1)
		fail_msg("%s", error_text());
	p->argv[0] = "program";
	l.argv = p->argv;
	l.out = l.err = LAUNCH_NULL;
	l.wall_seconds = 5;
	l.memory_limit = 1u << 30;
	l.program = p->cov;
	if (exec_open(&p->exec, &l, 0))
		fail_msg("%s", error_text());
	for (int i = 0; i < 2; i++) {
		p->options[i] = l;
		p->options[i].program = p->trace;
		p->options[i].server = 1;
		p->options[i].memory_limit = 0;
		p->options[i].shm = &p->shm[i];
		if (shm_init(&p->shm[i], &tables) || !(p->launcher[i] = launcher_new(&p->options[i])))
			fail_msg("%s", error_text());
	}
	struct search_target t = {.exec = p->exec, .parent = p->launcher[0], .child = p->launcher[1],
				  .parent_shm = &p->shm[0], .child_shm = &p->shm[1], .sites = &p->sites, .to_objects = 1};
	p->search = search_new(o, &t, &hooks);
	assert_non_null(p->search);
}

static inline void search_open(struct searched *p, const char *text, const char *flags, const struct search_options *o)
{
	search_open_told(p, text, flags, o, NULL);
}

/* From the empty input until the search ends. */
static inline void search_run(struct searched *p)
{
	int r;

	if (search_offer(p->search, "", 0, ORIGIN_SEED, 1) < 0)
		fail_msg("%s", error_text());
	while ((r = search_step(p->search)) > 0)
		;
	if (r < 0)
		fail_msg("%s", error_text());
}

static inline void search_close(struct searched *p)
{
	search_free(p->search);
	exec_close(p->exec);
	for (int i = 0; i < 2; i++) {
		launcher_free(p->launcher[i]);
		shm_release(&p->shm[i]);
	}
	site_tables_release(&p->sites);
	frontier_release(&p->frontier);
	free(p->cov);
	free(p->trace);
}

#endif
