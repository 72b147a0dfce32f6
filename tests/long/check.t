#!/bin/bash
# No missed race in real programs: every data race that one run of each with detection meets, and a few more with other seeds
# where a run is short, is a candidate of heddle check, with the same two lines. pbzip2, memcached, SQLite with four threads on
# one database, and redis, each under its load. A side that is no access of the program (free, a function of libc) is not
# compared, and counted.
#   tests/long/check.t [PROGRAM...]    pbzip2, memcached, sqlthreads, redis
#   SEEDS="1 2 3"                      a run of each program with each of them
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
[ -x build/lib/heddle/heddle-analyse ] || skip_all "there is no heddle-analyse"
. bench/lib.sh
. bench/programs.sh
kinds="plain woven"
begin_programs
seeds=${SEEDS:-1 2 3}
# All pairs are asked for in one analysis.
ok "what asks for the pairs builds" gcc -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -g -Iinclude -Isrc tests/long/check_pairs.c \
	build/obj/analysis.a build/obj/tools.a \
	$(llvm-config-19 --ldflags) -lLLVM-19 -lelf -lzstd -o "$work/check_pairs"

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
	if ! "$work/check_pairs" "${built[woven]}" <"$work/races" >"$work/missed" 2>"$work/errors"; then
		fail "$name is analysed"
		diag "$(head -n 5 "$work/errors")"
		return
	fi
	total=$((total + $(wc -l <"$work/races")))
	is "$name: every race of $(wc -l <"$work/races") is a candidate ($others not compared)" "$(grep -v ' types$' "$work/missed")" ""
	diag "races whose types say that they cannot be: $(grep -c ' types$' "$work/missed")"
}

total=0
asked=$#
[ $# -gt 0 ] || set -- pbzip2 memcached sqlthreads redis
for name; do
	examine "$name"
done
# Some of the programs have none to find, but not all.
[ "$asked" -gt 0 ] || [ $total -gt 0 ] || fail "no race of any program was compared"
done_testing
