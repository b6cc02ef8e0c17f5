/* relink_items.h: one link in the making, and its inputs. Between relink.c, which
 * decides what is linked how, and relink_items.c, which turns the closure's items
 * into words of the command line. */
#ifndef MUSTER_RELINK_ITEMS_H
#define MUSTER_RELINK_ITEMS_H

#include "build/relink.h"

struct link {
	struct relink *r;
	const struct image *image;
	const struct closure *c;
	struct arena arena;
	struct words w;
	int is_static;	     /* libc is part of this link */
	const char *renames; /* then: objcopy's list of NAME __wrap_NAME */
	int user_wraps;	     /* the program uses --wrap itself */
};

/* Words of the command line; they must live as long as the link. */
void link_word(struct link *l, const char *s);		/* for the driver */
void link_option(struct link *l, const char *s);	/* for the linker */
const char *link_keep(struct link *l, char *allocated); /* takes a string over */
/* A fresh name in the work directory; allocated. */
char *link_file(struct link *l, const char *name);
/* In a static link: a copy of the object or archive whose references are renamed;
 * else the file itself. NULL with words. */
const char *link_renamed(struct link *l, const char *file);
int link_starts(const char *s, const char *prefix);

/* All items of the closure, in order. */
int link_items(struct link *l);
/* Links to output; in relink.c. */
int link_run(struct link *l, const char *output);

#endif
