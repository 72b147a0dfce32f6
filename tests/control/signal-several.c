/* Signals that one call lets through are all delivered before it returns: each handler begins before the first
 * instruction of the one before it, so the last runs first, and its context leads into the other one. */
#include "check.h"
#include <signal.h>

static volatile int order[4], count;

static void handler(int number)
{
	order[count++] = number;
}

int main(void)
{
	const int numbers[] = { SIGUSR1, SIGUSR2, SIGRTMIN + 1 };
	struct sigaction action = { .sa_handler = handler };
	sigset_t set;
	sigemptyset(&set);
	for (int i = 0; i < 3; i++) {
		CHECK(sigaction(numbers[i], &action, NULL) == 0);
		sigaddset(&set, numbers[i]);
	}
	CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
	for (int i = 0; i < 3; i++)
		CHECK(raise(numbers[i]) == 0);
	CHECK(count == 0);
	CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0);
	printf("count %d:", count);
	for (int i = 0; i < 3; i++)
		printf(" %d", order[i] == numbers[0] ? 1 : order[i] == numbers[1] ? 2 : 3);
	printf("\n");
	return 0;
}
/*
 * expect: count 3: 3 2 1
 */
