/* rounds.c: functions that start several threads in a loop, as written and as compilers leave them: with the first round in front. */
#include "pair.h"

enum { MOST = 8 };

struct pool {
	int stop;
	pthread_t threads[MOST];
};

/* What is set before the first start is set before all. */
struct pool first_pool;
static void *first_run(void *argument)
{
	struct pool *pool = argument;
	return pool->stop ? argument : NULL; // @FIRST2
}
__attribute__((noinline)) static void start_first(struct pool *pool, int count)
{
	pool->stop = 0; // @FIRST1
	if (count <= 0)
		return;
	pthread_create(&pool->threads[0], NULL, first_run, pool);
	for (int i = 1; i < count; i++)
		pthread_create(&pool->threads[i], NULL, first_run, pool);
}

/* What is set between two of them is not. */
struct pool late_pool;
static void *late_run(void *argument)
{
	struct pool *pool = argument;
	return pool->stop ? argument : NULL; // @LATE2
}
__attribute__((noinline)) static void start_late(struct pool *pool, int count)
{
	pthread_create(&pool->threads[0], NULL, late_run, pool);
	pool->stop = 0; // @LATE1
	for (int i = 1; i < count; i++)
		pthread_create(&pool->threads[i], NULL, late_run, pool);
}

/* Called a second time, while the first threads run. */
struct pool second_pool;
static void *second_run(void *argument)
{
	struct pool *pool = argument;
	return pool->stop ? argument : NULL; // @SECOND2
}
__attribute__((noinline)) static void start_second(struct pool *pool, int count)
{
	pool->stop = 0; // @SECOND1
	pthread_create(&pool->threads[0], NULL, second_run, pool);
	for (int i = 1; i < count; i++)
		pthread_create(&pool->threads[i], NULL, second_run, pool);
}

/* Somebody else started one before. */
struct pool before_pool;
static void *before_run(void *argument)
{
	struct pool *pool = argument;
	return pool->stop ? argument : NULL; // @BEFORE2
}
__attribute__((noinline)) static void start_before(struct pool *pool, int count)
{
	pool->stop = 0; // @BEFORE1
	pthread_create(&pool->threads[0], NULL, before_run, pool);
	for (int i = 1; i < count; i++)
		pthread_create(&pool->threads[i], NULL, before_run, pool);
}

/* One call starts several threads of a function that it is given, each beside the others. */
int given;
static void *given_run(void *argument)
{
	given++; // @GIVEN
	return argument;
}
__attribute__((noinline)) static void start_given(void *(*run)(void *), int count)
{
	pthread_t threads[MOST];
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

/* The same through one handle, two calls deep. */
int deep;
static void *deep_run(void *argument)
{
	deep++; // @DEEP
	return argument;
}
__attribute__((noinline)) static void start_deep(pthread_t *thread, void *(*run)(void *))
{
	if (pthread_create(thread, NULL, run, NULL))
		abort();
}
__attribute__((noinline)) static void start_deeper(pthread_t *thread, void *(*run)(void *), int count)
{
	for (int i = 0; i < count; i++)
		start_deep(thread, run);
}

/* Behind a join through that handle the others may go on. */
int joined;
static void *joined_run(void *argument)
{
	joined = 1; // @JOINED1
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t thread, other;
	(void)argv;
	start_given(given_run, argc);
	start_first(&first_pool, argc);
	start_late(&late_pool, argc);
	start_second(&second_pool, argc);
	start_second(&second_pool, argc);
	pthread_create(&thread, NULL, before_run, &before_pool);
	start_before(&before_pool, argc);
	start_deeper(&thread, deep_run, argc);
	start_deeper(&other, joined_run, argc);
	pthread_join(other, NULL);
	joined = 2; // @JOINED2
	return 0;
}
/*
 * race: LATE1-LATE2
 * race: SECOND1-SECOND2
 * race: BEFORE1-BEFORE2
 * race: GIVEN-GIVEN
 * race: DEEP-DEEP
 * race: JOINED1-JOINED1
 * race: JOINED1-JOINED2
 * no: FIRST1-FIRST2: ordered
 */
