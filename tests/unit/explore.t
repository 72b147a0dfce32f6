#!/bin/bash
# Planners and what they need of the runtime: every schedule within a bound on preemptions exactly as many times as there
# are, racy sites as places to switch at, the same plans from the same seed, and fewer preemptions from a failure.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
source_programs=$PWD/tests/unit
. tests/lib/cc.sh
# The driver looks for the runtime where heddle does.
mkdir -p bin lib
ln -s "$build/lib/heddle" lib/heddle
ok "the driver builds" gcc -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -g "-I$root/include" "-I$root/src" \
	"$source_programs/explore_driver.c" "$build/obj/tools.a" -l:libstdc++.so.6 -lzstd -ldw -lelf -lZydis -lsqlite3 -o bin/explore_driver
for program in program counter; do
	ok "the $program builds" "$cc" -O1 -g -pthread "$source_programs/explore_$program.c" -o $program
done

# explore PLANNER SEED DEPTH RUNS JOBS DETECT STOP PROGRAM: to the file out
explore() {
	timeout 300 bin/explore_driver "$@" >out 2>err </dev/null || { diag "$*: $(cat err)"; echo "end failed" >out; }
}
outputs() {
	awk '$1 == "run" { print $NF }' out | sort -u | wc -l
}

# Orders of two threads with three steps each, by the number of preemptions they need: 2, 4, 8, 4, 2.
set -- 6 14 18 20
for bound in 1 2 3 4; do
	for planner in dfs dfs-full; do
		explore $planner 1 $bound 0 1 0 0 ./program
		is "$planner, at most $bound preemptions: as many orders as there are" "$(outputs)" "$1"
		case $planner in
		dfs) all="all schedules with at most $bound preemptions? at synchronisation and racy accesses were covered: [0-9]+ were run, the others differ " ;;
		*) all="all [0-9]+ schedules with at most $bound preemptions? at synchronisation and racy accesses were tried$" ;;
		esac
		like "$planner, at most $bound preemptions: says that all were tried" "$(tail -n 1 out)" "$all"
		one=$(awk '$1 == "run" && $2 > 0 && $3 == 8 { print $15 }' out | sort -u | cksum)
		explore $planner 1 $bound 0 2 0 0 ./program
		is "$planner, at most $bound preemptions, two jobs: the same orders" \
			"$(awk '$1 == "run" && $3 == 8 { print $15 }' out | sort -u | cksum)" "$one"
	done
	shift
done

# Without detection nobody knows of the race, and synchronisation alone loses nothing.
explore dfs 1 2 0 1 0 0 ./counter
like "dfs, no racy site known: nothing fails" "$(tail -n 1 out)" '^end [0-9]+ [0-9]+ 0 0 all '
explore dfs 1 2 0 1 1 0 ./counter
like "dfs, racy sites found on the way: it fails" "$(tail -n 1 out)" '^end [0-9]+ [0-9]+ [1-9][0-9]* [1-9][0-9]* all '

for planner in portfolio reads-from dfs dfs-full $(strategies "$heddle"); do
	explore $planner 7 0 60 1 1 0 ./counter
	like "$planner: 60 schedules, or all" "$(tail -n 1 out)" '^end (60 |[0-9]+ .* all )'
	cp out first
	explore $planner 7 0 60 1 1 0 ./counter
	same "$planner: the same seed, the same schedules" "$(cksum <out)" "$(cksum <first)"
	case $planner in portfolio | random | pct | pos | surw | period | reads-from)
		like "$planner: finds the lost count" "$(tail -n 1 out)" '^end 60 [0-9]+ [1-9]' ;;
	esac
done
for planner in pos reads-from portfolio; do
	explore $planner 1 0 1000 1 0 0 ./program
	is "$planner: all orders in 1000 schedules" "$(outputs)" 20
done

# The first pair of complement is by age; then each seed has one, in opposite orders.
explore complement 1 0 6 1 0 0 ./program
is "complement: strategies, seeds and halves" "$(awk '$1 == "run" { print $3, $5, $6 }' out | xargs)" \
	"3 1 0 4 1 0 10 2 0 10 2 1 10 3 0 10 3 1"

for seed in 1 2 3 4 5; do
	explore random $seed 0 500 1 1 2 ./counter
	like "seed $seed: a failure needs one preemption" "$(grep ^minimised out)" '^minimised 1 1 [0-9]+ [0-9]+ 1 of '
	is "seed $seed: one step of that kind is left" "$(awk '$1 == "step" && $4 == 0' out | wc -l)" 1
done
is "an unknown planner" "$(status bin/explore_driver nothing 1 0 1 1 0 0 ./program)" 1
done_testing
