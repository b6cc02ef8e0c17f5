/* test_launch.c: running well-behaved programs: input, output, results, and
 * words for what cannot be run. test_hostile.c has the others. */
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "run/launch.h"
#include "timing.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct launch_options options(char *const *argv)
{
	struct launch_options o = LAUNCH_DEFAULTS;

	o.argv = argv;
	o.out = o.err = LAUNCH_CAPTURE;
	o.wall_seconds = 20;
	return o;
}

static struct run_result result;
static char out[65536];

/* One run; its output as a string in out. */
static void run(const struct launch_options *o, const struct launch_input *in)
{
	struct launcher *l = launcher_new(o);

	if (!l)
		fail_msg("%s", error_text());
	if (launcher_run(l, in, &result))
		fail_msg("%s", error_text());
	assert_true(result.out.size < sizeof out);
	if (result.out.size)
		memcpy(out, result.out.data, result.out.size);
	out[result.out.size] = 0;
	launcher_free(l);
}

static void run_shell(char *script, const struct launch_input *in)
{
	char *argv[] = {"sh", "-c", script, NULL};
	struct launch_options o = options(argv);

	run(&o, in);
}

static void test_exit(void **unused)
{
	char words[600];

	(void)unused;
	run_shell("echo one; exit 41", NULL);
	assert_int_equal(result.end, RUN_EXIT);
	assert_int_equal(result.code, 41);
	assert_string_equal(out, "one\n");
	assert_true(result.wall_seconds > 0);
	assert_true(result.peak_kib > 100 && result.peak_kib < 50000);
	assert_true(result.faults > 10);
	run_result_words(&result, words, sizeof words);
	assert_string_equal(words, "exited with code 41");
	run_shell("kill -SEGV $$", NULL);
	assert_int_equal(result.end, RUN_SIGNAL);
	assert_int_equal(result.signal, SIGSEGV);
	run_result_words(&result, words, sizeof words);
	assert_string_equal(words, "killed by signal 11 (SIGSEGV)");
}

static void test_usage(void **unused)
{
	(void)unused;
	run_shell("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done", NULL);
	assert_true(result.user_seconds + result.system_seconds > 0.01);
	assert_true(result.user_seconds + result.system_seconds <= result.wall_seconds + 0.05);
}

static void test_stdin(void **unused)
{
	struct launch_input in = {.data = "a\0b", .size = 3};
	struct launch_input empty = {.present = 1};

	(void)unused;
	run_shell("wc -c; test -f /proc/self/fd/0 || exit 3", &in);
	assert_string_equal(out, "3\n");
	assert_int_equal(result.code, 0);
	run_shell("wc -c", &empty);
	assert_string_equal(out, "0\n");
	run_shell("wc -c", NULL);
	assert_string_equal(out, "0\n");
}

static void test_file(void **unused)
{
	char *argv[] = {"sh", "-c",	 "cat \"$0\" \"${1#--in=}\"; echo; basename \"$0\"",
			"@@", "--in=@@", NULL};
	struct launch_options o = options(argv);
	struct launch_input in = {.data = "xyz", .size = 3, .name = "dir.d/a.gif"};
	struct launcher *l = launcher_new(&o);
	char *path;

	(void)unused;
	run(&o, &in);
	assert_string_equal(out, "xyzxyz\ninput.gif\n");
	in.name = "noextension";
	run(&o, &in);
	assert_string_equal(out, "xyzxyz\ninput\n");
	/* Removed after the run. */
	assert_int_equal(launcher_run(l, &in, &result), 0);
	path = mem_strdup(launcher_input_path(l));
	assert_int_equal(access(path, F_OK), -1);
	*strrchr(path, '/') = 0;
	assert_int_equal(access(path, F_OK), -1);
	free(path);
	/* No input for @@. */
	assert_int_equal(launcher_run(l, NULL, &result), -1);
	assert_non_null(strstr(error_text(), "@@"));
	launcher_free(l);
}

static void test_path_input(void **unused)
{
	char *argv[] = {"sh", "-c", "cat \"$0\"; echo changed >\"$0\"", "@@", NULL};
	struct launch_options o = options(argv);
	char *path = file_temp("given.txt");
	struct launch_input in = {.path = path};
	struct launcher *l = launcher_new(&o);
	struct buf b = BUF_EMPTY;

	(void)unused;
	assert_int_equal(file_write_atomic(path, "mine", 4), 0);
	run(&o, &in);
	assert_string_equal(out, "mine");
	assert_int_equal(file_read(path, &b), 0);
	assert_string_equal(buf_str(&b), "mine"); /* the user's own file is untouched */
	buf_release(&b);
	unlink(path);
	assert_int_equal(launcher_run(l, &in, &result), -1);
	assert_non_null(strstr(error_text(), "there is no input file"));
	in.path = file_temp_dir();
	assert_int_equal(launcher_run(l, &in, &result), -1);
	assert_non_null(strstr(error_text(), "directory"));
	launcher_free(l);
	free(path);
}

/* The limit holds for symbolic input; 2 GiB are refused before they are read. */
static void test_huge_input(void **unused)
{
	char *argv[] = {"true", "@@", NULL};
	struct launch_options o = options(argv);
	char *path = file_temp("huge");
	struct launch_input in = {.path = path};
	struct launcher *l;
	struct shm s;
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	(void)unused;
	assert_int_equal(ftruncate(fd, 2ll << 30), 0);
	close(fd);
	assert_int_equal(shm_init(&s, NULL), 0);
	o.shm = &s;
	l = launcher_new(&o);
	assert_non_null(l);
	assert_int_equal(launcher_run(l, &in, &result), -1);
	assert_non_null(strstr(error_text(), "2147483648"));
	assert_non_null(strstr(error_text(), "67108864"));
	launcher_free(l);
	shm_release(&s);
	unlink(path);
	free(path);
}

static void test_environment(void **unused)
{
	static const char *const env[] = {"ONE=1", "TWO", NULL};
	char *argv[] = {"sh", "-c",
			"echo $ONE.$TWO.$THREE; pwd; ls /proc/self/fd | tr '\\n' ' '; ulimit -c",
			NULL};
	struct launch_options o = options(argv);

	(void)unused;
	setenv("TWO", "2", 1);
	setenv("THREE", "3", 1);
	o.env = env;
	o.directory = "/";
	run(&o, NULL);
	/* ls itself opens the directory as 3. */
	assert_string_equal(out, "1..3\n/\n0 1 2 3 0\n");
}

static void test_addresses(void **unused)
{
	char first[sizeof out];

	(void)unused;
	run_shell("grep -m1 stack /proc/self/maps", NULL);
	strcpy(first, out);
	run_shell("grep -m1 stack /proc/self/maps", NULL);
	assert_string_equal(out, first);
}

static void test_output_limit(void **unused)
{
	char *argv[] = {"sh", "-c", "head -c 3000000 /dev/zero; echo end >&2", NULL};
	struct launch_options o = options(argv);
	struct launcher *l;

	(void)unused;
	o.output_limit = 1000;
	l = launcher_new(&o);
	assert_int_equal(launcher_run(l, NULL, &result), 0);
	assert_int_equal(result.code, 0);
	assert_int_equal(result.out.size, 1000);
	assert_int_equal(result.out_cut, 1);
	assert_int_equal(result.err_cut, 0);
	assert_memory_equal(result.err.data, "end\n", 4);
	launcher_free(l);
}

static void test_time(void **unused)
{
	char *argv[] = {"sh", "-c", "sleep 100", NULL};
	struct launch_options o = options(argv);

	(void)unused;
	o.wall_seconds = 0.2;
	run(&o, NULL);
	assert_int_equal(result.end, RUN_WAITING);
	assert_true(result.wall_seconds >= 0.2);
	assert_quick(result.wall_seconds < 2);
	launch_limit(&o, 0.2);
	run(&o, NULL);
	assert_int_equal(result.end, RUN_WAITING);
	argv[2] = "while :; do :; done";
	o.wall_seconds = 20;
	o.cpu_seconds = 0.2;
	run(&o, NULL);
	assert_int_equal(result.end, RUN_TIME);
	assert_true(result.user_seconds < 5);
	launch_limit(&o, 0.2);
	run(&o, NULL);
	assert_int_equal(result.end, RUN_TIME);
	assert_true(result.user_seconds + result.system_seconds > 0.15);
}

static void refuse(const char *program, const char *words)
{
	char *argv[] = {(char *)program, NULL};
	struct launch_options o = options(argv);
	struct launcher *l = launcher_new(&o);

	assert_null(l);
	if (!strstr(error_text(), words))
		fail_msg("'%s' does not say '%s'", error_text(), words);
}

static void write_program(const char *path, const void *data, size_t size, unsigned mode)
{
	assert_int_equal(file_write_mode(path, data, size, mode), 0);
	chmod(path, mode);
}

static void test_no_program(void **unused)
{
	char *path = file_temp("program");
	struct buf elf = BUF_EMPTY;
	char *at;

	(void)unused;
	refuse("no-such-program-anywhere", "in PATH");
	refuse("./no-such-program", "there is no program");
	refuse(file_temp_dir(), "directory");
	write_program(path, "plain words\n", 12, 0644);
	refuse(path, "chmod +x");
	chmod(path, 0755);
	refuse(path, "neither an ELF file nor a script");
	write_program(path, "", 0, 0755);
	refuse(path, "empty");
	write_program(path, "#!/no/such/shell\n", 17, 0755);
	refuse(path, "/no/such/shell");
	write_program(path, "#!\n", 3, 0755);
	refuse(path, "names no interpreter");
	write_program(path, "\177ELF\1\1\1", 7, 0755);
	refuse(path, "another kind of machine");

	/* This test itself, with its loader's name spoilt, and cut short. */
	assert_int_equal(file_read("/proc/self/exe", &elf), 0);
	at = memmem(elf.data, elf.size, "/lib64/ld-", 10);
	if (at) {
		memcpy(at, "/lib65/", 7);
		write_program(path, elf.data, elf.size, 0755);
		refuse(path, "/lib65/ld-");
		write_program(path, elf.data, 100, 0755);
		refuse(path, "damaged");
	}
	buf_release(&elf);
	unlink(path);
	free(path);
}

static void test_no_directory(void **unused)
{
	char *argv[] = {"true", NULL};
	struct launch_options o = options(argv);

	(void)unused;
	o.directory = "/no/such/directory";
	assert_null(launcher_new(&o));
	assert_non_null(strstr(error_text(), "/no/such/directory"));
}

static void test_no_runtime(void **unused)
{
	char *argv[] = {"true", NULL};
	struct launch_options o = options(argv);
	struct shm s;

	(void)unused;
	assert_int_equal(shm_init(&s, NULL), 0);
	o.shm = &s;
	for (o.server = 0; o.server < 2; o.server++) {
		run(&o, NULL);
		assert_int_equal(result.end, RUN_FAILED);
		assert_non_null(strstr(result.message, "no variant"));
	}
	shm_release(&s);
}

static void test_sources(void **unused)
{
	static const char *const env_input[] = {"INPUT_VARIABLE", NULL},
				 *missing[] = {"NO_SUCH_VARIABLE", NULL};
	char *argv[] = {"true", "-x", "@@", "word", NULL}, *extra = file_temp("extra.cfg");
	const char *const files[] = {extra, NULL};
	struct launch_options o = options(argv);
	struct launch_input in = {.data = "12", .size = 2, .memory = "abc", .memory_size = 3};
	struct launcher *l;
	struct shm s;

	(void)unused;
	setenv("INPUT_VARIABLE", "value", 1);
	assert_int_equal(file_write_atomic(extra, "conf", 4), 0);
	assert_int_equal(shm_init(&s, NULL), 0);
	o.shm = &s;
	o.args_input = 1;
	o.files = files;
	o.env_input = env_input;
	run(&o, &in);
	assert_int_equal(s.source_count, 6);
	assert_string_equal(s.sources[0].name, "in");
	assert_int_equal(s.sources[0].size, 2);
	assert_int_equal(s.sources[0].kind, MUSTER_SOURCE_FILE);
	assert_string_equal(s.sources[1].name + strlen(s.sources[1].name) - 9, "extra.cfg");
	assert_string_equal(s.sources[2].name, "argv[1]");
	assert_string_equal(s.sources[3].name, "argv[3]");
	assert_string_equal(s.sources[4].name, "env.INPUT_VARIABLE");
	assert_int_equal(s.sources[5].kind, MUSTER_SOURCE_MEMORY);
	assert_int_equal(s.sources[5].size, 3);
	assert_int_equal(s.header->object_source, 5);
	o.env_input = missing;
	l = launcher_new(&o);
	assert_int_equal(launcher_run(l, &in, &result), -1);
	assert_non_null(strstr(error_text(), "NO_SUCH_VARIABLE"));
	launcher_free(l);
	o.env_input = NULL;
	unlink(extra);
	l = launcher_new(&o);
	assert_int_equal(launcher_run(l, &in, &result), -1);
	assert_non_null(strstr(error_text(), "extra.cfg"));
	launcher_free(l);
	shm_release(&s);
	free(extra);
}

static void test_many_runs(void **unused)
{
	char *argv[] = {"sh", "-c", "cat", NULL};
	struct launch_options o = options(argv);
	struct launcher *l = launcher_new(&o);

	(void)unused;
	for (int i = 0; i < 50; i++) {
		char text[16];
		struct launch_input in = {
		    .data = text, .size = (size_t)snprintf(text, sizeof text, "%d", 12345 * i)};

		assert_int_equal(launcher_run(l, &in, &result), 0);
		assert_int_equal(result.out.size, in.size);
		assert_memory_equal(result.out.data, text, in.size);
	}
	assert_int_equal(launcher_restarts(l), 0);
	launcher_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_exit),	 cmocka_unit_test(test_usage),
	    cmocka_unit_test(test_stdin),	 cmocka_unit_test(test_file),
	    cmocka_unit_test(test_path_input),	 cmocka_unit_test(test_huge_input),
	    cmocka_unit_test(test_environment),	 cmocka_unit_test(test_addresses),
	    cmocka_unit_test(test_output_limit), cmocka_unit_test(test_time),
	    cmocka_unit_test(test_no_program),	 cmocka_unit_test(test_no_directory),
	    cmocka_unit_test(test_no_runtime),	 cmocka_unit_test(test_sources),
	    cmocka_unit_test(test_many_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
