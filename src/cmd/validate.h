/* validate.h: parts of `muster validate` that have files of their own. */
#ifndef MUSTER_CMD_VALIDATE_H
#define MUSTER_CMD_VALIDATE_H

#include "campaign/versions.h"

#include <stdint.h>

struct validate_sample {
	int wanted;
	uint64_t states, seed;
	const char *store; /* or NULL */
};

/* validate_sample.c: the exit code. */
int validate_sample(const struct validate_sample *o, const char *file, int json);

struct validate_against {
	struct versions_options versions;
	const char *function, *phases, *externals;
	uint64_t seed;
	double seconds, each; /* of all, by the clock; of one summary, of processor time */
	uint64_t audit, states; /* of a valid summary, to see that it holds; of one that is not proved, 0: some */
	int no_runs;
};
/* validate_versions.c: the exit code. new: NULL: the work tree. */
int validate_versions(const struct validate_against *a, const char *old, const char *new, int json);

#endif
