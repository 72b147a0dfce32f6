/* setjmp and longjmp in several threads, nested, with events between, and the signal mask kept by the sig forms. */
#include "check.h"
#include <setjmp.h>
#include <signal.h>

static __thread jmp_buf outer, inner;

/* Goes down and jumps back from there; when depth is negative it returns. */
static __attribute__((noinline)) void down(int depth, int value)
{
	if (depth < 0)
		return;
	char room[300];
	memset(room, depth, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	if (depth == 0) {
		sched_yield();
		longjmp(value % 2 ? inner : outer, value + 1);
	}
	down(depth - 1, value);
}

static void *work(void *argument)
{
	volatile long sum = (long)argument;
	volatile int i = 0;
	int value = setjmp(outer);
	sum += value;
	while (i < 10) {
		value = setjmp(inner);
		if (value) {
			sum += value * 100;
			continue;
		}
		i++;
		down(20, i - 1);
	}
	sigset_t set;
	sigjmp_buf with_mask;
	if (sigsetjmp(with_mask, 1) == 0) {
		sigfillset(&set);
		pthread_sigmask(SIG_BLOCK, &set, NULL);
		siglongjmp(with_mask, 1);
	}
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	CHECK(!sigismember(&set, SIGUSR1));
	return (void *)sum;
}

int main(void)
{
	pthread_t threads[4];
	long sum = 0;
	for (long i = 0; i < 4; i++)
		threads[i] = start(work, (void *)i);
	for (int i = 0; i < 4; i++)
		sum += (long)finish(threads[i]);
	printf("sum %ld\n", sum);
	return 0;
}
/*
 * expect: sum 12106
 */
