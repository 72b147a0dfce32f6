#!/bin/bash
# No missed race: every data race that heddle test finds in the programs of bugs/ (with ALL=1 also of tests/detect, as in
# tests/long/no-missed.t) is a candidate of heddle check, with the same two accesses. Prints, as comments, how many candidates
# there are for each race that was found, how many there are in the fixed twins, where there is none to find, and in how many of all of
# these the types of the language say that the objects are different: such a race would be a wrong doubt.
#   tests/analysis/no-missed.t [PROGRAM[:CASE]...]   all, or these (names without .c)
#   RUNS=20          schedules of a program of bugs/; 100 in tests/long/no-missed.t
#   CASE_RUNS=10     schedules of a case of tests/detect
# Calls that free count as accesses, known by their places. A finding with a side that is neither (a function of libc) is not compared, and counted.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
. tests/lib/cc.sh
runs=${RUNS:-20} case_runs=${CASE_RUNS:-10}
[ -x "$build/lib/heddle/heddle-analyse" ] || skip_all "there is no heddle-analyse"
more=()
[ -z "${ALL-}" ] || more=("$root"/tests/detect/*.c "$root"/tests/detect/*.cc)
[ $# -gt 0 ] || for source in "$root"/bugs/*.c "$root"/bugs/*.cc "${more[@]}"; do
	source=${source##*/}
	set -- "$@" "${source%.*}"
done

# of KEY: the values of "KEY: ..." in the tail comment of $source
of() {
	sed -n "s/^ \* $1: //p" "$source"
}

# pairs FILE KIND [DOUBT]: for each finding of a kind, without that doubt, a line: the numbers of its two sites, a tab, their places; in each the lesser
# first. What is not known is "-": a side that is no access of the program, and a place without a file.
pairs() {
	jq -r --arg kind "$2" --arg doubt "${3-}" '.findings[] | select(.kind == $kind and ((.doubts // []) | index($doubt) | not)) | .sites[0:2] |
		([.[] | if .site == null then -1 else .site end] | sort | map(if . < 0 then "-" else tostring end) | join(" ")) + "\t" +
		([.[] | if (.access // "" | test("^(atomic )?(read|write|update|exchange|free)")) and .file then "\(.file):\(.line)" else "-" end] | sort | join(" "))' "$1" |
		sort -u
}

# candidates PROGRAM: writes them to PROGRAM.candidates, and those with types that agree to PROGRAM.agreeing
candidates() {
	timeout -s KILL 120 "$heddle" check "$1" --all --json >"$1.json" 2>"$1.errors"
	case $? in 0 | 1) ;; *) return 1 ;; esac
	pairs "$1.json" data-race-candidate >"$1.candidates"
	pairs "$1.json" data-race-candidate types >"$1.agreeing"
}

# missed RACES CANDIDATES: the races that are none of the candidates, by the numbers of their sites, or by their places: where several
# accesses are written at one place, detection names one of them for all. What has a side that is no access is left out.
missed() {
	awk -F '\t' '!is_race { site[$1]; place[$2]; next }
		$2 ~ /(^| )-( |$)/ && $1 ~ /(^| )-( |$)/ { next }
		!($1 in site) && !($2 in place) { print $2 " (sites " $1 ")" }' is_race=0 "$2" is_race=1 "$1"
}

# one NAME ARGUMENTS...: tests the program $name, and compares
one() {
	local label=$1
	shift
	rm -rf "$name.d"
	mkdir "$name.d"
	(cd "$name.d" && timeout -s KILL 120 "$heddle" test --classify no --quiet --runs "$these" --seed 1 --output ignore --json found.json -- "../$name" "$@" >said 2>&1 </dev/null)
	jq -e . "$name.d/found.json" >/dev/null 2>&1 || { echo "$label could not be tested: $(head -n 2 "$name.d/said")" >>"$name.wrong"; return; }
	pairs "$name.d/found.json" data-race >"$name.d/races"
	[ ! -s "$name.d/races" ] || grep -q '^[0-9]* [0-9]*	' "$name.d/races" || awk -F '\t' '$2 !~ /-/ { exit 1 }' "$name.d/races" ||
		echo "$label: no finding has the numbers of its sites" >>"$name.wrong"
	missed "$name.d/races" "$name.candidates" | sed "s/^/$label: missed: /" >>"$name.wrong"
	missed "$name.d/races" "$name.agreeing" | sed "s/^/$label: /" >>"$name.doubted"
	awk -F '\t' '$2 !~ /(^| )-( |$)/ || $1 !~ /-/ { print $2 }' "$name.d/races" >>"$name.races"
	awk -F '\t' '$2 ~ /(^| )-( |$)/ && $1 ~ /-/' "$name.d/races" | wc -l >>"$name.others"
	rm -rf "$name.d"
}

# examine: everything about $name; what is wrong goes to $name.wrong
examine() {
	local compiler="$cc -std=gnu11" line case
	: >"$name.wrong"
	: >"$name.races"
	: >"$name.others"
	: >"$name.doubted"
	[ "${source##*.}" = c ] || compiler="$cxx -std=c++20"
	# shellcheck disable=SC2046,SC2086
	if ! $compiler -D_GNU_SOURCE -g -O1 -w -pthread -I"$root/include" "$source" -o "$name" $(of options) $(of flags) >"$name.built" 2>&1; then
		echo "is not built: $(head -n 5 "$name.built")" >>"$name.wrong"
	elif ! candidates "$name"; then
		echo "is not analysed: $(head -n 5 "$name.errors")" >>"$name.wrong"
	elif [ -n "$(of finds)" ]; then
		these=$runs
		one "$name"
		# shellcheck disable=SC2046,SC2086
		$compiler -g -O1 -w -pthread -DFIXED "$source" -o "$name-fixed" $(of options) >"$name.built" 2>&1 &&
			candidates "$name-fixed" || echo "the fixed twin is not analysed" >>"$name.wrong"
	else
		while IFS= read -r line; do
			case=${line%%:*}
			these=$case_runs
			[ -z "$only_case" ] || [ "$only_case" = "$case" ] || continue
			one "$case" "$case"
		done < <(sed -n 's/^ \* case \([a-z0-9_]*: \)/\1/p' "$source")
	fi
	sort -u -o "$name.races" "$name.races"
	jq -r '.pruned | [.pairs, .atomic, .unshared, .ordered, .locked, .left] | @tsv' "$name.json" >"$name.pruned" 2>/dev/null
	jq -r '.pruned | [.pairs, .atomic, .unshared, .ordered, .locked, .left] | @tsv' "$name-fixed.json" >"$name.fixed-pruned" 2>/dev/null
	rm -rf "$name" "$name-fixed" "$name.json" "$name-fixed.json"
	touch "$name.done"
}

for program; do
	while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
		wait -n
	done
	name=${program%%:*} only_case=
	case $program in *:*) only_case=${program#*:} ;; esac
	for source in "$root"/bugs/$name.c "$root"/bugs/$name.cc "$root"/tests/detect/$name.c "$root"/tests/detect/$name.cc; do
		[ ! -e "$source" ] || break
	done
	flag=$(of needs)
	if [ -n "$flag" ] && ! grep -qw "$flag" /proc/cpuinfo; then
		echo "$flag" >"$name.needs"
		continue
	fi
	examine &
done
wait
# places FILE: how many pairs of lines its candidates are
places() {
	[ ! -e "$1" ] || cut -f 2 "$1" | sort -u | wc -l
}

for program; do
	name=${program%%:*}
	if [ -e "$name.needs" ]; then
		skip "$name" "the processor has no $(cat "$name.needs")"
	elif [ ! -e "$name.done" ]; then
		fail "$name: was not examined to the end"
	elif [ -s "$name.wrong" ]; then
		fail "$name: every race is a candidate"
		diag "$(cat "$name.wrong")"
	else
		pass "$name: every race is a candidate"
	fi
	[ ! -s "$name.doubted" ] || diag "types say that it cannot be: $(cat "$name.doubted")"
	[ ! -e "$name.candidates" ] || printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$(wc -l <"$name.races")" "$(places "$name.candidates")" \
		"$(places "$name-fixed.candidates")" "$(awk '{ n += $1 } END { print n + 0 }' "$name.others")" \
		"$(grep -c ': missed: ' "$name.wrong")" "$(cat "$name.pruned")" "$(cat "$name.fixed-pruned")" \
		"$(places "$name.agreeing")" "$(places "$name-fixed.agreeing")" "$(wc -l <"$name.doubted")" >>figures
done
[ ! -e figures ] || awk -F '\t' '{ races += $2; candidates += $3; fixed += $4; others += $5; agreeing += $(NF - 2); fixed_agreeing += $(NF - 1); doubted += $NF }
	END {
		printf "# races found (pairs of lines): %d; candidates: %d, %.1f for each; in the fixed twins: %d; not compared: %d\n",
			races, candidates, races ? candidates / races : 0, fixed, others
		printf "# with types that agree: candidates: %d; in the fixed twins: %d; races that are only candidates with types that do not: %d\n",
			agreeing, fixed_agreeing, doubted
	}' figures
[ -z "${FIGURES-}" ] || cp figures "$FIGURES"
done_testing
