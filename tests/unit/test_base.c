/* test_base.c: buffers, vectors, maps, arenas, JSON, files and processes. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/option.h"
#include "base/proc.h"
#include "base/vec.h"
#include "base/stop.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static void buffers_grow(void **state)
{
	struct buf b = BUF_EMPTY;
	char *s;

	(void)state;
	assert_string_equal(buf_str(&b), "");
	for (int i = 0; i < 1000; i++)
		buf_addf(&b, "%d,", i);
	assert_int_equal(b.size, 10 * 2 + 90 * 3 + 900 * 4);
	assert_memory_equal(b.data, "0,1,2,3,", 8);
	buf_clear(&b);
	buf_add32(&b, 0x04030201);
	buf_add64(&b, 0x0807060504030201ull);
	assert_memory_equal(b.data, "\1\2\3\4\1\2\3\4\5\6\7\10", 12);
	s = buf_take(&b);
	assert_int_equal(b.size, 0);
	free(s);
	buf_release(&b);
}

static void vectors_grow(void **state)
{
	VEC(struct {
		int a;
		char c;
	})
	v = {0};

	(void)state;
	for (int i = 0; i < 1000; i++) {
		vec_reserve(&v, v.size + 1);
		v.data[v.size].a = i;
		v.size++;
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(v.data[i].a, i);
	assert_int_equal(vec_last(&v).a, 999);
	assert_int_equal(vec_pop(&v).a, 999);
	vec_release(&v);
	assert_null(v.data);
}

static void maps_find_what_was_set(void **state)
{
	struct map m = {0};
	struct strmap t = {0};
	uint64_t v, k, sum = 0;
	const char *key;
	char name[32];
	size_t at = 0;

	(void)state;
	assert_false(map_get(&m, 0, &v));
	for (uint64_t i = 0; i < 10000; i++)
		assert_int_equal(map_set(&m, i << 20, i), 1);
	assert_int_equal(map_set(&m, 5 << 20, 7), 0);
	assert_true(map_get(&m, 5 << 20, &v));
	assert_int_equal(v, 7);
	assert_false(map_get(&m, 1, NULL));
	while (map_next(&m, &at, &k, &v))
		sum += v;
	assert_int_equal(sum, 9999 * 10000 / 2 + 2);
	map_clear(&m);
	assert_false(map_get(&m, 0, NULL));
	map_release(&m);

	assert_false(strmap_get(&t, "x", NULL));
	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof name, "name %d", i);
		assert_int_equal(strmap_set(&t, name, i), 1);
	}
	assert_int_equal(strmap_set(&t, "name 3", 4), 0);
	assert_true(strmap_get(&t, "name 3", &v));
	assert_int_equal(v, 4);
	assert_string_equal(strmap_key(&t, "name 77"), "name 77");
	assert_null(strmap_key(&t, "nobody"));
	at = sum = 0;
	while (strmap_next(&t, &at, &key, &v))
		sum++;
	assert_int_equal(sum, 2000);
	strmap_release(&t);
}

static void arenas_keep_everything(void **state)
{
	struct arena a = {0};
	char *first = arena_strdup(&a, "first"), *big;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		char *p = arena_alloc(&a, i % 100);

		assert_int_equal((uintptr_t)p % 16, 0);
		memset(p, 0xff, i % 100);
	}
	big = arena_alloc(&a, 1 << 20);
	for (int i = 0; i < 1 << 20; i++)
		assert_int_equal(big[i], 0);
	assert_string_equal(first, "first");
	arena_release(&a);
}

static void hashes_are_fixed(void **state)
{
	char hex[HASH_HEX_SIZE];

	(void)state;
	/* XXH3 of nothing, as its specification gives it. */
	assert_string_equal(hash_hex(hash128("", 0), hex), "99aa06d3014798d86001c324468d497f");
	assert_int_equal(hash64("", 0, 0), 0x2d06800538d394c2ull);
}

static void errors_keep_their_words(void **state)
{
	(void)state;
	assert_int_equal(error_set("no %s", "bread"), -1);
	error_wrap("at %s", "home");
	error_wrap("%s", error_text());
	assert_string_equal(error_text(), "at home: no bread: at home: no bread");
	errno = ENOENT;
	error_errno("cannot open it");
	assert_string_equal(error_text(), "cannot open it: No such file or directory");
}

static void json_is_well_formed(void **state)
{
	struct buf b = BUF_EMPTY;
	struct json j;

	(void)state;
	json_begin(&j, &b);
	json_object_open(&j);
	json_key(&j, "a\"b");
	json_array_open(&j);
	json_int(&j, -1);
	json_u64(&j, ~0ull);
	json_str(&j, "x\n\xff\xc3\xa9");
	json_str(&j, NULL);
	json_bool(&j, 1);
	json_double(&j, 0.5);
	json_double(&j, 1.0 / 0.0);
	json_hex(&j, 255);
	json_array_close(&j);
	json_key(&j, "o");
	json_object_open(&j);
	json_object_close(&j);
	json_object_close(&j);
	assert_string_equal(buf_str(&b),
			    "{\"a\\\"b\":[-1,18446744073709551615,\"x\\n\\ufffd\xc3\xa9\","
			    "null,true,0.5,null,\"0xff\"],\"o\":{}}");
	buf_release(&b);
}

static void files_are_written_whole(void **state)
{
	char *dir = file_temp("dir"), *deep = file_join(dir, "a/b/c"), *f = file_join(deep, "file");
	struct buf b = BUF_EMPTY;

	(void)state;
	assert_int_equal(file_mkdirs(deep), 0);
	assert_int_equal(file_mkdirs(deep), 0);
	assert_int_equal(file_write_atomic(f, "one\0two", 7), 0);
	assert_int_equal(file_read(f, &b), 0);
	assert_int_equal(b.size, 7);
	assert_memory_equal(b.data, "one\0two", 7);
	assert_int_equal(file_mkdirs(f), -1);
	assert_int_equal(file_read("/no/such/file", &b), -1);
	assert_non_null(strstr(error_text(), "/no/such/file"));
	assert_int_equal(file_remove_tree(dir), 0);
	assert_false(file_exists(dir));
	assert_string_equal(file_base("a/b"), "b");
	free(f);
	f = file_dir("/x");
	assert_string_equal(f, "/");
	free(f);
	free(deep);
	free(dir);
	buf_release(&b);
}

/* Of a child that is killed while it has temporary files. */
static void signals_remove_temporary_files(void **state)
{
	char name[4096] = "";
	int fds[2], status;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		const char *dir = file_temp_dir();
		char *f = file_join(dir, "file");

		file_write_atomic(f, "x", 1);
		file_write_all(fds[1], dir, strlen(dir));
		pause();
	}
	assert_true(read(fds[0], name, sizeof name - 1) > 0);
	assert_true(file_exists(name));
	kill(pid, SIGTERM);
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	assert_false(file_exists(name));
	close(fds[0]);
	close(fds[1]);
}

/* A command, and a process that it forked and that dies with it; both have temporary files. Does not return. */
static void be_command(int words)
{
	static volatile int stop;
	char *file;
	const char *dir;

	file_temp_settle();
	stop_catch(&stop);
	if (!deadline_fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		deadline_child();
	}
	dir = file_temp_dir();
	file = file_join(dir, "file");
	file_write_atomic(file, "x", 1);
	file_write_all(words, mem_printf("%-200s", dir), 200);
	for (;;)
		pause();
}

static void read_path(int fd, char path[201])
{
	assert_int_equal(read(fd, path, 200), 200);
	path[strcspn(path, " ")] = 0;
	assert_true(file_exists(path));
}

static void a_second_signal_leaves_nothing(void **state)
{
	char own[201] = "", other[201] = "";
	struct timespec later = {0, 350000000}, look = {0, 20000000};
	int fds[2], status;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid)
		be_command(fds[1]);
	read_path(fds[0], own);
	read_path(fds[0], other);
	assert_string_not_equal(own, other);
	kill(pid, SIGTERM);
	nanosleep(&later, NULL);
	assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	kill(pid, SIGTERM);
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	for (int i = 0; i < 500 && (file_exists(own) || file_exists(other)); i++)
		nanosleep(&look, NULL);
	assert_false(file_exists(own));
	assert_false(file_exists(other));
	close(fds[0]);
	close(fds[1]);
}

/* What a child that was killed leaves is removed by the command. */
static void a_killed_child_leaves_nothing(void **state)
{
	char path[201] = "";
	int fds[2], status;
	pid_t pid, child;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		file_temp_settle();
		child = fork();
		if (!child) {
			file_write_all(fds[1], mem_printf("%-200s", file_temp_dir()), 200);
			pause();
		}
		read_path(fds[0], path);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		file_write_all(fds[1], mem_printf("%-200s", path), 200);
		exit(file_exists(path) ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(read(fds[0], path, 200), 200);
	path[strcspn(path, " ")] = 0;
	assert_false(file_exists(path));
	close(fds[0]);
	close(fds[1]);
}

/* Budgets of work do not shrink while others have the processor. */
static volatile int *wish;

static void on_wish(int number)
{
	(void)number;
	*wish = 1;
}

/* One that is ended as soon as it is there must not end the command, whose handler it was born with. */
static void an_ended_child_says_nothing(void **state)
{
	struct sigaction a = {.sa_handler = on_wish}, old;
	(void)state;
	wish = mmap(NULL, sizeof *wish, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(wish != MAP_FAILED);
	sigaction(SIGTERM, &a, &old);
	for (int i = 0; i < 500 && !*wish; i++) {
		int status;
		pid_t pid = deadline_fork();
		assert_true(pid >= 0);
		if (!pid) {
			pause();
			_exit(0);
		}
		kill(pid, SIGTERM);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	}
	assert_int_equal(*wish, 0);
	raise(SIGTERM);
	assert_int_equal(*wish, 1);
	sigaction(SIGTERM, &old, NULL);
	munmap((void *)wish, sizeof *wish);
}

static void waiting_is_no_processor_time(void **state)
{
	struct timespec wait = {0, 200000000}, step = {0, 5000000};
	double before = deadline_processor(), clock = deadline_clock();

	(void)state;
	nanosleep(&wait, NULL);
	assert_true(deadline_clock() - clock >= 0.2);
	assert_true(deadline_processor() - before < 0.1);
	before = deadline_processor();
	nanosleep(&step, NULL); /* readings are some milliseconds apart */
	while (deadline_processor() - before < 0.02)
		;
}

static void processes_are_served_together(void **state)
{
	static char *const cat[] = {"cat", NULL};
	static char *const both[] = {"sh", "-c", "echo out; echo err >&2; exit 3", NULL};
	static char *const none[] = {"/no/such/program", NULL};
	static char *const killed[] = {"sh", "-c", "kill -9 $$", NULL};
	size_t n = 1 << 20;
	char *input = mem_alloc(n);
	struct proc_job jobs[3] = {{.argv = cat}, {.argv = cat}, {.argv = both}};
	struct proc_result r;

	(void)state;
	memset(input, 'x', n);
	for (int i = 0; i < 3; i++) {
		jobs[i].opts.capture_out = jobs[i].opts.capture_err = 1;
		jobs[i].opts.input = input;
		jobs[i].opts.input_size = n;
	}
	assert_int_equal(proc_run_many(jobs, 3), 0);
	assert_int_equal(jobs[0].result.out.size, n);
	assert_int_equal(jobs[1].result.out.size, n);
	assert_string_equal(buf_str(&jobs[2].result.out), "out\n");
	assert_string_equal(buf_str(&jobs[2].result.err), "err\n");
	assert_int_equal(jobs[2].result.status, 3);
	for (int i = 0; i < 3; i++)
		proc_release(&jobs[i].result);
	assert_int_equal(proc_run(none, NULL, &r), -1);
	assert_non_null(strstr(error_text(), "/no/such/program"));
	assert_int_equal(proc_run(killed, NULL, &r), 0);
	assert_int_equal(r.status, 128 + 9);
	free(input);
}

/* Reads standard input to its end, and says how much there was. */
static int count_input(char *const argv[], const void *ctx)
{
	size_t n = 0;

	while (getchar() != EOF)
		n++;
	printf("%s %s %zu", argv[0], (const char *)ctx, n);
	return 7;
}

/* A function of our own in a process: the end of a job's input comes whoever was started after it, and nothing is printed twice. */
static void functions_are_served_like_programs(void **state)
{
	static char *const argv[] = {"count", NULL};
	static char *const shell[] = {"sh", "-c", "exit 3", NULL};
	struct proc_job jobs[3] = {{.argv = argv}, {.argv = argv}, {.argv = shell}};

	(void)state;
	printf("buffered"); /* and not written yet */
	for (int i = 0; i < 3; i++) {
		jobs[i].opts.capture_out = 1;
		jobs[i].opts.input = "abcd";
		jobs[i].opts.input_size = (size_t)i + 2;
		jobs[i].opts.call = i < 2 ? count_input : NULL;
		jobs[i].opts.ctx = "bytes";
	}
	assert_int_equal(proc_run_many(jobs, 3), 0);
	assert_string_equal(buf_str(&jobs[0].result.out), "count bytes 2");
	assert_string_equal(buf_str(&jobs[1].result.out), "count bytes 3");
	assert_int_equal(jobs[0].result.status, 7);
	assert_int_equal(jobs[2].result.status, 3);
	for (int i = 0; i < 3; i++)
		proc_release(&jobs[i].result);
}

static void options_are_parsed(void **state)
{
	int flag = 0, other = 1;
	const char *s = NULL;
	uint64_t n = 0;
	double d = 0;
	struct option_list l = {0};
	const struct option_row rows[] = {OPTION_FLAG("flag", 'f', &flag, "f"),
					  OPTION_FLAG("other", 'o', &other, "o"),
					  OPTION_STR("str", 's', "S", &s, "s"),
					  OPTION_U64("num", 'n', "N", &n, "n"),
					  OPTION_DOUBLE("real", 0, "D", &d, "d"),
					  OPTION_LIST("list", 'l', "L", &l, "l"),
					  OPTION_END};
	const struct option_spec spec = {"x", "", "", rows};
	char *argv[] = {"x",  "-fstext", "--no-other", "--num=4k", "--real", "0.5",
			"-l", "a",	 "--list=b",   "--",	   "-f",     NULL};

	(void)state;
	assert_int_equal(option_parse(&spec, 11, argv), 10);
	assert_int_equal(flag, 1);
	assert_int_equal(other, 0);
	assert_string_equal(s, "text");
	assert_int_equal(n, 4096);
	assert_true(d == 0.5);
	assert_int_equal(l.size, 2);
	assert_string_equal(l.data[1], "b");
	free(l.data);
}

static const char *nearest(const char *typed)
{
	static const char *const names[] = {"input", "output", "summary", "self-check", "cc"};
	struct option_near near = OPTION_NEAR(typed);

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		option_near(&near, names[i]);
	return near.name;
}

static void nearest_name_is_found(void **state)
{
	(void)state;
	assert_string_equal(nearest("inptu"), "input");	       /* exchanged */
	assert_string_equal(nearest("ouput"), "output");       /* left out */
	assert_string_equal(nearest("selfcheck"), "self-check");
	assert_string_equal(nearest("sumary"), "summary");
	assert_string_equal(nearest("c"), "cc");
	assert_null(nearest("x"));
	assert_null(nearest("dependence"));
	assert_null(nearest(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(buffers_grow),
	    cmocka_unit_test(vectors_grow),
	    cmocka_unit_test(maps_find_what_was_set),
	    cmocka_unit_test(arenas_keep_everything),
	    cmocka_unit_test(hashes_are_fixed),
	    cmocka_unit_test(errors_keep_their_words),
	    cmocka_unit_test(json_is_well_formed),
	    cmocka_unit_test(files_are_written_whole),
	    cmocka_unit_test(signals_remove_temporary_files),
	    cmocka_unit_test(a_second_signal_leaves_nothing),
	    cmocka_unit_test(a_killed_child_leaves_nothing),
	    cmocka_unit_test(an_ended_child_says_nothing),
	    cmocka_unit_test(waiting_is_no_processor_time),
	    cmocka_unit_test(processes_are_served_together),
	    cmocka_unit_test(functions_are_served_like_programs),
	    cmocka_unit_test(options_are_parsed),
	    cmocka_unit_test(nearest_name_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
