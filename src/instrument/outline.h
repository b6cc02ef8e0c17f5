/* outline.h: bodies that the user wants inlined are instrumented once. */
#ifndef MUSTER_INSTRUMENT_OUTLINE_H
#define MUSTER_INSTRUMENT_OUTLINE_H

#include "ir/unit.h"

/* Takes `always_inline` and `inline` from every function that is larger than a call of it and can be called. Call it before helpers are
 * linked in, which have to be inlined. */
void outline_functions(LLVMModuleRef module);

#endif
