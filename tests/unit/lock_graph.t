#!/bin/bash
# The graph of lock orders: which cycles could be a deadlock.
. tests/lib/tap.sh
. tests/lib/unit.sh

ok "compiled" unit_build tools.a "$work/test" tests/unit/lock_graph_test.c || {
	done_testing
	exit
}
# cycles NAME WANT: "thread:lock>lock" for each edge of a cycle, a line for each cycle
cycles() {
	is "$1" "$("$work/test" "$1" 2>&1)" "$2"
}
cycles simple "1:1>2 2:2>1"
cycles same-thread ""
cycles same-order ""
cycles gate ""
cycles no-gate "1:1>2 2:2>1"
cycles many "1:1>2 2:2>1"
cycles readers "1:1>2 2:2>1"
cycles before "1:1>2 2:2>1"
cycles three "1:1>2 2:2>3 3:3>1"
cycles limit "cut off"
done_testing
