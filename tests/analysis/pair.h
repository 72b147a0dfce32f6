/*
 * pair.h: for the programs of this folder. A case has variables, threads and locks of its own, so that one program can have
 * many. Variables are not static: what nobody else could see the compiler would take away.
 *
 * A tag at the end of a line, as in "x = 1; // @A", names the line in the tail comment: see run.t.
 */
#ifndef PAIR_H
#define PAIR_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each in a thread of its own, which is started here and nowhere else, and waited for. */
#define BOTH(f, g)                                                                                                     \
	do {                                                                                                           \
		pthread_t first_, second_;                                                                             \
		if (pthread_create(&first_, NULL, f, NULL) || pthread_create(&second_, NULL, g, NULL))                  \
			abort();                                                                                       \
		pthread_join(first_, NULL);                                                                            \
		pthread_join(second_, NULL);                                                                           \
	} while (0)

#define THREAD(name) static void *name(void *argument __attribute__((unused)))
#define MUTEX(name) pthread_mutex_t name = PTHREAD_MUTEX_INITIALIZER

#endif
