/* places.h: calls that report what a program does with the addresses of heap blocks (runtime/places.c). */
#ifndef MUSTER_INSTRUMENT_PLACES_H
#define MUSTER_INSTRUMENT_PLACES_H

#include <llvm-c/Core.h>

/* The unit is as the front end left it, with names of values. */
void places_watch(LLVMModuleRef module);

#endif
