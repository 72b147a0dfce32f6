#!/bin/bash
# heddle test: orders of locks that could deadlock are tried: schedules are steered towards the deadlock. What deadlocks is
# told as a deadlock, with its trace; what does not stays an order of locks.
. tests/lib/tap.sh
. tests/lib/cc.sh

cat >order.c <<'END'
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
enum { BUSY = 300, SEATS = 5 };
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER, forks[SEATS];
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t turn;
static int is_ready;

/* Nobody else has this lock, but there is a choice at each turn: what is before and behind is one of hundreds. */
static void busy(void)
{
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	for (int i = 0; i < BUSY; i++) {
		pthread_mutex_lock(&own);
		pthread_mutex_unlock(&own);
	}
}

static void take(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void *two_forth(void *argument)
{
	take(&a, &b);
	busy();
	return argument;
}

static void *two_back(void *argument)
{
	busy();
	take(&b, &a);
	return argument;
}

static void *three_first(void *argument)
{
	take(&a, &b);
	busy();
	return argument;
}

static void *three_second(void *argument)
{
	busy();
	take(&b, &c);
	return argument;
}

static void *three_third(void *argument)
{
	busy();
	busy();
	take(&c, &a);
	return argument;
}

static void *dine(void *argument)
{
	long seat = (long)argument;
	for (long i = 0; i < seat; i++)
		busy();
	take(&forks[seat], &forks[(seat + 1) % SEATS]);
	return NULL;
}

static void *write_last(void *argument)
{
	pthread_mutex_lock(&a);
	pthread_rwlock_wrlock(&table);
	pthread_rwlock_unlock(&table);
	pthread_mutex_unlock(&a);
	busy();
	return argument;
}

static void *read_first(void *argument)
{
	busy();
	pthread_rwlock_rdlock(&table);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_rwlock_unlock(&table);
	return argument;
}

static void *read_last(void *argument)
{
	pthread_mutex_lock(&a);
	pthread_rwlock_rdlock(&table);
	pthread_rwlock_unlock(&table);
	pthread_mutex_unlock(&a);
	return argument;
}

static void *spin_forth(void *argument)
{
	pthread_spin_lock(&spin);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_spin_unlock(&spin);
	busy();
	return argument;
}

static void *spin_back(void *argument)
{
	busy();
	pthread_mutex_lock(&a);
	pthread_spin_lock(&spin);
	pthread_spin_unlock(&spin);
	pthread_mutex_unlock(&a);
	return argument;
}

static void *gate_forth(void *argument)
{
	pthread_mutex_lock(&gate);
	take(&a, &b);
	pthread_mutex_unlock(&gate);
	return argument;
}

static void *gate_back(void *argument)
{
	pthread_mutex_lock(&gate);
	take(&b, &a);
	pthread_mutex_unlock(&gate);
	return argument;
}

static void *try_back(void *argument)
{
	pthread_mutex_lock(&b);
	if (pthread_mutex_trylock(&a) == 0)
		pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return argument;
}

/* The mutex of the condition is taken while another is had; that one is had during the wait, too. */
static void *wait_forth(void *argument)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	while (!is_ready)
		pthread_cond_wait(&changed, &b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return argument;
}

static void *wait_back(void *argument)
{
	pthread_mutex_lock(&b);
	is_ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&b);
	busy();
	take(&b, &a);
	return argument;
}

/* The other thread uses the first lock before it comes to the cycle. */
static void *used_back(void *argument)
{
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&a);
		pthread_mutex_unlock(&a);
	}
	busy();
	take(&b, &a);
	return argument;
}

static void *late_back(void *argument)
{
	for (int i = 0; i < 10; i++)
		usleep(1000);
	take(&b, &a);
	return argument;
}

static void *turn_forth(void *argument)
{
	take(&a, &b);
	sem_post(&turn);
	return argument;
}

static void *turn_back(void *argument)
{
	sem_wait(&turn);
	take(&b, &a);
	return argument;
}

/* The same by looking again and again, without and with a lock. The first is so long that more may be waited for it. */
static void *look_forth(void *argument)
{
	take(&a, &b);
	for (int i = 0; i < 20; i++)
		busy();
	__atomic_store_n(&is_ready, 1, __ATOMIC_RELEASE);
	return argument;
}

static void *look_back(void *argument)
{
	while (!__atomic_load_n(&is_ready, __ATOMIC_ACQUIRE))
		sched_yield();
	take(&b, &a);
	return argument;
}

static void *poll_forth(void *argument)
{
	take(&a, &b);
	pthread_mutex_lock(&c);
	is_ready = 1;
	pthread_mutex_unlock(&c);
	return argument;
}

static void *poll_back(void *argument)
{
	for (int is_seen = 0; !is_seen;) {
		pthread_mutex_lock(&c);
		is_seen = is_ready;
		pthread_mutex_unlock(&c);
	}
	take(&b, &a);
	return argument;
}

static void *tick_back(void *argument)
{
	for (int is_seen = 0; !is_seen;) {
		usleep(1000);
		pthread_mutex_lock(&c);
		is_seen = is_ready;
		pthread_mutex_unlock(&c);
	}
	take(&b, &a);
	return argument;
}

static void *timed_back(void *argument)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	pthread_mutex_lock(&b);
	if (pthread_mutex_timedlock(&a, &until) == 0)
		pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return argument;
}

/* Which of them becomes the pair, and so its address, depends on the schedule. */
static struct pair {
	pthread_mutex_t first, second;
} *pair;

static void *make_pair(void *argument)
{
	struct pair *made = calloc(1, sizeof *made);
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&c);
		pthread_mutex_unlock(&c);
	}
	pthread_mutex_lock(&c);
	pair = made;
	pthread_mutex_unlock(&c);
	return argument;
}

static void *pair_forth(void *argument)
{
	take(&pair->first, &pair->second);
	busy();
	return argument;
}

static void *pair_back(void *argument)
{
	busy();
	take(&pair->second, &pair->first);
	return argument;
}

typedef void *work(void *);

static void run(int count, work **works)
{
	pthread_t threads[8];
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, works[i], (void *)(long)i);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

#define RUN(...) run(sizeof((work *[]){ __VA_ARGS__ }) / sizeof(work *), (work *[]){ __VA_ARGS__ })

int main(int count, char **arguments)
{
	const char *which = count > 1 ? arguments[1] : "two";
	pthread_t thread;
	sem_init(&turn, 0, 0);
	pthread_spin_init(&spin, 0);
	for (int i = 0; i < SEATS; i++)
		pthread_mutex_init(&forks[i], NULL);
	if (!strcmp(which, "two"))
		RUN(two_forth, two_back);
	else if (!strcmp(which, "three"))
		RUN(three_first, three_second, three_third);
	else if (!strcmp(which, "dine"))
		RUN(dine, dine, dine, dine, dine);
	else if (!strcmp(which, "write"))
		RUN(write_last, read_first);
	else if (!strcmp(which, "read"))
		RUN(read_last, read_first);
	else if (!strcmp(which, "spin"))
		RUN(spin_forth, spin_back);
	else if (!strcmp(which, "gate"))
		RUN(gate_forth, gate_back);
	else if (!strcmp(which, "try"))
		RUN(two_forth, try_back);
	else if (!strcmp(which, "wait"))
		RUN(wait_forth, wait_back);
	else if (!strcmp(which, "used"))
		RUN(two_forth, used_back);
	else if (!strcmp(which, "late"))
		RUN(two_forth, late_back);
	else if (!strcmp(which, "turn"))
		RUN(turn_forth, turn_back);
	else if (!strcmp(which, "look"))
		RUN(look_forth, look_back);
	else if (!strcmp(which, "poll"))
		RUN(poll_forth, poll_back);
	else if (!strcmp(which, "tick"))
		RUN(poll_forth, tick_back);
	else if (!strcmp(which, "timed"))
		RUN(two_forth, timed_back);
	else if (!strcmp(which, "heap")) {
		RUN(make_pair, make_pair, make_pair, make_pair, make_pair);
		RUN(pair_forth, pair_back);
	} else if (!strcmp(which, "joined")) {
		RUN(two_forth);
		RUN(two_back);
	} else if (!strcmp(which, "leave")) {
		pthread_create(&thread, NULL, two_forth, NULL);
		usleep(1000);
		pthread_create(&thread, NULL, two_back, NULL);
		sleep(1);
	}
	return 0;
}
END
"$cc" -g -O1 -pthread order.c -o order 2>&1 || fail "order.c is built"

# tested OPTIONS... -- PROG: runs heddle test; $said and $json (the file) are what came of it
tested() {
	json=$work/found.json
	said=$(timeout -s KILL 120 "$heddle" test --classify no --json "$json" "$@" 2>"$work/errors" </dev/null)
}

# kinds: of what was found, with the number of the first schedule that had it, and how many were steered towards it
kinds() {
	jq -r '[.findings[] | .kind + " " + (.schedules_to_first | tostring) + (if .steered then " " + (.steered | tostring) else "" end)] |
		join(", ")' "$json"
}

# Schedules that are not steered do not meet these: the first that does is the first behind them.
for which in two three dine write spin wait late heap leave; do
	rm -rf .heddle
	tested --strategy random --runs 10 -- ./order $which
	like "$which: a deadlock, when it is steered to" "$(kinds)" '^deadlock 1[1-3]$'
	is "$which: the order is not told, too" "$(ls .heddle/evidence | sed 's/-.*//')" deadlock
	trace=$(jq -r '.findings[0].trace' "$json")
	timeout -s KILL 60 "$heddle" replay "$trace" >replayed 2>&1
	is "$which: the replay's exit status" $? 1
	like "$which: the replay deadlocks" "$(cat replayed)" '^heddle: deadlock: '
done
tested --strategy random --runs 10 -- ./order two
like "two: who waits for what" "$said" "^  thread 2 \\(two_forth\\) waits for mutex b, held by thread 3\$"
like "two: how many were run" "$said" '^10 schedules, .*, and 1 schedule to try lock orders'
is "two: its schedule is reduced" "$(jq '.findings[0].preemptions' "$json")" 1
is "two: without notes" "$(jq -c '.notes' "$json")" '[]'

# A thread that uses the first lock before it comes to the cycle cannot go on while the other has it for good. So not
# every schedule that is steered gets there.
for seed in 1 2 3; do
	tested --strategy random --seed $seed --runs 5 -- ./order used
	like "used, seed $seed: a deadlock" "$(kinds)" '^deadlock ([6-9]|1[0-9]|2[01])$'
done

# The portfolio does not wait with it.
tested --runs 50 -- ./order two
like "the portfolio: soon" "$(kinds)" '^deadlock [23]$'
is "the portfolio: beside others" "$(jq '.schedules' "$json")" 50
tested --stop -- ./order dine
like "the portfolio with --stop" "$(kinds)" '^deadlock [23]$'

# What cannot deadlock: something that is not seen as an order keeps the threads apart. That one is held back while the
# other waits for it, by whatever means, is no failure of the program.
for which in turn look poll tick timed; do
	tested --strategy random --runs 5 -- ./order $which
	is "$which: an order of locks" "$(kinds)" 'lock-order 1 16'
	like "$which: that it was tried is said" "$said" \
		'^  16 schedules were steered towards this deadlock without reaching it$'
done
tested --runs 50 -- ./order turn
is "the portfolio: an order of locks" "$(kinds)" 'lock-order 1 16'
for which in read gate try joined; do
	tested --runs 20 -- ./order $which
	is "$which: nothing" "$(kinds)" ''
done

# Locks of a library, in code that is not woven.
cat >library.cc <<'END'
#include <mutex>
#include <thread>
static std::mutex a, b, c;
static void take(std::mutex &first, std::mutex &second, bool is_late)
{
	for (int i = 0; i < 200; i++) {
		std::mutex own;
		std::lock_guard<std::mutex> one(is_late ? own : first);
		std::lock_guard<std::mutex> two(c);
	}
	std::lock_guard<std::mutex> one(first);
	std::lock_guard<std::mutex> two(second);
}
int main()
{
	std::thread s(take, std::ref(a), std::ref(b), false), t(take, std::ref(b), std::ref(a), true);
	s.join();
	t.join();
}
END
g++ -g -O0 -pthread library.cc -o library || fail "library.cc is built"
tested --strategy priority --runs 2 --allow-unwoven -- ./library
is "a library's locks: a deadlock" "$(jq -c '[.findings[].kind]' "$json")" '["deadlock"]'

# The same seed, the same test.
for jobs in 1 2; do
	for which in used dine turn; do
		rm -rf .heddle
		tested --runs 20 --jobs $jobs -- ./order $which
		cp "$json" first.json
		rm -rf .heddle
		tested --runs 20 --jobs $jobs -- ./order $which
		same "$which, $jobs jobs: again the same" "$(jq -c 'del(.seconds, .findings[].trace)' "$json")" "$(jq -c 'del(.seconds, .findings[].trace)' first.json)"
		is "$which, $jobs jobs: no time was up" "$(jq -c '[.notes[] | select(test("time"))]' "$json")" '[]'
	done
done
rm -rf .heddle
tested --time 1 -- ./order dine
ok "unless time is what was asked for: that is said" jq -e 'any(.notes[]; test("^the time to reduce H1 ran out: |^H1 was not reduced: there was not enough time"))' "$json"
is_clean "nothing is left behind"
done_testing
