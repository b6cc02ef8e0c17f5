/* san_options.h: how the sanitizers of the san variant are set to behave, wherever it is run.
 *
 * Reports without symbols: report.h says why. A finding ends the program, by SIGABRT, but for those that the variant is built to
 * survive (unsigned wrap and conversions, which are defined). A failed
 * allocation is an answer, not a bug. What lies beside a block is poisoned so far that the next element of a usual struct is, too: which
 * block would lie there is chance. */
#ifndef MUSTER_CHECK_SAN_OPTIONS_H
#define MUSTER_CHECK_SAN_OPTIONS_H

#define SAN_ASAN_OPTIONS                                                                           \
	"abort_on_error=1:halt_on_error=1:handle_abort=1:handle_sigfpe=1:handle_sigill=1:"         \
	"handle_sigbus=1:handle_sigtrap=1:detect_leaks=0:symbolize=0:allocator_may_return_null=1:" \
	"redzone=512:color=never:print_legend=0:dump_registers=0:detect_odr_violation=0:print_module_map=0"
#define SAN_UBSAN_OPTIONS                                                                        \
	"abort_on_error=1:halt_on_error=0:print_stacktrace=1:report_error_type=1:symbolize=0:" \
	"color=never"

#endif
