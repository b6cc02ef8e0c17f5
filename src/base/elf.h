/* elf.h: sections of 64-bit little-endian ELF files.
 *
 * Reading trusts nothing in the file; adding a section is for relocatable objects
 * that a compiler just made.
 */
#ifndef MUSTER_BASE_ELF_H
#define MUSTER_BASE_ELF_H

#include <stddef.h>
#include <stdint.h>

struct buf;

/* Calls f for each section that has contents in the file, until f returns nonzero,
 * and returns that; 0 after the last; -1 with words if this is no ELF file or a
 * damaged one. Names and contents point into data. */
int elf_sections(const void *data, size_t size,
		 int (*f)(void *ctx, const char *name, const void *contents, size_t size),
		 void *ctx);

/* Adds a section that is not loaded, with sh_addralign align, to a relocatable object in place. */
int elf_add_section(struct buf *object, const char *name, const void *contents, size_t size,
		    uint64_t align);

#endif
