/* commands.h: compile_commands.json: which files a project compiles, and with which arguments. */
#ifndef MUSTER_BUILD_COMMANDS_H
#define MUSTER_BUILD_COMMANDS_H

#include "base/arena.h"
#include "base/vec.h"

#define COMMANDS_FILE "compile_commands.json"

struct commands_unit {
	const char *file;	  /* absolute */
	const char *const *flags; /* what shapes the unit, paths absolute; NULL at the end */
};
struct commands {
	struct arena arena;
	VEC(struct commands_unit) units; /* C sources, each once, as the file has them */
};

/* -1 with words that name what is wrong. */
int commands_read(struct commands *c, const char *path);
void commands_release(struct commands *c);

#endif
