/* relink.h: a saved link, done again with a variant's objects. */
#ifndef MUSTER_RELINK_H
#define MUSTER_RELINK_H

#include "base/map.h"
#include "build/image.h"
#include "build/units.h"

struct relink {
	const struct program *program;
	const struct units *units;
	const char *out_dir;   /* where the files of the variant go */
	const char *lib_dir;   /* and its libraries; NULL: there are none */
	const char *work_dir;  /* for files that only the link needs */
	struct strmap defined; /* names that the program defines itself */
	struct words wraps;    /* names to be wrapped */
	int serial;	       /* of names in work_dir */
};

/* Fills in `defined` from the units' objects and the copies in the closures. */
int relink_names(struct relink *r);
/* Links images[index] to out_dir or lib_dir. */
int relink_image(struct relink *r, size_t index);
/* The file name a variant of this image has. */
const char *relink_name(const struct program *p, size_t index);

#endif
