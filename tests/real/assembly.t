#!/bin/bash
# Locks and atomic operations that others wrote in inline assembly, from Debian's sources of Concurrency Kit and liburcu: right uses of
# them are silent, wrong ones are found, and nothing is opaque.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS

# examine PROGRAM CASE STATUS: in 40 schedules
examine() {
	is "$1: $2" "$(timeout -s KILL 120 "$heddle" test --classify no --runs 40 --seed 1 --reduce 0 -- "./$1" "$2" >said 2>&1 </dev/null; echo $?)" "$3" ||
		diag "$(grep -E '^H|^note|^heddle' said)"
	unlike "$1: $2: all is observed" "$(cat said)" "is not observed"
	[ "$3" = 0 ] || like "$1: $2: a race" "$(cat said)" "^H[0-9]* data race on data"
}

if folder=$(cd "$root" && tests/real/fetch ck 2>errors); then
	cp -r "$folder" ck-source
	(cd ck-source && ./configure >/dev/null 2>&1)
	for level in 0 2; do
		ok "ck at -O$level is built" "$cc" -O$level -g -w -pthread -Ick-source/include "$root/tests/real/ck.c" -o ck$level || continue
		for name in cas fas dec ticket mcs rwlock count ring stack; do
			examine ck$level $name 0
		done
		examine ck$level bad 1
	done
else
	skip "ck" "its source cannot be had"
	diag "SKIPPED: $(cat errors)"
fi

if folder=$(cd "$root" && tests/real/fetch liburcu 2>errors); then
	mkdir -p include/urcu
	: >include/urcu/config.h
	for level in 0 2; do
		ok "uatomic at -O$level is built" "$cc" -O$level -g -w -pthread -Iinclude -I"$folder/include" "$root/tests/real/uatomic.c" \
			-o uatomic$level || continue
		for name in lock exchange count stack flag; do
			examine uatomic$level $name 0
		done
		examine uatomic$level lock-bad 1
		examine uatomic$level flag-bad 1
	done
else
	skip "liburcu" "its source cannot be had"
	diag "SKIPPED: $(cat errors)"
fi
done_testing
