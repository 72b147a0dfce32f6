#!/bin/bash
# No missed race in real programs: every data race that one run of each with detection meets, and a few more with other seeds
# where a run is short, is a candidate of heddle check, with the same two lines. pbzip2, memcached, SQLite with four threads on
# one database, and redis, each under its load. A side that is no access of the program (free, a function of libc) is not
# compared, and counted.
#   tests/long/check.t [PROGRAM...]    pbzip2, memcached, sqlthreads, redis
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
[ -x build/lib/heddle/heddle-analyse ] || skip_all "there is no heddle-analyse"
command -v jq >/dev/null || skip_all "there is no jq: ./setup build installs it"
. bench/lib.sh
. bench/programs.sh
kinds="plain woven"
begin_programs
seeds="1 2 3"

variant() {
	case $1 in
	plain) command=("${timed[@]}" "${built[plain]}") ;;
	seed*) command=("${timed[@]}" "$heddle" run --brief --seed "${1#seed}" -- "${built[woven]}") ;;
	esac
}

# races FILE: "FILE:LINE FILE:LINE" of what a run said, the lesser first
races() {
	sed -n 's/^heddle: data race .*: \(atomic \)\{0,1\}\(read\|write\|update\|exchange\) at \([^ ,]*:[0-9]*\), \(atomic \)\{0,1\}\(read\|write\|update\|exchange\) at \([^ ,]*:[0-9]*\).*/\3 \6/p' "$1" |
		awk '{ print $1 <= $2 ? $1 " " $2 : $2 " " $1 }' | sort -u
}

# examine NAME
examine() {
	local name=$1 seed others
	if ! prepare "$name"; then
		skip "$name" "its source cannot be had"
		return
	fi
	"$heddle" check "${built[woven]}" --quiet --json >"$work/json" 2>"$work/errors"
	if [ $? -gt 1 ] || ! jq -r '.findings[] | select(.kind == "data-race-candidate") | [.sites[] | "\(.file):\(.line)"] | sort | join(" ")' \
		"$work/json" 2>/dev/null | awk '{ print $1 <= $2 ? $1 " " $2 : $2 " " $1 }' | sort -u >"$work/candidates"; then
		fail "$name is analysed"
		diag "$(head -n 5 "$work/errors")"
		return
	fi
	: >"$work/races"
	others=0
	for seed in $seeds; do
		if ! (run_once "$name" "seed$seed") 2>"$work/failed"; then
			fail "$name runs with seed $seed"
			diag "$(cat "$work/failed")"
			continue
		fi
		races "$work/told" >>"$work/races"
		others=$((others + $(grep -c '^heddle: data race ' "$work/told") - $(races "$work/told" | wc -l)))
	done
	sort -u -o "$work/races" "$work/races"
	# Not all are told where there are very many: of the rest it is asked for.
	comm -23 "$work/races" "$work/candidates" | while read -r a b; do
		"$heddle" check "${built[woven]}" --quiet --json --explain "$a" "$b" >"$work/explained" 2>/dev/null
		jq -e '[.explained[].verdict] | any(. == "candidate" or . == "not-kept")' "$work/explained" >/dev/null 2>&1 || echo "$a $b"
	done >"$work/missed"
	is "$name: every race of $(wc -l <"$work/races") is a candidate ($(jq '(.findings | length) + .left_out' "$work/json") candidates; $others not compared)" \
		"$(cat "$work/missed")" ""
}

[ $# -gt 0 ] || set -- pbzip2 memcached sqlthreads redis
for name; do
	examine "$name"
done
done_testing
