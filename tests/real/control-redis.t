#!/bin/bash
# redis under control: I/O threads under redis-benchmark, then commands whose answers are compared, and the digest of all
# data. Its main thread waits for the I/O threads by looking at atomic variables again and again, which is no event
# unless these functions are woven: they are, also when synchronisation is all that is wanted.
cd "$(dirname "$0")/../.." || exit 1
. tests/real/lib.sh redis
. tests/real/control.sh

waits='handleClientsWithPending*UsingThreads,IOThreadMain'
mkdir -p "$work/redis/src"
ln -s "$woven/src/redis-cli" "$woven/src/redis-benchmark" "$work/redis/src"
want=$(bounded 120 tests/real/redis-load "$woven" 2>"$work/want.err")
like "without control: the load passes" "$want" "the server ended with status 0" || diag "$(cat "$work/want.err")"

n=0
for options in "--switch $waits" "--switch $waits --strategy round-robin" "--strategy random" "--strategy pct"; do
	n=$((n + 1))
	set -f
	make_server "load $n" "$work/redis/src/redis-server" "$woven/src/redis-server" $options
	set +f
	got=$(bounded 200 tests/real/redis-load "$work/redis" 2>"$work/client.err")
	same "$options: the same data" "$got" "$want" || diag "$(tail -n 20 "$work/client.err" "$work/load $n.err")"
	replays "load $n" 200
done
done_testing
