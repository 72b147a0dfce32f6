#!/bin/bash
# Functions are switched to their clones and back while threads call them; entries that cannot be are refused.
. tests/lib/tap.sh
. tests/lib/unit.sh

build() {
	unit_runtime "$1" && $1 -D_GNU_SOURCE -Iinclude -Isrc -std=gnu11 -Wall -Wextra -Werror -O2 -g -pthread tests/unit/live_test.c -lc "$rt" -o "$work/live_test-$1"
}

for cc in gcc clang-19; do
	ok "compiled by $cc" build $cc || continue
	for check in threads refused; do
		ok "$cc: $check" timeout 120 "$work/live_test-$cc" $check
	done
done
done_testing
