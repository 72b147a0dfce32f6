/* SA_RESTART: a read of a pipe goes on after the handler; without it EINTR; nanosleep and sem_wait by their rules. */
#include "check.h"
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

static int ends[2];
static atomic_int handled;
static sem_t sem;

static void handler(int number)
{
	(void)number;
	handled++;
}

static void set_handler(int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
}

static void *reads(void *argument)
{
	char byte = 0;
	(void)argument;
	ssize_t got = read(ends[0], &byte, 1);
	if (got == -1)
		return (void *)(long)-errno;
	return (void *)(long)byte;
}

static void *sleeps(void *argument)
{
	(void)argument;
	struct timespec hour = { 3600, 0 }, left = { 0, 0 };
	if (nanosleep(&hour, &left) == 0)
		return NULL;
	CHECK(left.tv_sec > 3000 && left.tv_sec <= 3600);
	return (void *)(long)-errno;
}

static void *waits(void *argument)
{
	(void)argument;
	return (void *)(long)(sem_wait(&sem) == 0 ? 0 : -errno);
}

/* Sends signals until the thread has ended, or one, and then what the thread waits for. */
static long disturb(void *(*function)(void *), int until_end)
{
	pthread_t thread = start(function, NULL);
	void *result;
	int before = handled;
	usleep(2000);
	CHECK(pthread_kill(thread, SIGUSR1) == 0);
	while (handled == before)
		usleep(100);
	if (until_end)
		while (pthread_tryjoin_np(thread, &result) == EBUSY) {
			pthread_kill(thread, SIGUSR1);
			usleep(500);
		}
	else {
		CHECK(write(ends[1], "x", 1) == 1 && sem_post(&sem) == 0);
		result = finish(thread);
	}
	return (long)result;
}

int main(void)
{
	CHECK(pipe(ends) == 0 && sem_init(&sem, 0, 0) == 0);
	set_handler(SA_RESTART);
	printf("read, restart: %ld\n", disturb(reads, 0));
	CHECK(sem_wait(&sem) == 0);
	printf("sleep, restart: %ld\n", disturb(sleeps, 1));
	printf("sem_wait, restart: %ld\n", disturb(waits, 0));
	char byte;
	CHECK(read(ends[0], &byte, 1) == 1);
	set_handler(0);
	printf("read: %ld\n", disturb(reads, 1));
	printf("sleep: %ld\n", disturb(sleeps, 1));
	printf("sem_wait: %ld\n", disturb(waits, 1));
	return 0;
}
/*
 * expect: read, restart: 120
 * expect: sleep, restart: -4
 * expect: sem_wait, restart: 0
 * expect: read: -4
 * expect: sleep: -4
 * expect: sem_wait: -4
 */
