/* heap.c: wrappers of the allocator: object bounds, and no label survives in
 * memory that changed hands. Block contents are indeterminate, but a byte that
 * libc cleared might by chance equal an old label's value: so labels are cleared
 * when a block is given out and when it is given back.
 */
#include "drive_inside.h"
#include "node.h"

#include <malloc.h>
#include <string.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t m);
void *__real_realloc(void *p, size_t n);
void *__real_reallocarray(void *p, size_t n, size_t m);
void __real_free(void *p);
size_t __real_malloc_usable_size(void *p);
struct mallinfo __real_mallinfo(void);
struct mallinfo2 __real_mallinfo2(void);
void *__real_aligned_alloc(size_t align, size_t n);
void *__real_memalign(size_t align, size_t n);
void *__real_valloc(size_t n);
int __real_posix_memalign(void **p, size_t align, size_t n);

#define SURE (1ull << 26) /* no program counts on failure to get this much */

/* The block's size may be symbolic and stays so: the path does not depend on it
 * unless the program tests something. Whether there is a block at all it can test:
 * so a small size is bounded, and one that may be too large is given up. Where a function is
 * driven, every access is judged for all inputs of its path, and the block's size decides on that: it
 * is fixed, and the search asks for the other sizes. */
static void fix_outcome(const void *p, size_t n, label size)
{
	rt_check_size(size);
	if (p && n <= SURE && size && rt_at_most(size, SURE) && !RT_STATE->driven)
		return;
	if (p && n <= SURE && !RT_STATE->driven)
		rt_bound(rt_binary(MUSTER_OP_ULE, 64, size, 0, n, SURE));
	else
		rt_concrete(size, MUSTER_REASON_ALLOCATION);
}

/* That it does not wrap is a bound of its size. */
static label product(label a, label b, size_t n, size_t m)
{
	return rt_binary(MUSTER_OP_MUL, 64, a, b, n, m);
}

static int sized; /* the size of a block has a label that was not fixed */

/* Where blocks stand depends on the input from here on. Nothing is fixed for that: few programs look at addresses, and the engine finds out which (runtime/places.c). */
static void note_size(label size)
{
	if (!size || sized || RT_STATE->driven || !RT_ON())
		return;
	sized = 1;
	rt_event(MUSTER_EV_ALLOC, 0, size);
}

static void *given(void *p, size_t n, label size)
{
	fix_outcome(p, n, size);
	note_size(size);
	if (p) {
		rt_object_add(p, n);
		rt_forget(p, n);
		rt_sized_add(p, n, size);
	}
	return p;
}

RT_EXPORT void *__wrap_malloc(size_t n)
{
	label a[1];
	rt_enter(__wrap_malloc, a, 1);
	void *p = given(__real_malloc(n), n, a[0]);
	rt_return(__wrap_malloc, 0);
	return p;
}

RT_EXPORT void *__wrap_calloc(size_t n, size_t m)
{
	label a[2];
	rt_enter(__wrap_calloc, a, 2);
	void *p = given(__real_calloc(n, m), n * m, product(a[0], a[1], n, m));
	rt_return(__wrap_calloc, 0);
	return p;
}

/* C asks for a power of two, and until C17 for a size that is a multiple of it. libc takes others too, and gives memory; AddressSanitizer's allocator gives
 * none, so the san variant goes another path, and nothing looks at this one. */
static void look_at_alignment(size_t align, size_t n)
{
	if (!align || align & (align - 1) || n & (align - 1))
		rt_lost(MUSTER_LOST_ALIGNMENT);
}

RT_EXPORT void *__wrap_aligned_alloc(size_t align, size_t n)
{
	label a[2];
	rt_enter(__wrap_aligned_alloc, a, 2);
	rt_concrete(a[0], MUSTER_REASON_ALLOCATION);
	look_at_alignment(align, n);
	void *p = given(__real_aligned_alloc(align, n), n, a[1]);
	rt_return(__wrap_aligned_alloc, 0);
	return p;
}

RT_EXPORT void *__wrap_memalign(size_t align, size_t n)
{
	label a[2];
	rt_enter(__wrap_memalign, a, 2);
	rt_concrete(a[0], MUSTER_REASON_ALLOCATION);
	look_at_alignment(align, 0); /* any size will do */
	void *p = given(__real_memalign(align, n), n, a[1]);
	rt_return(__wrap_memalign, 0);
	return p;
}

RT_EXPORT void *__wrap_valloc(size_t n)
{
	label a[1];
	rt_enter(__wrap_valloc, a, 1);
	void *p = given(__real_valloc(n), n, a[0]);
	rt_return(__wrap_valloc, 0);
	return p;
}

RT_EXPORT int __wrap_posix_memalign(void **p, size_t align, size_t n)
{
	label a[3];
	rt_enter(__wrap_posix_memalign, a, 3);
	rt_concrete(a[0], MUSTER_REASON_STORE);
	rt_concrete(a[1], MUSTER_REASON_ALLOCATION);
	int r = __real_posix_memalign(p, align, n);
	if (r == 0) {
		rt_store(p, sizeof *p, 0);
		given(*p, n, a[2]);
	} else {
		rt_concrete(a[2], MUSTER_REASON_ALLOCATION);
	}
	rt_return(__wrap_posix_memalign, 0);
	return r;
}

/* The old block's labels are taken to the new place before libc may hand its
 * memory to another caller. */
static void *moved(void *old, void *p, size_t old_size, size_t n, label size)
{
	fix_outcome(p, n, size);
	note_size(size);
	if (old && n) /* no bytes would free it */
		rt_bound(rt_binary(MUSTER_OP_NE, 64, size, 0, n, 0));
	if (!p)
		return NULL;
	size_t common = old_size < n ? old_size : n;
	rt_given_back(old, old_size);
	if (p != old) {
		if (old) {
			rt_copy(p, old, common);
			rt_forget(old, old_size);
		}
	}
	if (n > common)
		rt_forget((char *)p + common, n - common);
	rt_object_add(p, n);
	rt_sized_add(p, n, size);
	return p;
}

/* An object that the driver made is not libc's. */
static int is_drivers(const void *p)
{
	return p && __muster_drive_size && __muster_drive_size(p);
}

/* How much is copied depends on its size, which is fixed by that. */
static void *driven_again(const void *fn, void *old, size_t n, label size)
{
	size_t had = __muster_drive_size(old);
	void *p = __real_malloc(n ? n : 1);
	rt_fix_size(old);
	if (p)
		memcpy(p, old, had < n ? had : n);
	moved(old, p, had, n, size);
	if (p)
		__muster_drive_free(old);
	rt_return(fn, 0);
	return p;
}

RT_EXPORT void *__wrap_realloc(void *old, size_t n)
{
	label a[2];
	rt_enter(__wrap_realloc, a, 2);
	rt_check_free(a[0], old);
	rt_access(a[0], old, 0, MUSTER_REASON_ADDRESS);
	if (is_drivers(old))
		return driven_again(__wrap_realloc, old, n, a[1]);
	size_t old_size = old ? malloc_usable_size(old) : 0;
	rt_before_move(old, old_size);
	void *p = __real_realloc(old, n);
	if (p || (old && n == 0))
		rt_object_remove(old);
	p = moved(old, p, old_size, n, a[1]);
	rt_return(__wrap_realloc, 0);
	return p;
}

RT_EXPORT void *__wrap_reallocarray(void *old, size_t n, size_t m)
{
	label a[3];
	rt_enter(__wrap_reallocarray, a, 3);
	rt_check_free(a[0], old);
	rt_access(a[0], old, 0, MUSTER_REASON_ADDRESS);
	size_t bytes;
	if (is_drivers(old) && !__builtin_mul_overflow(n, m, &bytes))
		return driven_again(__wrap_reallocarray, old, bytes, product(a[1], a[2], n, m));
	size_t old_size = old ? malloc_usable_size(old) : 0;
	rt_before_move(old, old_size);
	void *p = __real_reallocarray(old, n, m);
	if (p)
		rt_object_remove(old);
	p = moved(old, p, old_size, n * m, product(a[1], a[2], n, m));
	rt_return(__wrap_reallocarray, 0);
	return p;
}

RT_EXPORT void __wrap_free(void *p)
{
	label a[1];
	rt_enter(__wrap_free, a, 1);
	rt_check_free(a[0], p);
	rt_access(a[0], p, 0, MUSTER_REASON_ADDRESS);
	if (p && __muster_drive_free) {
		size_t n = __muster_drive_size(p);
		if (__muster_drive_free(p)) {
			rt_gone(p, n);
			rt_given_back(p, n);
			rt_forget(p, n);
			return;
		}
	}
	if (p) {
		uint64_t n = rt_object_remove(p);
		rt_forget(p, n);
		rt_given_back(p, n);
	}
	__real_free(p);
}

/* What the allocator says of its blocks depends on their sizes, by rules of its own. */
#define ANSWERS(X)                                                                            \
	X(malloc_usable_size, size_t, (void *p), 1, __real_malloc_usable_size(p))             \
	X(mallinfo, struct mallinfo, (void), 0, __real_mallinfo())                            \
	X(mallinfo2, struct mallinfo2, (void), 0, __real_mallinfo2())

#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#define X(name, type, parameters, count, call)                             \
	RT_EXPORT type __wrap_##name parameters                            \
	{                                                                  \
		label a[1] = {0};                                          \
		rt_enter(__wrap_##name, a, count);                         \
		rt_concrete(a[0], MUSTER_REASON_ADDRESS);                  \
		if (sized)                                                 \
			rt_lost(MUSTER_LOST_PLACE);                        \
		rt_return(__wrap_##name, 0);                               \
		return call;                                               \
	}
ANSWERS(X)
#undef X
