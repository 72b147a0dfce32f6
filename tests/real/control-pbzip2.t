#!/bin/bash
# pbzip2 under control: four threads compress and decompress 10 MB, right and the same in the replay, also when its files
# are gone.
cd "$(dirname "$0")/../.." || exit 1
. tests/real/lib.sh pbzip2
. tests/real/control.sh

awk 'BEGIN { srand(7); for (i = 0; i < 400000; i++) printf "%d %x line %d\n", i, rand() * 65536 * 256, i % 97 }' </dev/null |
	head -c 10000000 >"$work/original"
head -c 1000000 "$work/original" >"$work/part"
# The same bytes under any schedule: what the program does without control.
"$woven/pbzip2" -k -c -p4 -b1 "$work/original" >"$work/want.bz2"
ok "without control: bzip2 reads it back" eval 'bzip2 -dc "$work/want.bz2" | cmp - "$work/original"'

n=0
for options in "--switch none" "--strategy random" "--strategy pct --switch none" "--strategy pct" "--strategy reverse"; do
	n=$((n + 1))
	cp "$work/original" "$work/data"
	cp "$work/want.bz2" "$work/data.bz2"
	controlled "compress $n" 120 $options -- "$woven/pbzip2" -k -c -p4 -b1 "$work/data"
	ok "$options: compresses" cmp "$work/compress $n.out" "$work/want.bz2"
	controlled "decompress $n" 120 $options -- "$woven/pbzip2" -d -k -c -p4 "$work/data.bz2"
	ok "$options: decompresses" cmp "$work/decompress $n.out" "$work/original"
	rm "$work/data" "$work/data.bz2"
	replays "compress $n" 120
	replays "decompress $n" 120
done

# To a file: a replay leaves no file behind.
cp "$work/original" "$work/data"
controlled "to a file" 120 -- "$woven/pbzip2" -v -p4 -b1 "$work/data"
ok "to a file: compresses" cmp "$work/data.bz2" "$work/want.bz2"
rm "$work/data.bz2"
replays "to a file" 120
is "to a file: the replay writes none" "$(ls "$work" | grep '^data')" ""

small() {
	bounded 60 "$bin/heddle" run --stats "$@" -- "$woven/pbzip2" -k -c -p4 -b1 "$work/part" 2>&1 >/dev/null
}
one_hash "woven" 20 small
one_hash "synchronisation only" 20 small --switch none
# Through a pipe whose reader is sometimes slow.
piped() {
	{ bounded 60 "$bin/heddle" run --stats -- "$woven/pbzip2" -k -c -p4 -b1 "$work/part" | { sleep 0.0$((RANDOM % 10)); cat; } >/dev/null; } 2>&1
}
one_hash "output to a slow reader" 5 piped

# A cut file is an error of the program's, in the replay as well.
head -c 5000 "$work/want.bz2" >"$work/cut.bz2"
controlled "cut" 60 -- "$woven/pbzip2" -d -c "$work/cut.bz2"
is "a cut file is an error" "$(cat "$work/cut.status")" 1
rm "$work/cut.bz2"
replays "cut" 60
done_testing
