/* cc.h: the compiler wrapper. */
#ifndef MUSTER_CC_H
#define MUSTER_CC_H

/* Does what clang-19 does with these arguments, and leaves records in the objects
 * and linked files it makes. Returns clang's exit status. */
int cc_run(int argc, char **argv);
/* The same for proc_opts.call (base/proc.h), with an argv that ends in NULL; ctx is not looked at. */
int cc_call(char *const argv[], const void *ctx);

#endif
