#!/bin/bash
# heddle classify where it cannot know: evidence that is gone, a race that does not recur, runs that are too long, a program that forks, a check that rejects every run.
# Nothing of that is harmless, and each is said.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
# program NAME BEFORE AFTER: the same race with other code before and after it
program() {
	cat >"$1.c" <<END_OF_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int value;
static volatile long rounds_done[2];
static void *work(void *unused) { value = 2; return unused; }
int main(int argc, char **argv)
{
	pthread_t thread;
	long rounds = argc > 1 ? atol(argv[1]) : 0;
	$2
	pthread_create(&thread, NULL, work, NULL);
	int seen = value;
	pthread_join(thread, NULL);
	for (long i = 0; i < rounds; i++)
		rounds_done[i & 1] += i;
	$3
	printf("value %d\n", value + (seen > 5));
	return 0;
}
END_OF_SOURCE
	$cc -O1 -g -pthread "$1.c" -o "$1" || fail "$1.c compiles"
}
# stored [OPTIONS] -- PROGRAM ARGS: a store with its race
stored() {
	rm -rf .heddle
	"$heddle" test --runs 3 --quiet "$@" >test.out 2>test.err
}
# classified [OPTIONS]: its verdict
classified() {
	timeout -s KILL 200 "$heddle" classify --quiet --witnesses 6 "$@" >out 2>err
	echo "$? $(grep -E '^H[0-9]+ (is|has|changes) ' out | sed 's/^H[0-9]* //')"
}
undecided="0 harmful, 0 with different output, 0 harmless, 0 with a single order, 1 undecided"

program plain "" ""
stored -- ./plain
is "a program that this is all right with" "$(classified | sed 's/; .*//')" "0 is harmless in 12 runs: both orders end with the same output and exit status"

# Evidence.
rm -f .heddle/evidence/*.trace
classified >verdict
is "evidence that is gone" "$(cat verdict)$(tail -1 out)" "3 $undecided"
like "is named" "$(head -1 err)" '^heddle: error: H1 cannot be classified: the evidence of H1 is gone: '
stored -- ./plain
for trace in .heddle/evidence/*.trace; do
	head -c 200 "$trace" >cut
	cp cut "$trace"
done
classified >verdict
is "evidence that is damaged" "$(cat verdict)$(tail -1 out)" "3 $undecided"
like "is named" "$(head -1 err)" '^heddle: error: H1 cannot be classified: '
stored -- ./plain
sed -i 's/value = 2/value = 3/' plain.c
$cc -O1 -g -pthread plain.c -o plain
classified --json=json >verdict
is "evidence of another build" "$(cat verdict)$(tail -1 out)" "3 $undecided"
like "is named" "$(head -1 err)" '^heddle: error: H1 cannot be classified: ".*/plain" is not the build that was recorded: '
is "and in JSON" "$(jq -c '[.entries[0] | .id, .result, .class, (.verdict | startswith("cannot be classified: "))], .status' json | paste -sd' ')" '["H1","undecided",null,true] 3'

# A race that only the first run has.
program once 'if (unlink("token") < 0) return 0;' ""
touch token
stored --runs 1 -- ./once
is "it does not recur, so it is judged from the log" "$(classified)" "0 is harmless in 12 runs: both orders end with the same output and exit status; judged from the log, because the inputs cannot be repeated"

# A run of a minute: by what it waits for, and by its events.
program waits "" 'if (system("sleep $(cat delay)")) return 1;'
echo 0 >delay
stored -- ./waits
echo 60 >delay
began=$SECONDS
is "60 seconds a run, with a limit" "$(classified --time 3)" "3 is undecided: its runs are long: there was no time for them within the time limit"
ok "the limit holds" test $((SECONDS - began)) -lt 40
program long "" ""
stored -- ./long 60000000
is "120 million events a run" "$(classified --witnesses 40 | sed 's/only [0-9]* of/only N of/')" "3 is undecided: its runs are long: only N of 80 were made within 2,000 million events"

# A program that forks.
program forks 'pid_t child = fork(); if (child == 0) _exit(0); waitpid(child, NULL, 0);' ""
stored -- ./forks
is "it forks" "$(classified | sed 's/; .*//')" "0 is harmless in 12 runs: both orders end with the same output and exit status"

# Checks.
stored -- ./forks
is "a check that always fails" "$(classified --check false)" "3 is undecided: the check fails in all 12 runs, whatever the order, so it does not judge the race"
is "nothing is kept of its harm" "$("$heddle" list --json | jq -r '.findings[] | select(.kind == "data-race") | .class') $(ls .heddle/evidence | grep -c '\.harm\.')" "undecided 0"
cat >waiting.c <<'END_OF_SOURCE'
#include <pthread.h>
static volatile int ready;
static volatile int value;
static void *give(void *unused)
{
	value = 1;
	ready = 1;
	return unused;
}
static void *take(void *unused)
{
	while (!ready)
		continue;
	value++;
	return unused;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, give, NULL);
	pthread_create(&b, NULL, take, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END_OF_SOURCE
$cc -O1 -g -pthread waiting.c -o waiting || fail "waiting.c compiles"
rm -rf .heddle
"$heddle" test --runs 40 --quiet --reduce 0 --classify yes -k 6 --check false -- ./waiting >out 2>err
is "nor does it make a race harmful that has a single order" "$(grep -c ' is undecided: the check fails in all ' out) $(grep -c ' is harmful' out)" "2 0"
stored -- ./forks
is "a check that always succeeds" "$(classified --check true | sed 's/; .*//')" "0 is harmless in 12 runs: both orders end with the same output and exit status"
cp "$root/tests/lib/result.c" result.c
$cc -O1 -g -pthread result.c -o result || fail "result.c compiles"
stored --output ignore -- ./result
like "a check that distinguishes" "$(classified --check 'grep -q limit.1')" '^1 is harmful: H[0-9]+ the check failed: exit status 1, only if result\.c:4 of thread 2 comes before result\.c:9 of thread 1$'
done_testing
