#!/bin/bash
# Stores and suppressions of version 0.1.0. tests/cli/compatible has a store that heddle 0.1.0 made: mixed.c was built with
# heddle-cc -g -O0 -pthread and tested once with each of the arguments below (--runs 40 --reduce 0 --budget 20000). Of its evidence one
# trace is there. Today's heddle lists, shows and compares what is in it, knows each finding again in its own build of the program, and
# suppressions match as they did.
. tests/lib/tap.sh
. tests/lib/cc.sh
command -v sqlite3 >/dev/null || skip_all "there is no sqlite3: ./setup build installs it"
unset HEDDLE_STORE HEDDLE_CC_OPTIONS
kept=$root/tests/cli/compatible
arguments="race deadlock free use assertion crash livelock output exit"

# store FOLDER: a copy of the old store
store() {
	mkdir -p "$1"
	gzip -dc "$kept/heddle.db.gz" >"$1/heddle.db" && cp -r "$kept/evidence" "$1"
}

# tested NAME OPTIONS...: a test of the program with that argument, as the old one was; $code, NAME.json
tested() {
	local name=$1
	shift
	timeout -s KILL 120 "$heddle" test --classify no --quiet --runs 40 --reduce 0 --budget 20000 --json "$name.json" "$@" -- ./mixed "$name" \
		>said 2>errors </dev/null
	code=$?
}

store old
is "the store is of an older version" "$(sqlite3 old/heddle.db 'PRAGMA user_version')" 8
listed=$("$heddle" list --store old 2>&1)
is "list: exit status" $? 0
is "list: what it has" "$(printf '%s\n' "$listed" | sed -E '1d;s/ +/ /g;s/0x[0-9a-f]+/0xN/')" \
"H1 known 240 mixed data race on counter: read at mixed.c:21, write at mixed.c:21
H2 new 6 mixed deadlock: threads 1 and 2 wait for each other
H3 new 28 mixed double free: 16 bytes allocated at mixed.c:49 (at 0xN): free at mixed.c:37, freed before at mixed.c:54
H4 new 12 mixed double free: 16 bytes allocated at mixed.c:49 (at 0xN): free at mixed.c:54, freed before at mixed.c:37
H5 new 29 mixed use after free: *block: write at mixed.c:39
H6 new 11 mixed data race on *block: free at mixed.c:54, write at mixed.c:39
H7 new 6 mixed assertion \`!is(\"assertion\") || counter == 2' failed at mixed.c:58 in main
H8 new 6 mixed crash: Segmentation fault (signal 11) at mixed.c:60 in main
H9 new 6 mixed livelock: no end after 20001 events
H10 new 5 mixed the output differs from that of schedule 1 (exit status 0 in both)
H11 new 6 mixed exit status 1"
is "list --json: kinds" "$("$heddle" list --store old --json | jq -r '[.findings[].kind] | unique | join(" ")')" \
	"assertion bad-exit crash data-race deadlock hang memory-error output-differs"

cp "$kept/mixed.c" . && "$cc" -g -O0 -pthread mixed.c -o mixed || fail "the program is built"
for id in 1 2 3 4 5 6 7 8 9 10 11; do
	shown=$("$heddle" show --store old "H$id" 2>&1)
	is "show H$id: exit status" $? 0
	like "show H$id: what it is" "$shown" "^H$id $(sqlite3 old/heddle.db "SELECT substr(summary, 1, 12) FROM finding WHERE id = $id")"
	like "show H$id: since when" "$shown" '^  first seen 20[0-9-]+ [0-9:]+ in build 6d05c5283ca1 of mixed$'
done
shown=$("$heddle" show --store old H1)
like "show: details that were stored" "$shown" '^  thread [12] .*reads counter at mixed\.c:21 in count$'
like "show: the sources beside them" "$shown" '^    > +21 \|.*counter\+\+;$'
like "show: evidence that is not there" "$shown" '^  it cannot be replayed: the evidence of H1 is gone'
like "show: evidence of another user" "$("$heddle" show --store old H2)" '^  the interleaving cannot be shown: the trace '
same "report --sarif: fingerprints" "$("$heddle" report --store old --brief --sarif - | jq -r '.runs[].results[].partialFingerprints."heddle/v1"' | sort)" \
	"$(sqlite3 old/heddle.db 'SELECT fingerprint FROM finding ORDER BY fingerprint')"

# The same bugs in today's build: each has the id that it had.
expected=(1 2 "3 4" "5 6" "1 7" "1 8" "1 9" "1 10" "1 11")
store .heddle
"$heddle" list >/dev/null # brings it to today's version
before=$(sqlite3 .heddle/heddle.db 'SELECT id, fingerprint FROM finding ORDER BY id')
number=0
for name in $arguments; do
	tested "$name"
	is "test $name: exit status" "$code" 1
	is "test $name: the same ids" "$(jq -r '[.findings[].id | ltrimstr("H")] | unique_by(tonumber) | join(" ")' "$name.json")" "${expected[number]}"
	is "test $name: known" "$(jq -r '[.findings[].standing] | unique | join(" ")' "$name.json")" known
	number=$((number + 1))
done
same "no fingerprint has changed, and none was added" "$(sqlite3 .heddle/heddle.db 'SELECT id, fingerprint FROM finding ORDER BY id')" "$before"
like "today's build is another one" "$("$heddle" show --brief H1)" '^  last seen 20[0-9-]+ [0-9:]+ in build [0-9a-f]{12} of mixed$'

compared=$("$heddle" diff 6d05c5283ca1 ./mixed)
is "diff of the two builds: exit status" $? 0
like "diff of the two builds" "$compared" '^0 new, 0 gone, 0 not tested enough, 11 in both$'
for name in race deadlock; do
	tested "$name" --store now
done
compared=$("$heddle" diff old now)
is "diff of the two stores: exit status" $? 0
like "diff of the two stores: the race" "$compared" '^both +H1 data race on counter'
like "diff of the two stores: not tested enough" "$compared" '^not tested enough H11 exit status 1 '
like "diff of the two stores: in sum" "$compared" '^0 new, 0 gone, 9 not tested enough, 2 in both$'

# LINE ARGUMENT IDS: a suppression as 0.1.0 had it, and what it suppresses in a test with that argument
while read -r line name ids; do
	printf '# as written for 0.1.0\n%s\n' "$line" >suppressions
	tested "$name" --store old --suppressions suppressions
	is "$line suppresses in $name" "$(jq -r '[.findings[] | select(.suppressed) | .id] | sort | join(" ")' "$name.json")" "$ids"
	is "$line is used" "$(grep -c unused errors)" 0
done <<'END'
race:count race H1
race:^count$ exit H1
race_top:mixed.c output H1
variable:counter crash H1
deadlock:both deadlock H2
id:H3 free H3
race:work use H5 H6
kind:memory-error free H3 H4
kind:assertion assertion H7
consequence:crash crash H8
consequence:hang livelock H9
kind:output-differs output H10
consequence:bad-exit exit H11
END
done_testing
