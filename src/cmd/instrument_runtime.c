/* instrument_runtime.c: makes objects of the runtime from bitcode; used by the
 * Makefile only. The unit's id is taken from its contents, as for targets. */
#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/option.h"
#include "cmd/cmd.h"
#include "instrument/instrument.h"

#include <string.h>

static int kind_of(const char *name)
{
	static const char *const names[] = {
	    [INSTRUMENT_TRACE] = "trace",
	    [INSTRUMENT_COV] = "cov",
	    [INSTRUMENT_PATH] = "path",
	    [INSTRUMENT_MARK] = "mark",
	};

	for (size_t i = 0; name && i < sizeof names / sizeof names[0]; i++)
		if (!strcmp(name, names[i]))
			return i;
	return -1;
}

int cmd_instrument_runtime(int argc, char **argv)
{
	const char *kind_name = NULL, *output = NULL;
	int all = 0, calls = 0;
	const struct option_row rows[] = {
	    OPTION_STR("kind", 'k', "KIND", &kind_name, "trace, cov, path or mark"),
	    OPTION_FLAG("all", 0, &all, "trace: an event for each decision"),
	    OPTION_FLAG("calls", 0, &calls, "trace: hooks at calls and returns"),
	    OPTION_STR("output", 'o', "FILE", &output, "the object to write"), OPTION_END};
	const struct option_spec spec = {"instrument-runtime", "--kind KIND --output FILE BITCODE",
					 "Instruments a part of the runtime.", rows};
	struct instrument_options options = {.reloc = INSTRUMENT_RELOC_PIC};
	struct buf bitcode = BUF_EMPTY, object = BUF_EMPTY;
	int i = option_parse(&spec, argc, argv), kind = kind_of(kind_name);

	options.all_decisions = all;
	options.calls = calls;
	if (kind < 0 || !output || i + 1 != argc)
		option_usage(&spec, "wants --kind, --output and one file");
	if (file_read(argv[i], &bitcode) ||
	    instrument_unit(bitcode.data, bitcode.size,
			    (uint32_t)hash128(bitcode.data, bitcode.size).a, kind, &options,
			    &object) ||
	    file_write_atomic(output, object.data, object.size))
		die(EXIT_INTERNAL, "%s: %s", argv[i], error_text());
	buf_release(&bitcode);
	buf_release(&object);
	return EXIT_OK;
}
