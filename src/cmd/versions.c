/* versions.c: the operands of commands that compare two versions. Options may come after them, as in 'muster diff HEAD~1 --build make'. */
#include "cmd/versions.h"

#include <string.h>

void versions_operands(const struct option_spec *spec, int argc, char **argv, const char *versions[2], struct versions_options *o)
{
	int at = 0, count = 0;

	versions[0] = versions[1] = NULL;
	for (;;) {
		int before = at;
		at += option_parse(spec, argc - at, argv + at);
		if (at > before && !strcmp(argv[at - 1], "--") && count) {
			o->cflags = (const char *const *)argv + at;
			break;
		}
		if (at >= argc)
			break;
		if (count == 2)
			option_usage(spec, "'%s' is one version too many: OLD and NEW are two", argv[at]);
		versions[count++] = argv[at];
	}
	if (!count)
		option_usage(spec, "give the old and the new version");
}
