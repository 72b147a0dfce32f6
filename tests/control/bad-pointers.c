/* Pointers to nowhere in calls that do not reach the kernel under control: each fails with EFAULT as it does there, and
 * what the call had to change is as the kernel leaves it. The program goes on. */
#include "check.h"
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>

static void *volatile nowhere = (void *)64;

static void say(const char *name, long result)
{
	printf("%s %s\n", name, result == -1 ? strerrorname_np(errno) : "done");
}

/* The first half of what begins there can be read. */
static char *edge(void)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(pages != MAP_FAILED && munmap(pages + 4096, 4096) == 0);
	return pages + 4096;
}

static void *other(void *argument)
{
	return argument;
}

static void signals(void)
{
	struct itimerval interval = { .it_value = { 1000, 0 } };
	unsigned char action[32] = { 0 };
	uint64_t set = 1ul << (SIGUSR1 - 1), now = 0;
	say("sigprocmask", syscall(SYS_rt_sigprocmask, SIG_BLOCK, nowhere, NULL, 8));
	say("sigprocmask old", syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, nowhere, 8));
	CHECK(syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &now, 8) == 0);
	printf("blocked %d\n", (now & set) != 0);
	say("sigaction", syscall(SYS_rt_sigaction, SIGUSR1, nowhere, NULL, 8));
	say("sigaction half", syscall(SYS_rt_sigaction, SIGUSR1, edge() - 16, NULL, 8));
	CHECK(syscall(SYS_rt_sigaction, SIGUSR1, NULL, action, 8) == 0);
	printf("default %d\n", ((void **)action)[0] == NULL);
	say("sigpending", syscall(SYS_rt_sigpending, nowhere, 8));
	say("sigtimedwait", syscall(SYS_rt_sigtimedwait, nowhere, NULL, NULL, 8));
	say("sigqueue", syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, nowhere));
	CHECK(raise(SIGUSR1) == 0);
	say("sigtimedwait info", syscall(SYS_rt_sigtimedwait, &set, nowhere, NULL, 8));
	say("sigtimedwait time", syscall(SYS_rt_sigtimedwait, &set, NULL, nowhere, 8));
	say("sigaltstack", sigaltstack(nowhere, NULL));
	say("setitimer", syscall(SYS_setitimer, ITIMER_REAL, nowhere, NULL));
	say("setitimer old", syscall(SYS_setitimer, ITIMER_REAL, &interval, nowhere));
	CHECK(syscall(SYS_getitimer, ITIMER_REAL, &interval) == 0);
	printf("armed %d\n", interval.it_value.tv_sec > 0);
	alarm(0);
	say("timer_create", syscall(SYS_timer_create, CLOCK_MONOTONIC, nowhere, &now));
	say("timer_create id", syscall(SYS_timer_create, CLOCK_MONOTONIC, NULL, nowhere));
}

static void outside(void)
{
	int ends[2];
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	say("writev", writev(ends[0], nowhere, 2));
	say("write", write(ends[0], nowhere, 10));
	say("sendmsg", sendmsg(ends[0], nowhere, 0));
	say("recvmsg", recvmsg(ends[0], nowhere, MSG_DONTWAIT));
	say("select", syscall(SYS_select, ends[1] + 1, nowhere, NULL, NULL, NULL));
	say("select time", syscall(SYS_select, 0, NULL, NULL, NULL, nowhere));
	say("ppoll mask", syscall(SYS_ppoll, NULL, 0, NULL, nowhere, 8));
	say("poll", poll(nowhere, 1, 0));
	say("open", syscall(SYS_openat, -100, nowhere, 0));
	say("getsockname", syscall(SYS_getsockname, ends[0], ends, nowhere));
}

int main(void)
{
	struct timespec time = { 0, 1 };
	int word = 0;
	say("futex wait", syscall(SYS_futex, nowhere, FUTEX_WAIT, 0, NULL));
	say("futex private", syscall(SYS_futex, nowhere, FUTEX_WAIT_PRIVATE, 0, NULL));
	say("futex time", syscall(SYS_futex, &word, FUTEX_WAIT, 0, nowhere));
	say("futex wake", syscall(SYS_futex, nowhere, FUTEX_WAKE, 1));
	say("futex wake private", syscall(SYS_futex, nowhere, FUTEX_WAKE_PRIVATE, 1));
	say("futex lock", syscall(SYS_futex, nowhere, FUTEX_LOCK_PI, 0, NULL));
	say("clock_gettime", syscall(SYS_clock_gettime, CLOCK_MONOTONIC, nowhere));
	say("nanosleep", syscall(SYS_nanosleep, nowhere, NULL));
	say("nanosleep rest", syscall(SYS_nanosleep, &time, nowhere));
	say("getrandom", getrandom(nowhere, 8, 0));
	say("name", prctl(PR_SET_NAME, nowhere));
	say("clone3", syscall(435, nowhere, 88));
	signals();
	outside();
	CHECK(finish(start(other, &word)) == &word);
	return 0;
}
/*
 * expect: futex wait EFAULT
 * expect: futex private EFAULT
 * expect: futex time EFAULT
 * expect: futex wake EFAULT
 * expect: futex wake private done
 * expect: futex lock EFAULT
 * expect: clock_gettime EFAULT
 * expect: nanosleep EFAULT
 * expect: nanosleep rest done
 * expect: getrandom EFAULT
 * expect: name EFAULT
 * expect: clone3 EFAULT
 * expect: sigprocmask EFAULT
 * expect: sigprocmask old EFAULT
 * expect: blocked 1
 * expect: sigaction EFAULT
 * expect: sigaction half EFAULT
 * expect: default 1
 * expect: sigpending EFAULT
 * expect: sigtimedwait EFAULT
 * expect: sigqueue EFAULT
 * expect: sigtimedwait info EFAULT
 * expect: sigtimedwait time EFAULT
 * expect: sigaltstack EFAULT
 * expect: setitimer EFAULT
 * expect: setitimer old EFAULT
 * expect: armed 1
 * expect: timer_create EFAULT
 * expect: timer_create id EFAULT
 * expect: writev EFAULT
 * expect: write EFAULT
 * expect: sendmsg EFAULT
 * expect: recvmsg EFAULT
 * expect: select EFAULT
 * expect: select time EFAULT
 * expect: ppoll mask EFAULT
 * expect: poll EFAULT
 * expect: open EFAULT
 * expect: getsockname EFAULT
 */
