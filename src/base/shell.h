/* shell.h: words and lines of a shell. */
#ifndef MUSTER_BASE_SHELL_H
#define MUSTER_BASE_SHELL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

/* A line as words. */
struct shell_line {
	VEC(char *) argv;
	struct arena arena; /* what the words are in */
};
/* Adds the words of a line as a shell would split it (quotes and backslashes, nothing else). */
void shell_split(struct shell_line *l, const char *line);
void shell_line_release(struct shell_line *l);

/* Adds a word as a shell, and shell_split, read it back. */
void shell_word(struct buf *b, const char *s);
/* Adds a word for a user to paste into a shell: on one line, without control characters. */
void shell_paste(struct buf *b, const char *s);
void shell_paste_path(struct buf *b, const char *path); /* the same, and never taken for an option */
void shell_paste_line(struct buf *b, const char *line); /* every word of what shell_word wrote */

#endif
