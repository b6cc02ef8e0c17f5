/* caller_many.c: both versions of a function on many inputs, one after the other in one process: for a search, which wants to know where a run came to and whether the versions may differ. Whatever is found here is run again as
 * caller_main.c does.
 *
 * The batch, lines as in caller_main.c, numbers of versions 0 and 1:
 *
 *	K VERSION BLOCK BITS      this block was entered before, so often: a bit for each of 1, 2, 3, 4 to 7, 8 to 15 ... times
 *	X VERSION BLOCK           whoever comes to this block is wanted
 *	D ROW ROW                 variables that both versions have, by their tables
 *	L MILLISECONDS            for all of it
 *	I                         inputs follow: for each, lines for the old version and lines for the new one, both with . at their end
 *
 * What is said: for each input that entered a block as never before, or after which the versions differ,
 *
 *	i NUMBER DIFFERS WANTED   its number in the batch; whether they differ; which versions came to a wanted block (bits)
 *	k VERSION BLOCK BITS      what is new
 *	s NUMBER NAME             stubs that the new version called (the old one, if it was wanted there alone)
 *	w BITS ...                blocks that are wanted, by their order in the batch, 8 to a byte, that were entered: what tells one difference from another
 *
 * and at the end "e COUNT": inputs that were run.
 *
 * Variables, memory and the input are set up for each run; a run that ends by a signal or an exit of a stub is left by a jump. What the C library remembers is not undone, and a run may spoil the process: it is a child's, the next one goes on with the next input.
 */
#include "diff/caller_world.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define VARIABLES 4096	  /* that are set back */
#define RUN_MILLISECONDS 10 /* of a run, by the clock */
#define GENERATION 400	  /* inputs of a child */
#define DEATHS 40	  /* children that a batch may cost beyond that */
#define PAIRS 4096

enum outcome { RETURNED, ENDED, TRAPPED, CRASHED, WILD, FAILED };

struct side {
	const struct expose_call *calls;
	const struct expose_data *data;
	unsigned rows;
	unsigned char *first[VARIABLES]; /* contents at the start */
	unsigned char *cover;
	unsigned blocks;
	unsigned char *seen, *wanted; /* by block; shared with children */
	/* Of the last run: */
	enum outcome outcome;
	unsigned long long result;
	char *said;
	size_t said_size;
	unsigned char *memory;		 /* afterwards */
	unsigned char *after[VARIABLES]; /* of pairs */
	const char *called[CALLER_CALLS];
};

static struct side sides[2];
static struct pair { unsigned row[2]; } pairs[PAIRS];
static unsigned pair_count;
static struct progress { /* shared */
	unsigned long long at; /* the input that is being run */
	int stopped;	       /* the child ended by itself, before it */
	int done;	       /* there are no more */
} *progress;
static sigjmp_buf back;
static FILE *out;
static double end;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *shared(size_t bytes)
{
	void *at = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

/* ------------------------------------------------------------ one run */

static void leave(int status)
{
	siglongjmp(back, 1 + (status == CALLER_ENDED ? ENDED : status == CALLER_TRAPPED ? TRAPPED : status == CALLER_WILD ? WILD : status == CALLER_UNDEFINED ? CRASHED : FAILED));
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	int wild = signal == SIGSEGV && (info->si_code == SI_KERNEL || (unsigned long long)info->si_addr >= CALLER_NEAR);

	(void)context;
	if (signal == SIGALRM) /* whatever it was doing, it may hold a lock */
		_exit(1);
	siglongjmp(back, 1 + (wild ? WILD : CRASHED));
}

static void watch(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGALRM};
	static char room[1 << 16];
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

	sigaltstack(&(stack_t){.ss_sp = room, .ss_size = sizeof room}, NULL);
	for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, NULL);
}

static void set_timer(int milliseconds)
{
	setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, milliseconds * 1000}}, NULL);
}

static void set_back(struct side *s)
{
	for (unsigned i = 0; i < s->rows; i++)
		memcpy(s->data[i].at, s->first[i], s->data[i].size);
	memset(s->cover, 0, s->blocks);
	caller_forget();
}

/* What it left, for the comparison: the other version runs in the same memory. */
static void keep_state(struct side *s, int which)
{
	memcpy(s->memory, caller_arena, CALLER_ARENA_BYTES);
	for (unsigned i = 0; i < pair_count; i++)
		memcpy(s->after[i], s->data[pairs[i].row[which]].at, s->data[pairs[i].row[which]].size);
	memcpy(s->called, caller_called, sizeof s->called);
}

static void run_one(struct side *s, int which, const char **text)
{
	static FILE *said[2];
	unsigned long long arguments[CALLER_ARGUMENTS] = {0};

	set_back(s);
	int call = caller_set_up(text, s->data, arguments);
	if (!said[which])
		said[which] = open_memstream(&s->said, &s->said_size);
	stdout = said[which];
	rewind(stdout);
	s->result = 0;
	s->outcome = FAILED;
	int how = call < 0 ? 1 + FAILED : sigsetjmp(back, 1);
	if (!how) {
		set_timer(RUN_MILLISECONDS);
		s->result = s->calls[call].call(arguments);
		how = 1 + RETURNED;
	}
	set_timer(0);
	s->outcome = (enum outcome)(how - 1);
	fputc(0, stdout);
	fflush(stdout);
	keep_state(s, which);
}

/* ------------------------------------------------------------ both */

/* Words of two versions: addresses of the program's own are others in each. */
static int same_word(unsigned long long a, unsigned long long b)
{
	return a == b || (caller_is_address(a) && caller_is_address(b));
}

static int same_bytes(const unsigned char *a, const unsigned char *b, unsigned long long size)
{
	unsigned long long x, y;

	if (!memcmp(a, b, size))
		return 1;
	for (unsigned long long i = 0; i < size; i += 8) {
		size_t n = size - i < 8 ? size - i : 8;
		x = y = 0;
		memcpy(&x, a + i, n);
		memcpy(&y, b + i, n);
		if (!same_word(x, y))
			return 0;
	}
	return 1;
}

static int differ(void)
{
	const struct side *a = &sides[0], *b = &sides[1];

	if (a->outcome >= WILD || b->outcome >= WILD)
		return 0;
	if (a->outcome != b->outcome)
		return 1;
	if (a->outcome == CRASHED)
		return 0;
	if (strcmp(a->said, b->said) || (a->outcome == RETURNED && !same_word(a->result, b->result)))
		return 1;
	if (a->outcome != RETURNED)
		return 0;
	for (unsigned i = 0; i < pair_count; i++)
		if (!same_bytes(a->after[i], b->after[i], a->data[pairs[i].row[0]].size))
			return 1;
	return !same_bytes(a->memory, b->memory, CALLER_ARENA_BYTES);
}

static unsigned char bits_of(unsigned char count)
{
	return !count ? 0 : count < 4 ? (unsigned char)(1 << (count - 1)) : count < 8 ? 8 : count < 16 ? 16 : count < 32 ? 32 : count < 128 ? 64 : 128;
}

/* Marks what was entered. more: also so often as never before. */
static int mark_seen(struct side *s, int which, int says)
{
	int some = 0;

	for (unsigned b = 0; b < s->blocks; b++) {
		unsigned char bits = bits_of(s->cover[b]);
		if (!(bits & ~s->seen[b]))
			continue;
		some = 1;
		if (says) {
			fprintf(out, "k %d %u %u\n", which, b, bits & ~s->seen[b]);
			s->seen[b] |= bits;
		}
	}
	return some;
}

static int came_to_wanted(const struct side *s)
{
	for (unsigned b = 0; b < s->blocks; b++)
		if (s->wanted[b] && s->cover[b])
			return 1;
	return 0;
}

static void say_wanted(void)
{
	unsigned bits = 0, n = 0;

	fprintf(out, "w");
	for (int k = 0; k < 2; k++)
		for (unsigned b = 0; b < sides[k].blocks; b++) {
			if (!sides[k].wanted[b])
				continue;
			bits |= (sides[k].cover[b] != 0) << n;
			if (++n == 8) {
				fprintf(out, " %x", bits);
				bits = n = 0;
			}
		}
	fprintf(out, " %x\n", bits);
}

static void run_both(unsigned long long number, const char **text)
{
	for (int k = 0; k < 2; k++)
		run_one(&sides[k], k, text);
	int differs = differ(), some = mark_seen(&sides[0], 0, 0) | mark_seen(&sides[1], 1, 0);
	int wanted = came_to_wanted(&sides[0]) | came_to_wanted(&sides[1]) << 1;

	if (!differs && !some)
		return;
	fprintf(out, "i %llu %d %d\n", number, differs, wanted);
	for (int k = 0; k < 2; k++)
		mark_seen(&sides[k], k, 1);
	const char *const *called = wanted == 1 ? sides[0].called : sides[1].called;
	for (int i = 0; i < CALLER_CALLS && called[i]; i++)
		fprintf(out, "s %d %s\n", i, called[i]);
	say_wanted();
	fflush(out);
}

/* ------------------------------------------------------------ the batch */

static int load(struct side *s, const char *path)
{
	void *object = dlopen(path, RTLD_LAZY);

	s->calls = object ? dlsym(object, "muster_calls") : NULL;
	s->data = object ? dlsym(object, "muster_data") : NULL;
	s->cover = object ? dlsym(object, EXPOSE_COVER) : NULL;
	const unsigned *blocks = object ? dlsym(object, EXPOSE_BLOCKS) : NULL;
	if (!s->calls || !s->data || !s->cover || !blocks)
		return -1;
	s->blocks = *blocks;
	for (; s->data[s->rows].name; s->rows++) {
		const struct expose_data *d = &s->data[s->rows];
		if (s->rows == VARIABLES || !(s->first[s->rows] = malloc(d->size)))
			return -1;
		memcpy(s->first[s->rows], d->at, d->size);
	}
	s->seen = shared(s->blocks);
	s->wanted = calloc(s->blocks + 1, 1);
	s->memory = malloc(CALLER_ARENA_BYTES);
	return s->seen && s->wanted && s->memory ? 0 : -1;
}

static int keep_pair(unsigned old, unsigned new)
{
	struct pair p = {{old, new}};

	if (pair_count == PAIRS || old >= sides[0].rows || new >= sides[1].rows || sides[0].data[old].size != sides[1].data[new].size)
		return -1;
	for (int k = 0; k < 2; k++)
		if (!(sides[k].after[pair_count] = malloc(sides[k].data[p.row[k]].size)))
			return -1;
	pairs[pair_count++] = p;
	return 0;
}

static int keep_setting(char kind, const unsigned *n)
{
	if (kind == 'L')
		end = now() + n[0] / 1000.0;
	else if (kind == 'D')
		return keep_pair(n[0], n[1]);
	else if ((kind == 'K' || kind == 'X') && n[0] < 2 && n[1] < sides[n[0]].blocks)
		(kind == 'K' ? sides[n[0]].seen : sides[n[0]].wanted)[n[1]] |= (unsigned char)(kind == 'K' ? n[2] : 1);
	else
		return -1;
	return 0;
}

/* Everything before the inputs. NULL: it cannot be. */
static const char *read_settings(const char *s)
{
	end = now() + 1;
	while (*s && *s != 'I') {
		unsigned n[3] = {0};
		char kind = *s++, *next;
		for (int i = 0; i < 3 && *s == ' '; i++, s = next)
			n[i] = (unsigned)strtoul(s, &next, 10);
		if (*s++ != '\n' || keep_setting(kind, n))
			return NULL;
	}
	return *s ? s + 1 : NULL;
}

static const char *skip_input(const char *s)
{
	for (int k = 0; k < 2 && s; k++) {
		s = strstr(s, "\n.\n");
		s = s ? s + 2 : NULL;
	}
	return s;
}

/* A child: from this input on. */
static void run_some(unsigned long long first, const char *text)
{
	watch();
	caller_leave = leave;
	caller_fill = 0xa5;
	for (unsigned long long i = first; i < first + GENERATION && now() < end; i++) {
		const char *next = skip_input(text);
		progress->at = i;
		progress->done = !next;
		if (!next)
			break;
		run_both(i, &text);
		text = next;
		progress->at = i + 1;
	}
	progress->stopped = 1;
	_exit(0);
}

int caller_many(const char *old, const char *new, const char *text)
{
	int status, deaths = 0;

	progress = shared(sizeof *progress);
	if (!progress || load(&sides[0], old) || load(&sides[1], new) || !(text = read_settings(text)))
		return CALLER_FAILED;
	out = fdopen(dup(STDOUT_FILENO), "w");
	if (!out || !freopen("/dev/null", "w", stdout))
		return CALLER_FAILED;
	while (now() < end && deaths < DEATHS && text && !progress->done) {
		unsigned long long first = progress->at;
		pid_t pid;

		progress->stopped = 0;
		pid = fork();
		if (!pid)
			run_some(first, text);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			return CALLER_FAILED;
		if (!progress->stopped) { /* the input that it was at is passed over */
			progress->at++;
			deaths++;
		}
		for (; first < progress->at && text; first++)
			text = skip_input(text);
	}
	fprintf(out, "e %llu\n", progress->at);
	fclose(out);
	return 0;
}
