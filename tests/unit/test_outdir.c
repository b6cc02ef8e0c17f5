/* test_outdir.c: the output directory, the queues of others, seeds with hostile names. */
#include "store/outdir.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char *dir;

static char *place(const char *name)
{
	return file_join(dir, name);
}

static struct outdir *open_in(const char *name, const char *secondary, struct hash128 *key)
{
	char *path = place(name);
	struct outdir *o;

	if (outdir_open(&o, path, secondary, 0, key))
		fail_msg("%s", error_text());
	free(path);
	return o;
}

static void put(const char *name, const void *data, size_t size)
{
	char *path = place(name), *d = file_dir(path);

	assert_int_equal(file_mkdirs(d), 0);
	assert_int_equal(file_write_atomic(path, data, size), 0);
	free(path);
	free(d);
}

static void assert_file(const char *name, const char *text)
{
	char *path = place(name);
	struct buf b = BUF_EMPTY;

	if (file_read(path, &b))
		fail_msg("%s", error_text());
	assert_string_equal(buf_str(&b), text);
	buf_release(&b);
	free(path);
}

static int count_files(const char *name)
{
	char *path = place(name);
	DIR *d = opendir(path);
	int n = 0;

	for (struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(d);
	free(path);
	return n;
}

static void assert_words(const char *part)
{
	if (!strstr(error_text(), part))
		fail_msg("no '%s' in: %s", part, error_text());
}

/* -------------------------------------------------------------------- entries */

static void assert_name(char *name, const char *want)
{
	assert_string_equal(name, want);
	free(name);
}

static int collect(void *ctx, uint64_t test, const char *name)
{
	uint64_t number = strtoull(name + 3, NULL, 10);

	((uint64_t *)ctx)[number] = test;
	return 0;
}

static void entries_have_afl_names(void **state)
{
	struct hash128 key;
	struct outdir *o = open_in("names", NULL, &key);
	struct outdir_entry e = {
	    .id = 3, .milliseconds = 7, .op = "seed", .cov = 1, .data = "s", .size = 1};
	uint64_t tests[8] = {0};
	char *name, *path = place("names");

	(void)state;
	assert_int_equal(outdir_has(o, 3), 0);
	assert_int_equal(outdir_queue(o, &e, &name), 0);
	assert_name(name, "queue/id:000000,time:7,op:seed,+cov");
	e = (struct outdir_entry){.id = 12,
				  .parent = 3,
				  .milliseconds = 1234,
				  .op = "solve",
				  .cov = 1,
				  .data = "abc",
				  .size = 3};
	assert_int_equal(outdir_queue(o, &e, &name), 0);
	assert_name(name, "queue/id:000001,src:000000,time:1234,op:solve,+cov");
	assert_file("names/queue/id:000001,src:000000,time:1234,op:solve,+cov", "abc");
	assert_int_equal(outdir_queue(o, &e, NULL), 0); /* once */
	assert_int_equal(count_files("names/queue"), 2);
	assert_int_equal(outdir_has(o, 12), 1);
	/* An empty one, whose parent has no file. */
	e = (struct outdir_entry){
	    .id = 1234567, .parent = 4, .op = "havoc", .data = NULL, .size = 0};
	assert_int_equal(outdir_queue(o, &e, &name), 0);
	assert_name(name, "queue/id:000002,time:0,op:havoc");
	e = (struct outdir_entry){
	    .id = 1, .parent = 12, .op = "havoc", .signal = 6, .data = "x", .size = 1};
	assert_int_equal(outdir_crash(o, &e, &name), 0);
	assert_name(name, "crashes/id:000001,sig:06,src:000001,time:0,op:havoc");
	e.op = "sync:afl1";
	e.signal = 0;
	assert_int_equal(outdir_hang(o, &e, &name), 0);
	assert_name(name, "hangs/id:000001,src:000001,time:0,sync:afl1");
	outdir_close(o);
	o = open_in("names", NULL, &key);
	assert_int_equal(outdir_has(o, 12), 1);
	assert_int_equal(outdir_has(o, 1234567), 1);
	assert_int_equal(outdir_has(o, 1),
			 0); /* a crash is not in the queue, number 1 is test 12 */
	outdir_close(o);
	assert_int_equal(outdir_files(path, collect, tests), 0);
	assert_true(tests[0] == 3 && tests[1] == 12 && tests[2] == 1234567 && !tests[3]);
	free(path);
}

/* Several processes, each with its own view, and kills: no gap, no number twice. */
static void numbers_have_no_gaps(void **state)
{
	struct hash128 key;
	struct outdir *o = open_in("dense", NULL, &key), *p = open_in("dense", NULL, &key);
	uint64_t tests[300] = {0};
	char *path = place("dense"), *index = place("dense/.queue");
	struct outdir_entry e = {.op = "havoc", .data = "x", .size = 1};

	(void)state;
	for (int child = 0; child < 4; child++)
		if (!fork()) {
			struct outdir *own = open_in("dense", NULL, &key);

			for (e.id = child + 1; e.id <= 200; e.id += 4)
				if (outdir_queue(own, &e, NULL))
					_exit(1);
			_exit(0);
		}
	for (int child = 0, status; child < 4; child++) {
		wait(&status);
		assert_int_equal(status, 0);
	}
	assert_int_equal(count_files("dense/queue"), 200);
	assert_int_equal(outdir_files(path, collect, tests), 0);
	for (int i = 0; i < 200; i++)
		assert_true(tests[i] >= 1 && tests[i] <= 200);
	assert_int_equal(outdir_has(o, 200), 1);
	/* A number without its file: a kill between the two. */
	e.id = 777;
	assert_int_equal(outdir_queue(p, &e, NULL), 0);
	outdir_close(p);
	char *file = place("dense/queue/id:000200,time:0,op:havoc");

	assert_int_equal(unlink(file), 0);
	outdir_close(o);
	o = open_in("dense", NULL, &key);
	assert_int_equal(outdir_has(o, 777), 0);
	assert_int_equal(outdir_queue(o, &e, NULL), 0);
	assert_true(file_exists(file));
	/* A line that a full disk cut off. */
	FILE *f = fopen(index, "a");

	fputs("0000", f);
	fclose(f);
	e.id = 778;
	assert_int_equal(outdir_queue(o, &e, NULL), 0);
	memset(tests, 0, sizeof tests);
	assert_int_equal(outdir_files(path, collect, tests), 0);
	assert_true(tests[200] == 777 && tests[201] == 778);
	outdir_close(o);
	/* The index is gone: files keep their numbers. */
	unlink(index);
	o = open_in("dense", NULL, &key);
	e.id = 779;
	assert_int_equal(outdir_queue(o, &e, NULL), 0);
	memset(tests, 0, sizeof tests);
	assert_int_equal(outdir_files(path, collect, tests), 0);
	assert_true(tests[202] == 779 && !tests[201]);
	outdir_close(o);
	free(path);
	free(index);
	free(file);
}

static void hostile_operations_make_plain_names(void **state)
{
	struct hash128 key;
	struct outdir *o = open_in("tame", NULL, &key);
	char longest[1000], *name;
	struct outdir_entry e = {
	    .id = 1, .op = "../../x\n\xff'\"$(id),+cov:*", .data = "a", .size = 1};

	(void)state;
	assert_int_equal(outdir_queue(o, &e, &name), 0);
	assert_name(name, "queue/id:000000,time:0,op:.._.._x______id__+cov__");
	memset(longest, 'o', sizeof longest);
	longest[sizeof longest - 1] = 0;
	e.op = longest;
	e.id = ~0ull;
	e.parent = 1;
	e.milliseconds = ~0ull;
	e.cov = 1;
	e.signal = 64;
	assert_int_equal(outdir_crash(o, &e, &name), 0);
	assert_true(strlen(file_base(name)) < 255);
	free(name);
	outdir_close(o);
}

static void a_lost_file_is_written_again(void **state)
{
	struct hash128 key;
	struct outdir *o = open_in("lost", NULL, &key);
	struct outdir_entry e = {.id = 1, .op = "seed", .data = "whole", .size = 5};
	char *path = place("lost/queue/id:000000,time:0,op:seed");

	(void)state;
	assert_int_equal(outdir_queue(o, &e, NULL), 0);
	unlink(path);
	assert_int_equal(outdir_queue(o, &e, NULL), 0);
	assert_file("lost/queue/id:000000,time:0,op:seed", "whole");
	file_write_atomic(path, "wh", 2); /* cut off */
	assert_int_equal(outdir_queue(o, &e, NULL), 0);
	assert_file("lost/queue/id:000000,time:0,op:seed", "whole");
	free(path);
	outdir_close(o);
}

static void leftovers_are_removed(void **state)
{
	struct timespec old[2] = {{1000, 0}, {1000, 0}};
	char *path = place("left/.new.999999999.3"), *young = place("left/.new.999999999.4");
	struct hash128 key;

	(void)state;
	put("left/.new.999999999.3", "part", 4);
	put("left/.new.999999999.4", "part", 4);
	utimensat(AT_FDCWD, path, old, 0);
	outdir_close(open_in("left", NULL, &key));
	assert_false(file_exists(path));
	assert_true(file_exists(young));
	assert_int_equal(count_files("left"),
			 6); /* three folders, README, campaign, the young one */
	free(path);
	free(young);
}

/* ----------------------------------------------------------------------- keys */

static void a_directory_keeps_its_key(void **state)
{
	struct hash128 a, b, c;
	struct outdir *o;
	char *path = place("key1"), *same = place("seeded");

	(void)state;
	outdir_close(open_in("key1", NULL, &a));
	outdir_close(open_in("key1", NULL, &b));
	assert_memory_equal(&a, &b, sizeof a);
	outdir_close(open_in("key1", "worker", &c));
	assert_memory_not_equal(&a, &c, sizeof a);
	outdir_close(open_in("key2", NULL, &b));
	assert_memory_not_equal(&a, &b, sizeof a);
	assert_int_equal(outdir_open(&o, same, NULL, 7, &a), 0);
	outdir_close(o);
	file_remove_tree(same);
	assert_int_equal(outdir_open(&o, same, NULL, 7, &b), 0);
	outdir_close(o);
	assert_memory_equal(&a, &b, sizeof a);
	put("key1/campaign", "no key", 6);
	assert_int_equal(outdir_open(&o, path, NULL, 0, &a), -1);
	assert_words("remove it");
	free(path);
	free(same);
}

static void bad_directories_are_told(void **state)
{
	static const char *const names[] = {"", ".", "..", "a/b", ".x", "a b", "a\nb"};
	struct outdir *o;
	struct hash128 key;
	char *file = place("afile"), *below = place("afile/out"), *part = place("part");
	int status;
	pid_t pid;

	(void)state;
	put("afile", "x", 1);
	assert_int_equal(outdir_open(&o, file, NULL, 0, &key), -1);
	assert_words("not a directory");
	assert_int_equal(outdir_open(&o, below, NULL, 0, &key), -1);
	put("part/queue", "x", 1);
	assert_int_equal(outdir_open(&o, part, NULL, 0, &key), -1);
	assert_words("queue");
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		assert_int_equal(outdir_open(&o, dir, names[i], 0, &key), -1);
	pid = fork();
	if (!pid) { /* nothing is read-only for root */
		if (!getuid() && (setgid(65534) || setuid(65534)))
			_exit(3);
		_exit(outdir_open(&o, dir, NULL, 0, &key) == -1 && strstr(error_text(), "-o names")
			  ? 0
			  : 1);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	free(file);
	free(below);
	free(part);
}

static void a_full_disk_leaves_no_part(void **state)
{
	struct hash128 key;
	struct outdir *o = open_in("full", NULL, &key);
	char *big = mem_zalloc(100000);
	struct outdir_entry e = {.id = 1, .op = "seed", .data = big, .size = 100000};
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		struct rlimit limit = {50000, 50000};

		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		_exit(outdir_queue(o, &e, NULL) == -1 && strstr(error_text(), "no space left") ? 0
											       : 1);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(count_files("full/queue"), 0);
	assert_int_equal(count_files("full"), 6); /* three folders, README, campaign, .queue */
	free(big);
	outdir_close(o);
}

/* ---------------------------------------------------------------------- stats */

static void statistics_are_safe_for_a_shell(void **state)
{
	struct hash128 key;
	struct outdir *o = open_in("stats", "me", &key);
	const struct outdir_stat rows[] = {
	    {"start_time", "1"},
	    {"afl_banner", "a\"$(touch x)`b`\\\n"},
	    {"command_line", "muster fuzz -- \"./p\" $x"},
	};

	(void)state;
	assert_int_equal(outdir_stats(o, rows, 3), 0);
	assert_int_equal(outdir_stats(o, rows, 3), 0);
	assert_file("stats/me/fuzzer_stats", "start_time        : 1\n"
					     "afl_banner        : a__(touch x)_b___\n"
					     "command_line      : muster fuzz -- \"./p\" $x\n");
	outdir_close(o);
}

/* afl-whatsup itself, where it is installed. */
static void afl_whatsup_reads_them(void **state)
{
	struct hash128 key;
	struct outdir *o = open_in("whatsup", "muster", &key);
	char pid[32], now[32], *path = place("whatsup"), *tool = proc_which("afl-whatsup");
	const struct outdir_stat rows[] = {
	    {"start_time", now},       {"last_update", now},
	    {"run_time", "100"},       {"fuzzer_pid", pid},
	    {"cycles_done", "0"},      {"cycles_wo_finds", "0"},
	    {"execs_done", "54321"},   {"execs_per_sec", "543.21"},
	    {"corpus_count", "10"},    {"corpus_favored", "0"},
	    {"corpus_found", "9"},     {"max_depth", "2"},
	    {"cur_item", "3"},	       {"pending_favs", "0"},
	    {"pending_total", "4"},    {"stability", "100.00%"},
	    {"bitmap_cvg", "1.00%"},   {"saved_crashes", "2"},
	    {"saved_hangs", "0"},      {"last_find", now},
	    {"last_crash", "0"},       {"last_hang", "0"},
	    {"exec_timeout", "20"},    {"edges_found", "7"},
	    {"total_edges", "700"},    {"afl_banner", "prog"},
	    {"afl_version", "muster"}, {"command_line", "muster fuzz"},
	};
	struct proc_result r = {0};
	char *argv[] = {tool, path, NULL};
	const char *env[] = {"TERM=dumb", NULL};
	struct proc_opts opts = {.env = env, .null_input = 1, .capture_out = 1, .merge_err = 1};

	(void)state;
	snprintf(pid, sizeof pid, "%d", (int)getpid());
	snprintf(now, sizeof now, "%ld", (long)time(NULL) - 100);
	assert_int_equal(outdir_stats(o, rows, sizeof rows / sizeof rows[0]), 0);
	outdir_close(o);
	if (tool) {
		assert_int_equal(proc_run(argv, &opts, &r), 0);
		if (r.status || !strstr(buf_str(&r.out), "Fuzzers alive : 1") ||
		    !strstr(r.out.data, "prog") || !strstr(r.out.data, "Crashes saved : 2"))
			fail_msg("status %d: %s", r.status, buf_str(&r.out));
		proc_release(&r);
	}
	free(path);
	free(tool);
}

static void anothers_folder_is_refused(void **state)
{
	struct hash128 key;
	struct outdir *o;
	char *path = place("afl"), *stats = file_join(path, "fuzzer_stats");

	(void)state;
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(file_write_atomic(stats, "x", 1), 0);
	assert_int_equal(outdir_open(&o, path, NULL, 0, &key), -1);
	assert_non_null(strstr(error_text(), "another fuzzer"));
	assert_int_equal(unlink(stats), 0);
	assert_int_equal(outdir_open(&o, path, NULL, 0, &key), 0);
	assert_int_equal(file_write_atomic(stats, "x", 1), 0);
	outdir_close(o);
	assert_int_equal(outdir_open(&o, path, NULL, 0, &key), 0); /* it is ours */
	outdir_close(o);
	free(stats);
	free(path);
}

/* ----------------------------------------------------------------------- sync */

struct got {
	struct buf text;
	int stop_at, count, answer;
};

static int take(void *ctx, const void *data, size_t size, const char *from)
{
	struct got *g = ctx;

	if (++g->count == g->stop_at)
		return g->answer;
	buf_addf(&g->text, "%s=%.*s;", from, (int)size, (const char *)data);
	return 0;
}

static void assert_sync(struct outdir *o, const char *want)
{
	struct got g = {0};

	assert_int_equal(outdir_sync(o, take, &g), 0);
	assert_string_equal(buf_str(&g.text), want);
	buf_release(&g.text);
}

static void others_are_read_once(void **state)
{
	struct hash128 key;
	struct outdir *o = open_in("sync", "me", &key), *alone = open_in("alone", NULL, &key);
	struct outdir_entry own = {.id = 1, .op = "seed", .data = "mine", .size = 4};
	struct got g = {.stop_at = 2, .answer = -1};
	struct timespec old[2] = {{1000, 0}, {1000, 0}};
	char *path;

	(void)state;
	outdir_queue(o, &own, NULL);
	assert_sync(o, "");
	assert_sync(alone, "");
	outdir_close(alone);
	put("sync/afl2/queue/id:000001,src:000000", "B", 1);
	put("sync/afl2/queue/id:000000,orig:x", "A", 1);
	put("sync/afl2/queue/.state/id:000009", "no", 2);
	put("sync/afl2/queue/README.txt", "no", 2);
	put("sync/afl1/queue/id:000010,x", "C", 1);
	put("sync/nothing/crashes/id:000000", "no", 2);
	put("sync/.hidden/queue/id:000000", "no", 2);
	/* A failure in the middle: what f took stays taken, the rest comes again. */
	assert_int_equal(outdir_sync(o, take, &g), -1);
	assert_string_equal(buf_str(&g.text), "sync:afl1=C;");
	buf_release(&g.text);
	assert_sync(o, "sync:afl2=A;sync:afl2=B;");
	assert_sync(o, "");
	put("sync/afl2/queue/id:000002,y", "D", 1);
	assert_sync(o, "sync:afl2=D;");
	outdir_close(o);
	o = open_in("sync", "me", &key); /* remembered */
	assert_sync(o, "");
	put("sync/afl1/queue/id:000011,empty", "", 0); /* being written */
	put("sync/afl1/queue/id:000012,x", "F", 1);
	assert_sync(o, "");
	path = place("sync/afl1/queue/id:000011,empty");
	utimensat(AT_FDCWD, path, old, 0);
	assert_sync(o, "sync:afl1=;sync:afl1=F;");
	free(path);
	path = place("sync/afl1/queue");
	file_remove_tree(path);
	put("sync/afl1/queue/id:000000,new", "G", 1); /* begun anew */
	assert_sync(o, "sync:afl1=G;");
	free(path);
	outdir_close(o);
}

static void a_quiet_queue_is_not_listed(void **state)
{
	struct timespec old[2] = {{1000, 0}, {1000, 0}};
	struct hash128 key;
	struct outdir *o = open_in("quiet", "me", &key);
	char *queue = place("quiet/afl/queue");

	(void)state;
	put("quiet/afl/queue/id:000000", "A", 1);
	utimensat(AT_FDCWD, queue, old, 0);
	assert_sync(o, "sync:afl=A;");
	put("quiet/afl/queue/id:000001", "B", 1);
	utimensat(AT_FDCWD, queue, old, 0); /* as if nothing had happened */
	assert_sync(o, "");
	put("quiet/afl/queue/id:000002", "C", 1);
	assert_sync(o, "sync:afl=B;sync:afl=C;");
	free(queue);
	outdir_close(o);
}

static void hostile_queues_do_no_harm(void **state)
{
	struct hash128 key;
	struct outdir *o = open_in("bad", "me", &key);
	char *fifo = place("bad/x$(id)/queue/id:000000"),
	     *loop = place("bad/x$(id)/queue/id:000001"), *d = place("bad/x$(id)/queue/id:000002"),
	     *zero = place("bad/x$(id)/queue/id:000003"), *big = mem_zalloc(2 << 20),
	     *tomorrow = place("bad/x$(id)/queue/id:000005");
	struct timespec late[2] = {{time(NULL) + 86400, 0}, {time(NULL) + 86400, 0}};

	(void)state;
	put("bad/x$(id)/queue/id:000009", "last", 4);
	put("bad/x$(id)/queue/id:99999999999999999999999999", "no", 2);
	put("bad/x$(id)/queue/id:18446744073709551615", "no", 2);
	put("bad/x$(id)/queue/id:12\n34", "no", 2);
	put("bad/x$(id)/queue/id:000005", "", 0); /* empty for ever, and of tomorrow */
	assert_int_equal(utimensat(AT_FDCWD, tomorrow, late, 0), 0);
	put("bad/x$(id)/queue/id:000004", big, 2 << 20);
	assert_int_equal(mkfifo(fifo, 0666), 0);
	assert_int_equal(symlink(loop, loop), 0);
	assert_int_equal(mkdir(d, 0777), 0);
	assert_int_equal(symlink("/dev/zero", zero), 0);
	assert_sync(o, "sync:x__id_=;sync:x__id_=last;");
	assert_sync(o, "");
	outdir_close(o);
	free(fifo);
	free(loop);
	free(d);
	free(zero);
	free(tomorrow);
	free(big);
}

/* ---------------------------------------------------------------------- seeds */

static int list(void *ctx, const void *data, size_t size, const char *name)
{
	struct got *g = ctx;

	if (++g->count == g->stop_at)
		return g->answer;
	buf_addf(&g->text, "%s=%.*s;", name, (int)(size < 20 ? size : 20), (const char *)data);
	return 0;
}

static void seeds_come_in_order(void **state)
{
	struct got g = {0};
	char *path = place("seeds"), *one = place("seeds/b"), *fifo = place("seeds/fifo"),
	     *circle = place("seeds/sub/circle"), *dangling = place("seeds/gone"),
	     *zero = place("seeds/zero"), *link = place("seeds/link");
	char longest[256], *big = mem_zalloc(5000);

	(void)state;
	put("seeds/b", "2", 1);
	put("seeds/a", "1", 1);
	put("seeds/sub/c", "3", 1);
	put("seeds/.git/x", "no", 2);
	put("seeds/.dot", "0", 1);
	put("seeds/big", big, 5000);
	put("seeds/empty", "", 0);
	put("seeds/x\n\x1b[31m\xff", "4", 1);
	memset(longest, 'z', 240); /* and what put adds for its temporary name */
	longest[240] = 0;
	char *deep = mem_printf("seeds/%.235s", longest);

	put(deep, "5", 1);
	assert_int_equal(mkfifo(fifo, 0666), 0);
	assert_int_equal(symlink("..", circle), 0);
	assert_int_equal(symlink("nowhere", dangling), 0);
	assert_int_equal(symlink("/dev/zero", zero), 0);
	assert_int_equal(symlink("a", link), 0);
	log_level = LOG_QUIET;
	assert_int_equal(outdir_seeds(path, 1000, list, &g), 0);
	char *want =
	    mem_printf(".dot=0;a=1;b=2;empty=;link=1;sub/c=3;x\n\x1b[31m\xff=4;%.235s=5;", longest);

	assert_string_equal(buf_str(&g.text), want);
	buf_clear(&g.text);
	g.count = 0;
	g.stop_at = 3;
	g.answer = 1;
	assert_int_equal(outdir_seeds(path, 1000, list, &g), 0);
	assert_string_equal(buf_str(&g.text), ".dot=0;a=1;");
	g.count = 0;
	g.answer = -1;
	assert_int_equal(outdir_seeds(path, 1000, list, &g), -1);
	buf_clear(&g.text);
	g.stop_at = 0;
	assert_int_equal(outdir_seeds(one, 1000, list, &g), 0);
	assert_string_equal(buf_str(&g.text), "b=2;");
	assert_int_equal(outdir_seeds(fifo, 1000, list, &g), -1);
	assert_words("neither");
	assert_int_equal(outdir_seeds(dangling, 1000, list, &g), -1);
	log_level = LOG_NORMAL;
	buf_release(&g.text);
	free(path), free(one), free(fifo), free(circle), free(dangling), free(zero), free(link);
	free(deep), free(want), free(big);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(entries_have_afl_names),
	    cmocka_unit_test(numbers_have_no_gaps),
	    cmocka_unit_test(hostile_operations_make_plain_names),
	    cmocka_unit_test(a_lost_file_is_written_again),
	    cmocka_unit_test(leftovers_are_removed),
	    cmocka_unit_test(a_directory_keeps_its_key),
	    cmocka_unit_test(bad_directories_are_told),
	    cmocka_unit_test(a_full_disk_leaves_no_part),
	    cmocka_unit_test(statistics_are_safe_for_a_shell),
	    cmocka_unit_test(afl_whatsup_reads_them),
	    cmocka_unit_test(anothers_folder_is_refused),
	    cmocka_unit_test(others_are_read_once),
	    cmocka_unit_test(a_quiet_queue_is_not_listed),
	    cmocka_unit_test(hostile_queues_do_no_harm),
	    cmocka_unit_test(seeds_come_in_order),
	};
	const char *temp = file_temp_dir();

	if (!temp)
		return 1;
	chmod(temp, 0755);
	dir = file_join(temp, "out");
	mkdir(dir, 0755);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
