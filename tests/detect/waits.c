/* waits.c: condition variables, barriers, once, semaphores: who waits for whom, and what is behind it. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <threads.h>
#include <unistd.h>

#include "case.h"

static volatile int x, y, ready;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static const struct timespec never = { 4000000000, 0 }, soon = { 1704067200, 1 };

/* Condition variables: the mutex orders, nothing else. */
BODY(tells)
{
	x = 1;
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
}
BODY(tells_inside)
{
	pthread_mutex_lock(&m);
	x = 1;
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
}
BODY(tells_outside)
{
	x = 1;
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_mutex_unlock(&m);
	y = 1; // @tells_outside
	pthread_cond_broadcast(&c);
}
BODY(waits)
{
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&c, &m);
	x++;
	pthread_mutex_unlock(&m);
}
BODY(waits_timed)
{
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_timedwait(&c, &m, &never);
	x++;
	pthread_mutex_unlock(&m);
}
BODY(waits_clock)
{
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &never);
	x++;
	pthread_mutex_unlock(&m);
}
BODY(waits_then)
{
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	y++; // @waits_then
}
/* While it waits the mutex is not its own: what it does then is not under it. */
BODY(waits_out)
{
	pthread_mutex_lock(&m);
	while (!ready)
		if (pthread_cond_timedwait(&c, &m, &soon) == ETIMEDOUT)
			break;
	x++;
	pthread_mutex_unlock(&m);
}
BODY(locks_only) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }
CASE(cond) { threads(tells, waits_then); }
CASE(cond_inside) { threads(tells_inside, waits, locks_only); }
CASE(cond_all) { threads(tells_outside, waits, waits_timed, waits_clock); }
CASE(cond_signal_orders_nothing) { threads(tells_outside, waits_then); }
CASE(cond_timed_out) { threads(waits_out, waits_out, locks_only); }

BODY(tells_recursive)
{
	pthread_mutex_lock(&r);
	x++;
	ready = 1;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&r);
}
BODY(waits_recursive)
{
	pthread_mutex_lock(&r);
	pthread_mutex_lock(&r);
	pthread_mutex_unlock(&r);
	while (!ready)
		pthread_cond_wait(&c, &r);
	x++;
	pthread_mutex_unlock(&r);
}
CASE(cond_recursive) { threads(waits_recursive, waits_recursive, tells_recursive); }

static cnd_t cnd;
static mtx_t mtx;
BODY(tells_c11) { x = 1; mtx_lock(&mtx); ready = 1; cnd_signal(&cnd); mtx_unlock(&mtx); }
BODY(waits_c11) { mtx_lock(&mtx); while (!ready) cnd_wait(&cnd, &mtx); mtx_unlock(&mtx); x = 2; }
BODY(waits_c11_timed) { mtx_lock(&mtx); while (!ready) cnd_timedwait(&cnd, &mtx, &never); mtx_unlock(&mtx); x = 2; }
static void make_c11(void) { mtx_init(&mtx, mtx_plain); cnd_init(&cnd); }
CASE(cnd) { make_c11(); threads(tells_c11, waits_c11); }
CASE(cnd_timed) { make_c11(); threads(tells_c11, waits_c11_timed); }

/* Who is cancelled in a wait has the mutex again in its handlers, and gives it back there. */
static void gives_back(void *argument)
{
	x++;
	pthread_mutex_unlock(argument);
}
static void gives_back_only(void *argument)
{
	pthread_mutex_unlock(argument);
}
BODY(cancelled_inside)
{
	pthread_mutex_lock(&m);
	pthread_cleanup_push(gives_back, &m);
	for (;;)
		pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(0);
}
static void late(void *argument) { y++; } // @late
BODY(cancelled_late)
{
	pthread_mutex_lock(&m);
	pthread_cleanup_push(late, NULL);
	pthread_cleanup_push(gives_back_only, &m);
	for (;;)
		pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
}
BODY(locks_xy) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); y++; } // @locks_xy
static void cancel_case(body *waiting, body *working)
{
	pthread_t ids[2];
	body *bodies[] = { waiting, working };
	threads_start(ids, bodies, 2);
	sched_yield();
	pthread_cancel(ids[0]);
	pthread_join(ids[0], NULL);
	pthread_join(ids[1], NULL);
}
CASE(cancelled) { cancel_case(cancelled_inside, locks_only); }
/* Nothing orders y: the handler that gives the mutex back is not a way to be behind who locks it later. */
CASE(cancelled_outside) { cancel_case(cancelled_late, locks_xy); }

/* A handler that runs while the thread waits does not have the mutex; the thread has it, and is behind, when it goes on. */
static _Atomic int handled;
static void on_signal(int number) { handled = 1; y++; (void)number; }
BODY(waits_signalled)
{
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&c, &m);
	x++;
	pthread_mutex_unlock(&m);
}
static void signal_case(void)
{
	pthread_t ids[2];
	body *bodies[] = { waits_signalled, locks_only };
	signal(SIGUSR1, on_signal);
	threads_start(ids, bodies, 2);
	pthread_kill(ids[0], SIGUSR1);
	pthread_mutex_lock(&m);
	ready = 1;
	x++;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	pthread_join(ids[0], NULL);
	pthread_join(ids[1], NULL);
}
CASE(cond_signal_handler) { signal_case(); }

/* Barriers: all before, all behind, again and again. */
static pthread_barrier_t barrier;
static volatile int cells[4];
BODY(rounds)
{
	for (int i = 0; i < 4; i++) {
		cells[number] = i;
		pthread_barrier_wait(&barrier);
		if (number == 0)
			for (int j = 0; j < 3; j++)
				cells[j]++;
		pthread_barrier_wait(&barrier);
	}
}
BODY(rounds_missing)
{
	for (int i = 0; i < 2; i++) {
		cells[number] = i; // @rounds_missing_own
		pthread_barrier_wait(&barrier);
		if (number == 0)
			for (int j = 0; j < 3; j++)
				cells[j]++; // @rounds_missing_all
	}
}
CASE(barrier) { pthread_barrier_init(&barrier, NULL, 3); threads(rounds, rounds, rounds); }
CASE(barrier_missing) { pthread_barrier_init(&barrier, NULL, 3); threads(rounds_missing, rounds_missing, rounds_missing); }
/* Four threads at a barrier for two: those of a later round may pass before those of the first have left. */
static _Atomic int is_first_over;
BODY(round_one_a)
{
	x = 1;
	pthread_barrier_wait(&barrier);
	atomic_store_explicit(&is_first_over, 1, memory_order_relaxed);
}
BODY(round_one_b) { pthread_barrier_wait(&barrier); x = 2; }
BODY(round_two)
{
	while (!atomic_load_explicit(&is_first_over, memory_order_relaxed))
		sched_yield();
	pthread_barrier_wait(&barrier);
}
CASE(barrier_pairs) { pthread_barrier_init(&barrier, NULL, 2); threads(round_one_a, round_one_b, round_two, round_two); }
BODY(reuses)
{
	x++;
	pthread_barrier_wait(&barrier);
}
CASE(barrier_anew)
{
	for (int i = 1; i < 4; i++) {
		pthread_barrier_init(&barrier, NULL, 1);
		threads(reuses);
		pthread_barrier_wait(&barrier);
		x++;
		pthread_barrier_destroy(&barrier);
	}
}

/* Once: what it did is before all that return from it. */
static pthread_once_t once = PTHREAD_ONCE_INIT, other_once = PTHREAD_ONCE_INIT;
static once_flag once_c11 = ONCE_FLAG_INIT;
static void other_init(void) { y = 1; }
static void init(void) { pthread_once(&other_once, other_init); x = 1; }
BODY(uses) { pthread_once(&once, init); if (x != 1 || y != 1) abort(); }
BODY(uses_c11) { call_once(&once_c11, init); if (x != 1 || y != 1) abort(); }
BODY(uses_not) { if (x > 1) abort(); } // @uses_not
static void init_plain(void) { x = 1; } // @init_plain
BODY(uses_plain) { pthread_once(&once, init_plain); }
CASE(once) { threads(uses, uses, uses); }
CASE(once_c11) { threads(uses_c11, uses_c11, uses_c11); }
CASE(once_not) { threads(uses_plain, uses_not); }
/* Cancelled in the routine: the next one begins anew, and is behind what was done until then. */
static _Atomic int tries;
static void init_cancelled(void)
{
	x++;
	if (tries++ == 0) {
		pthread_cancel(pthread_self());
		pthread_testcancel();
	}
}
BODY(uses_cancelled) { pthread_once(&once, init_cancelled); (void)x; }
CASE(once_cancelled) { threads(uses_cancelled, uses_cancelled, uses_cancelled); }

/* Semaphores. */
static sem_t s;
BODY(posts) { x = 1; sem_post(&s); }
BODY(gets) { sem_wait(&s); x = 2; }
BODY(posts_late) { sem_post(&s); x = 1; } // @posts_late
BODY(gets_late) { sem_wait(&s); x = 2; } // @gets_late
BODY(gets_value) { int value; sem_getvalue(&s, &value); if (value) x = 2; } // @gets_value
BODY(posts_value) { x = 1; sem_post(&s); } // @posts_value
CASE(semaphore) { sem_init(&s, 0, 0); threads(posts, gets); }
CASE(semaphore_late) { sem_init(&s, 0, 0); threads(posts_late, gets_late); }
CASE(semaphore_value) { sem_init(&s, 0, 0); threads(posts_value, gets_value); }
/* One that was there from the start orders nothing. */
BODY(takes_initial) { sem_wait(&s); x++; } // @takes_initial
CASE(semaphore_initial) { sem_init(&s, 0, 2); threads(takes_initial, takes_initial); }
/* A producer and a consumer with a buffer of one. */
static sem_t empty, full;
BODY(produces) { for (int i = 0; i < 5; i++) { sem_wait(&empty); x = i; sem_post(&full); } }
BODY(consumes) { for (int i = 0; i < 5; i++) { sem_wait(&full); if (x != i) abort(); sem_post(&empty); } }
CASE(semaphore_buffer) { sem_init(&empty, 0, 1); sem_init(&full, 0, 0); threads(produces, consumes); }
/* Posted by a handler. */
static void post_handler(int number) { (void)number; y = 3; sem_post(&s); }
BODY(raises) { raise(SIGUSR1); }
BODY(gets_handled) { sem_wait(&s); y = 4; }
CASE(semaphore_handler) { sem_init(&s, 0, 0); signal(SIGUSR1, post_handler); threads(raises, gets_handled); }

CASES(CHOICE(cond), CHOICE(cond_inside), CHOICE(cond_all), CHOICE(cond_signal_orders_nothing), CHOICE(cond_timed_out),
      CHOICE(cond_recursive), CHOICE(cnd), CHOICE(cnd_timed), CHOICE(cancelled), CHOICE(cancelled_outside),
      CHOICE(cond_signal_handler), CHOICE(barrier), CHOICE(barrier_missing), CHOICE(barrier_pairs),
      CHOICE(barrier_anew), CHOICE(once), CHOICE(once_c11), CHOICE(once_not), CHOICE(once_cancelled),
      CHOICE(semaphore), CHOICE(semaphore_late), CHOICE(semaphore_value), CHOICE(semaphore_initial),
      CHOICE(semaphore_buffer), CHOICE(semaphore_handler))

/*
 * case cond: none
 * case cond_inside: none
 * case cond_all: none
 * case cond_signal_orders_nothing: tells_outside-waits_then
 * case cond_timed_out: none
 * case cond_recursive: none
 * case cnd: none
 * case cnd_timed: none
 * case cancelled: none
 * case cancelled_outside: late-locks_xy
 * case cond_signal_handler: none
 * case barrier: none
 * case barrier_missing: rounds_missing_own-rounds_missing_all
 * case barrier_pairs: none
 * runs barrier_pairs: 600
 * case barrier_anew: none
 * case once: none
 * case once_c11: none
 * case once_not: init_plain-uses_not
 * case once_cancelled: none
 * case semaphore: none
 * case semaphore_late: posts_late-gets_late
 * case semaphore_value: posts_value-gets_value
 * case semaphore_initial: takes_initial-takes_initial
 * case semaphore_buffer: none
 * case semaphore_handler: none
 */
