#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct queue { int count; pthread_mutex_t lock; } queue = { .lock = PTHREAD_MUTEX_INITIALIZER };
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	queue.count++;
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}
static void *work(void *argument)
{
	both(&queue.lock, &other);
	return argument;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	both(&other, &queue.lock);
	pthread_join(thread, NULL);
	printf("%d %s\n", queue.count, getenv("COLOUR"));
	return argc > 1 ? atoi(argv[1]) : 0;
}
/* locks.c: two threads that take two locks in opposite order. Prints a count and the variable COLOUR; its argument is the exit status. */
