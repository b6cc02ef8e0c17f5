#!/bin/sh
# given.sh: a search that takes all of --time leaves some for the calls that keep a contract, and for the next file: a function of one line is verified given its contract beside one that no budget exhausts, and another file is tested, too.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
PATH=${MUSTER_BUILD:-$here/build}:$PATH
export PATH
dir=$(mktemp -d "${TMPDIR:-/tmp}/muster-time.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export MUSTER_DIR="$dir/.muster" XDG_CACHE_HOME="$dir/cache"

cat >f.c <<'END'
unsigned mix(unsigned a, unsigned b, const unsigned char *s, unsigned n)
{
	unsigned h = n ? s[n - 1] : 0;
	for (unsigned i = 0; i < 32; i++)
		h = a >> i & 1 ? h * 31 + b : b >> i & 1 ? h ^ a : h + 7;
	return h;
}
int first(const int *p) { return *p; }
END
echo 'int second(int x) { return x > 5 ? 1 : 2; }' >g.c
muster test --report contracts -j1 -q --time 24 f.c g.c >out 2>&1
if ! grep -q '^mix .*explored' out || ! grep -q '^first .*verified given' out || ! grep -q '^second .*verified ' out; then
	echo "not ok given"
	cat out
	exit 1
fi
echo "ok given"
