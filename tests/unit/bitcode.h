/* bitcode.h: C text to bitcode, as a unit of a target is compiled. */
#ifndef TESTS_BITCODE_H
#define TESTS_BITCODE_H

#include "base/buf.h"
#include "base/error.h"
#include "base/proc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* extra: further arguments with blanks between them, or NULL. */
static inline void compile_with(const char *text, const char *extra, struct buf *out)
{
	char *argv[] = {"clang-19",
			"-g",
			"-O1",
			"-Xclang",
			"-disable-llvm-passes",
			"-fno-discard-value-names",
			"-w",
			"-emit-llvm",
			"-c",
			"-x",
			"c",
			"-",
			"-o",
			"-",
			NULL,
			NULL,
			NULL,
			NULL,
			NULL};
	char words[256] = "", *rest = words;
	size_t at = 0;
	struct proc_opts o = {.input = text, .input_size = strlen(text), .capture_out = 1};
	struct proc_result r = {0};

	while (argv[at])
		at++;
	snprintf(words, sizeof words, "%s", extra ? extra : "");
	while (at + 1 < sizeof argv / sizeof *argv && (argv[at] = strtok_r(rest, " ", &rest)))
		at++;
	if (proc_run(argv, &o, &r))
		fail_msg("clang-19: %s", error_text());
	assert_int_equal(r.status, 0);
	buf_add(out, r.out.data, r.out.size);
	proc_release(&r);
}

static inline void compile(const char *text, struct buf *out)
{
	compile_with(text, NULL, out);
}

#endif
