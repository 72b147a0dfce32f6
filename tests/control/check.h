/*
 * check.h: what the programs of the controlled world share: a fact that must hold or the program ends at once with 99,
 * and threads that must start and end. Include it first. The tail comment of each program is for run.t, which says what
 * may stand there.
 */
#ifndef CHECK_H
#define CHECK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK(fact) ((fact) ? (void)0 : check_failed(__FILE__, __LINE__, #fact))

static inline void check_failed(const char *file, int line, const char *fact)
{
	dprintf(2, "%s:%d: not so: %s (errno %d)\n", file, line, fact, errno);
	_exit(99);
}

static inline pthread_t start(void *(*function)(void *), void *argument)
{
	pthread_t thread;
	int error = pthread_create(&thread, NULL, function, argument);
	CHECK(error == 0);
	return thread;
}

static inline void *finish(pthread_t thread)
{
	void *result;
	int error = pthread_join(thread, &result);
	CHECK(error == 0);
	return result;
}

/* The time of a clock, this many milliseconds from now. */
static inline struct timespec after_ms(clockid_t clock, long ms)
{
	struct timespec at;
	clock_gettime(clock, &at);
	at.tv_sec += ms / 1000;
	at.tv_nsec += ms % 1000 * 1000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_sec++;
		at.tv_nsec -= 1000000000;
	}
	return at;
}

static inline long long now_ns(clockid_t clock)
{
	struct timespec at;
	clock_gettime(clock, &at);
	return at.tv_sec * 1000000000ll + at.tv_nsec;
}

#endif
