/* validate.h: parts of `muster validate` that have files of their own. */
#ifndef MUSTER_CMD_VALIDATE_H
#define MUSTER_CMD_VALIDATE_H

#include <stdint.h>

struct validate_sample {
	int wanted;
	uint64_t states, seed;
	const char *store; /* or NULL */
};

/* validate_sample.c: the exit code. */
int validate_sample(const struct validate_sample *o, const char *file, int json);

#endif
