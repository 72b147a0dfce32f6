#!/bin/bash
# pbzip2 that carries its guard data (heddle guard --bake): C++ and exceptions, four threads. bzip2 and the program without guard are the judges.
cd "$(dirname "$0")/../.." || exit 1
. tests/real/lib.sh pbzip2
unset HEDDLE HEDDLE_OPTIONS HEDDLE_STORE LD_PRELOAD
awk 'BEGIN { srand(7); for (i = 0; i < 60000; i++) printf "%d %x line %d\n", i, rand() * 65536 * 256, i % 97 }' </dev/null >"$work/data"
ok "trained" bounded 200 "$bin/heddle" train --quiet --native --runs 6 --store "$work/store" -- "$woven/pbzip2" -k -f -q -p4 -b1 "$work/data"
ok "baked" bounded 60 "$bin/heddle" guard --bake --store "$work/store" -o "$work/pbzip2" -- "$woven/pbzip2"
"$woven/pbzip2" -k -c -p4 -b1 "$work/data" >"$work/plain.bz2"
for n in 1 2 3; do
	ok "compresses" eval 'bounded 120 "$work/pbzip2" -k -c -p4 -b1 "$work/data" >"$work/own.bz2" 2>"$work/err"'
	ok "byte for byte the same" cmp "$work/plain.bz2" "$work/own.bz2"
done
is "it says nothing" "$(cat "$work/err")" ""
ok "bzip2 reads it" eval 'bzip2 -dc "$work/own.bz2" | cmp - "$work/data"'
ok "decompresses" eval 'bounded 120 "$work/pbzip2" -d -c -p4 "$work/own.bz2" 2>/dev/null | cmp - "$work/data"'
head -c 5000 "$work/own.bz2" >"$work/cut.bz2"
bounded 120 "$work/pbzip2" -d -c "$work/cut.bz2" >/dev/null 2>&1
is "a cut file is an error" "$?" 1
# Cut by a page, the program runs unguarded.
size=$(stat -c %s "$work/pbzip2")
truncate -s $(((size - 1) / 4096 * 4096)) "$work/pbzip2"
ok "damaged: it runs" eval 'bounded 120 "$work/pbzip2" -k -c -p4 -b1 "$work/data" >"$work/own.bz2" 2>"$work/err"'
ok "damaged: the same" cmp "$work/plain.bz2" "$work/own.bz2"
is "damaged: it says so once" "$(grep -c 'guard data that the program carries are damaged' "$work/err") $(wc -l <"$work/err")" "1 1"
done_testing
