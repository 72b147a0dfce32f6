#!/bin/bash
# Stacks, values and threads of findings, which replays of a part of the run tell: however long the run goes on behind the finding.
# Findings of a schedule share these replays, there is a limit to them, and the search comes first. And replays end.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset COLUMNS NO_COLOR

# tested OPTIONS... -- PROG: $said and $code are what comes of heddle test, with an empty store
tested() {
	rm -rf .heddle
	said=$(timeout -s KILL 120 "$heddle" test --classify no "$@" 2>errors </dev/null)
	code=$?
}

program early <<'END_C'
#include <pthread.h>
static volatile int total, work[3];
static __attribute__((noinline)) void step(void)
{
	total++;
}
static __attribute__((noinline)) void outer(void)
{
	step();
	__asm__ volatile("");
}
static void *worker(void *argument)
{
	outer();
	for (int i = 0; i < 3000; i++)
		work[(long)argument]++;
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END_C

tested --runs 5 -- ./early
is "a race with 6000 events behind it is one finding" "$code $(grep -c '^H[0-9]* data race' <<<"$said")" "1 1"
is "both of its accesses have their calls" "$(grep -c 'called from outer (early.c:9)' <<<"$said")" 2
like "values" "$said" 'it was 0 and became 1'
is "locks" "$(grep -c 'holding no lock' <<<"$said")" 2
is "both rows of the threads are marked" "$(grep -c '^ *[0-9]*>.* 5 \(read\|write\) total' <<<"$said")" 2
unlike "nothing is missing" "$said" 'without|cannot'
shown=$("$heddle" show H1 2>&1)
is "heddle show has the calls, too" "$(grep -c 'called from outer (early.c:9)' <<<"$shown")" 2
is "and the rows" "$(grep -c '^ *[0-9]*>.* 5 \(read\|write\) total' <<<"$shown")" 2
"$heddle" report --json report.json H1
is "a report has the interleaving with both sites" \
	"$(jq -c '[.findings[0].interleaving[].site | select(. != null)] | sort' report.json)" "[0,1]"

echo 'race:^outer$' >lines
tested --runs 5 --suppressions lines -- ./early
is "it is suppressed by a function that called" "$code $(grep -c '1 suppressed' <<<"$said")" "0 1"

# Of a run with more than a million events the threads come from a part of it, too.
program long <<'END_C'
#include <pthread.h>
#include <stdlib.h>
static volatile int total, work[3];
static void *worker(void *argument)
{
	total++;
	for (int i = 0; i < 300000; i++)
		work[(long)argument]++;
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END_C
tested --runs 2 -- ./long
is "a run of more than a million events: locks, ..." "$(grep -c 'holding no lock' <<<"$said")" 2
is "... and rows" "$(grep -c '^ *[0-9]*>.* 6 \(read\|write\) total' <<<"$said")" 2

program freed <<'END_C'
#include <pthread.h>
#include <stdlib.h>
static volatile int work[3];
static int *volatile block;
static __attribute__((noinline)) void look(void)
{
	work[2] = *block;
}
static void *worker(void *argument)
{
	look();
	for (int i = 0; i < 3000; i++)
		work[0]++;
	return argument;
}
int main(void)
{
	pthread_t thread;
	block = malloc(sizeof *block);
	*block = 1;
	free((void *)block);
	pthread_create(&thread, NULL, worker, NULL);
	pthread_join(thread, NULL);
	return 0;
}
END_C
tested --runs 2 --reduce 0 -- ./freed
like "a use after free with 6000 events behind it: who allocated it" "$said" 'allocated by thread 1 .*at freed.c:19'
like "who freed it" "$said" 'freed by thread 1 .*at freed.c:21'
like "who called" "$said" 'called from worker \(freed.c:11\)'

# Findings of one schedule share their replays: 40 of them a pass.
{
	echo '#include <pthread.h>'
	for i in $(seq 60); do
		printf 'static volatile int x%d;\nstatic __attribute__((noinline)) void f%d(void)\n{\n\tx%d++;\n}\n' $i $i $i
	done
	echo 'static void *worker(void *argument) {'
	for i in $(seq 60); do echo "f$i();"; done
	echo 'return argument; } int main(void) { pthread_t a, b; pthread_create(&a, NULL, worker, NULL);'
	echo 'pthread_create(&b, NULL, worker, NULL); pthread_join(a, NULL); pthread_join(b, NULL); return 0; }'
} | program many
tested --runs 20 --json found.json -- ./many
is "60 races in a schedule" "$code $(jq '.findings | length' found.json)" "1 60"
is "all have their stacks, ..." "$(grep -c 'called from worker (many.c' <<<"$said")" 120
is "... and their threads" "$(grep -c 'the threads, by lines of many.c' <<<"$said")" 60
is "also in JSON" "$(jq '[.findings[] | select(.interleaving | length > 2)] | length' found.json)" 60
is "two replays for the stacks, 40 races each, and one for the threads" "$(jq .replays found.json)" 3

# Each schedule has a race of its own, behind many events: there are more than replays.
{
	echo '#include <pthread.h>'
	echo 'static volatile int work[3], turns; static _Atomic unsigned mixed;'
	for i in $(seq 64); do
		printf 'static volatile int x%d;\nstatic __attribute__((noinline)) void f%d(void)\n{\n\tx%d++;\n}\n' $i $i $i
	done
	echo 'static __attribute__((noinline)) void choose(unsigned which) { switch (which) {'
	for i in $(seq 64); do echo "case $((i - 1)): f$i(); break;"; done
	cat <<'END_C'
	}
	__asm__ volatile("");
}
static _Atomic unsigned order, arrived;
static void *worker(void *argument)
{
	for (int i = 0; i < 64; i++)
		order = order * 5 + (argument ? 1 : 2);
	for (int i = 0; i < 100000; i++)
		work[argument ? 1 : 0]++;
	for (arrived++; arrived < 2;)
		;
	choose((order ^ order >> 8 ^ order >> 16 ^ order >> 24) % 64);
	return argument;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, worker, NULL);
	pthread_create(&b, NULL, worker, &a);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END_C
} | program each
tested --runs 40 --strategy random --json found.json -- ./each
races=$(jq '.findings | length' found.json)
without=$(jq -r '[.findings[] | select(.details | contains("called from") | not) | .id] | join(" ")' found.json)
ok "more races than replays: $races" test "$races" -ge 15
ok "some are described" test "$(wc -w <<<"$without")" -lt "$((races - 3))"
ok "some are not" test -n "$without"
is "what is not described has no table, since it would be of another place" \
	"$(jq '[.findings[] | select(.details | contains("called from") | not) | select((.interleaving // []) | length > 0)] | length' found.json)" 0
is "as many tables as findings that are described" "$(grep -c 'the threads, by lines' <<<"$said")" "$((races - $(wc -w <<<"$without")))"
like "that is said, with what to do" "$said" 'without stacks: the replays would have taken too long; heddle show ID shows'
is "the search had all of its schedules" "$(jq .schedules found.json)" 40
shown=$("$heddle" show "${without%% *}")
is "heddle show describes one of these" "$(grep -c 'called from choose' <<<"$shown")" 2
first=$(jq -c '[.findings[] | del(.standing)]' found.json)
tested --runs 40 --strategy random --json found.json -- ./each
is "the same test describes the same" "$(jq -c '[.findings[] | del(.standing)]' found.json)" "$first"
echo 'race:^choose$' >lines
tested --runs 40 --strategy random --suppressions lines -- ./each
is "what suppressions depend on is found out of all" "$code" 0
like "so all are suppressed" "$said" "nothing found, $races suppressed"

# What --reduce 0 leaves of the time is for schedules.
program fails <<'END_C'
#include <assert.h>
#include <pthread.h>
static _Atomic int flag;
static void *worker(void *argument)
{
	flag = 1;
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, worker, NULL);
	assert(!flag);
	pthread_join(thread, NULL);
	return 0;
}
END_C
tested --time 4 --reduce 0 --quiet --json found.json -- ./fails
is "--reduce 0: the failure is found" "$code $(jq '[.findings[] | select(.kind == "assertion")] | length' found.json)" "1 1"
ok "and the time is for schedules" jq -e '.seconds > 3.15' found.json

# What another process writes is not in the trace: the replay waits for it in vain, and does not do so for ever.
program shared <<'END_C'
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	volatile int *flag = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status, went_on[2];
	char byte;
	pipe(went_on);
	if (fork() == 0) {
		read(went_on[0], &byte, 1);
		*flag = 1;
		_exit(0);
	}
	write(went_on[1], "", 1);
	while (!*flag)
		;
	wait(&status);
	return 0;
}
END_C
timeout -s KILL 60 "$heddle" run --trace shared.trace -- ./shared
said=$(timeout -s KILL 60 "$heddle" replay shared.trace 2>&1)
is "a replay that waits for another process ends" "$?" 3
like "and says that it differs" "$said" 'did not follow the trace|cannot be replayed'
# What the world does must not depend on where it was asked who runs next, which is elsewhere in a replay, and at each access in one
# with columns: loops that try again and access memory in between, and an allocator that accesses memory in pthread_create.
cat >tries.c <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
static _Alignas(16) char pool[1 << 20];
static size_t used;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static long sum, tries[4];
void *malloc(size_t size)
{
	pthread_mutex_lock(&lock);
	size_t *block = (size_t *)(pool + used);
	used += ((size + 15) & ~(size_t)15) + 16;
	pthread_mutex_unlock(&lock);
	block[0] = size;
	block[1] = ~block[0];
	return block + 2;
}
void free(void *block)
{
	(void)block;
}
void *calloc(size_t count, size_t size)
{
	return malloc(count * size);
}
void *realloc(void *block, size_t size)
{
	return block ? 0 : malloc(size);
}
static void *run(void *number)
{
	long *own = &tries[(intptr_t)number];
	for (int i = 0; i < 5; i++) {
		while (pthread_mutex_trylock(&mutex))
			++*own;
		for (int j = 0; j < 20; j++)
			sum++;
		pthread_mutex_unlock(&mutex);
		while (sem_trywait(&semaphore))
			*own += 2;
		sem_post(&semaphore);
	}
	return 0;
}
int main(void)
{
	pthread_t threads[4];
	sem_init(&semaphore, 0, 1);
	for (intptr_t i = 0; i < 4; i++)
		pthread_create(&threads[i], 0, run, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], 0);
	printf("%ld\n", sum);
	return 0;
}
END
"$cc" -g -O0 tries.c -o tries -pthread
for strategy in round-robin pct period surw; do
	"$heddle" run --strategy $strategy --seed 3 --trace tries.trace -- ./tries >/dev/null
	is "loops that try, $strategy: replayed" "$(timeout 20 "$heddle" replay tries.trace 2>&1)" 400
	is "loops that try, $strategy: with columns" "$(status timeout 20 "$heddle" replay --columns tries.trace)" 0
done



# A frame of 20 KB, eleven calls, and one copy that forty findings share: each has its calls up to the start of the thread, and values.
awk 'BEGIN {
	print "#include <pthread.h>\n#include <string.h>\nstruct settings {"
	for (i = 1; i <= 40; i++)
		print "\tvolatile int field" i ";"
	print "\tint rest[100];\n} shared, copy;\nstatic __attribute__((noinline)) void set(void)\n{"
	print "\tvolatile char space[20000];\n\tspace[0] = 1;"
	for (i = 1; i <= 40; i++)
		print "\tshared.field" i " = " i ";"
	print "\tspace[1] = 1;\n}"
	print "#define CALL(NAME, NEXT) static __attribute__((noinline)) void NAME(void) { NEXT(); __asm__ volatile(\"\"); }"
	print "CALL(f1, set)"
	for (i = 2; i <= 10; i++)
		print "CALL(f" i ", f" i - 1 ")"
	print "static void *worker(void *unused)\n{\n\tf10();\n\treturn unused;\n}"
	print "int main(void)\n{\n\tpthread_t thread;\n\tpthread_create(&thread, NULL, worker, NULL);"
	print "\tmemcpy((void *)&copy, (void *)&shared, sizeof copy);\n\tpthread_join(thread, NULL);\n\treturn 0;\n}"
}' </dev/null | program large
tested --runs 20 --json large.json -- ./large
is "forty fields are forty findings" "$code $(jq '.findings | length' large.json)" "1 40"
is "a large frame and many calls: the stack is complete in all of them" \
	"$(jq '[.findings[] | select(.details | test("called from f10 .*\n  called from worker "))] | length' large.json)" 40
is "all accesses have values" "$(jq '[.findings[].details | scan("\n  it was ")] | length' large.json)" 80
done_testing
