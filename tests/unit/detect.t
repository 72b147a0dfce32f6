#!/bin/bash
# The heart of detection against an oracle that keeps everything and compares everything: random schedules of threads, locks,
# condition variables, barriers, semaphores, atomics, fences, memory that is freed, and blocks that are made.
. tests/lib/tap.sh
. tests/lib/unit.sh
flags="-D_GNU_SOURCE -Iinclude -Isrc -Itests/unit -std=gnu11 -Wall -Wextra -Werror -O2 -g -mno-red-zone"

# build CC NAME: with the runtime
build() {
	# shellcheck disable=SC2086
	unit_runtime "$1" && $1 $flags tests/unit/detect_fuzz.c tests/unit/detect_oracle.c -lc "$rt" -o "$work/$2"
}

# build_short: with detection of short clocks, and the rest of the runtime
build_short() {
	mkdir "$work/short" && unit_runtime gcc || return
	for file in src/detect/*.c; do
		# shellcheck disable=SC2086
		gcc $flags -DCLOCK_MAX=63u -c "$file" -o "$work/short/$(basename "$file" .c).o" || return
	done
	# shellcheck disable=SC2086
	ar rcs "$work/short.a" "$work"/short/*.o &&
		gcc $flags -DCLOCK_MAX=63u tests/unit/detect_fuzz.c tests/unit/detect_oracle.c -lc "$work/short.a" "$rt" -o "$work/fuzz-short"
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
ok "compiled with short clocks" build_short
for seed in 3 4 5 6; do
	ok "short clocks, seed $seed" timeout -s KILL 600 "$work/fuzz-short" $seed 1000
done
ok "short clocks until there is no slot left" timeout -s KILL 600 "$work/fuzz-short" 7 5000 any
done_testing
