/* muster.h: what a program may say to muster. Harmless everywhere else: under any
 * compiler, without muster, the calls do nothing and the macros are empty.
 *
 *	int n = read_config();
 *	muster_symbolic(&n, sizeof n, "n");   // from here on n is input
 *
 * In a run under muster the object takes its bytes from the input, in the order of
 * the calls. Where the input has no bytes for it, what stands in memory is the
 * seed value, so the program does what it would have done.
 */
#ifndef MUSTER_MUSTER_H
#define MUSTER_MUSTER_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && defined(__ELF__)
/* Weak and undefined: a null pointer unless muster's runtime is linked in. */
void muster_symbolic(void *object, unsigned long size, const char *name) __attribute__((weak));
void muster_assume(int condition) __attribute__((weak));
#ifdef MUSTER_LINKED /* by muster test: they are there, and the question would be a branch */
#define muster_symbolic(object, size, name) muster_symbolic((object), (size), (name))
#define muster_assume(condition) muster_assume((condition) != 0)
#else
#define muster_symbolic(object, size, name)                                                        \
	(muster_symbolic ? muster_symbolic((object), (size), (name)) : (void)0)
#define muster_assume(condition) (muster_assume ? muster_assume((condition) != 0) : (void)0)
#endif
#else
#define muster_symbolic(object, size, name) ((void)0)
#define muster_assume(condition) ((void)0)
#endif

/* On a parameter: what callers must see to, for `muster test`:
 *	int sum(const int *a, MUSTER_REQUIRES("n <= len(a)") int n);
 */
#ifdef __clang__
#define MUSTER_REQUIRES(expression) __attribute__((annotate("muster.requires:" expression)))
#else
#define MUSTER_REQUIRES(expression)
#endif

#ifdef __cplusplus
}
#endif

#endif
