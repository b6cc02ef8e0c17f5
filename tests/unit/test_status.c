/* test_status.c: figures as people read them, lines cut to a width, and the display on a terminal:
 * the frame stays where it is, warnings go above it, the cursor comes back. */
#include "base/buf.h"
#include "base/log.h"
#include "cmd/status.h"
#include "cmd/status_text.h"

#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void test_figures(void **state)
{
	char b[STATUS_NUMBER];

	(void)state;
	assert_string_equal(status_count(0, b), "0");
	assert_string_equal(status_count(999, b), "999");
	assert_string_equal(status_count(1234567, b), "1,234,567");
	assert_string_equal(status_count(UINT64_MAX, b), "18,446,744,073,709,551,615");
	assert_string_equal(status_rate(3.14, b), "3.1/s");
	assert_string_equal(status_rate(12345, b), "12.3k/s");
	assert_string_equal(status_rate(2.5e6, b), "2.5M/s");
	assert_string_equal(status_clock(3661, b), "1:01:01");
	assert_string_equal(status_clock(-1, b), "0:00:00");
	assert_string_equal(status_ago(-1, b), "none yet");
	assert_string_equal(status_ago(0.2, b), "just now");
	assert_string_equal(status_ago(61, b), "61 s ago");
	assert_string_equal(status_ago(600, b), "10 min ago");
	assert_string_equal(status_percent(1, 0, b), "0 %");
	assert_string_equal(status_percent(1, 3, b), "33 %");
	assert_string_equal(status_percent(1, 40, b), "2.5 %");
}

static void test_cut(void **state)
{
	struct status_text t = {.width = 8};

	(void)state;
	status_put(&t, "", "%s", "ab\tc");
	status_put(&t, "", "%s", "▁▂▃▄▅▆▇█");
	assert_string_equal(buf_str(&t.out), "ab?c▁▂▃▄");
	assert_int_equal(t.column, 8);
	status_to(&t, 20); /* never beyond the width */
	assert_int_equal(t.column, 8);
	buf_release(&t.out);
}

/* ---------------------------------------------------------------- a terminal */

static struct status figures(int i)
{
	return (struct status){.seconds = i,
			       .workers = 2,
			       .runs = (uint64_t)i * 1000,
			       .covered = 100u + (unsigned)i,
			       .total = 500,
			       .bugs = i > 2,
			       .files = 14,
			       .tests = 20,
			       .frontier = 6,
			       .rerun = 8,
			       .unstable = 2,
			       .stage = "thinking"};
}

static void child_shows(int kill_it)
{
	setenv("TERM", "xterm", 1);
	setenv("NO_COLOR", "1", 1);
	setenv("LANG", "C", 1);
	status_begin(STATUS_AUTO, "./prog @@", "out");
	for (int i = 0; i < 4; i++) {
		struct status s = figures(i);

		status_update(&s);
		if (i == 1)
			log_warn("look here");
		if (i == 2 && kill_it)
			raise(SIGTERM);
		usleep(210000);
	}
	status_end();
	fputs("end\n", stderr);
	_exit(0);
}

/* What a child on a terminal of its own wrote. */
static int on_terminal(int kill_it, struct buf *out)
{
	struct winsize size = {.ws_row = 30, .ws_col = 80};
	int fd, status;
	pid_t pid = forkpty(&fd, NULL, NULL, &size);
	char part[4096];
	ssize_t n;

	if (pid == 0)
		child_shows(kill_it);
	assert_true(pid > 0);
	while ((n = read(fd, part, sizeof part)) > 0)
		buf_add(out, part, (size_t)n);
	close(fd);
	waitpid(pid, &status, 0);
	return status;
}

/* As much of a terminal as the display needs. Rows of text, NUL-terminated. */
struct screen {
	char rows[64][128];
	unsigned x, y;
	int hidden;
};

static const char *escape(struct screen *s, const char *p)
{
	char *end;
	int question = *++p == '[' && p[1] == '?';
	unsigned n = (unsigned)strtoul(p + 1 + question, &end, 10);

	if (*end == 'A') {
		assert_true(n <= s->y); /* never above what it drew */
		s->y -= n;
	} else if (*end == 'K') {
		memset(s->rows[s->y] + s->x, 0, sizeof s->rows[0] - s->x);
	} else if (*end == 'J') {
		memset(s->rows[s->y] + s->x, 0, sizeof s->rows[0] - s->x);
		memset(s->rows[s->y + 1], 0, (63 - s->y) * sizeof s->rows[0]);
	} else if (question && n == 25) {
		s->hidden = *end == 'l';
	} else if (!question || n != 7) {
		fail_msg("unknown sequence %.10s", p);
	}
	return end;
}

static void draw(struct screen *s, const char *text)
{
	memset(s, 0, sizeof *s);
	for (const char *p = text; *p; p++) {
		if (*p == '\033')
			p = escape(s, p);
		else if (*p == '\r')
			s->x = 0;
		else if (*p == '\n')
			s->y++;
		else
			s->rows[s->y][s->x++] = *p;
		assert_true(s->y < 60 && s->x < 100);
	}
}

static void test_screen(void **state)
{
	struct buf out = {0};
	struct screen s;

	(void)state;
	assert_int_equal(on_terminal(0, &out), 0);
	draw(&s, buf_str(&out));
	assert_string_equal(s.rows[0], "muster: warning: look here");
	assert_string_equal(
	    s.rows[1],
	    " muster fuzz  ./prog @@                                               2 workers");
	assert_string_equal(s.rows[3],
			    "  time      0:00:03                      branches  103 of 500  21 %");
	assert_string_equal(s.rows[4], "  stage     done                         last new  just now");
	assert_string_equal(s.rows[6], "  corpus    14                           hangs     0");
	assert_string_equal(s.rows[7], "  explored  14 of 20 tests               stability 75 %");
	assert_string_equal(s.rows[8], "  saved in  out/  queue/ crashes/ hangs/");
	assert_string_equal(s.rows[9], "");
	assert_string_equal(s.rows[10], "end");
	assert_string_equal(s.rows[11], "");
	assert_int_equal(s.hidden, 0);
	buf_release(&out);
}

static void test_killed(void **state)
{
	struct buf out = {0};
	struct screen s;
	int status = on_terminal(1, &out);

	(void)state;
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	draw(&s, buf_str(&out));
	assert_int_equal(s.hidden, 0);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_figures),
	    cmocka_unit_test(test_cut),
	    cmocka_unit_test(test_screen),
	    cmocka_unit_test(test_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
