/* emit.h: from an instrumented module to an object in memory. */
#ifndef MUSTER_INSTRUMENT_EMIT_H
#define MUSTER_INSTRUMENT_EMIT_H

#include "instrument/instrument.h"
#include "ir/unit.h"

struct buf;

/* Links the definitions of a helper module (bitcode) into the unit as internal ones. */
int emit_link_helpers(struct unit *u, const void *bitcode, size_t size);

/* Makes a function of the module its first constructor. */
void emit_constructor(LLVMModuleRef module, LLVMValueRef function);

/* Optimises and writes the object, appended to *object. -1 with words. */
int emit_object(struct unit *u, const struct instrument_options *options, struct buf *object);

#endif
