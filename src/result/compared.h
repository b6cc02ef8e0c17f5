/* compared.h: what a comparison of two versions came to (muster diff, muster validate), as the store keeps it: plain data, the same for both commands.
 *
 *	struct compared c = {.command = "diff"};
 *	struct compared_item *i = compared_item(&c, "digit", "changed");
 *	compared_part(&c, i, "changed", "c >= 65 && c <= 70");
 *	compared_write(&c, &bytes);           to be kept
 *	compared_read(&c, data, size);        -1 with words if that is no such thing; to be released also then
 *	compared_release(&c);
 */
#ifndef MUSTER_RESULT_COMPARED_H
#define MUSTER_RESULT_COMPARED_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

#include <stdint.h>

/* What is known of an item, in the order in which it is shown: a word, and C or plain words. */
struct compared_part {
	const char *label, *text;
};

/* Of diff a function, of validate a summary. */
struct compared_item {
	const char *name;    /* of the function, in the old version if it is there */
	const char *now;     /* in the new one; "": it has no other name */
	const char *file;    /* "": not known */
	uint32_t line;	     /* of the old version, or of the new one if it was added */
	const char *verdict; /* the command's own word */
	uint32_t phase;	     /* of validate: that decided; 0: none */
	VEC(struct compared_part) parts;
};

/* A source file in both versions. */
struct compared_source {
	const char *path, *old, *new;
};

struct compared {
	const char *command, *status; /* "diff"; "complete", "budget", "interrupted" */
	const char *old, *new;	      /* as the command was given them */
	int64_t time;		      /* it ended, in seconds since 1970 */
	double seconds;
	VEC(struct compared_item) items;
	VEC(struct compared_source) sources;
	struct arena strings;
};

/* Strings are copied; NULL counts as "". The item is valid until the next one is added. */
struct compared_item *compared_item(struct compared *c, const char *name, const char *verdict);
void compared_part(struct compared *c, struct compared_item *i, const char *label, const char *text); /* without a text: none */
const char *compared_text(struct compared *c, const char *text);

void compared_write(const struct compared *c, struct buf *out);
int compared_read(struct compared *c, const void *data, size_t size);
void compared_release(struct compared *c);

/* The name of the store's value (of campaign 0) that has the last result of a command. */
#define COMPARED_DIFF "last diff"
#define COMPARED_VALIDATE "last validate"

#endif
