/* C11 threads: create, join with result, detach, mutexes of all kinds, conditions, call_once, thread-specific storage. */
#include "check.h"
#include <threads.h>

static mtx_t plain, timed, recursive;
static cnd_t cond;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int count, ready, once_runs, destroyed, detached_done;

static void run_once(void)
{
	once_runs++;
}

static void destroy(void *value)
{
	(void)value;
	mtx_lock(&plain);
	destroyed++;
	mtx_unlock(&plain);
}

static int work(void *argument)
{
	call_once(&once, run_once);
	CHECK(tss_set(key, argument) == thrd_success && tss_get(key) == argument);
	for (int i = 0; i < 20; i++) {
		CHECK(mtx_lock(&recursive) == thrd_success && mtx_lock(&recursive) == thrd_success);
		CHECK(mtx_lock(&plain) == thrd_success);
		count++;
		CHECK(mtx_unlock(&plain) == thrd_success);
		mtx_unlock(&recursive);
		mtx_unlock(&recursive);
		thrd_yield();
	}
	mtx_lock(&plain);
	ready++;
	cnd_signal(&cond);
	mtx_unlock(&plain);
	return *(int *)argument;
}

static int detached(void *argument)
{
	(void)argument;
	mtx_lock(&plain);
	detached_done = 1;
	cnd_broadcast(&cond);
	mtx_unlock(&plain);
	thrd_exit(0);
}

int main(void)
{
	CHECK(mtx_init(&plain, mtx_plain) == thrd_success && mtx_init(&timed, mtx_timed) == thrd_success);
	CHECK(mtx_init(&recursive, mtx_plain | mtx_recursive) == thrd_success);
	CHECK(cnd_init(&cond) == thrd_success && tss_create(&key, destroy) == thrd_success);
	thrd_t threads[4], alone;
	int values[4] = { 1, 2, 3, 4 }, sum = 0;
	for (int i = 0; i < 4; i++)
		CHECK(thrd_create(&threads[i], work, &values[i]) == thrd_success);
	CHECK(thrd_create(&alone, detached, NULL) == thrd_success && thrd_detach(alone) == thrd_success);
	mtx_lock(&plain);
	while (ready < 4 || !detached_done)
		cnd_wait(&cond, &plain);
	mtx_unlock(&plain);
	for (int i = 0; i < 4; i++) {
		int result;
		CHECK(thrd_join(threads[i], &result) == thrd_success);
		sum += result;
	}
	CHECK(mtx_lock(&timed) == thrd_success && mtx_trylock(&timed) == thrd_busy);
	struct timespec at = after_ms(CLOCK_REALTIME, 5);
	CHECK(mtx_timedlock(&timed, &at) == thrd_timedout);
	mtx_unlock(&timed);
	mtx_lock(&plain);
	CHECK(cnd_timedwait(&cond, &plain, &at) == thrd_timedout);
	mtx_unlock(&plain);
	struct timespec pause = { 0, 1000 };
	CHECK(thrd_sleep(&pause, NULL) == 0 && thrd_equal(thrd_current(), thrd_current()));
	printf("count %d sum %d once %d destroyed %d\n", count, sum, once_runs, destroyed);
	return 0;
}
/*
 * expect: count 80 sum 10 once 1 destroyed 4
 */
