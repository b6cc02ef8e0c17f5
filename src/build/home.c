/* home.c: finds muster's own parts from the place of its executable, so that a
 * build tree and an installed tree can be moved. */
#include "build/home.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"

#include <stdlib.h>

const char *home_dir(void)
{
	static const char *const places[] = {"runtime", "../lib/muster",
					     "../runtime" /* of unit tests */};
	static char *found;
	char *self, *bin;

	if (found)
		return found;
	self = file_self();
	if (!self)
		return NULL;
	bin = file_dir(self);
	for (size_t i = 0; !found && i < sizeof places / sizeof places[0]; i++) {
		char *dir = file_join(bin, places[i]), *mark = file_join(dir, "include");

		if (file_exists(mark))
			found = dir;
		else
			free(dir);
		free(mark);
	}
	if (!found)
		error_set(
		    "muster's runtime is missing: neither '%s/runtime' nor '%s/../lib/muster' "
		    "is there (run 'make', or 'make install' again)",
		    bin, bin);
	free(bin);
	free(self);
	return found;
}

char *home_file(const char *name)
{
	const char *dir = home_dir();
	char *p;

	if (!dir)
		return NULL;
	p = file_join(dir, name);
	if (!file_exists(p)) {
		error_set("'%s' is missing (run 'make', or 'make install' again)", p);
		free(p);
		return NULL;
	}
	return p;
}

const char *home_clang(void)
{
	const char *s = getenv("MUSTER_CLANG");

	return s && *s ? s : "clang-19";
}

const char *home_project(void)
{
	const char *s = getenv("MUSTER_DIR");

	return s && *s ? s : ".muster";
}
