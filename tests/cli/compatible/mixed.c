/* A bug of each kind whose fingerprint is made in its own way; the argument says which. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static const char *which;
static int counter;
static int *block;

static int is(const char *word)
{
	return strcmp(which, word) == 0;
}

static void count(void)
{
	counter++;
}

static void both(pthread_mutex_t *a, pthread_mutex_t *b)
{
	pthread_mutex_lock(a);
	pthread_mutex_lock(b);
	pthread_mutex_unlock(b);
	pthread_mutex_unlock(a);
}

static void *work(void *argument)
{
	if (is("deadlock"))
		both(&second, &first);
	else if (is("free"))
		free(block);
	else if (is("use"))
		*block = 1;
	else
		count();
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	which = argc > 1 ? argv[1] : "race";
	block = malloc(16);
	pthread_create(&thread, NULL, work, NULL);
	if (is("deadlock"))
		both(&first, &second);
	else if (is("free") || is("use"))
		free(block);
	else
		count();
	pthread_join(thread, NULL);
	assert(!is("assertion") || counter == 2);
	if (is("crash") && counter != 2)
		*(volatile int *)0 = 1;
	while (is("livelock") && counter != 2)
		sched_yield();
	if (is("output"))
		printf("%d\n", counter);
	return is("exit") && counter != 2;
}
