/*
 * MySQL bug 48930: an early value written late.
 *
 * Table 1 of Anticipating Invariants has this under W-W order: two writes, and the one that was meant to be last is
 * not. The table tells no more, so the code is ours: the thread of a replication slave reports that it runs and where
 * it is; whoever starts it clears the status afterwards instead of before, and a slave that runs is shown as stopped
 * and is started a second time.
 */
#include <pthread.h>
#include <stdio.h>

enum { STOPPED, RUNNING };

struct slave {
	pthread_mutex_t lock; /* guards running */
	int running;
	int starts;
	pthread_t threads[2];
};

static struct slave slave = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *handle_slave(void *argument)
{
	(void)argument;
	pthread_mutex_lock(&slave.lock);
	slave.running = RUNNING;
	pthread_mutex_unlock(&slave.lock);
	return NULL;
}

static void clear_status(void)
{
	pthread_mutex_lock(&slave.lock);
	slave.running = STOPPED;
	pthread_mutex_unlock(&slave.lock);
}

static void start_slave(void)
{
#ifdef FIXED
	clear_status();
#endif
	pthread_create(&slave.threads[slave.starts++], NULL, handle_slave, NULL);
#ifndef FIXED
	clear_status();
#endif
}

int main(void)
{
	start_slave();
	pthread_join(slave.threads[0], NULL);
	if (slave.running == STOPPED) {
		start_slave();
		pthread_join(slave.threads[1], NULL);
	}
	printf("started %d times\n", slave.starts);
	return slave.starts != 1;
}
/*
 * pattern: order
 * finds: bad-exit output-differs
 * source: Anticipating Invariants table 1, W-W order; MySQL 48930 (code ours)
 */
