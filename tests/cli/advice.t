#!/bin/bash
# What to try about waits that never end, and about what another thread did in between: nothing is said that the run does not
# show. What comes first is told by when it was done, not by when it was announced.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset COLUMNS NO_COLOR

# advised RUNS NAME: $said is the advice about ./NAME, whose source is on standard input
advised() {
	local runs=$1 name=$2
	cat >"$name.c"
	"$cc" -g -O1 -pthread "$name.c" -o "$name" 2>&1 || fail "$name is built"
	rm -rf .heddle
	said=$(timeout -s KILL 120 "$heddle" test --classify no --runs "$runs" -- "./$name" 2>errors </dev/null |
		sed -n '/^  what to try:/,/^[^ ]*$/p' | grep '^    - ')
}

advised 200 unlocked <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static _Atomic int is_ready;
static void *take(void *argument)
{
	pthread_mutex_lock(&lock);
	while (!is_ready)
		pthread_cond_wait(&news, &lock);
	pthread_mutex_unlock(&lock);
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, take, NULL);
	is_ready = 1;
	pthread_cond_signal(&news);
	pthread_join(thread, NULL);
	return 0;
}
END
is "a change between the test and the wait" "$said" \
	"    - hold the mutex of the wait at unlocked.c:9 while is_ready is changed at unlocked.c:17: thread 1 changes it after the test at unlocked.c:8 and before the wait of thread 2, and no thread signals news after the start of that wait"

advised 200 silent <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static int count, is_over;
static void *take(void *argument)
{
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!count && !is_over)
			pthread_cond_wait(&news, &lock);
		if (!count)
			break;
		count--;
	}
	pthread_mutex_unlock(&lock);
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, take, NULL);
	pthread_mutex_lock(&lock);
	count++;
	pthread_cond_signal(&news);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	is_over = 1;
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
END
is "a change that nobody signals" "$said" \
	"    - signal news when is_over is changed at silent.c:27: thread 2 tests it before it waits at silent.c:10, and no thread signals news after the change"

advised 50 lost-wakeup-wrong-waiter <"$root/bugs/lost-wakeup-wrong-waiter.c"
like "a signal that another one got" "$said" '^    - wake all waiters of buffer\.changed \(broadcast\) at '
unlike "a signal that it got itself is not lost" "$said" 'is lost'
advised 20 barrier-reuse <"$root/bugs/barrier-reuse.c"
like "a thread that waits for what nobody does" "$said" \
	'^    - signal barrier\.changed: thread [0-9] waits for it at barrier-reuse\.c:34, and no other thread signals it'
unlike "what a thread signals itself is not lost for it" "$said" 'is lost'

advised 300 looks <<'END'
#include <assert.h>
#include <pthread.h>
_Atomic int seen, is_armed;
volatile int first, second;
static void *look(void *argument)
{
	first = seen; /* a load: it changes nothing */
	if (is_armed)
		second = 1;
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, look, NULL);
	int before = seen;
	is_armed = 1;
	int is_late = second;
	before += seen;
	assert(!is_late);
	pthread_join(thread, NULL);
	return before;
}
END
like "an atomic load: there is a failure" "$(cat .heddle/evidence/assertion-*.trace | wc -c)" '^[1-9]'
unlike "an atomic load is no change" "$said" 'change seen'

# Of what changes while a thread is away, most is none of the matter. An update that got lost comes first.
advised 200 update <<'END'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left = 4, done_jobs;
static void *work(void *argument)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		int is_over = left == 0;
		if (!is_over)
			left--;
		pthread_mutex_unlock(&lock);
		if (is_over)
			return argument;
		done_jobs++;
	}
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(done_jobs == 4);
	return 0;
}
END
like "a lost update" "$said" \
	'^    - prevent other threads from changing done_jobs between update\.c:15 and update\.c:15 of thread [23], as thread [23] does at update\.c:15: hold a lock across both'
unlike "a lost update: nothing of what is always locked" "$said" 'change left'
id=$("$heddle" list | sed -n 's/^\(H[0-9]*\) .*assertion.*/\1/p')
marked=$("$heddle" show "$id" | grep '^ *[0-9]*> ')
is "a lost update: its rows are marked" "$(printf '%s\n' "$marked" | grep -c ' 15 \(read\|write\) done_jobs')" 3
unlike "a lost update: no others are" "$marked" ' left$'

# It looks under a lock, and acts on that under the same lock, taken again; what it looked at is not used there.
advised 200 act <<'END'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t jobs_lock = PTHREAD_MUTEX_INITIALIZER, cache_lock = PTHREAD_MUTEX_INITIALIZER;
static int jobs = 4, size, is_filled, loads;
static void load(void)
{
	pthread_mutex_lock(&cache_lock);
	int has = size;
	pthread_mutex_unlock(&cache_lock);
	if (has)
		return;
	pthread_mutex_lock(&cache_lock);
	loads++;
	if (!is_filled)
		size = 1;
	is_filled = 1;
	pthread_mutex_unlock(&cache_lock);
}
static void *work(void *argument)
{
	for (;;) {
		pthread_mutex_lock(&jobs_lock);
		int is_over = jobs == 0;
		if (!is_over)
			jobs--;
		pthread_mutex_unlock(&jobs_lock);
		if (is_over)
			return argument;
		load();
	}
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(loads == 1);
	return 0;
}
END
is "what was looked at under the lock that is taken again" "$(printf '%s\n' "$said" | sed 's/thread [23]/thread N/g')" \
	"    - prevent other threads from changing size between act.c:8 and act.c:12 of thread N, as thread N does at act.c:15: hold a lock across both, and take it in the other thread, too"

# The order of two threads that each do all they have to under one lock.
advised 100 order <<'END'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static long first, last;
static void *work(void *argument)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		if (count++ == 0)
			first = (long)argument;
		last = (long)argument;
		pthread_mutex_unlock(&lock);
	}
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(last != first);
	return 0;
}
END
like "nothing is clear: there is a failure" "$(cat .heddle/evidence/assertion-*.trace | wc -c)" '^[1-9]'
is "nothing is clear: no advice" "$said" ""

# apart BEFORE BEHIND: a test and a wait that no lock covers; what is around the change
apart() {
	advised 300 apart <<END
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static _Atomic int is_ready;
static int look(void)
{
	pthread_mutex_lock(&lock);
	int now = is_ready;
	pthread_mutex_unlock(&lock);
	return now;
}
static void *take(void *argument)
{
	while (!look()) {
		pthread_mutex_lock(&lock);
		pthread_cond_wait(&news, &lock);
		pthread_mutex_unlock(&lock);
	}
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, take, NULL);
	$1;
	is_ready = 1;
	$2;
	pthread_cond_signal(&news);
	pthread_join(thread, NULL);
	return 0;
}
END
}
covers="    - hold the mutex of the wait at apart.c:16 from the test of is_ready at apart.c:8 until the wait: in between thread 1 changes it at apart.c:26 and signals news at apart.c:28, before thread 2 waits, so the signal is lost"
apart 'pthread_mutex_lock(&lock)' 'pthread_mutex_unlock(&lock)'
is "no lock covers the test and the wait" "$said" "$covers"
marked=$("$heddle" show H1 | grep '^ *[0-9]*> ')
like "no lock covers them: the test is marked" "$marked" ' 8 atomic is_ready'
like "no lock covers them: so is the change" "$marked" ' 26 atomic is_ready'
like "no lock covers them: so is the signal" "$marked" ' 28 signal news'
apart '' ''
is "no lock covers them, nor the change" "$said" "$covers
    - also hold that mutex while is_ready is changed at apart.c:26: thread 1 does not hold it there"
done_testing
