/* A handler on an alternate stack, in several threads with one each, and what sigaltstack says about it. */
#include "check.h"
#include <signal.h>
#include <sys/mman.h>

#define SIZE (64 << 10)
static __thread char *alternate;
static __thread int hits, on_ordinary;

static void handler(int number)
{
	char here;
	stack_t now;
	(void)number;
	CHECK(sigaltstack(NULL, &now) == 0);
	if (&here >= alternate && &here < alternate + SIZE) {
		CHECK(now.ss_flags == SS_ONSTACK);
		char room[20 << 10];
		memset(room, 1, sizeof(room));
		__asm__ volatile("" : : "r"(room) : "memory");
		hits++;
	} else {
		CHECK(!(now.ss_flags & SS_ONSTACK));
		on_ordinary++;
	}
	sched_yield();
}

static void *work(void *argument)
{
	stack_t stack = { .ss_size = SIZE }, old;
	(void)argument;
	alternate = malloc(SIZE);
	CHECK(alternate);
	stack.ss_sp = alternate;
	CHECK(sigaltstack(NULL, &old) == 0 && old.ss_flags == SS_DISABLE);
	CHECK(sigaltstack(&stack, NULL) == 0);
	for (int i = 0; i < 5; i++) {
		raise(SIGUSR1);
		raise(SIGUSR2);
	}
	stack.ss_flags = SS_DISABLE;
	CHECK(sigaltstack(&stack, &old) == 0 && old.ss_sp == alternate);
	raise(SIGUSR1);
	return (void *)(long)(hits * 10 + on_ordinary);
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	action.sa_flags = 0;
	CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < 3; i++)
		printf("%ld\n", (long)finish(threads[i]));
	return 0;
}
/*
 * expect: 56
 * expect: 56
 * expect: 56
 */
