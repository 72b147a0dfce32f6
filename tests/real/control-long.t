#!/bin/bash
# A program that runs for a minute under control: by waiting for a slow input, and by work. Work takes as many seconds as
# LONG_SECONDS says, by default 10, and is done four times: woven and not, and in the replays.
cd "$(dirname "$0")/../.." || exit 1
. tests/real/lib.sh ""
. tests/real/control.sh
seconds=${LONG_SECONDS:-10}

ok "the program is woven" "${HEDDLE_CC:-$bin/heddle-cc}" -O2 -g -pthread tests/real/long.c -o "$work/long"

# The minute of waiting passes while the rest is tested. Nothing of it is waited for in the replay.
mkfifo "$work/slow"
for i in {1..20}; do
	sleep 3
	echo "line $i"
done >"$work/slow" &
feeder=$!
(
	input() { bounded 120 bash -c '"$@" <"$0"' "$work/slow" "$bin/heddle" run --stats --trace "$work/wait.trace" -- "$work/long" wait; }
	input >"$work/wait.out" 2>"$work/wait.err"
	echo $? >"$work/wait.status"
) &
waiter=$!

# take KIND OPTIONS...: as many items as take so many seconds, as a short run promises.
take() {
	local kind=$1 before items=100
	shift
	before=$EPOCHREALTIME
	bounded 60 "$bin/heddle" run "$@" -- "$work/long" work $items >/dev/null 2>&1
	items=$(awk -v n=$items -v begin="$before" -v end="$EPOCHREALTIME" -v want="$seconds" \
		'BEGIN { printf "%d", n * want / (end - begin) + 1 }')
	controlled "$kind" $((seconds * 10 + 60)) "$@" -- "$work/long" work "$items"
	same "$kind: right results" "$(cat "$work/$kind.out")" "$("$work/long" work "$items")" || diag "$(tail -n 20 "$work/$kind.err")"
	replays "$kind" $((seconds * 10 + 60))
}
take "synchronisation only" --switch none
take "woven" --strategy pct

wait "$feeder" "$waiter"
is "waiting: all lines came" "$(tail -n 1 "$work/wait.out")" "10 and 10 lines" || diag "$(tail -n 20 "$work/wait.err")"
begin=$SECONDS
replays "wait" 60
ok "waiting: the replay does not wait" test $((SECONDS - begin)) -lt 20
done_testing
