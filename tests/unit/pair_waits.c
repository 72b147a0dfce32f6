/* pair_waits.c: accesses that never come together, because of a lock, of a loop that waits, or of a sleep. Each holds a thread back that
 * others wait for. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile long guarded, handed, slept, part[2];
static atomic_int is_ready;

static void *first(void *unused)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&mutex);
		guarded++;
		pthread_mutex_unlock(&mutex);
		part[0]++;
	}
	handed = 1;
	atomic_store(&is_ready, 1);
	slept = 1;
	return unused;
}

static void *second(void *unused)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&mutex);
		guarded--;
		pthread_mutex_unlock(&mutex);
		part[1]++;
	}
	while (!atomic_load(&is_ready))
		sched_yield();
	handed = 2;
	usleep(1000);
	slept = 2;
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%ld %ld\n", guarded, handed);
	return guarded != 0 || handed != 2;
}
