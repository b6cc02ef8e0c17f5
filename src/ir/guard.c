/* guard.c: a fatal error in LLVM becomes a return value.
 *
 * LLVM calls the installed handler from the depth of its own stack and exits when
 * the handler returns, so the handler leaves with longjmp. No lock of LLVM is held
 * at that point; what its frames had allocated is lost, once for each such error.
 * Invariant: `innermost` points to the jump buffer of the guard_call that is
 * running, NULL outside of any, and then the handler lets LLVM have its way.
 */
#include "ir/guard.h"

#include "base/error.h"

#include <llvm-c/ErrorHandling.h>

#include <setjmp.h>
#include <stdio.h>

static jmp_buf *innermost;
static char reason[512];

static void on_fatal(const char *text)
{
	if (!innermost)
		return;
	snprintf(reason, sizeof reason, "%s", text ? text : "no reason given");
	longjmp(*innermost, 1);
}

int guard_call(int (*f)(void *ctx), void *ctx, int *fatal)
{
	static int installed;
	jmp_buf here;
	jmp_buf *volatile outer = innermost;
	int result;

	if (!installed) {
		LLVMInstallFatalErrorHandler(on_fatal);
		installed = 1;
	}
	if (setjmp(here)) {
		innermost = outer;
		if (fatal)
			*fatal = 1;
		return error_set("LLVM gave up: %s", reason);
	}
	innermost = &here;
	result = f(ctx);
	innermost = outer;
	return result;
}
