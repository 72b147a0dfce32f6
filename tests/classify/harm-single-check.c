/*
 * Double-checked locking without the second check: two threads that see no instance both make one.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_ready;
static int made;

static void make_ready(void)
{
	if (is_ready) /*A*/
		return;
	pthread_mutex_lock(&lock);
	made++;
	assert(made == 1);
	is_ready = 1; /*B*/
	pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
	make_ready();
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("made %d\n", made);
	return 0;
}
/*
 * expect: race A B class spec-violated
 * why: a thread that reads 0 before the other writes 1 makes a second instance, and the assertion fails.
 */
