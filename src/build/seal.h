/* seal.h: a directory whose files are known to be whole.
 *
 * Its file `sums` has the size, the mode and a checksum of every other file in it. */
#ifndef MUSTER_SEAL_H
#define MUSTER_SEAL_H

#define SEAL_FILE "sums"

/* Writes the sums of everything that is in the directory now. 0, or -1 with words. */
int seal_write(const char *dir);
/* Is each file there, and what it was when the sums were written? 1: yes. 0, with words that name the first
 * file that is not. Files that came later are not looked at. */
int seal_check(const char *dir);

#endif
