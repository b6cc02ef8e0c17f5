#!/bin/sh
# hostile.sh: --time S holds, whatever the target does: a dozen targets that sleep, spin, fork, stop themselves, fill memory and pipes,
# in fuzz, test and trace. Each command must be over at S + 10 % + 1 s by the clock, with an honest status, and leave no process behind.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
build=${MUSTER_BUILD:-$here/build}
PATH=$build:$PATH
export PATH
dir=$(mktemp -d "${TMPDIR:-/tmp}/muster-time.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
MUSTER_DIR=$dir/.muster
export MUSTER_DIR
failed=0

within() { "$here/tests/time/within" "$@" || failed=1; }

# NAME: its main is on standard input; `act` is what it does when it has read its input.
target() {
	{
		cat <<'END'
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
END
		cat
		cat <<'END'
#ifndef MAIN
int f(int x)
{
	if (x == 3)
		return 1;
	act();
	return x;
}
#else
int main(void)
{
	char c = 0;
	if (read(0, &c, 1) == 1 && c == 'q')
		return 1;
	act();
	return 0;
}
#endif
END
	} >"$1.c"
}

target sleep <<'END'
static void act(void) { sleep(1000); }
END
target spin <<'END'
static void act(void) { volatile unsigned n = 0; for (;;) n++; }
END
target deaf <<'END'
static void act(void)
{
	sigset_t all;
	for (int i = 1; i < 65; i++) signal(i, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (;;) sleep(1);
}
END
target children <<'END'
static void act(void)
{
	for (int i = 0; i < 5; i++)
		if (!fork()) { setsid(); for (volatile unsigned n = 0;; n++) if (i) pause(); }
	while (wait(NULL) > 0) ;
}
END
target alarm <<'END'
static void act(void)
{
	sigset_t s;
	sigemptyset(&s);
	sigaddset(&s, SIGALRM);
	sigprocmask(SIG_BLOCK, &s, NULL);
	alarm(1);
	for (;;) pause();
}
END
target pipe <<'END'
static void act(void) { int p[2]; char c; if (!pipe(p)) (void)!read(p[0], &c, 1); }
END
target memory <<'END'
static void act(void) { for (;;) { char *p = malloc(1 << 22); if (p) memset(p, 1, 1 << 22); } }
END
target flood <<'END'
static void act(void) { for (;;) puts("a line that is written again and again, to the end of time"); }
END
target recursion <<'END'
static int deep(volatile int *n) { volatile int here = *n; return deep(n) + here; }
static void act(void) { volatile int n = 1; deep(&n); }
END
target early <<'END'
static void act(void) {}
__attribute__((constructor)) static void slow(void) { for (volatile unsigned long n = 0; n < 20000000000ul; n++) ; }
END
target stop <<'END'
static void act(void) { for (;;) { raise(SIGSTOP); usleep(1000); } }
END
target fgets <<'END'
static void act(void)
{
	char text[64], *p;
	size_t n;
	while (fgets(text, sizeof text, stdin) || !feof(stdin)) {
		n = strtoul(text, NULL, 10);
		p = malloc(n * sizeof(int));
		for (size_t i = 0; p && i < n; i++) ((volatile int *)p)[i] = 0;
	}
	for (;;) getchar();
}
END

for t in sleep spin deaf children alarm pipe memory flood recursion early stop fgets; do
	muster cc -w -g -DMAIN $t.c -o $t || exit 1
	muster trace --variant-only -- ./$t >/dev/null || exit 1 # of trace it is the time of a run
	within "trace --time 1 $t" 2.1 muster trace --summary --time 1 -- ./$t
	within "fuzz --time 1.5 $t" 2.65 muster fuzz -q --json --time 1.5 -o out-$t -- ./$t
	within "test --time 1.5 $t" 2.65 muster test -q --json --time 1.5 $t.c:f
done
exit $failed
