/* terminal.h: what a terminal is sent. Names of files, lines of source and reports of other programs are printed as they stand, and may have
 * sequences that a terminal obeys: titles, keys, lines that were never printed. */
#ifndef MUSTER_TERMINAL_H
#define MUSTER_TERMINAL_H

#include "base/buf.h"

/* Once, at the start: from now on standard output and standard error show control characters as \xNN where they are a terminal. Colours, tabs
 * and line ends stay. Files and pipes get every byte. Own sequences that move the cursor are written to the descriptor. */
void terminal_guard(void);

/* Adds the text as a terminal may have it. */
void terminal_add(struct buf *out, const char *text, size_t size);

#endif
