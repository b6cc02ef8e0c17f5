/* plot.c: muster plot: what searches covered over time, one curve each, as SVG. */
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/option.h"
#include "cmd/cmd.h"
#include "cmd/stored.h"
#include "report/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plot {
	const char *store, *output;
	int bugs;
	VEC(struct history) histories;
	VEC(char *) names;
};

/* Of an output directory; NULL: the newest search. */
static void add(struct plot *p, const char *dir)
{
	struct stored of = {.dir = dir, .store_file = p->store};
	struct history h;

	stored_open(&of);
	stored_choose(&of);
	if (history_load(&h, of.store, of.id))
		die(EXIT_USAGE, "%s", error_text());
	if (!h.points.size)
		die(EXIT_USAGE, "the search of '%s' has no tests yet: let it run longer", of.program);
	if (p->histories.size && h.by_tests != p->histories.data[0].by_tests)
		die(EXIT_USAGE, "'%s' is a search of functions and another is one of a program: their curves have no common axis; plot them one by one", dir ? dir : of.program);
	vec_push(&p->names, dir ? mem_strdup(dir) : mem_strdup(of.output ? of.output : of.program));
	vec_push(&p->histories, h);
	stored_release(&of);
}

static int write_svg(struct plot *p)
{
	struct history_series *series = mem_alloc(p->histories.size * sizeof *series);
	struct buf out = {0};

	for (size_t i = 0; i < p->histories.size; i++)
		series[i] = (struct history_series){p->names.data[i], &p->histories.data[i]};
	history_svg(series, p->histories.size, p->bugs, &out);
	free(series);
	int e = p->output && strcmp(p->output, "-") ? file_write_atomic(p->output, out.data, out.size) : fwrite(out.data, 1, out.size, stdout) != out.size;
	buf_release(&out);
	return e;
}

int cmd_plot(int argc, char **argv)
{
	static struct plot p;
	static const struct option_row rows[] = {
	    OPTION_STR("output", 0, "FILE", &p.output, "the drawing (standard output)"),
	    OPTION_FLAG("bugs", 0, &p.bugs, "bugs, in place of branch outcomes"),
	    OPTION_STR("store", 0, "FILE", &p.store, "the store (.muster/store.db)"),
	    OPTION_END,
	};
	static const struct option_spec spec = {"plot", "[options] [OUTPUT-DIRECTORY...]",
						"Draws what searches covered over time: a curve for each output directory, side by side, or of the\n"
						"newest search. Of muster fuzz over seconds; of muster test, which searches functions one after\n"
						"another, over its tests.\n\n"
						"  muster plot --output coverage.svg out-1 out-2\n\n"
						"Exit code: 0 if it was written.",
						rows};
	int at = option_parse(&spec, argc, argv);

	if (at == argc)
		add(&p, NULL);
	for (; at < argc; at++)
		add(&p, argv[at]);
	int e = write_svg(&p);
	if (e)
		fprintf(stderr, "muster plot: %s\n", p.output ? error_text() : "standard output: it cannot be written");
	for (size_t i = 0; i < p.histories.size; i++) {
		history_release(&p.histories.data[i]);
		free(p.names.data[i]);
	}
	vec_release(&p.histories);
	vec_release(&p.names);
	return e ? EXIT_USAGE : EXIT_OK;
}
