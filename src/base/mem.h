/* mem.h: allocation that does not fail. Running out of memory ends the process
 * with words and exit code 4 (EXIT_INTERNAL): no caller could do better. */
#ifndef MUSTER_MEM_H
#define MUSTER_MEM_H

#include <stddef.h>

void *mem_alloc(size_t n);			       /* not zeroed */
void *mem_zalloc(size_t n);			       /* zeroed */
void *mem_realloc(void *p, size_t count, size_t size); /* checks count * size */
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t n);
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
