#!/bin/sh
# limits.sh: phases other than runs of hostile targets: seeds by the thousand, a unit that takes long to compile, and signals in each phase.
# --time S is over at S + 10 % + 1 s, a signal ends within a second; what was built is kept.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
build=${MUSTER_BUILD:-$here/build}
PATH=$build:$PATH
export PATH
dir=$(mktemp -d "${TMPDIR:-/tmp}/muster-time.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
MUSTER_DIR=$dir/.muster
XDG_CACHE_HOME=$dir/cache
export MUSTER_DIR XDG_CACHE_HOME
failed=0

within() { "$here/tests/time/within" "$@" || failed=1; }
# FILE WORDS: the words stand in it.
says() {
	grep -q -e "$2" "$1" || {
		echo "    '$2' does not stand in $1:"
		head -5 "$1"
		failed=1
	}
}

cat >small.c <<'END'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	unsigned char b[64];
	size_t n = fread(b, 1, sizeof b, stdin);
	unsigned long h = 0;
	usleep(1000);
	for (size_t i = 0; i < n; i++)
		if (b[i] > h % 251)
			h = h * 31 + b[i];
	return h % 2;
}
END
# Two functions with some ten thousand branches each: minutes of code generation.
{
	for f in f g; do
		echo "int $f(unsigned char *b) { int r = 0;"
		for i in $(seq 6000); do echo "if (b[$i % 61] * $i % 251 > b[$i % 59]) r += $i; else r ^= b[$i % 7];"; done
		echo "return r; }"
	done
	echo "#include <stdio.h>"
	echo "int main(void) { unsigned char b[64] = {0}; fread(b, 1, 64, stdin); return (f(b) ^ g(b)) & 1; }"
} >large.c
mkdir seeds
for i in $(seq 3000); do echo "seed $i $i" >seeds/$i; done

muster cc -w -g small.c -o small || exit 1
muster fuzz -q --runs 10 -o first -- ./small >/dev/null 2>&1
within "fuzz, 3000 seeds" 3.2 muster fuzz -q --json --time 2 -i seeds -o many -- ./small
says out '"status": "budget"'
within "fuzz --runs, 3000 seeds" 20 muster fuzz -q --json --no-mutate --time 30 --runs 300 -i seeds -o few -- ./small
runs=$(sed -n 's/.*"runs": \([0-9]*\).*/\1/p' out | head -1)
[ "${runs:-9999}" -le 400 ] || { echo "    --runs 300 ran $runs times"; failed=1; }
muster cc -w -O0 large.c -o large || exit 1
within "fuzz, a large unit" 3.2 muster fuzz -q --json --time 2 -o l -- ./large
says out '"status": "budget"'
# The two functions are parts: each is compiled in a process of its own.
within "fuzz, a large unit in parts" 3.2 env MUSTER_PART_SIZE=20000 muster fuzz -q --json --time 2 -o l -- ./large
says out '"status": "budget"'
within "test, a large unit" 3.2 muster test -q --json --time 2 large.c
says out '"status": "budget"'
# 118,098 paths are more than any machine runs in that time. One function, or functions that did not come to an end, use the rest of the time; what is complete does not wait for it.
cat >rest.c <<'END'
int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k)
{
	int r = 0;
	if (a > 1) r++; if (b > 2) r++; if (c > 3) r++; if (d > 4) r++; if (e > 5) r++; if (f > 6) r++; if (g > 7) r++; if (h > 8) r++;
	if (i > 1) r++; if (j > 2) r++; if (k > 3) r++; if (i == 4) r++; if (j == 4) r++; if (k == 5) r++;
	if (a == 5) r++; if (b == 6) r++; if (c == 7) r++; if (d == 8) r++; if (e == 9) r++; if (f == 9) r++; if (g == 9) r++;
	return r;
}
int few(int x) { return x > 3 ? x : 3; }
END
for what in rest.c:many rest.c; do
	rm -rf .muster
	start=$(date +%s%N)
	within "test uses the rest: $what" 7.6 muster test -q --json --time 6 $what
	[ $((($(date +%s%N) - start) / 1000000)) -ge 5000 ] || { echo "    it ended too early"; failed=1; }
	says out '"status": "budget"'
	kept=$(python3 -c 'import json; r = json.load(open("out")); print(sum(len(f["tests"]) if isinstance(f["tests"], list) else f["tests"] for f in r["functions"]))')
	stored=$(muster show tests --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["tests"]))')
	[ "$kept" = "$stored" ] || { echo "    $kept tests, $stored in the store"; failed=1; }
done
within "test waits for nobody" 20 muster test -q --json --time 30 rest.c:few
says out '"status": "complete"'
for s in SIGINT SIGTERM; do
	within "$s of a build" 1 --signal $s 2 --dies muster build -- sh -c '$CC -w -O2 large.c -o large; $CC -w -O3 large.c -o large'
	within "$s while building" 1 --signal $s 1 muster fuzz -q -o l -- ./large
	within "$s while building parts" 1 --signal $s 2 env MUSTER_PART_SIZE=20000 muster fuzz -q -o l -- ./large
	within "$s while test builds" 1 --signal $s 1 muster test -q large.c
	within "$s while searching" 1 --signal $s 2 muster fuzz -q -o s -- ./small
	says out '^interrupted'
	within "$s of two workers" 1 --signal $s 2 muster fuzz -q -j2 -o s -- ./small
	within "$s while testing" 1 --signal $s 2 muster test -q --function-time 60 small.c
done
exit $failed
