/* options.c: how muster's own sanitizers behave in the build of `make asan`.
 *
 * In the program and not in the environment, which targets would inherit: those of muster have sanitizers too. Reports
 * go to files, since exit codes and standard error of muster's processes are read by tests for other things. What is
 * allocated for as long as the process lives is no leak, and muster frees little of that. */
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

#define COMMON "log_path=" REPORTS ":exitcode=99:print_stacktrace=1"

const char *__asan_default_options(void)
{
	return COMMON ":detect_leaks=0:quarantine_size_mb=16:detect_stack_use_after_return=0";
}

const char *__ubsan_default_options(void)
{
	return COMMON;
}
