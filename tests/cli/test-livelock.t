#!/bin/bash
# heddle test and programs that seem to make no progress: those that end under a fair schedule are not reported, and
# real livelocks are.
. tests/lib/tap.sh
. tests/lib/cc.sh

# tested NAME RUNS OPTIONS...: sets $said, $code and $hangs, how many findings are livelocks or hangs
tested() {
	local name=$1 runs=$2
	shift 2
	rm -rf .heddle found.json
	said=$(timeout -s KILL 200 "$heddle" test --classify no --runs "$runs" --reduce 0 --json found.json "$@" -- "./$name" 2>&1 </dev/null)
	code=$?
	hangs=$(jq '[.findings[] | select(.kind == "hang")] | length' found.json 2>&1)
}

# ends NAME RUNS OPTIONS...: no schedule is a failure
ends() {
	tested "$@"
	is "$*: no livelock" "$hangs" 0
	is "$*: exit status" "$code" 0
}

# It looks at what does not change any more, and stops by itself.
program looks <<'E'
#include <pthread.h>
#include <stdatomic.h>
static atomic_long cell;
static void *work(void *argument)
{
	atomic_store(&cell, 1);
	return argument;
}
int main(void)
{
	pthread_t thread;
	long sum = 0;
	pthread_create(&thread, NULL, work, NULL);
	for (int i = 0; i < 1000000; i++)
		sum += atomic_load(&cell) == 7;
	pthread_join(thread, NULL);
	return sum != 0;
}
E
ends looks 8
like "looks: what was done is said" "$said" '^note: [0-9]+ schedules seemed to make no progress .* took turns until the end$'
ends looks 2 --strategy pct

# One thread sleeps for a second; how the other waits depends on the schedule.
program sleeper <<'E'
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int came, is_over, rounds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static void *work(void *argument)
{
	if (atomic_exchange(&came, 1)) {
		pthread_mutex_lock(&lock);
		while (!atomic_load(&is_over))
			pthread_cond_wait(&changed, &lock);
		pthread_mutex_unlock(&lock);
	} else {
		while (!atomic_load(&is_over))
			atomic_fetch_add(&rounds, 1);
	}
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	atomic_exchange(&came, 1);
	sleep(1);
	pthread_mutex_lock(&lock);
	atomic_store(&is_over, 1);
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return pthread_join(thread, NULL);
}
E
ends sleeper 30
for strategy in random pos round-robin; do
	ends sleeper 4 --strategy $strategy
done

# The schedule in which the thread comes first is a hundred thousand times as long as the others.
program longer --heddle-prove=no <<'E'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int came;
static volatile int cells[64];
static void *work(void *argument)
{
	if (!atomic_exchange(&came, 1))
		for (int i = 0; i < 1000000; i++)
			cells[i % 64] += i;
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	atomic_exchange(&came, 1);
	return pthread_join(thread, NULL);
}
E
ends longer 40

# Barriers that spin, with and without a pause, also with waiters that write. WRITES with 16 threads is the one in which strategies
# without preemption run each waiter for long.
cat >barrier.c <<'E'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int arrived, generation;
static volatile long waited[THREADS];
static void *work(void *argument)
{
	long self = (long)argument;
	(void)self;
	for (int round = 0; round < 3; round++) {
		int mine = atomic_load(&generation);
		if (atomic_fetch_add(&arrived, 1) == THREADS - 1) {
			atomic_store(&arrived, 0);
			atomic_fetch_add(&generation, 1);
		} else {
			while (atomic_load(&generation) == mine)
				WAIT;
		}
	}
	return NULL;
}
int main(void)
{
	pthread_t threads[THREADS];
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
E
barrier() {
	"$cc" -g -O1 -pthread --heddle-prove=no -DTHREADS="$2" -DWAIT="$3" barrier.c -o "$1" || fail "$1 is built"
	ends "$1" "$4"
}
barrier bare 4 '(void)0' 50
barrier pauses 8 '__builtin_ia32_pause()' 50
barrier yields 16 'sched_yield()' 50
barrier writes 16 'waited[self]++' 10

# A schedule that is a little longer than the limit while none is known to end is long, and not stuck: strategies must see its end.
cat >late.c <<'E'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static volatile long work[2];
static atomic_int count;
static void *worker(void *argument)
{
	for (long i = 0; i < 640000; i++)
		work[(long)argument]++;
	for (int i = 0; i < 3; i++) {
		int before = count;
		count = before + 1;
	}
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(count == 6);
	return 0;
}
E
"$cc" -g -O1 -pthread late.c -o late || fail "late is built"
tested late 60
is "late: what goes wrong at the end of long schedules is found" "$code $(jq -r '[.findings[].kind] | join(" ")' found.json)" "1 assertion"
like "late: one schedule was thought to be stuck" "$said" '^note: 1 schedule seemed to make no progress'

# OpenMP's threads wait for their turn by yielding.
cat >ordered.c <<'E'
#include <stdio.h>
int main(void)
{
	int sum = 0;
#pragma omp parallel for ordered num_threads(4) schedule(dynamic)
	for (int i = 0; i < 100; i++) {
#pragma omp ordered
		sum++;
	}
	printf("%d\n", sum);
	return 0;
}
E
if "$cc" -g -O1 -fopenmp ordered.c -o ordered 2>/dev/null; then
	tested ordered 60
	is "ordered: no livelock" "$hangs" 0
	is "ordered: schedules" "$(jq .schedules found.json)" 60
else
	skip "ordered: no livelock" "the compiler has no OpenMP"
fi

# Real ones: in one order a thread waits for what never comes, by looking or by working.
cat >real.c <<'E'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int came, never, steps;
static void *work(void *argument)
{
	if (atomic_fetch_add(&came, 1) == 0 && argument)
		while (!never)
			STEP;
	return NULL;
}
int main(int count, char **arguments)
{
	pthread_t threads[2];
	(void)arguments;
	pthread_create(&threads[0], NULL, work, NULL);
	pthread_create(&threads[1], NULL, work, &came);
	atomic_store(&never, count > 5);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
E
for step in '(void)0' steps++; do
	"$cc" -g -O1 -pthread -DSTEP="$step" real.c -o real || fail "real is built"
	tested real 20
	is "a real livelock, $step: found" "$hangs" 1
	is "a real livelock, $step: exit status" "$code" 1
	like "a real livelock, $step: said" "$said" '^H1 livelock: still running after [0-9]+ events, found'
	like "a real livelock, $step: where" "$said" 'at work \(real\.c:[678]\)'
	is "a real livelock, $step: its replay" "$("$heddle" replay H1 >replayed 2>&1; echo $?)" 1
	like "a real livelock, $step: the replay says the same" "$(cat replayed)" 'livelock'
done
rm -rf .heddle
said=$("$heddle" test --classify no --runs 20 -- ./real 2>&1 </dev/null)
like "a real livelock is reduced" "$said" '^H1 needs (no|[0-9]+) preemption'

# The first schedule may be cut off, because nobody knows yet how long schedules are. What is found in it has evidence, whose replay
# ends there, too; that is no livelock.
cat >cut.c <<'E'
#include <pthread.h>
static volatile long work[2], racy;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *argument)
{
	racy++;
	for (long i = 0; i < 1400000; i++)
		work[(long)argument]++;
	for (int i = 0; i < 50000; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
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
E
"$cc" -g -O1 -pthread cut.c -o cut || fail "cut is built"
tested cut 2
is "cut: the race is found" "$code $(jq -r '[.findings[].kind] | join(" ")' found.json)" "1 data-race"
like "cut: the first schedule was cut off" "$said" '^note: 1 schedule was cut off: '
like "cut: it is the evidence" "$said" '^H1 data race on racy .*, found in schedule 1$'
replayed=$("$heddle" replay --stats H1 2>&1)
is "cut: the replay: exit status" $? 0
like "cut: the replay: said" "$replayed" '^heddle: the recorded schedule ends here, after 5000001 events$'
like "cut: the replay: why" "$replayed" '^heddle: the schedule was cut off: it is not known whether it would have ended$'
like "cut: the replay: numbers" "$replayed" '^heddle: cut off; 5000001 events, '
like "cut: the replay: the race" "$replayed" 'data race on racy'
without "cut: the replay: no livelock" "$replayed" 'livelock'

# Where no schedule gets anywhere, ten of them say so.
cat >stuck.c <<'END'
#include <pthread.h>
#include <sched.h>
static volatile int go;
static void *work(void *argument)
{
	while (!go)
		sched_yield();
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	return 0;
}
END
"$cc" -g -O1 -pthread stuck.c -o stuck 2>&1 || fail "stuck.c is built"
said=$("$heddle" test --classify no --runs 40 --reduce 0 -- ./stuck 2>&1)
is "always stuck: exit status" $? 1
like "always stuck: it ends after ten schedules" "$said" '^note: stopped after 10 schedules, because each of them was a livelock'
done_testing
