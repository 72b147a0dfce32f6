#!/bin/sh
# demo.sh: Heddle on four small programs with threads: a race that matters, one that does not, and a deadlock: found,
# explained with the threads side by side, and run again; and a bug that no test found, prevented. What it prints is a transcript: lines that begin with # explain.
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

# show_usual STATUS PATTERN COMMAND: the same of a native run. What it does depends on when its threads get a processor: where others
# use them all, it is made again until it ends with that status and prints what the pattern matches
show_usual() {
	printf '\n$ %s\n' "$3"
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		status=0
		said=$( (eval "$3") 2>&1) || status=$?
		if [ "$status" -eq "$1" ] && printf '%s\n' "$said" | grep -q "$2"; then
			printf '%s\n' "$said"
			return
		fi
	done
	printf '%s\n' "$said"
	return 1
}

cp "$top/examples/sale.c" "$top/examples/tickets.c" "$top/examples/harmless.c" "$top/examples/deadlock.c" .

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
say 'What nobody has found or fixed yet may be prevented in production. sale.c sells six tickets at two
counters. Training learns from correct runs, and from these alone, which accesses may follow each other:'
show 0 'heddle-cc -O1 -g -pthread sale.c -o sale'
show 0 'heddle train --quiet -- ./sale'
say 'A payment takes 2 ms in production, and sales get lost. Under guard, the thread that is about to
make an access in an order that no correct run had waits for a moment:'
show_usual 1 'left: [1-9]' './sale 2000'
show_usual 0 ' resolved 1, unresolved 0' 'heddle guard -- ./sale 2000'
