# lib.sh: what the build tests share. Each test is a function run in an empty directory of its own, with
# -e: the first failing command fails it.
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
PATH=$top/build:$PATH
export PATH
failed=0
clang=clang-19

run() { # run NAME: the test is the function test_NAME
	dir=$(mktemp -d)
	# Not inside a condition, where the shell would ignore -e.
	(
		set -e
		cd "$dir"
		MUSTER_CACHE=$dir/.muster/cache # of its own, not the user's
		export MUSTER_CACHE
		"test_$1"
	) >"$dir.log" 2>&1
	if [ $? -eq 0 ]; then
		echo "ok $1"
	else
		echo "not ok $1"
		sed 's/^/    /' "$dir.log" | tail -n 30
		failed=$((failed + 1))
	fi
	rm -rf "$dir" "$dir.log"
}

finish() {
	[ "$failed" -eq 0 ] || { echo "$failed failed"; exit 1; }
}

# Every loaded section of two files is the same.
same_code() {
	for file in "$1" "$2"; do
		cp "$file" same.tmp
		objcopy --remove-section=.muster --remove-section=.note.gnu.build-id same.tmp
		# Contents of allocated sections, with their addresses.
		objdump -s $(readelf -SW same.tmp | sed -n 's/^ *\[ *[0-9]*\] \([^ ]*\) .* [WXMSTILO]*A[A-Z]* .*/-j \1/p' | grep -v gnu.build-id) same.tmp |
			sed '/file format/d' >"same.$(basename "$file").dump"
		readelf -sW same.tmp | awk '{ print $2, $3, $4, $5, $6, $8 }' | grep -v FILE >"same.$(basename "$file").symbols"
	done
	[ -s "same.$(basename "$1").dump" ]
	cmp "same.$(basename "$1").dump" "same.$(basename "$2").dump"
	cmp "same.$(basename "$1").symbols" "same.$(basename "$2").symbols"
}

# expect TEXT COMMAND...: the command prints exactly this.
expect() {
	want=$1
	shift
	got=$(timeout 60 "$@" 2>&1) || { echo "status $? from $*: $got"; return 1; }
	[ "$got" = "$want" ] || { echo "expected '$want', got '$got' from $*"; return 1; }
}

# All variants of the program print what it prints: same_variants PROGRAM [ARGUMENTS], input in ./in if there.
same_variants() {
	[ -f in ] || : >in
	program=$1
	shift
	"$program" "$@" <in >native.out 2>&1 && native=0 || native=$?
	for kind in ${kinds:-trace san cov path}; do
		variant=$(muster variant --kind $kind "$program")
		timeout 60 "$variant" "$@" <in >variant.out 2>&1 && status=0 || status=$?
		[ $status -eq $native ] || { echo "$kind: status $status, natively $native"; cat variant.out; return 1; }
		cmp native.out variant.out || { echo "$kind:"; cat variant.out; return 1; }
	done
}

# units N PROGRAM: that many units have a record.
units() {
	muster doctor "$2" | tee doctor.out | grep -q "^.*: $1 units\{0,1\} with" || { cat doctor.out; return 1; }
}
