/* program.h: can this file be executed, and if not, what should the user do? */
#ifndef MUSTER_PROGRAM_H
#define MUSTER_PROGRAM_H

/* The file that argv[0] means: itself if it has a slash, else looked up in PATH.
 * Allocated. NULL with words if there is none. */
char *program_find(const char *name);
/* 0 if the kernel will be able to start it: an ELF file of this machine or a
 * script, executable, with its interpreter in place. Else -1 with words. */
int program_check(const char *path);

#endif
