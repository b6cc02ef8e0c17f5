/* config.h: a file of options: sections of commands, "name = value" lines, comments.
 *
 *	# what every run of muster test here is to do
 *	[test]
 *	time = 60
 *	verbose = yes
 *
 * A comment begins with # or ; at the start of a line. A value is the rest of the line without blanks at its ends; quotes mean nothing. */
#ifndef MUSTER_BASE_CONFIG_H
#define MUSTER_BASE_CONFIG_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdint.h>

struct config_line {
	uint32_t line;
	const char *section, *name, *value; /* name NULL: the head of a section */
};

struct config {
	VEC(struct config_line) lines;
	struct arena strings;
};

/* -1 with words, which name the file and the line. */
int config_read(struct config *c, const char *path);
void config_release(struct config *c);

#endif
