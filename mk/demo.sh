#!/bin/sh
# demo.sh: Heddle on a small program with threads: build it, run it, look at its sites, count its accesses.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
PATH=${HEDDLE_BIN:-$top/build/bin}:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
cd "$work"

show() {
	printf '\n$ %s\n' "$*"
	"$@" 2>&1
}

cp "$top/examples/bank.c" .

echo "A program with threads (bank.c), built with heddle-cc instead of cc:"
show heddle-cc -O2 -g -pthread bank.c -o bank
printf '\nIt is an ordinary program and runs as fast as one:\n'
show ./bank
printf "\nIt knows each place where it touches memory that threads may share; these are in one function:\n"
show heddle sites --function transfer bank
printf '\nThe same file, with every function switched to its instrumented clone, each access counted:\n'
show heddle run --count --top 6 -- ./bank
