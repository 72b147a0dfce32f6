/* Calls that cannot be controlled but that there are kernels without: they fail as there, and the program does without. */
#include "check.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define FAILS(error, ...) CHECK(syscall(__VA_ARGS__) == -1 && errno == (error))

static int pipes[2];

static void *writes(void *argument)
{
	CHECK(write(pipes[1], "x", 1) == 1);
	return argument;
}

int main(void)
{
	char room[512] = { 0 };
	/* As libuv, nginx and liburing look for them. */
	FAILS(ENOSYS, SYS_io_uring_setup, 64, room);
	FAILS(ENOSYS, SYS_io_uring_register, 0, 0, 0, 0);
	FAILS(ENOSYS, SYS_io_uring_enter, 0, 0, 0, 0, 0, 0);
	FAILS(ENOSYS, SYS_io_setup, 32, room);
	FAILS(ENOSYS, SYS_io_getevents, 0, 0, 0, 0, 0);
	FAILS(ENOSYS, SYS_futex_waitv, room, 1, 0, 0, 0);
	FAILS(ENOSYS, SYS_userfaultfd, 0);
	FAILS(ENOSYS, SYS_perf_event_open, room, 0, -1, -1, 0);
	FAILS(ENOSYS, SYS_bpf, 0, room, 64);
	FAILS(ENOSYS, SYS_signalfd4, -1, room, 8, 0);
	FAILS(ENOSYS, SYS_rseq, room, 32, 0, 0);
	FAILS(ENOSYS, SYS_process_vm_writev, getpid(), 0, 0, 0, 0, 0);
	FAILS(ENOSYS, 400);
	FAILS(ENOSYS, 100000);
	FAILS(EINVAL, SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, room);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, room) == -1 && errno == EINVAL);
	CHECK(prctl(12345, 0, 0, 0, 0) == -1 && errno == EINVAL);
	CHECK(fcntl(0, 77) == -1 && errno == EINVAL);
	CHECK(ioctl(0, 0x2285 /* SG_IO */, room) == -1 && errno == ENOTTY);
	/* What it does instead. */
	CHECK(pipe(pipes) == 0);
	pthread_t thread = start(writes, NULL);
	CHECK(read(pipes[0], room, 1) == 1);
	finish(thread);
	puts("done without");
	return 0;
}
/*
 * expect: done without
 * skip: native
 */
