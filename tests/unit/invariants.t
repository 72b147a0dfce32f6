#!/bin/bash
# Broken invariants: who breaks one gets a BUG with the place, and no result. And a whole program that is in order is left alone.
. tests/lib/tap.sh
. tests/lib/unit.sh

ok "compiled" unit_build "analysis.a tools.a" "$work/test" tests/unit/invariants_test.c || {
	done_testing
	exit
}
build_runtime() {
	unit_runtime gcc && gcc -D_GNU_SOURCE -Iinclude -Isrc -std=gnu11 -Wall -Wextra -Werror -g tests/unit/bug_test.c -lc "$rt" -o "$work/bug"
}
ok "compiled for the runtime" build_runtime
ulimit -c 0
cd "$work" || exit 1

# aborts CASE FILE MESSAGE
aborts() {
	got=$(timeout -s KILL 60 ./test "$1" 2>&1)
	status=$?
	is "$1: aborts" "$status" 134
	like "$1: says where and what" "$got" "^heddle: BUG at src/$2:[0-9]+: $3"
}
# explore/known.h
is "known: used as it should be" "$(./test known 2>&1)" "3 known, 3 given"
aborts known-slot explore/known.c 'nothing is known in slot 5'
aborts known-given explore/known.c '9 known ones were given, and there are 1'
aborts known-zero explore/known.c 'a key of 0 is known, in slot'
aborts known-owned explore/known.c 'slot [0-9]+ has no key and belongs to somebody'
aborts known-gone explore/known.c 'what was known in slot [0-9]+ is gone'
# analysis/program/whole.h
is "whole: a program in order" "$(./test whole 2>&1)" "in order"
aborts whole-block analysis/program/verify.c "function's blocks: 0 has rows 0 to 99 of 2"
aborts whole-owner analysis/program/verify.c 'a block of function 0 is another.s'
aborts whole-successor analysis/program/verify.c 'block 0 is followed by 77, which is not in its function'
aborts whole-operand analysis/program/verify.c 'operand 0 names row 123 of [0-9]+'
aborts whole-access analysis/program/verify.c 'an access of instruction 0 is another.s'
aborts whole-code analysis/program/verify.c 'function 0 and its code do not belong together'
aborts whole-outside analysis/program/verify.c 'object 0: the first one, and no other, is the outside'
aborts whole-address analysis/program/verify.c 'value [0-9]+ is the address of nothing'
# store/sql.h, trace/section.h, and what all of them stand on
aborts sql-end store/sql.c 'a transaction ends that did not begin'
aborts sql-values store/sql.c '1 values for "SELECT 1"'
aborts section-order trace/section.c 'section 4 of a trace is written behind section 0'
aborts strings-set base/mem.c 'set 2 of 1'
aborts map-key base/map.c 'a map gets a value without a key'
aborts variable-twice base/variables.c 'the variable PATH is there twice'

# The runtime: it goes off, once; or the world ends the run.
like "runtime: off, with the first fault" "$(./bug 2>&1)" \
	'^heddle: off: a fault of Heddle itself, please report it: tests/unit/bug_test.c:[0-9]+: the first; the program continues unobserved$'
unlike "runtime: said once" "$(./bug 2>&1)" 'the second'
like "runtime: the program goes on" "$(./bug 2>/dev/null)" '^off, and the program goes on$'
like "runtime: where a world can end it" "$(./bug ends 2>&1; echo "status $?")" '^ended: tests/unit/bug_test.c:[0-9]+: the first$'
is "runtime: which it does" "$(./bug ends >/dev/null 2>&1; echo $?)" 3
done_testing
