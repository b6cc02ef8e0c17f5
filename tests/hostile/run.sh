#!/bin/sh
# run.sh: targets that misbehave and inputs that cannot be used, through `muster trace`: the exit code, the words,
# and nothing left: no process (all carry a marker in their environment), no file.
set -u
here=$(cd "$(dirname "$0")" && pwd)
muster=$(cd "$(dirname "${MUSTER:-$here/../../build/muster}")" && pwd)/muster
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
MUSTER_DIR=$work/project
MUSTER_HOSTILE_SHELL=$$
TMPDIR=$work/tmp
export MUSTER_DIR MUSTER_HOSTILE_SHELL TMPDIR
mkdir "$TMPDIR"
failed=0
count=0

bad() {
	echo "not ok $name: $*"
	sed 's/^/    /' "$work/err" | head -n 8
	failed=1
}

# Processes of the test: the marker, and a program in the work directory or a keeper.
leftovers() {
	for p in /proc/[0-9]*; do
		case $(readlink "$p/exe" 2>/dev/null) in
		"$work"/* | */muster-keeper*)
			tr '\0' '\n' <"$p/environ" 2>/dev/null | grep -q "^MUSTER_HOSTILE_SHELL=$$\$" && echo "$p" ;;
		esac
	done
}

# expect NAME CODE WORDS ARGUMENTS: words are searched in both outputs.
expect() {
	name=$1 code=$2 words=$3
	shift 3
	count=$((count + 1))
	timeout 120 "$muster" trace --summary "$@" >"$work/out" 2>"$work/err"
	status=$?
	[ $status -eq "$code" ] || bad "exit code $status, not $code"
	cat "$work/out" "$work/err" | grep -Fq -- "$words" || bad "does not say \"$words\""
	left=$(leftovers)
	[ -z "$left" ] || bad "left behind: $left"
	[ -z "$(ls "$TMPDIR")" ] || bad "left behind: $(ls "$TMPDIR")"
}

cd "$work" || exit 1
"$muster" cc -O1 -w "$here/hostile.c" -o hostile || exit 1
printf input >in

expect exit 0 'exited with code 3' -- ./hostile exit3
expect crash 0 'SIGSEGV' -- ./hostile crash
expect abort 0 'SIGABRT' -- ./hostile abort
expect spin 3 '"end": "time-limit"' --time 1 -- ./hostile spin
expect deaf 3 'What does it wait for?' --time 1 -- ./hostile deaf
expect limits 3 '"end": "time-limit"' --time 1 -- ./hostile limits
expect children 3 '"end": "process-limit"' -- ./hostile children
expect many 0 'exited with code 0' -- ./hostile many
expect memory 3 'Give it more with --mem' --mem 100 -- ./hostile memory
expect shared-memory 3 '"end": "memory-limit"' --mem 100 -- ./hostile shared-memory
expect close 0 'exited with code 5' -- ./hostile close
expect daemon 0 'exited with code 0' -- ./hostile daemon
expect nest 0 'exited with code 0' -- ./hostile nest
expect runner 0 'exited with code 0' -- ./hostile runner
expect kill-parent 0 '"end": ' -- ./hostile kill-parent
expect kill-parents 0 '"end": ' -- ./hostile kill-parents
expect stop-parent 0 'exited with code 4' -- ./hostile stop-parent
expect stop 3 'stopped itself' -- ./hostile stop
expect delete 0 'exited with code 2' --input in -- ./hostile delete @@
expect litter 0 'exited with code 0' --input in -- ./hostile litter @@
expect scribble 3 'wrote over the trace' -- ./hostile scribble
expect repeat 0 'exited with code 0' --repeat 3 -- ./hostile daemon

expect no-program 2 './no-such-file' -- ./no-such-file
expect no-elf 2 'neither an ELF file' -- ./in
expect no-record 2 'muster cc' -- /bin/true
expect no-input 2 'no-such-input' --input no-such-input -- ./hostile exit3 @@
expect no-file-for-@@ 2 '@@' -- ./hostile exit3 @@
: >empty
expect empty 0 'exited with code 0' --input empty -- ./hostile count
truncate -s 2G huge
expect huge 2 '67108864' --input huge -- ./hostile count
rm huge

name=ulimit
count=$((count + 1))
(
	ulimit -v 4000000
	"$muster" trace --summary -- ./hostile exit3 >"$work/out" 2>"$work/err"
)
[ $? -eq 2 ] || bad "exit code"
grep -q 'ulimit -v unlimited' "$work/err" || bad "does not say what to do"

# Interrupted in the middle of a run.
name=interrupt
count=$((count + 1))
"$muster" trace --summary -- ./hostile deaf >/dev/null 2>"$work/err" &
pid=$!
"$muster" trace --summary -- ./hostile sleep >/dev/null 2>"$work/err" &
pid2=$!
sleep 1
[ "$(leftovers | wc -l)" -ge 4 ] || bad "the test does not see its own processes"
kill -TERM $pid2
kill -KILL $pid 2>/dev/null
wait $pid $pid2 2>/dev/null
sleep 1
[ -z "$(leftovers)" ] || bad "left behind: $(leftovers)"
[ -z "$(ls "$TMPDIR")" ] || bad "left behind: $(ls "$TMPDIR")"

[ $failed -eq 0 ] && echo "ok: $count hostile targets and inputs"
exit $failed
