#!/bin/bash
# heddle train under control: schedules show what native runs show and more, harmful ones are not learned from, and what cannot be controlled is trained all the same.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS HEDDLE_STORE
train() { timeout -k 2 120 "$heddle" train --fresh "$@" >out 2>err; }
data=.heddle/training
# What controlled runs do differently here, they do because of the date, which is always the same there.
cat >dated.h <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static int is_controlled(void) { return time(NULL) < 1704067200 + 86400; }
static void run(void *(*work)(void *), void *argument)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, argument);
	pthread_join(thread, NULL);
}
END

# One thread after the other: each history is the same in both worlds. Plain, atomic and proved accesses, copies, memory that is used again, locks.
cat >same.c <<'END'
#include "dated.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int plain, atomic, locked, sum;
static char copied[200], vector[64];
static int *block;
static void *first(void *argument)
{
	plain = 1;
	__atomic_fetch_add(&atomic, 1, __ATOMIC_SEQ_CST);
	memcpy(copied, argument, sizeof copied);
	memset(vector, plain, sizeof vector);
	pthread_mutex_lock(&mutex);
	locked++;
	pthread_mutex_unlock(&mutex);
	*block = 2;
	free(block);
	return NULL;
}
static void *second(void *argument)
{
	char own[200];
	memcpy(own, copied, sizeof own);
	block = malloc(sizeof *block);
	*block = plain + own[3] + vector[9];
	pthread_mutex_lock(&mutex);
	locked++;
	pthread_mutex_unlock(&mutex);
	sum = *block + __atomic_load_n(&atomic, __ATOMIC_ACQUIRE);
	return argument;
}
int main(void)
{
	char text[200] = "abcdefgh";
	block = malloc(sizeof *block);
	*block = 1;
	run(first, text);
	run(second, NULL);
	free(block);
	printf("%d %d\n", sum, locked);
	return 0;
}
END
$cc -O1 -g -pthread same.c -o same || fail "same.c compiles"
train --runs 10 -- ./same
is "ten runs" "$? $(grep -c 'runs: 10, 10 correct' out)" "0 1"
like "five of them under control, which add nothing" "$(cat out)" ' 0 by 5 runs under control$'
is "each history is in all ten" "$(jq -c '[(.histories | length > 20), ([.histories[].runs] | unique)]' $data/same)" "[true,[10]]"
train --runs 10 --native -- ./same
is "--native: none under control" "$? $(grep -c 'under control\|controlled' out)" "0 0"
train --runs 10 --strategy pct -- ./same
is "another strategy" "$? $(grep -c '5 runs under control' out)" "0 1"

# What only a controlled run does.
cat >more.c <<'END'
#include "dated.h"
static int value, other;
static void *use(void *argument)
{
	(void)argument;
	other = value;
	return NULL;
}
int main(void)
{
	if (!is_controlled())
		value = 1;
	run(use, NULL);
	return other == 1 || is_controlled() ? 0 : 1;
}
END
$cc -O1 -g -pthread more.c -o more || fail "more.c compiles"
nil='[(.places | map(.code)) as $codes | .histories[] | select($codes[.place - 1] == "other=value;" and .after == [])] | length > 1'
train --native --runs 10 -- ./more
is "native runs read after a write" "$? $(jq "$nil" $data/more)" "0 false"
train --runs 10 -- ./more
is "one under control does not" "$? $(jq "$nil" $data/more)" "0 true"
like "where it comes from" "$(cat out)" ', [1-9][0-9]* by 5 runs under control$'

# Harmful findings. What a native run cannot notice, detection does: the run exits with 0.
cat >harm.c <<'END'
#include "dated.h"
static int *block, sum, wrong;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *use(void *argument)
{
	if (argument)
		wrong = 1;
	sum = *(volatile int *)block;
	return NULL;
}
static void *crash(void *argument)
{
	wrong = 1;
	raise(SIGSEGV);
	return argument;
}
static void *wait_for_lock(void *argument)
{
	wrong = 1;
	pthread_mutex_lock(&mutex);
	return argument;
}
int main(void)
{
	int is_bad = is_controlled();
	block = malloc(sizeof *block);
	*block = 1;
	if (is_bad && WAY == 1)
		free(block);
	if (is_bad && WAY == 2)
		pthread_mutex_lock(&mutex);
	run(is_bad && WAY == 2 ? wait_for_lock : is_bad && WAY == 3 ? crash : use, is_bad ? &sum : NULL);
	wrong++;
	puts(is_bad ? "bad" : "good");
	return is_bad && WAY == 4 ? 3 : 0;
}
END
printf '#!/bin/sh\n! grep -q bad\n' >refuse
chmod +x refuse
learned_wrong() { jq '[.places[] | select(.code == "wrong=1;")] | length' $data/harm; }
while read -r way check count what; do
	$cc -DWAY="$way" -O1 -g -pthread harm.c -o harm || fail "harm.c compiles"
	train --runs 18 --check "$check" -- ./harm
	is "harm $way: the native runs are learned from" "$? $(jq .runs $data/harm) $(learned_wrong)" "0 10 0"
	like "harm $way: the others are counted" "$(cat out)" "^  runs: 18, 10 correct, 8 $count\$"
	like "harm $way: what it was" "$(cat err)" "the first run that is not correct: under control: .*$what"
done <<'END'
1 true with.a.harmful.finding use.after.free
2 true with.a.harmful.finding deadlock
3 true ended.by.a.signal signal.11
4 true with.another.exit.status exit.3
5 ./refuse rejected.by.the.check the.check.ended.with.exit.status.1
END
# The next schedule does not have what the last one did.
cat >other.c <<'END'
#include "dated.h"
static int value, wrong;
static void *work(void *argument)
{
	if (argument)
		wrong = 1;
	else
		value++;
	return NULL;
}
int main(void)
{
	int is_bad = is_controlled() && access("flag", F_OK) < 0;
	value = wrong = 0;
	run(work, is_bad ? &wrong : NULL);
	if (is_bad)
		fclose(fopen("flag", "w"));
	else if (is_controlled())
		unlink("flag");
	return is_bad ? 3 : 0;
}
END
$cc -O1 -g -pthread other.c -o other || fail "other.c compiles"
train --runs 10 -- ./other
is "every other schedule is wrong" "$? $(grep -c 'runs: 10, 7 correct, 3 with another exit status' out)" "0 1"
is "nothing of it is learned with the next one" "$(jq -c '[.runs, ([.places[].code | select(. == "wrong=1;" or contains("wrong=1;"))] | length)]' $data/other)" "[7,0]"

train --runs 100 --check false -- ./harm
is "if nothing is correct" "$?" 3
train --runs 30 --check ./refuse -- ./harm
like "after ten in vain there are no more" "$(cat out)" '^  no controlled schedules: 10 in a row were not correct$'

# What cannot be controlled.
cat >executes.c <<'END'
#include "dated.h"
static int shared;
static void *add(void *argument) { shared++; return argument; }
int main(void)
{
	run(add, NULL);
	shared++;
	if (is_controlled())
		execl("/bin/true", "true", (char *)NULL);
	return 0;
}
END
$cc -O1 -g -pthread executes.c -o executes || fail "executes.c compiles"
train -- ./executes
is "it cannot be controlled: it is trained" "$? $(jq '.runs >= 10' $data/executes)" "0 true"
like "it says so" "$(cat out)" '^  no controlled schedules: one could not be controlled to its end$'
like "it converges" "$(cat out)" 'converged: the last 1[0-9] correct runs'
cat >spins.c <<'END'
#include "dated.h"
static volatile int shared;
static void *add(void *argument) { shared++; return argument; }
int main(void)
{
	run(add, NULL);
	for (int i = 0; is_controlled() || i < 2; i++)
		shared++;
	return 0;
}
END
$cc -O1 -g -pthread spins.c -o spins || fail "spins.c compiles"
train -- ./spins
is "it does not end under control" "$? $(grep -c 'no controlled schedules: one did not end in time' out)" "0 1"

# Stopped while a schedule runs: what was learned before is kept, and nothing is left running.
cat >waits.c <<'END'
#include "dated.h"
static int shared;
static void *add(void *argument)
{
	shared++;
	return argument;
}
int main(void)
{
	char c;
	run(add, NULL);
	shared++;
	if (is_controlled()) {
		FILE *file = fopen("begun", "w");
		fclose(file);
		return read(0, &c, 1) == 1 ? 0 : 4;
	}
	return 0;
}
END
$cc -O1 -g -pthread waits.c -o waits || fail "waits.c compiles"
mkfifo pipe
sleep 100 >pipe &
feeder=$!
"$heddle" train --fresh --input pipe -- ./waits >out 2>err &
tool=$!
for _ in $(seq 300); do [ -e begun ] && break || sleep 0.1; done
kill -TERM $tool
wait $tool
is "SIGTERM during a schedule" "$? $(jq .runs $data/waits) $(grep -c 'stopped by a signal' out)" "0 5 1"
ok "the program is gone" test -z "$(find /proc -maxdepth 2 -name exe -lname "$PWD/waits" 2>/dev/null)"
kill $feeder
wait $feeder 2>/dev/null

# Wrong input.
train --strategy none -- ./same
is "no strategy" "$?" 2
train --strategy pcr -- ./same
like "nearly one" "$? $(cat err)" 'did you mean pct'
train --strategy pct --native -- ./same
is "a strategy without schedules" "$?" 2
is_clean "nothing is left in TMPDIR"
done_testing
