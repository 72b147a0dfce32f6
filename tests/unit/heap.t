#!/bin/bash
# The allocator of the controlled world: against a model, call by call; its faults, its limits, and that the same calls
# give the same addresses.
. tests/lib/tap.sh
. tests/lib/unit.sh

flags="-D_GNU_SOURCE -Iinclude -Isrc -std=gnu11 -Wall -Wextra -Werror -O2 -g"

# build CC: the runtime's, with the checks on top
build() {
	# shellcheck disable=SC2086
	unit_runtime "$1" && $1 $flags tests/unit/heap_test.c -lc "$rt" -o "$work/heap_test-$1"
}

for cc in gcc clang-19; do
	command -v $cc >/dev/null || {
		skip "compiled by $cc" "there is no $cc"
		continue
	}
	ok "compiled by $cc" build $cc || continue
	rt=$(unit_rt $cc)
	is "$cc: needs nothing but what the runtime has" \
		"$(nm --undefined-only "${rt%rt.a}world/memory/heap.o" "${rt%rt.a}world/memory/malloc.o" | awk '/ U / { print $2 }' | sort -u |
			grep -v '^heap_\|^world_\|^_GLOBAL_OFFSET_TABLE_$' | tr '\n' ' ')" "guardian memcpy memset observer ordered_free rt_bug world "
	for check in faults sizes huge quarantine libc handlers pages limits notes; do
		ok "$cc: $check" timeout 60 "$work/heap_test-$cc" $check
	done
	ok "$cc: a million calls" timeout 120 "$work/heap_test-$cc" torture 1 1000000 0
done

test=$work/heap_test-gcc
for seed in 2 3 4; do
	ok "200000 calls, seed $seed" timeout 60 "$test" torture $seed 200000 0
done
first=$("$test" torture 5 100000 5000)
is "the same calls give the same addresses" "$(HEAP_TEST_PADDING=$work/$first "$test" torture 5 100000 5000)" "$first"
is "in another process layout, too" "$(setarch -R "$test" torture 5 100000 5000)" "$first"
[ ! -x "$work/heap_test-clang-19" ] ||
	is "whoever compiled it" "$("$work/heap_test-clang-19" torture 5 100000 5000)" "$first"
is "other calls give others" "$([ "$("$test" torture 6 100000 5000)" = "$first" ] && echo the same)" ""
done_testing
