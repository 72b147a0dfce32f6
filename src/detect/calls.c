/*
 * calls.c: system calls that order threads. What was written to a pipe, a socket or an event counter is before what is
 * read from it; a signal that was sent is before its handler; a futex that was woken is before who waited, where the call is
 * not libc's own. Both ends of a pipe or of a socket pair are one object. Other sockets are one all together, since who talks
 * to whom is not known here; so are locks of files, and the semaphores and queues that processes share. What is in files
 * orders nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "detect/detect.h"
#include "detect/order.h"
#include "world/world.h"

#define KNOWN 4096u
#define OBJECTS 0xd000000000000000ul /* no address */

enum { NOTHING, SOCKETS, SIGNALS, LOCKS, FIRST_OWN };

static uint32_t objects[KNOWN]; /* by descriptor */
static uint32_t next_object = FIRST_OWN;

static const volatile void *object_of(uint32_t object)
{
	return (const volatile void *)(OBJECTS + 8ul * object);
}

static uint32_t of_descriptor(uint64_t fd)
{
	return fd < KNOWN ? objects[fd] : NOTHING;
}

static void set(long fd, uint32_t object)
{
	if (fd >= 0 && (unsigned long)fd < KNOWN)
		objects[fd] = object;
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

void detect_signal_handled(void)
{
	if (detect.is_on)
		order_acquire(object_of(SIGNALS));
}

static bool is_file_lock(uint64_t command)
{
	return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

void detect_call_made(long number, const uint64_t arguments[6], bool is_futex_own)
{
	if (!detect.is_on)
		return;
	switch (number) {
	case SYS_write:
	case SYS_writev:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_sendfile:
	case SYS_shutdown:
	case SYS_vmsplice:
	case SYS_connect:
		release(arguments[0]);
		break;
	case SYS_close: /* ends locks, too */
		release(arguments[0]);
		order_release_more(object_of(LOCKS));
		break;
	case SYS_splice:
	case SYS_tee:
		release(number == SYS_tee ? arguments[1] : arguments[2]);
		break;
	case SYS_flock:
	case SYS_semop:
	case SYS_semtimedop:
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
		order_release_more(object_of(SIGNALS));
		break;
	case SYS_futex:
		/* FUTEX_WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, UNLOCK_PI, WAKE_BITSET */
		if (is_futex_own &&
		    1u << (arguments[1] & 127) & (1u << 1 | 1u << 3 | 1u << 4 | 1u << 5 | 1u << 7 | 1u << 10))
			order_release_more((const volatile void *)arguments[0]);
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

void detect_call_done(long number, const uint64_t arguments[6], long result, bool is_futex_own)
{
	if (!detect.is_on || result < 0)
		return;
	switch (number) {
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_splice:
		acquire(arguments[0]);
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
		set(result, next_object++);
		break;
	case SYS_dup:
	case SYS_dup2:
	case SYS_dup3:
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
	case SYS_msgrcv:
	case SYS_mq_timedreceive:
		order_acquire(object_of(LOCKS));
		break;
	case SYS_open:
	case SYS_openat:
	case SYS_openat2:
	case SYS_creat:
	case SYS_memfd_create:
	case SYS_epoll_create:
	case SYS_epoll_create1:
		set(result, NOTHING);
		break;
	case SYS_signalfd:
	case SYS_signalfd4:
		set(result, SIGNALS);
		break;
	case SYS_rt_sigtimedwait:
		order_acquire(object_of(SIGNALS));
		break;
	case SYS_futex:
		/* FUTEX_WAIT, LOCK_PI, WAIT_BITSET, WAIT_REQUEUE_PI */
		if (is_futex_own && 1u << (arguments[1] & 127) & (1u << 0 | 1u << 6 | 1u << 9 | 1u << 11))
			order_acquire((const volatile void *)arguments[0]);
		break;
	default:
		break;
	}
}
