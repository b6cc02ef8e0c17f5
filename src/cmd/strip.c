/* strip.c: muster strip, which removes the records for shipping. Code and everything
 * else that is loaded stay as they are. */
#include "base/error.h"
#include "base/file.h"
#include "base/option.h"
#include "base/proc.h"
#include "base/vec.h"
#include "build/record.h"
#include "cmd/cmd.h"

static void strip_file(const char *file, const char *output)
{
	char *argv[] = {"objcopy", "--remove-section=" RECORD_SECTION, (char *)file, (char *)output,
			NULL};
	struct proc_result r;

	if (!file_exists(file))
		die(EXIT_USAGE, "there is no file '%s'", file);
	if (proc_run(argv, NULL, &r))
		die(EXIT_INTERNAL, "%s (is binutils installed?)", error_text());
	if (r.status)
		die(EXIT_USAGE, "'%s' was not stripped: objcopy does not know what it is", file);
}

int cmd_strip(int argc, char **argv)
{
	const char *output = NULL;
	const struct option_row rows[] = {
	    OPTION_STR("output", 'o', "FILE", &output, "leave BINARY as it is and write FILE"),
	    OPTION_END};
	const struct option_spec spec = {
	    "strip", "[--output FILE] BINARY...",
	    "Removes muster's records from executables, libraries, objects and archives.", rows};
	VEC(const char *) files = {0};

	/* Options may stand after the files too. */
	for (int i = 0; i < argc;) {
		i += option_parse(&spec, argc - i, argv + i);
		if (i < argc)
			vec_push(&files, argv[i]);
	}
	if (!files.size)
		option_usage(&spec, "wants a binary");
	if (output && files.size > 1)
		option_usage(&spec, "--output goes with one binary only");
	for (size_t i = 0; i < files.size; i++)
		strip_file(files.data[i], output ? output : files.data[i]);
	vec_release(&files);
	return EXIT_OK;
}
