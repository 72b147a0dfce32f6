#!/bin/bash
# Points-to: small programs with known answers, and random ones against a solver that is slow and obvious.
. tests/lib/tap.sh
. tests/lib/unit.sh

ok "compiled" unit_build "analysis.a tools.a" "$work/test" tests/unit/points_test.c || {
	done_testing
	exit
}
"$work/test" known >"$work/known" 2>&1
while read -r word rest; do
	case $word in
	ok) pass "$rest" ;;
	not) fail "${rest#ok }" ;;
	*) diag "$word $rest" ;;
	esac
done <"$work/known"
is "all known programs ran" "$(grep -c -E '^(not )?ok ' "$work/known")" 37
ok "random programs: the same sets as those of the obvious solver" timeout -s KILL 300 "$work/test" random 1 "${TEST_LONG:+20000}${TEST_LONG:-400}"
ok "... at least what it has where objects are lumped together" timeout -s KILL 300 "$work/test" lump 1 "${TEST_LONG:+20000}${TEST_LONG:-400}"
done_testing
