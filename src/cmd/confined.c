/* confined.c: muster confined, which runs one program in the sandbox, as timeout(1) would without.
 *
 * For muster's own use: programs that were made outside of it (exported tests, compiled by gcc) contain target code too. Standard output
 * and error go where muster's go; the exit code is the program's, 128 and its number for a signal, 124 when the time is over.
 */
#include "base/error.h"
#include "cmd/cmd.h"
#include "cmd/confine.h"
#include "run/launch.h"

#include <stdlib.h>

#define MEMORY_LIMIT (12ull << 30) /* shadow and quarantine of sanitizers count */
#define TIME_OVER 124
#define CANNOT 125

int cmd_confined(int argc, char **argv)
{
	const struct option_row rows[] = {CONFINE_ROWS, OPTION_END};
	const struct option_spec spec = {"confined", "[options] -- SECONDS PROGRAM [ARGUMENTS]", "Runs a program in the sandbox.", rows};
	int at = option_parse(&spec, argc, argv);
	struct launch_options o = LAUNCH_DEFAULTS;
	struct run_result r;
	struct launcher *l;

	if (argc - at < 2)
		option_usage(&spec, "wants seconds and a program");
	confine_apply(&spec);
	o.argv = argv + at + 1;
	o.wall_seconds = atof(argv[at]);
	o.memory_limit = MEMORY_LIMIT;
	l = launcher_new(&o);
	if (!l || launcher_run(l, NULL, &r))
		die(CANNOT, "%s", error_text());
	launcher_free(l);
	if (r.end == RUN_FAILED)
		die(CANNOT, "%s", r.message);
	return r.end == RUN_EXIT ? r.code : r.end == RUN_SIGNAL ? 128 + r.signal : TIME_OVER;
}
