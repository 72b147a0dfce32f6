#!/bin/bash
# memcached under control: four worker threads, eight clients on the loopback whose answers are all checked.
cd "$(dirname "$0")/../.." || exit 1
. tests/real/lib.sh memcached
. tests/real/control.sh

"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O2 -pthread bench/memload.c -o "$work/memload" || fail "memload compiles"
want=$(tests/real/memcached-load "$woven/memcached" "$work/memload" 5000 2>&1)
like "without control: the load passes" "$want" "the server ended with status 0"

n=0
for options in "--switch none" "--strategy random" "--strategy pct" "--strategy round-robin" \
	"--strategy priority --switch none" "--strategy reverse"; do
	n=$((n + 1))
	make_server "load $n" "$work/server" "$woven/memcached" $options
	got=$(bounded 120 tests/real/memcached-load "$work/server" "$work/memload" 5000 2>"$work/client.err")
	same "$options: every answer is right" "$got" "$want" || diag "$(tail -n 20 "$work/client.err" "$work/load $n.err")"
	replays "load $n" 120
done

# Ended by a signal in the middle of its life; the port is taken when it is replayed.
port=$(tests/lib/port)
user=()
[ "$(id -u)" -ne 0 ] || user=(-u root)
make_server "signal" "$work/server" "$woven/memcached"
"$work/server" "${user[@]}" -vv -l 127.0.0.1 -p "$port" -U 0 -t 4 -m 64 &
server=$!
ok "clients before the signal" timeout 60 "$work/memload" "$port" 8 500
kill -TERM "$server"
wait "$server"
echo $? >"$work/signal.status"
is "SIGTERM ends it as ever" "$(cat "$work/signal.status")" 0
replays "signal" 60
done_testing
