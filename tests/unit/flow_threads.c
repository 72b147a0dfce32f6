/* Threads that are started and joined in many ways; what main writes to `stage` tells which are alive where. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int stage, early, late, caught, in_first, in_second, in_child, in_grandchild, in_worker, in_batch, in_rest;
static pthread_t handles[2];
static int count = 4;

__attribute__((noinline)) static void start(pthread_t *thread, void *(*routine)(void *))
{
	if (pthread_create(thread, NULL, routine, NULL))
		exit(1);
}

static void *first(void *argument)
{
	in_first = 1;
	return argument;
}

static void *second(void *argument)
{
	in_second = 1;
	return argument;
}

static void *grandchild(void *argument)
{
	in_grandchild = 1;
	return argument;
}

static void *careful(void *argument)
{
	pthread_t thread;
	in_child = 1;
	pthread_create(&thread, NULL, grandchild, NULL);
	in_child = 2;
	pthread_join(thread, NULL);
	in_child = 3;
	return argument;
}

static void *careless(void *argument)
{
	pthread_t thread;
	pthread_create(&thread, NULL, grandchild, NULL);
	return argument;
}

static void *worker(void *argument)
{
	in_worker = 1;
	return argument;
}

static void *batch(void *argument)
{
	in_batch = 1;
	return argument;
}

static void *rest(void *argument)
{
	in_rest = 1;
	return argument;
}

static void on_signal(int number)
{
	caught = number;
}

static void at_end(void)
{
	late = 1;
}

__attribute__((constructor)) static void before_main(void)
{
	early = 1;
}

/* One thread at a time, again and again. */
__attribute__((noinline)) static void one_by_one(int number)
{
	pthread_t thread;
	pthread_create(&thread, NULL, worker, NULL);
	if (number > 3) {
		puts("too many");
		exit(2);
	}
	pthread_join(thread, NULL);
}

__attribute__((noinline)) static void in_a_loop(int few)
{
	pthread_t threads[16];
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, batch, NULL);
	stage = 30;
	for (int i = 0; i < count; i++)
		if (pthread_join(threads[i], NULL))
			exit(3);
	stage = 31;
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, rest, NULL);
	for (int i = 0; i < few; i++)
		pthread_join(threads[i], NULL);
	stage = 32;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	(void)argv;
	if (argc > 2)
		count = argc;
	stage = 1;
	start(&handles[0], first);
	stage = 2;
	pthread_join(handles[0], NULL);
	stage = 3;
	start(&handles[1], second);
	stage = 4;
	if (argc > 1)
		pthread_join(handles[1], NULL);
	stage = 5;
	pthread_create(&thread, NULL, careful, NULL);
	stage = 6;
	pthread_join(thread, NULL);
	stage = 7;
	pthread_create(&thread, NULL, careless, NULL);
	pthread_join(thread, NULL);
	stage = 8;
	for (int i = 0; i < argc; i++)
		one_by_one(i);
	stage = 9;
	in_a_loop(argc);
	signal(SIGINT, on_signal);
	stage = 10;
	atexit(at_end);
	return 0;
}
