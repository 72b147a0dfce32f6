#!/bin/bash
# sqlite3 under control: four threads on one database.
cd "$(dirname "$0")/../.." || exit 1
. tests/real/lib.sh sqlite3
. tests/real/control.sh

# Weaving sqlite3 again takes as long as all the rest: the program is kept beside the build.
threads=$woven/sqlthreads
if [ ! "$threads" -nt "$woven/sqlite3.o" ] || [ ! "$threads" -nt tests/real/sqlthreads.c ]; then
	ok "the program links with the woven object" "${HEDDLE_CC:-$bin/heddle-cc}" -O2 -g -I"$woven" tests/real/sqlthreads.c \
		"$woven/sqlite3.o" -lpthread -ldl -lm -lz -o "$work/sqlthreads"
	mv "$work/sqlthreads" "$threads"
fi
fresh_folder() {
	cd "$top" || exit 1
	rm -rf "$work/run"
	mkdir "$work/run"
	cd "$work/run" || exit 1
}
fresh_folder
want=$("$threads" threads.db 2>&1)
like "without control: it runs to its end" "$want" "ok$"

n=0
for options in "--switch none" "--strategy random" "--strategy pct" "--strategy round-robin --switch none" \
	"--strategy priority" "--strategy reverse"; do
	n=$((n + 1))
	fresh_folder
	controlled "threads $n" 200 $options -- "$threads" threads.db
	is "$options: the same data" "$(cat "$work/threads $n.out")" "$want" || diag "$(tail -n 20 "$work/threads $n.err")"
	cd "$top" || exit 1
	rm -rf "$work/run"
	replays "threads $n" 200
	[ ! -e "$work/run" ] || fail "$options: the replay leaves files"
done

fresh() {
	fresh_folder
	bounded 100 "$bin/heddle" run --stats "$@" -- "$threads" threads.db 2>&1 >/dev/null
}
one_hash "woven" 5 fresh
one_hash "synchronisation only" 20 fresh --switch none

fresh_folder
controlled "shell" 100 -- "$woven/sqlite3" test.db ".read $top/tests/real/workload.sql"
like "the shell with a script" "$(tail -n 1 "$work/shell.out")" "ok$"
cd "$top" || exit 1
rm -rf "$work/run"
replays "shell" 100
done_testing
