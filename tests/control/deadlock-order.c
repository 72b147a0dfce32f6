/* Two mutexes locked in opposite order: it depends on the schedule whether this ends. */
#include "check.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *forth(void *argument)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	count++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return argument;
}

static void *back(void *argument)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	count++;
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return argument;
}

int main(void)
{
	pthread_t first = start(forth, NULL), second = start(back, NULL);
	finish(first);
	finish(second);
	CHECK(count == 2);
	return 0;
}
/*
 * ends: exit 0 or deadlock
 * seen: exit 0
 * seen: deadlock
 * report: ^heddle: the cycle: thread 2 waits for mutex b .*deadlock-order\.c:10\), held by thread 3; thread 3 waits for mutex a 
 * report: ^heddle:   thread 2 .*waits for mutex b, held by thread 3$
 * report: ^heddle:     at back \(.*deadlock-order\.c:20\)
 */
