/* targets.c: what a command does if its program cannot be found, made or run. */
#include "cmd/targets.h"

#include "base/error.h"
#include "base/stop.h"

char *targets_program(const char *name)
{
	char *found = target_program(name);
	if (!found)
		stop_give_up(error_text());
	return found;
}

void targets_make(struct target *t, const char *program, char *const *argv, int kind, const struct target_options *o)
{
	if (target_make(t, program, argv, kind, o))
		stop_give_up(error_text());
}

void targets_check_started(const struct run_result *r)
{
	if (target_started(r))
		die(EXIT_USAGE, "%s", error_text());
}
