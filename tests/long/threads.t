#!/bin/bash
# A program that makes more threads than there is room for at a time, one after the other: the same as without control, the
# same again, and the same in a replay.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
programs=$PWD/tests/control
. tests/lib/cc.sh
threads=70000
limit="timeout -k 5 600"
gcc -std=gnu11 -O2 -pthread "$programs/thread-forever.c" -o forever || exit 1

# run NAME COMMAND...: prints what it should, and its last line goes to NAME.hash
run() {
	local name=$1
	shift
	$limit "$@" >"$name.out" 2>"$name.err"
	sed -n 's/.*event hash //p' "$name.err" >"$name.hash"
	[ "$(cat "$name.out")" = "$threads threads" ]
}

ok "native" run native ./forever $threads
ok "under control" run first "$heddle" run --stats --seed 5 --trace trace -- ./forever $threads
ok "again" run second "$heddle" run --stats --seed 5 -- ./forever $threads
ok "the same events" cmp first.hash second.hash
ok "something was told" test -s first.hash
ok "a replay" run replay "$heddle" replay --stats trace
ok "the same events in the replay" cmp first.hash replay.hash
done_testing
