/* wide_switch.h: switches on more than 64 bits, brought into a form that the rest can follow. */
#ifndef MUSTER_IR_WIDE_SWITCH_H
#define MUSTER_IR_WIDE_SWITCH_H

#include <llvm-c/Core.h>

/* Every switch of the module on an integer of more than 64 bits becomes one on the number of its case. */
void wide_switch_narrow(LLVMModuleRef module);

#endif
