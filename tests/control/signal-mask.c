/* Masks: a new thread has its creator's, each thread its own; a handler runs with its mask and gives it back. */
#include "check.h"
#include <signal.h>

static int in_handler, inherited, independent;

static int is_blocked(int number)
{
	sigset_t now;
	CHECK(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
	return sigismember(&now, number);
}

static void handler(int number)
{
	in_handler = is_blocked(number) * 100 + is_blocked(SIGTERM) * 10 + is_blocked(SIGALRM);
}

static void *work(void *argument)
{
	sigset_t set;
	inherited = is_blocked(SIGUSR1) && !is_blocked(SIGUSR2);
	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	CHECK(pthread_sigmask(SIG_SETMASK, &set, NULL) == 0);
	independent = is_blocked(SIGHUP) && !is_blocked(SIGUSR1);
	return argument;
}

int main(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	finish(start(work, NULL));
	CHECK(!is_blocked(SIGHUP) && is_blocked(SIGUSR1));
	struct sigaction action = { .sa_handler = handler };
	sigaddset(&action.sa_mask, SIGTERM);
	CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
	raise(SIGUSR2);
	CHECK(!is_blocked(SIGTERM) && !is_blocked(SIGUSR2));
	CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0 && !is_blocked(SIGUSR1));
	/* A thread made with a mask attribute. */
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	CHECK(pthread_attr_setsigmask_np(&attributes, &set) == 0);
	inherited = 0;
	pthread_t thread;
	CHECK(pthread_create(&thread, &attributes, work, NULL) == 0);
	finish(thread);
	printf("in handler %d inherited %d independent %d\n", in_handler, inherited, independent);
	return 0;
}
/*
 * expect: in handler 110 inherited 1 independent 1
 */
