/* library.h: bodies of functions of the C library in a program's bitcode, for analyses that follow calls. */
#ifndef MUSTER_BUILD_LIBRARY_H
#define MUSTER_BUILD_LIBRARY_H

#include "base/buf.h"

#define LIBRARY_PREFIX "muster." /* of their names, which no function of C can have */

/* Adds the bodies to a unit that declares one of these functions, and has its calls of these functions go to them. A function that the unit defines, or declares as something else, is its own; one whose address
 * is taken stays outside, too. -1 with words. */
int library_add(struct buf *bitcode);

#endif
