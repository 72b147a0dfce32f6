#!/bin/sh
# demo.sh: Heddle on three small programs with threads: a race that matters, one that does not, and a deadlock: found,
# explained with the threads side by side, and run again. What it prints is a transcript: lines that begin with # explain.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
PATH=${HEDDLE_BIN:-$top/build/bin}:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
cd "$work"
unset HEDDLE_STORE HEDDLE_SUPPRESSIONS

say() {
	printf '\n'
	printf '%s\n' "$1" | sed 's/^/# /'
}

# show STATUS COMMAND: prints the command and what it prints; it must end with that status
show() {
	printf '\n$ %s\n' "$2"
	status=0
	(eval "$2") 2>&1 || status=$?
	[ "$status" -eq "$1" ]
}

cp "$top/examples/tickets.c" "$top/examples/harmless.c" "$top/examples/deadlock.c" .

say 'tickets.c sells the last ticket at two counters. Built with heddle-cc instead of cc it is an
ordinary program, as fast as any, and nearly always right:'
show 0 'heddle-cc -O1 -g -pthread tickets.c -o tickets'
show 0 ./tickets
say 'Heddle runs it under 200 schedules of its own choice, and reports what went wrong and how. It also
runs both orders of each data race and reports which races matter:'
show 1 'heddle test --runs 200 -- ./tickets'
say 'H1 is a data race, and H2 is its consequence. harmless.c has a data race, too, but nothing
depends on it:'
show 0 'heddle-cc -O1 -g -pthread harmless.c -o harmless'
show 1 'heddle test --runs 200 -- ./harmless'
say 'deadlock.c locks two mutexes in opposite order, which rarely goes wrong in a normal run:'
show 0 'heddle-cc -O1 -g -pthread deadlock.c -o deadlock'
show 0 ./deadlock
show 1 'heddle test --runs 200 -- ./deadlock'
say 'Findings are kept, and have the same id in the next test and in the next build:'
show 0 'heddle list'
say 'The run that shows a finding can be replayed, exactly and as often as you like; here event by
event, one column per thread. With --gdb it runs in gdb, stopped at the failure:'
show 1 'heddle replay --columns H4 2>/dev/null'
