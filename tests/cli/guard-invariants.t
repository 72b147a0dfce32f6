#!/bin/bash
# What heddle train learns of the nine patterns (tests/lib/patterns.c) is what the definition says, computed apart from it (tests/lib/invariants) from runs of the
# same programs that note their accesses; and how that compares with the invariants of other papers. docs/design/guard.md has the table.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS HEDDLE_STORE
clang-19 -O1 -g -c "$root/tests/lib/trace.c" -o trace.o || fail "trace.c compiles"
$cc -O1 -g -pthread -DTRACE "$root/tests/lib/patterns.c" trace.o -o noted || fail "patterns.c compiles with notes"
$cc -O1 -g -pthread "$root/tests/lib/patterns.c" -o patterns || fail "patterns.c compiles"
while read -r pattern counts expected; do
	rm -f traces
	timeout -k 2 120 "$heddle" run --strategy pos --runs 900 -- ./noted "$pattern" >out 2>err
	"$root/tests/lib/invariants" traces >table
	is "$pattern: orders" "$(head -n 1 table)" "${counts/,/ }"
	is "$pattern: which invariants detect and tolerate it" "$(sed -n 's/ *detect=\([a-z]*\) tolerate=\([a-z]*\)/:\1:\2/p' table | paste -sd ' ')" "$expected"
	printf '%s;%s\n' "$pattern" "$(sed -n 's/.*detect=\([a-z]*\) tolerate=\([a-z]*\)/\1:\2/p' table | paste -sd ';')" >>measured
	timeout -k 2 120 "$heddle" train --quiet --fresh --training=data --strategy pos -- ./patterns "$pattern" >out 2>err
	timeout -k 2 120 "$heddle" train --quiet --training=data --strategy pos -- ./patterns "$pattern" >out 2>err
	"$root/tests/lib/invariants" --sets traces >sets
	lines=$(cut -d: -f1 sets | paste -sd ,)
	jq -r --argjson lines "[$lines]" '(.places | map(.line)) as $of | [.histories[] | {place: $of[.place - 1], member: (if .after == [] then "nil" else $of[.after[0] - 1] end)}] |
		map(select(.place as $line | $lines | any(. == $line))) | group_by(.place)[] | "\(.[0].place): \(map(.member | tostring) | unique | join(" "))"' data | sort >learned
	is "$pattern: the sets are those of the definition" "$(cat learned)" "$(cat sets)"
done <<'END'
R-R|W correct=2,failed=1 AI:all:all AVIO:all:none DUI:all:none CCI:all:none PSet:all:all
W-R|W correct=2,failed=1 AI:all:all AVIO:all:none DUI:all:none CCI:all:none PSet:all:all
W-W|R correct=2,failed=1 AI:all:all AVIO:all:none DUI:all:all CCI:all:none PSet:all:all
R-W|R-W correct=2,failed=4 AI:all:all AVIO:all:none DUI:none:none CCI:all:none PSet:all:none
R-R-W|R-R-W correct=2,failed=13 AI:all:all AVIO:all:none DUI:some:none CCI:all:none PSet:all:none
W-R correct=1,failed=1 AI:all:all AVIO:none:none DUI:none:none CCI:all:none PSet:all:none
R-W correct=1,failed=1 AI:all:all AVIO:none:none DUI:all:none CCI:all:none PSet:all:none
W-W correct=1,failed=1 AI:all:all AVIO:none:none DUI:all:none CCI:all:none PSet:all:none
W-W|W correct=1,failed=2 AI:all:all AVIO:none:none DUI:all:none CCI:all:none PSet:all:some
END
# The table of the document is the one above.
sed -n '/^### Other invariants/,/^##[^#]/p' "$root/docs/design/guard.md" | sed -n 's/^| \([RW].*[^ ]\) *|$/\1/p' | tr -d '\\' | sed 's/ | /;/g; s/, /:/g' >document
is "the document has the same table" "$(cat document)" "$(cat measured)"
is_clean "nothing is left in TMPDIR"
done_testing
