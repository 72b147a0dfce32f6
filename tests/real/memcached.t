#!/bin/bash
# memcached: an event loop in each of several threads, fine-grained locks, atomics. Its own tests in Perl and in C, and
# a load that checks every answer.
cd "$(dirname "$0")/../.." || exit 1
. tests/real/lib.sh memcached
need_plain
check_woven "$woven/memcached"
check_static "$woven/memcached"
check_size "$plain/memcached" "$woven/memcached"

# Those of its tests that neither wait for long nor measure time.
own_tests=$(echo t/{00-startup,binary-get,binary,cas,chunked-items,dash-M,evictions,expirations,flags,flush-all}.t \
	t/{getandtouch,getset,incrdecr,issue_152,issue_183,issue_22,issue_41,issue_50,issue_67,issue_70,maxconns}.t \
	t/{multiversioning,noreply,slabs_reassign,stats,stats-detail,touch,udp,unixsocket,watcher_connid}.t)
clang-19 -std=gnu11 -D_GNU_SOURCE -O2 -pthread bench/memload.c -o "$work/memload" || fail "memload compiles"
want=$(tests/real/memcached-load "$plain/memcached" "$work/memload" 20000 2>&1)
like "plain: the load passes" "$want" "^160000 operations, checksum"

for mode in $modes; do
	got=$(in_mode "$mode" 120 tests/real/memcached-load "$woven/memcached" "$work/memload" 20000 2>"$work/$mode.err")
	same "$mode: the same answers under load" "$got" "$want" || diag "$(tail -n 20 "$work/$mode.err")"
	cd "$woven" || exit 1
	ok "$mode: its test program" in_mode "$mode" 200 ./testapp
	# Each test starts a server and mostly sleeps: eight at a time.
	output=$(in_mode "$mode" 300 prove -j8 $own_tests 2>&1)
	like "$mode: its own tests" "$output" "^All tests successful" || diag "$(printf '%s\n' "$output" | tail -n 40)"
	like "$mode: all of them ran" "$output" "^Files=$(echo $own_tests | wc -w),"
	cd "$top" || exit 1
done
check_counts "$work/counted.err"
done_testing
