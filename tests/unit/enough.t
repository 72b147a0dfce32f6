#!/bin/bash
# What a test estimates to be left.
. tests/lib/tap.sh
. tests/lib/unit.sh

ok "compiled" unit_build tools.a "$work/test" tests/unit/enough_test.c || {
	done_testing
	exit
}
# is known, shown, new in the last hundred, expected in the next, undiscovered at least
is "too few schedules: nothing is said" "$("$work/test" 99 new)" "0 99 99 0 0"
is "all schedules show the same: nothing is left" "$("$work/test" 200 same)" "1 1 0 0 0"
is "each shows something of its own: so will the next" "$("$work/test" 200 new)" "1 200 100 100 19900"
is "each thing was seen twice: nothing is expected" "$("$work/test" 200 twice)" "1 100 50 0 0"
done_testing
