#!/bin/bash
# pbzip2: C++, threads with condition variables. Compresses and decompresses with four threads; bzip2 is the judge.
cd "$(dirname "$0")/../.." || exit 1
. tests/real/lib.sh pbzip2
need_plain
check_woven "$woven/pbzip2"
check_size "$plain/pbzip2" "$woven/pbzip2"

# 10 MB that compress neither too well nor not at all, the same every time.
awk 'BEGIN { srand(7); for (i = 0; i < 400000; i++) printf "%d %x line %d\n", i, rand() * 65536 * 256, i % 97 }' </dev/null |
	head -c 10000000 >"$work/data"
"$plain/pbzip2" -k -c -p4 -b1 "$work/data" >"$work/plain.bz2"

for mode in $modes; do
	ok "$mode: compresses" eval 'in_mode $mode 120 "$woven/pbzip2" -k -c -p4 -b1 "$work/data" >"$work/$mode.bz2" 2>"$work/$mode.err"'
	ok "$mode: byte for byte what a plain pbzip2 writes" cmp "$work/plain.bz2" "$work/$mode.bz2"
	ok "$mode: bzip2 reads it back" eval 'bzip2 -dc "$work/$mode.bz2" | cmp - "$work/data"'
	ok "$mode: decompresses" eval 'in_mode $mode 120 "$woven/pbzip2" -d -c -p4 "$work/$mode.bz2" 2>/dev/null | cmp - "$work/data"'
	ok "$mode: tests a file of bzip2's" eval 'bzip2 -c "$work/data" >"$work/one.bz2"; in_mode $mode 120 "$woven/pbzip2" -t "$work/one.bz2"'
	head -c 5000 "$work/$mode.bz2" >"$work/cut.bz2"
	in_mode "$mode" 120 "$woven/pbzip2" -d -c "$work/cut.bz2" >/dev/null 2>&1
	is "$mode: a cut file is an error" "$?" 1
done
check_counts "$work/counted.err"
done_testing
