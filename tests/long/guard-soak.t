#!/bin/bash
# memcached, guarded, under load for about ten minutes: every answer is right, and neither its memory nor its mappings grow. HEDDLE_SOAK_SECONDS sets another time.
cd "$(dirname "$0")/../.." || exit 1
. tests/real/lib.sh memcached
unset HEDDLE HEDDLE_OPTIONS HEDDLE_STORE LD_PRELOAD
seconds=${HEDDLE_SOAK_SECONDS:-600}
clang-19 -std=gnu11 -D_GNU_SOURCE -O2 -pthread bench/memload.c -o "$work/memload" || fail "memload compiles"
user=()
[ "$(id -u)" -ne 0 ] || user=(-u root)
# server COMMAND...: sets port and server
server() {
	port=$(tests/lib/port)
	bounded $((seconds * 5 + 300)) "$@" "${user[@]}" -A -l 127.0.0.1 -p "$port" -U 0 -t 4 -m 64 >"$work/out" 2>"$work/err" &
	server=$!
}
for _ in 1 2 3; do
	server "$bin/heddle" train --quiet --native --runs 1 --training="$work/data" -- "$woven/memcached"
	"$work/memload" "$port" 8 5000 quit >"$work/load" 2>&1
	wait "$server"
done
like "trained" "$(cat "$work/out")" 'from [0-9]+ correct runs'
# How many operations take so long: twice, as the first ones meet an empty server.
guard=("$bin/heddle" guard --quiet --store="$work/store" --training="$work/data" --json="$work/json" -- "$woven/memcached")
for operations in 5000 20000; do
	server "${guard[@]}"
	sleep 3
	begin=$EPOCHREALTIME
	"$work/memload" "$port" 8 $operations quit >"$work/load" 2>&1
	wait "$server"
	operations=$(awk -v n=$operations -v begin="$begin" -v end="$EPOCHREALTIME" -v want="$seconds" 'BEGIN { printf "%d\n", n * want / (end - begin) }')
done
server "${guard[@]}"
"$work/memload" "$port" 8 "$operations" quit >"$work/load" 2>"$work/load.err" &
load=$!
# of_server COMMAND...: with the folder of the server in /proc
of_server() {
	local pid
	for pid in $(pgrep -x memcached); do
		! { tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null | grep -q -- "-p $port " || "$@" "/proc/$pid"
	done
}
memory() { awk '/^VmRSS/ { print $2 }' "$1/status"; }
mappings() { wc -l <"$1/maps"; }
sleep $((seconds / 5 + 1))
early_memory=$(of_server memory) early_mappings=$(of_server mappings)
late_memory=$early_memory late_mappings=$early_mappings
while kill -0 "$load" 2>/dev/null; do
	now=$(of_server memory 2>/dev/null)
	mapped=$(of_server mappings 2>/dev/null)
	[ -z "$now" ] || [ "${mapped:-0}" -eq 0 ] || late_memory=$now late_mappings=$mapped
	sleep 1
done
wait "$load"
is "every answer is right" "$? $(cat "$work/load.err")" "0 "
like "all operations were made" "$(cat "$work/load")" "^$((operations * 8)) operations, checksum"
wait "$server"
is "the server ends as it should" "$?" 0
diag "$((operations * 8)) operations; memory $early_memory kB, then $late_memory kB; mappings $early_mappings, then $late_mappings; $(jq -r '"violations \(.violations_seen), stalled \(.stalled_us / 1000) ms"' "$work/json")"
ok "memory does not grow" test "$late_memory" -le $((early_memory + early_memory / 20 + 4096))
ok "nor do mappings" test "$late_mappings" -le $((early_mappings + 8))
done_testing
