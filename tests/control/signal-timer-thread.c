/* timer_create with SIGEV_THREAD: libc's helper thread calls the function in new threads. */
#include "check.h"
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

static sem_t ticked;
static atomic_int in_main, sum;
static pthread_t main_thread;

static void tick(union sigval value)
{
	sum += value.sival_int;
	in_main += pthread_equal(pthread_self(), main_thread) != 0;
	sem_post(&ticked);
}

int main(void)
{
	sem_init(&ticked, 0, 0);
	main_thread = pthread_self();
	struct sigevent event = { .sigev_notify = SIGEV_THREAD,
				  .sigev_notify_function = tick,
				  .sigev_value.sival_int = 5 };
	timer_t once[3];
	for (int i = 0; i < 3; i++) {
		struct itimerspec at = { .it_value = { 0, 1000000 * (i + 1) } };
		CHECK(timer_create(CLOCK_REALTIME, &event, &once[i]) == 0);
		CHECK(timer_settime(once[i], 0, &at, NULL) == 0);
	}
	for (int i = 0; i < 3; i++)
		while (sem_wait(&ticked) != 0)
			;
	for (int i = 0; i < 3; i++)
		CHECK(timer_delete(once[i]) == 0);
	printf("sum %d in main %d\n", sum, in_main);
	return 0;
}
/*
 * expect: sum 15 in main 0
 * flags: -lrt
 */
