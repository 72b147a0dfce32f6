#!/bin/sh
# demo.sh: Heddle on two small programs with threads: build them, look at the sites of one and count its accesses; find
# the deadlock of the other, keep the run that shows it, and have it again.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
PATH=${HEDDLE_BIN:-$top/build/bin}:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
cd "$work"

show() {
	printf '\n$ %s\n' "$1"
	eval "$1" 2>&1
}

# As show, for what ends with the status 1: something was found.
show_found() {
	show "$1" && return 1
	[ $? -eq 1 ]
}

cp "$top/examples/bank.c" "$top/examples/deadlock.c" .

echo "A program with threads (bank.c), built with heddle-cc instead of cc:"
show 'heddle-cc -O2 -g -pthread bank.c -o bank'
printf '\nIt is an ordinary program and runs as fast as one:\n'
show ./bank
printf "\nIt knows each place where it touches memory that threads may share; these are in one function:\n"
show 'heddle sites --function transfer bank'
printf '\nThe same file, with every function switched to its instrumented clone, each access counted:\n'
show 'heddle run --count --top 6 -- ./bank'

printf '\nAnother program (deadlock.c) has a bug that is hardly ever seen:\n'
show 'heddle-cc -O2 -g -pthread deadlock.c -o deadlock'
show ./deadlock
printf '\nA hundred of its schedules, none of which is left to chance:\n'
table=$(show_found 'heddle run --runs 100 -- ./deadlock')
printf '%s\n' "$table"
seed=$(printf '%s\n' "$table" | awk '$3 == "deadlock" { print $2 }')
printf '\nOne that ends in a deadlock, once more, and kept:\n'
show_found "heddle run --seed $seed --trace deadlock.trace -- ./deadlock"
printf '\nThe very same run from that file, event by event, one column a thread:\n'
show_found 'heddle replay --columns deadlock.trace 2>/dev/null'
