/* sessions.c: sessions of the files that a command names (sessions.h). */
#include "cmd/sessions.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include "build/commands.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LEAST_OF_FILE 10.0 /* seconds of --time that a file has at least: its variants have to be made */
#define FUNCTION_SECONDS 2 /* budget of a function, where --time leaves no more */
#define FUNCTION_RUNS 2000

static struct test_shared *shared;

/* ---------------------------------------------------------------- operands */

static void add_found(struct sessions_operands *list, const char *file, const char *const *flags)
{
	for (size_t i = 0; i < list->all.size; i++)
		if (!strcmp(list->all.data[i].file, file))
			return;
	vec_push(&list->all, (struct sessions_operand){mem_strdup(file), NULL, flags, 1});
}

/* A path below the current directory as the user would name it. */
static const char *shorter(const char *file, const char *here)
{
	size_t n = strlen(here);
	return !strncmp(file, here, n) && file[n] == '/' ? file + n + 1 : file;
}

static void add_commands(struct sessions_operands *list, const char *path)
{
	struct commands c = {0};
	char *here = getcwd(NULL, 0);
	if (commands_read(&c, path))
		die(EXIT_USAGE, "%s", error_text());
	for (size_t i = 0; i < c.units.size; i++) {
		size_t n = 0;
		while (c.units.data[i].flags[n])
			n++;
		const char **flags = arena_alloc(&list->arena, (n + 1) * sizeof *flags);
		for (size_t k = 0; k < n; k++)
			flags[k] = arena_strdup(&list->arena, c.units.data[i].flags[k]);
		flags[n] = NULL;
		add_found(list, here ? shorter(c.units.data[i].file, here) : c.units.data[i].file, flags);
	}
	if (!c.units.size)
		die(EXIT_USAGE, "'%s' names no C source", path);
	commands_release(&c);
	free(here);
}

/* The .c files below it, by name. */
static void add_below(struct sessions_operands *list, const char *dir)
{
	struct dirent **names;
	int n = scandir(dir, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char *path = file_join(strcmp(dir, ".") ? dir : "", names[i]->d_name);
		if (names[i]->d_name[0] != '.' && file_is_dir(path))
			add_below(list, path);
		else if (names[i]->d_name[0] != '.' && file_is_c(path) && file_is_regular(path))
			add_found(list, path, NULL);
		free(path);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

static void add_directory(struct sessions_operands *list, const char *dir)
{
	char *commands = file_join(dir, COMMANDS_FILE);
	size_t before = list->all.size;
	if (file_is_regular(commands))
		add_commands(list, commands);
	else
		add_below(list, dir);
	if (list->all.size == before)
		die(EXIT_USAGE, "'%s' has no .c file that was not named already", dir);
	free(commands);
}

void sessions_operand(struct sessions_operands *list, const char *text)
{
	if (file_is_dir(text)) {
		add_directory(list, text);
		return;
	}
	if (!strcmp(file_base(text), COMMANDS_FILE) && file_is_regular(text)) {
		add_commands(list, text);
		return;
	}
	const char *colon = file_exists(text) ? NULL : strrchr(text, ':');
	char *file = colon ? mem_strndup(text, (size_t)(colon - text)) : mem_strdup(text);
	for (size_t i = 0; i < list->all.size; i++) {
		struct sessions_operand *o = &list->all.data[i];
		if (strcmp(o->file, file))
			continue;
		if (colon && o->functions) {
			char *more = mem_printf("%s,%s", o->functions, colon + 1);
			free(o->functions);
			o->functions = more;
		} else { /* the whole file */
			free(o->functions);
			o->functions = NULL;
		}
		free(file);
		return;
	}
	vec_push(&list->all, (struct sessions_operand){file, colon ? mem_strdup(colon + 1) : NULL, NULL, 0});
}

void sessions_check(const struct sessions_operands *list, const struct option_spec *spec, const struct test_options *o)
{
	if (!list->all.size)
		option_usage(spec, "which file? muster %s FILE.c", spec->command);
	for (size_t i = 0; i < list->all.size; i++) {
		const struct sessions_operand *p = &list->all.data[i];
		if (!file_exists(p->file))
			die(EXIT_USAGE, "there is no file '%s'", p->file);
		if (!file_is_regular(p->file))
			die(EXIT_USAGE, "'%s' is no plain file: name a .c file", p->file);
		if (!file_is_c(p->file) && !p->functions && !o->entry)
			option_usage(spec, "which function of '%s'? Name it: %s:FUNCTION", p->file,
				     p->file);
	}
	if (o->out && list->all.size > 1)
		option_usage(spec, "-o takes what one file gives: name one file");
}

/* ------------------------------------------------------------------ results */

static int over(const struct test_options *o)
{
	(void)o;
	return shared->stop || deadline_over();
}

struct outcome {
	int bugs, inconclusive, cut;
};

static void look(const struct test_session *s, struct outcome *r)
{
	for (size_t i = 0; i < s->bugs.size; i++)
		r->bugs |= s->bugs.data[i].finding.bug.confirmed && !s->bugs.data[i].owed;
	r->bugs |= s->whole.bugs.size > 0;
	r->cut |= s->costs.late > 0;
	for (size_t i = 0; i < s->functions.size; i++) {
		const struct test_function *f = &s->functions.data[i];
		if (f->helper)
			continue;
		r->inconclusive |= f->verdict == TEST_UNREACHED ||
				   (f->verdict == TEST_PARTIAL && !f->result.ended);
		r->cut |= !f->searched && f->harness->number != UINT32_MAX && !f->lost;
		r->cut |= f->searched && f->result.stopped;
	}
}

/* Of what is left of --time an even part for each file that is left, and as much as a file needs at least: better some than none. */
static void share_time(struct test_options *own, double spent, size_t files)
{
	if (own->seconds <= 0 || own->repeatable)
		return;
	double left = own->seconds > spent ? own->seconds - spent : 0, part = left / (double)files;
	part = part > LEAST_OF_FILE ? part : left < LEAST_OF_FILE ? left : LEAST_OF_FILE;
	own->seconds = part;
	own->later = left - part;
}

/* The options of one session: its flags before those that the user names, and a budget that leaves the others theirs. */
static struct test_options *options_of(const struct test_options *o, const struct sessions_operands *list, size_t number, double spent)
{
	const struct sessions_operand *p = &list->all.data[number];
	struct test_options *own = mem_alloc(sizeof *own);
	VEC(const char *) flags = {0};
	*own = *o;
	share_time(own, spent, list->all.size - number);
	if (!p->flags)
		return own;
	for (const char *const *f = p->flags; *f; f++)
		vec_push(&flags, *f);
	for (const char *const *f = o->cflags; f && *f; f++)
		vec_push(&flags, *f);
	vec_push(&flags, NULL);
	own->cflags = flags.data;
	return own;
}

static void free_options(const struct test_options *own, const struct test_options *o)
{
	if (own->cflags != o->cflags)
		free((void *)own->cflags);
	free((void *)own);
}

/* A file of several that cannot be compiled, or has no function: the others go on. */
static int is_left_out(const struct sessions_operands *list, size_t number, int code)
{
	if (code != EXIT_USAGE || !list->all.data[number].found || list->all.size == 1)
		return 0;
	log_warn("%s is left out: %s", list->all.data[number].file, error_text());
	return 1;
}

/* Runs them one after the other. Those that were run; *failed: the last one did. */
static size_t run_all(const struct test_options *o, const struct sessions_operands *list, struct test_session **sessions, struct outcome *r, int *failed)
{
	size_t done = 0, left_out = 0;
	int code = EXIT_OK;
	double began = shared->started;
	for (size_t i = 0; i < list->all.size && !*failed && (!i || !over(o)); i++) {
		struct test_session *s = mem_zalloc(sizeof *s);
		s->o = options_of(o, list, i, i ? test_clock() - began : 0);
		s->file = list->all.data[i].file;
		s->function = list->all.data[i].functions;
		s->number = list->all.size > 1 ? (uint32_t)i + 1 : 0;
		s->of = (uint32_t)list->all.size;
		s->round.shared = shared;
		shared->next = 0;
		memset(shared->workers, 0, sizeof shared->workers);
		shared->started = i ? test_clock() : began;
		deadline_reserve(s->o->later);
		*failed = test_session_run(s, &code);
		int late = deadline_over();
		deadline_reserve(0);
		if (*failed && !late && is_left_out(list, i, code)) {
			*failed = 0;
			left_out++;
			free_options(s->o, o);
			test_session_release(s);
			free(s);
			continue;
		}
		sessions[done++] = s;
		if (*failed && code == EXIT_USAGE && !i)
			stop_give_up(error_text());
		if (*failed && late) { /* of a file that is not the first: what the others gave is reported */
			*failed = 0;
			r->cut = 1;
		}
		if (*failed && code == EXIT_USAGE)
			die(EXIT_USAGE, "%s", error_text());
		look(s, r);
		test_session_rest(s);
		r->cut |= i + 1 < list->all.size && over(o);
	}
	if (done + left_out < list->all.size && done && !*failed && !shared->stop)
		log_warn("%zu of %zu files were not reached in the time, %s first: a larger --time, or fewer files", list->all.size - done - left_out, list->all.size, list->all.data[done + left_out].file);
	shared->started = began;
	if (left_out && !done)
		die(EXIT_USAGE, "none of %zu files can be compiled; arguments for the compiler go after --", left_out);
	return done;
}

int sessions_run(const struct test_options *o, const struct sessions_operands *list, sessions_print print, void *ctx)
{
	struct test_session **sessions = mem_zalloc((list->all.size + 1) * sizeof *sessions);
	struct outcome r = {0};
	int failed = 0;
	size_t done = run_all(o, list, sessions, &r, &failed);
	char *words = failed ? mem_strdup(error_text()) : NULL;
	double seconds = o->repeatable ? 0 : test_clock() - shared->started;
	const char *status = failed	    ? "failed"
			     : shared->stop ? "interrupted"
			     : r.cut	    ? "budget"
					    : "complete";
	for (size_t i = 0; i < done && !failed; i++)
		if (test_store_result(sessions[i], status))
			log_warn("the verdicts are not stored: %s", error_text());
	struct sessions_end end = {status, seconds, failed, failed ? EXIT_INTERNAL : r.bugs ? EXIT_FOUND : r.inconclusive || r.cut ? EXIT_INCONCLUSIVE : EXIT_OK};
	print(sessions, done, &end, ctx);
	if (failed)
		log_warn("%s", words);
	free(words);
	for (size_t i = 0; i < done; i++) {
		free_options(sessions[i]->o, o);
		test_session_release(sessions[i]);
		free(sessions[i]);
	}
	free(sessions);
	return end.code;
}

void sessions_operands_release(struct sessions_operands *list)
{
	for (size_t i = 0; i < list->all.size; i++) {
		free(list->all.data[i].file);
		free(list->all.data[i].functions);
	}
	vec_release(&list->all);
	arena_release(&list->arena);
}

void sessions_begin(struct test_options *o, const char *command)
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		die(EXIT_INTERNAL, "no memory that workers share: %s", strerror(errno));
	shared->started = test_clock();
	if (deadline_open(o->seconds))
		die(EXIT_INTERNAL, "%s", error_text());
	stop_catch(&shared->stop);
	if (o->json)
		stop_json(command);
	signal(SIGPIPE, SIG_IGN);
	log_still = o->quiet;
	o->stop = &shared->stop;
}

void sessions_check_numbers(const struct option_spec *spec, const struct test_options *o)
{
	if (strcmp(o->globals, "symbolic") && strcmp(o->globals, "initial"))
		option_usage(spec, "--globals takes symbolic or initial");
	if (o->workers > TEST_WORKERS)
		option_usage(spec, "-j takes 1 to %d", TEST_WORKERS);
	if (o->objects > DRIVE_OBJECTS)
		option_usage(spec, "--objects takes 1 to %d", DRIVE_OBJECTS);
	if (o->elements > 256 || o->characters > 256)
		option_usage(spec, "--elements and --characters take 1 to 256");
	if (o->run_time <= 0)
		option_usage(spec, "--run-time takes more than 0 seconds");
	if (o->function_time < 0 || o->seconds < 0 || o->path_time < 0 || o->main_time < 0)
		option_usage(spec, "a time is not negative");
}

void sessions_requires(struct test_options *o)
{
	if (!o->requires.size)
		return;
	const char **data = mem_zalloc(((size_t)o->requires.size + 1) * sizeof *data);
	memcpy(data, o->requires.data, (size_t)o->requires.size * sizeof *data);
	o->requires.data = data;
}

void sessions_budgets(struct test_options *o)
{
	o->repeatable = o->seed && o->workers == 1;
	o->runs_given = o->runs != UINT64_MAX;
	o->function_time_given = o->function_time != -1;
	o->runs = o->runs_given ? o->runs : FUNCTION_RUNS;
	o->function_time = o->function_time_given ? o->function_time : FUNCTION_SECONDS;
}
