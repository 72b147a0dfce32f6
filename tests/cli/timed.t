#!/bin/bash
# heddle test --time: it ends in time with hundreds of findings, whose evidence is large or whose schedules are long. How long that is
# depends on the machine, so it is compared in processor time with the test of a program that has no findings, and as long to go.
. tests/lib/tap.sh
. tests/lib/cc.sh

RACES=300
FAILURES=30
{
	cat <<'END_C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#ifdef FIXED
#define RACE(n)
#define FAIL(n) ((void)stage)
#else
#define RACE(n) r##n++
#define FAIL(n) assert(stage != n)
#endif
static atomic_int stage, turns;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long bulk;
END_C
	for ((i = 1; i <= RACES; i++)); do echo "int r$i;"; done
	for ((i = 1; i <= FAILURES; i++)); do echo "__attribute__((noinline)) static void fail$i(void) { FAIL($i); }"; done
	echo 'static void *one(void *argument) {'
	for ((i = 1; i <= RACES; i++)); do echo "RACE($i);"; done
	for ((i = 1; i <= FAILURES; i++)); do echo "stage = $i;"; done
	echo 'stage = 0; return argument; } static void *two(void *argument) {'
	for ((i = 1; i <= RACES; i++)); do echo "RACE($i);"; done
	for ((i = 1; i <= FAILURES; i++)); do echo "fail$i();"; done
	cat <<'END_C'
	return argument;
}
static void *busy(void *argument)
{
	for (int i = 0; i < 30000; i++) {
		pthread_mutex_lock(&mutex);
		bulk++;
		pthread_mutex_unlock(&mutex);
		turns++;
	}
	return argument;
}
static void both(void *(*first)(void *), void *(*second)(void *))
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}
int main(int count, char **arguments)
{
	static char room[1 << 16];
	FILE *file = count > 1 ? fopen(arguments[1], "r") : NULL;
	while (file && fread(room, 1, sizeof room, file) > 0)
		continue;
	if (file)
		fclose(file);
	else
		both(busy, busy);
	both(one, two);
	return 0;
}
END_C
} >crowd.c
"$cc" -g -O1 -pthread crowd.c -o crowd || fail "crowd.c is built"
"$cc" -g -O1 -pthread -DFIXED crowd.c -o empty || fail "crowd.c is built with -DFIXED"
head -c 8000000 /dev/urandom >bytes

# tested STORE OPTIONS...: $said, $code, and processor time in milliseconds: $spent
tested() {
	local store=$1
	shift
	{ TIMEFORMAT='%3U %3S'; time timeout -s KILL 240 "$heddle" test --classify no --store "$store" "$@" >said 2>errors </dev/null; } 2>times
	code=$?
	said=$(cat said)
	spent=$(tail -1 times | awk '{ printf "%d", 1000 * ($1 + $2) }')
}

for how in bytes ''; do
	name=${how:+input} name=${name:-long}
	tested none --time 3 --json empty.json -- ./empty $how
	is "$name: nothing is found in the program without bugs" "$code $(jq '.findings | length' empty.json)" "0 0"
	empty=$spent
	tested "$name.store" --time 3 --json found.json -- ./crowd $how
	is "$name: exit status" "$code" 1
	ok "$name: hundreds of findings" jq -e "[.findings[] | select(.kind == \"data-race\")] | length == $RACES" found.json
	ok "$name: the search had its part of the time" jq -e '.seconds > 1.5' found.json
	ok "$name: it took no longer: $spent ms of processor time, and $empty ms without findings" [ "$spent" -lt $((4 * empty + 2000)) ]
	ok "$name: what is missing is one note for all" [ "$(jq '.notes | length' found.json)" -lt 12 ]
done

# Findings of a schedule share its trace.
names=$(ls input.store/evidence/*.trace | wc -l)
files=$(stat -c %i input.store/evidence/*.trace | sort -u | wc -l)
ok "each finding has evidence: $names" [ "$names" -ge $RACES ]
ok "of which there is one for a schedule: $files" [ "$files" -le $((FAILURES + 10)) ]
first=$(stat -c '%i %n' input.store/evidence/data-race-*.trace | sort -n | awk '$1 == last { print before, $2; exit } { last = $1; before = $2 }')
ok "two findings with one trace: $first" [ -n "$first" ]
id() { "$heddle" list --store input.store --json - | jq -r --arg name "${1##*/}" '.findings[] | select(.trace | endswith($name)) | .id'; }
"$heddle" forget --store input.store "$(id "${first% *}")" >/dev/null 2>&1
is "one of them is forgotten" "$?" 0
ok "the other one is not" "$heddle" replay --store input.store "$(id "${first#* }")"
is_clean "nothing is left behind"
done_testing
