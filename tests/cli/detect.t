#!/bin/bash
# heddle run --detect and heddle replay: what detection found is said, after the program, with its places.
. tests/lib/tap.sh
. tests/lib/cc.sh

cat >race.c <<'END'
#include <pthread.h>
#include <stdio.h>
static volatile int counter;
static void *work(void *argument)
{
	counter = 1;
	return argument;
}
int main(int count, char **arguments)
{
	pthread_t threads[2];
	(void)arguments;
	for (int i = 0; i < 2; i++) {
		pthread_create(&threads[i], NULL, work, NULL);
		if (count > 1)
			pthread_join(threads[i], NULL);
	}
	for (int i = 0; i < 2 && count == 1; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", counter);
	return 0;
}
END
"$cc" -g -O1 -pthread race.c -o race || fail "race.c is built"

# plainly FILE: without addresses
plainly() {
	sed 's/0x[0-9a-f]\{6,\}/ADDRESS/g' "$1"
}
want="heddle: data race on counter (4 bytes at ADDRESS): write at race.c:6, write at race.c:6
heddle:   thread 3 (work) writes counter at race.c:6 in work
heddle:     it was 1 and became 1
heddle:     holding no lock
heddle:   thread 2 (work) wrote it earlier at race.c:6 in work
heddle:     it was 0 and became 1
heddle:     holding no lock
heddle:   thread 3 was created by thread 1 at race.c:14 in main
heddle:   thread 2 was created by thread 1 at race.c:14 in main"
hint="heddle: hint: heddle test -- ./race
heddle:       runs many schedules, and shows the sources, the threads side by side and what to try"
is "run: the program's output and status are its own" "$("$heddle" run --strategy priority --detect -- ./race 2>said; echo $?)" "1
0"
is "run: the race is said, and what tells more" "$(plainly said)" "$want
$hint"
"$heddle" run --strategy priority --detect --trace race.trace -- ./race >/dev/null 2>said
is "run with a trace: the race is said" "$(plainly said)" "$want
$hint"
is "replay: the output and status" "$("$heddle" replay race.trace 2>said; echo $?)" "1
0"
is "replay: the race is said, and more of it" "$(plainly said | sed '/ | /d;/^  the threads/,$d')" \
	"$(printf '%s\n' "$want" | sed '2s/^/  thread 3 writes what thread 2 writes, and nothing orders the two: either may come first\n/;2,$s/heddle: //')"
cat >three.c <<'END'
#include <pthread.h>
static volatile int first, second, third;
static void *work(void *argument)
{
	first = 1;
	second = 2;
	third = 3;
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
"$cc" -g -O1 -pthread three.c -o three || fail "three.c is built"
"$heddle" run --strategy priority --detect --trace three.trace -- ./three 2>said
is "three races are said" "$(grep -c '^heddle: data race on' said)" 3
is "replay: all of them are said, in the same words" "$("$heddle" replay three.trace 2>&1 | grep '^heddle: ')" \
	"$(grep '^heddle: [^ ]' said | grep -v '^heddle: hint: ')"
"$heddle" run --strategy priority --trace quiet.trace -- ./race >/dev/null 2>&1
is "replay of a run without detection says nothing" "$("$heddle" replay quiet.trace 2>&1)" 1
is "a run without a race says nothing" "$("$heddle" run --detect -- ./race joined 2>&1)" 1
"$heddle" test --classify no --runs 5 --quiet -- ./race >/dev/null </dev/null
"$heddle" replay .heddle/evidence/data-race-*.trace >/dev/null 2>said
like "the evidence of a race is replayed: it is said" "$(cat said)" '^heddle: data race on counter .*: write at race\.c:6, write at race\.c:6$'
"$heddle" replay --columns .heddle/evidence/data-race-*.trace >/dev/null 2>said
like "and with columns" "$(cat said)" '^heddle: data race on counter '

got=$("$heddle" run --detect --runs 10 --jobs 2 -- ./race 2>&1)
is "many runs: exit status" "$?" 1
like "many runs: the table" "$got" '^ +10 +1  data race on counter \(4 bytes at 0x[0-9a-f]+\): write at race\.c:6, write at race\.c:6$'
got=$("$heddle" run --detect --runs 10 -- ./race joined 2>&1)
is "many runs without a race: exit status" "$?" 0
unlike "many runs without a race: no table" "$got" 'found'

cat >order.c <<'END'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *back(void *argument)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, back, NULL);
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	pthread_join(thread, NULL);
	return 0;
}
END
"$cc" -g -O1 -pthread order.c -o order || fail "order.c is built"
got=$("$heddle" run --detect --strategy priority -- ./order 2>&1)
like "an order of locks is said" "$got" '^heddle: lock order: [ab] and [ab] are taken in orders that could deadlock$'
like "where, and by whom" "$got" '^heddle:   thread 2( \(back\))? took a at order\.c:6 in back$'
like "and where the first was taken" "$got" '^heddle:     while holding b, taken at order\.c:5 in back$'
"$heddle" run --detect --strategy priority --trace order.trace -- ./order >/dev/null 2>&1
got=$("$heddle" replay order.trace 2>&1)
like "a trace tells who began where" "$got" '^(heddle: )?  thread 2 \(back\) took a at order\.c:6 in back$'
# Who looks changes nothing.
for seed in 1 2 3; do
	same "seed $seed: the same events with and without detection" \
		"$("$heddle" run --stats --seed $seed -- ./order 2>&1 | grep -o 'event hash.*')" \
		"$("$heddle" run --stats --detect --brief --seed $seed -- ./order 2>&1 | grep -o 'event hash.*')"
done
is_clean "nothing is left behind"
done_testing
