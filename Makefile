# make          build build/muster, build/muster-cc and the runtime
# make demo     install what is missing, build, and show the tool at work
# make check    the same, and run all tests (tests/check.mk); check-time: those of time; check-fresh: in a new Debian 12; check-shrunk: with tiny limits
# make bench    measure speed against native code; bench-coverage, -mutants, -solve, -divergence, -growth: muster fuzz
# make deps     install the Debian packages muster needs
# make install  to $(DESTDIR)$(PREFIX), with completions and manual pages; make deb: a Debian package
#
# Sources are found by pattern: a new src/DIR/NAME.c, runtime/NAME.c, runtime/libc/NAME.c or
# tests/unit/test_NAME.c needs no line here.
#
# What tests and benches build lies in a cache of its own, not in the user's.
export MUSTER_CACHE ?= $(abspath $(or $(B),build))/cache
export MUSTER_CACHE_SIZE ?= 512M

PREFIX ?= /usr/local
CLANG = clang-19
ifeq ($(origin CC),default)
CC = $(CLANG)
endif
CFLAGS ?= -O2 -g
B = build

warnings = -Wall -Wextra
flags = -std=gnu11 -D_GNU_SOURCE -Isrc -Iinclude -I/usr/lib/llvm-19/include $(warnings) -MMD -MP
libs = -L/usr/lib/llvm-19/lib -Wl,--as-needed -lLLVM-19 -lzstd -lcadical -lz3 -lppl_c -lppl -lgmpxx -lgmp -lsqlite3 -lstdc++ -lm -lpthread

mains = src/cmd/main.c src/cmd/main_cc.c src/run/keeper_main.c src/solve/solver_main.c src/diff/caller_main.c src/diff/caller_many.c src/diff/caller_world.c
sources = $(filter-out $(mains),$(sort $(wildcard src/*/*.c)))
objects = $(sources:%.c=$(B)/%.o) $(B)/src/instrument/inline_bc.o $(B)/src/build/library_bc.o
tests = $(patsubst tests/unit/%.c,$(B)/tests/%,$(sort $(wildcard tests/unit/test_*.c)))

# The runtime has three kinds of source. Bodies of libc functions go through the same instrumentation
# as targets; wrappers are only marked, so that instrumented callers know them; the rest is plain.
runtime_light = runtime/light.c runtime/cov.c runtime/loop.c runtime/path.c runtime/rt_null.c runtime/fill.c runtime/places.c
# The driver of functions (muster test) is an archive of its own: only programs with a table take it.
runtime_drive = $(patsubst %,runtime/%.c,drive drive_build drive_batch)
# What the san variant and ordinary builds get.
runtime_native = $(patsubst %,runtime/%.c,native probe probe_format probe_list)
# What the san variant has alone.
runtime_san = runtime/compare.c
runtime_separate = runtime/inline.c runtime/library.c runtime/driver.c runtime/report.c runtime/noskip.c $(runtime_native) $(runtime_san) $(runtime_light) $(runtime_drive)
# Wrappers are known by what they call. runtime_labels is what only the trace variant has.
runtime_labels = $(patsubst %,runtime/%.c,core node memory object table hooks extern check sized pin pair scatter drive_trace entry unseen calls rebind) $(wildcard runtime/activation*.c)
runtime_wrappers = $(filter-out $(runtime_separate) $(runtime_labels),\
	$(sort $(shell grep -lE "rt_enter|__wrap_" runtime/*.c)))
# What only the calls variant has, and what is compiled for it once more, with activations.
runtime_activations = runtime/rebind.c $(sort $(wildcard runtime/activation*.c))
runtime_core = $(filter-out $(runtime_separate) $(runtime_wrappers) $(runtime_activations),$(sort $(wildcard runtime/*.c)))
runtime_core_calls = $(runtime_activations) $(patsubst %,runtime/%.c,calls core memory node table object extern check pin pair scatter)
runtime_bodies = $(sort $(wildcard runtime/libc/*.c))
runtime_objects = $(patsubst runtime/%.c,$(B)/runtime/%.o,$(runtime_core) $(runtime_wrappers) \
	$(runtime_bodies))
runtime_flags = -std=gnu11 -D_GNU_SOURCE -Iinclude -Iruntime $(warnings) -fPIC \
	-ftls-model=initial-exec -fno-stack-protector -U_FORTIFY_SOURCE -MMD -MP
# As units of a target are compiled: the front end alone, and no call made of a loop.
unit_flags = $(runtime_flags) -g -O1 -Xclang -disable-llvm-passes -fno-discard-value-names \
	-fno-builtin -emit-llvm

runtime_files = $(B)/runtime/libmuster_rt.a $(B)/runtime/libmuster_rt_all.a $(B)/runtime/libmuster_rt_calls.a $(B)/runtime/libmuster_cov.a $(B)/runtime/libmuster_fill.a $(B)/runtime/libmuster_path.a \
	$(B)/runtime/driver.o $(B)/runtime/libmuster_driver.a $(B)/runtime/libmuster_native.a $(B)/runtime/libmuster_san.a $(B)/runtime/libmuster_drive.a \
	$(B)/runtime/wraps $(B)/runtime/wraps_path $(B)/runtime/wraps_cov $(B)/runtime/wraps_san \
	$(B)/runtime/include

all: $(B)/muster $(B)/muster-cc $(B)/muster-keeper $(B)/muster-solver $(B)/muster-caller runtime
runtime: $(runtime_files)

# What muster, its keeper and the runtime must agree on, by content: src/base/interface.h.
interface := $(shell cat $(sort $(wildcard include/muster/*.h runtime/*.h)) runtime/inline.c src/run/keeper.h | sha256sum | cut -c 1-16)
interface_stamp = $(B)/interface
# Written while the Makefile is read: no rule, since missing files of rules are no reason to make anything here (.SECONDARY).
ifneq ($(shell cat $(interface_stamp) 2>/dev/null),$(interface))
$(shell mkdir -p $(B) && rm -rf $(B)/interface-* && echo $(interface) >$(interface_stamp))
endif
runtime_files += $(B)/runtime/interface
runtime: $(B)/runtime/interface

# ------------------------------------------------------------------- the tool
$(B)/muster: $(B)/src/cmd/main.o $(B)/libmuster.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(libs)

# The same objects without LLVM, whose start costs more than the wrapper's whole work.
$(B)/muster-cc: $(B)/src/cmd/main_cc.o $(B)/libmuster.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(libs)

# Stands between muster and the programs it runs; small, so that forking it is cheap.
$(B)/muster-keeper: $(B)/src/run/keeper_main.o $(B)/libmuster.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

# Calls a function of a version for muster diff; what it loads calls muster_stub.
$(B)/muster-caller: $(B)/src/diff/caller_main.o $(B)/src/diff/caller_many.o $(B)/src/diff/caller_world.o
	$(CC) $(CFLAGS) $(LDFLAGS) -rdynamic -o $@ $^ -ldl

# Z3 in a process of its own, which is replaced as it grows.
$(B)/muster-solver: $(B)/src/solve/solver_main.o $(B)/libmuster.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(libs)

$(B)/libmuster.a: $(objects)
	@rm -f $@
	ar rcsD $@ $^

$(B)/src/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(flags) $(CFLAGS) $(CPPFLAGS) -c $< -o $@

$(B)/src/base/interface.o: src/base/interface.c $(interface_stamp) Makefile
	@mkdir -p $(@D)
	$(CC) $(flags) $(CFLAGS) $(CPPFLAGS) -DMUSTER_INTERFACE_ID='"$(interface)"' -c $< -o $@

# The inline helpers travel inside the tool as bitcode.
$(B)/src/instrument/inline_bc.o: src/instrument/inline_bc.S $(B)/runtime/inline.bc
	@mkdir -p $(@D)
	$(CC) -DINLINE_BC='"$(B)/runtime/inline.bc"' -c $< -o $@

# So do bodies of the C library.
$(B)/src/build/library_bc.o: src/build/library_bc.S $(B)/runtime/library.bc
	@mkdir -p $(@D)
	$(CC) -DLIBRARY_BC='"$(B)/runtime/library.bc"' -c $< -o $@

# ---------------------------------------------------------------- the runtime
$(B)/runtime/library.bc: runtime/library.c $(runtime_bodies) $(wildcard runtime/libc/*.h) Makefile
	@mkdir -p $(@D)
	$(CLANG) $(filter-out -MMD -MP,$(runtime_flags)) -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fno-builtin -emit-llvm -c $< -o $@

$(B)/runtime/inline.bc: runtime/inline.c Makefile
	@mkdir -p $(@D)
	$(CLANG) $(runtime_flags) -O1 -Xclang -disable-llvm-passes -emit-llvm -c $< -o $@

$(patsubst runtime/%.c,$(B)/runtime/%.o,$(runtime_core) $(runtime_light) runtime/native.c runtime/report.c): \
		$(B)/runtime/%.o: runtime/%.c Makefile
	@mkdir -p $(@D)
	$(CLANG) $(runtime_flags) -O2 -g -c $< -o $@

# Frames without lines are not the program's: a probe's report is about its caller.
$(patsubst %,$(B)/runtime/%.o,probe probe_format probe_list compare): $(B)/runtime/%.o: runtime/%.c Makefile
	@mkdir -p $(@D)
	$(CLANG) $(runtime_flags) -O2 -c $< -o $@

# No call of memcpy is made of a loop: sanitizers watch it.
$(runtime_drive:%.c=$(B)/%.o): $(B)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CLANG) $(runtime_flags) -O2 -g -fno-builtin -c $< -o $@

$(patsubst runtime/%.c,$(B)/runtime/%.bc,$(runtime_wrappers) $(runtime_bodies) runtime/noskip.c): \
		$(B)/runtime/%.bc: runtime/%.c Makefile
	@mkdir -p $(@D)
	$(CLANG) $(unit_flags) -c $< -o $@

# What instruments is hashed, so that a change of the other folders instruments nothing anew.
instrumenter_objects = $(foreach d,base expr solve ir instrument,$(filter $(B)/src/$(d)/%,$(objects))) $(B)/src/cmd/instrument_runtime.o
$(B)/instrumenter: $(instrumenter_objects)
	@sha256sum $(sort $^) >$@.tmp
	@if cmp -s $@.tmp $@; then rm $@.tmp; else mv $@.tmp $@; fi

$(patsubst runtime/%.c,$(B)/runtime/%.o,$(runtime_wrappers) runtime/noskip.c): \
		$(B)/runtime/%.o: $(B)/runtime/%.bc $(B)/instrumenter | $(B)/muster
	$(B)/muster instrument-runtime --kind mark -o $@ $<

$(patsubst runtime/%.c,$(B)/runtime/%.o,$(runtime_bodies)): \
		$(B)/runtime/%.o: $(B)/runtime/%.bc $(B)/instrumenter | $(B)/muster
	$(B)/muster instrument-runtime --kind trace -o $@ $<

# The code generator makes calls of these three out of copies that the instrumentation dealt with; calls
# that the program makes are sent to the runtime by the instrumentation itself.
unwrapped = / __wrap_\(memcpy\|memmove\|memset\)$$/d

# The runtime's own calls go to libc, whatever the linker wraps: only bodies call wrapped functions.
# A wrapped name in the other objects becomes its __real_ name; copies and fills are the runtime's own.
define archive_runtime
@rm -rf $@ $@.parts && mkdir -p $@.parts
nm --defined-only -g $^ | sed -n -e '$(unwrapped)' -e 's/.* [TtWwi] __wrap_\(.*\)/\1 __real_\1/p' | sort -u >$@.parts/names
@for f in memcpy memmove memset; do echo $$f rt_plain_$$f; done | cat $@.parts/names - >$@.parts/own
@for o in $(filter-out $(runtime_body_objects),$^); do \
	case $$o in */wrap_mem.o) n=names ;; *) n=own ;; esac; \
	objcopy --redefine-syms=$@.parts/$$n $$o $@.parts/$${o##*/} || exit 1; done
ar rcsD $@ $@.parts/*.o $(filter $(runtime_body_objects),$^)
endef
runtime_body_objects = $(B)/runtime/libc/%.o $(B)/runtime/all/%.o $(B)/runtime/calls/%.o $(B)/runtime/path/%.o

$(B)/runtime/libmuster_rt.a: $(runtime_objects)
	$(archive_runtime)

# The trace variant with an event for every decision, for the dependence oracle.
$(patsubst runtime/libc/%.c,$(B)/runtime/all/%.o,$(runtime_bodies)): \
		$(B)/runtime/all/%.o: $(B)/runtime/libc/%.bc $(B)/instrumenter | $(B)/muster
	@mkdir -p $(@D)
	$(B)/muster instrument-runtime --kind trace --all -o $@ $<

$(B)/runtime/libmuster_rt_all.a: $(filter-out $(B)/runtime/libc/% %/skip.o,$(runtime_objects)) \
		$(B)/runtime/noskip.o \
		$(patsubst runtime/libc/%.c,$(B)/runtime/all/%.o,$(runtime_bodies))
	$(archive_runtime)

# The trace variant with hooks at calls and returns.
$(patsubst runtime/libc/%.c,$(B)/runtime/calls/%.o,$(runtime_bodies)): \
		$(B)/runtime/calls/%.o: $(B)/runtime/libc/%.bc $(B)/instrumenter | $(B)/muster
	@mkdir -p $(@D)
	$(B)/muster instrument-runtime --kind trace --calls -o $@ $<

$(patsubst runtime/%.c,$(B)/runtime/activations/%.o,$(runtime_core_calls)): \
		$(B)/runtime/activations/%.o: runtime/%.c Makefile
	@mkdir -p $(@D)
	$(CLANG) $(runtime_flags) -DRT_ACTIVATIONS -O2 -g -c $< -o $@

$(B)/runtime/libmuster_rt_calls.a: $(filter-out $(B)/runtime/libc/% %/skip.o $(patsubst runtime/%.c,$(B)/runtime/%.o,$(runtime_core_calls)),$(runtime_objects)) \
		$(patsubst runtime/%.c,$(B)/runtime/activations/%.o,$(runtime_core_calls)) \
		$(B)/runtime/noskip.o \
		$(patsubst runtime/libc/%.c,$(B)/runtime/calls/%.o,$(runtime_bodies))
	$(archive_runtime)

$(B)/runtime/libmuster_cov.a: $(patsubst %,$(B)/runtime/%.o,cov loop light forkserver rt_null symbolic)
$(B)/runtime/libmuster_fill.a: $(patsubst %,$(B)/runtime/%.o,cov loop light forkserver rt_null symbolic fill places)
$(B)/runtime/libmuster_cov.a $(B)/runtime/libmuster_fill.a:
	@rm -f $@
	ar rcsD $@ $^

# The harness driver is a unit like any other, with a record of its own.
$(B)/runtime/driver.o: runtime/driver.c $(B)/muster-cc $(B)/runtime/include Makefile
	$(B)/muster-cc -O2 -g -fPIC -D_GNU_SOURCE $(warnings) -c $< -o $@

$(B)/runtime/libmuster_driver.a: $(B)/runtime/driver.o
$(B)/runtime/libmuster_native.a: $(runtime_native:%.c=$(B)/%.o)
$(B)/runtime/libmuster_san.a: $(patsubst %.c,$(B)/%.o,$(runtime_native) $(runtime_san)) $(B)/runtime/report.o
$(B)/runtime/libmuster_drive.a: $(runtime_drive:%.c=$(B)/%.o)
$(B)/runtime/libmuster_driver.a $(B)/runtime/libmuster_native.a $(B)/runtime/libmuster_san.a $(B)/runtime/libmuster_drive.a:
	@rm -f $@
	ar rcsD $@ $^

# The path variant makes the same decisions as the trace variant: the same bodies and wrappers, over a
# runtime without labels.
$(patsubst runtime/libc/%.c,$(B)/runtime/path/%.o,$(runtime_bodies)): \
		$(B)/runtime/path/%.o: $(B)/runtime/libc/%.bc $(B)/instrumenter | $(B)/muster
	@mkdir -p $(@D)
	$(B)/muster instrument-runtime --kind path -o $@ $<

$(B)/runtime/libmuster_path.a: $(patsubst %,$(B)/runtime/%.o,path light rt_null) \
		$(patsubst runtime/%.c,$(B)/runtime/%.o,$(filter-out $(runtime_labels),$(runtime_core)) \
		$(filter-out runtime/skip.c,$(runtime_wrappers)) runtime/noskip.c) \
		$(patsubst runtime/libc/%.c,$(B)/runtime/path/%.o,$(runtime_bodies))
	$(archive_runtime)

# Every libc name that the runtime stands in for.
$(B)/runtime/wraps: $(B)/runtime/libmuster_rt.a
$(B)/runtime/wraps_path: $(B)/runtime/libmuster_path.a
$(B)/runtime/wraps_cov: $(B)/runtime/libmuster_cov.a
$(B)/runtime/wraps_san: $(B)/runtime/libmuster_san.a
$(B)/runtime/wraps $(B)/runtime/wraps_path $(B)/runtime/wraps_cov $(B)/runtime/wraps_san:
	nm --defined-only -g $< | sed -n -e '$(unwrapped)' -e 's/.* [TtWwi] __wrap_//p' | sort -u >$@.tmp
	@mv $@.tmp $@

# Written when the archives are there: whoever finds another id in it has a runtime of another build.
$(B)/runtime/interface: $(filter %.a,$(runtime_files)) $(interface_stamp)
	echo $(interface) >$@.tmp
	@mv $@.tmp $@

$(B)/runtime/include:
	@mkdir -p $(@D)
	ln -sfn ../../include $@

# ---------------------------------------------------------------------- tests
$(B)/tests/test_%: tests/unit/test_%.c $(B)/libmuster.a | $(B)/muster-keeper $(B)/muster-solver
	@mkdir -p $(@D)
	$(CC) $(flags) -Itests/unit -Iruntime $(CFLAGS) $< $(B)/libmuster.a $(LDFLAGS) $(libs) -lcmocka -o $@

# Runs the files of a queue one by one beside what the store says of them.
$(B)/tests/check-queue: tests/queue/check.c $(B)/libmuster.a | $(B)/muster-keeper $(B)/muster-solver
	@mkdir -p $(@D)
	$(CC) $(flags) $(CFLAGS) $< $(B)/libmuster.a $(LDFLAGS) $(libs) -o $@

# Which instruction is which in two versions of a unit, by their lines.
$(B)/tests/match-ids: tests/match/ids.c $(B)/libmuster.a
	@mkdir -p $(@D)
	$(CC) $(flags) $(CFLAGS) $< $(B)/libmuster.a $(LDFLAGS) $(libs) -o $@

# Generated functions beside their terms.
$(B)/tests/check-vc: tests/vc/check.c $(B)/libmuster.a
	@mkdir -p $(@D)
	$(CC) $(flags) $(CFLAGS) -rdynamic $< $(B)/libmuster.a $(LDFLAGS) $(libs) -ldl -o $@

# muster itself, and not what goes into targets, under AddressSanitizer and UndefinedBehaviorSanitizer.
asan_build = build-asan
asan_flags = -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -DMUSTER_ASAN
asan:
	@scripts/deps
	@mkdir -p $(asan_build)
	$(CC) -DREPORTS='"$(abspath $(asan_build))/report"' -c tests/asan/options.c -o $(asan_build)/options.o
	@$(MAKE) --no-print-directory B=$(asan_build) CFLAGS='$(asan_flags)' LDFLAGS='$(abspath $(asan_build))/options.o' check-asan

# clang-tidy on the files that differ from main; ARGS=--all: on all, without the analyzer.
lint:
	@scripts/deps clang-tidy
	@scripts/lint $(ARGS)

include tests/check.mk

# Both commands of the README in a new Debian 12 that has git and make: what they need, they install.
check-fresh:
	@scripts/check-fresh $(ARGS)

# Everything that only happens at a limit of search or solver, all the time (src/base/limit.h): verdicts may be weaker, never wrong.
check-shrunk: S = $(abspath build-shrunk)
check-shrunk:
	@$(MAKE) --no-print-directory B=build-shrunk CFLAGS="$(CFLAGS) -DMUSTER_SHRUNK" all build-shrunk/tests/test_solve_random
	build-shrunk/tests/test_solve_random
	MUSTER_BUILD=$S tests/truth/run --weak -n $(or $(N),200)
	MUSTER_BUILD=$S tests/stress/search 20

demo:
	@scripts/deps
	@$(MAKE) --no-print-directory all
	@scripts/demo

bench:
	@scripts/deps
	@$(MAKE) --no-print-directory all
	@bench/run

# muster fuzz: coverage beside afl++, its solver beside Z3, long paths, and the challenges.
bench-coverage: all
	@scripts/deps afl++ dpkg-dev
	@bench/coverage $(ARGS)

# The same programs with invariants and without.
bench-harm: all
	@scripts/deps dpkg-dev
	@bench/harm $(ARGS)

# Must summaries of the functions of four packages.
bench-summaries: all
	@scripts/deps dpkg-dev
	@bench/summaries $(ARGS)

# What muster test reports with contracts and without, on six packages.
bench-contracts: all
	@scripts/deps dpkg-dev
	@bench/contracts $(ARGS)

# Mutants of functions of packages: which of those that fail inside the original's contract are reported.
campaign-contract-mutants: all
	@scripts/deps dpkg-dev
	@bench/contract-mutants $(or $(ARGS),-n 40 giflib/gif_hash giflib/gifalloc giflib/egif_lib giflib/dgif_lib cjson/cJSON zlib/adler32 zlib/crc32 zlib/gzlib)

# What summary mode costs, against an ordinary trace.
bench-summary-cost: all
	@bench/summary-cost $(ARGS)

# IC-Cut's configurations on four programs.
bench-validate: all
	@scripts/deps dpkg-dev patch
	@bench/validate $(ARGS)

bench-iccut: all
	@scripts/deps dpkg-dev
	@bench/iccut $(ARGS)

bench-solve: all
	@scripts/deps dpkg-dev
	@bench/solve $(ARGS)

bench-divergence: all
	@scripts/deps dpkg-dev
	@bench/divergence $(ARGS)

bench-mutants: all
	@bench/mutants $(ARGS)

bench-growth: all
	@bench/growth $(ARGS)

bench-validate-growth: all
	@bench/validate-growth $(ARGS)

# muster test: speed and growth; generated functions beside all their inputs; every function of four packages.
.PHONY: bench-compositional
bench-compositional: all
	@bench/compositional $(ARGS)

bench-units: all
	@bench/units $(ARGS)

# Active checks: generated pairs of programs with and without a defect; what all checkers cost.
bench-checkers: all
	@bench/checkers $(ARGS)

# Loops: what is covered with invariants and without, by threshold.
bench-loops: all
	@bench/loops $(ARGS)

# Invariants: their cost over packages.
bench-invariants: all
	@scripts/deps dpkg-dev
	@bench/invariants $(ARGS)

# What making variants costs beside a compile: CPU, code, memory, and the time until the first solved input.
bench-variants: all
	@scripts/deps dpkg-dev tcl
	@bench/variants $(ARGS)

bench-check-cost: all
	@scripts/deps dpkg-dev
	@bench/check-cost $(ARGS)

truth: all
	@tests/truth/run -n $(N) $(ARGS)

campaign-masking: all
	@tests/masking/run $(ARGS)

campaign-units: all
	@scripts/deps dpkg-dev
	@bench/packages-units $(ARGS)

challenges: all
	@tests/fuzz/run-challenges $(ARGS)

# Long runs: kills of a search; N random programs; N sequences of libc calls; Debian packages.
N ?= 1000
campaign-kill: all
	@scripts/deps sqlite3
	@tests/kill/run
	@tests/kill/fuzz $(ARGS)

# Every file of a queue by itself; second opinions on the solver's answers.
campaign-queue: all $(B)/tests/check-queue
	@scripts/deps dpkg-dev
	@tests/queue/run $(or $(ARGS),cjson libyaml libpng)

# src/vc against execution: 500 generated functions on all their inputs, and 200 with gotos into loops.
campaign-vc: $(B)/tests/check-vc
	@tests/vc/run $(or $(ARGS),-n 500)
	@$(if $(ARGS),,tests/vc/run -g -n 200 -t 3)

# muster diff against execution: mutants of tests/diff/corpus.c on random inputs; 300 generated pairs of functions on all their inputs.
campaign-diff-mutants: all
	@tests/diff/mutants $(or $(ARGS),-n 1000)
campaign-diff: all
	@tests/diff/run $(or $(ARGS),-n 300)
	@tests/diff/run -l -n 100
	@tests/diff/run-family -t
# muster diff on Debian's patch series (bench/diff.labels).
bench-diff: all
	@scripts/deps dpkg-dev cmake tcl
	@bench/diff $(ARGS)

# Chains of versions: muster test with the store of the versions before, and from nothing.
campaign-reuse: all
	@tests/reuse/run $(or $(ARGS),-n 40 -v 10)

# Summaries of generated programs, sampled, and as C beside execution on all inputs of two bytes.
campaign-summaries: all
	@tests/summary/run $(or $(ARGS),-n 300 -s 1000)

# Summaries against mutants of their program: none that is declared valid may be stale.
campaign-validate: all
	@tests/validate/mutants $(or $(ARGS),-n 1000 -p 10 -s 5000)

campaign-recheck: all
	@scripts/deps dpkg-dev
	@tests/stress/recheck $(ARGS)

campaign-csmith: all
	tests/stress/csmith -n $(N)

campaign-libc: all
	@tests/stress/libc-mix $(or $(N),1000)

# Known vulnerabilities found again; every confirmed bug of the packages without muster; refinement types beside an oracle.
campaign-known: all
	@scripts/deps dpkg-dev
	@bench/known-bugs $(ARGS)

campaign-false: all
	@scripts/deps dpkg-dev
	@bench/false-alarms $(ARGS)

campaign-invariants: all
	@tests/loops/soundness -n $(N)

# Edits of real functions, matched as their ids say.
campaign-match: all $(B)/tests/match-ids
	@tests/match/run $(or $(ARGS),-n 200)

campaign-refine: all
	@tests/refine/run -n $(N) $(ARGS)

# Programs that try to get out of the sandbox, each by itself, as root and as a user, with namespaces and without.
campaign-escape: all
	@tests/hostile/escape.sh -a

campaign-packages: all
	@scripts/deps autoconf automake libtool cmake dpkg-dev
	scripts/packages

deps:
	@scripts/deps

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/muster/include/muster
	install -m 755 $(B)/muster $(B)/muster-cc $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(B)/muster-keeper $(B)/muster-solver $(B)/muster-caller $(DESTDIR)$(PREFIX)/lib/muster
	install -m 644 $(filter-out %/include,$(runtime_files)) $(DESTDIR)$(PREFIX)/lib/muster
	install -m 644 include/muster/*.h $(DESTDIR)$(PREFIX)/lib/muster/include/muster
	install -d $(addprefix $(DESTDIR)$(PREFIX)/share/,bash-completion/completions zsh/site-functions fish/vendor_completions.d)
	scripts/completions bash $(B)/muster >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/muster
	scripts/completions zsh $(B)/muster >$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_muster
	scripts/completions fish $(B)/muster >$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/muster.fish
	scripts/completions man $(DESTDIR)$(PREFIX)/share/man/man1 $(B)/muster

# The HTML report in headless Chromium.
.PHONY: check-web
check-web: all
	@scripts/deps chromium
	@tests/report/web

# SARIF against the types of its published schema (npm).
.PHONY: check-schema
check-schema: all
	@command -v npm >/dev/null || scripts/deps npm
	@tests/report/schema

# A Debian package of it: build/muster_VERSION_amd64.deb.
.PHONY: deb
deb: all
	@scripts/deb

clean:
	rm -rf $(B)

.PHONY: bench-contracts campaign-contract-mutants bench-summaries bench-summary-cost bench-diff bench-iccut asan lint campaign-reuse campaign-summaries campaign-vc campaign-diff campaign-match campaign-escape campaign-masking bench-harm bench-loops bench-units bench-variants bench-checkers bench-check-cost truth campaign-units bench-coverage bench-divergence bench-solve bench-growth bench-validate-growth bench-mutants challenges campaign-kill campaign-queue campaign-recheck campaign-csmith campaign-libc campaign-packages campaign-known campaign-false campaign-refine campaign-invariants bench-invariants all runtime check-fresh check-shrunk demo bench deps install clean
.DELETE_ON_ERROR:
.SECONDARY:

-include $(shell find $(B) -path $(B)/sources -prune -o -name '*.d' -type f -print 2>/dev/null)
