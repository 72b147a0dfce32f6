/*
 * calls.c: system calls that order threads. A write to a pipe, a socket or an event counter is ordered before the read
 * from it, and before a thread that learns that it is readable; sending a signal, and setting a handler, is ordered
 * before what the handler does; waking a futex is ordered before the thread that waited, where the call is not libc's
 * own. Both ends of a pipe or of a socket pair are one object. All other sockets are one object, since the peers are
 * not known here; so are file locks, and the semaphores and queues that processes share. File contents order nothing.
 * Closing a descriptor is ordered before the thread that gets its number next: servers index their connections by
 * descriptor.
 *
 * What is known about a descriptor follows only from the calls and their results, so a replay knows the same.
 */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "detect/detect.h"
#include "detect/order.h"
#include "detect/track.h"

#define KNOWN 4096u
#define OBJECTS 0xd000000000000000ul /* no address */

enum { NOTHING, SOCKETS, SIGNALS, LOCKS, CHILDREN, NUMBERS, FIRST_OWN = NUMBERS + KNOWN };

static uint32_t objects[KNOWN]; /* by descriptor */
static uint16_t pollers[KNOWN]; /* by descriptor: that of the epoll that it was added to last, plus 1 */
static uint32_t pollers_end;    /* behind the last one that was added to any */
static uint32_t next_object = FIRST_OWN;
static bool has_fifos; /* some were made: an opened file may be one */

static const volatile void *object_of(uint32_t object)
{
	return (const volatile void *)(OBJECTS + 8ul * object);
}

/* Descriptors beyond are treated as sockets. */
static uint32_t of_descriptor(uint64_t fd)
{
	return (uint32_t)fd < KNOWN ? objects[(uint32_t)fd] : SOCKETS;
}

static void set(long fd, uint32_t object)
{
	if (fd >= 0 && (unsigned long)fd < KNOWN) {
		objects[fd] = object;
		pollers[fd] = 0;
		order_acquire(object_of(NUMBERS + (uint32_t)fd));
	}
}

static void release(uint64_t fd)
{
	uint32_t object = of_descriptor(fd);
	if (object)
		order_release_more(object_of(object));
}

static void acquire(uint64_t fd)
{
	uint32_t object = of_descriptor(fd);
	if (object)
		order_acquire(object_of(object));
}

static void release_number(uint64_t fd)
{
	if ((uint32_t)fd < KNOWN)
		order_release_more(object_of(NUMBERS + (uint32_t)fd));
}

void detect_signal_handled(void)
{
	order_acquire(object_of(SIGNALS));
}

static bool is_file_lock(uint64_t command)
{
	return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

#define BIT(operation) (1u << (operation))

/* FUTEX_WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, UNLOCK_PI, WAKE_BITSET */
#define FUTEX_WAKES (BIT(1) | BIT(3) | BIT(4) | BIT(5) | BIT(7) | BIT(10))
/* FUTEX_WAIT, LOCK_PI, WAIT_BITSET, WAIT_REQUEUE_PI */
#define FUTEX_WAITS (BIT(0) | BIT(6) | BIT(9) | BIT(11))

static void futex_made(const uint64_t arguments[6])
{
	const volatile void *address = (const volatile void *)arguments[0];
	unsigned operation = arguments[1] & 31;
	if (!(BIT(operation) & FUTEX_WAKES))
		return;
	order_release_more(address);
	if (operation == 5 /* FUTEX_WAKE_OP */)
		order_release_more((const volatile void *)arguments[4]);
}

void detect_call_made(long number, const uint64_t arguments[6], bool is_futex_own)
{
	if (number != SYS_futex || is_futex_own) /* else it may be about to give the mutex back, in a wait */
		track_settle(track_now);
	switch (number) {
	case SYS_write:
	case SYS_writev:
	case SYS_pwritev2:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_sendfile:
	case SYS_shutdown:
	case SYS_vmsplice:
	case SYS_connect:
	case SYS_timerfd_settime:
	case SYS_epoll_ctl:
		release(arguments[0]);
		break;
	case SYS_close: /* ends locks, too */
		release(arguments[0]);
		order_release_more(object_of(LOCKS));
		break;
	case SYS_dup2:
	case SYS_dup3:
		release(arguments[1]);
		break;
	case SYS_splice:
	case SYS_tee:
		release(number == SYS_tee ? arguments[1] : arguments[2]);
		break;
	case SYS_flock:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_semctl:
	case SYS_msgsnd:
	case SYS_mq_timedsend:
		order_release_more(object_of(LOCKS));
		break;
	case SYS_fcntl:
		if (is_file_lock(arguments[1]))
			order_release_more(object_of(LOCKS));
		break;
	case SYS_kill:
	case SYS_tkill:
	case SYS_tgkill:
	case SYS_rt_sigqueueinfo:
	case SYS_rt_tgsigqueueinfo:
	case SYS_alarm:
	case SYS_setitimer:
	case SYS_timer_settime:
		order_release_more(object_of(SIGNALS));
		break;
	case SYS_rt_sigaction:
		if (arguments[1])
			order_release_more(object_of(SIGNALS));
		break;
	case SYS_fork:
	case SYS_vfork:
		order_release_more(object_of(CHILDREN));
		break;
	case SYS_clone:
		if (!(arguments[0] & CLONE_THREAD))
			order_release_more(object_of(CHILDREN));
		break;
	case SYS_futex:
		if (is_futex_own)
			futex_made(arguments);
		break;
	default:
		break;
	}
}

static void made_pair(const int *ends, uint32_t object)
{
	set(ends[0], object);
	set(ends[1], object);
}

static uint32_t object_of_path(uint64_t path)
{
	static const char terminals[] = "/dev/pt"; /* /dev/ptmx, /dev/pts/0 */
	return has_fifos || memcmp((const void *)path, terminals, sizeof terminals - 1) == 0 ? SOCKETS : NOTHING;
}

/* Calls that wait for descriptors. What they report as ready was written before. */

static void polled(const struct pollfd *polls, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		if (polls[i].fd >= 0 && polls[i].revents)
			acquire((uint64_t)polls[i].fd);
}

static void selected(uint64_t count, const uint64_t sets[3])
{
	for (int i = 0; i < 3; i++)
		for (uint64_t fd = 0; sets[i] && fd < count && fd < FD_SETSIZE; fd++)
			if (((const uint64_t *)sets[i])[fd / 64] >> fd % 64 & 1)
				acquire(fd);
}

static void epoll_added(const uint64_t arguments[6])
{
	uint32_t fd = (uint32_t)arguments[2];
	if (fd >= KNOWN || arguments[0] >= KNOWN)
		return;
	pollers[fd] = (uint16_t)(arguments[0] + 1);
	if (fd >= pollers_end)
		pollers_end = fd + 1;
}

static void epolled(uint64_t poller)
{
	acquire(poller);
	for (uint32_t fd = 0; fd < pollers_end; fd++)
		if (pollers[fd] == poller + 1)
			acquire(fd);
}

void detect_call_done(long number, const uint64_t arguments[6], long result, bool is_futex_own)
{
	if (result < 0)
		return;
	switch (number) {
	case SYS_read:
	case SYS_readv:
	case SYS_preadv2:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_splice:
	case SYS_tee:
		acquire(arguments[0]);
		break;
	case SYS_poll:
	case SYS_ppoll:
		polled((const struct pollfd *)arguments[0], arguments[1]);
		break;
	case SYS_select:
	case SYS_pselect6:
		selected(arguments[0], arguments + 1);
		break;
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		if (result > 0)
			epolled(arguments[0]);
		break;
	case SYS_epoll_ctl:
		if (arguments[1] == 1 /* EPOLL_CTL_ADD */)
			epoll_added(arguments);
		break;
	case SYS_accept:
	case SYS_accept4:
		acquire(arguments[0]);
		set(result, SOCKETS);
		break;
	case SYS_socket:
		set(result, SOCKETS);
		break;
	case SYS_pipe:
	case SYS_pipe2:
		made_pair((const int *)arguments[0], next_object++);
		break;
	case SYS_socketpair:
		made_pair((const int *)arguments[3], next_object++);
		break;
	case SYS_eventfd:
	case SYS_eventfd2:
	case SYS_timerfd_create:
	case SYS_epoll_create:
	case SYS_epoll_create1:
		set(result, next_object++);
		break;
	case SYS_close:
		release_number(arguments[0]);
		break;
	case SYS_dup2:
	case SYS_dup3:
		if (arguments[0] == arguments[1])
			break;
		release_number(arguments[1]);
		set(result, of_descriptor(arguments[0]));
		break;
	case SYS_dup:
		set(result, of_descriptor(arguments[0]));
		break;
	case SYS_fcntl:
		if (arguments[1] == F_DUPFD || arguments[1] == F_DUPFD_CLOEXEC)
			set(result, of_descriptor(arguments[0]));
		else if (is_file_lock(arguments[1]))
			order_acquire(object_of(LOCKS));
		break;
	case SYS_flock:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_semctl:
	case SYS_msgrcv:
	case SYS_mq_timedreceive:
		order_acquire(object_of(LOCKS));
		break;
	case SYS_mknod:
	case SYS_mknodat:
		if (S_ISFIFO(arguments[number == SYS_mknod ? 1 : 2]))
			has_fifos = true;
		break;
	case SYS_open:
	case SYS_creat:
		set(result, object_of_path(arguments[0]));
		break;
	case SYS_openat:
	case SYS_openat2:
		set(result, object_of_path(arguments[1]));
		break;
	case SYS_memfd_create:
		set(result, NOTHING);
		break;
	case SYS_wait4:
	case SYS_waitid:
		order_acquire(object_of(CHILDREN));
		break;
	case SYS_signalfd:
	case SYS_signalfd4:
		set(result, SIGNALS);
		break;
	case SYS_rt_sigtimedwait:
		order_acquire(object_of(SIGNALS));
		break;
	case SYS_futex:
		if (is_futex_own && BIT(arguments[1] & 31) & FUTEX_WAITS)
			order_acquire((const volatile void *)arguments[0]);
		break;
	default:
		break;
	}
}
