#!/bin/sh
# run.sh: no variant loses a defect. Each program here has one, on the line that ends in HERE; its opening comment
# says what must be seen:
#   site: KIND     an instruction of the normal form on that line (tests/unit/test_defects.c)
#   san: WORDS     the san variant prints these, and the line
#   signal: N      the other variants die of this signal, as the plain machine would
#   status: N      or they end with this status; otherwise their end is not looked at
# The san variant must stay silent where no words are given.
set -u
here=$(cd "$(dirname "$0")" && pwd)
muster=${MUSTER:-$here/../../build/muster}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
MUSTER_DIR=$work/project
export MUSTER_DIR
failed=0
count=0

value() { sed -n "s/^ \\* $1: //p" "$2"; }

bad() {
	echo "not ok $name: $*"
	sed 's/^/    /' "$work/out" | head -n 12
	failed=1
}

run() { # run KIND: into $work/out, and its status
	program=$("$muster" variant --kind "$1" "$file" 2>"$work/out") || return 255
	# The shell that reports a signal is not ours.
	sh -c '"$1" </dev/null >"$2" 2>&1' sh "$program" "$work/out" 2>/dev/null
}

for file in "$here"/*.c; do
	name=$(basename "$file" .c)
	count=$((count + 1))
	words=$(value san "$file")
	line=$(grep -n HERE "$file" | cut -d: -f1)
	run san
	status=$?
	if [ $status -eq 255 ]; then
		bad "there is no san variant"
	elif [ -z "$words" ]; then
		grep -Eq 'runtime error|Sanitizer' "$work/out" && bad "the san variant should be silent"
	elif ! grep -Fq -- "$words" "$work/out" || ! grep -q "$name\\.c:$line" "$work/out"; then
		bad "the san variant does not say \"$words\" for line $line"
	fi
	signal=$(value signal "$file")
	expected=$(value status "$file")
	[ -z "$signal" ] || expected=$((128 + signal))
	[ -n "$expected" ] || continue
	for kind in cov path trace; do
		run $kind
		status=$?
		if [ $status -eq 255 ]; then
			bad "there is no $kind variant"
		elif [ $status -ne "$expected" ]; then
			bad "the $kind variant ends with $status, not $expected"
		fi
	done
done
[ $failed -eq 0 ] && echo "ok $count defects, each seen by the san variant and kept by the others"
exit $failed
