#!/bin/bash
# Partial order reduction against the search without it: of small programs, which follow from numbers, both have the same ends, outputs
# and deadlocks, for each bound on preemptions, and the reduced one never has more schedules.
#   REDUCED=N    programs (default 4)
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
source_programs=$PWD/tests/unit
. tests/lib/cc.sh
mkdir -p bin lib
ln -s "$build/lib/heddle" lib/heddle
ok "the driver builds" gcc -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -g "-I$root/include" "-I$root/src" \
	"$source_programs/explore_driver.c" "$build/obj/tools.a" -l:libstdc++.so.6 -lzstd -ldw -lelf -lZydis -lsqlite3 -o bin/explore_driver
ok "the program builds" "$cc" -O1 -g -pthread "$source_programs/reduced_program.c" -o program

# ends PLANNER BOUND NUMBER: how the schedules end, and how many there are
ends() {
	timeout 300 bin/explore_driver "$1" 1 "$2" 0 1 0 0 ./program "$3" >out 2>err </dev/null || { echo "failed: $(cat err)"; return; }
	case $(tail -n 1 out) in *" all "*) ;; *) echo "not complete: $(tail -n 1 out)"; return ;; esac
	awk '$1 == "run" && $3 == 8 { n++; if (!(($11 " " $12 " " $15) in was)) print $11, $12, $15; was[$11 " " $12 " " $15] = 1 } END { print n > "count" }' out | sort
}

# In a model, many: programs from FIRST on, COUNT of them, with at most BOUND preemptions.
ok "the model builds" gcc -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -g "-I$root/include" "-I$root/src" \
	"$source_programs/reduced_model.c" "$build/obj/tools.a" -l:libstdc++.so.6 -lzstd -ldw -lelf -lZydis -lsqlite3 -o bin/reduced_model
for set in "1 300 1" "1000 60 2" "2000 15 3"; do
	# shellcheck disable=SC2086
	result=$(timeout 300 bin/reduced_model $set)
	like "in a model, programs $set: the same ends, with fewer schedules" "$result" '^sum [0-9]+ [0-9]+ 0 0$'
	[[ $result =~ ^sum\ ([0-9]+)\ ([0-9]+) ]] && ok "and less than a third of them" [ $((3 * BASH_REMATCH[2])) -lt "${BASH_REMATCH[1]}" ]
done

full_sum=0 reduced_sum=0 differ= more= kinds=
for ((number = 1; number <= ${REDUCED:-4}; number++)); do
	for bound in 1 2; do
		full=$(ends dfs-full $bound $number)
		full_count=$(cat count)
		reduced=$(ends dfs $bound $number)
		reduced_count=$(cat count)
		[ -n "$full" ] && [ "$reduced" = "$full" ] || differ+="program $number, $bound preemptions: $(diff <(echo "$full") <(echo "$reduced") | tr '\n' ' ')"$'\n'
		[ "$reduced_count" -le "$full_count" ] || more+="$number/$bound: $reduced_count of $full_count "
		full_sum=$((full_sum + full_count)) reduced_sum=$((reduced_sum + reduced_count))
		kinds+=" $(echo "$full" | cut -d' ' -f1 | sort -u | tr '\n' ' ')"
	done
done
is "the same ends with and without reduction" "$differ" ""
is "never more schedules" "$more" ""
like "some of them deadlock" "$kinds" ' 3 '
ok "less than half of the schedules: $reduced_sum of $full_sum" [ $((2 * reduced_sum)) -lt $full_sum ]
done_testing
