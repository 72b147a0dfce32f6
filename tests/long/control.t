#!/bin/bash
# Determinism, in numbers: the same seed gives the same events each time, and a trace replays each time. The programs of
# tests/control, plain and woven, and real programs.
#   tests/long/control.t [PROGRAM...]   all programs of tests/control and the real ones, or only these of tests/control;
#                       the word real stands for the real ones
#   REPEATS=1000        how often a seed is run through the fork server, for each program
#   STARTS=5            how often it is run by starting the program anew
#   REPLAYS=100         how many replays of each program: of one trace for each strategy, an equal part of them each
#   REAL_REPEATS=20     how often a real program runs with the same seed
# Programs with `timing:` or with input from outside are not compared seed by seed, but are replayed; those with
# `outside:` are not replayed.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
programs=$PWD/tests/control
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS # programs look at their environment
. "$root/tests/lib/programs.sh"
repeats=${REPEATS:-1000} starts=${STARTS:-5} replays=${REPLAYS:-100} real_repeats=${REAL_REPEATS:-20}
strategies=$(strategies "$heddle")
limit="timeout -k 5 ${TEST_LIMIT:-900}"

# once COMMAND...: runs it in $folder/in with the program's input. Sets $status, $hash and $ended; output in $folder/out
once() {
	local variables=() line
	mapfile -t variables < <(say environment)
	# LLVM's OpenMP waits for tasks in loops where nothing can interrupt it, unless it is told otherwise.
	case "$folder $(say flags)" in */woven/*-fopenmp*) variables+=(KMP_TASKING=0) ;; esac
	(cd "$folder/in" && env "${variables[@]}" $limit "$@" <../typed >../out 2>../err) 2>/dev/null
	status=$?
	line=$(grep -a '^heddle: .*; event hash ' "$folder/err" | tail -n 1)
	hash=${line##*event hash } ended=${line#heddle: } ended=${ended%%;*}
}

wrong() {
	why+="$*"$'\n'
	[ ! -s "$folder/err" ] || why+=$(tail -n 4 "$folder/err" | cut -c 1-200 | sed 's/^/    /')$'\n'
}

# same_seed: through the fork server, and by starting anew
same_seed() {
	local first='' count
	once "$heddle" run --strategy random --seed 5 --runs 1 --repeat "$repeats" $budget -- "$folder/$name" "${words[@]}"
	[ "$status" -le 1 ] || wrong "$repeats times through the server: status $status"
	grep -q "^$repeats schedules*, 1 different" "$folder/out" || wrong "$repeats times through the server: $(head -n 1 "$folder/out")"
	for ((count = 0; count < starts; count++)); do
		once "$heddle" run --strategy random --seed 5 --stats $budget -- "$folder/$name" "${words[@]}"
		first=${first:-$hash}
		[ -n "$hash" ] && [ "$hash" = "$first" ] || wrong "start $count: event hash $hash, not $first"
	done
}

# replayed STRATEGY COUNT: a trace, and COUNT replays of it without the input
replayed() {
	local first status1 ended1 count
	rm -f "$folder/trace"
	once "$heddle" run --strategy "$1" --seed 6 --trace "$folder/trace" --stats $budget -- "$folder/$name" "${words[@]}"
	first=$hash status1=$status ended1=$ended
	[ -n "$hash" ] && [ -s "$folder/trace" ] || { wrong "no trace with $1"; return; }
	mv "$folder/out" "$folder/out1"
	mv "$folder/in" "$folder/gone"
	for ((count = 0; count < $2; count++)); do
		mkdir "$folder/in"
		once "$heddle" replay --stats "$folder/trace"
		rm -rf "$folder/in"
		[ "$hash $status $ended" = "$first $status1 $ended1" ] && cmp -s "$folder/out" "$folder/out1" && continue
		wrong "replay $count of $1: $ended, $status, event hash $hash, not $ended1, $status1, $first"
		break
	done
	mv "$folder/gone" "$folder/in"
}

# examine VARIANT: everything about one program; the result goes to $folder/result
examine() {
	local strategy ends
	folder=$work/$1/$name why=
	mkdir -p "$folder/in"
	ends=$(say ends)
	budget=$(say budget)
	budget=${budget:+--budget $budget}
	eval "words=($(say arguments))"
	say input >"$folder/in/INPUT"
	say stdin >"$folder/typed"
	build "$1"
	case $? in
	0) ;;
	2)
		echo "skip the compiler has no OpenMP" >"$folder/result"
		return
		;;
	*)
		echo "does not compile: $(head -n 5 "$folder/build")" >"$folder/result"
		return
		;;
	esac
	[ "$1" = woven ] || [ -z "$(say needs)" ] || { echo "skip it spins where nothing can interrupt it" >"$folder/result"; return; }
	case $ends in *refused*) echo "skip it is refused" >"$folder/result"; return ;; esac
	[ -n "$(say timing)$(say stdin)" ] || same_seed
	if [ -z "$(say outside)" ]; then
		for strategy in $strategies; do
			replayed "$strategy" $(((replays + 8) / 9))
		done
	fi
	printf '%s' "$why" >"$folder/result"
	rm -f "$folder/$name" "$folder"/*.so "$folder"/out* "$folder"/trace
}

# real NAME COMMAND...: a real program, in an empty folder each time. Events of synchronisation only, and all.
real() {
	local what=$1 options count first
	shift
	source=/dev/null folder=$work/real
	for options in "--switch none" "--switch all"; do
		why=
		for ((count = 0; count < real_repeats; count++)); do
			empty_folder
			once "$heddle" run --seed 5 --stats $options -- "$@"
			[ $count -gt 0 ] || first=$(summary)
			[ -n "$hash" ] && [ "$(summary)" = "$first" ] || wrong "run $count: $(summary), not $first"
		done
		is "$what, $options: the same seed $real_repeats times" "$why" ""
		why=
		empty_folder
		once "$heddle" run --seed 6 --trace "$folder/trace" --stats $options -- "$@"
		first=$(summary)
		for ((count = 0; count < replays; count++)); do
			rm -rf "$folder/in" && mkdir "$folder/in"
			once "$heddle" replay --stats "$folder/trace"
			[ -n "$hash" ] && [ "$(summary)" = "$first" ] || wrong "replay $count: $(summary), not $first"
		done
		is "$what, $options: $replays replays of one trace" "$why" ""
	done
}
empty_folder() {
	rm -rf "$folder" && mkdir -p "$folder/in" && : >"$folder/typed"
}
summary() {
	echo "$ended, status $status, event hash $hash, output $(cksum <"$folder/out")"
}

# served NAME SERVER SCRIPT LOAD...: a server under clients from outside: replays only. LOAD finds SCRIPT in its place.
served() {
	local what=$1 server=$2 script=$3 count first
	shift 3
	source=/dev/null folder=$work/real why=
	empty_folder
	printf '#!/bin/sh\nexec "%s" run --switch atomics --trace "%s/trace" --stats -- "%s" "$@" 2>"%s/server"\n' \
		"$heddle" "$folder" "$server" "$folder" >"$script"
	chmod +x "$script"
	once "$@"
	[ $status -eq 0 ] || wrong "the load ends with status $status"
	first=$(sed -n 's/.*event hash //p' "$folder/server")
	for ((count = 0; count < replays; count++)); do
		once "$heddle" replay --stats "$folder/trace"
		[ -n "$hash" ] && [ "$hash" = "$first" ] || wrong "replay $count: event hash $hash, not $first"
	done
	is "$what: $replays replays of one trace" "$why" ""
}

# had PROGRAM: its woven folder in $built, or a test that is skipped
had() {
	built=$("$root/tests/real/build" "$1" woven 2>"$work/had") && return
	if [ $? -eq 4 ]; then
		skip "$1" "its source cannot be had"
	else
		fail "$1 builds"
	fi
	return 1
}

if [ $# -eq 0 ]; then
	set -- real
	for source in "$programs"/*.c "$programs"/*.cc; do
		name=${source##*/}
		case $name in *-part.*) ;; *) set -- "$@" "${name%.*}" ;; esac
	done
fi
if [ "$1" = real ]; then
	shift
	if had pbzip2; then
		seq 1 1500000 >"$work/data"
		real "pbzip2 compresses" "$built/pbzip2" -k -c -p4 -b1 "$work/data"
	fi
	if had sqlite3; then
		if $cc -O2 -g -I"$built" "$root/tests/real/sqlthreads.c" "$built/sqlite3.o" -lpthread -ldl -lm -lz -o "$work/sqlthreads" 2>/dev/null; then
			real "four threads on one database" "$work/sqlthreads" threads.db
		else
			fail "sqlthreads builds"
		fi
	fi
	if had memcached; then
		$clang -std=gnu11 -D_GNU_SOURCE -O2 -pthread "$root/bench/memload.c" -o "$work/memload"
		served memcached "$built/memcached" "$work/memcached" "$root/tests/real/memcached-load" "$work/memcached" "$work/memload" 500
	fi
	if had redis; then
		mkdir -p "$work/redis/src"
		ln -s "$built/src/redis-cli" "$built/src/redis-benchmark" "$work/redis/src"
		served redis "$built/src/redis-server" "$work/redis/src/redis-server" "$root/tests/real/redis-load" "$work/redis"
	fi
fi
for name; do
	source=$programs/$name.c
	[ -e "$source" ] || source=$programs/$name.cc
	while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
		wait -n
	done
	{
		examine plain
		examine woven
	} &
done
wait
for name; do
	for variant in plain woven; do
		result=$work/$variant/$name/result
		if [ ! -e "$result" ]; then
			fail "$name, $variant: was not examined to the end"
		elif [ ! -s "$result" ]; then
			pass "$name, $variant"
		elif grep -q '^skip ' "$result"; then
			skip "$name, $variant" "$(sed 's/^skip //' "$result")"
		else
			fail "$name, $variant"
			diag "$(head -n 20 "$result")"
		fi
	done
done
done_testing
