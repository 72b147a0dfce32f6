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
# All schedules of a small program, with at most two preemptions.
ok "account: is built" "$cc" -g -O1 -pthread "$root/bugs/hard/account.c" -o account
ok "account: the twin is built" "$cc" -g -O1 -pthread -DFIXED "$root/bugs/hard/account.c" -o account-fixed
for strategy in dfs dfs-full; do
	timeout -s KILL 200 "$heddle" test --store $strategy.store --classify no --reduce 0 --strategy $strategy --depth 2 --runs 20000 --json $strategy.json -- ./account >said 2>&1 </dev/null
	is "account, $strategy: found" "$? $(jq -c '[.findings[].kind]' $strategy.json)" '1 ["assertion"]'
	like "account, $strategy: all of them" "$(tr '\n' ' ' <said)" 'note: all .*schedules with at most 2 preemptions'
done
ok "account: dfs needs less than a third of the schedules" [ $(($(jq .schedules dfs.json) * 3)) -lt "$(jq .schedules dfs-full.json)" ]
timeout -s KILL 200 "$heddle" test --store fixed.store --classify no --strategy dfs --depth 3 --runs 20000 -- ./account-fixed >said 2>&1 </dev/null
is "account: the twin is silent in all schedules" "$? $(grep -c 'preemptions at synchronisation and racy accesses were covered' said)" "0 1"
# With two seeds each of four strategies needed 3 to 128 schedules.
timeout -s KILL 200 "$heddle" test --classify no --quiet --stop --runs 2000 --json found.json -- ./work-stealing-deque >said 2>&1 </dev/null
is "work-stealing-deque: found" "$? $(jq -c '[.findings[].kind]' found.json)" '1 ["assertion"]'
done_testing
