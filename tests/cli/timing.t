#!/bin/bash
# Sleeps and time-outs that end early: a bug that needs the sleeper to be first is found, replayed, reduced and explained;
# --timing strict forbids it; what clocks promise holds; and time-outs of seconds, loops that poll and order by long
# sleeps are left alone.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
. tests/lib/cc.sh

cat >grace.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct session {
	long state, bytes;
};

static struct session *session;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
	struct session *own;
	(void)argument;
	pthread_mutex_lock(&lock);
	own = session;
	pthread_mutex_unlock(&lock);
	for (int i = 0; own && i < 10; i++) {
		pthread_mutex_lock(&lock);
#ifdef FIXED
		own = session;
		if (own)
#endif
			own->bytes += i;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *expire(void *argument)
{
	usleep(GRACE);
	pthread_mutex_lock(&lock);
	free(session);
	session = NULL;
	pthread_mutex_unlock(&lock);
	return argument;
}

int main(void)
{
	pthread_t a, b;
	session = calloc(1, sizeof *session);
	pthread_create(&a, NULL, expire, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
EOF

# The thread whose sleep ends early must also be the next to run.
cat >own.c <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int is_ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *look(void *argument)
{
	usleep(500);
	pthread_mutex_lock(&lock);
	int seen = is_ready;
	pthread_mutex_unlock(&lock);
	assert(seen);
	return argument;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, look, NULL);
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		is_ready = i == 2;
		pthread_mutex_unlock(&lock);
	}
	pthread_join(thread, NULL);
	return 0;
}
EOF

# What a real system does promise: a sleep lasts as long as it should, by the clock; a loop that polls a hundred times, and a wait of
# five seconds, are long enough for another thread that has something to do.
cat >promised.c <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_int is_ready, is_told;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static long long now(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void *sleeps(void *argument)
{
	for (int i = 0; i < 3; i++) {
		long long before = now(CLOCK_MONOTONIC), date = now(CLOCK_REALTIME);
		usleep((useconds_t)(long)argument);
		assert(now(CLOCK_MONOTONIC) - before >= (long)argument * 1000);
		assert(now(CLOCK_REALTIME) - date >= (long)argument * 1000);
	}
	return NULL;
}

static void *works(void *argument)
{
	for (volatile int i = 0; i < 50; i++)
		;
	is_ready = 1;
	pthread_mutex_lock(&lock);
	is_told = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	return argument;
}

int main(void)
{
	pthread_t threads[3];
	struct timespec until;
	int code = 0, polls = 0;
	pthread_create(&threads[0], NULL, sleeps, (void *)300);
	pthread_create(&threads[1], NULL, sleeps, (void *)2000);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 5;
	pthread_create(&threads[2], NULL, works, NULL);
	for (; polls < 100 && !is_ready; polls++)
		usleep(1000);
	assert(is_ready);
	pthread_mutex_lock(&lock);
	while (!is_told && code == 0)
		code = pthread_cond_timedwait(&cond, &lock, &until);
	assert(code == 0);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
EOF
ok "the programs are built" "$cc" -O1 -g -pthread -DGRACE=500 grace.c -o grace
"$cc" -O1 -g -pthread -DGRACE=500 -DFIXED grace.c -o fixed && "$cc" -O1 -g -pthread -DGRACE=1000000 grace.c -o long &&
	"$cc" -O1 -g -pthread -DGRACE=0 grace.c -o none && "$cc" -O1 -g -pthread promised.c -o promised

# tested NAME OPTIONS...: status in $status, what was said in said, JSON in found.json
tested() {
	local name=$1
	shift
	[ -n "${keep:-}" ] || rm -rf .heddle
	timeout -s KILL 120 "$heddle" test --classify no "$@" --json found.json -- "./$name" >said 2>&1 </dev/null
	status=$?
}

told() {
	jq -r "$1" found.json 2>&1
}

tested grace --runs 60
is "a use after free that needs the sleeper to be first is found in tens of schedules" "$status $(told '[.findings[].kind] | unique | join(" ")')" "1 memory-error"
like "... and it is said whose sleep must end early" "$(cat said)" "thread 2's sleep of 500 us must end before grace.c:[0-9]+ .* of thread [0-9]"
like "... with how many" "$(cat said)" 'needs .*1 early end of a sleep or time-out:'
is "... in JSON, too" "$(told '.timing, (.findings[0] | .early, (.needs | test("sleep of 500 us must end before")))' | paste -sd ' ')" "early 1 true"
timeout 60 "$heddle" replay H1 >replayed 2>&1 </dev/null
is "... and its reduced trace replays" "$? $(grep -c 'use after free' replayed)" "0 1"
like "heddle show says it again" "$("$heddle" show H1 2>&1)" "sleep of 500 us must end before"
# In the environment of the program it would move the stack.
keep=1
tested grace --runs 60
keep=
is "a second test knows it, without reducing it again" "$(grep -c 'sleep of 500 us must end before' said) $(told .reduce_runs)" "1 0"
same "the same test finds the same" "$(told '.findings[0] | .schedules_to_first')" "$(rm -rf .heddle && tested grace --runs 60 && told '.findings[0] | .schedules_to_first')"

tested grace --runs 300 --timing strict
is "--timing strict forbids it" "$status $(told .timing)" "0 strict"
tested fixed --runs 200
is "the fixed twin is silent" "$status" 0
tested none --runs 60
is "what fails without it is shown without it" "$(told '.findings[] | select(.kind == "memory-error") | .early' | sort -u)" 0

tested promised --runs 500
is "what clocks, polling and time-outs of seconds promise holds" "$status $(told '[.findings[].summary] | join("; ")')" "0 "
tested long --runs 250
is "long sleeps order threads in the first schedules" "$status" 0
tested long --runs 1000 --stop
is "... and end early in a few late ones" "$status" 1
like "... which is said" "$(cat said)" "sleep of 1 s must end before"

"$cc" -O1 -g -pthread own.c -o own || fail "own.c is built"
tested own --runs 300
is "a thread that sleeps, is woken early and goes on by itself: found" "$status $(told '[.findings[].kind] | unique | join(" ")')" "1 assertion"
like "... and reduced" "$(cat said)" 'needs .*1 preemption and 1 early end of a sleep or time-out:'
like "... and it is said that it must go on" "$(cat said)" "thread 2 must run on directly after its own wait at "

# A bug of bugs/ that needs it, and its fixed twin.
"$cc" -O1 -g -pthread "$root/bugs/sleep-until-ready.c" -o asleep && "$cc" -O1 -g -pthread -DFIXED "$root/bugs/sleep-until-ready.c" -o ready
tested asleep --runs 60
is "a sleep in place of a wait is found in tens of schedules" "$status $(told '[.findings[].kind] | unique | join(" ")')" "1 assertion"
like "... and it is said whose sleep must end early" "$(cat said)" "thread 1's sleep of 2 ms must end"
tested asleep --runs 300 --timing strict
is "... and in none with --timing strict" "$status" 0
tested asleep --strategy dfs
is "... nor by dfs, ..." "$status" 0
like "... which says that it does not try that" "$(tr -s '\n ' ' ' <said)" 'note: all schedules .* were covered: .* independent; none of them ends sleeps or time-outs early: other strategies do'
tested ready --runs 200
is "the fixed twin is silent" "$status" 0
tested ready --strategy dfs
unlike "dfs does not speak of sleeps where there are none" "$(cat said)" 'time-outs'

# A race is not reduced, and says what ended early in its schedule; and whether it was ever seen without.
cat >racy.c <<'EOF'
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static long total, always;
static atomic_int is_done;

static void *tell(void *argument)
{
	always++;
	usleep(500);
	if (!is_done)
		total++;
	return argument;
}

static void *work(void *argument)
{
	for (volatile int i = 0; i < 10; i++)
		total += i;
	always++;
	is_done = 1;
	return argument;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, tell, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
EOF
"$cc" -O1 -g -pthread racy.c -o racy
tested racy --runs 60
needy=$(told '.findings[] | select(.summary | test("on total")) | .id' | paste -sd ' ')
other=$(told '.findings[] | select(.summary | test("on always")) | .id' | head -n 1)
ok "a race that needs a sleep to end early, and one that does not" [ -n "$needy" -a -n "$other" ]
early="before it, in this schedule, thread 2's sleep of 500 us ends early, while other threads can run: --timing strict prevents this"
like "the race says what ended early" "$("$heddle" show "${needy%% *}" 2>&1 | tr -s ' \n' ' ')" "$early"
unlike "the other one, of a schedule in which nothing did, does not" "$("$heddle" show "$other" 2>&1 | tr -s ' \n' ' ')" "ends early"
like "a note lists those that were never seen without" "$(told '.notes[]' | grep 'strict prevents')" "^${needy// /, } w(as|ere) seen only in schedules where "
tested racy --runs 200 --timing strict
is "--timing strict: the other one alone" "$(told '[.findings[].summary | test("on always")] | unique | join(" ")')" true

# A wait for the outside has its length, too, although in a replay it is the log that ends it.
cat >outside.c <<'EOF'
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static atomic_int steps, is_early;
static int ends[2];

static void *wait_and_look(void *argument)
{
	struct timeval time = { 0, 500 };
	struct pollfd poll_end = { ends[0], POLLIN, 0 };
	struct epoll_event event;
	fd_set set;
	char byte;
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	(void)time, (void)poll_end, (void)event, (void)set, (void)byte;
	WAIT;
	if (steps < 20)
		is_early = 1;
	return argument;
}

static void *work(void *argument)
{
	for (int i = 0; i < 20; i++)
		steps++;
	return argument;
}

int main(void)
{
	struct timeval time = { 0, 700 };
	pthread_t a, b;
	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	assert(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) == 0);
	pthread_create(&a, NULL, wait_and_look, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(!is_early);
	return 0;
}
EOF

# outside CALL WANT: what the report says about the time-out of that call
outside() {
	ok "$1: is built" "$cc" -O1 -g -pthread "-DWAIT=$1" outside.c -o outside
	tested outside --runs 300
	like "$1: its time-out is described" "$(cat said)" "thread 2's time-out$2 must end before "
}
outside 'poll(&poll_end, 1, 3)' ' of 3 ms'
outside 'select(ends[0] + 1, &set, NULL, NULL, &time)' ' of 500 us'
outside 'epoll_wait(epoll_create1(0), &event, 1, 2)' ' of 2 ms'
outside 'recv(ends[0], &byte, 1, 0)' ''

repeated=$("$heddle" run --runs 40 --repeat 2 -- ./grace 2>&1)
is "a seed gives the same run, with early ends, too" "$? $(grep -c 'differ' <<<"$repeated")" "0 1"
"$heddle" run --timing sometimes -- ./grace >/dev/null 2>said
is "wrong values are refused" "$? $(grep -c 'expects early or strict' said)" "2 1"
"$heddle" test --classify no --timing sometimes -- ./grace >/dev/null 2>said
is "... by heddle test" "$? $(grep -c 'expects early or strict' said)" "2 1"
done_testing
