/* Ends always, after a second: main sleeps while a thread waits, in some schedules by polling. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
static _Atomic int turn, stop, n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *worker(void *a)
{
	if (atomic_exchange(&turn, 1)) { /* main was first: wait properly */
		pthread_mutex_lock(&m);
		while (!atomic_load(&stop))
			pthread_cond_wait(&c, &m);
		pthread_mutex_unlock(&m);
	} else
		while (!atomic_load(&stop))
			atomic_fetch_add(&n, 1); /* else work until told to stop */
	return a;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, worker, 0);
	atomic_exchange(&turn, 1);
	sleep(1);
	pthread_mutex_lock(&m);
	atomic_store(&stop, 1);
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
	puts("done");
	return 0;
}
