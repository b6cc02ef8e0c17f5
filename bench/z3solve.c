/* z3solve: what Z3 takes for queries that muster has answered:
 *
 *	z3solve [-t LIMIT] <FILES
 *
 * The files, named on standard input in the order in which they were asked, are SMT-LIB with a first line that has muster's
 * verdict and time: `; verdict=sat seconds=0.000123 rung=copy`. Each is given to Z3 in three ways:
 *
 *	fresh     a new solver, as Z3 makes one by default
 *	simple    a new simple solver, which skips Z3's preprocessing tactics
 *	push/pop  one solver for all, with a level for each assertion; what a query has in common with the one before, from its
 *	          first assertion on, stays
 *
 * Only making the solver, asserting and checking are timed, not parsing or printing. An answer that is not known counts as LIMIT
 * seconds, on both sides; so does one that took longer. Prints the mean times, how often they are muster's, and every contradiction.
 * Status 1: a contradiction, or less than 20 times (fresh) or 5 times (push/pop). */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <z3.h>

enum { FRESH, SIMPLE, PUSHED, WAYS };
static const char *const way_names[WAYS] = {"Z3 fresh", "Z3 simple solver, fresh", "Z3 push/pop"};
static const double way_aims[WAYS] = {20, 0, 5};
#define OVERRUN 10 /* times the limit */
#define CONTEXT_QUERIES 1000 /* then a context is thrown away with all its terms */

struct sums {
	long queries, sat, unsat, unknown, contradictions, refused, left_out;
	double muster, ways[WAYS];
	long answered[WAYS];
};

static double limit = 2;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void on_error(Z3_context c, Z3_error_code e)
{
	(void)c, (void)e; /* asked for with Z3_get_error_code */
}

static Z3_context new_context(void)
{
	Z3_config config = Z3_mk_config();
	Z3_context c = Z3_mk_context_rc(config);

	Z3_del_config(config);
	Z3_set_error_handler(c, on_error);
	return c;
}

static Z3_solver new_solver(Z3_context c, int simple)
{
	Z3_solver s = simple ? Z3_mk_simple_solver(c) : Z3_mk_solver(c);

	Z3_solver_inc_ref(c, s); /* before anything else is made: Z3 drops what nobody holds by then */
	Z3_params p = Z3_mk_params(c);
	Z3_params_inc_ref(c, p);
	Z3_params_set_uint(c, p, Z3_mk_string_symbol(c, "timeout"), (unsigned)(limit * 1000));
	Z3_solver_set_params(c, s, p);
	Z3_params_dec_ref(c, p);
	return s;
}

/* The assertions of a file, held by the caller; NULL if Z3 does not read it. */
static Z3_ast_vector parse(Z3_context c, const char *text)
{
	Z3_ast_vector v = Z3_parse_smtlib2_string(c, text, 0, NULL, NULL, 0, NULL, NULL);

	if (Z3_get_error_code(c) != Z3_OK) {
		fprintf(stderr, "z3solve: %s\n", Z3_get_error_msg(c, Z3_get_error_code(c)));
		return NULL;
	}
	Z3_ast_vector_inc_ref(c, v);
	return v;
}

static double charged(Z3_lbool answer, double seconds)
{
	return answer == Z3_L_UNDEF || seconds > limit ? limit : seconds;
}

static Z3_lbool check_fresh(Z3_context c, Z3_ast_vector v, int simple, double *seconds)
{
	double start = now();
	Z3_solver s = new_solver(c, simple);

	for (unsigned i = 0; i < Z3_ast_vector_size(c, v); i++)
		Z3_solver_assert(c, s, Z3_ast_vector_get(c, v, i));
	Z3_lbool answer = Z3_solver_check(c, s);
	*seconds = charged(answer, now() - start);
	Z3_solver_dec_ref(c, s);
	return answer;
}

/* One context and one solver whose levels are the assertions of the last query. */
static struct {
	Z3_context c;
	Z3_solver s;
	Z3_ast_vector levels;
	long uses;
	int slow; /* far beyond the limit: what it has taken up would slow down the next ones, too */
} pushed;

static Z3_lbool check_pushed(const char *text, double *seconds)
{
	if (!pushed.c || pushed.slow || ++pushed.uses > CONTEXT_QUERIES) {
		if (pushed.c) {
			Z3_ast_vector_dec_ref(pushed.c, pushed.levels);
			Z3_solver_dec_ref(pushed.c, pushed.s);
			Z3_del_context(pushed.c);
		}
		pushed.c = new_context();
		pushed.s = new_solver(pushed.c, 0);
		pushed.levels = Z3_mk_ast_vector(pushed.c);
		Z3_ast_vector_inc_ref(pushed.c, pushed.levels);
		pushed.uses = 0;
		pushed.slow = 0;
	}
	Z3_context c = pushed.c;
	Z3_ast_vector v = parse(c, text);
	unsigned same = 0, had = Z3_ast_vector_size(c, pushed.levels), have = v ? Z3_ast_vector_size(c, v) : 0;
	if (!v)
		return Z3_L_UNDEF;
	while (same < had && same < have && Z3_ast_vector_get(c, v, same) == Z3_ast_vector_get(c, pushed.levels, same))
		same++;
	double start = now();
	Z3_solver_pop(c, pushed.s, had - same);
	for (unsigned i = same; i < have; i++) {
		Z3_solver_push(c, pushed.s);
		Z3_solver_assert(c, pushed.s, Z3_ast_vector_get(c, v, i));
	}
	Z3_lbool answer = Z3_solver_check(c, pushed.s);
	pushed.slow = now() - start > 2 * limit;
	*seconds = charged(answer, now() - start);
	Z3_ast_vector_dec_ref(c, pushed.levels);
	pushed.levels = v;
	return answer;
}

/* The first line. An optimistic answer is none. */
static int read_verdict(const char *text, Z3_lbool *answer, double *seconds)
{
	char verdict[16] = "", rung[16] = "";

	if (sscanf(text, "; verdict=%15s seconds=%lf rung=%15s", verdict, seconds, rung) < 2)
		return -1;
	*answer = !strcmp(verdict, "sat") ? Z3_L_TRUE : !strcmp(verdict, "unsat") ? Z3_L_FALSE : Z3_L_UNDEF;
	if (!strcmp(rung, "optimistic"))
		*answer = Z3_L_UNDEF;
	*seconds = charged(*answer, *seconds);
	return 0;
}

static char *read_text(const char *name)
{
	FILE *f = fopen(name, "r");
	char *text = NULL;
	size_t room = 0;

	if (f && getdelim(&text, &room, 0, f) < 0) {
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

/* ----------------------------------------------------------------- a worker
 * Z3 looks at its limit in a search, not in preprocessing or where a push takes up what was asserted, which takes minutes for some
 * queries. So a child asks it, and is killed when an answer is OVERRUN times late; the next query gets a new child. */
struct answer {
	int way; /* WAYS: it was not read; -1: the end of the query */
	Z3_lbool answer;
	double seconds;
};

static struct {
	pid_t pid;
	FILE *ask;
	int answers;
} worker;

static void tell(int to, int way, Z3_lbool answer, double seconds)
{
	struct answer a = {way, answer, seconds};

	if (write(to, &a, sizeof a) != (ssize_t)sizeof a)
		_exit(1);
}

static void work(FILE *from, int to)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	while ((n = getline(&line, &room, from)) > 0) {
		double seconds = 0;
		line[n - 1] = 0;
		char *text = read_text(line);
		Z3_context c = new_context();
		Z3_ast_vector v = text ? parse(c, text) : NULL;
		if (v) {
			Z3_lbool a = check_fresh(c, v, 0, &seconds);
			tell(to, FRESH, a, seconds);
			a = check_fresh(c, v, 1, &seconds);
			tell(to, SIMPLE, a, seconds);
			a = check_pushed(text, &seconds);
			tell(to, PUSHED, a, seconds);
			Z3_ast_vector_dec_ref(c, v);
		} else {
			tell(to, WAYS, Z3_L_UNDEF, 0);
		}
		tell(to, -1, Z3_L_UNDEF, 0);
		Z3_del_context(c);
		free(text);
	}
	_exit(0);
}

static void start_worker(void)
{
	int ask[2], answers[2];

	if (pipe(ask) || pipe(answers) || (worker.pid = fork()) < 0) {
		perror("z3solve");
		exit(2);
	}
	if (!worker.pid) {
		close(ask[1]);
		close(answers[0]);
		work(fdopen(ask[0], "r"), answers[1]);
	}
	close(ask[0]);
	close(answers[1]);
	worker.ask = fdopen(ask[1], "w");
	worker.answers = answers[0];
}

static void stop_worker(void)
{
	kill(worker.pid, SIGKILL);
	waitpid(worker.pid, NULL, 0);
	fclose(worker.ask);
	close(worker.answers);
	worker.pid = 0;
}

/* 0; 1: Z3 does not read it; 2: an answer did not come. Those that did not come are unknown, after the whole limit. */
static int ask_worker(const char *name, Z3_lbool answers[WAYS], double ways[WAYS])
{
	int r = 0;

	for (int i = 0; i < WAYS; i++) {
		answers[i] = Z3_L_UNDEF;
		ways[i] = limit;
	}
	if (!worker.pid)
		start_worker();
	fprintf(worker.ask, "%s\n", name);
	fflush(worker.ask);
	for (;;) {
		struct pollfd p = {.fd = worker.answers, .events = POLLIN};
		struct answer a;
		if (poll(&p, 1, (int)(limit * OVERRUN * 1000)) <= 0 || read(worker.answers, &a, sizeof a) != (ssize_t)sizeof a) {
			stop_worker();
			return 2;
		}
		if (a.way < 0)
			return r;
		if (a.way == WAYS) {
			r = 1;
			continue;
		}
		answers[a.way] = a.answer;
		ways[a.way] = a.seconds;
	}
}

/* 2: Z3 had to be killed. */
static int one(struct sums *t, const char *name)
{
	Z3_lbool muster, answers[WAYS];
	double seconds = 0, ways[WAYS] = {0};
	char *text = read_text(name);

	int r;

	if (!text || read_verdict(text, &muster, &seconds)) {
		fprintf(stderr, "z3solve: %s: no verdict in its first line\n", name);
		t->refused++;
		free(text);
		return 0;
	}
	free(text);
	r = ask_worker(name, answers, ways);
	if (r == 1) {
		fprintf(stderr, "z3solve: %s: Z3 does not read it\n", name);
		t->refused++;
		return 0;
	}
	t->queries++;
	t->sat += muster == Z3_L_TRUE;
	t->unsat += muster == Z3_L_FALSE;
	t->unknown += muster == Z3_L_UNDEF;
	t->muster += seconds;
	for (int i = 0; i < WAYS; i++) {
		t->ways[i] += ways[i];
		t->answered[i] += answers[i] != Z3_L_UNDEF;
		if (muster * answers[i] < 0) {
			printf("CONTRADICTION: %s: muster says %s, %s %s\n", name, muster > 0 ? "sat" : "unsat", way_names[i],
			       answers[i] > 0 ? "sat" : "unsat");
			t->contradictions++;
		}
	}
	return r;
}

static int report(const struct sums *t)
{
	int missed = t->contradictions != 0 || t->refused != 0 || !t->queries;
	double n = (double)t->queries;

	printf("queries %ld: muster says sat %ld, unsat %ld, unknown %ld; not read %ld; contradictions %ld\n", t->queries, t->sat, t->unsat,
	       t->unknown, t->refused, t->contradictions);
	if (!t->queries)
		return 1;
	if (t->left_out)
		printf("%ld queries were not asked: on two of their program's Z3 had no answer after %d times its limit\n", t->left_out, OVERRUN);
	printf("%-26s %12s %10s %8s %8s  %s\n", "", "mean ms", "answered", "times", "aim", "verdict");
	printf("%-26s %12.4f %10ld %8.1f\n", "muster", t->muster / n * 1e3, t->sat + t->unsat, 1.0);
	for (int i = 0; i < WAYS; i++) {
		double times = t->muster > 0 ? t->ways[i] / t->muster : 0;
		printf("%-26s %12.4f %10ld %8.1f ", way_names[i], t->ways[i] / n * 1e3, t->answered[i], times);
		if (way_aims[i] > 0)
			printf("%8.0f  %s\n", way_aims[i], times >= way_aims[i] ? "pass" : "MISS");
		else
			printf("%8s\n", "-");
		missed |= times < way_aims[i];
	}
	return missed;
}

/* A program with two queries for which Z3 had to be killed has no more of them asked, in Z3's favour: these are the ones that it is
 * slowest on. */
static char slow[64][64];
static unsigned slow_count;

static void program_of(const char *name, char out[64])
{
	const char *end = strrchr(name, '/'), *p = end;

	while (p && p > name && p[-1] != '/')
		p--;
	snprintf(out, 64, "%.*s", p ? (int)(end - p) : 0, p ? p : "");
}

static int is_endless(const char *name)
{
	char program[64];
	unsigned n = 0;

	program_of(name, program);
	for (unsigned i = 0; i < slow_count; i++)
		n += !strcmp(slow[i], program);
	return n >= 2;
}

static void note_killed(const char *name)
{
	if (slow_count < 64)
		program_of(name, slow[slow_count++]);
}

int main(int argc, char **argv)
{
	struct sums t = {0};
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	int option;

	while ((option = getopt(argc, argv, "t:")) > 0) {
		if (option != 't') {
			fprintf(stderr, "usage: z3solve [-t LIMIT] <FILES\n");
			return 2;
		}
		limit = strtod(optarg, NULL);
	}
	while ((n = getline(&line, &room, stdin)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = 0;
		if (!is_endless(line)) {
			if (one(&t, line) == 2)
				note_killed(line);
		} else {
			t.left_out++;
		}
	}
	free(line);
	if (worker.pid)
		stop_worker();
	return report(&t);
}
