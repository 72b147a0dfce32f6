# programs.sh: the programs that are run in several variants: kernels of our own and real ones. Source it after lib.sh, call
# begin_programs, and define
#   kinds      the builds that are needed, of plain, woven and tsan
#   variant V  sets the array command: what runs ${built[KIND]} as variant V wants it, to which arguments are added; it
#              begins with ${timed[@]}
# prepare NAME builds a program in all kinds, and returns 1 when it cannot be had; run_once NAME VARIANT runs it.
declare -A built

compiler_of() {
	case $1 in
	plain) compiler=(clang-19 -O2 -g) ;;
	woven) compiler=("$bin/heddle-cc" -O2 -g) ;;
	tsan) compiler=(clang-19 -fsanitize=thread -O2 -g) ;;
	esac
}

begin_programs() {
	begin "$@"
	# So many seconds are none that a run needs: it hangs.
	timed=(timeout --foreground -s KILL 1200 "$work/timer" "$work/time")
	clang-19 -std=gnu11 -D_GNU_SOURCE -O2 -pthread "$top/bench/memload.c" -o "$work/memload"
}

# launch VARIANT ARGUMENTS...: replaces the shell by the program. What it says goes to $work/told.
launch() {
	variant "$1"
	exec "${command[@]}" "${@:2}" 2>"$work/told"
}

# real NAME FILE: FILE of each build. The real programs that are not there are skipped, loudly.
real() {
	local kind folder status
	for kind in $kinds; do
		status=0
		folder=$("$top/tests/real/build" "$1" "$kind") || status=$?
		[ $status -ne 4 ] || { echo "bench: SKIPPED $1: its source cannot be had" >&2; return 1; }
		[ $status -eq 0 ] || exit 3
		built[$kind]=$folder/$2
	done
}

prepare_kernel() {
	local kind
	for kind in $kinds; do
		compiler_of "$kind"
		built[$kind]=$work/$1-$kind
		"${compiler[@]}" -pthread "$top/bench/kernels/$1.c" -lm -o "${built[$kind]}"
	done
}
run_kernel() {
	(launch "$1") >"$work/output"
}

prepare_pbzip2() {
	real pbzip2 pbzip2 || return 1
	awk 'BEGIN { srand(7); for (i = 0; i < 400000; i++) printf "%d %x line %d\n", i, rand() * 16777216, i % 97 }' \
		</dev/null >"$work/data"
}
run_pbzip2() {
	(launch "$1" -k -c -p4 -b1 "$work/data") | cksum >"$work/output"
}

# with_sqlite SOURCE: a program linked with the object that SQLite's own build made; SOURCE may be in SQLite's folder. It
# is kept beside the build: weaving SQLite takes long.
with_sqlite() {
	local kind folder name source
	name=$(basename "$1" .c)
	real sqlite3 "" || return 1
	for kind in $kinds; do
		compiler_of "$kind"
		folder=${built[$kind]%/}
		source=$1
		[ -e "$source" ] || source=$folder/$1
		built[$kind]=$folder/bench-$name
		if [ ! "${built[$kind]}" -nt "$folder/sqlite3.o" ] || [ ! "${built[$kind]}" -nt "$source" ]; then
			"${compiler[@]}" -I"$folder" "$source" "$folder/sqlite3.o" -lpthread -ldl -lm -lz -o "$work/linked"
			mv "$work/linked" "${built[$kind]}"
		fi
	done
}

# SQLite's own speed test, in memory: one thread.
prepare_sqlite() {
	with_sqlite test/speedtest1.c
}
run_sqlite() {
	# Its report has times; --verify adds a hash of all results at the end.
	(launch "$1" --memdb --verify --size 30) | sed -n 's/^Verification Hash: //p' >"$work/output"
}

# Four threads on one database.
prepare_sqlthreads() {
	with_sqlite "$top/tests/real/sqlthreads.c"
}
run_sqlthreads() {
	rm -f "$work"/threads.db*
	(launch "$1" "$work/threads.db") >"$work/output"
}

prepare_memcached() {
	real memcached memcached
}
run_memcached() {
	local port user=() status=0
	port=$("$top/tests/lib/port")
	[ "$(id -u)" -ne 0 ] || user=(-u root)
	(launch "$1" "${user[@]}" -A -l 127.0.0.1 -p "$port" -U 0 -t 4 -m 64) >/dev/null &
	server=$!
	"$work/memload" "$port" 8 15000 quit >"$work/output" || kill "$server"
	wait "$server" || status=$?
	server=
	return $status
}

# I/O threads under redis-benchmark; the clients are always the plain ones.
prepare_redis() {
	local tool
	real redis src/redis-server || return 1
	mkdir -p "$work/redis/src"
	for tool in redis-cli redis-benchmark; do
		ln -sf "$(dirname "${built[plain]}")/$tool" "$work/redis/src"
	done
}
run_redis() {
	variant "$1"
	cat >"$work/redis/src/redis-server" <<-END
		#!/bin/bash
		exec $(printf '%q ' "${command[@]}") "\$@" >/dev/null 2>$(printf '%q' "$work/told")
	END
	chmod +x "$work/redis/src/redis-server"
	"$top/tests/real/redis-load" "$work/redis" >"$work/output"
}

# prepare NAME
prepare() {
	case $1 in
	dense | hash | sort | queue | fft | lu) prepare_kernel "$1" ;;
	*) "prepare_$1" ;;
	esac
}

# run_once NAME VARIANT: leaves what the program printed in $work/output, what it said in $work/told and what it cost in
# $work/time. The first run of a program says what all others must print. One that ends with another status than 0 is not
# taken either: heddle run says so that it could not control the program to its end.
run_once() {
	local name=$1 run=run_$1 status=0
	case $name in
	dense | hash | sort | queue | fft | lu) run=run_kernel ;;
	esac
	rm -f "$work/time"
	: >"$work/told"
	: >"$work/output"
	"$run" "$2" || status=$?
	if [ $status -ne 0 ] || [ ! -s "$work/time" ] || [ ! -s "$work/output" ]; then
		echo "bench: $name ($2) did not run to its end: status $status" >&2
		tail -n 5 "$work/told" >&2
		exit 3
	fi
	[ -e "$work/$name.want" ] || cp "$work/output" "$work/$name.want"
	cmp -s "$work/output" "$work/$name.want" || {
		echo "bench: $name ($2) printed \"$(head -c 200 "$work/output")\", want \"$(head -c 200 "$work/$name.want")\"" >&2
		tail -n 5 "$work/told" >&2
		exit 1
	}
}
