#!/bin/bash
# The graph of lock orders: which cycles could be a deadlock.
. tests/lib/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

ok "compiled" gcc -D_GNU_SOURCE -Iinclude -Isrc -std=gnu11 -Wall -Wextra -Werror -O1 -g -fsanitize=address,undefined \
	tests/unit/lock_graph_test.c src/model/lock_graph.c -o "$work/test" || {
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
