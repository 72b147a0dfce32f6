#!/bin/bash
# memcached that carries its guard data (heddle guard --bake): under a load that checks every answer.
cd "$(dirname "$0")/../.." || exit 1
. tests/real/lib.sh memcached
unset HEDDLE HEDDLE_OPTIONS HEDDLE_STORE LD_PRELOAD
clang-19 -std=gnu11 -D_GNU_SOURCE -O2 -pthread bench/memload.c -o "$work/memload" || fail "memload compiles"
want=$(tests/real/memcached-load "$woven/memcached" "$work/memload" 2000 2>&1)
like "unguarded: the load passes" "$want" "^16000 operations, checksum"
port=$(tests/lib/port)
user=()
[ "$(id -u)" -ne 0 ] || user=(-u root)
bounded 200 "$bin/heddle" train --quiet --native --runs 1 --store "$work/store" -- "$woven/memcached" "${user[@]}" -A -l 127.0.0.1 -p "$port" -U 0 -t 4 -m 64 >"$work/train" 2>&1 &
trained=$!
"$work/memload" "$port" 8 2000 quit >/dev/null 2>&1
wait "$trained"
like "trained" "$(cat "$work/train")" 'from 1 correct run'
ok "baked" bounded 60 "$bin/heddle" guard --bake --store "$work/store" -o "$work/memcached" -- "$woven/memcached"
got=$(bounded 120 tests/real/memcached-load "$work/memcached" "$work/memload" 2000 2>"$work/err")
same "guarded: the same answers under load" "$got" "$want" || diag "$(tail -n 20 "$work/err")"
ok "its version" bounded 20 "$work/memcached" -V
done_testing
