/* cov_program.h: small programs as their cov variant has them, made in the test. */
#ifndef TESTS_COV_PROGRAM_H
#define TESTS_COV_PROGRAM_H

#include "bitcode.h"
#include "base/file.h"
#include "instrument/instrument.h"

#include <stdlib.h>

#define PROGRAM 0x1234abcd
#define DRIVER 0x5678abcd

static inline char *make_object(const char *text, uint32_t unit)
{
	struct instrument_options options = {.verify = 1};
	struct buf bitcode = {0}, object = {0};
	char *path = file_temp("unit.o");

	compile_with(text, "-Iruntime", &bitcode); /* the driver has a header there */
	if (instrument_unit(bitcode.data, bitcode.size, unit, INSTRUMENT_COV, &options, &object))
		fail_msg("%s", error_text());
	assert_int_equal(file_write_atomic(path, object.data, object.size), 0);
	buf_release(&bitcode);
	buf_release(&object);
	return path;
}

/* harness: with the driver, instrumented as it is in a variant. */
static inline char *make_program(const char *text, int harness)
{
	char *path = file_temp("program"), *object = make_object(text, PROGRAM), *driver = NULL;
	struct buf source = BUF_EMPTY;
	struct proc_result r = {0};

	if (harness) {
		assert_int_equal(file_read("runtime/driver.c", &source), 0);
		driver = make_object(buf_str(&source), DRIVER);
		buf_release(&source);
	}
	char *argv[] = {"clang-19",	   "-D_GNU_SOURCE",	   "-O1",	       "-w",
			"-Iinclude",	   "-Iruntime",		   "-fPIC",	       "-ftls-model=initial-exec",
			object,		   "runtime/light.c",	   "runtime/forkserver.c", "runtime/rt_null.c",
			"runtime/cov.c",   "runtime/loop.c",	   "-o",	       path,
			driver,		   NULL};

	if (proc_run(argv, NULL, &r) || r.status)
		fail_msg("cannot link: %d %s", r.status, error_text());
	proc_release(&r);
	free(object);
	free(driver);
	return path;
}

#endif
