/* threads.c: what begins and ends with a thread, and what is used again by the next one. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "case.h"

static volatile int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int step;

static void start(pthread_t *id, body *what)
{
	if (pthread_create(id, NULL, what, NULL))
		abort();
}

BODY(touches) { x++; } // @touches
CASE(created_joined)
{
	pthread_t id;
	x = 1;
	start(&id, touches);
	pthread_join(id, NULL);
	x = 2;
}
CASE(while_it_runs)
{
	pthread_t id;
	start(&id, touches);
	x = 2; // @while_it_runs
	pthread_join(id, NULL);
}
CASE(one_by_one)
{
	for (int i = 0; i < 5; i++) {
		pthread_t id;
		start(&id, touches);
		pthread_join(id, NULL);
	}
}
CASE(joined_other)
{
	pthread_t a, b;
	start(&a, touches);
	start(&b, touches);
	pthread_join(a, NULL);
	x = 3; // @joined_other
	pthread_join(b, NULL);
}
static pthread_t joinable;
BODY(joins) { pthread_join(joinable, NULL); x = 5; }
CASE(joined_by_another)
{
	start(&joinable, touches);
	threads(joins);
	x = 6;
}
BODY(makes_more)
{
	pthread_t id;
	x++;
	start(&id, touches);
	pthread_join(id, NULL);
	x++;
}
CASE(nested) { threads(makes_more); x = 9; }
/* Behind a child's child only when that was joined. */
BODY(makes_and_leaves)
{
	pthread_t id;
	start(&id, touches);
	pthread_detach(id);
}
CASE(nested_detached)
{
	threads(makes_and_leaves);
	x = 9; // @nested_detached
}
CASE(try_join)
{
	pthread_t id;
	start(&id, touches);
	while (pthread_tryjoin_np(id, NULL))
		sched_yield();
	x = 1;
}
CASE(timed_join)
{
	pthread_t id;
	static const struct timespec never = { 4000000000, 0 }, past = { 1, 0 };
	start(&id, touches);
	if (pthread_timedjoin_np(id, NULL, &past) == 0 || pthread_clockjoin_np(id, NULL, CLOCK_MONOTONIC, &never) == 0)
		x = 1;
}
CASE(timed_join_not)
{
	pthread_t id;
	static const struct timespec past = { 1, 0 };
	start(&id, touches);
	if (pthread_timedjoin_np(id, NULL, &past) == ETIMEDOUT)
		x = 1; // @timed_join_not
}
static int c11_touches(void *argument) { (void)argument; x++; return 7; } // @c11_touches
CASE(c11)
{
	thrd_t id;
	int result;
	thrd_create(&id, c11_touches, NULL);
	thrd_join(id, &result);
	x = result;
}
CASE(c11_race)
{
	thrd_t id;
	thrd_create(&id, c11_touches, NULL);
	x = 1; // @c11_race
	thrd_join(id, NULL);
}

/* Ends in other ways. */
BODY(exits) { x++; pthread_exit(NULL); }
BODY(is_cancelled) { x++; for (;;) pause(); }
static void clean(void *argument) { (void)argument; x++; }
BODY(cleans) { pthread_cleanup_push(clean, NULL); x++; pthread_exit(NULL); pthread_cleanup_pop(0); }
static pthread_key_t key;
static void destroy(void *value) { (*(volatile int *)value)++; } // @destroy
BODY(has_key) { pthread_setspecific(key, (void *)&x); }
CASE(exit_joined) { threads(exits); x++; threads(cleans); x++; }
CASE(cancel_joined)
{
	pthread_t id;
	start(&id, is_cancelled);
	pthread_cancel(id);
	pthread_join(id, NULL);
	x++;
}
CASE(key_joined) { pthread_key_create(&key, destroy); threads(has_key); x++; }
CASE(key_race) { pthread_key_create(&key, destroy); threads(has_key, has_key); }
/* What was done before a thread is cancelled is before what it does then. */
static void clean_y(void *argument) { (void)argument; y++; }
BODY(is_cancelled_late)
{
	pthread_cleanup_push(clean_y, NULL);
	for (;;) {
		pthread_testcancel();
		sched_yield();
	}
	pthread_cleanup_pop(0);
}
CASE(cancel_orders)
{
	pthread_t id;
	start(&id, is_cancelled_late);
	y = 1;
	pthread_cancel(id);
	pthread_join(id, NULL);
}

/* The last thread's end and handlers of the exit. */
static void at_exit(void) { x = 100; } // @at_exit
BODY(registers) { x = 1; atexit(at_exit); atomic_store_explicit(&step, 1, memory_order_relaxed); for (;;) pause(); }
CASE(exit_handler)
{
	pthread_t id;
	start(&id, registers);
	while (!atomic_load_explicit(&step, memory_order_relaxed))
		sched_yield();
	exit(0);
}
CASE(exit_handler_return)
{
	pthread_t id;
	start(&id, registers);
	while (!atomic_load_explicit(&step, memory_order_relaxed))
		sched_yield();
}
BODY(touches_on) { for (int i = 0; i < 3; i++) x++; } // @touches_on
CASE(exit_handler_race)
{
	pthread_t id;
	atexit(at_exit);
	start(&id, touches_on);
}

/* Stacks are used again by the next thread, and with them what is thread-local. Nobody is behind a detached one. */
static __thread volatile int local[64];
_Atomic(volatile int *) shown;
static volatile int *show(volatile int *place)
{
	atomic_store_explicit(&shown, place, memory_order_relaxed);
	return place;
}
static void *uses_all(void *argument)
{
	volatile int here[2000];
	volatile int *place = show(here), *mine = show(local);
	for (int i = 0; i < 2000; i += 7)
		place[i] = i;
	for (int i = 0; i < 64; i++)
		mine[i]++;
	return argument;
}
static void detached(int count, body *what)
{
	for (int i = 0; i < count; i++) {
		pthread_t id;
		pthread_attr_t attributes;
		pthread_attr_init(&attributes);
		pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		if (pthread_create(&id, &attributes, what, NULL))
			abort();
		for (int j = 0; j < 30; j++)
			sched_yield();
	}
}
CASE(stack_again) { detached(12, uses_all); }
CASE(stack_again_joined)
{
	for (int i = 0; i < 5; i++)
		threads(uses_all, uses_all);
}
/* A stack of the program's own. */
static char own_stack[1 << 18] __attribute__((aligned(4096)));
CASE(stack_own)
{
	for (int i = 0; i < 3; i++) {
		pthread_t id;
		pthread_attr_t attributes;
		pthread_attr_init(&attributes);
		pthread_attr_setstack(&attributes, own_stack, sizeof own_stack);
		if (pthread_create(&id, &attributes, uses_all, NULL))
			abort();
		pthread_join(id, NULL);
	}
}
/* Another thread's variable, of a frame that is left. */
static volatile int *volatile frame;
static void *has_frame(void *argument)
{
	volatile int here = 0;
	pthread_mutex_lock(&m);
	frame = &here;
	pthread_mutex_unlock(&m);
	here = 2; // @frame_own
	pthread_mutex_lock(&m);
	frame = NULL;
	pthread_mutex_unlock(&m);
	return argument;
}
BODY(uses_frame)
{
	pthread_mutex_lock(&m);
	if (frame)
		*frame = 1; // @frame_other
	pthread_mutex_unlock(&m);
}
CASE(stack_shared) { threads(has_frame, uses_frame); }

/* A child process is another world. */
CASE(forks)
{
	pthread_t id;
	start(&id, touches);
	pid_t child = fork();
	if (child == 0) {
		x = 1;
		_exit(0);
	}
	waitpid(child, NULL, 0);
	pthread_join(id, NULL);
	x++;
}
CASE(forks_race)
{
	pthread_t id;
	start(&id, touches);
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	x = 1; // @forks_race
	pthread_join(id, NULL);
}

/* Many. */
static volatile int sum, unguarded[2000];
BODY(adds) { pthread_mutex_lock(&m); sum++; pthread_mutex_unlock(&m); unguarded[number & 1023] = 1; }
BODY(adds_racing) { pthread_mutex_lock(&m); sum++; pthread_mutex_unlock(&m); if (number == 3 || number == 38) y = 1; } // @adds_racing
static void many(body *what, int count)
{
	body *all[MAX_THREADS];
	for (int i = 0; i < count; i++)
		all[i] = what;
	threads_run(all, (size_t)count);
}
CASE(forty) { many(adds, 40); sum++; }
CASE(forty_racing) { many(adds_racing, 40); sum++; }
static void *short_lived(void *argument) { pthread_mutex_lock(&m); sum++; pthread_mutex_unlock(&m); return argument; }
static void *short_racing(void *argument) { y++; pthread_mutex_lock(&m); sum++; pthread_mutex_unlock(&m); return argument; } // @short_racing
CASE(two_thousand)
{
	for (int i = 0; i < 2000; i++) {
		pthread_t id;
		start(&id, short_lived);
		pthread_join(id, NULL);
		sum++;
	}
}
CASE(two_thousand_detached)
{
	for (int i = 0; i < 2000; i++) {
		pthread_t id;
		start(&id, short_lived);
		pthread_detach(id);
	}
	for (int is_done = 0; !is_done; sched_yield()) {
		pthread_mutex_lock(&m);
		is_done = sum == 2000;
		pthread_mutex_unlock(&m);
	}
	sum++;
}
/* More than there are slots, none of them joined: the mutex shows that they are over. */
CASE(detached_many)
{
	for (int i = 0; i < 5000; i++) {
		pthread_t id;
		start(&id, short_lived);
		pthread_detach(id);
		for (int is_done = 0; !is_done; sched_yield()) {
			pthread_mutex_lock(&m);
			is_done = sum == i + 1;
			pthread_mutex_unlock(&m);
		}
	}
	body *two[] = { short_racing, short_racing };
	threads_run(two, 2);
}
/* Nothing shows it: a race among the last ones is seen all the same. */
static void *alone(void *argument) { return argument; }
CASE(detached_unseen)
{
	for (int i = 0; i < 2500; i++) {
		pthread_t id;
		start(&id, alone);
		pthread_detach(id);
		sched_yield();
	}
	body *two[] = { short_racing, short_racing };
	threads_run(two, 2);
}
/* After thousands of threads a race is still seen. */
CASE(two_thousand_then)
{
	for (int i = 0; i < 2000; i++) {
		pthread_t id;
		start(&id, short_lived);
		pthread_join(id, NULL);
	}
	body *two[] = { short_racing, short_racing };
	threads_run(two, 2);
}

/* Readers: three and more, then a writer that is behind none, all, or all but one of them. */
static volatile int shared;
BODY(reader) { (void)shared; } // @reader
BODY(writer) { shared = 1; } // @writer
BODY(reader_told) { (void)shared; atomic_fetch_add_explicit(&step, 1, memory_order_release); }
BODY(reader_untold) { (void)shared; atomic_fetch_add_explicit(&step, 1, memory_order_relaxed); } // @reader_untold
BODY(writer_told)
{
	while (atomic_load_explicit(&step, memory_order_acquire) != 4)
		sched_yield();
	shared = 1; // @writer_told
}
CASE(readers_writer) { threads(reader, reader, reader, reader, writer); }
CASE(readers_writer_ordered) { threads(reader_told, reader_told, reader_told, reader_told, writer_told); }
CASE(readers_writer_but_one) { threads(reader_told, reader_told, reader_untold, reader_told, writer_told); }

/* Clocks beyond what a word of the shadow has room for: one thread releases more than four million times. */
static _Atomic int spun;
BODY(releases)
{
	x = 1;
	for (int i = 0; i < 4400000; i++)
		atomic_store_explicit(&spun, i, memory_order_release);
	y = 1; // @overflow_late
	atomic_store_explicit(&step, 1, memory_order_release);
	y = 2; // @overflow_later
}
BODY(acquires)
{
	while (!atomic_load_explicit(&step, memory_order_acquire))
		sched_yield();
	x = 2;
	y = 3; // @overflow_other
}
CASE(clock_overflow) { threads(releases, acquires); }

CASES(CHOICE(created_joined), CHOICE(while_it_runs), CHOICE(one_by_one), CHOICE(joined_other), CHOICE(joined_by_another),
      CHOICE(nested), CHOICE(nested_detached), CHOICE(try_join), CHOICE(timed_join), CHOICE(timed_join_not), CHOICE(c11),
      CHOICE(c11_race), CHOICE(exit_joined), CHOICE(cancel_joined), CHOICE(key_joined), CHOICE(key_race),
      CHOICE(cancel_orders), CHOICE(exit_handler), CHOICE(exit_handler_return), CHOICE(exit_handler_race),
      CHOICE(stack_again), CHOICE(stack_again_joined), CHOICE(stack_own), CHOICE(stack_shared), CHOICE(forks),
      CHOICE(forks_race), CHOICE(forty), CHOICE(forty_racing), CHOICE(two_thousand), CHOICE(two_thousand_detached),
      CHOICE(two_thousand_then), CHOICE(detached_many), CHOICE(detached_unseen), CHOICE(readers_writer), CHOICE(readers_writer_ordered),
      CHOICE(readers_writer_but_one), CHOICE(clock_overflow))

/*
 * case created_joined: none
 * case while_it_runs: touches-while_it_runs
 * case one_by_one: none
 * case joined_other: touches-joined_other; touches-touches
 * case joined_by_another: none
 * case nested: none
 * case nested_detached: touches-nested_detached
 * case try_join: none
 * case timed_join: none
 * case timed_join_not: touches-timed_join_not
 * case c11: none
 * case c11_race: c11_touches-c11_race
 * case exit_joined: none
 * case cancel_joined: none
 * case key_joined: none
 * case key_race: destroy-destroy
 * case cancel_orders: none
 * case exit_handler: none
 * case exit_handler_return: none
 * case exit_handler_race: touches_on-at_exit
 * case stack_again: none
 * case stack_again_joined: none
 * case stack_own: none
 * case stack_shared: frame_own-frame_other
 * case forks: none
 * case forks_race: touches-forks_race
 * case forty: none
 * case forty_racing: adds_racing-adds_racing
 * runs forty_racing: 20
 * case two_thousand: none
 * runs two_thousand: 5
 * case two_thousand_detached: none
 * runs two_thousand_detached: 5
 * case two_thousand_then: short_racing-short_racing
 * runs two_thousand_then: 5
 * case detached_many: short_racing-short_racing
 * runs detached_many: 3
 * quiet detached_many: more than 2046 threads
 * case detached_unseen: short_racing-short_racing
 * runs detached_unseen: 3
 * case readers_writer: reader-writer
 * case readers_writer_ordered: none
 * case readers_writer_but_one: reader_untold-writer_told
 * case clock_overflow: overflow_later-overflow_other
 * runs clock_overflow: 4
 */
