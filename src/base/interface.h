/* interface.h: which build of muster's parts this is.
 *
 * muster, muster-keeper and the runtime talk through structures in shared memory. They belong together if these
 * are the same: the id is a hash of the files that say what they look like (the Makefile has the list), so
 * that two builds of the same sources have the same one, wherever and whenever they were made. */
#ifndef MUSTER_INTERFACE_H
#define MUSTER_INTERFACE_H

#define INTERFACE_ID_SIZE 16 /* hexadecimal digits */

extern const char interface_id[INTERFACE_ID_SIZE + 1];

#endif
