#!/bin/bash
# Schedules that reach a pair of accesses: a race that other strategies seldom show is shown within a few schedules; what cannot meet
# does not, and nothing fails because a thread was held back.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
source_programs=$PWD/tests/unit
. tests/lib/cc.sh
mkdir -p bin lib
ln -s "$build/lib/heddle" lib/heddle
ok "the driver builds" gcc -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -g "-I$root/include" "-I$root/src" \
	"$source_programs/pair_driver.c" "$build/obj/tools.a" -l:libstdc++.so.6 -lzstd -ldw -lelf -lZydis -lsqlite3 -o bin/pair_driver
for program in far waits; do
	cp "$source_programs/pair_$program.c" $program.c
	ok "$program builds" "$cc" -O1 -g -pthread $program.c -o $program
done
# pair FILE KIND TEXT KIND TEXT: a report of two lines of a source, by what is in them
pair() {
	local file=$1 first second
	first=$(grep -nF -- "$3" "$file" | head -n 1 | cut -d: -f1)
	second=$(grep -nF -- "$5" "$file" | head -n 1 | cut -d: -f1)
	printf 'WARNING: ThreadSanitizer: data race (pid=1)\n  %s of size 8 at 0x1 by thread T1:\n    #0 f /src/%s:%s (x+0x1)\n\n  Previous %s of size 8 at 0x1 by thread T2:\n    #0 g /src/%s:%s (x+0x1)\n' \
		"$2" "$file" "$first" "$4" "$file" "$second"
}
# field NAME: of the file out
field() {
	sed -nE "s/^pair [0-9]+: .*$1 ([0-9]+).*/\1/p" out
}
pair far.c Write "shared = 1" read ", shared)" >far.log
shown=
for seed in 1 2 3 4 5; do
	timeout 100 bin/pair_driver far.log $seed 20 ./far >out 2>err
	ok "seed $seed: a race across thousands of events is shown in most of 20 schedules" test "$(field shown)" -ge 10
	is "seed $seed: nothing fails" "$(grep ^outcome out)" "outcome 1 0: 20"
	shown="$shown $(field shown)"
done
diag "shown of 20:$shown"
cp out first
timeout 100 bin/pair_driver far.log 5 20 ./far >out 2>err
same "the same seed, the same result" "$(cat out)" "$(cat first)"
timeout 100 bin/pair_driver far.log 1 100 -random ./far >out 2>err
ok "random schedules seldom show it" test "$(field shown)" -le 5

# what, whether it can meet
while read -r name can first second; do
	pair waits.c Write "${first//_/ }" write "${second//_/ }" >waits.log
	timeout 100 bin/pair_driver waits.log 1 60 ./waits >out 2>err
	is "$name: all schedules are run" "$(field tried)" 60
	is "$name: and end as they should" "$(grep ^outcome out)" "outcome 1 0: 60"
	case $can in
	never) is "$name: the accesses never meet" "$(field met) $(field shown)" "0 0" ;;
	shown) ok "$name: the race is shown" test "$(field shown)" -ge 20 ;;
	esac
done <<'END_OF_CASES'
lock never guarded++ guarded--
flag never handed_=_1 handed_=_2
sleep shown slept_=_1 slept_=_2
bytes never part[0]++ part[1]++
END_OF_CASES

# Of another program, nothing can be tried.
timeout 100 bin/pair_driver far.log 1 10 ./waits >out 2>err
is "no sites: nothing is planned" "$(cat out)" "pair 1: asked 0 tried 0 met 0 shown 0"
done_testing
