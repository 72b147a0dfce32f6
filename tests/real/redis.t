#!/bin/bash
# redis: a large C program with Lua inside, background threads and I/O threads. Its own tests in Tcl, and
# redis-benchmark followed by a digest of all data.
cd "$(dirname "$0")/../.." || exit 1
. tests/real/lib.sh redis
need_plain
check_woven "$woven/src/redis-server"
check_woven "$woven/src/redis-benchmark"
check_size "$plain/src/redis-server" "$woven/src/redis-server"

want=$(bounded 120 tests/real/redis-load "$plain" 2>"$work/plain.err")
like "plain: the load passes" "$want" "the server ended with status 0" || diag "$(cat "$work/plain.err")"

units=
for unit in type/hash type/string type/incr type/set multi pubsub keyspace lazyfree bitops functions tracking; do
	units="$units --single unit/$unit"
done
for mode in $modes; do
	got=$(in_mode "$mode" 200 tests/real/redis-load "$woven" 2>"$work/$mode.err")
	same "$mode: the same data after the load" "$got" "$want" || diag "$(tail -n 20 "$work/$mode.err")"
	cd "$woven" || exit 1
	output=$(in_mode "$mode" 400 ./runtest --clients 2 --durable --tags -slow $units 2>&1)
	like "$mode: its own tests" "$output" "All tests passed without errors" || diag "$(printf '%s\n' "$output" | tail -n 40)"
	printf '%s\n' "$output" | grep -c '\[.*ok.*\]:' >"$work/$mode.tests"
	same "$mode: as many of them as dormant" "$(cat "$work/$mode.tests")" "$(cat "$work/dormant.tests")"
	cd "$top" || exit 1
done
check_counts "$work/counted.err"
done_testing
