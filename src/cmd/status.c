/* status.c: the display of a running search.
 *
 * A frame is put together in memory and written at once: up over the last frame, each
 * line with "erase to its end" after it, then "erase below". Nothing is cleared
 * before it is rewritten, so nothing flickers. The invariant is that the cursor stands at
 * the start of the line below the frame, `lines` lines below its top; whoever else
 * prints must have the frame removed first (log_aside), and sets lines to 0.
 *
 * While a frame is drawn lines do not wrap, so that a window that was made narrower cannot break
 * the count. Where the window is too low for a frame, or standard error is no terminal, figures
 * come as lines.
 */
#include "cmd/status.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/status_text.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define HISTORY 48

static struct display {
	enum { QUIET, LINES, SCREEN } mode;
	char *title, *dir;
	struct status last; /* figures as they were given last */
	int given;
	double drawn;	     /* clock of the last frame */
	double next_line;    /* clock */
	unsigned lines;	     /* of the frame on the screen */
	unsigned printed;    /* lines, in LINES */
	double rate;	     /* runs a second, smoothed */
	double rate_seconds; /* of search, when it was last looked at */
	uint64_t rate_runs;
	uint64_t history[HISTORY]; /* branches over time */
	unsigned samples;
	double sampled, sample_seconds;
} d;

#define DIM "\033[2m"
#define BOLD "\033[1m"
#define RED "\033[1;31m"
#define YELLOW "\033[33m"
#define GREEN "\033[32m"

#define FRAME_SECONDS 0.2
#define HIDE "\033[?25l"
#define SHOW "\033[?7h\033[?25h"

/* Columns of labels and values. */
enum { LABEL_1 = 2, VALUE_1 = 12, LABEL_2 = 41, VALUE_2 = 51 };

static void write_out(const void *data, size_t size)
{
	file_write_all(2, data, size); /* it cannot be reported if that fails */
}

/* ------------------------------------------------- giving the terminal back */

static int shown;   /* a display has the terminal */
static pid_t owner; /* a forked worker never touches it */

static const int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
#define WATCHED (sizeof watched / sizeof *watched)
static struct sigaction before[WATCHED];
static volatile sig_atomic_t resumed;

static void restore(void)
{
	if (shown && owner == getpid() && write(2, SHOW, sizeof SHOW - 1) < 0)
		shown = 0;
}

static void watch(unsigned i);

/* Shows the cursor, then does what would have been done without us. */
static void on_signal(int number)
{
	unsigned i = 0;

	while (i < WATCHED && watched[i] != number)
		i++;
	restore();
	if (before[i].sa_handler == SIG_IGN)
		return;
	if (before[i].sa_handler != SIG_DFL) {
		void (*theirs)(int) = before[i].sa_handler;

		if (before[i].sa_flags & (int)SA_RESETHAND)
			before[i] = (struct sigaction){.sa_handler = SIG_DFL};
		theirs(number);
		return;
	}
	sigset_t this, old;
	sigemptyset(&this);
	sigaddset(&this, number);
	sigaction(number, &before[i], NULL);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &this, &old); /* ends or stops here */
	sigprocmask(SIG_SETMASK, &old, NULL);
	watch(i); /* stopped, and continued */
	resumed = 1;
}

static void watch(unsigned i)
{
	struct sigaction a = {.sa_handler = on_signal, .sa_flags = before[i].sa_flags & SA_RESTART};

	sigemptyset(&a.sa_mask);
	sigaction(watched[i], &a, NULL);
}

static void take_terminal(void)
{
	static int registered;

	shown = 1;
	owner = getpid();
	if (!registered++)
		atexit(restore);
	for (unsigned i = 0; i < WATCHED; i++) {
		sigaction(watched[i], NULL, &before[i]);
		/* A handler that wants more than the number cannot be called from ours. */
		if (!(before[i].sa_flags & SA_SIGINFO) && before[i].sa_handler != SIG_IGN)
			watch(i);
	}
	write_out(HIDE, sizeof HIDE - 1);
}

static void give_terminal(void)
{
	restore();
	for (unsigned i = 0; i < WATCHED; i++) {
		struct sigaction a;

		sigaction(watched[i], NULL, &a);
		if (a.sa_handler == on_signal)
			sigaction(watched[i], &before[i], NULL);
	}
	shown = 0;
}

static int owner_gone(void)
{
	return shown && owner != getpid();
}

static void step_aside(void)
{
	char up[40];

	if (!shown || owner != getpid() || !d.lines)
		return;
	write_out(up, (size_t)snprintf(up, sizeof up, "\r\033[%uA\033[J", d.lines));
	d.lines = 0;
}

/* ---------------------------------------------------------------- growth */

/* Branches over time, in at most HISTORY samples: when these are full, every other one is dropped
 * and the next come half as often. */
static void sample(const struct status *s)
{
	if (!d.sample_seconds)
		d.sample_seconds = 1;
	if (d.samples && s->seconds < d.sampled + d.sample_seconds) {
		d.history[d.samples - 1] = s->covered;
		return;
	}
	if (d.samples == HISTORY) {
		for (unsigned i = 0; i < HISTORY / 2; i++)
			d.history[i] = d.history[2 * i + 1];
		d.samples = HISTORY / 2;
		d.sample_seconds *= 2;
	}
	d.history[d.samples++] = s->covered;
	d.sampled = s->seconds;
}

/* Of the last few seconds, the newest counting most. */
static void measure_rate(const struct status *s)
{
	double passed = s->seconds - d.rate_seconds;

	if (passed < 0.05 || s->runs < d.rate_runs)
		return;
	double new = (double)(s->runs - d.rate_runs) / passed, weight = passed / (passed + 2);

	d.rate = d.rate_seconds > 0 ? d.rate + weight * (new - d.rate) : new;
	d.rate_seconds = s->seconds;
	d.rate_runs = s->runs;
}

static int speaks_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (unsigned i = 0; i < 3; i++) {
		const char *v = getenv(names[i]);

		if (v && *v)
			return strcasestr(v, "utf-8") || strcasestr(v, "utf8");
	}
	return 0;
}

static void put_growth(struct status_text *t)
{
	static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	uint64_t low = d.history[0], high = d.history[d.samples - 1];

	for (unsigned i = 0; i < d.samples; i++) {
		uint64_t above = d.history[i] > low ? d.history[i] - low : 0;
		unsigned step = high > low ? (unsigned)(above * 7 / (high - low)) : 0;

		status_put(t, GREEN, "%s", bars[step > 7 ? 7 : step]);
	}
}

/* ----------------------------------------------------------------- screen */

/* A narrow window has one column. */
#define NARROW 78

static void label(struct status_text *t, unsigned column, const char *text)
{
	if (column == LABEL_2 && t->width < NARROW) {
		status_newline(t);
		column = LABEL_1;
	}
	status_to(t, column);
	status_put(t, DIM, "%s", text);
	status_to(t, column == LABEL_1 ? VALUE_1 : VALUE_2);
}

static void put_title(struct status_text *t, const struct status *s)
{
	char right[40] = "";
	int n = s->workers > 1 ? snprintf(right, sizeof right, "%u workers", s->workers) : 0;
	unsigned width = t->width;

	status_put(t, BOLD, " muster fuzz");
	status_to(t, VALUE_1 + 2);
	if (n > 0 && width > (unsigned)n + 20)
		t->width = width - (unsigned)n - 2;
	status_put(t, "", "%s", d.title);
	t->width = width;
	if (n > 0 && width > (unsigned)n + 20) {
		status_to(t, width - (unsigned)n - 1);
		status_put(t, DIM, "%s", right);
	}
	status_newline(t);
	status_newline(t);
}

static void put_time_and_branches(struct status_text *t, const struct status *s)
{
	char a[STATUS_NUMBER], b[STATUS_NUMBER], c[STATUS_NUMBER];

	label(t, LABEL_1, "time");
	status_put(t, "", "%s", status_clock(s->seconds, a));
	if (s->limit > 0)
		status_put(t, DIM, " of %s", status_clock(s->limit, b));
	label(t, LABEL_2, "branches");
	status_put(t, BOLD, "%s", status_count(s->covered, a));
	status_put(t, "", " of %s  %s", status_count(s->total, b),
		   status_percent((double)s->covered, (double)s->total, c));
	status_newline(t);
	label(t, LABEL_1, "stage");
	status_put(t, "", "%s", s->stage[0] ? s->stage : "done");
	label(t, LABEL_2, "last new");
	status_put(t, s->since_new >= 0 && s->since_new < 10 ? GREEN : "", "%s",
		   status_ago(s->since_new, a));
	status_newline(t);
}

static void put_runs_and_bugs(struct status_text *t, const struct status *s)
{
	char a[STATUS_NUMBER], b[STATUS_NUMBER];

	label(t, LABEL_1, "runs");
	status_put(t, "", "%s  ", status_count(s->runs, a));
	status_put(t, DIM, "%s", status_rate(d.rate, b));
	label(t, LABEL_2, "bugs");
	status_put(t, s->bugs ? RED : "", "%s", status_count(s->bugs, a));
	if (s->suspected)
		status_put(t, DIM, "  %s suspected", status_count(s->suspected, b));
	status_newline(t);
	label(t, LABEL_1, "corpus");
	status_put(t, "", "%s", status_count(s->files, a));
	if (s->cycles)
		status_put(t, DIM, "  %s cycle%s", status_count(s->cycles, b), s->cycles == 1 ? "" : "s");
	label(t, LABEL_2, "hangs");
	status_put(t, s->hangs ? YELLOW : "", "%s", status_count(s->hangs, a));
	status_newline(t);
}

static void put_rest(struct status_text *t, const struct status *s)
{
	char a[STATUS_NUMBER], b[STATUS_NUMBER];

	label(t, LABEL_1, "explored");
	status_put(t, "", "%s of %s tests", status_count(s->tests > s->frontier ? s->tests - s->frontier : 0, a), status_count(s->tests, b));
	label(t, LABEL_2, "stability");
	status_put(t, s->unstable ? YELLOW : "", "%s", s->rerun ? status_percent((double)(s->rerun - s->unstable), (double)s->rerun, a) : "-");
	status_newline(t);
	label(t, LABEL_1, "saved in");
	status_put(t, "", "%s/  ", d.dir);
	status_put(t, DIM, "queue/ crashes/ hangs/");
	status_newline(t);
	if (d.samples > 1 && speaks_utf8()) {
		label(t, LABEL_1, "growth");
		put_growth(t);
		status_newline(t);
	}
}

static unsigned count_lines(const struct buf *b)
{
	unsigned n = 0;

	for (size_t i = 0; i < b->size; i++)
		n += b->data[i] == '\n';
	return n;
}

static void draw(const struct status *s, const struct winsize *w)
{
	struct status_text t = {.width = w->ws_col};
	struct buf frame = {0};

	put_title(&t, s);
	put_time_and_branches(&t, s);
	put_runs_and_bugs(&t, s);
	put_rest(&t, s);
	if (resumed) { /* the shell wrote over the last one */
		resumed = 0;
		d.lines = 0;
		buf_adds(&frame, HIDE);
	}
	buf_adds(&frame, "\033[?7l");
	if (d.lines)
		buf_addf(&frame, "\r\033[%uA", d.lines);
	buf_add(&frame, t.out.data, t.out.size);
	buf_adds(&frame, "\033[J\033[?7h");
	d.lines = count_lines(&t.out);
	write_out(frame.data, frame.size);
	buf_release(&frame);
	buf_release(&t.out);
}

/* ------------------------------------------------------------------ lines */

static void print_line(const struct status *s)
{
	char time[STATUS_NUMBER], rate[STATUS_NUMBER], ago[STATUS_NUMBER];

	fprintf(stderr,
		"muster: %s: branches %" PRIu64 "/%" PRIu64 " (last new: %s), runs %" PRIu64 " (%s), corpus %" PRIu64
		" (%" PRIu64 " tests to explore), bugs %" PRIu64 ", hangs %" PRIu64,
		status_clock(s->seconds, time), s->covered, s->total, status_ago(s->since_new, ago),
		s->runs, status_rate(d.rate, rate), s->files, s->frontier, s->bugs, s->hangs);
	if (s->unstable)
		fprintf(stderr, ", unstable %" PRIu64 " of %" PRIu64, s->unstable, s->rerun);
	if (s->stage[0])
		fprintf(stderr, "; %s", s->stage);
	fputc('\n', stderr);
}

/* Each interval is used three times. */
static double next_interval(unsigned printed)
{
	static const double steps[] = {2, 5, 10, 30, 60};
	unsigned i = printed / 3, last = sizeof steps / sizeof *steps - 1;

	return steps[i < last ? i : last];
}

/* -------------------------------------------------------------- the whole */

void status_begin(enum status_mode mode, const char *title, const char *dir)
{
	const char *terminal = getenv("TERM");

	d = (struct display){.mode = LINES, .title = mem_strdup(title ? title : ""), .dir = mem_strdup(dir ? dir : "")};
	if (mode == STATUS_QUIET || !log_wants_progress())
		d.mode = QUIET;
	else if (isatty(2) && terminal && *terminal && strcmp(terminal, "dumb"))
		d.mode = SCREEN;
	d.next_line = clock_seconds() + next_interval(0);
	if (d.mode == SCREEN) {
		take_terminal();
		log_aside = step_aside;
	}
}

int status_due(void)
{
	if (d.mode == SCREEN)
		return resumed || clock_seconds() >= d.drawn + FRAME_SECONDS;
	return d.mode == LINES && clock_seconds() >= d.next_line;
}

/* The height that a frame may need, in a narrow window too. */
#define FRAME_LINES 12
#define NARROW_LINES 18

static int frame_fits(struct winsize *w)
{
	if (ioctl(2, TIOCGWINSZ, w) || !w->ws_col)
		*w = (struct winsize){.ws_col = 80, .ws_row = 24};
	return w->ws_col >= 40 && w->ws_row > (w->ws_col < NARROW ? NARROW_LINES : FRAME_LINES);
}

static void show(const struct status *s)
{
	struct winsize w;

	if (d.mode == SCREEN && frame_fits(&w)) {
		draw(s, &w);
		d.drawn = clock_seconds();
		return;
	}
	if (d.mode == SCREEN) /* too small for more than a line */
		step_aside();
	print_line(s);
	d.next_line = d.drawn = clock_seconds() + next_interval(d.printed);
	d.printed++;
}

void status_update(const struct status *s)
{
	if (d.mode == QUIET || owner_gone())
		return;
	d.last = *s;
	d.given = 1;
	if (!status_due())
		return;
	measure_rate(s);
	sample(s);
	show(s);
}

void status_end(void)
{
	if (d.mode != QUIET && d.given) {
		d.last.stage[0] = 0;
		measure_rate(&d.last);
		show(&d.last);
	}
	if (d.mode == SCREEN) {
		write_out("\n", 1); /* between the figures and the result */
		log_aside = NULL;
		give_terminal();
	}
	free(d.title);
	free(d.dir);
	d = (struct display){0};
}
