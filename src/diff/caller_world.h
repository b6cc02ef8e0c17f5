/* caller_world.h: between the files of muster-caller: caller_main.c (one input), caller_many.c (many), caller_world.c (what is around the function). */
#ifndef MUSTER_DIFF_CALLER_WORLD_H
#define MUSTER_DIFF_CALLER_WORLD_H

#include "diff/caller.h"
#include "instrument/expose.h"

extern int caller_fill;			    /* the byte where nobody has written */
extern unsigned caller_run;		    /* of CALLER_FILLS */
extern void (*caller_leave)(int status);    /* in place of _exit, where the function does not go on; NULL: it is _exit */
extern unsigned char *caller_arena;	    /* at CALLER_ARENA */
extern unsigned char caller_set[CALLER_ARENA_BYTES / 4096]; /* pages of it that the input says something about */
extern const char *caller_called[CALLER_CALLS]; /* stubs, in the order of their calls */

/* Is it an address, and none of the input's? */
int caller_is_address(unsigned long long v);
void caller_say_word(const char *what, unsigned long long at, unsigned long long v);
/* Both -1: there is no room. */
int caller_make_pointers(void);
int caller_make_heap(void);
/* Sets up the next input of the text, and moves behind it: the function's number, or -1. */
int caller_set_up(const char **text, const struct expose_data *data, unsigned long long *arguments);
/* Memory of inputs, and what was said of stubs, as at the start. */
void caller_forget(void);

/* caller_many.c: muster-caller -s; text: the batch. Its exit status. */
int caller_many(const char *old, const char *new, const char *text);

#endif
