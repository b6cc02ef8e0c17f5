/* symbols.h: what objects define, and what linked files need. */
#ifndef MUSTER_SYMBOLS_H
#define MUSTER_SYMBOLS_H

#include "base/map.h"

#include <stddef.h>

/* Adds the names of all global and weak symbols that a relocatable object defines;
 * value 1. A file that is no ELF object adds none. */
void symbols_defined(const void *object, size_t size, struct strmap *out);

/* Entries of the dynamic section of a linked file: calls f(ctx, tag, text) for each
 * DT_NEEDED, DT_SONAME, DT_RPATH and DT_RUNPATH. */
void symbols_dynamic(const void *file, size_t size,
		     void (*f)(void *ctx, long tag, const char *text), void *ctx);

/* ET_REL, ET_EXEC or ET_DYN; 0 if it is no ELF file for x86-64. */
int symbols_type(const void *file, size_t size);

#endif
