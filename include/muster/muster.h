/* muster.h: what a program may say to muster. Harmless everywhere else: under any
 * compiler, without muster, the calls do nothing and the macros are empty.
 *
 *	int n = read_config();
 *	muster_symbolic(&n, sizeof n, "n");   // from here on n is input
 *	muster_assume(n >= 0);                // no run where it does not hold is of interest
 *	muster_assert(next(n) > n);           // a defect where it does not hold: ends the run by abort
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
void muster_assert_holds(int holds, const char *text, const char *file, int line) __attribute__((weak));
#ifdef MUSTER_LINKED /* by muster test: they are there, and the question would be a branch */
#define muster_symbolic(object, size, name) muster_symbolic((object), (size), (name))
#define muster_assume(condition) muster_assume((condition) != 0)
#define muster_assert(condition) muster_assert_holds((condition) != 0, #condition, __FILE__, __LINE__)
#else
#define muster_symbolic(object, size, name)                                                        \
	(muster_symbolic ? muster_symbolic((object), (size), (name)) : (void)0)
#define muster_assume(condition) (muster_assume ? muster_assume((condition) != 0) : (void)0)
#define muster_assert(condition)                                                                   \
	(muster_assert_holds ? muster_assert_holds((condition) != 0, #condition, __FILE__, __LINE__) : (void)0)
#endif
#else
#define muster_symbolic(object, size, name) ((void)0)
#define muster_assume(condition) ((void)0)
#define muster_assert(condition) ((void)0)
#endif

/* On a parameter: what callers must see to, for `muster test`:
 *	int sum(const int *a, MUSTER_REQUIRES("n <= len(a)") int n);
 */
#ifdef __clang__
#define MUSTER_REQUIRES(expression) __attribute__((annotate("muster.requires:" expression)))
#else
#define MUSTER_REQUIRES(expression)
#endif

/* Refinement types (docs/refinement-types.md): which values a declaration may have, in C over its own name and the
 * names beside it. `muster check` proves or refuses what it can; muster cc makes the rest checks of every run.
 *	int area(int w MUSTER_REFINE("w > 0"), int h MUSTER_REFINE("h > 0"));
 *	MUSTER_REFINE("result >= 0") int size(void);           // of what it returns
 *	struct ring { unsigned cap, used MUSTER_REFINE("used <= cap"); };
 *	typedef int uint8 MUSTER_REFINE("uint8 >= 0 && uint8 <= 255");
 * In the string no macro is expanded; MUSTER_REFINED(w < LIMIT) expands them. At file scope, an operator's signature:
 *	MUSTER_OPERATOR(int, "a / b", "b != 0");
 *	MUSTER_OPERATOR_RESULT(int, "a % b", "a >= 0 && b > 0", "result < b");
 */
#ifdef __clang__
#define MUSTER_REFINE(expression) __attribute__((annotate("muster.refine:" expression)))
#define MUSTER_SIGNATURE_(text) __attribute__((annotate("muster.operator:" text)))
#else
#define MUSTER_REFINE(expression)
#define MUSTER_SIGNATURE_(text)
#endif
#define MUSTER_TEXT_(...) #__VA_ARGS__
#define MUSTER_REFINED(...) MUSTER_REFINE(MUSTER_TEXT_(__VA_ARGS__))
#define MUSTER_JOIN_(a, b) a##b
#define MUSTER_NAME_(a, b) MUSTER_JOIN_(a, b)
#define MUSTER_OPERATOR(type, form, operands) MUSTER_OPERATOR_RESULT(type, form, operands, "")
#define MUSTER_OPERATOR_RESULT(type, form, operands, result)                                       \
	typedef type MUSTER_NAME_(muster_operator_, __COUNTER__)                                   \
	    MUSTER_SIGNATURE_(form "\n" operands "\n" result)

#ifdef __cplusplus
}
#endif

#endif
