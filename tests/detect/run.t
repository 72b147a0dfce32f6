#!/bin/bash
# What detection finds and does not find: each case of each program here, under 40 schedules. What is found must be
# exactly what the program's tail comment says: what is missing is a failure, and so is what is there in addition.
#   tests/detect/run.t [PROGRAM[:CASE]...]   all, or these (names without .c)
#   TEST_RUNS=N                              schedules for each case, instead of 40
#
# Tail comment, each on a line of its own after " * ":
#   case NAME: FINDING; FINDING...   of the lines tagged "// @TAG" in the source; "none" when there is nothing to find:
#     A-B                            a race of A and B; either may come first, and free counts like a write
#     freed A, beyond A, never A     an access of memory that is freed, behind a block's end, or no block's
#     double A                       a block is freed, or resized, that was freed before
#     bad A                          something is freed that is not the start of a block
#     KIND                           any other kind of finding, as in the JSON of heddle test
#   flags: WORDS                     for the compiler, after the source; -O1 otherwise
#   needs: FLAG                      of the processor, as in /proc/cpuinfo
#   runs NAME: N                     schedules for this case
#   says NAME: REGEX                 a line of what heddle test prints, or heddle show of one of the findings
#   incomplete NAME: REGEX           likewise, and as it is a limit that was met, the exit status is 3
#   quiet NAME: REGEX                there is no such line
. tests/lib/tap.sh
programs=$PWD/tests/detect
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
limit="timeout -s KILL ${TEST_LIMIT:-120}"

# of KEY: the values of "KEY: ..." in the tail comment of $source
of() {
	sed -n "s/^ \* $1: //p" "$source"
}

build() {
	local driver="$cc -std=gnu11"
	case $source in *.cc) driver="$cxx -std=c++20" ;; esac
	# shellcheck disable=SC2046,SC2086
	$driver -D_GNU_SOURCE -O1 -g -w -pthread -I"$root/include" "$source" -o "$name" $(of flags) 2>build.out
}

# found: findings of $work/json, one a line, with tags for lines, sorted
found() {
	jq -r '.findings[] | [.kind, (.summary | split(":")[0]), ([.sites[] | "\((.file // "?") | split("/")[-1]):\(.line)"] | join(" "))] | @tsv' json |
		awk -F '\t' -v file="${source##*/}" 'NR == FNR { if (match($0, /\/\/ @[A-Za-z0-9_]+$/)) tag[FNR] = substr($0, RSTART + 4); next }
		function named(place, parts) {
			split(place, parts, ":")
			return parts[1] == file && parts[2] in tag ? tag[parts[2]] : place
		}
		{
			count = split($3, places, " ")
			for (i = 1; i <= count; i++)
				places[i] = named(places[i])
			if ($1 == "data-race")
				print places[1] <= places[2] ? places[1] "-" places[2] : places[2] "-" places[1]
			else if ($1 == "memory-error")
				print ($2 ~ /^double free$|^realloc of a block that was already freed$/ ? "double" : $2 ~ /^(free|realloc) of a pointer/ ? "bad" : $2 ~ /after free/ ? "freed" : $2 ~ /beyond|behind|overflow|past/ ? "beyond" : $2 ~ /never|no block/ ? "never" : $2), places[1]
			else
				print $1
		}' "$source" - | sort -u
}

# shown: each finding by itself; heddle test prints only the first of a group whole
shown() {
	local id
	for id in $(jq -r '.findings[].id' json); do
		"$heddle" show "$id"
	done
}

examine() {
	local line want got value runs
	name=${1%%:*}
	source=$programs/$name.c
	[ -e "$source" ] || source=$programs/$name.cc
	value=$(of needs)
	[ -z "$value" ] || grep -qw "$value" /proc/cpuinfo || {
		skip "$name" "the processor has no $value"
		return
	}
	build || {
		fail "$name is built"
		diag "$(grep -m 5 -E "error|undefined|cannot" build.out)"
		return
	}
	while IFS= read -r line; do
		case=${line%%:*}
		case $1 in *:*) [ "${1#*:}" = "$case" ] || continue ;; esac
		want=$(printf '%s\n' "${line#*: }" | tr ';' '\n' | sed 's/^ *//; s/ *$//; /^none$/d' |
			awk -F - 'NF == 2 && $1 > $2 && !/ / { print $2 "-" $1; next } { print }' | sort -u)
		runs=$(of "runs $case")
		rm -rf json .heddle
		$limit "$heddle" test --classify no --runs "${runs:-${TEST_RUNS:-40}}" --seed 1 --output ignore --json json -- "./$name" "$case" >said 2>errors </dev/null
		status=$?
		got=$(found)
		value=$(of "says $case")$(of "incomplete $case")
		[ -z "$(of "incomplete $case")" ] || status=$((status == 3 ? 0 : 4))
		if [ $status -gt 1 ]; then
			fail "$name: $case"
			diag "exit status $status: $(head -n 5 errors)"
		elif [ "$got" != "$want" ]; then
			fail "$name: $case"
			diag "$(diff <(printf '%s\n' "$want") <(printf '%s\n' "$got") | sed -n 's/^< *$//; s/^< /missed: /p; s/^> *$//; s/^> /additional: /p')"
		elif [ -n "$value" ] && ! grep -Eq -e "$value" said errors && ! shown | grep -Eq -e "$value"; then
			fail "$name: $case"
			diag "it does not say: $value"
		elif [ -n "$(of "quiet $case")" ] && grep -Eq -e "$(of "quiet $case")" said errors; then
			fail "$name: $case"
			diag "it says: $(grep -E -m 1 -e "$(of "quiet $case")" said errors)"
		else
			pass "$name: $case"
		fi
	done < <(sed -n 's/^ \* case \([a-z0-9_]*: \)/\1/p' "$source")
	rm -rf "$name" .heddle
}

if [ $# -eq 0 ]; then
	for source in "$programs"/*.c "$programs"/*.cc; do
		source=${source##*/}
		set -- "$@" "${source%.*}"
	done
fi
for program; do
	examine "$program"
done
done_testing
