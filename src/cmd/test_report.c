/* test_report.c: the result of `muster test` for a person: what report/functions.h prints is the sessions' result, and their options. */
#include "base/mem.h"
#include "report/functions.h"
#include "unit/unit.h"

#include <stdlib.h>

void test_print(struct test_session *const *sessions, size_t count, double seconds)
{
	const char **files = mem_zalloc((count + 1) * sizeof *files);
	size_t *counts = mem_zalloc((count + 1) * sizeof *counts);
	struct functions_view v = {.files = files, .counts = counts, .file_count = count, .seconds = seconds};
	struct buf scope = {0}, bounds = {0};
	struct result r;
	test_result(sessions, count, 0, &r);
	for (size_t i = 0; i < count; i++) {
		files[i] = sessions[i]->file;
		for (size_t k = 0; k < sessions[i]->functions.size; k++)
			counts[i] += !sessions[i]->functions.data[k].helper;
	}
	if (count && sessions[0]->driven.harness) {
		const struct harness_options *h = &sessions[0]->driven.harness->options;
		v.run_time = sessions[0]->o->run_time;
		v.verbose = sessions[0]->o->verbose;
		v.stats = sessions[0]->o->stats;
		buf_addf(&bounds, "%u objects a type, %u elements, %u characters", h->objects, h->elements, h->characters ? h->characters - 1 : 0);
		test_scope(sessions[0], &scope);
		v.bounds = buf_str(&bounds);
		v.scope = buf_str(&scope);
	}
	functions_print(&r, &v);
	result_release(&r);
	buf_release(&scope);
	buf_release(&bounds);
	free(files);
	free(counts);
}
