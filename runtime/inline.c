/* inline.c: the parts of the runtime that fast copies run, and small steps of calls.
 *
 * Compiled to bitcode, carried by muster and linked into each unit that it
 * instruments, where everything here is inlined: code that touches no label runs
 * the test and nothing else. No block has to be split to insert one.
 */
#include "hooks.h"

#define INLINE __attribute__((always_inline, used)) inline
#define COLD(x) __builtin_expect_with_probability((x) != 0, 0, 0.999)

typedef uint64_t two __attribute__((aligned(4), may_alias));
typedef uint32_t one __attribute__((may_alias));

/* Any cell of n bytes not zero? n is a constant after inlining; no loop, since nothing
 * promises that it would be unrolled. */
static inline __attribute__((always_inline)) uint64_t any(const void *p, uint32_t n)
{
	uint64_t s = MUSTER_SHADOW(p), seen = 0;
	const two *w = (const two *)s;
#define PAIR(i)                                                                                    \
	if (n >= 2 * (i) + 2)                                                                      \
		seen |= w[i];
	PAIR(0) PAIR(1) PAIR(2) PAIR(3) PAIR(4) PAIR(5) PAIR(6) PAIR(7)
#undef PAIR
	if (n & 1)
		seen |= ((const one *)s)[n - 1];
	return seen;
}

/* Did the page of this address ever hold a label? */
static inline __attribute__((always_inline)) uint32_t page_dirty(const void *p)
{
	return *(const volatile uint8_t *)(MUSTER_DIRTY_BASE + ((uint64_t)p >> 12));
}

static inline __attribute__((always_inline)) uint32_t pages(const void *p, uint64_t n)
{
	return n == 1 ? page_dirty(p) : page_dirty(p) | page_dirty((const char *)p + n - 1);
}

#define SEEN(n, n2)                                                                                \
	INLINE uint64_t __muster_i_seen##n2(const void *p)                                         \
	{                                                                                          \
		return pages(p, n) ? any(p, n) : 0;                                                \
	}
SEEN(1, 01)
SEEN(2, 02)
SEEN(4, 04)
SEEN(8, 08)
SEEN(16, 16)
SEEN(3, 03)
SEEN(5, 05)
SEEN(6, 06)
SEEN(7, 07)
SEEN(9, 09)
SEEN(10, 10)
SEEN(11, 11)
SEEN(12, 12)
SEEN(13, 13)
SEEN(14, 14)
SEEN(15, 15)

/* In all that follows `labels` is the word at MUSTER_ANY_LABEL: while it is zero there
 * is nothing to keep in step. */

/* A concrete store. */
INLINE void __muster_i_wipe(uint64_t labels, void *p, uint64_t n, uint64_t site)
{
	if (COLD(labels) && COLD(n > 4096 || pages(p, n)))
		__muster_wipe(p, n, site);
}

INLINE void __muster_i_copy(uint64_t labels, void *to, const void *from, uint64_t n, uint64_t site)
{
	if (COLD(labels) && n && COLD(n > 4096 || pages(to, n) | pages(from, n)))
		__muster_copy(to, from, n, site);
}

INLINE void __muster_i_fill(uint64_t labels, void *to, label byte, uint64_t n, uint64_t site)
{
	if (COLD(labels | byte) && n && COLD(n > 4096 || byte | pages(to, n)))
		__muster_fill(to, byte, n, site);
}

/* A fresh stack object: forget what its memory was labelled with, report its bounds. */
INLINE void __muster_i_frame(uint64_t labels, void *p, uint64_t size)
{
	if (COLD(labels) && size && COLD(size > 4096 || pages(p, size)))
		__muster_clear(p, size);
}

INLINE void __muster_i_object(void *p, uint64_t size)
{
	*(volatile uint32_t *)(MUSTER_OBJECT_BASE + ((uint64_t)p >> 4) * 4) = (uint32_t)size;
}

/* ----------------------------------------------------------------- calls */

INLINE uint32_t __muster_i_enter(const void *self)
{
	uint32_t own = __muster_tls.owner == (uint64_t)self;
	__muster_tls.owner = 0;
	return own;
}

INLINE label __muster_i_argument(uint32_t own, uint32_t index)
{
	return own ? __muster_tls.args[index] : 0;
}

INLINE void __muster_i_pass(uint32_t index, label a)
{
	__muster_tls.args[index] = a;
}

INLINE uint32_t __muster_i_labelled(uint32_t own)
{
	return own ? __muster_tls.any : 0;
}

INLINE void __muster_i_call(const void *callee, uint32_t any)
{
	__muster_tls.owner = (uint64_t)callee;
	__muster_tls.any = any;
}

INLINE void __muster_i_site(uint64_t site)
{
	__muster_tls.site = site;
}

INLINE void __muster_i_from(const void *callee, uint64_t site)
{
	__muster_tls.call_to = (uint64_t)callee;
	__muster_tls.call_site = site;
}

INLINE void __muster_i_place(label address)
{
	__muster_tls.place = address;
}

INLINE void __muster_i_return(uint32_t index, label a)
{
	__muster_tls.ret[index] = a;
}

INLINE void __muster_i_return_owner(const void *self)
{
	__muster_tls.ret_owner = (uint64_t)self;
}

INLINE label __muster_i_result(const void *callee, uint32_t index)
{
	return COLD(__muster_tls.ret[index]) ? __muster_result(callee, index) : 0;
}

INLINE uint64_t __muster_i_pending(const void *callee, uint32_t index)
{
	return __muster_tls.ret[index] && (__muster_tls.ret_owner == (uint64_t)callee || __muster_tls.tails);
}

/* A tail call that has to be one: its callee leaves the result, and nothing that is there now is one. */
INLINE void __muster_i_tail(void)
{
	__muster_tls.tails = 1;
#define CLEAR(i) __muster_tls.ret[i] = 0;
	CLEAR(0) CLEAR(1) CLEAR(2) CLEAR(3) CLEAR(4) CLEAR(5) CLEAR(6) CLEAR(7)
#undef CLEAR
}

INLINE void __muster_i_va_begin(void)
{
	__muster_tls.extra_count = 0;
}

/* Bytes of variable arguments on the stack. */
INLINE void __muster_i_va_size(uint32_t size)
{
	__muster_tls.extra_size = size;
}

INLINE void __muster_i_va_put(uint32_t offset, uint32_t size, label a)
{
	if (COLD(a))
		__muster_va_put(offset, size, a);
}

INLINE void __muster_i_va_enter(uint32_t own, struct rt_va_save *save)
{
	save->count = save->size = 0;
	if (COLD(own))
		__muster_va_enter(save);
}

/* Does this pointer point at an instrumented function? */
INLINE uint32_t __muster_i_known(const void *fn)
{
	return *((const uint64_t *)fn - 1) == MUSTER_FUNCTION_MAGIC;
}
