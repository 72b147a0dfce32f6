/* Many threads, one after the other: places of those that have ended are used again, ids go on, and a thread that lives on
 * all the while keeps its own. tests/long/threads.t runs it with more threads than there is room for at a time. */
#include "check.h"
#include <sys/syscall.h>

static int count;
static long last_tid;
static volatile long kept_tid;

static void *one(void *argument)
{
	long tid = syscall(SYS_gettid);
	(void)argument;
	CHECK(tid != last_tid);
	last_tid = tid;
	count++;
	return NULL;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *stays(void *argument)
{
	(void)argument;
	kept_tid = syscall(SYS_gettid);
	pthread_mutex_lock(&mutex);
	CHECK(syscall(SYS_gettid) == kept_tid);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 3000;
	pthread_mutex_lock(&mutex);
	pthread_t kept = start(stays, NULL);
	while (!kept_tid)
		sched_yield();
	for (int i = 0; i < threads; i++)
		finish(start(one, NULL));
	CHECK(last_tid != kept_tid);
	pthread_mutex_unlock(&mutex);
	finish(kept);
	printf("%d threads\n", count);
	return 0;
}
/*
 * expect: 3000 threads
 */
