/* confine.c: from --sandbox and --writable to what all launchers of this process do. */
#include "cmd/confine.h"

#include "base/file.h"
#include "run/launch.h"
#include "run/sandbox.h"

#include <string.h>

struct confine confine = {.sandbox = "on"};

void confine_apply(const struct option_spec *spec)
{
	int on = !strcmp(confine.sandbox, "on");

	if (!on && strcmp(confine.sandbox, "off"))
		option_usage(spec, "--sandbox is on or off, not '%s'", confine.sandbox);
	for (int i = 0; i < confine.writable.size; i++) {
		if (!file_is_dir(confine.writable.data[i]))
			option_usage(spec, "--writable '%s' is no directory", confine.writable.data[i]);
		/* Some commands go elsewhere before they run anything. */
		confine.writable.data[i] = file_absolute(confine.writable.data[i]);
	}
	sandbox_choose(on, confine.writable.data, confine.writable.size);
}

const char *confine_try(void)
{
	static const char *const words[] = {
	    [SANDBOX_OFF] = "off",
	    [SANDBOX_VIEW] = "namespaces: runs see files read-only, their own processes, their own network",
	    [SANDBOX_LANDLOCK] = "Landlock and a filter, since namespaces are refused here: runs change no files, use no network",
	    [SANDBOX_FILTER] = "a filter alone, since namespaces are refused here and Landlock is missing: programs made to deceive it can evade it",
	    [SANDBOX_NOTHING] = "none: runs can do whatever you can"};
	char *argv[] = {"/bin/true", NULL};
	struct launch_options o = LAUNCH_DEFAULTS;
	struct run_result r;
	struct launcher *l;
	int e;

	o.argv = argv;
	o.out = o.err = LAUNCH_NULL;
	l = launcher_new(&o);
	e = !l || launcher_run(l, NULL, &r);
	launcher_free(l);
	return e ? NULL : words[sandbox_level()];
}

void confine_json(struct json *j)
{
	static const char *const levels[] = {[SANDBOX_OFF] = "off",
					     [SANDBOX_VIEW] = "namespaces",
					     [SANDBOX_LANDLOCK] = "landlock",
					     [SANDBOX_FILTER] = "filter",
					     [SANDBOX_NOTHING] = "none"};

	json_key(j, "sandbox");
	json_object_open(j);
	json_key(j, "level"), json_str(j, levels[sandbox_level()]);
	json_key(j, "refused"), json_u64(j, sandbox_refusals());
	json_object_close(j);
}
