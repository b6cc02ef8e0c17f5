/* library.c: bodies of the C library for analyses of bitcode; linked into no target, but kept inside the tool (src/build/library.c).
 *
 * They are those of runtime/libc, without the skipping that only labels need, and only functions that read memory and compute: nothing here allocates, writes or knows a locale.
 */
#define MUSTER_NATIVE_BODIES
#include "libc/libc.h"

#define rt_skip_string(s, c, max) ((void)(c), (size_t)0)
#define rt_skip_bytes(p, c, max) ((void)(c), (size_t)0)
#define rt_skip_equal(a, b, max) ((size_t)0)
#define rt_skip_equal_string(a, b, max) ((size_t)0)

#include "libc/memory.c"
#include "libc/string.c"
