#!/bin/bash
# The world forks: a copy of all threads in the middle of a run goes its own way or the same way, and neither disturbs the
# other.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
build=${BUILD:-build}
runtime=$(realpath "$build/lib/heddle/libheddle.so") || skip_all "run make first"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset HEDDLE HEDDLE_OPTIONS LD_PRELOAD
ok "the driver builds" gcc -Wall -Wextra -Werror -O1 -Iinclude tests/unit/fork_driver.c -o "$work/driver"
ok "the program builds" gcc -O1 -g -pthread tests/unit/fork_program.c -o "$work/program"

# both STRATEGY SEED FORK-AT FORK-SEED: sets $out, and $original and $copy: outcome, status, events, hash, memory
both() {
	out=$(timeout 60 "$work/driver" "$runtime" "$@" "$work/program" 2>&1)
	original=$(printf '%s\n' "$out" | sed -n 's/^original //p')
	copy=$(printf '%s\n' "$out" | sed -n 's/^copy //p')
}
# The wait status of the copy is 256 times its exit status.
ended() {
	set -- $1
	echo "$1 $2"
}
same_end() {
	set -- $1
	echo "$3 $4 $5"
}

for strategy in 0 1 2 3 4 6 7 8 9 10 11; do
	for at in 1 10 57 100 150; do
		both $strategy 7 $at 7
		is "strategy $strategy, event $at, same seed: the original ends well" "$(ended "$original")" "1 5"
		is "strategy $strategy, event $at, same seed: the copy ends well" "$(ended "$copy")" "1 1280"
		is "strategy $strategy, event $at, same seed: same events and same memory" "$(same_end "$copy")" \
			"$(same_end "$original")"
	done
done

# With another seed the copy runs another schedule, and what the original does stays as it was.
both 0 7 40 7
plain=$(same_end "$original")
differ=0
for seed in 8 9 10 11 12 13 14 15; do
	both 0 7 40 $seed
	is "seed $seed in the copy: both end well" "$(ended "$original") $(ended "$copy")" "1 5 1 1280"
	set -- $plain
	want=$2
	set -- $(same_end "$original")
	is "seed $seed in the copy: the original is not disturbed" "$2" "$want"
	set -- $(same_end "$copy")
	[ "$2" = "$want" ] || differ=$((differ + 1))
done
ok "other seeds give other schedules ($differ of 8)" [ "$differ" -ge 6 ]
like "both worlds print" "$(printf '%s\n' "$out" | grep -c '^total 60$')" '^2$'
done_testing
