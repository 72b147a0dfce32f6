#!/bin/bash
# The store of findings: what is the same finding in another test, build or schedule and what is not, its states, heddle
# list, show, diff, forget and replay by id, and stores that are damaged, newer, full, read-only, large or hostile.
. tests/lib/tap.sh
. tests/lib/cc.sh
command -v sqlite3 >/dev/null || skip_all "there is no sqlite3: ./setup build installs it"
unset HEDDLE_STORE
db=.heddle/heddle.db

# program NAME [FLAGS...]: NAME.c becomes ./NAME
program() {
	local name=$1
	shift
	"$cc" -g -O1 -pthread "$@" "$name.c" -o "$name" 2>&1 || fail "$name is built"
}

# tested OPTIONS... -- PROG: $said, $code
tested() {
	said=$(timeout -s KILL 120 "$heddle" test --classify no "$@" 2>errors </dev/null)
	code=$?
}

# ids: those of the findings that were said, in order of the numbers
ids() {
	printf '%s\n' "$said" | grep -o '^H[0-9]*' | sort -u -V | paste -sd ' '
}

# states: all that the store has
states() {
	sqlite3 "$db" "SELECT 'H' || id || ' ' || state FROM finding ORDER BY id" | paste -sd ','
}

# refuses NAME STATUS REGEX COMMAND...: one line of error (and a hint), that status
refuses() {
	local name=$1 want=$2 regex=$3
	shift 3
	got=$(timeout -s KILL 60 "$@" 2>&1 >/dev/null </dev/null)
	is "$name: exit status" "$?" "$want"
	like "$name: message" "$got" "$regex"
	is "$name: one line, and a hint" "$(printf '%s\n' "$got" | grep -vc '^heddle: hint: ')" 1
}

# Two races in one function, on different variables.
cat >two.c <<'END'
#include <pthread.h>
static volatile int apples, pears;
static void *work(void *argument)
{
	apples = 1;
	pears = 1;
	return argument;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
program two
refuses "no store yet" 3 'there is no store in "\.heddle"' "$heddle" list
ok "looking makes no store" test ! -e .heddle
tested --runs 20 --quiet -- ./two
is "two variables, two findings" "$(ids)" "H1 H2"
unlike "nothing is said of what is found for the first time" "$said" '\('known
is "the database is for its owner only" "$(stat -c %a "$db")" 600
is "they are new" "$(states)" "H1 new,H2 new"
first=$(sqlite3 "$db" "SELECT id FROM finding WHERE summary LIKE '%apples%'")
tested --runs 20 --quiet --seed 99 --strategy pos -- ./two
is "another seed and strategy: the same ids" "$(ids)" "H1 H2"
like "known ones are said to be" "$said" "^H$first data race on apples .*, found in schedule [0-9]+ \(known\)\$"
is "they are known" "$(states)" "H1 known,H2 known"

# Lines move, white space and comments change: the same. A new function before changes addresses, too.
cp two two-1
sed -i '1i /* a comment\n   of two lines */\n\nint before(int a)\n{\n\treturn a + 1;\n}' two.c
sed -i 's/\tapples = 1;/        apples  =  1 ; \/\/ eat/' two.c
sed -i 's/^static void \*work/\n&/' two.c
program two
tested --runs 20 --quiet -- ./two
is "moved lines: the same ids" "$(ids)" "H1 H2"
like "told with the new line" "$said" "^H$first data race on apples .*two\.c:$(grep -n 'apples  =' two.c | cut -d: -f1)"
is "the build is another" "$(sqlite3 "$db" 'SELECT count(*) FROM build')" 2
# The code around changes: still the same, as it is another build.
sed -i 's/\tpears = 1;/\tif (argument)\n\t\treturn NULL;\n\tpears = 1;/' two.c
program two
tested --runs 20 --quiet -- ./two
is "changed surroundings: the same ids" "$(ids)" "H1 H2"
# A third race of the same function is another one.
sed -i 's/\tpears = 1;/\tpears = 1;\n\tplums = 1;/; s/apples, pears;/apples, pears, plums;/' two.c
program two
tested --runs 20 --quiet -- ./two
is "another variable in that function: another finding" "$(ids)" "H1 H2 H3"
like "only that is new" "$(states)" '^H1 known,H2 known,H3 new$'
# One line twice in a function: two findings, and each stays itself.
sed -i 's/\tplums = 1;/\tplums = 1;\n\tbefore(3);\n\tplums = 1;/' two.c
program two
tested --runs 150 --quiet -- ./two
twins=$(ids)
count=$(printf '%s\n' "$said" | wc -l)
is "a line twice: each finding has an id of its own" "$(wc -w <<<"$twins")" "$count"
before=$(printf '%s\n' "$said" | sed 's/ (4 bytes.*two/ two/; s/, found.*//' | sort)
tested --runs 150 --quiet --seed 5 -- ./two
is "a line twice: with another seed the same" "$(printf '%s\n' "$said" | sed 's/ (4 bytes.*two/ two/; s/, found.*//' | sort)" "$before"
# Without the sources functions and variables make the difference.
mkdir away && cp two away/ && mv two.c away/
rm -rf bare && mkdir bare && (cd bare && cp ../two . && timeout -s KILL 60 "$heddle" test --classify no --runs 20 --quiet -- ./two >said </dev/null)
is "without sources, one test: ids differ" "$(grep -o '^H[0-9]*' bare/said | sort | uniq -d)" ""
mv away/two.c .

# Fixed, and back.
rm -rf .heddle
cat >fix.c <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void *work(void *argument)
{
	LOCK(&lock);
	counter++;
	UNLOCK(&lock);
	return argument;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	(void)argv;
	pthread_create(&a, NULL, work, NULL);
	if (argc > 1)
		pthread_join(a, NULL);
	pthread_create(&b, NULL, work, NULL);
	if (argc == 1)
		pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
locked="-DLOCK=pthread_mutex_lock -DUNLOCK=pthread_mutex_unlock" open="-DLOCK=(void) -DUNLOCK=(void)"
program fix $open
cp fix fix-1
tested --runs 20 --quiet -- ./fix
is "a bug" "$(states)" "H1 new"
program fix $locked
cp fix fix-2
tested --runs 30 --fixed-after 50 -- ./fix
is "not seen often enough" "$(states)" "H1 new"
like "show says how often" "$("$heddle" show --brief H1)" '^  not seen in 30 schedules of newer builds$'
tested --runs 100 --fixed-after 50 -- ./fix other arguments
is "schedules with other arguments do not count" "$(states)" "H1 new"
tested --runs 20 --fixed-after 50 --switch main -- ./fix
is "schedules that could not see it do not count" "$(states)" "H1 new"
tested --runs 20 --fixed-after 50 -- ./fix
is "fixed" "$(states)" "H1 fixed"
like "that is said" "$said" '^note: H1 is considered fixed: it was not seen in 50 schedules of newer builds$'
is "list does not show it" "$("$heddle" list)" "no findings are new or known
1 fixed and 0 suppressed: heddle list --all"
like "list --all does" "$("$heddle" list --all)" '^H1 +fixed +20  fix +data race on counter'
like "list --state does" "$("$heddle" list --state fixed)" '^H1 +fixed '
# As if it had been seen in one schedule of 20: 60 without it are enough, 55 are not.
cp fix-1 fix
HEDDLE_STORE=seldom tested --runs 20 --quiet -- ./fix
sqlite3 seldom/heddle.db "UPDATE sighting SET seen = 1"
cp fix-2 fix
HEDDLE_STORE=seldom tested --runs 55 --fixed-after 50 -- ./fix
is "a rare one is not fixed as soon" "$(db=seldom/heddle.db states)" "H1 new"
HEDDLE_STORE=seldom tested --runs 5 --fixed-after 50 -- ./fix
like "a rare one is fixed" "$said" '^note: H1 is considered fixed: it was not seen in 60 schedules of newer builds$'
rm -r seldom
cp fix-1 fix
tested --runs 5 --quiet -- ./fix
like "a revert makes the build of before: it came back" "$said" '^H1 .* \(came back: seen again in a build that was tested before\)$'
is "reverted: it is new" "$(states)" "H1 new"
like "reverted: list shows it" "$("$heddle" list)" '^H1 +came back +25  fix +data race on counter'
like "reverted: show says so" "$("$heddle" show --brief H1)" '^  new, came back: seen in 25 schedules of 2 tests$'
unlike "reverted: show counts from then" "$("$heddle" show --brief H1)" 'not seen in'
is "reverted: the report has it" "$("$heddle" report --json - | jq -r '.findings[].id')" H1
cp fix-2 fix
tested --runs 50 --fixed-after 50 -- ./fix
is "reverted and fixed with the fix of before" "$(states)" "H1 fixed"
program fix $open -DVERSION=3 -O2
tested --runs 5 --quiet --json found.json -- ./fix
like "in a newer build it came back" "$said" '^H1 .* \(came back: it was fixed\)$'
is "and is new" "$(states)" "H1 new"
is "JSON has that" "$(jq -r '.findings[0] | .id + " " + .standing' found.json)" "H1 came-back"

# diff of builds: by file, by id.
got=$("$heddle" diff --gone-after 50 ./fix-1 ./fix-2)
is "diff: nothing new is status 0" "$?" 0
like "diff: gone" "$got" '^gone  H1 data race on counter.* \(not in 100 schedules\)$'
like "diff: gone, the sum" "$got" '^0 new, 1 gone, 0 not tested enough, 0 in both$'
got=$("$heddle" diff ./fix-1 ./fix-2)
is "diff: not tested enough: status" "$?" 0
like "diff: not tested enough" "$got" '^not tested enough H1 data race on counter.* \(100 of 1000 schedules with its arguments\)$'
unlike "diff: not tested enough is not gone" "$got" '^gone'
like "diff: not tested enough, the sum" "$got" '^0 new, 0 gone, 1 not tested enough, 0 in both$'
like "diff: how many schedules say so" "$got" '^new: build [0-9a-f]{12} of fix, 220 schedules$'
got=$("$heddle" diff "$(readelf -n fix-2 | sed -n 's/.*Build ID: \(........\).*/\1/p')" ./fix)
is "diff: something new is status 1" "$?" 1
like "diff: new" "$got" '^new   H1 data race on counter'
like "diff: both" "$("$heddle" diff fix-1 ./fix)" '^both  H1 data race on counter'
like "diff: the sum" "$("$heddle" diff fix-1 ./fix)" '^0 new, 0 gone, 0 not tested enough, 1 in both$'
refuses "diff: a build that was not tested" 3 'this build of "\./two" was not tested' "$heddle" diff ./two ./fix
refuses "diff: no such build" 3 'no build matching "abcdabcd" was tested' "$heddle" diff abcdabcd ./fix
# Another program, that nothing is known of but that it does not have it.
printf 'int main(void) { return 0; }\n' >unlike.c
program unlike
tested --runs 60 --quiet -- ./unlike
refuses "diff: another program" 3 '"fix" and "unlike" are different programs' "$heddle" diff --gone-after 5 ./fix ./unlike
got=$("$heddle" diff --gone-after 5 --renamed ./fix ./unlike)
is "diff: another name of the program" "$?" 0
like "diff: another name of the program: gone" "$got" '^gone  H1'
# diff of stores
cp -r .heddle other
"$heddle" forget --store other H1
got=$("$heddle" diff other .heddle/heddle.db)
is "diff of databases: new is status 1" "$?" 1
like "diff of databases: new" "$got" '^new   H1 data race'
like "diff of databases: both" "$("$heddle" diff .heddle .heddle)" '^both  H1 data race'
got=$("$heddle" diff .heddle other)
is "diff of databases: nothing new is status 0" "$?" 0
like "diff of databases: not tested enough" "$got" '^not tested enough H1 data race on counter.* of 1000 schedules with its arguments\)$'
like "diff of databases: gone" "$("$heddle" diff --gone-after 60 .heddle other)" '^gone  H1 data race on counter.* \(not in [0-9]+ schedules\)$'
mkdir elsewhere
(cd elsewhere && cp ../fix-2 another && timeout -s KILL 60 "$heddle" test --classify no --runs 60 --quiet -- ./another >/dev/null 2>&1 </dev/null)
like "diff of databases: another program" "$("$heddle" diff --gone-after 60 .heddle elsewhere/.heddle)" '^not tested enough H1 .* \(0 of 60 schedules'
(cd elsewhere && cp ../fix-2 fix && timeout -s KILL 60 "$heddle" test --classify no --runs 30 --quiet -- ./fix >/dev/null 2>&1 </dev/null)
like "diff of databases: the program in another folder" "$("$heddle" diff --gone-after 60 .heddle elsewhere/.heddle)" '^not tested enough H1 .* \(30 of 60 schedules'
refuses "diff: no schedules" 2 '--gone-after must be at least 1' "$heddle" diff --gone-after 0 ./fix-1 ./fix-2
# A test that was killed, or was before anyone knew what it could see.
sqlite3 "$db" "UPDATE test SET kinds = NULL"
like "diff: tests of an older store count" "$("$heddle" diff ./fix-1 ./fix-2)" '^not tested enough H1 .* \(120 of 1000 schedules'
refuses "diff of a database and a build" 2 'one operand is a database' "$heddle" diff other ./fix

# show and replay
like "list: the places" "$("$heddle" list)" '^H1 +[a-z ]+ +[0-9]+  fix  +data race on counter: .*fix\.c:7'
got=$(COLUMNS=60 "$heddle" list)
like "list in 60 columns: the places" "$(tr -s ' \n' ' ' <<<"$got")" 'data race on counter: (read|write) at fix\.c:7, (read|write) at fix\.c:7'
ok "list in 60 columns: no line is longer" test "$(wc -L <<<"$got")" -le 60
cp fix a-program-with-a-rather-long-name
tested --runs 5 --quiet --store wide -- ./a-program-with-a-rather-long-name
like "list: a long name of a program" "$("$heddle" list --store wide)" '  a-program-with-a-rather-long-name  '
got=$(COLUMNS=60 "$heddle" test --classify no --runs 20 --store wide -- ./fix 2>/dev/null | grep -v "replay: ")
ok "test in 60 columns: no line is longer" test "$(wc -L <<<"$got")" -le 60
got=$("$heddle" show H1 2>&1)
is "show: status" "$?" 0
like "show: the headline" "$got" '^H1 data race on counter \(4 bytes at 0x[0-9a-f]+\): '
like "show: one side" "$got" '^  thread [23] \(work\) (reads|writes) counter at fix\.c:7 in work$'
like "show: the other" "$got" '^  thread [23] \(work\) (read|wrote) it earlier at fix\.c:7 in work$'
like "show: the state" "$got" '^  new, came back: seen in [0-9]+ schedules of 3 tests$'
like "show: since when" "$got" '^  first seen [0-9-]+ [0-9:]+ in build [0-9a-f]{12} of fix$'
like "show: how to have it again" "$got" '^  replay: heddle replay H1$'
like "show: the interleaving" "$got" '^ +event +thread 1 main'
like "show: its events" "$got" '^ +[0-9]+> +7 (read|write) counter$'
"$heddle" replay H1 >/dev/null 2>errors
like "replay by id" "$(cat errors)" 'data race on counter'
like "replay --columns by id" "$("$heddle" replay --columns H1 2>/dev/null)" 'fix\.c:7 .*counter'
cp fix-1 fix
got=$("$heddle" show H1)
like "show: another build is in the way" "$got" \
	'^  the interleaving cannot be shown: ".*fix" is not the build that was recorded'
like "show: a test finds it again" "$got" 'heddle test -- PROG finds it again in the new build'
unlike "show: no replay that would be refused" "$got" '^  replay: '
like "replay: a test finds it again" "$("$heddle" replay H1 2>&1)" 'heddle test -- PROG finds it again in the new build'
rm .heddle/evidence/*
got=$("$heddle" show H1)
is "evidence missing: show does" "$?" 0
like "evidence missing: said" "$got" '^  it cannot be replayed: the evidence of H1 is gone: "\.heddle/evidence/data-race-'
refuses "evidence missing: replay" 3 'the evidence of H1 is gone' "$heddle" replay H1
for name in $(sqlite3 "$db" "SELECT DISTINCT trace FROM sighting WHERE finding = 1"); do
	mkfifo ".heddle/$name"
done
refuses "evidence is a FIFO: replay" 3 'data-race-.*\.trace" is not a file, so it is not a trace' "$heddle" replay H1
like "evidence is a FIFO: show" "$(timeout -s KILL 60 "$heddle" show H1)" 'cannot be shown: ".*" is not a file, so it is not a trace'
rm .heddle/evidence/*
refuses "no such finding: show" 3 'there is no finding H77' "$heddle" show H77
refuses "no such finding: replay" 3 'there is no finding H77' "$heddle" replay H77
refuses "no such finding: forget" 3 'there is no finding H77' "$heddle" forget H77
refuses "no id: show" 2 '"17" is not the id of a finding' "$heddle" show 17
refuses "no id: forget" 2 '"H0" is not the id of a finding' "$heddle" forget H1 H0
refuses "an unknown state" 2 'unknown state "knwon"' "$heddle" list --state knwon
refuses "an unknown kind" 2 'unknown kind "race"' "$heddle" list --kind race
refuses "all and a state" 2 'cannot be combined' "$heddle" list --all --state new

# list as JSON, forget
tested --runs 5 --quiet -- ./fix
is "JSON" "$("$heddle" list --all --json | jq -c '[.heddle, .version, (.findings[] | .id, .kind, .state, .tests, .first.program, (.sites | length))]')" \
	"[1,$(sed -n 's/^#define STORE_VERSION \([0-9]*\)u$/\1/p' "$root/src/store/schema.h"),\"H1\",\"data-race\",\"known\",4,\"fix\",2]"
is "list --kind" "$("$heddle" list --kind deadlock)" "no findings match"
ok "evidence is there" test -e .heddle/evidence/data-race-*.trace
ok "forget" "$heddle" forget H1
is "forgotten" "$(states)" ""
is "its evidence, too" "$(ls .heddle/evidence)" ""
tested --runs 5 --quiet -- ./fix
is "an id is not used again" "$(ids)" "H2"

# Where it is
tested --runs 5 --quiet --store "my findings" -- ./fix
ok "--store" test -e "my findings/heddle.db"
tested --runs 5 --store "my findings" -- ./fix
like "--store: the replay can be pasted" "$said" "^  replay: heddle replay --store 'my findings' H1\$"
like "HEDDLE_STORE" "$(HEDDLE_STORE="my findings" "$heddle" list)" '^H1 +known '

# A deadlock and a failure that has no place: the same with other seeds and moved lines.
rm -rf .heddle
cat >stuck.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *other(void *argument)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	sum = 2;
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, other, NULL);
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	int mine = sum;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	pthread_join(thread, NULL);
	exit(mine ? 3 : 0);
}
END
program stuck
tested --runs 100 --quiet -- ./stuck
is "deadlock and bad exit: kinds" "$(sqlite3 "$db" 'SELECT DISTINCT kind FROM finding ORDER BY kind' | paste -sd ' ')" "bad-exit deadlock"
before=$(sqlite3 "$db" 'SELECT count(*) FROM finding')
like "what a failure needs is kept" "$("$heddle" show --brief "$(sqlite3 "$db" "SELECT 'H' || id FROM finding WHERE kind = 'deadlock'")")" \
	'^  needs .*preemption'
sed -i '1i \\n#include <stdio.h>' stuck.c
program stuck
tested --runs 100 --quiet --seed 44 -- ./stuck
is "moved lines and another seed: nothing is new" "$(sqlite3 "$db" 'SELECT count(*) FROM finding')" "$before"

# Several at once.
rm -rf .heddle
cp "$work/fix-1" fix
for i in 1 2 3 4; do
	timeout -s KILL 120 "$heddle" test --classify no --runs 20 --quiet --seed $i -- ./two >two-$i 2>&1 </dev/null &
done
timeout -s KILL 120 "$heddle" test --classify no --runs 20 --quiet -- ./fix >fix-said 2>&1 </dev/null
wait
is "at once: five tests" "$(sqlite3 "$db" 'SELECT count(*), sum(schedules) FROM test WHERE ended')" "5|100"
is "at once: each finding once" "$(sqlite3 "$db" 'SELECT count(*) - count(DISTINCT summary) FROM finding')" 0
# id, variable, both lines in order
pairs=$(cat two-? | sed -nE 's/^(H[0-9]+) data race on ([a-z]+) .*two\.c:([0-9]+), .*two\.c:([0-9]+), found.*/\1 \2 \3 \4/p' |
	awk '{ print $1, $2, ($3 < $4 ? $3 " " $4 : $4 " " $3) }' | sort -u)
is "at once: a race has one id" "$(cut -d ' ' -f 2- <<<"$pairs" | sort | uniq -d)" ""
is "at once: an id has one race" "$(cut -d ' ' -f 1 <<<"$pairs" | sort | uniq -d)" ""
is "at once: two are in all" "$(cat two-? | grep -cE 'data race on (apples|pears)')" 8
is "at once: the database is sound" "$(sqlite3 "$db" 'PRAGMA integrity_check; PRAGMA foreign_key_check')" ok

# Begun by several at once: nobody sees half a database.
printf 'int main(void) { return 0; }\n' >nothing.c
program nothing
: >begun
for i in $(seq 10); do
	rm -rf .heddle
	for j in 1 2 3 4; do
		timeout -s KILL 60 "$heddle" test --classify no --runs 1 --quiet -- ./nothing >>begun 2>&1 </dev/null &
	done
	wait
done
is "begun at once" "$(cat begun)" ""
is "begun at once: all are in it" "$(sqlite3 "$db" 'SELECT count(*) FROM test')" 4

# Killed in the middle: what was shown is there.
rm -rf .heddle
for i in 1 2 3; do
	: >shown
	timeout -s KILL 120 "$heddle" test --classify no --runs 100000 --quiet --seed $i -- ./two >shown 2>&1 </dev/null &
	pid=$!
	for _ in $(seq 400); do
		grep -q '^H' shown && break
		sleep 0.02
	done
	heddle_pid=$(pgrep -P $pid -x heddle | head -n 1)
	kill -KILL ${heddle_pid:-$pid}
	wait $pid 2>/dev/null
	missing=
	for id in $(grep -o '^H[0-9]*' shown); do
		"$heddle" show --brief "$id" >/dev/null 2>&1 || missing="$missing $id"
	done
	ok "killed $i: something was shown" grep -q '^H' shown
	is "killed $i: what was shown is there" "$missing" ""
done
# A journal that a dead process left is undone.
tested --runs 5 --quiet -- ./two
is "after that a test works" "$code" 1

# Bad stores
cp -r .heddle good
reset() {
	rm -rf .heddle
	cp -r good .heddle
}
sqlite3 "$db" 'PRAGMA user_version = 99'
refuses "newer: list" 3 'was written by a newer Heddle: it has version 99' "$heddle" list
refuses "newer: test" 3 'was written by a newer Heddle' "$heddle" test --classify no --runs 1 -- touch ran
ok "newer: nothing ran" test ! -e ran
reset
sqlite3 "$db" 'PRAGMA application_id = 7'
refuses "another program's database" 3 'is a database of another program' "$heddle" list
reset
# What each step of the schema added is taken away again.
without_14='ALTER TABLE verdict DROP COLUMN shown_marks; ALTER TABLE verdict DROP COLUMN other_marks; PRAGMA user_version = 13;'
without_13='ALTER TABLE verdict DROP COLUMN is_from_log; ALTER TABLE verdict DROP COLUMN unanswered; PRAGMA user_version = 12;'
without_12='ALTER TABLE verdict DROP COLUMN input; PRAGMA user_version = 11;'
without_11='ALTER TABLE finding DROP COLUMN place; ALTER TABLE finding DROP COLUMN head; ALTER TABLE finding DROP COLUMN rules; PRAGMA user_version = 10;'
without_10='DROP TABLE verdict; DROP TABLE mark; PRAGMA user_version = 9;'
without_9='ALTER TABLE site DROP COLUMN proof; ALTER TABLE site DROP COLUMN proof_locks; PRAGMA user_version = 8;'
without_8='ALTER TABLE finding DROP COLUMN early; ALTER TABLE sighting DROP COLUMN early; PRAGMA user_version = 7;'
without_7='ALTER TABLE site DROP COLUMN code; ALTER TABLE finding DROP COLUMN suppression; ALTER TABLE finding DROP COLUMN came_back;
	PRAGMA user_version = 6;'
without_6='ALTER TABLE sighting DROP COLUMN parts; PRAGMA user_version = 5;'
without_5='DROP INDEX test_mark; DROP INDEX sighting_trace; ALTER TABLE test DROP COLUMN mark; ALTER TABLE sighting DROP COLUMN needs;
	ALTER TABLE sighting DROP COLUMN preemptions; ALTER TABLE sighting DROP COLUMN is_fewest; PRAGMA user_version = 4;'
without_4='ALTER TABLE site DROP COLUMN is_near; PRAGMA user_version = 3;'
without_3='ALTER TABLE test DROP COLUMN kinds; ALTER TABLE finding DROP COLUMN variants; ALTER TABLE finding DROP COLUMN preemptions;
	ALTER TABLE finding DROP COLUMN is_fewest; ALTER TABLE site DROP COLUMN thread_name; ALTER TABLE site DROP COLUMN event;
	ALTER TABLE site DROP COLUMN before; ALTER TABLE site DROP COLUMN after; ALTER TABLE site DROP COLUMN is_beside; PRAGMA user_version = 2;'
without_2='DROP INDEX finding_fingerprint; DROP INDEX sighting_test; DROP INDEX sighting_key; DROP INDEX test_build; PRAGMA user_version = 1;'
for version in 13 12 11 10 9 8 7 6 5 4 3 2 1; do
	reset
	sqlite3 "$db" 'UPDATE finding SET head = NULL' # only a test knows groups
	shown=$("$heddle" list --all --json)
	for step in 14 13 12 11 10 9 8 7 6 5 4 3 2; do
		without=without_$step
		[ $step -le $version ] || sqlite3 "$db" "${!without}"
	done
	is "version $version: list" "$("$heddle" list --all --json)" "$shown"
	is "version $version: it is of this version now" "$(sqlite3 "$db" "SELECT (SELECT count(*) FROM pragma_index_info('finding_fingerprint')),
		(SELECT count(*) FROM pragma_table_info('site') WHERE name IN ('thread_name', 'is_near')), user_version FROM pragma_user_version")" \
		"1|2|$(sed -n 's/^#define STORE_VERSION \([0-9]*\)u$/\1/p' "$root/src/store/schema.h")"
	tested --runs 5 --quiet -- ./two
	is "version $version: a test" "$code" 1
done
reset
: >"$db"
ok "an empty file is a store" "$heddle" list

for how in head pages text; do
	reset
	case $how in
	head) printf 'garbage' | dd of="$db" conv=notrunc status=none ;;
	pages) dd if=/dev/urandom of="$db" bs=4096 seek=1 count=6 conv=notrunc status=none ;;
	text) echo "no database at all, but long enough to be looked at as one, or so it seems" >"$db" ;;
	esac
	cp "$db" damaged
	tested --runs 5 --quiet -- ./two
	is "damaged ($how): the test works" "$code" 1
	like "damaged ($how): said" "$(cat errors)" 'is damaged.*; it is kept as "\.heddle/heddle\.db\.damaged-1", and a new one is created'
	ok "damaged ($how): kept" cmp -s damaged .heddle/heddle.db.damaged-1
	like "damaged ($how): a new one" "$("$heddle" list 2>&1)" '^H1 +new '
done
reset
echo "no database" >"$db"
for i in 1 2 3; do
	"$heddle" list >list-$i 2>&1 &
done
wait
is "damaged: of several who see it one acts" "$(ls .heddle/*.damaged-*) $(cat list-? | grep -c 'is kept as')" ".heddle/heddle.db.damaged-1 1"

reset
rm "$db" && mkdir "$db"
refuses "a folder in the way" 3 'cannot open "\.heddle/heddle\.db": it is not a file' "$heddle" list
rm -r "$db" && mkfifo "$db"
refuses "a FIFO in the way" 3 'cannot open "\.heddle/heddle\.db": it is not a file' "$heddle" list
reset

# Read-only: findings can be read.
mkdir mounted
readonly_test='mount --bind .heddle mounted && mount -o remount,bind,ro mounted && shift 0 && "$@"'
if unshare -rm sh -c "$readonly_test" sh true 2>/dev/null; then
	printf '#!/bin/sh\nexec unshare -rm sh -c '"'%s'"' sh "$@"\n' "$readonly_test" >ro && chmod +x ro
	like "read-only: list" "$(./ro "$heddle" list --store mounted 2>&1)" '^H1 +known '
	like "read-only: show" "$(./ro "$heddle" show --brief --store mounted H1 2>&1)" '^H1 '
	refuses "read-only: test" 3 'cannot write "mounted/heddle\.db"' ./ro "$heddle" test --classify no --runs 1 --store mounted -- ./two
	sqlite3 "$db" "$without_3"
	refuses "read-only: an older version" 3 '"mounted/heddle\.db" has an older version and is read-only' ./ro "$heddle" list --store mounted
	reset
	refuses "read-only: forget" 3 'cannot write "mounted/heddle\.db"' ./ro "$heddle" forget --store mounted H1
else
	skip "read-only" "no mount in a namespace of one's own"
fi
# Full: what was stored stays, and what is found is told all the same.
full_test='mount -t tmpfs -o size=400k none mounted && cp -r .heddle/* mounted/ && shift 0 && "$@"'
if unshare -rm sh -c "$full_test" sh true 2>/dev/null; then
	got=$(unshare -rm sh -c "$full_test" sh sh -c 'head -c 500000 /dev/zero >mounted/zero 2>/dev/null
		"$0" forget --store mounted H1; echo "status $?"; "$0" list --store mounted' "$heddle" 2>&1)
	like "full: forget" "$got" 'cannot write "mounted/heddle\.db": No space left on device'
	like "full: status" "$got" '^status 3$'
	like "full: what was there is" "$got" '^H1 +known '
	got=$(unshare -rm sh -c "$full_test" sh sh -c 'head -c 500000 /dev/zero >mounted/zero 2>/dev/null
		"$0" test --runs 5 --store mounted -- ./two; echo "status $?"' "$heddle" 2>&1 </dev/null)
	like "full: test" "$got" 'cannot write "mounted/heddle\.db": No space left on device'
	like "full: test: status" "$got" '^status 3$'
	# It becomes full while the test runs: what is found is told, the error is said.
	got=$(unshare -rm sh -c "$full_test" sh sh -c '"$0" test --runs 100 --store mounted -- \
		sh -c "head -c 500000 /dev/zero >mounted/zero 2>/dev/null; exit 3"; echo "status $?"' "$heddle" 2>&1 </dev/null)
	like "full in the middle: said" "$got" '^heddle: error: .*No space left on device'
	like "full in the middle: the finding is told" "$got" 'exit status 3'
else
	skip "full" "no mount in a namespace of one's own"
fi
got=$(ulimit -f 1 && "$heddle" forget H1 2>&1; echo "status $?")
like "a limit on the size of files" "$got" 'cannot write "\.heddle/heddle\.db": File too large'
like "a limit on the size of files: status" "$got" '^status 3$'
like "a limit on the size of files: nothing is lost" "$("$heddle" list)" '^H1 +known '
is "a limit on the size of files: sound" "$(sqlite3 "$db" 'PRAGMA integrity_check')" ok
like "nothing to write to: file in the way" "$(mkdir blocked && cd blocked && : >.heddle && "$heddle" test --classify no --runs 1 -- ../two 2>&1)" \
	'cannot create the directory "\.heddle'

# Hostile strings: from the program, its name, the database.
reset
sqlite3 "$db" "UPDATE finding SET summary = 'a' || char(27) || '[2J' || char(10) || 'b', details = char(27) || ']0;x' || char(7), kind = 'data-race';
	UPDATE build SET program = char(27) || '[31m'; UPDATE sighting SET trace = '../../victim', strategy = char(155)"
for command in "list --all" "show H1" "show --brief H1" "diff .heddle good" "list --json"; do
	is "hostile: $command" "$("$heddle" $command 2>&1 | tr -d '\n\t' | LC_ALL=C grep -c '[[:cntrl:]]')" 0
done
: >victim
refuses "hostile: a trace elsewhere" 3 'there is no evidence of H1' "$heddle" replay H1
ok "hostile: forget" "$heddle" forget H1
ok "hostile: forget removes nothing elsewhere" test -e victim
reset
name=$'ev\033[31mil\n'
cp two "$name"
said=$(timeout -s KILL 60 "$heddle" test --classify no --runs 5 -- "./$name" 2>&1 </dev/null)
is "hostile name: test" "$(printf '%s' "$said" | tr -d '\n' | LC_ALL=C grep -c '[[:cntrl:]]')" 0
is "hostile name: show" "$("$heddle" show --brief H1 | tr -d '\n' | LC_ALL=C grep -c '[[:cntrl:]]')" 0
sqlite3 "$db" 'DROP TABLE site'
refuses "a table is missing" 3 'the database "\.heddle/heddle\.db" is damaged: no such table' "$heddle" list --json

# Suppressed ones stay so, and are not listed.
reset
echo id:H1 >unwanted
tested --runs 5 --quiet --suppressions unwanted -- ./two
unlike "suppressed: not said" "$said" '^H1 data race'
unlike "suppressed: not listed" "$("$heddle" list)" '^H1 '
like "suppressed: counted" "$("$heddle" list)" '^0 fixed and 1 suppressed: heddle list --all$'
like "suppressed: listed when asked for" "$("$heddle" list --state suppressed)" '^H1 +suppressed '
tested --runs 5 --quiet -- ./two
like "not suppressed any more" "$said" '^H1 .* \(known\)$'
like "not suppressed any more: listed" "$("$heddle" list)" '^H1 +known '

# By one test: those without that line make it known again, seen or not, and count towards fixed. Other lines do not matter.
mkdir states && cd states || exit
cp "$work/fix-1" fix
echo race:work >unwanted
echo race:nothing >another
tested --runs 20 --quiet -- ./fix
tested --runs 20 --quiet --suppressions unwanted -- ./fix
is "suppressed by one test" "$(states)" "H1 suppressed"
cp "$work/fix-2" fix
tested --runs 10 --quiet --suppressions unwanted -- ./fix
is "suppressed and not seen by another one" "$(states)" "H1 suppressed"
tested --runs 10 --quiet --suppressions another -- ./fix
is "not suppressed and not seen" "$(states)" "H1 known"
tested --runs 10 --quiet --fixed-after 30 -- ./fix
is "all of them count towards fixed" "$(states)" "H1 fixed"

# What is suppressed is not gone.
rm -rf .heddle
cp "$work/fix-1" old
cp "$work/fix.c" .
program fix $open -DVERSION=9 -O2
tested --runs 20 --quiet -- ./old
tested --runs 20 --quiet --suppressions unwanted -- ./fix
like "suppressed in the new build: diff" "$("$heddle" diff --gone-after 1 old fix)" '^both  H1 .* \(suppressed\)$'
like "suppressed in the new build: nothing is gone" "$("$heddle" diff --gone-after 1 old fix)" '^0 new, 0 gone, 0 not tested enough, 1 in both$'

# The last that showed it is not the newest build.
tested --runs 20 --quiet -- ./old
like "the last sight: list" "$("$heddle" list)" '^H1 +known +60  old '
like "the last sight: show" "$("$heddle" show --brief H1)" '^  last seen .* of old$'
is "the last sight: JSON" "$("$heddle" list --json | jq -r '.findings[].last.program')" old
is "schedules of all tests that could have seen it" "$("$heddle" report --json - | jq -c '.findings[] | [.seen, .schedules]')" "[60,60]"
tested --runs 20 --quiet --switch main -- ./old
is "schedules of those that could not do not count" "$("$heddle" report --json - | jq -c '.findings[] | [.seen, .schedules]')" "[60,60]"
cd .. || exit

# Bytes that changed by accident: an answer or an error, nothing else.
strange=
for i in $(seq 40); do
	reset
	perl -e 'srand $ARGV[1]; open my $f, "+<:raw", $ARGV[0]; my $size = -s $f;
		for (1 .. 1 + rand 20) { seek $f, int rand $size, 0; print $f chr rand 256; }' "$db" $i
	for command in "list --all --json" "show --brief H1" "forget H1"; do
		timeout -s KILL 20 "$heddle" $command >/dev/null 2>&1
		case $? in 0 | 3) ;; *) strange="$strange $i:$?:${command// /-}" ;; esac
	done
done
is "changed bytes" "$strange" ""

# Ten thousand: the list is printed in far less than two seconds of processor time.
rm -rf .heddle && cp -r good .heddle
sqlite3 "$db" "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
	INSERT INTO finding(kind, fingerprint, context, state, summary, details, first_build, last_build, first_seen, last_seen)
	SELECT 'data-race', hex(randomblob(16)), hex(randomblob(16)), 'known', 'data race number ' || i,
	 printf('%.1500c', 'x'), 1, 1, 1, 1 FROM n;
	INSERT INTO sighting(finding, test, key, schedule, strategy, seed, trace)
	SELECT f.id, t.id, 'k' || f.id, 1, 'random', 1, 'evidence/x.trace' FROM finding f, test t
	WHERE NOT EXISTS (SELECT 1 FROM sighting s WHERE s.finding = f.id);
	INSERT INTO site(finding, position, file, line, column, function, variable, access, thread) SELECT id, 0, 'a.c', 1, 1, 'f', 'v', 'read', 1 FROM finding WHERE id > 100"
seconds() {
	local TIMEFORMAT='%U %S'
	{ time "$@" >listed 2>&1; } 2>&1 | awk '{ print $1 + $2 < 2 ? "quick" : "slow: " $1 + $2 }'
}
is "ten thousand: list" "$(seconds "$heddle" list)" quick
is "ten thousand: all of them" "$(grep -c '^H[0-9]* *known .*data race number' listed)" 10000
is "ten thousand: list --json" "$(seconds "$heddle" list --json)" quick
is "ten thousand: show" "$(seconds "$heddle" show --brief H9000)" quick
is "ten thousand: diff" "$(seconds "$heddle" diff .heddle good)" quick
tested --runs 5 --quiet -- ./two
is "ten thousand: a test" "$code" 1
is_clean "nothing is left in TMPDIR"
done_testing
