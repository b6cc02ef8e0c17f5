/* build.c: muster build, which runs a build with muster-cc as the C compiler.
 *
 * CC in the environment is enough for configure and CMake. A makefile that sets CC
 * itself gives way to the command line only, so a make gets CC=... there, and hands
 * it to the makes below.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/option.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* muster-cc beside this executable. */
static char *wrapper(void)
{
	char *self = file_self(), *dir, *path;

	if (!self)
		return NULL;
	dir = file_dir(self);
	path = file_join(dir, "muster-cc");
	free(dir);
	free(self);
	if (access(path, X_OK)) {
		error_errno("cannot use '%s' (run 'make', or 'make install' again)", path);
		return NULL;
	}
	return path;
}

static int is_make(const char *command)
{
	const char *base = file_base(command);

	return !strcmp(base, "make") || !strcmp(base, "gmake");
}

int cmd_build(int argc, char **argv)
{
	const struct option_row rows[] = {OPTION_END};
	const struct option_spec spec = {
	    "build", "-- COMMAND [ARGUMENTS]",
	    "Runs COMMAND (./configure, cmake, make ...) with CC set to muster-cc, so that all\n"
	    "it compiles and links carries records. CXX is left alone.\n\n"
	    "  muster build -- ./configure --disable-shared\n"
	    "  muster build -- make -j2\n"
	    "  muster doctor ./prog                     what was recorded",
	    rows};
	int i = option_parse(&spec, argc, argv), n = 0;
	char **command, *cc, *assignment;

	if (i >= argc)
		option_usage(&spec, "wants a command, as in 'muster build -- make'");
	cc = wrapper();
	if (!cc)
		die(EXIT_INTERNAL, "%s", error_text());
	setenv("CC", cc, 1);
	command = mem_alloc((argc - i + 2) * sizeof *command);
	command[n++] = argv[i];
	assignment = mem_printf("CC=%s", cc);
	if (is_make(argv[i]))
		command[n++] = assignment;
	for (int k = i + 1; k < argc; k++)
		command[n++] = argv[k];
	command[n] = NULL;
	execvp(command[0], command);
	die(EXIT_USAGE, "cannot run '%s': %s", command[0], strerror(errno));
}
