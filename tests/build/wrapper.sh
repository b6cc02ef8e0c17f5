#!/bin/sh
# wrapper.sh: muster cc as a drop-in for clang-19: the same code and files, whatever is asked of it.
. "$(dirname "$0")/lib.sh"

sources() {
	cat >a.c <<'C'
#include <stdio.h>
#include <string.h>
#include "b.h"
static int helper(const char *s) { unsigned n = 0; while (*s) n = n * 31 + *s++; return n; }
int main(int argc, char **argv) {
	char line[100];
	int total = 0;
	while (fgets(line, sizeof line, stdin))
		total += helper(line) % 7 + b_value(line[0]) + (int)strlen(line);
	printf("%d %d\n", total, argc);
	return argc > 5 ? argv[5][0] : 0;
}
C
	cat >b.c <<'C'
#include "b.h"
static int helper(int x) { return x * SCALE; }
int b_value(int x) { switch (x) { case 'a': return 1; case 'b': return helper(2); default: return helper(x); } }
C
	printf '#define SCALE 3\nint b_value(int x);\n' >b.h
	printf 'alpha\nbeta\ngamma\n' >in
}

test_identity() {
	sources
	for flags in -O0 '-O0 -g' -O1 '-O2 -g' -O3 -Os '-O2 -fPIC' '-O2 -fno-pie' '-O2 -ffunction-sections -fdata-sections' \
		'-O2 -march=x86-64-v3' '-O2 -fstack-protector-strong -D_FORTIFY_SOURCE=2' '-O1 -fsanitize=address' '-O2 -std=c99 -Wall -Werror'; do
		$clang $flags -c a.c -o plain.o
		muster cc $flags -c a.c -o ours.o
		objcopy --remove-section=.muster ours.o ours-stripped.o
		objcopy plain.o plain-stripped.o
		cmp plain-stripped.o ours-stripped.o || { echo "flags: $flags"; return 1; }
		readelf -SW ours.o | grep -q ' \.muster '
	done
}

test_identity_linked() {
	sources
	for flags in -O0 '-O2 -g' '-O2 -static' '-O2 -no-pie' '-O2 -s' '-O2 -Wl,--gc-sections -ffunction-sections'; do
		$clang $flags a.c b.c -o plain
		muster cc $flags a.c b.c -o ours
		same_code plain ours || { echo "flags: $flags"; return 1; }
		units 2 ./ours
	done
}

test_output_names() {
	sources
	muster cc a.c b.c
	[ -x a.out ]
	units 2 ./a.out
	muster cc -c a.c b.c
	muster cc a.o b.o -oprog
	units 2 ./prog
	mkdir sub
	(cd sub && muster cc -c ../a.c ../b.c && ls a.o b.o && muster cc -o prog -I.. a.o b.o)
	units 2 sub/prog
}

test_preprocess_and_assembly() {
	sources
	for mode in -E -S -M -MM '-S -emit-llvm' '-E -dM' '-fsyntax-only'; do
		$clang -O2 $mode a.c -o plain.txt 2>plain.err || true
		muster cc -O2 $mode a.c -o ours.txt 2>ours.err || true
		if [ -f plain.txt ]; then cmp plain.txt ours.txt; fi
		cmp plain.err ours.err
		rm -f plain.txt ours.txt
	done
	muster cc -S b.c && muster cc a.c b.s -o prog
	units 1 ./prog
	grep -q 'no record: .*b\.' doctor.out || grep -q 'no record' doctor.out
	same_variants ./prog
}

test_dependency_files() {
	sources
	mkdir plain ours
	for flags in '-MD -c' '-MMD -c' '-MD -MF deps -c' '-MMD -MT target -MP -c' '-Wp,-MD,deps -c' '-MD'; do
		input='../a.c'
		[ "$flags" = -MD ] && input='../a.c ../b.c'
		(cd plain && $clang $flags $input)
		(cd ours && muster cc $flags $input)
		for f in plain/*; do
			case $f in
			*.o | *.out) [ -f "ours/${f#plain/}" ] ;;
			*) cmp "$f" "ours/${f#plain/}" ;;
			esac
		done
		[ "$(ls plain)" = "$(ls ours)" ]
		rm -f plain/* ours/*
	done
}

test_languages_and_stdin() {
	sources
	cp a.c a.txt
	muster cc -x c a.txt b.c -o prog
	units 2 ./prog
	muster cc -I. -c -x c - -o a.o <a.c
	$clang -I. -c -x c - -o plain.o <a.c
	same_code a.o plain.o
	muster cc a.o -x c b.c -x none -o prog
	units 2 ./prog
	same_variants ./prog
	echo 'int main(void) { return 0; }' | muster cc -x c -
	./a.out
	$clang -E a.c -o pre.i
	muster cc pre.i b.c -o prog
	units 2 ./prog
	same_variants ./prog
}

test_response_files() {
	sources
	printf '%s\n' '-O2 "-DNAME=\"two words\""' "-o 'my prog'" >flags
	printf 'a.c\nb.c\n@flags\n' >all
	muster cc @all
	units 2 './my prog'
	muster cc -c a.c b.c
	echo 'a.o b.o -o prog' >objects
	muster cc @objects
	rm objects
	same_variants ./prog
}

test_diagnostics_and_status() {
	printf 'int main(void) { int unused; return x; }\n' >bad.c
	$clang -Wall bad.c 2>plain.err && return 1
	muster cc -Wall bad.c 2>ours.err && return 1
	cmp plain.err ours.err
	muster cc -c missing.c -o missing.o 2>ours.err && return 1
	$clang -c missing.c -o missing.o 2>plain.err && return 1
	cmp plain.err ours.err
	[ ! -f missing.o ]
	expect "$($clang --version)" muster cc --version
	expect "$($clang -print-search-dirs)" muster cc -print-search-dirs
	expect "$($clang -dumpmachine)" muster-cc -dumpmachine
	muster cc 2>ours.err && return 1
	$clang 2>plain.err && return 1
	cmp plain.err ours.err
	echo 'int main(void) { return 0; }' >ok.c
	muster cc -c ok.c -o /dev/null
	muster cc ok.c -o /dev/null
	muster cc -v ok.c -o ok 2>&1 | grep -q 'search starts'
	[ -c /dev/null ]
}

test_header_without_flag() {
	printf '#include <muster/muster.h>\nint main(void) { int n = 3; muster_symbolic(&n, sizeof n, "n"); muster_assume(n == 3); return n - 3; }\n' >p.c
	muster cc -Wall -Werror p.c -o p
	./p
	same_variants ./p
	for cc in gcc $clang; do
		! command -v $cc >/dev/null || $cc -Wall -Werror -I"$top/include" p.c -o q
		./q
	done
}

test_lto_left_alone() {
	sources
	muster cc -O2 -flto -c a.c b.c
	$clang -O2 -flto -c a.c -o plain.o
	cmp a.o plain.o
	muster cc -O2 -flto a.o b.o -o prog
	expect "$($clang -O2 a.c b.c -o native && ./native <in)" sh -c './prog <in'
	muster doctor ./prog >doctor.out || true
	grep -q 'no record: .*a\.o: compiled with -flto' doctor.out
}

test_probes() {
	printf 'int main(void) { return 0; }\n' >conftest.c
	muster cc -o conftest conftest.c
	./conftest
	! readelf -SW conftest | grep -q muster
}

test_precompiled_header_and_coverage() {
	sources
	muster cc b.h -o b.h.pch
	muster cc -include-pch b.h.pch -c b.c -o b.o
	muster cc --coverage a.c b.c -o prog
	./prog <in
	ls ./*.gcno ./*.gcda
	units 2 ./prog
	rm -f ./*.gcda
	kinds='trace cov' same_variants ./prog
}

test_old_code() {
	printf 'main() { foo(1); return 0; } foo(x) int x; { return bar(); } bar() { return 0; }\n' >k.c
	muster cc -std=gnu89 -w k.c -o k
	units 1 ./k
	same_variants ./k
}

for t in identity identity_linked output_names preprocess_and_assembly dependency_files languages_and_stdin \
	response_files diagnostics_and_status header_without_flag lto_left_alone probes \
	precompiled_header_and_coverage old_code; do
	run $t
done
finish
