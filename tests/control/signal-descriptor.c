/* signalfd: blocked signals are read from a descriptor, in a thread that polls it; where there is none it waits for them. */
#include "check.h"
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>

static int descriptor;

static void *reads(void *argument)
{
	long sum = 0;
	for (int i = 0; i < 3 && descriptor < 0; i++) {
		siginfo_t info;
		CHECK(sigwaitinfo(argument, &info) == SIGRTMIN);
		sum += info.si_value.sival_int;
	}
	for (int i = 0; i < 3 && descriptor >= 0; i++) {
		struct pollfd one = { .fd = descriptor, .events = POLLIN };
		CHECK(poll(&one, 1, -1) == 1);
		struct signalfd_siginfo info;
		CHECK(read(descriptor, &info, sizeof(info)) == sizeof(info));
		CHECK(info.ssi_signo == (unsigned)SIGRTMIN);
		sum += info.ssi_int;
	}
	return (void *)sum;
}

int main(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	descriptor = signalfd(-1, &set, SFD_CLOEXEC);
	CHECK(descriptor >= 0 || errno == ENOSYS);
	pthread_t thread = start(reads, &set);
	for (int i = 1; i <= 3; i++)
		CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = i * 10 }) == 0);
	printf("sum %ld\n", (long)finish(thread));
	return 0;
}
/*
 * expect: sum 60
 */
