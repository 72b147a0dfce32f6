/*
 * A reader looks whether the file is open and then uses its buffer under the lock. The buffer goes away only if the
 * cleaner, which waits for the closing thread, gets in between: the order of the race alone does no harm.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t closed;
static volatile int is_open = 1;
static int storage = 5;
static int *buffer = &storage; /* under the lock */

static void *close_file(void *unused)
{
	is_open = 0; /*A*/
	sem_post(&closed);
	return unused;
}

static void *clean_up(void *unused)
{
	sem_wait(&closed);
	pthread_mutex_lock(&lock);
	buffer = NULL;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *read_file(void *argument)
{
	int *value = argument;
	if (!is_open) /*B*/
		return NULL;
	pthread_mutex_lock(&lock);
	*value = *buffer;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t closer, cleaner, reader;
	int value = 5;
	sem_init(&closed, 0, 0);
	pthread_create(&reader, NULL, read_file, &value);
	pthread_create(&closer, NULL, close_file, NULL);
	pthread_create(&cleaner, NULL, clean_up, NULL);
	pthread_join(reader, NULL);
	pthread_join(closer, NULL);
	pthread_join(cleaner, NULL);
	printf("value %d\n", value);
	return 0;
}
/*
 * expect: race A B class spec-violated
 * why: B before A, and the cleaner before the lock: the reader uses a null pointer.
 */
