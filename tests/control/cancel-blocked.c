/* Cancellation in the calls that block: read of a pipe, nanosleep, cond_wait, sem_wait, join, pause, poll, accept. */
#include "check.h"
#include <poll.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { READ, SLEEP, COND, SEM, JOIN, PAUSE, POLL, ACCEPT, COUNT };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t never, started;
static int pipe_ends[2], cleaned[COUNT], listener;
static pthread_t sleeper;

static void cleanup(void *argument)
{
	*(int *)argument = 1;
}

static void cleanup_mutex(void *argument)
{
	CHECK(pthread_mutex_unlock(argument) == 0);
}

static void wait_for_cond(void)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(cleanup_mutex, &mutex);
	for (;;)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(1);
}

static void *sleeps(void *argument)
{
	for (;;)
		pause();
	return argument;
}

static void *work(void *argument)
{
	long what = (long)argument;
	pthread_cleanup_push(cleanup, &cleaned[what]);
	sem_post(&started);
	char byte;
	struct pollfd poll_one = { .fd = pipe_ends[0], .events = POLLIN };
	struct timespec hour = { 3600, 0 };
	switch (what) {
	case READ:
		CHECK(read(pipe_ends[0], &byte, 1) == -2);
		break;
	case SLEEP:
		nanosleep(&hour, NULL);
		break;
	case COND:
		wait_for_cond();
		break;
	case SEM:
		sem_wait(&never);
		break;
	case JOIN:
		pthread_join(sleeper, NULL);
		break;
	case PAUSE:
		pause();
		break;
	case POLL:
		poll(&poll_one, 1, -1);
		break;
	case ACCEPT:
		accept(listener, NULL, NULL);
		break;
	}
	CHECK(!"the call came back");
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	sem_init(&never, 0, 0);
	sem_init(&started, 0, 0);
	CHECK(pipe(pipe_ends) == 0);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	CHECK(bind(listener, (struct sockaddr *)&address, sizeof(sa_family_t)) == 0 && listen(listener, 5) == 0);
	sleeper = start(sleeps, NULL);
	pthread_t threads[COUNT];
	for (long i = 0; i < COUNT; i++)
		threads[i] = start(work, (void *)i);
	for (int i = 0; i < COUNT; i++)
		sem_wait(&started);
	usleep(1000);
	for (int i = 0; i < COUNT; i++)
		CHECK(pthread_cancel(threads[i]) == 0);
	for (int i = 0; i < COUNT; i++)
		CHECK(finish(threads[i]) == PTHREAD_CANCELED);
	/* The join was cancelled, so the thread can still be joined; the mutex was given back by the handler. */
	CHECK(pthread_cancel(sleeper) == 0 && finish(sleeper) == PTHREAD_CANCELED);
	CHECK(pthread_mutex_trylock(&mutex) == 0);
	for (int i = 0; i < COUNT; i++)
		printf("%d", cleaned[i]);
	printf("\n");
	return 0;
}
/*
 * expect: 11111111
 */
