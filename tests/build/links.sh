#!/bin/sh
# links.sh: everything a link can be made of, and its variants after the build's files are gone.
. "$(dirname "$0")/lib.sh"

# A program whose parts come in every way: prog_sources writes them.
prog_sources() {
	cat >main.c <<'C'
#include <stdio.h>
#include <string.h>
int from_archive(int), from_asm(int), from_lib(int), weak_one(void), tls_next(void), hidden_same(void), other_same(void);
extern int started;
int main(void) {
	char b[16] = "";
	if (!fgets(b, sizeof b, stdin)) strcpy(b, "none");
	printf("%d %d %d %d %d %d %d %d\n", from_archive(b[0]), from_asm(5), weak_one(), tls_next() + tls_next(),
	       hidden_same(), other_same(), started, (int)strlen(b));
	return 0;
}
C
	cat >one.c <<'C'
static int same(void) { return 10; }
int hidden_same(void) { return same(); }
int from_archive(int x) { return x > 'a' ? x * 2 : x; }
int weak_one(void) __attribute__((weak));
int weak_one(void) { return 1; }
C
	cat >two.c <<'C'
int started;
static int same(void) { return 20; }
static __thread int counter = 3;
int other_same(void) { return same(); }
int tls_next(void) { return counter++; }
int weak_one(void) { return 2; }
__attribute__((constructor)) static void start(void) { started = 7; }
C
	printf 'int not_linked(int x) { extern int nowhere(int); return nowhere(x); }\n' >unused.c
	cat >low.S <<'S'
#ifdef __x86_64__
	.text
	.globl from_asm
	.type from_asm, @function
from_asm:
	leal 1(%rdi,%rdi), %eax
	ret
	.section .note.GNU-stack,"",@progbits
#endif
S
	echo beta >in
}

test_archives_and_assembly() {
	prog_sources
	muster cc -O2 -c main.c one.c two.c unused.c low.S
	ar rcs libparts.a one.o unused.o low.o
	muster cc main.o two.o -L. -lparts -o prog
	rm -f ./*.o ./*.a ./*.c ./*.S
	units 3 ./prog
	grep -q 'no record: .*low.o' doctor.out
	same_variants ./prog
	[ "$(cat native.out)" = '196 11 2 7 10 20 7 5' ]
}

test_one_command() {
	prog_sources
	muster cc -O1 main.c one.c two.c low.S -o prog
	rm -f ./*.c ./*.S
	units 3 ./prog
	same_variants ./prog
}

test_thin_archive_and_groups() {
	prog_sources
	muster cc -c main.c one.c two.c unused.c low.S
	ar rcsT thin.a one.o low.o unused.o
	ar rcs two.a two.o
	muster cc -o prog main.o -Wl,--start-group,thin.a,two.a,--end-group
	rm -f ./*.o ./*.a
	units 3 ./prog
	same_variants ./prog
}

test_whole_archive() {
	prog_sources
	muster cc -c main.c one.c two.c low.S
	ar rcs all.a one.o low.o two.o
	muster cc -o prog main.o -Wl,--whole-archive all.a -Wl,--no-whole-archive
	rm -f ./*.o ./*.a
	units 3 ./prog
	same_variants ./prog
}

test_relocatable() {
	prog_sources
	muster cc -c main.c one.c two.c low.S
	ld -r one.o low.o -o mixed.o
	muster cc -r two.o -o again.o
	muster cc main.o mixed.o again.o -o prog
	rm -f ./*.o
	units 3 ./prog
	same_variants ./prog
	prog_sources
	muster cc -c main.c one.c two.c low.S
	muster cc -nostdlib -r one.o low.o -o mixed.o
	ld -r two.o main.o -o again.o
	muster cc mixed.o again.o -o prog2
	rm -f ./*.o
	units 3 ./prog2
	same_variants ./prog2
}

# Only dead code names the member, so the optimised program was linked without it; less optimised
# variants name it again, whether the archive is still there or not.
test_members_of_dead_code() {
	printf 'int gone(int); static const int debug = 0; static int off(void) { return debug; }\nint main(void) { return off() ? gone(1) : 0; }\n' >main.c
	printf 'int nowhere(int); int gone(int x) { return nowhere(x); }\n' >gone.c
	muster cc -O2 -c main.c gone.c
	ar rcs libgone.a gone.o
	muster cc main.o -L. -lgone -o prog
	units 1 ./prog
	same_variants ./prog
	rm -rf .muster libgone.a gone.o
	same_variants ./prog
	printf 'extern int none(void); int main(void) { return none(); }\n' >bad.c
	muster cc -c bad.c
	for file in ./bad.o bad.c; do
		! muster variant $file 2>err
		grep -q 'undefined reference to .none' err
	done
}

test_static() {
	prog_sources
	muster cc -static main.c one.c two.c low.S -o prog
	same_variants ./prog
	muster cc -static-pie -fPIE main.c one.c two.c low.S -o prog2
	same_variants ./prog2
	muster cc -no-pie -fno-pie -O2 main.c one.c two.c low.S -o prog3
	same_variants ./prog3
}

test_other_linkers() {
	prog_sources
	for ld in lld gold; do
		[ $ld = lld ] && linker=ld.lld-19 || linker=ld.gold
		command -v $linker >/dev/null || continue
		muster cc -fuse-ld=$(command -v $linker) --ld-path=$(command -v $linker) main.c one.c two.c low.S -o prog 2>/dev/null ||
			muster cc --ld-path=$(command -v $linker) main.c one.c two.c low.S -o prog
		units 3 ./prog
		kinds='trace cov path' same_variants ./prog
	done
}

test_shared_libraries() {
	mkdir lib
	cat >lib/in.c <<'C'
#include <string.h>
#include <stdlib.h>
static int calls;
int in_count(const char *s) { calls++; return (int)strlen(s); }
int in_calls(void) { return calls; }
C
	cat >lib/out.c <<'C'
int in_count(const char *);
int out_twice(const char *s) { if (s[0] == 'b') return in_count(s) * 2; return in_count(s); }
C
	printf '{ global: out_*; local: *; };\n' >lib/out.map
	cat >main.c <<'C'
#include <stdio.h>
int out_twice(const char *), in_calls(void);
int main(void) { char b[32]; if (!fgets(b, sizeof b, stdin)) return 1; printf("%d", out_twice(b)); printf(" %d\n", in_calls()); return 0; }
C
	muster cc -fPIC -shared -O2 lib/in.c -Wl,-soname,libin.so.1 -o lib/libin.so.1
	ln -s libin.so.1 lib/libin.so
	muster cc -fPIC -shared -O2 lib/out.c -Wl,--version-script=lib/out.map -Wl,-z,defs -Llib -lin -Wl,-rpath,'$ORIGIN' -o lib/libout.so
	muster cc main.c -Llib -lout -lin -Wl,-rpath,"$PWD/lib" -o prog
	rm -f lib/*.c lib/*.map
	echo beta >in
	units 3 ./prog
	same_variants ./prog
	# Found by LD_LIBRARY_PATH, and a library named by its path.
	printf 'int out_twice(const char *); int main(void) { return out_twice("bb") - 4; }\n' >two.c
	muster cc two.c lib/libout.so -Wl,-rpath-link,lib -o two
	LD_LIBRARY_PATH=$PWD/lib
	export LD_LIBRARY_PATH
	units 3 ./two
	same_variants ./two
	for k in trace san; do
		variant=$(muster variant --kind $k ./two)
		ldd "$variant" | grep libout | grep -q "/.muster/cache/$k/"
		ldd "$variant" | grep libin | grep -q "/.muster/cache/$k/"
	done
}

test_linker_scripts() {
	prog_sources
	muster cc -c main.c one.c two.c low.S
	ar rcs libreal.a one.o two.o low.o
	printf 'INPUT(libreal.a)\n' >libparts.so
	printf '{ global: main; local: *; };\n' >prog.map
	printf 'SECTIONS { .extra : { *(.extra) } } INSERT AFTER .data;\n' >extra.ld
	muster cc main.o -L. -lparts -Wl,--version-script,prog.map -Wl,-T,extra.ld -Wl,-Map,prog.linkmap -o prog
	rm -f prog.linkmap prog.map extra.ld
	# The script names the archive, which the closure cannot see into: it stays.
	same_variants ./prog
	[ ! -f prog.linkmap ]
}

test_own_functions() {
	cat >own.c <<'C'
#include <stdio.h>
#include <stddef.h>
#include <string.h>
static char pool[1 << 20];
static size_t used;
void *malloc(size_t n) { void *p = pool + used; used += (n + 15) & ~(size_t)15; return p; }
void free(void *p) { (void)p; }
void *calloc(size_t a, size_t b) { return memset(malloc(a * b), 0, a * b); }
void *realloc(void *p, size_t n) { void *q = malloc(n); if (p) memcpy(q, p, n); return q; }
size_t strlen(const char *s) { size_t n = 0; while (s[n]) n++; return n; }
int my_puts(const char *s) { return puts(s); }
int main(void) { char *p = malloc(8); strcpy(p, "hello"); my_puts(p); printf("%zu\n", strlen(p)); free(p); return 0; }
C
	muster cc -O1 -fno-builtin own.c -o own
	kinds='trace cov path' same_variants ./own
	cat >wrapped.c <<'C'
#include <stdio.h>
#include <stdlib.h>
void *__real_malloc(size_t n);
static int calls;
void *__wrap_malloc(size_t n) { calls++; return __real_malloc(n); }
int main(void) { free(malloc(3)); printf("%d\n", calls); return 0; }
C
	muster cc -fno-builtin -Wl,--wrap=malloc wrapped.c -o wrapped
	same_variants ./wrapped
}

test_harness() {
	cat >h.c <<'C'
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	printf("%zu %d\n", size, size > 2 && data[0] == 'x' && data[2] == 'z');
	return 0;
}
C
	printf 'xyz!' >in
	muster cc h.c -o plain
	same_variants ./plain
	same_variants ./plain in
	for kind in trace san cov path; do
		expect '4 1' "$(muster variant --kind $kind h.c)" in
	done
	muster cc -c h.c
	expect '4 1' "$(muster variant --kind trace ./h.o)" in
	if $clang -fsanitize=fuzzer h.c -o fuzzer 2>/dev/null; then
		muster cc -g -fsanitize=fuzzer,address h.c -o fuzzer
		for kind in trace san cov path; do
			expect '4 1' "$(muster variant --kind $kind ./fuzzer)" in
		done
	fi
	printf 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return n && d[n] ? 0 : 0; }\n' >over.c
	# Nothing but the harness decides on the input.
	[ "$(muster trace --input in -- ./h.c | grep -c ': branch:')" = 2 ]
	muster trace --input in -- ./h.c | grep -q 'branch: taken: len(in) > 2'
	! "$(muster variant --kind san over.c)" in 2>err
	grep -q heap-buffer-overflow err
}

test_single_file() {
	printf '#include <math.h>\n#include <stdio.h>\nint main(void) { printf("%%.1f\\n", sqrt(getchar())); return 0; }\n' >s.c
	printf d >in
	for kind in trace san cov path; do
		[ "$("$(muster variant --kind $kind s.c)" <in)" = 10.0 ]
	done
	printf 'int main(void) { return undeclared; }\n' >bad.c
	! muster variant bad.c 2>err
	grep -q "'bad.c' does not compile" err
	grep -q undeclared err
}

test_cache_is_shared() {
	prog_sources
	muster cc main.c one.c two.c low.S -o prog
	for i in 1 2 3 4; do
		muster variant --kind cov ./prog >path.$i &
	done
	wait
	cmp path.1 path.2
	cmp path.1 path.3
	cmp path.1 path.4
	[ -x "$(cat path.1)" ]
	[ "$(ls .muster/cache/cov | wc -l)" = 1 ]
	[ -z "$(find .muster -name '*.tmp')" ]
	mkdir elsewhere
	MUSTER_DIR=$PWD/elsewhere MUSTER_CACHE= muster variant --kind cov ./prog | grep -q elsewhere/cache
}

test_interrupted() {
	prog_sources
	muster cc main.c one.c two.c low.S -o prog
	muster variant --kind san ./prog >/dev/null 2>&1 &
	child=$!
	sleep 0.2
	kill -TERM $child 2>/dev/null || true
	wait $child || true
	mkdir -p .muster/cache/unit/san-0.999999999.tmp # what a kill -9 leaves is gone when the next one is done
	rm -rf .muster/cache/san # or it was done before it was stopped
	sleep 2 # its helpers end a little later
	kinds=san same_variants ./prog
	[ -z "$(find .muster -name '*.tmp')" ]
	! MUSTER_CLANG=./no-clang muster cc -c main.c 2>err
	grep -q 'cannot run .*no-clang' err
}

test_records_missing_and_damaged() {
	prog_sources
	muster cc main.c one.c two.c low.S -o prog
	units 3 ./prog
	cp prog stripped
	muster strip stripped
	same_code prog stripped
	expect "$(./prog <in)" sh -c './stripped <in'
	! muster variant ./stripped 2>err
	grep -q 'has no record' err
	strip prog -o gnu-stripped
	units 3 ./gnu-stripped
	same_variants ./gnu-stripped
	$clang -c one.c -o one.o
	muster cc main.c one.o two.c low.S -o partly
	units 2 ./partly
	grep -q 'no record: .*one.o: assembly, or made by another compiler' doctor.out
	same_variants ./partly
	! muster variant ./in 2>err
	grep -q 'neither an ELF file nor' err
	! muster variant ./nowhere 2>err
	grep -q 'there is no file' err
	head -c 3000 prog >short
	! muster variant ./short 2>err
	cat err
	[ -s err ]
	muster cc -c one.c two.c main.c
	$clang one.o two.o main.o low.S -o unlinked
	! muster variant ./unlinked 2>err
	grep -q 'no record of its link' err
	muster doctor --json ./prog >doctor.json
	grep -q '"variants": true' doctor.json
}

test_same_unit_twice() {
	printf 'static int n; int NAME(void) { return ++n; }\n' >u.c
	printf '#include <stdio.h>\nint f(void), g(void);\nint main(void) { f(); f(); printf("%%d %%d\\n", f(), g()); return 0; }\n' >main.c
	muster cc -DNAME=f -c u.c -o f.o
	muster cc -DNAME=g -c u.c -o g.o
	muster cc main.c f.o g.o -o prog
	same_variants ./prog
}

for t in archives_and_assembly one_command thin_archive_and_groups whole_archive relocatable members_of_dead_code static other_linkers \
	shared_libraries linker_scripts own_functions harness single_file cache_is_shared interrupted \
	records_missing_and_damaged same_unit_twice; do
	run $t
done
finish
