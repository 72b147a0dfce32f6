/* Cancellation and pthread_exit unwind C++ frames: destructors run, catch (...) sees it and must throw again. */
#include "check.h"
#include <cxxabi.h>
#include <semaphore.h>

static sem_t started;

struct guard {
	int *count;
	explicit guard(int *where) : count(where)
	{
	}
	~guard()
	{
		++*count;
	}
};

struct results {
	int destroyed = 0;
	int caught = 0;
};

static void inner(results *r, bool is_exiting)
{
	guard one(&r->destroyed);
	try {
		guard two(&r->destroyed);
		sem_post(&started);
		if (is_exiting)
			pthread_exit(nullptr);
		for (;;)
			pause();
	} catch (abi::__forced_unwind &) {
		r->caught++;
		throw;
	}
}

static void *cancelled(void *argument)
{
	guard outer(&static_cast<results *>(argument)->destroyed);
	inner(static_cast<results *>(argument), false);
	return nullptr;
}

static void *exiting(void *argument)
{
	guard outer(&static_cast<results *>(argument)->destroyed);
	inner(static_cast<results *>(argument), true);
	return nullptr;
}

int main()
{
	sem_init(&started, 0, 0);
	results first, second;
	pthread_t a = start(cancelled, &first), b = start(exiting, &second);
	sem_wait(&started);
	sem_wait(&started);
	CHECK(pthread_cancel(a) == 0);
	CHECK(finish(a) == PTHREAD_CANCELED);
	CHECK(finish(b) == nullptr);
	printf("cancelled: destroyed %d caught %d\n", first.destroyed, first.caught);
	printf("exiting: destroyed %d caught %d\n", second.destroyed, second.caught);
	return 0;
}
/*
 * expect: cancelled: destroyed 3 caught 1
 * expect: exiting: destroyed 3 caught 1
 */
