#!/bin/bash
# What heddle test --classify yes says of the races of the programs here, beside what is true of them. bench/run classify has
# the figures, with more schedules and witnesses.
#   tests/classify/run.t [PROGRAM...]   all, or these (names without .c)
#   RUNS=60 WITNESSES=6                 schedules of a program, and of each order of a race
#   SEED=1                              of the schedules; with another one, the file deviations does not count
#
# A line that races has a tag at its end, as in "count++; /*A*/". In the comment at the end of a program, after " * ":
#   expect: race A B class CLASS [reason REASON] [maybe]
#                       what is true of each race of these lines, under sequential consistency, for some schedule and some of the
#                       inputs: spec-violated, output-differs, harmless or single-ordering, as in the JSON. REASON is why it is harmless:
#                       user-synchronisation, double-check, both-values-valid, redundant-write, disjoint-bits or approximate. Where
#                       two words are right they have "|" between them. maybe: the race need not be found.
#   why: TEXT           the judgement, by a person
#   tag: beyond-sc      weak memory can make it harmful
#   arguments: WORDS    of the program; inputs: WORDS, for --inputs: others, one line each
#   stdin: LINE         of standard input; input: LINE, for --inputs: another one
#   check: CMD          for --check
# A race that has no expectation is a failure, and so is an expected one that is not found. A program with only harmless races must not
# fail in any other way.
#
# The file deviations lists what heddle test gets wrong: "PROGRAM RACE SAYS: WHY", where SAYS is the class, or class/reason if the reason is
# wrong, or "-" if the race is not found. Each is a failure as soon as it does not occur.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
programs=$PWD/tests/classify
. tests/lib/classify.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
runs=${RUNS:-60} witnesses=${WITNESSES:-6} seed=${SEED:-1} deviations=$programs/deviations
[ "$seed" = 1 ] || deviations=/dev/null
is_all=
[ $# -gt 0 ] || {
	is_all=1
	for source in "$programs"/*.c "$programs"/*.cc; do
		name=${source##*/}
		set -- "$@" "${name%.*}"
	done
}

# examine: $name; writes $name.races (RACE EXPECTED SAYS, "right" if it is), $name.matrix (EXPECTED CLASS), $name.reasons (of harmless races that
# have one, what is said: "-" is none) and $name.wrong
examine() {
	local compiler=$cc options inputs arguments race class reason want want_reason flag says status
	[ "${source##*.}" = c ] || compiler=$cxx
	mkdir "$name.d" && cd "$name.d" || return
	: >../"$name.wrong"
	if ! "$compiler" -O1 -g -pthread "$source" -o program >built 2>&1; then
		echo "is not built: $(head -n 5 built)" >../"$name.wrong"
		return
	fi
	prepare_inputs
	timeout -s KILL 120 "$heddle" test --quiet --seed "$seed" --runs "$runs" --reduce 0 --classify yes --witnesses "$witnesses" --json=found.json "${options[@]}" "${inputs[@]}" -- \
		./program "${arguments[@]}" >told 2>&1 </dev/null
	status=$?
	[ $status -eq 1 ] && jq -e .findings found.json >/dev/null 2>&1 || {
		echo "heddle test ends with $status: $(tail -n 3 told)" >../"$name.wrong"
		return
	}
	expected_races >wanted
	found_races found.json >found
	while read -r race class reason _; do
		read -r want want_reason < <(awk -v race="$race" '$1 == race { print $2, $3; exit }' wanted) || {
			echo "race $race ($class) has no expectation: $(grep -m 1 'data race' told)"
			continue
		}
		echo "$want $class" >>../"$name.matrix"
		[ "$want $class" != "harmless harmless" ] || [ "$want_reason" = - ] || echo "$reason" >>../"$name.reasons"
		echo "$race $want $(judge_race "$class" "$reason" "$want" "$want_reason")"
	done <found | tee >(grep '^race ' >>../"$name.wrong") | grep -v '^race ' | sort -u >races
	while read -r race want _ flag; do
		[ "$flag" = maybe ] || grep -q "^$race " found || echo "$race $want -"
	done <wanted >>races
	merge_races <races >../"$name.races"
	grep -Eq ' (spec-violated|output-differs)' wanted || jq -r '.findings[] | select(.kind != "data-race") | .summary' found.json |
		sed 's/^/is harmless, but: /' >>../"$name.wrong"
}

# merge_races: of several lines of a race, one, with what is wrong, if anything is
merge_races() {
	awk '{ want[$1] = $2; if ($3 != "right") says[$1] = says[$1] (says[$1] ? "," : "") $3 }
		END { for (race in want) print race, want[race], says[race] ? says[race] : "right" }' | sort
}

for name; do
	while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
		wait -n
	done
	source=$programs/$name.c
	[ -e "$source" ] || source=$programs/$name.cc
	examine &
done
wait

# judge: one test for each race of $name
judge() {
	local race want says known
	while read -r race want says; do
		known=$(sed -n "s/^$name $race \([^:]*\): .*/\1/p" "$deviations")
		if [ "$says" = "${known:-right}" ]; then
			pass "$name $race: $want${known:+, known deviation: $known}"
		else
			fail "$name $race: $want"
			diag "says $says${known:+, but the file deviations has $known}"
		fi
	done <"$name.races"
}

for name; do
	if [ ! -s "$name.races" ]; then
		fail "$name: its races were classified"
	else
		judge
	fi
	[ ! -s "$name.wrong" ] || {
		fail "$name"
		diag "$(cat "$name.wrong")"
	}
done

# Each deviation is of a race that exists and says why.
if [ -n "$is_all" ]; then
	while read -r name race rest; do
		case $name in '#'* | '') continue ;; esac
		if ! grep -q "^$race " "$name.races" 2>/dev/null; then
			fail "deviation $name $race is of a race that is expected and found, or not found and not maybe"
		elif ! [[ $rest =~ ^[^:\ ]+:\ .+ ]]; then
			fail "deviation $name $race says why"
		fi
	done <"$deviations"
	for reason in user-synchronisation double-check both-values-valid redundant-write disjoint-bits approximate; do
		count=$(grep -lE "class harmless reason $reason( |\||$)" "$programs"/*.c "$programs"/*.cc | wc -l)
		ok "$count programs with $reason, at least 4" test "$count" -ge 4
	done
fi
count=$(cat ./*.reasons 2>/dev/null | wc -l) given=$(cat ./*.reasons 2>/dev/null | grep -vc '^-$')
[ -z "$is_all" ] || ok "$given of $count harmless races have a reason, at least nine of ten" test "$count" -gt 0 -a $((10 * given)) -ge $((9 * count))
diag "expected, class, races:"
diag "$(cat ./*.matrix 2>/dev/null | sort | uniq -c | awk '{ printf "%-26s %-16s %d\n", $2, $3, $1 }')"
done_testing
