/* activation_mark.c: what a summary of an activation would miss: marks, and which functions outside of the program set one. */
#include "activation_inside.h"

#include <string.h>

#ifdef RT_ACTIVATIONS

void activation_mark_some(enum muster_mark what, uint32_t count)
{
	uint32_t from = count && count < rt_now ? rt_now - count + 1 : 1;
	int fresh = 0;

	activation_frees++; /* code that is not known may unmap something */
	if (!rt_now || !RT_ON())
		return;
	for (uint32_t i = from; i <= rt_now; i++) {
		fresh |= !(activation_open[i].marks & 1u << what);
		activation_open[i].marks |= 1u << what;
	}
	if (fresh)
		rt_event_whole(MUSTER_EV_MARK, what, count < 0xffff ? count : 0, __muster_tls.site, 0);
}

void activation_mark(enum muster_mark what)
{
	activation_mark_some(what, 0);
}

/* Wrappers that report all they read and write, or whose results and effects depend on nothing else. */
#define SEEN(X)                                                                                                            \
	X(__wrap_memcpy) X(__wrap_memmove) X(__wrap_mempcpy) X(__wrap___mempcpy) X(__wrap_bcopy) X(__wrap_memset) X(__wrap_bzero)  \
	X(__wrap_explicit_bzero) X(__wrap___memcpy_chk) X(__wrap___memmove_chk) X(__wrap___mempcpy_chk) X(__wrap___memset_chk)      \
	X(__wrap___explicit_bzero_chk) X(__wrap_malloc) X(__wrap_calloc) X(__wrap_realloc) X(__wrap_reallocarray) X(__wrap_free)    \
	X(__wrap_aligned_alloc) X(__wrap_memalign) X(__wrap_valloc) X(__wrap_posix_memalign) X(__wrap_klee_assume)                 \
	X(__wrap_muster_assume) X(__wrap___VERIFIER_assume) X(__wrap_muster_assert_holds) X(__wrap_muster_refine_holds)            \
	X(__wrap_muster_contract_holds)                                                                                            \
	X(__wrap___VERIFIER_assert) X(__wrap_exit) X(__wrap__exit) X(rt_string_fits)

#define X(name) extern char name[] __attribute__((weak));
SEEN(X)
#undef X

void activation_entered(const void *wrapper)
{
	static const char *const seen[] = {
#define X(name) name,
	    SEEN(X)
#undef X
	};
	for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
		if (seen[i] && wrapper == (const void *)seen[i])
			return;
	activation_mark_some(MUSTER_MARK_LIBC, 0);
}

/* Functions without a body that read and write nothing of the program's, if what they return is not used. A result with a star is always the same. */
void activation_extern(const struct rt_extern *what)
{
	static const char *const quiet[] = {
	    "printf", "fprintf", "dprintf", "vprintf", "vfprintf", "vdprintf", "__printf_chk", "__fprintf_chk", "__vprintf_chk", "__vfprintf_chk", "__dprintf_chk",
	    "puts", "fputs", "fputs_unlocked", "putchar", "putc", "fputc", "_IO_putc", "putchar_unlocked", "putc_unlocked", "fputc_unlocked", "fwrite",
	    "fwrite_unlocked", "perror", "fflush", "exit", "_exit", "abort", "__assert_fail", "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk",
	    "__stack_chk_fail", "*__errno_location", "*__ctype_b_loc", "*__ctype_tolower_loc", "*__ctype_toupper_loc"};
	for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++) {
		int same = quiet[i][0] == '*';
		if (!strcmp(quiet[i] + same, what->name) && (same || !(what->used & 1)))
			return;
	}
	activation_mark_some(MUSTER_MARK_EXTERN, 0);
}

#endif
