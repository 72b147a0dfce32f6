/* operations_program.c: locks that succeed, fail, find their owner dead, are interrupted and are cancelled, for
 * tests/unit/operations.t. Prints what the functions returned, and the addresses of what it locks. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>

static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, robust;
static sem_t semaphore;

static void on_alarm(int number)
{
	(void)number;
}

static void note(void *argument)
{
	(void)argument;
	puts("cancelled");
}

static void *leave_locked(void *argument)
{
	pthread_mutex_lock(&robust);
	return argument;
}

static void *wait_forever(void *argument)
{
	pthread_cleanup_push(note, NULL);
	sem_wait(&semaphore);
	pthread_cleanup_pop(0);
	return argument;
}

static void run(void *(*start)(void *), int is_cancelled)
{
	pthread_t thread;
	void *result = NULL;
	pthread_create(&thread, NULL, start, NULL);
	if (is_cancelled)
		pthread_cancel(thread);
	pthread_join(thread, &result);
	printf("thread %d\n", result == PTHREAD_CANCELED);
}

static void interrupted(void)
{
	struct itimerval soon = { .it_interval = { 0, 10000 }, .it_value = { 0, 10000 } }, never = { 0 };
	struct sigaction action = { .sa_handler = on_alarm };
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	errno = 0;
	int result = sem_wait(&semaphore), code = errno;
	setitimer(ITIMER_REAL, &never, NULL);
	printf("interrupted %d %d\n", result, code == EINTR);
}

int main(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attributes);
	sem_init(&semaphore, 0, 1);
	printf("%lu checking\n%lu robust\n%lu semaphore\n", (uintptr_t)&checking, (uintptr_t)&robust, (uintptr_t)&semaphore);
	printf("free %d\n", pthread_mutex_lock(&checking));
	printf("again %d\n", pthread_mutex_lock(&checking));
	run(leave_locked, 0);
	printf("dead %d\n", pthread_mutex_lock(&robust));
	printf("posted %d\n", sem_wait(&semaphore));
	interrupted();
	run(wait_forever, 1);
	return 0;
}
