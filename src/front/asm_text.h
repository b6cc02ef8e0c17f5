/* asm_text.h: inline assembly in the text of a function. */
#ifndef MUSTER_FRONT_ASM_TEXT_H
#define MUSTER_FRONT_ASM_TEXT_H

#include "base/buf.h"

/* Does a statement of assembly in this body, as clang prints it, do more than to hold back the optimiser or to wait? */
int asm_text_matters(const char *body);
/* The words in all strings of assembly of a unit's preprocessed text, each between line feeds: names that it may define. */
void asm_text_words(const char *unit, struct buf *out);

#endif
