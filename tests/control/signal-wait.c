/* sigwait, sigwaitinfo and sigtimedwait in a thread of their own, signals blocked everywhere. */
#include "check.h"
#include <signal.h>

static sigset_t set;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int got;

static void *waits(void *argument)
{
	int number;
	siginfo_t info;
	struct timespec soon = { 0, 1000000 }, late = { 1000, 0 };
	for (int i = 0; i < 3; i++) {
		if (i == 0) {
			CHECK(sigwait(&set, &number) == 0);
		} else if (i == 1) {
			number = sigwaitinfo(&set, &info);
			CHECK(info.si_signo == number && info.si_pid == getpid() && info.si_uid == getuid());
		} else {
			CHECK(sigtimedwait(&set, &info, &soon) == -1 && errno == EAGAIN);
			pthread_mutex_lock(&mutex);
			got++;
			pthread_cond_signal(&cond);
			pthread_mutex_unlock(&mutex);
			number = sigtimedwait(&set, &info, &late);
		}
		pthread_mutex_lock(&mutex);
		got++;
		printf("got %s\n", sigabbrev_np(number));
		pthread_cond_signal(&cond);
		pthread_mutex_unlock(&mutex);
	}
	return argument;
}

static void wait_for(int count)
{
	pthread_mutex_lock(&mutex);
	while (got < count)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
}

int main(void)
{
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	pthread_t thread = start(waits, NULL);
	CHECK(kill(getpid(), SIGUSR1) == 0);
	wait_for(1);
	CHECK(kill(getpid(), SIGTERM) == 0);
	wait_for(3);
	CHECK(pthread_kill(thread, SIGUSR1) == 0);
	finish(thread);
	return 0;
}
/*
 * expect: got USR1
 * expect: got TERM
 * expect: got USR1
 */
