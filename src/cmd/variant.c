/* variant.c: muster variant, which makes a variant and prints its path. */
#include "build/variant.h"

#include "base/error.h"
#include "base/option.h"
#include "cmd/cmd.h"

#include <stdio.h>

int cmd_variant(int argc, char **argv)
{
	const char *kind_name = "trace", *check = NULL;
	const struct option_row rows[] = {
	    OPTION_STR("kind", 'k', "KIND", &kind_name, "trace (the default), san, cov or path"),
	    OPTION_STR("check", 'c', "LIST", &check, "whose checks the variant has: names of 'muster show checkers', all, none (default)"),
	    OPTION_END};
	const struct option_spec spec = {
	    "variant", "[--kind KIND] PROGRAM",
	    "Makes a variant of a program that was built with muster cc, or of a single .c\n"
	    "file, and prints its path.",
	    rows};
	struct variant v;
	int i = option_parse(&spec, argc, argv), kind = variant_kind(kind_name);

	if (kind < 0)
		option_usage(&spec, "there is no kind '%s': trace, san, cov or path", kind_name);
	if (i + 1 != argc)
		option_usage(&spec, "wants one program");
	if (check && variant_checks_list(check))
		option_usage(&spec, "--check: %s", error_text());
	if (variant_make(argv[i], kind, &v))
		die(EXIT_USAGE, "%s", error_text());
	puts(v.path);
	variant_release(&v);
	return EXIT_OK;
}
