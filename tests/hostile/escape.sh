#!/bin/sh
# escape.sh: 59 programs that try to get out of the sandbox (escape.c): delete, write, connect, fork, ptrace, kill, mount, exec, setuid.
# They belong to the user who runs them, or everybody may write them: nothing but the sandbox stands in the way. Afterwards a tree of
# files and a process outside of it, which notes whatever reaches it, must be as they were.
#
#   escape.sh        as the user who calls it: all of them in one run, as the program itself and as its trace variant (a fork server),
#                    with namespaces, where the kernel refuses them, and in a container without rights
#   escape.sh -a     each by itself; as root also as another user. Then without a sandbox, where at least 30 of them must succeed
#   escape.sh -1 NAME REFUSE USER   one of them: REFUSE is nothing, namespaces or container, USER is root, private (root, in a directory of his own) or other
set -u
here=$(cd "$(dirname "$0")" && pwd)
muster=$(cd "$(dirname "${MUSTER:-$here/../../build/muster}")" && pwd)/muster
work=$(mktemp -d /var/tmp/muster-escape-XXXXXX) || exit 1
victim=
trap 'rm -f "$work"/*/tree/pid; [ -z "$victim" ] || wait $victim 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
chmod 755 "$work"
unset MUSTER_CACHE # make's is closed to another user: each has one of his own, below MUSTER_DIR
failed=0
count=0
clang-19 -w -O1 "$here/refuse.c" -o "$work/refuse" || exit 1

# The user of this part: a home, a tree to spoil, a program.
begin() { # USER
	user=$1 home=$work/$1 as= tree=$work/$1/tree
	[ "$user" = other ] && as='setpriv --reuid 65534 --regid 65534 --clear-groups'
	mkdir -p "$tree/empty"
	chmod 777 "$tree" "$tree/empty"
	[ -z "$as" ] || chown 65534:65534 "$home" "$tree" "$tree/empty"
	cd "$home" || exit 1
	HOME=$home MUSTER_DIR=$home/.muster ESCAPE=$tree
	export HOME MUSTER_DIR ESCAPE
	$as "$muster" cc -w -O1 "$here/escape.c" -o escape -lpthread || exit 1
	echo input >in
	echo mine >mine
	chmod 666 in mine
	$as ./escape victim &
	victim=$!
	while [ ! -s "$tree/pid" ]; do sleep 0.02; done
	[ "$user" != private ] || chmod 700 "$home" # nobody could run it: root stays root
	lay_out
}

lay_out() {
	for f in file other; do
		rm -rf "${tree:?}/$f"
		$as sh -c "printf 'kept %04000d\n' 0 >'$tree/$f'" # everybody's, so that modes are no obstacle
		$as chmod 666 "$tree/$f"
	done
	cp escape "$tree/helper"
	chmod 4755 "$tree/helper" # as root: set-user-id root
	look >"$work/before"
}

look() { # times of change tell what else would not be seen
	(cd "$tree" && find . ! -name events ! -name pipe -printf '%p %y %m %U %G %s %T@ %C@ %l\n' | sort && cat file other)
	cat "$home/mine" "$tree/events"
	ls "$home"/mine*
	uname -n
	cat /proc/sys/kernel/domainname
}

# after WHAT: says what WHAT changed.
after() {
	sleep 0.05
	look >"$work/after" 2>&1
	kill -0 $victim 2>/dev/null || echo "the process outside is gone" >>"$work/after"
	cmp -s "$work/before" "$work/after"
}

# try WHAT REFUSE COMMAND...: runs muster and looks.
try() {
	what=$1 refuse=$2
	shift 2
	count=$((count + 1))
	# shellcheck disable=SC2086
	timeout 60 $as ${refuse:+"$work/refuse"} $refuse "$muster" "$@" >"$work/out" 2>&1
	status=$?
	if [ $status -ge 2 ] && [ $status -ne 3 ]; then
		echo "not ok $what ($user${refuse:+, no $refuse}): status $status"
		sed 's/^/    /' "$work/out" | head -n 5
		failed=1
	fi
	after && return
	echo "not ok $what ($user${refuse:+, no $refuse}):"
	diff "$work/before" "$work/after" | cut -c 1-150 | sed 's/^/    /' | head -n 8
	failed=1
	: >"$tree/events"
	lay_out
}

each() { # REFUSE
	for n in $(./escape list); do try "$n" "$1" replay --variant plain in -- ./escape "$n" @@; done
}

together() { # REFUSE
	try all "$1" replay --variant plain --time 30 in -- ./escape all @@
	try 'all, traced' "$1" trace --summary --time 30 --input in -- ./escape all @@
}

whole() {
	begin "$1"
	together ''
	[ "$1" = private ] || together namespaces
	[ "$1" = private ] || together container
	[ "$2" = -a ] || return
	each ''
	each namespaces
	each container
}

# They can: without a sandbox most of them succeed. Not those that would hurt the machine.
unconfined() {
	succeeded=0
	for n in $(./escape list | grep -vE '^(settings|devices|bomb|remount|umount|unshare|clone|setns|ring|vfork|exec|setuid_program)$'); do
		timeout 60 "$muster" replay --sandbox off --variant plain in -- ./escape "$n" @@ >"$work/out" 2>&1
		after || succeeded=$((succeeded + 1))
		rm -rf "${tree:?}"/new* "$tree/moved" "$tree/hardlink" "$home"/mine*
		echo mine >"$home/mine"
		mkdir -p "$tree/empty"
		: >"$tree/events"
		lay_out
	done
	[ $succeeded -ge 30 ] || { echo "not ok: only $succeeded programs can do what they try, without a sandbox"; failed=1; }
}

end() {
	rm -f "$tree/pid"
	wait $victim 2>/dev/null
	victim=
}

me=root
[ "$(id -u)" = 0 ] || me=user
case ${1:-} in
-1)
	begin "$4"
	try "$2" "$3" replay --variant plain in -- ./escape "$2" @@
	cat "$work/out"
	;;
*)
	whole $me "${1:-}"
	[ "${1:-}" != -a ] || unconfined
	end
	if [ $me = root ]; then
		whole private "${1:-}"
		end
	fi
	if [ $me = root ] && setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$muster"; then
		whole other "${1:-}"
		end
	fi
	;;
esac
[ $failed -eq 0 ] && echo "ok: $count runs, nothing outside changed"
exit $failed
