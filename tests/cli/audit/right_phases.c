/* Phases of a barrier, what is made once, timers that call in threads of their own. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>
#include <time.h>
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t fired;
static int row[3], sums[3], made, ticks, set;
static mtx_t lock;
static void make(void)
{
	made = 7;
}
static void *work(void *x)
{
	long n = (long)x;
	pthread_once(&once, make);
	row[n] = made + n;
	pthread_barrier_wait(&barrier);
	sums[n] = row[0] + row[1] + row[2];
	pthread_barrier_wait(&barrier);
	row[(n + 1) % 3] = sums[n];
	return 0;
}
static int c11(void *x)
{
	mtx_lock(&lock);
	set++;
	mtx_unlock(&lock);
	return x != 0;
}
static void tick(union sigval v)
{
	int *p = v.sival_ptr;
	++*p;
	sem_post(&fired);
}
int main(void)
{
	pthread_t t[3];
	thrd_t u[2];
	timer_t timer;
	struct sigevent event;
	struct itimerspec when = { .it_value = { 0, 1000000 } };
	pthread_barrier_init(&barrier, 0, 3);
	sem_init(&fired, 0, 0);
	mtx_init(&lock, mtx_plain);
	memset(&event, 0, sizeof event);
	event.sigev_notify = SIGEV_THREAD;
	event.sigev_notify_function = tick;
	event.sigev_value.sival_ptr = &ticks;
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &when, 0);
	sem_wait(&fired);
	ticks++;
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, (void *)i);
	for (int i = 0; i < 2; i++)
		thrd_create(&u[i], c11, 0);
	for (int i = 0; i < 2; i++)
		thrd_join(u[i], 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	printf("%d %d %d\n", row[0], ticks, set);
	return 0;
}
