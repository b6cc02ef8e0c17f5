/* check_options.c: from --check, --combine and --suppressions to what is looked for and left out, for the whole process. */
#include "cmd/check_options.h"

#include "base/error.h"
#include "base/file.h"
#include "build/variant.h"
#include "report/checks.h"
#include "search/search.h"

#include <string.h>

void check_suppress(const struct option_spec *spec, const char *list, const char *file)
{
	suppress_checkers(list ? checker_left_out(list) : 0);
	if (!file && file_is_regular(SUPPRESS_FILE))
		file = SUPPRESS_FILE;
	if (file && suppress_file(file))
		option_usage(spec, "--suppressions: %s", error_text());
}

void check_options_apply(const struct option_spec *spec, struct check_options *c)
{
	c->set = checker_default();
	if (c->list && checker_parse(c->list, &c->set))
		option_usage(spec, "--check: %s", error_text());
	c->combine = c->how ? -1 : COMBINE_STRONG;
	for (int i = 0; i < COMBINE_COUNT && c->combine < 0; i++)
		if (!strcmp(c->how, check_combine_word(i)))
			c->combine = i;
	if (c->combine < 0)
		option_usage(spec, "--combine takes strong, weak or naive, not '%s'", c->how);
	variant_checks(c->set);
	check_suppress(spec, c->list, c->suppressions);
}
