/*
 * case.h: for the programs of this folder, in C and C++. Each has several cases; the first argument says which one runs. A
 * case is a function, usually one that calls threads(): it starts these functions, a thread each, and joins them.
 *
 * A tag at the end of a line, as in "x = 1; // @A", names the line in the tail comment, where each case has its expectation:
 * see run.t.
 */
#ifndef CASE_H
#define CASE_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_THREADS 64

typedef void *body(void *);

#define COUNT(array) (sizeof(array) / sizeof *(array))

static inline void threads_start(pthread_t *ids, body **bodies, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (pthread_create(&ids[i], NULL, bodies[i], (void *)i))
			abort();
}

static inline void threads_run(body **bodies, size_t count)
{
	pthread_t ids[MAX_THREADS];
	threads_start(ids, bodies, count);
	for (size_t i = 0; i < count; i++)
		pthread_join(ids[i], NULL);
}

/* threads(f, g, ...): each in a thread of its own, with its number as the argument. */
#define threads(...)                                                                                                   \
	do {                                                                                                           \
		body *bodies_[] = { __VA_ARGS__ };                                                                     \
		threads_run(bodies_, COUNT(bodies_));                                                                  \
	} while (0)

/* BODY(name) { ... }: what a thread does; number is which one it is. */
#define BODY(name)                                                                                                     \
	static void name##_body(size_t number);                                                                        \
	static void *name(void *argument)                                                                              \
	{                                                                                                              \
		name##_body((size_t)argument);                                                                         \
		return NULL;                                                                                           \
	}                                                                                                              \
	static void name##_body(size_t number __attribute__((unused)))

#define CASE(name) static void case_##name(void)

struct choice {
	const char *name;
	void (*run)(void);
};

#define CHOICE(name) { #name, case_##name }

#define CASES(...)                                                                                                     \
	int main(int argc, char **argv)                                                                                \
	{                                                                                                              \
		static const struct choice choices[] = { __VA_ARGS__ };                                                \
		for (size_t i = 0; i < COUNT(choices); i++)                                                            \
			if (argc == 2 && strcmp(choices[i].name, argv[1]) == 0) {                                      \
				choices[i].run();                                                                      \
				return 0;                                                                              \
			}                                                                                              \
		return 99;                                                                                             \
	}

#endif
