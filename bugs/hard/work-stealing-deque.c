/*
 * A deque of tasks: its owner puts and takes at the bottom, others steal at the top (Arora, Blumofe, Plaxton, SPAA 1998; Chase and Lev, SPAA 2005).
 * For the last task the owner and a thief compete, so both must move the top with a comparison. Here the owner looks whether the top has moved and then
 * stores it: if a thief's comparison succeeds in between, both have the task. All accesses are atomic.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { TASKS = 4, THIEVES = 2, TRIES = 3, NONE = -1 };

static atomic_int tasks[TASKS];
static atomic_int top, bottom;
static atomic_int taken[TASKS];

static void put(int task)
{
	int at = bottom;
	tasks[at % TASKS] = task;
	bottom = at + 1;
}

static int take(void)
{
	int at = bottom - 1;
	bottom = at;
	int first = top;
	if (at < first) {
		bottom = first;
		return NONE;
	}
	int task = tasks[at % TASKS];
	if (at > first)
		return task;
#ifdef FIXED
	int expected = first;
	if (!atomic_compare_exchange_strong(&top, &expected, first + 1))
		task = NONE;
#else
	if (top != first)
		task = NONE;
	else
		top = first + 1;
#endif
	bottom = first + 1;
	return task;
}

static int steal(void)
{
	int first = top;
	if (first >= bottom)
		return NONE;
	int task = tasks[first % TASKS];
	return atomic_compare_exchange_strong(&top, &first, first + 1) ? task : NONE;
}

static void run(int task)
{
	if (task == NONE)
		return;
	int before = atomic_fetch_add(&taken[task], 1);
	assert(before == 0);
}

static void *thieve(void *argument)
{
	for (int i = 0; i < TRIES; i++)
		run(steal());
	return argument;
}

int main(void)
{
	pthread_t threads[THIEVES];
	for (int i = 0; i < THIEVES; i++)
		pthread_create(&threads[i], NULL, thieve, NULL);
	for (int i = 0; i < TASKS; i += 2) {
		put(i);
		put(i + 1);
		run(take());
		run(take());
	}
	for (int i = 0; i < THIEVES; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
/*
 * pattern: atomicity
 * finds: assertion
 */
