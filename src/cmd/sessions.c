/* sessions.c: sessions of the files that a command names (sessions.h). */
#include "cmd/sessions.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FUNCTION_SECONDS 2 /* budget of a function, where --time leaves no more */
#define FUNCTION_RUNS 2000

static struct test_shared *shared;

/* ---------------------------------------------------------------- operands */

void sessions_operand(struct sessions_operands *list, const char *text)
{
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
	vec_push(&list->all, (struct sessions_operand){file, colon ? mem_strdup(colon + 1) : NULL});
}

void sessions_check(const struct sessions_operands *list, const struct option_spec *spec, const struct test_options *o)
{
	if (!list->all.size)
		option_usage(spec, "which file? muster %s FILE.c", spec->command);
	for (size_t i = 0; i < list->all.size; i++) {
		const struct sessions_operand *p = &list->all.data[i];
		if (!file_exists(p->file))
			die(EXIT_USAGE, "there is no file '%s'", p->file);
		if (file_is_dir(p->file))
			die(EXIT_USAGE,
			    "'%s' is a directory: name a .c file, or a program and one of its "
			    "functions",
			    p->file);
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

int sessions_run(const struct test_options *o, const struct sessions_operands *list, sessions_print print, void *ctx)
{
	struct test_session **sessions = mem_zalloc((list->all.size + 1) * sizeof *sessions);
	size_t done = 0;
	struct outcome r = {0};
	int code = EXIT_OK, failed = 0;
	for (size_t i = 0; i < list->all.size && !failed && (!i || !over(o)); i++) {
		struct test_session *s = mem_zalloc(sizeof *s);
		sessions[done++] = s;
		s->o = o;
		s->file = list->all.data[i].file;
		s->function = list->all.data[i].functions;
		s->round.shared = shared;
		shared->next = 0;
		memset(shared->workers, 0, sizeof shared->workers);
		failed = test_session_run(s, &code);
		if (failed && code == EXIT_USAGE && !i)
			stop_give_up(error_text());
		if (failed && deadline_over()) { /* of a file that is not the first: what the others gave is reported */
			failed = 0;
			r.cut = 1;
		}
		if (failed && code == EXIT_USAGE)
			die(EXIT_USAGE, "%s", error_text());
		look(s, &r);
		r.cut |= i + 1 < list->all.size && over(o);
	}
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
