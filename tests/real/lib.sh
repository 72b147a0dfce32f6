# lib.sh: what the tests of real programs share. Source it from the top of the project with the name of the program, or
# with an empty name when there is none to build:
#   . tests/real/lib.sh NAME
# It fetches and builds the program (or skips the whole file, loudly, when its source cannot be had; sources.t demands
# that at most one is missing), and sets
#   top     the project              woven   the folder of the woven build
#   work    a folder to write to     plain   the folder of the plain build, after need_plain
# HEDDLE_BIN names another folder with heddle and heddle-cc. REAL_CC=1 with HEDDLE_CC=clang-19 HEDDLE_CXX=clang++-19
# tries the scripts themselves, with a compiler that does not weave: every mode is then a plain run.
. tests/lib/tap.sh
program=$1
top=$PWD
bin=${HEDDLE_BIN:-$top/build/bin}
modes="dormant switched counted"

if [ -n "$program" ] && ! message=$(tests/real/fetch "$program" 2>&1 >/dev/null); then
	diag "SKIPPED: $program was not tested. $message"
	skip_all "the source of $program cannot be had"
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/heddle-real.XXXXXX")
# Process groups that are running, one file each: commands are started in subshells, which cannot set a variable here.
mkdir "$work/groups"
finish() {
	local file
	for file in "$work"/groups/*; do
		[ ! -e "$file" ] || kill -KILL -- "-${file##*/}" 2>/dev/null
	done
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' INT TERM HUP

if [ -z "$program" ]; then
	woven=
elif woven=$(tests/real/build "$program" woven 2>"$work/build.err"); then
	pass "$program builds with CC=heddle-cc"
else
	fail "$program builds with CC=heddle-cc"
	diag "$(cat "$work/build.err")"
	done_testing
fi

need_plain() {
	plain=$(tests/real/build "$program" plain 2>"$work/build.err") && return
	fail "$program builds with plain clang"
	diag "$(cat "$work/build.err")"
	done_testing
}

# bounded SECONDS COMMAND...: runs it in a process group of its own and, when it ends or its time is over, ends what is
# left of the group, so that no server stays behind. Standard input is empty.
bounded() {
	local seconds=$1 status=0
	shift
	timeout -k 5 "$seconds" "$@" </dev/null &
	local group=$!
	: >"$work/groups/$group"
	wait "$group" || status=$?
	kill -TERM -- "-$group" 2>/dev/null
	rm -f "$work/groups/$group"
	return $status
}

# in_mode MODE SECONDS COMMAND...: COMMAND and everything it starts, with the clones as MODE says. What heddle itself
# prints goes to standard error with the rest.
in_mode() {
	local mode=$1 seconds=$2
	shift 2
	[ -z "${REAL_CC:-}" ] || mode=dormant
	case $mode in
	dormant) bounded "$seconds" "$@" ;;
	switched) bounded "$seconds" "$bin/heddle" run --free --switch all -- "$@" ;;
	counted) bounded "$seconds" "$bin/heddle" run --count -- "$@" ;;
	esac
}

# check_woven FILE: what holds for every woven program.
check_woven() {
	local name
	name=$(basename "$1")
	[ -z "${REAL_CC:-}" ] || return 0
	like "$name has sites" "$("$bin/heddle" sites --summary "$1" 2>&1)" '[1-9][0-9]* .*sites|sites.* [1-9][0-9]*'
	unlike "$name does not depend on the runtime" "$(readelf -dW "$1")" 'NEEDED.*heddle'
}

# check_size PLAIN WOVEN: at most 2.5 times the code.
check_size() {
	local before after name
	name=$(basename "$2")
	before=$("$top/tests/lib/code-bytes" "$1")
	after=$("$top/tests/lib/code-bytes" "$2")
	ok "$name: at most 2.5 times the code of a plain build ($before to $after bytes)" \
		test "$before" -gt 0 -a $((after * 10)) -le $((before * 25))
}

# check_static PROGRAM: heddle check comes to its end within 4 GB, and has candidates, of sites that the program has.
check_static() {
	local name status
	[ -z "${REAL_CC:-}" ] && [ -x "$bin/../lib/heddle/heddle-analyse" ] || return 0
	name=$(basename "$1")
	"$bin/heddle" check --memory 4096 --top 1 "--json=$work/static.json" "$1" >"$work/static" 2>&1
	status=$?
	is "$name: heddle check comes to its end" "$status" 1 || diag "$(tail -n 5 "$work/static")"
	is "$name: what it finds is at sites" "$(jq '[.findings[0].sites[0:2][].site | numbers] | length' "$work/static.json")" 2
}

# check_counts FILE: the table that heddle run --count printed.
check_counts() {
	[ -n "${REAL_CC:-}" ] || like "accesses were counted" "$(cat "$1")" '[0-9]{3,}'
}
