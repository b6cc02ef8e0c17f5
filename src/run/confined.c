/* confined.c: one run of a program in the sandbox, in a process that does nothing else. */
#include "run/confined.h"

#include "base/error.h"
#include "run/launch.h"

#include <stdio.h>

#define MEMORY_LIMIT (12ull << 30) /* shadow and quarantine of sanitizers count */
#define TIME_OVER 124
#define CANNOT 125

int confined_call(char *const argv[], const void *seconds)
{
	struct launch_options o = LAUNCH_DEFAULTS;
	struct run_result r;
	struct launcher *l;
	int e;

	o.argv = argv;
	o.wall_seconds = *(const double *)seconds;
	o.memory_limit = MEMORY_LIMIT;
	l = launcher_new(&o);
	e = !l || launcher_run(l, NULL, &r);
	launcher_free(l);
	if (!e && r.end == RUN_FAILED)
		e = error_set("%s", r.message);
	if (e) {
		fprintf(stderr, "muster: %s\n", error_text());
		return CANNOT;
	}
	return r.end == RUN_EXIT ? r.code : r.end == RUN_SIGNAL ? 128 + r.signal : TIME_OVER;
}
