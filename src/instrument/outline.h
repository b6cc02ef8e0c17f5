/* outline.h: bodies that the user wants inlined are instrumented once. */
#ifndef MUSTER_INSTRUMENT_OUTLINE_H
#define MUSTER_INSTRUMENT_OUTLINE_H

#include "ir/unit.h"

/* Takes `always_inline` and `inline` from every function that is larger than a call of it and can be called. Call it before helpers are
 * linked in, which have to be inlined. With `calls` every function that can be called is: small ones too, and the optimiser inlines none
 * of them either, so that each call has a frame of its own. */
void outline_functions(LLVMModuleRef module, int calls);

#endif
