/* threads.c: which threads are there at the same time. */
#include "pair.h"

/* Written before the thread is there, and after it has been waited for. */
int before_after;
THREAD(before_after_1)
{
	before_after += 2; // @INSIDE
	return NULL;
}
static void before_and_after(void)
{
	pthread_t id;
	before_after = 1; // @BEFORE
	pthread_create(&id, NULL, before_after_1, NULL);
	pthread_join(id, NULL);
	before_after = 3; // @AFTER
}

/* In between. */
int between;
THREAD(between_1)
{
	between += 2; // @BETWEEN1
	return NULL;
}
static void in_between(void)
{
	pthread_t id;
	pthread_create(&id, NULL, between_1, NULL);
	between = 1; // @BETWEEN2
	pthread_join(id, NULL);
}

/* Many threads of one routine. */
int pool;
THREAD(pool_1)
{
	pool++; // @POOL
	return NULL;
}
static void in_pool(void)
{
	pthread_t ids[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&ids[i], NULL, pool_1, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
	pool += 10; // @POOLAFTER
}

/* One after the other. */
int chain;
THREAD(chain_1)
{
	chain = 1; // @CHAIN1
	return NULL;
}
THREAD(chain_2)
{
	chain = 2; // @CHAIN2
	return NULL;
}
static void in_chain(void)
{
	pthread_t id;
	pthread_create(&id, NULL, chain_1, NULL);
	pthread_join(id, NULL);
	pthread_create(&id, NULL, chain_2, NULL);
	pthread_join(id, NULL);
}

/* Nobody waits for a detached thread. */
int detached;
THREAD(detached_1)
{
	detached = 1; // @DETACHED1
	return NULL;
}
static void detach(void)
{
	pthread_t id;
	pthread_create(&id, NULL, detached_1, NULL);
	pthread_detach(id);
	detached = 2; // @DETACHED2
}

/* A thread that starts a thread. */
int nested;
THREAD(nested_inner)
{
	nested = 1; // @NESTED1
	return NULL;
}
THREAD(nested_outer)
{
	pthread_t id;
	pthread_create(&id, NULL, nested_inner, NULL);
	pthread_detach(id);
	return NULL;
}
static void nest(void)
{
	pthread_t id;
	pthread_create(&id, NULL, nested_outer, NULL);
	pthread_join(id, NULL);
	nested = 2; // @NESTED2
}

/* Only the first of two has been waited for. */
int first_only;
THREAD(first_only_1)
{
	first_only = 1; // @FIRST1
	return NULL;
}
THREAD(first_only_2)
{
	first_only = 2; // @FIRST2
	return NULL;
}
static void join_first(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, first_only_1, NULL);
	pthread_create(&b, NULL, first_only_2, NULL);
	pthread_join(a, NULL);
	first_only = 3; // @FIRST3
	pthread_join(b, NULL);
	first_only = 4; // @FIRST4
}

/* A function that starts threads for others. */
int started;
static __attribute__((noinline)) pthread_t start(void *(*routine)(void *))
{
	pthread_t id;
	pthread_create(&id, NULL, routine, NULL);
	return id;
}
THREAD(started_1)
{
	started = 1; // @STARTED1
	return NULL;
}
THREAD(started_2)
{
	started = 2; // @STARTED2
	return NULL;
}
static void start_two(void)
{
	pthread_t a = start(started_1), b = start(started_2);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

/* What a thread returns, and what it was given. */
struct task {
	int input, output;
};
THREAD(task_1)
{
	struct task *task = argument;
	task->output = task->input + 1; // @TASK
	return task;
}
static int run_task(void)
{
	struct task task = { .input = 1 }; // @TASKBEFORE
	pthread_t id;
	void *result;
	pthread_create(&id, NULL, task_1, &task);
	pthread_join(id, &result);
	return ((struct task *)result)->output; // @TASKAFTER
}

/* One function starts them, another one waits. */
enum { SERVERS = 4 };
int served;
pthread_t servers[SERVERS];
THREAD(served_1)
{
	served++; // @SERVED
	return NULL;
}
__attribute__((noinline)) static void start_servers(void)
{
	for (int i = 0; i < SERVERS; i++)
		pthread_create(&servers[i], NULL, served_1, NULL);
}
__attribute__((noinline)) static void stop_servers(void)
{
	for (int i = 0; i < SERVERS; i++)
		pthread_join(servers[i], NULL);
}
static void serve(void)
{
	start_servers();
	served++; // @SERVEDMEANWHILE
	stop_servers();
	served = 0; // @SERVEDAFTER
}

/* The last one is left out. */
int forgotten;
pthread_t forgetful[SERVERS];
THREAD(forgotten_1)
{
	forgotten++; // @FORGOTTEN
	return NULL;
}
__attribute__((noinline)) static void start_forgetful(void)
{
	for (int i = 0; i < SERVERS; i++)
		pthread_create(&forgetful[i], NULL, forgotten_1, NULL);
}
__attribute__((noinline)) static void stop_forgetful(void)
{
	for (int i = 0; i < SERVERS - 1; i++)
		pthread_join(forgetful[i], NULL);
}
static void forget(void)
{
	start_forgetful();
	stop_forgetful();
	forgotten = 0; // @FORGOTTENAFTER
}

/* Another thread starts them; to wait for one that is not started yet is undefined. */
int late;
pthread_t latecomers[SERVERS];
THREAD(late_1)
{
	late++; // @LATE
	return NULL;
}
THREAD(start_late)
{
	for (int i = 0; i < SERVERS; i++)
		pthread_create(&latecomers[i], NULL, late_1, NULL);
	return NULL;
}
static void come_late(void)
{
	pthread_t id;
	pthread_create(&id, NULL, start_late, NULL);
	for (int i = 0; i < SERVERS; i++)
		pthread_join(latecomers[i], NULL);
	late = 0; // @LATEAFTER
	pthread_join(id, NULL);
}

int main(void)
{
	before_and_after();
	in_between();
	in_pool();
	in_chain();
	detach();
	nest();
	join_first();
	start_two();
	serve();
	forget();
	come_late();
	return run_task() == 2 ? 0 : 1;
}
/*
 * race: BETWEEN1-BETWEEN2
 * race: POOL-POOL
 * race: DETACHED1-DETACHED2
 * race: NESTED1-NESTED2
 * race: FIRST1-FIRST2
 * race: FIRST2-FIRST3
 * race: STARTED1-STARTED2
 * no: BEFORE-INSIDE: ordered
 * no: INSIDE-AFTER: ordered
 * no: POOL-POOLAFTER: ordered
 * no: CHAIN1-CHAIN2: ordered
 * no: FIRST1-FIRST3: ordered
 * no: FIRST2-FIRST4: ordered
 * no: TASK-TASKAFTER: ordered
 * race: SERVED-SERVED
 * race: SERVED-SERVEDMEANWHILE
 * no: SERVED-SERVEDAFTER: ordered
 * race: FORGOTTEN-FORGOTTEN
 * race: FORGOTTEN-FORGOTTENAFTER
 * race: LATE-LATE
 * may: LATE-LATEAFTER
 */
