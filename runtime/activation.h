/* activation.h: what the parts of the runtime report about activations of functions that the engine named (summary mode).
 *
 * Only the calls variant has this: its runtime is compiled with RT_ACTIVATIONS. In all others the functions here are nothing, and their code is what it
 * would be without. */
#ifndef MUSTER_RT_ACTIVATION_H
#define MUSTER_RT_ACTIVATION_H

#include "hooks.h"
#include "node.h"

#ifdef RT_ACTIVATIONS
/* object.c: the variable that begins there, or NULL. */
RT_HIDDEN const struct rt_global *rt_global_at(uint64_t base);
extern RT_HIDDEN uint32_t rt_now;    /* activations that are open; 0: none, and nothing of this is to be done */
extern RT_HIDDEN uint32_t rt_closed; /* those that were closed before their calls end, since they are too large: their leaves are still about */
/* n bytes are about to be read, through an address with this label (0: none). */
RT_HIDDEN void activation_read(const void *p, uint64_t n, label address, uint64_t site);
/* The same of bytes that are copied, after an access to them if the pointer has a label. */
RT_HIDDEN void activation_copied(const void *p, uint64_t n, uint64_t site);
/* The same of a whole object, right after a part of it was read at an address that another input may change. */
RT_HIDDEN void activation_table(const void *p, uint64_t n, uint64_t site);
/* The same of a block that realloc is about to give back. */
RT_HIDDEN void activation_moves(const void *p, uint64_t n);
/* Cells of n bytes are about to change because the memory is written. */
RT_HIDDEN void activation_wrote(const void *p, uint64_t n);
/* The n bytes that were written just now have a value each. */
RT_HIDDEN void activation_wrote_bytes(uint64_t n);
/* An address without the pointers among the leaves that it was made from: they are where they are. */
RT_HIDDEN label activation_address(label address, uint64_t p);
RT_HIDDEN void activation_mark(enum muster_mark what);
RT_HIDDEN void activation_entered(const void *wrapper); /* a function of libc that has a wrapper */
RT_HIDDEN void activation_extern(const struct rt_extern *what);
RT_HIDDEN void activation_born(uint64_t base, uint64_t size);
RT_HIDDEN void activation_died(uint64_t base, uint64_t size);
/* calls.c: begin and end. What begins has a number, 0 if there is no room. labels: of the arguments, then those of their leaves. */
/* Is only what may become a summary asked for? */
static inline int activation_few(void)
{
	return RT_ON() && RT_STATE->header->flags & MUSTER_FLAG_FEW;
}
/* Is this call to be one? Asked once for a call. */
RT_HIDDEN int activation_is_wanted(const struct rt_function *f);
RT_HIDDEN uint32_t activation_begin(const struct rt_function *f, uint64_t frame, const uint64_t *values, label *labels);
RT_HIDDEN void activation_writes(void); /* of the innermost, as events */
/* What a value of the innermost is for its caller. */
RT_HIDDEN label activation_outside(label a);
/* Part of the result as the caller is to see it: a leaf where the engine asked for outputs, else what it is bound to. */
RT_HIDDEN label activation_output(label bound, unsigned width, uint64_t value, unsigned part);
RT_HIDDEN void activation_end(void);
/* If the innermost is too large for a summary, and that is what is asked for, it is closed: what its call does from here on is its caller's. */
RT_HIDDEN void activation_settle(void);
/* Is this the innermost that is open? If not, it was closed before its call; activation_gone: that is over now. */
RT_HIDDEN int activation_is_open(uint32_t number);
RT_HIDDEN void activation_gone(void);
/* rebind.c: a with the leaves of activation number `number`, whose nodes begin at `first`, and of those inside it that are over, replaced by what they are bound to; outer(): is it an activation that
 * is open around it? A part that is too large stays as it is, which means the same. */
RT_HIDDEN label rt_rebind(label a, uint32_t number, label first, int (*outer)(uint32_t number));
/* A label of a register: none, if it is a leaf that nobody needs any more. */
#define ACTIVATION_PRESENT(a) (RT_UNLIKELY(rt_closed) && (a) && rt_node(a)->flags & MUSTER_NODE_GONE ? 0 : (a))
#define ACTIVATION_READ(p, n, address, site)            \
	do {                                            \
		if (RT_UNLIKELY(rt_now))               \
			activation_read(p, n, address, site); \
	} while (0)
#define ACTIVATION_WROTE(p, n)                  \
	do {                                    \
		if (RT_UNLIKELY(rt_now))       \
			activation_wrote(p, n); \
	} while (0)
#define ACTIVATION_ADDRESS(a, p) (RT_UNLIKELY(rt_now | rt_closed) ? activation_address(a, (uint64_t)(p)) : (a))
#define ACTIVATION_DO(call)      \
	do {                     \
		if (RT_UNLIKELY(rt_now)) \
			call;    \
	} while (0)
#else
#define ACTIVATION_READ(p, n, address, site) ((void)0)
#define ACTIVATION_WROTE(p, n) ((void)0)
#define ACTIVATION_ADDRESS(a, p) (a)
#define ACTIVATION_PRESENT(a) (a)
#define ACTIVATION_DO(call) ((void)0)
#endif

#endif
