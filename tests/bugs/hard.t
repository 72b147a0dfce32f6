#!/bin/bash
# The programs of bugs/hard: fixed twins are silent, and what is found there is what their comments say.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
for name in safe-stack work-stealing-deque; do
	ok "$name: is built" "$cc" -g -O1 -pthread "$root/bugs/hard/$name.c" -o $name
	ok "$name: the twin is built" "$cc" -g -O1 -pthread -DFIXED "$root/bugs/hard/$name.c" -o $name-fixed
	timeout -s KILL 200 "$heddle" test --classify no --quiet --runs 300 -- ./$name-fixed >said 2>&1 </dev/null
	is "$name: the twin is silent" "$? $(grep -c '^H' said)" "0 0"
done
# With two seeds each of four strategies needed 3 to 128 schedules.
timeout -s KILL 200 "$heddle" test --classify no --quiet --stop --runs 2000 --json found.json -- ./work-stealing-deque >said 2>&1 </dev/null
is "work-stealing-deque: found" "$? $(jq -c '[.findings[].kind]' found.json)" '1 ["assertion"]'
done_testing
