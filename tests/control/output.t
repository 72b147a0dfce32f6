#!/bin/bash
# What a program writes to its standard streams is in a replay, whatever call it used and whatever the streams are: files,
# pipes, sockets, a terminal.
. tests/lib/tap.sh
programs=$PWD/tests/control
. tests/lib/cc.sh
trap 'rm -rf "$work"' EXIT
limit="timeout -s KILL 30"
for name in output-forms output-socket; do
	gcc -std=gnu11 -O2 -g "$programs/$name-part.c" -o "$work/$name" || fail "$name compiles"
done
cd "$work" || exit 1

# The ways to run a command; standard output and error go to $1.out and $1.err.
by_file() { $limit "${@:2}" >"$1.out" 2>"$1.err"; }
by_pipe() { { $limit "${@:2}" 2>&1 >&3 | cat >"$1.err"; } 3>&1 | cat >"$1.out"; }
by_socket() { $limit ./output-socket "${@:2}" >"$1.out" 2>"$1.err"; }
by_terminal() { $limit script -qec "${*:2}" /dev/null </dev/null >"$1.out" && : >"$1.err"; }

for way in file pipe socket terminal; do
	if [ $way = terminal ] && ! command -v script >/dev/null; then
		skip "$way" "there is no script(1)"
		continue
	fi
	by_$way native ./output-forms
	by_$way run "$heddle" run --trace trace --seed 1 -- ./output-forms
	by_$way replay "$heddle" replay trace
	like "$way: the program wrote" "$(cat native.out)" '^one, two'
	for what in out err; do
		ok "$way: a run writes the same to $what" cmp native.$what run.$what
		ok "$way: a replay writes the same to $what" cmp run.$what replay.$what
	done
done
done_testing
