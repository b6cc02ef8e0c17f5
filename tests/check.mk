# check.mk: the tests of `make check` and `make check-time`, one target each, so that make runs as many at once as it has jobs.
#
#	make check                       all of them (JOBS=N at once; as many as there are cores without it)
#	make check/case/fuzz             one of them; so are check/unit/test_expr, check/csmith-1, check/build/links ...
#	make check-list                  their names
#	make check-time                  those that measure time, one after another, alone
#
# A test that fails beside others is run once more, alone; if it passes then, it counts as passed and is printed as unsteady: what made it fail is a defect
# of the test or of muster that a busy machine shows, and its first output is kept. More than a few at once are not run again.
#
# Random suites run in slices with seeds of their own: the sum is what `make check` has time for; the campaigns have no such limit.
# The longest come first, so that none of them is left over at the end.

JOBS ?= $(shell nproc)
run_test = MUSTER_BUILD=$(abspath $(B)) tests/run-test $(AGAIN)

# NAME: what it runs. Every variable test_NAME is a test.
test_build/links = sh tests/build/links.sh
test_build/projects = sh tests/build/projects.sh
test_build/wrapper = sh tests/build/wrapper.sh
test_readme = tests/readme
test_tutorial = tests/readme docs/tutorial.md
# What every command prints, against golden files.
test_golden = tests/golden/run
test_defects = sh tests/defects/run.sh
test_hostile = sh tests/hostile/run.sh
test_escape = sh tests/hostile/escape.sh
test_layers = sh scripts/check-layers
test_limits = sh scripts/limits --check
# Random programs through the trace; sequences of libc calls; small programs searched and enumerated.
test_csmith-1 = tests/stress/csmith -j 1 -n 15 -s 1
test_csmith-2 = tests/stress/csmith -j 1 -n 15 -s 26
test_libc-mix = tests/stress/libc-mix 20
test_search-1 = tests/stress/search 10 1
test_search-2 = tests/stress/search 10 11
# Generated functions, judged by all their inputs.
test_truth = tests/truth/run -n 200
test_truth-contracts = tests/truth/contracts -n 20
test_truth-shapes = tests/truth/shapes -n 3 -s 5
test_adversary = tests/truth/adversary
# Findings behind other findings: some of the 80 pairs.
test_masking = tests/masking/run -n 6
# Refinement types beside CSimpL; obligations that were proved or rejected, at run time.
test_refine = tests/refine/run
test_refine-soundness = tests/refine/soundness -n 8
# Invariants of generated loop programs, at every visit.
test_loops-1 = tests/loops/soundness -j 1 -n 12
test_loops-2 = tests/loops/soundness -j 1 -n 12 -s 2
# Edits of real functions, matched as their ids say.
test_match = tests/match/run -n 20 -j 1 bench/fuzz/calc.c tests/truth/oracle.c
# Compositional search beside exhaustive inlining.
test_compositional = tests/compositional/run
# Summaries of generated programs: sampled, and as C beside execution.
test_summaries = tests/summary/run -n 1 -s 2 -x
# Summaries against mutants of their program: nothing stale is accepted.
test_mutants = tests/validate/mutants -n 2 -p 2 -k 3 -s 21 -x
# What partial summaries leave unsaid, against execution; the opposite of it must be found to be wrong.
test_partial = tests/validate/partial -n 10 -s 3 && tests/validate/partial -n 4 -s 4 -x
# The same of what functions without a body return.
test_partial-stubs = tests/validate/stubs -n 5 -s 2 -k 1500 && tests/validate/stubs -n 3 -s 5 -k 1000 -x
# Generated functions beside their terms, on some of their inputs.
test_vc = tests/vc/run -n 40 -t 7
test_vc-gotos = tests/vc/run -g -n 20 -t 61
test_diff = tests/diff/run -n 20
test_diff-mutants = tests/diff/mutants -n 5 -s 51
test_diff-family = tests/diff/run-family Const Comp LoopSub LoopSubDifferent UnchLoop UnchLoopDifferent LoopMult5 LoopMult20Different LoopMult200 LoopUnrch20 LoopUnrch20Different
test_vc-arrays = tests/vc/run -a -n 20 -t 1021
# The next version: with the store of the versions before, and from nothing.
test_reuse = tests/reuse/run -n 1 -v 3 -f 5 -s 3
# Files of queue/ reproduce.
test_queue = tests/queue/run
# strnum (three numbers that are written out, by atoi, strtoul and sscanf) takes longer than a test may.
challenge_names = maze crc32 extint length memcmp strcase strcmp transform u8 u16 u32 u32cmp u64 u128
$(foreach c,$(challenge_names),$(eval test_challenge/$(c) = tests/fuzz/run-challenges -t 120 -d $(B)/tests/fuzz-$(c) $(c)))

suite_names = $(patsubst test_%,%,$(filter test_%,$(.VARIABLES)))
case_names = $(addprefix case/,$(sort $(basename $(notdir $(wildcard tests/cases/*.c tests/cases/*.case)))))
unit_names = $(addprefix unit/,$(patsubst tests/unit/%.c,%,$(sort $(wildcard tests/unit/test_*.c))))

# What takes longest, by the clock of the last measurement.
long_names = truth refine queue golden unit/test_absint_sound build/links csmith-1 csmith-2 loops-1 loops-2 case/export build/projects case/fuzz-look \
	build/wrapper defects search-1 search-2 case/export-usage case/export-asserts hostile unit/test_blast unit/test_hostile case/fuzz-parts
all_names = $(suite_names) $(case_names) $(unit_names)
check_names = $(filter $(all_names),$(long_names)) $(filter-out $(long_names),$(all_names))

# Tests of time share the machine with nobody: scripts, and the unit tests that have limits on time (timing.h).
time_names = $(addprefix time/,$(basename $(notdir $(sort $(wildcard tests/time/*.sh)))))
timed_units = $(addprefix timed/,$(basename $(notdir $(sort $(shell grep -l '"timing.h"' tests/unit/test_*.c)))))

$(addprefix check/,$(unit_names)): check/unit/%: $(B)/tests/%
	@$(run_test) unit/$* $<

$(addprefix check/,$(timed_units)): check/timed/%: $(B)/tests/%
	@MUSTER_CHECK_TIME=1 $(run_test) timed/$* $<

$(addprefix check/,$(case_names)): check/case/%: | all
	@$(run_test) case/$* tests/run-cases $*

$(addprefix check/,$(suite_names)): check/%: | all
	@$(run_test) $* $(test_$*)

$(addprefix check/,$(time_names)): check/time/%: | all
	@$(run_test) time/$* sh tests/time/$*.sh

check/queue: $(B)/tests/check-queue
check/match: $(B)/tests/match-ids
check/vc check/vc-arrays check/vc-gotos: $(B)/tests/check-vc

# Fork bombs and the like, which leave no processor to others, and what waits for a process of low priority: after the rest, one at a time.
hostile_names = $(filter hostile escape unit/test_hostile case/bad-targets case/fuzz-bad case/fuzz-copies,$(check_names))

# Everything is built first: what is being built shares the machine with tests, but no test runs what is half built.
check-all: all
	@rm -rf $(B)/check
	@$(MAKE) --no-print-directory -k $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS)) $(addprefix check/,$(filter-out $(hostile_names),$(check_names))) || true
	@$(MAKE) --no-print-directory -k -j1 $(addprefix check/,$(hostile_names)) || true
	@failed=$$($(run_test) --failed $(check_names)) || exit 0; $(MAKE) --no-print-directory -k -j1 AGAIN=--again $$failed || true
	@$(run_test) --summary $(check_names)

# Packages come first, since nothing can be built without them.
check:
	@scripts/deps
	@$(MAKE) --no-print-directory check-all

check-time:
	@scripts/deps
	@$(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS)) all $(timed_units:timed/%=$(B)/tests/%)
	@$(MAKE) --no-print-directory -k -j1 $(addprefix check/,$(timed_units) $(time_names)) || true
	@$(run_test) --summary $(timed_units) $(time_names)

# What `make asan` runs in its build: unit tests, and cases that take every large part of the tool. A report of the sanitizers (tests/asan/options.c)
# is a failure, whatever the test says. Left out: bodies of libc, which are no part of muster and whose names AddressSanitizer takes over; a test with a limit on addresses;
# one that compares padding.
asan_names = $(filter-out unit/test_libc_% unit/test_hostile unit/test_store,$(unit_names)) $(addprefix case/,test-q fuzz-straight check-divide hostile-names stops-scribbles loops invariants trace-calls minimize show bad-record)
check-asan: all
	@rm -rf $(B)/check $(B)/report.*
	@$(MAKE) --no-print-directory -k $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS)) $(addprefix check/,$(filter $(all_names),$(asan_names))) || true
	@$(run_test) --summary $(filter $(all_names),$(asan_names)); status=$$?; cat $(B)/report.* 2>/dev/null && exit 1; exit $$status

check-list:
	@printf '%s\n' $(check_names) $(timed_units) $(time_names)

.PHONY: check check-all check-asan check-time check-list $(addprefix check/,$(all_names) $(timed_units) $(time_names))
