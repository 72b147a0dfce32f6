#!/bin/bash
# Dominators, post-dominators, loops, components: known graphs, and random ones against slow definitions.
. tests/lib/tap.sh
. tests/lib/unit.sh

ok "compiled" unit_build "analysis.a tools.a" "$work/test" tests/unit/graph_test.c || {
	done_testing
	exit
}
is "an if in a loop in a loop" "$("$work/test" known 2>&1)" "dominators - 0 1 2 2 2 5 1 6 -
post-dominators 1 - 5 5 5 6 - - - -
loops - 1 2 2 2 2 1 - - -
outer - - 1 - - - - - - -
reducible"
is "20000 random graphs" "$("$work/test" fuzz 20000 2>&1)" "both kinds"
done_testing
