/* Dining philosophers who take the lower fork first: never a deadlock, whatever the schedule. */
#include "check.h"

#define COUNT 5
static pthread_mutex_t forks[COUNT];
static int meals[COUNT];

static void *dine(void *argument)
{
	int seat = (int)(long)argument, left = seat, right = (seat + 1) % COUNT;
	int low = left < right ? left : right, high = left < right ? right : left;
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&forks[low]);
		pthread_mutex_lock(&forks[high]);
		meals[seat]++;
		pthread_mutex_unlock(&forks[high]);
		pthread_mutex_unlock(&forks[low]);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[COUNT];
	int sum = 0;
	for (int i = 0; i < COUNT; i++)
		pthread_mutex_init(&forks[i], NULL);
	for (long i = 0; i < COUNT; i++)
		threads[i] = start(dine, (void *)i);
	for (int i = 0; i < COUNT; i++) {
		finish(threads[i]);
		sum += meals[i];
	}
	printf("meals %d\n", sum);
	return 0;
}
/*
 * expect: meals 100
 */
