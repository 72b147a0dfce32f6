#!/bin/bash
# Evidence: each test has files of its own, so that one that is interrupted, killed or beside another one takes nothing
# away: what was told can be replayed, what was reduced stays. What is not needed any more is removed, and nothing else.
. tests/lib/tap.sh
. tests/lib/cc.sh
command -v sqlite3 >/dev/null || skip_all "there is no sqlite3: ./setup build installs it"
unset HEDDLE_STORE
db=.heddle/heddle.db

# A race, and a failure that comes of it.
cat >sell.c <<'END_OF_C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
const char version[] = VERSION;
static int left = 1;
static atomic_int sold;
static int take(void)
{
	return left > 0 ? left-- : 0;
}
static void *counter(void *argument)
{
	if (take())
		sold++;
	return argument;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, counter, NULL);
	pthread_create(&b, NULL, counter, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(sold == 1);
	return 0;
}
END_OF_C
"$cc" -g -O1 -pthread '-DVERSION="1"' sell.c -o sell || fail "sell is built"
"$cc" -g -O1 -pthread '-DVERSION="2"' sell.c -o sell-2 || fail "sell-2 is built"
cp sell sell-1

# tested OPTIONS...: a test to its end; what it says is in said
tested() {
	timeout -s KILL 120 "$heddle" test --classify no --runs 60 "$@" -- ./sell >said 2>errors </dev/null
}

# begun NAME OPTIONS...: a test without end, which has announced the failure already; its id is in $pid, what it says in NAME
begun() {
	local name=$1
	shift
	: >"$name"
	"$heddle" test --classify no --time 100 "$@" -- ./sell >"$name" 2>announced </dev/null &
	pid=$!
	for _ in $(seq 3000); do
		[ "$(grep -c '^heddle: H[0-9]' announced)" = 2 ] && return
		sleep 0.02
	done
	fail "the failure is announced: $name"
}

# killed: the one that was begun
killed() {
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
}

# unable FILE...: commands that were told there and do not work, or show something else
unable() {
	local command
	sed -n 's/^  replay: //p' "$@" | sort -u | while read -r command; do
		(PATH=$build/bin:$PATH eval "$command") >out 2>replayed
		case $? in
		0 | 134) grep -q 'data race\|signal 6' replayed || echo "$command: another run" ;;
		*) echo "$command: $(head -n 1 replayed)" ;;
		esac
	done
}

# known ID: what is told of it, and where its evidence is
known() {
	"$heddle" list --all --json | jq -c --arg id "$1" '.findings[] | select(.id == $id) | [.summary, .needs, .sites, .trace]'
}

# missing: evidence that the store refers to and that is not there
missing() {
	sqlite3 "$db" "SELECT trace FROM sighting WHERE trace IS NOT NULL" | while read -r trace; do
		[ -e ".heddle/$trace" ] || echo "$trace"
	done
}

files() {
	ls -A .heddle/evidence
}

tested
is "a test" "$(grep -o '^H[0-9]* [a-z]*' said | sort -u | paste -sd ,)" "H1 data,H2 assertion,H2 needs"
like "told: the finding is replayed by its id" "$(grep -A30 '^H2 assertion' said)" '^  replay: heddle replay H2$'
is "told: it works" "$(unable said)" ""
is "a file for each finding" "$(files | sed -E 's/-[0-9a-f]{8}\.[0-9]+\./ /' | paste -sd ,)" "assertion reduced.trace,data-race trace"
before=$(known H2)
trace=.heddle/$(sqlite3 "$db" "SELECT trace FROM sighting WHERE finding = 2")
cp "$trace" reduced
like "reduced" "$before" 'needs 1 preemption'

# Another one that does not come to reduce it.
begun second --seed 7
killed
is "killed: what was reduced stays" "$(known H2)" "$before"
ok "killed: so does its trace" cmp -s reduced "$trace"
like "killed: it is shown" "$("$heddle" show --brief H2)" '^  needs 1 preemption'
is "killed: what it told can be replayed" "$(unable said second)" ""
is "killed: reports have the reduced one" "$("$heddle" report --brief --json - | jq -r '.findings[] | select(.id == "H2") | [.preemptions, .trace, .replay] | join(" ")')" \
	"1 $trace heddle replay H2"
begun third --seed 8
kill -TERM $pid
wait $pid
is "interrupted: what was reduced stays" "$(known H2)" "$before"
ok "interrupted: so does its trace" cmp -s reduced "$trace"
is "interrupted: what it told can be replayed" "$(unable said second third)" ""
tested --seed 9 --json found.json
is "a whole one after that: one file for each finding" "$(files | sed 's/-.*//' | paste -sd ,)" "assertion,data"
ok "a whole one after that: its own" test -e "$(jq -r '.findings[] | select(.id == "H2").trace' found.json)"
is "a whole one after that: all that was told can be replayed" "$(unable said second third)" ""
is "JSON: how to replay it" "$(jq -r '.findings[0].replay' found.json)" "heddle replay H1"
like "JSON: the name is that of before" "$(jq -r '.findings[0].name' found.json)" '^data-race-[0-9a-f]{8}$'
for seed in 1 2 3 4 5; do
	tested --quiet --seed $seed
done
is "many: no more files" "$(files | sed 's/-.*//' | paste -sd ,)" "assertion,data"
is "many: nothing is missing" "$(missing)" ""

# One that reduces it less does not replace it.
sqlite3 "$db" "UPDATE sighting SET preemptions = 0 WHERE finding = 2 AND trace IS NOT NULL; UPDATE finding SET preemptions = 0 WHERE id = 2"
before=$(known H2)
tested --seed 3
is "reduced less: the better one stays" "$(known H2)" "$before"
sqlite3 "$db" "UPDATE sighting SET preemptions = 7 WHERE finding = 2 AND preemptions = 0; UPDATE finding SET preemptions = 7 WHERE id = 2"
tested --seed 4
is "reduced more: the worse one goes" "$(sqlite3 "$db" 'SELECT preemptions FROM finding WHERE id = 2') $(files | grep -c assertion)" "1 1"
# One whose file somebody removed is none.
rm .heddle/evidence/assertion-*
begun gone --seed 5
killed
is "removed by hand: what is there is told" "$(missing | grep -c assertion) $(sqlite3 "$db" "SELECT preemptions IS NULL FROM finding WHERE id = 2") $(unable gone)" "1 1 "
tested

# Two at once.
begun one --seed 11
first=$pid
own=$(files | grep -F ".$(sqlite3 "$db" 'SELECT mark FROM test ORDER BY id DESC LIMIT 1').")
tested --seed 12
cp said two
is "at once: nobody takes away what the other one uses" "$(cd .heddle/evidence && ls $own | wc -l)" 2
is "at once: what both told can be replayed" "$(unable one two)" ""
begun three --seed 13
killed
is "at once, one is killed: what was told can be replayed" "$(unable one two three)" ""
pid=$first
killed
is "at once, both are killed: what was told can be replayed" "$(unable one two three)" ""
like "at once, both are killed: what was reduced stays" "$("$heddle" show --brief H2)" '^  needs 1 preemption'
for i in 1 2 3; do
	timeout -s KILL 120 "$heddle" test --classify no --runs 60 --seed 2$i -- ./sell >at-once-$i 2>&1 </dev/null &
done
wait
is "three at once: what they told can be replayed" "$(unable at-once-?)" ""
is "three at once: nothing is missing" "$(missing)" ""
tested
is "after that: one file for each finding" "$(files | sed 's/-.*//' | paste -sd ,)" "assertion,data"

# Where there can be no locks, the database alone tells tests that begin at once apart.
rm -rf .heddle
mkdir -p .heddle/lock
tested --quiet
(
	echo 'BEGIN IMMEDIATE;'
	sleep 1
	echo 'COMMIT;'
) | sqlite3 "$db" &
sleep 0.2
for i in 1 2 3; do
	timeout -s KILL 120 "$heddle" test --classify no --runs 60 --seed 3$i -- ./sell >no-locks-$i 2>&1 </dev/null &
done
wait
is "no locks, at once: each has a mark of its own" "$(sqlite3 "$db" 'SELECT count(*), count(DISTINCT mark) FROM test')" "4|4"
is "no locks, at once: what they told can be replayed" "$(unable no-locks-?)" ""
is "no locks, at once: nothing is missing" "$(missing)" ""

# Killed at any moment, in a new store.
rm -rf .heddle
wrong=
for delay in 0.05 0.1 0.15 0.2 0.3 0.4 0.5 0.6; do
	"$heddle" test --classify no --runs 40 -- ./sell >"killed-$delay" 2>/dev/null </dev/null &
	pid=$!
	sleep $delay
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
	# It may be that there are no tables yet.
	wrong="$wrong$(unable killed-*)$([ ! -s "$db" ] || missing 2>/dev/null)"
done
is "killed at any moment: what was told can be replayed" "$wrong" ""
tested
is "killed at any moment: what is left is removed" "$(files | sed 's/-.*//' | paste -sd ,)" "assertion,data"
is "killed at any moment: in the end it is reduced" "$(sqlite3 "$db" "SELECT preemptions FROM finding WHERE kind = 'assertion'")" 1

# What is removed, and what is not.
mark=$(sqlite3 "$db" 'SELECT mark FROM test ORDER BY id LIMIT 1')
left=.heddle/evidence/crash-01234567
cp .heddle/evidence/data-race-* mine.trace
cp mine.trace $left.$mark.trace
cp mine.trace $left.$mark.reduced.trace
cp mine.trace $left.4711.trace
cp mine.trace .heddle/evidence/mine.trace
cp mine.trace .heddle/evidence/.heddle-young
# Who reads a trace has a lock: see src/store/running.c.
perl -e '$| = 1; open my $f, "<", ".heddle/lock" or die; my $lock = pack "s s x4 q q l x4", 0, 0, 0, 1, 0;
	fcntl $f, 6, $lock or die; print "locked\n"; sleep 60' >locked &
reader=$!
for _ in $(seq 100); do [ -s locked ] && break; sleep 0.02; done
tested
ok "left by a killed test: not while somebody reads" test -e $left.$mark.trace -a -e $left.$mark.reduced.trace
kill $reader
wait $reader 2>/dev/null
begun running
cp mine.trace .heddle/evidence/.heddle-old
touch -d '2 hours ago' .heddle/evidence/.heddle-old
tested
ok "left by a killed test: removed" test ! -e $left.$mark.trace -a ! -e $left.$mark.reduced.trace
ok "of a test that is in no database of ours: not" test -e $left.4711.trace
ok "of somebody else: not" test -e .heddle/evidence/mine.trace
ok "half a file: not while another test runs" test -e .heddle/evidence/.heddle-old
# To forget it takes nothing from a test that is running.
own=$(sqlite3 "$db" "SELECT '.heddle/' || s.trace FROM sighting s JOIN test t ON t.id = s.test WHERE t.ended IS NULL ORDER BY s.test DESC, s.finding LIMIT 1")
id=$(sqlite3 "$db" "SELECT 'H' || s.finding FROM sighting s WHERE '.heddle/' || s.trace = '$own'")
others=$(sqlite3 "$db" "SELECT '.heddle/' || trace FROM sighting WHERE 'H' || finding = '$id' AND trace IS NOT NULL AND '.heddle/' || trace <> '$own'")
ok "forget while a test runs" "$heddle" forget "$id"
ok "forget while a test runs: its file stays" test -e "$own"
ok "forget while a test runs: those of others do not" test -n "$others" -a ! -e "$others"
kill -TERM $pid
wait $pid
is "forget while a test runs: the test ends as ever" "$?" 1
tested
ok "half a file: removed" test ! -e .heddle/evidence/.heddle-old
ok "half a file: not a young one" test -e .heddle/evidence/.heddle-young
ok "forgotten: the file is removed by the next" test ! -e "$own"
rm $left.* .heddle/evidence/mine.trace .heddle/evidence/.heddle-young
begun last
killed
ok "forget" "$heddle" forget $(sqlite3 "$db" "SELECT 'H' || id FROM finding")
is "forget removes all files of a finding" "$(files)" ""

# Each build has one; a revert brings back what was known.
rm -rf .heddle
tested
cp sell-2 sell
tested
is "another build: one for each" "$(files | sed 's/-.*//' | paste -sd ,)" "assertion,assertion,data,data"
cp sell-1 sell
before=$(sqlite3 "$db" "SELECT trace FROM sighting WHERE finding = 2 AND test = 1")
sqlite3 "$db" "UPDATE finding SET state = 'fixed', unseen = 1000, needs = 'of the newer build'"
begun reverted
killed
is "a revert, killed: what the build needs" "$(known H2 | jq -c '[.[1] | startswith("needs 1 preemption")]') $(known H2 | jq -r '.[3]')" "[true] $before"
is "a revert, killed: events of another run are not told" "$(sqlite3 "$db" "SELECT DISTINCT event FROM site WHERE finding = 2")" 0
is "a revert, killed: it can be replayed" "$(unable reverted)" ""

# A library is built anew, the program is not: traces of before cannot be replayed.
mkdir library && cd library
cat >part.c <<'END_OF_C'
const char part_version[] = VERSION;
int left = 1;
int take(void)
{
	return left > 0 ? left-- : 0;
}
END_OF_C
sed 's/^static int left.*//; /^static int take/,/^}/d; s/^const char.*/int take(void);/' ../sell.c >sell.c
part() {
	"$cc" -g -O1 -fPIC -shared "-DVERSION=\"$1\"" part.c -o libpart.so
}
part 1 && cp libpart.so first.so && "$cc" -g -O1 -pthread sell.c -L. -lpart -Wl,-rpath,"$PWD" -o sell || fail "a library is built"
tested
is "a library: reduced" "$(sqlite3 "$db" 'SELECT preemptions FROM finding WHERE id = 2')" 1
first=$(known H2)
part 2
begun anew --seed 3
killed
is "a library, built anew: what was told can be replayed" "$(unable anew)" ""
sqlite3 "$db" "UPDATE sighting SET preemptions = 0 WHERE finding = 2 AND test = 1"
tested --seed 4
is "a library, built anew: what is reduced less there" "$(unable said)" ""
tested --seed 5
is "a library, built anew: it stays" "$(unable said) $(files | grep -c assertion)" " 2"
cp first.so libpart.so
sqlite3 "$db" "UPDATE sighting SET preemptions = 1 WHERE finding = 2 AND test = 1"
begun again --seed 6
killed
is "a library, the first one again: what was told can be replayed" "$(unable again)" ""
same "a library, the first one again: what was reduced then" "$(known H2 | jq -r '.[3]')" "$(jq -r '.[3]' <<<"$first")"
cd ..

# A store of version 4: all tests of a build had the same file.
rm -rf .heddle
tested
for id in 1 2; do
	trace=$(sqlite3 "$db" "SELECT trace FROM sighting WHERE finding = $id")
	old=$(sed 's/\.[0-9]*\(\.reduced\)*\.trace/.trace/' <<<"$trace")
	mv ".heddle/$trace" ".heddle/$old"
	sqlite3 "$db" "UPDATE sighting SET trace = '$old' WHERE finding = $id"
done
sqlite3 "$db" "INSERT INTO test(id, build, subject, strategy, seed, began) SELECT 2, build, subject, strategy, seed, began FROM test;
	INSERT INTO sighting(finding, test, key, schedule, strategy, seed, trace, event)
	SELECT finding, 2, key, schedule, strategy, seed, trace, event FROM sighting;
	DROP TABLE verdict; DROP TABLE mark; ALTER TABLE finding DROP COLUMN place; ALTER TABLE finding DROP COLUMN head; ALTER TABLE finding DROP COLUMN rules; ALTER TABLE site DROP COLUMN proof; ALTER TABLE site DROP COLUMN proof_locks; ALTER TABLE site DROP COLUMN code; ALTER TABLE finding DROP COLUMN suppression; ALTER TABLE finding DROP COLUMN came_back;
	DROP INDEX test_mark; DROP INDEX sighting_trace; ALTER TABLE test DROP COLUMN mark; ALTER TABLE sighting DROP COLUMN needs;
	ALTER TABLE finding DROP COLUMN early; ALTER TABLE sighting DROP COLUMN early; ALTER TABLE sighting DROP COLUMN preemptions; ALTER TABLE sighting DROP COLUMN is_fewest; ALTER TABLE sighting DROP COLUMN parts; PRAGMA user_version = 4"
before=$(known H2)
like "version 4: what it needs" "$before" 'needs 1 preemption.*assertion-[0-9a-f]{8}\.trace'
is "version 4: the last sight has it" "$(sqlite3 "$db" 'SELECT test, preemptions FROM sighting WHERE finding = 2' | paste -sd ,)" "1|,2|1"
begun migrated
killed
is "version 4: a killed test takes nothing away" "$(known H2)" "$before"
is "version 4: what it told can be replayed" "$(unable migrated)" ""
tested
is "version 4: one for each finding after that" "$(files | sed -E 's/-[0-9a-f]{8}\.[0-9]+\./ /' | paste -sd ,)" "assertion reduced.trace,data-race trace"

# The command can be pasted, wherever the store is.
tested --store "my findings"
like "--store" "$(cat said)" "^  replay: heddle replay --store 'my findings' H2\$"
is "--store: it works" "$(unable said)" ""
HEDDLE_STORE="my findings" tested
like "HEDDLE_STORE" "$(cat said)" "^  replay: heddle replay --store 'my findings' H2\$"
is_clean "nothing is left in TMPDIR"
done_testing
