/* archive.h: members of ar archives, thin ones included. */
#ifndef MUSTER_ARCHIVE_H
#define MUSTER_ARCHIVE_H

#include <stddef.h>

int archive_is(const void *data, size_t size);
/* Calls f for each member that is a file, in order; members of a thin archive are
 * read from beside path. Stops with f's result if it is not 0; -1 with words if
 * the archive is damaged. */
int archive_members(const char *path, const void *data, size_t size,
		    int (*f)(void *ctx, const char *name, const void *data, size_t size),
		    void *ctx);

#endif
