/* retry.c: calls that wait for what cannot be polled: locks, children, queues. They are made without waiting, again and
 * again. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "rt/sys.h"
#include "world/kernel/clock.h"
#include "world/kernel/descriptor.h"
#include "world/kernel/outside.h"
#include "world/signals/signal.h"

static bool would_block(long number, const uint64_t a[6], long result)
{
	switch (number) {
	case SYS_wait4:
		return result == 0 && !(a[2] & WNOHANG);
	case SYS_waitid:
		return result == 0 && !(a[3] & WNOHANG) && ((siginfo_t *)a[2])->si_pid == 0;
	case SYS_flock:
		return result == -EWOULDBLOCK && !(a[1] & LOCK_NB);
	case SYS_fcntl:
		return (result == -EAGAIN || result == -EACCES) && (a[1] == F_SETLKW || a[1] == F_OFD_SETLKW);
	case SYS_msgsnd:
		return result == -EAGAIN && !(a[3] & IPC_NOWAIT);
	case SYS_msgrcv:
		return result == -ENOMSG && !(a[4] & IPC_NOWAIT);
	default:
		return false;
	}
}

#define SEMAPHORES_MAX 500u /* SEMOPM */

static long try_semaphores(const uint64_t a[6], bool *would)
{
	struct sembuf copy[SEMAPHORES_MAX];
	const struct sembuf *given = (const struct sembuf *)a[1];
	bool is_nowait = false;
	if (a[2] > SEMAPHORES_MAX)
		return -E2BIG;
	for (size_t i = 0; i < a[2]; i++) {
		copy[i] = given[i];
		is_nowait |= copy[i].sem_flg & IPC_NOWAIT;
		copy[i].sem_flg |= IPC_NOWAIT;
	}
	long result = sys_call(SYS_semop, (long)a[0], (long)copy, (long)a[2], 0, 0, 0);
	*would = result == -EAGAIN && !is_nowait;
	return result;
}

static bool is_fifo_open(long number, const uint64_t a[6], uint64_t *flags)
{
	if (number != SYS_open && number != SYS_openat)
		return false;
	uint64_t at = number == SYS_open ? (uint64_t)AT_FDCWD : a[0], path = number == SYS_open ? a[0] : a[1];
	*flags = number == SYS_open ? a[1] : a[2];
	struct stat status;
	return !(*flags & (O_NONBLOCK | O_CREAT | O_PATH)) &&
	       sys_call(SYS_newfstatat, (int)at, (long)path, (long)&status, 0, 0, 0) == 0 && S_ISFIFO(status.st_mode);
}

static long try_once(long number, const uint64_t a[6], bool *would)
{
	uint64_t b[6], flags = 0;
	memcpy(b, a, sizeof b);
	if (number == SYS_semop || number == SYS_semtimedop)
		return try_semaphores(a, would);
	if (number == SYS_mq_timedsend || number == SYS_mq_timedreceive) {
		long sent = outside_raw_without_waiting(number, a, (int)a[0]);
		*would = sent == -EAGAIN && descriptor_is_blocking((int)a[0]);
		return sent;
	}
	if (number == SYS_wait4)
		b[2] |= WNOHANG;
	else if (number == SYS_waitid)
		b[3] |= WNOHANG;
	else if (number == SYS_flock)
		b[1] |= LOCK_NB;
	else if (number == SYS_fcntl && b[1] == F_SETLKW)
		b[1] = F_SETLK;
	else if (number == SYS_fcntl && b[1] == F_OFD_SETLKW)
		b[1] = F_OFD_SETLK;
	else if (number == SYS_msgsnd)
		b[3] |= IPC_NOWAIT;
	else if (number == SYS_msgrcv)
		b[4] |= IPC_NOWAIT;
	bool is_fifo = is_fifo_open(number, a, &flags);
	if (is_fifo)
		b[number == SYS_open ? 1 : 2] |= O_NONBLOCK;
	siginfo_t ignored;
	if (number == SYS_waitid && !b[2])
		b[2] = (uint64_t)&ignored;
	long result = outside_raw(number, b);
	*would = would_block(number, b[2] == (uint64_t)&ignored ? b : a, result) ||
		 (number == SYS_waitid && b[2] == (uint64_t)&ignored && result == 0 && ignored.si_pid == 0 &&
		  !(a[3] & WNOHANG));
	*would |= is_fifo && result == -ENXIO; /* it has no reader yet */
	if (is_fifo && result >= 0)
		sys_call(SYS_fcntl, result, F_SETFL, (long)(flags & ~(uint64_t)O_NONBLOCK), 0, 0, 0);
	return result;
}

uint64_t outside_retry_deadline(long number, const uint64_t a[6])
{
	if (number == SYS_semtimedop && a[3])
		return clock_after((const struct timespec *)a[3]);
	if ((number == SYS_mq_timedsend || number == SYS_mq_timedreceive) && a[4])
		return clock_deadline(CLOCK_REALTIME, (const struct timespec *)a[4]);
	return NO_DEADLINE;
}

long outside_retry_call(long number, const uint64_t a[6])
{
	if (number == SYS_connect)
		return outside_connect(a);
	if (number == SYS_semtimedop && a[3] && !clock_is_valid((const struct timespec *)a[3]))
		return -EINVAL;
	uint64_t deadline = outside_retry_deadline(number, a);
	for (;;) {
		bool would = false;
		long result = try_once(number, a, &would);
		if (!would)
			return result;
		enum wake wake = outside_wait_retry(deadline);
		if (wake != WAKE_DONE)
			return wake == WAKE_SIGNAL ? -RESTART : number == SYS_semtimedop ? -EAGAIN : -ETIMEDOUT;
	}
}
