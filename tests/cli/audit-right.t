#!/bin/bash
# Correct programs in which memory goes from one thread to another, or a thread's frames go in other ways than by calls and returns:
# an audit reports nothing. tests/cli/audit has them; those with nothing proved are built with a promise.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
limit="timeout -s KILL 120"

# right FILE LEVEL [OPTION...]
right() {
	file=$1 level=$2 what="$1, --heddle-prove=$2"
	shift 2
	compiler=$cc standard=gnu11
	case $file in *.cc) compiler=$cxx standard=gnu++20 ;; esac
	ok "$what: is built" "$compiler" -std=$standard -O1 -g -w -D_GNU_SOURCE -pthread --heddle-prove="$level" "$@" "$root/tests/cli/audit/$file" -o right
	ok "$what: something is proved" test "$("$heddle" sites --json ./right | jq '[.sites[] | select(.flags | index("proved"))] | length')" -gt 0
	rm -rf .heddle
	$limit "$heddle" test --classify no --runs 10 --seed 1 --audit-runs 10 -- ./right >said 2>errors </dev/null
	is "$what: nothing is found" "$? $(grep '^H[0-9]' said)" "0 "
}

for path in "$root"/tests/cli/audit/right_*.c*; do
	name=${path##*/}
	case $name in
	right_contexts.c) right "$name" heap '--heddle-assume-private=a' ;; # makecontext is not known to the analysis
	*) right "$name" heap ;;
	esac
done
for level in private locked; do
	right right_stacks.c $level
	right right_handed.c $level
	right right_pool.c $level
done
done_testing
