/* position.h: where in the source a call says that it is.
 *
 * `assert`, and messages of programs, pass `__FILE__` and `__LINE__` to functions that print them. As constants of the code they would make a function another one
 * whenever a line is inserted above it, or the file has another name. Versions are compared without them.
 */
#ifndef MUSTER_IR_POSITION_H
#define MUSTER_IR_POSITION_H

#include "base/map.h"

#include <llvm-c/Core.h>

/* Where a call passes the name of its file and beside it the number of its line, both of which only functions outside of the program get to see, from which nothing comes back, they become
 * "" and 0. No instruction is added or removed; the module still has its debug info. For analyses and comparisons, not for the program itself.
 * elsewhere: names of functions that other files of the program define, whatever the module has of them; NULL: none is known. relied gets the names for which it mattered that no other file defines
 * them, with 1 if the module itself does. */
void position_forget(LLVMModuleRef module, const struct strmap *elsewhere, struct strmap *relied);

#endif
