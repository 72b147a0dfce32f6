/* raise, kill of oneself and abort's signal, handled in the thread that raises before the call returns. */
#include "check.h"
#include <signal.h>

static __thread volatile sig_atomic_t seen;
static volatile sig_atomic_t anywhere;

static void handler(int number)
{
	seen += number;
	anywhere++;
}

static void *work(void *argument)
{
	for (int i = 0; i < 5; i++) {
		int before = seen;
		CHECK(raise(SIGUSR2) == 0);
		CHECK(seen == before + SIGUSR2);
	}
	return argument;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGUSR2, &action, NULL) == 0);
	CHECK(raise(SIGUSR1) == 0 && seen == SIGUSR1);
	/* One thread only: POSIX has it delivered before kill returns. */
	CHECK(kill(getpid(), SIGUSR1) == 0 && seen == 2 * SIGUSR1);
	finish(start(work, NULL));
	CHECK(seen == 2 * SIGUSR1);
	printf("handled %d\n", anywhere);
	CHECK(kill(getpid(), 0) == 0);
	CHECK(kill(getpid(), 200) == -1 && errno == EINVAL);
	return 0;
}
/*
 * expect: handled 7
 */
