#!/bin/bash
# The heart of detection against an oracle that keeps everything and compares everything: random schedules of threads, locks,
# condition variables, barriers, semaphores, atomics, fences, memory that is freed, and blocks that are made.
. tests/lib/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
flags="-D_GNU_SOURCE -Iinclude -Isrc -Itests/unit -std=gnu11 -Wall -Wextra -Werror -O2 -g -mno-red-zone"
parts="detect order order_atomic sync vector pool shadow entry access maker"

# build CC NAME FLAGS...
build() {
	build_cc=$1 build_name=$2
	shift 2
	# shellcheck disable=SC2046,SC2086
	$build_cc $flags "$@" tests/unit/detect_fuzz.c tests/unit/detect_oracle.c src/rt/maps.c src/rt/observe.c src/rt/tally.c src/world/memory/heap.c $(printf 'src/detect/%s.c ' $parts) -o "$work/$build_name"
}

programs=${TEST_LONG:+200000}
programs=${programs:-8000}
for cc in gcc clang-19; do
	command -v $cc >/dev/null || {
		skip "compiled by $cc" "there is no $cc"
		continue
	}
	ok "compiled by $cc" build $cc "fuzz-$cc" || continue
	ok "$cc: what races is reported, what does not is not" timeout -s KILL 600 "$work/fuzz-$cc" 1 $programs
done
ok "what is reported races, also in release sequences with many heads" timeout -s KILL 600 "$work/fuzz-gcc" 2 $programs any
# Words of the shadow with few bits for clocks: threads go from slot to slot.
ok "compiled with short clocks" build gcc fuzz-short -DCLOCK_MAX=63u
for seed in 3 4 5 6; do
	ok "short clocks, seed $seed" timeout -s KILL 600 "$work/fuzz-short" $seed 1000
done
ok "short clocks until there is no slot left" timeout -s KILL 600 "$work/fuzz-short" 7 5000 any
done_testing
