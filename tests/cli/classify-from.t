#!/bin/bash
# heddle classify --from LOG and --candidates N: what other tools and heddle check report is searched for in the woven program and judged: each result by a
# pair of lines that has it, and logs that are wrong in each way that logs are.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
cat >mixed.c <<'END_OF_SOURCE'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static int balance = 100, visits, guarded, early, late, rare;
static char name[16];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *argument)
{
	int now = balance;
	balance = now - 10;
	visits++;
	pthread_mutex_lock(&mutex);
	guarded++;
	pthread_mutex_unlock(&mutex);
	late = early;
	memcpy(name, argument, strlen(argument));
	return NULL;
}
int main(int argc, char **argv)
{
	char names[2][8] = { "first", "second" };
	pthread_t threads[2];
	early = argc;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, names[i]);
	if (argc > 5)
		rare = strlen(argv[1]) > 3;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(balance == 80);
	printf("guarded %d, rare %d\n", guarded, rare);
	return late > 9 || name[15];
}
END_OF_SOURCE
$cc -O1 -g -pthread mixed.c -o mixed || fail "mixed.c compiles"
# line TEXT: the number of the line that has it
line() {
	grep -nF -- "$1" mixed.c | head -n 1 | cut -d: -f1
}
# race ACCESS FUNCTION PLACE ACCESS FUNCTION PLACE: a report
race() {
	printf 'WARNING: ThreadSanitizer: data race (pid=1)\n  %s of size 4 at 0x1 by thread T1:\n    #0 %s %s (x+0x1)\n\n  Previous %s of size 4 at 0x1 by thread T2:\n    #0 %s %s (x+0x1)\n\n==================\n' \
		"$1" "$2" "$3" "$4" "$5" "$6"
}
# classify LOG [OPTIONS]: leaves out, err and status
classify() {
	local log=$1
	shift
	rm -rf .heddle
	timeout -s KILL 120 "$heddle" classify --from "$log" --runs 30 --witnesses 6 "$@" -- ./mixed >out 2>err </dev/null
	status=$?
}
w=/build/x/../mixed.c
race Write work "$w:$(line 'balance = now')" read work "$w:$(line 'now = balance')" >harm.log
race Write work "$w:$(line visits++)" write work "$w:$(line visits++)" >visits.log
race Write work "$w:$(line guarded++)" write work "$w:$(line guarded++)" >lock.log
race Write main "$w:$(line 'early = argc')" read work "$w:$(line 'late = early')" >created.log
race Write work "$w:$(line 'late = early')" read main "$w:$(line 'late > 9')" >ended.log
race Write main "$w:$(line 'rare = ')" read main "$w:$(line 'guarded %d')" >never.log

classify harm.log
like "harmful" "$(head -1 out)" "^harm\.log:1: write at /build/mixed\.c:[0-9]+ and read at /build/mixed\.c:[0-9]+: H[0-9]+ is harmful: H[0-9]+ assertion .balance == 80. failed at mixed\.c:31 in main, only if mixed\.c:10 of thread [23] comes before mixed\.c:11 of thread [23]$"
is "harmful: status and summary" "$status $(tail -1 out)" "1 1 harmful, 0 with different output, 0 harmless, 0 with a single order, 0 undecided, 0 ordered, 0 not reached, 0 without a match"
id=$(grep -oE ': H[0-9]+ is' out | grep -oE 'H[0-9]+')
like "it is a finding of the store" "$("$heddle" list)" "^$id .* harmful "
"$heddle" replay "$id" >out 2>err
is "whose replay ends in the failure" "$? $(grep -c "Assertion .balance == 80' failed" err)" "134 1"
classify visits.log
like "harmless" "$(head -1 out)" ': H[0-9]+ is harmless in 12 runs: both orders end with the same output and exit status; visits differs afterwards$'
is "harmless: status" "$status" 0
cat visits.log visits.log visits.log >three.log
classify three.log
like "the same pair is one line" "$(head -1 out)" '\(reported 3 times\): H[0-9]+ is harmless'
is "and no other" "$(wc -l <out)" 2

# ordered LOG WHY
ordered() {
	classify "$1.log" --json=json
	like "$1: ordered" "$(head -1 out)" ": is ordered, so it is no race: two threads made both accesses to the same memory in 30 of 30 schedules, and never unordered; $2"
	is "$1: status and class" "$status $(jq -c '[.entries[0] | .result, .class, .schedules, .common], .counts.ordered, .status' json | paste -sd' ')" '0 ["ordered","ordered",30,30] 1 0'
}
ordered lock "both hold mutex; heddle-cc proved it, too$"
ordered created "the second thread is created after the first access"
ordered ended "the first thread has ended before the second access"
# The same where nothing is proved, so that threads are held there.
mv mixed proved
$cc --heddle-prove=no -O1 -g -pthread mixed.c -o mixed || fail "mixed.c compiles without proofs"
ordered lock "both hold mutex$"
ordered created "the second thread is created after the first access$"
ordered ended "the first thread has ended before the second access$"
mv proved mixed
classify never.log --json=json
like "not reached" "$(head -1 out)" ': was not reached: no race in 30 schedules; the write was never reached, the read was reached in 30$'
is "not reached: status and counts" "$status $(jq -c '[.entries[0] | .result, .class, .id, .schedules, .reached]' json)" '3 ["not-reached",null,null,30,[0,30]]'

# Detection reports the first access of a thread to the same bytes only: the second is no less unordered.
cat >twice.c <<'END_OF_SOURCE'
#include <pthread.h>
#include <sched.h>
static volatile int data, is_ready;
static void *produce(void *unused)
{
	data = 42;
	is_ready = 1;
	return unused;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, produce, NULL);
	while (!is_ready)
		sched_yield();
	int first = data;
	int second = data + 1;
	pthread_join(thread, NULL);
	return first != 42 || second != 43;
}
END_OF_SOURCE
$cc -O1 -g -pthread twice.c -o twice || fail "twice.c compiles"
race Write produce twice.c:6 read main twice.c:17 >twice.log
rm -rf .heddle
"$heddle" classify --from twice.log --runs 60 --witnesses 4 -- ./twice >out 2>err
is "a race that another access shows first: status" "$?" 3
like "a race that another access shows first" "$(head -1 out)" ': is undecided: it is a race, unordered in [0-9]+ of 60 schedules, but another access to the same memory shows it first: heddle classify H[0-9]+$'

# A frame inside libc; tests/unit/race_match.t has frames that were inlined.
printf 'WARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 8 at 0x1 by thread T1:\n    #0 memcpy /llvm/compiler-rt/lib/tsan/../sanitizer_common/sanitizer_common_interceptors_memintrinsics.inc:115:5 (x+0x1)\n    #1 work /elsewhere/mixed.c:%s (x+0x1)\n\n  Previous write of size 8 at 0x1 by thread T2:\n    #0 memcpy <null> (x+0x1)\n    #1 work /elsewhere/mixed.c:%s (x+0x1)\n' "$(line memcpy)" "$(line memcpy)" >memcpy.log
classify memcpy.log
like "memcpy in frame 0" "$(head -1 out)" "write at /elsewhere/mixed\.c:17 and write at /elsewhere/mixed\.c:17: H[0-9]+ is harmless"

# JSON of a log with everything.
{ cat harm.log visits.log lock.log never.log; race Write gone "gone.c:3" read gone "gone.c:4"; } >all.log
classify all.log --json=json
is "JSON: entries" "$(jq -c '[.entries[] | [.line, .tool, .times, .result, .class]]' json)" \
	'[[1,"ThreadSanitizer",1,"classified","spec-violated"],[9,"ThreadSanitizer",1,"classified","harmless"],[17,"ThreadSanitizer",1,"ordered","ordered"],[25,"ThreadSanitizer",1,"not-reached",null],[33,"ThreadSanitizer",1,"no-match",null]]'
is "JSON: accesses" "$(jq -c '.entries[0].accesses[0]' json)" '{"access":"write","file":"/build/x/../mixed.c","function":"work","line":11}'
is "JSON: counts" "$(jq -c '.counts' json)" '{"spec-violated":1,"output-differs":0,"harmless":1,"single-ordering":0,"ordered":1,"undecided":0,"not-reached":1,"no-match":1}'
is "a failure counts more than what is open" "$status $(jq .status json)" "1 1"
is "one line for each" "$(grep -c '^all\.log:' out)" 5
classify all.log --json
is "JSON on standard output" "$(jq -r '.entries | length' out)" 5
cp out first
classify all.log --json
ok "the same again" cmp -s out first

# Several logs, and the standard input.
rm -rf .heddle
"$heddle" classify --from visits.log --from lock.log --runs 20 --witnesses 4 -- ./mixed >out 2>err </dev/null
is "two logs" "$? $(cut -d: -f1 out | head -2 | paste -sd,)" "0 visits.log,lock.log"
rm -rf .heddle
"$heddle" classify --from - --runs 20 --witnesses 4 -- ./mixed >out 2>err <lock.log
is "a log on standard input" "$? $(grep -c '^standard input:1: .* is ordered' out)" "0 1"

# Wrong logs.
wrong() {
	classify "$2"
	is "$1" "$status $(grep -vE 'heddle: (hint|note)' err | head -1)" "3 heddle: error: $3"
}
printf 'all is well\n' >none.log
wrong "no report" none.log 'the log "none.log" has no report of ThreadSanitizer, Helgrind or DRD'
head -c 300000 /dev/urandom >garbage.log
wrong "garbage" garbage.log 'the log "garbage.log" has no report of ThreadSanitizer, Helgrind or DRD'
: >empty.log
wrong "an empty one" empty.log 'the log "empty.log" has no report of ThreadSanitizer, Helgrind or DRD'
wrong "none at all" absent.log 'cannot read the log "absent.log": No such file or directory'
truncate -s 1100M large.log
wrong "a file that is too large" large.log 'the log "large.log" is larger than 1 GiB'
rm large.log
{ cat visits.log; head -4 harm.log; } >cut.log
classify cut.log
is "a truncated one: what is whole is classified" "$status $(grep -c ' is harmless ' out)" "3 1"
like "and it is said" "$(cat err)" '^heddle: note: cut\.log: ThreadSanitizer: 1 data race; 1 report is cut off$'
awk '{ text = text $0 "\n" } END { for (i = 0; i < 20000; i++) printf "%s", text }' visits.log >many.log
head -c 3000000 /dev/zero | tr '\0' x >>many.log
classify many.log
is "a long one" "$status $(head -1 out | grep -oE 'reported [0-9]+ times')" "0 reported 20000 times"
race Write work "<null>" read work "<null>" | sed 's/(x+0x1)/(prog+0x12)/' >lines.log
classify lines.log
like "no lines" "$(head -1 out)" '^lines\.log:1: write in work and read in work: has no match: the log has no line of work: build with -g$'
is "no lines: status" "$status" 3
race Write f "/other/other.c:3" write g "/other/other.c:9" >other.log
classify other.log
like "another program" "$(head -1 out)" ': has no match: no function of the stack is in this program; the innermost is f; '
like "and it is said" "$(cat err)" 'note: no report of other\.log matches this program: it may be from another program, or from another build$'
is "another program: status" "$status" 3

# Lines have moved: nothing is guessed.
mkdir moved
{ printf '\n\n\n'; cat mixed.c; } >moved/mixed.c
(cd moved && $cc -O1 -g -pthread mixed.c -o mixed) || fail "moved lines compile"
sed "s/mixed\.c:\([0-9]*\)/mixed.c:\1:2/" harm.log >columns.log
cd moved || exit 1
classify ../columns.log
is "moved lines" "$status $(grep -c ': has no match: .* lines may have moved$' out)" "3 1"
race Write main "$w:$(line 'balance = now')" read work "$w:$(line visits++)" >function.log
classify function.log
like "a line that is in another function now" "$(head -1 out)" ': has no match: the log is from another build: /build/x/\.\./mixed\.c:[0-9]+ is not in main in this program, so lines have moved'
like "and it is said" "$(cat err)" 'note: function\.log is from another build: lines of 1 of 1 reports are elsewhere in this program$'
race Write work "$PWD/mixed.c:$(line visits++)" write work "$PWD/mixed.c:$(line visits++)" >old.log
touch -d '1 hour ago' old.log
classify old.log
like "a source that is newer than the log" "$(cat err)" "note: .*/mixed\.c was changed after the log was written, so its lines may have moved$"
cd ..

# Programs that cannot be searched.
gcc -g -pthread mixed.c -o unwoven
rm -rf .heddle
"$heddle" classify --from visits.log -- ./unwoven >out 2>err
is "an unwoven program: status" "$?" 3
like "an unwoven program" "$(head -1 err)" '^heddle: error: nothing can be classified: ".*/unwoven" is not woven$'
"$heddle" classify --from visits.log -- ./nothing >out 2>err
is "no program" "$?" 3

# Wrong options.
usage() {
	"$heddle" classify "${@:3}" >out 2>err
	is "$1" "$? $(head -1 err)" "2 heddle: error: $2"
}
usage "no program" "--from needs the program and its arguments" --from visits.log
usage "both" "--from and --candidates cannot be combined" --from visits.log --candidates 3 -- ./mixed
usage "no candidates" "--candidates must be at least 1" --candidates 0 -- ./mixed
usage "no schedules" "--runs must be 1 to 1000000" --from visits.log --runs 0 -- ./mixed
usage "schedules for a finding" "--runs requires --from or --candidates" --runs 5 H1

# Candidates of heddle check.
rm -rf .heddle
"$heddle" classify --candidates 20 --runs 30 --witnesses 6 --json=json -- ./mixed >out 2>err
is "candidates: status" "$?" 1
is "candidates: harmful" "$(grep -c '^candidate [0-9]*: write at mixed\.c:11 and read at mixed\.c:10: H[0-9]* is harmful: ' out)" 1
is "candidates: harmless" "$(grep -cE '^candidate [0-9]*: write at mixed\.c:12 and (read|write) at mixed\.c:12: H[0-9]* is harmless ' out)" 2
is "candidates: JSON" "$(jq -c '[.entries[] | .candidate] == [range(1; (.entries | length) + 1)], ([.entries[].tool] | unique)' json | paste -sd' ')" 'true ["heddle check"]'
"$heddle" classify --candidates 1 --runs 30 --witnesses 6 -- ./mixed >out 2>err
is "the first one only" "$(grep -c '^candidate' out)" 1
# One that is possible only with other arguments.
cat >branch.c <<'END_OF_SOURCE'
#include <pthread.h>
static int shared;
static int is_asked;
static void *work(void *unused)
{
	if (is_asked)
		shared = is_asked + 1;
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	(void)argv;
	is_asked = argc - 1;
	pthread_create(&thread, NULL, work, NULL);
	int seen = shared;
	pthread_join(thread, NULL);
	return seen > 100;
}
END_OF_SOURCE
$cc -O1 -g -pthread branch.c -o branch || fail "branch.c compiles"
"$heddle" classify --candidates 5 --runs 30 -- ./branch >out 2>err
is "a candidate that is not reached" "$? $(grep -c 'was not reached: no race in 30 schedules; the write was never reached, the read was reached in 30$' out)" "3 1"
"$heddle" classify --candidates 5 --runs 30 --witnesses 4 -- ./branch asked >out 2>err
is "with an argument it is" "$? $(grep -c 'H[0-9]* is harmless' out)" "0 1"
done_testing
