#!/bin/bash
# The recorder of guarded accesses against the algorithm of the paper; histories of training; stacks of threads.
. tests/lib/tap.sh
. tests/lib/unit.sh

build() {
	unit_runtime "$1" && $1 -D_GNU_SOURCE -Iinclude -Isrc -std=gnu11 -Wall -Wextra -Werror -O2 -g -pthread tests/unit/recorder_test.c -lc "$rt" \
		-o "$work/recorder_test-$1"
}

for cc in gcc clang-19; do
	ok "compiled by $cc" build $cc || continue
	for seed in 1 2 3; do
		for check in exact small; do
			ok "$cc: $check, seed $seed" timeout 120 "$work/recorder_test-$cc" $check $seed
		done
	done
	for check in threads histories overlaps looks spread stack; do
		ok "$cc: $check" timeout 120 "$work/recorder_test-$cc" $check
	done
done
done_testing
