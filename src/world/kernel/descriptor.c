/* descriptor.c: see descriptor.h, and outside_* of parts.h for waiting. */
#include "world/kernel/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "rt/sys.h"
#include "world/answers.h"
#include "world/kernel/calls.h"
#include "world/kernel/clock.h"
#include "world/kernel/hold.h"
#include "world/kernel/output.h"
#include "world/kernel/own_socket.h"
#include "world/log.h"
#include "world/parts.h"
#include "world/signals/signal.h"

enum { KIND_UNKNOWN, KIND_PLAIN, KIND_SOCKET, KIND_STREAM, KIND_OTHER };

struct known {
	uint8_t kind, output;
	bool is_internal, is_own;
};

/* What is known is in pages; most programs need the first one only. */
#define PAGE_NUMBERS 4096
#define PAGES (INT_MAX / PAGE_NUMBERS + 1)

static struct known first_page[PAGE_NUMBERS] = { [1] = { .output = 1 }, [2] = { .output = 2 } };
static struct known *pages[PAGES]; /* but the first */
static int last_page;

static uint32_t own_descriptors; /* of ours, which are open */

static struct known *page_of(int fd)
{
	return fd < PAGE_NUMBERS ? first_page : pages[fd / PAGE_NUMBERS];
}

/* Null when nothing is known. */
static struct known *find(int fd)
{
	struct known *page = fd < 0 ? NULL : page_of(fd);
	return page ? &page[fd % PAGE_NUMBERS] : NULL;
}

/* Of a descriptor that is open. */
static struct known *learn(int fd)
{
	if (!page_of(fd)) {
		pages[fd / PAGE_NUMBERS] = world_pages(sizeof first_page);
		if (!page_of(fd))
			world_fail(HEDDLE_OUTCOME_REFUSED, "out of memory", NULL);
		if (fd / PAGE_NUMBERS > last_page)
			last_page = fd / PAGE_NUMBERS;
	}
	return find(fd);
}

int descriptor_output(int fd)
{
	const struct known *known = find(fd);
	return known ? known->output : 0;
}

void descriptor_set_output(int fd, int stream)
{
	learn(fd)->output = (uint8_t)stream;
}

bool descriptor_is_internal(int fd)
{
	const struct known *known = find(fd);
	return known && known->is_internal;
}

bool descriptor_is_own(int fd)
{
	const struct known *known = find(fd);
	return known && (known->is_internal || known->is_own);
}

void descriptor_set_own(int fd)
{
	learn(fd)->is_own = true;
}

bool descriptor_is_ours(int fd)
{
	return fd >= HEDDLE_FD_FIRST && fd <= HEDDLE_FD_LAST && (own_descriptors >> (fd - HEDDLE_FD_FIRST) & 1);
}

static void find_own(void)
{
	for (int fd = HEDDLE_FD_FIRST; fd <= HEDDLE_FD_LAST; fd++)
		/* Not inherited by programs that this one starts. */
		if (sys_call(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC, 0, 0, 0) >= 0)
			own_descriptors |= 1u << (fd - HEDDLE_FD_FIRST);
}

static int kind_of(int fd)
{
	struct stat status;
	const struct known *known = find(fd);
	if (known && known->kind != KIND_UNKNOWN)
		return known->kind;
	if (sys_call(SYS_fstat, fd, (long)&status, 0, 0, 0, 0) < 0)
		return KIND_OTHER;
	/* /dev/null and its kin, number 1 of the character devices, never wait either. */
	bool is_memory = S_ISCHR(status.st_mode) && status.st_rdev >> 8 == 1;
	int kind = KIND_OTHER;
	if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISBLK(status.st_mode) || is_memory)
		kind = KIND_PLAIN;
	else if (S_ISSOCK(status.st_mode))
		kind = KIND_SOCKET;
	else if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode))
		kind = KIND_STREAM;
	learn(fd)->kind = (uint8_t)kind;
	return kind;
}

bool descriptor_is_plain(int fd)
{
	return kind_of(fd) == KIND_PLAIN;
}

bool descriptor_is_socket(int fd)
{
	return kind_of(fd) == KIND_SOCKET;
}

bool descriptor_is_stream(int fd)
{
	return kind_of(fd) == KIND_SOCKET || kind_of(fd) == KIND_STREAM;
}

bool descriptor_is_blocking(int fd)
{
	long flags = sys_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
	return flags >= 0 && !(flags & O_NONBLOCK);
}

bool descriptor_is_ready(int fd, short events)
{
	struct pollfd poll = { fd, events, 0 };
	return fd < 0 || sys_call(SYS_poll, (long)&poll, 1, 0, 0, 0, 0) != 0;
}

static void forget(int fd)
{
	struct known *known = find(fd);
	if (known)
		*known = (struct known){ 0 };
}

void descriptor_closed(int fd)
{
	timer_closed(fd);
	forget(fd);
}

void descriptor_copied(int from, int to)
{
	const struct known *known = find(from);
	if (from == to)
		return;
	descriptor_closed(to);
	timer_copied(from, to);
	if (known)
		*learn(to) = *known;
}

static void mark_internal(const int *pair, int count)
{
	for (int i = 0; i < count; i++)
		if (pair[i] >= 0)
			*learn(pair[i]) = (struct known){ .is_internal = true };
}

void descriptor_share_all(void)
{
	for (int page = 0; page <= last_page; page++)
		for (int i = 0; page_of(page * PAGE_NUMBERS) && i < PAGE_NUMBERS; i++)
			find(page * PAGE_NUMBERS + i)->is_internal = find(page * PAGE_NUMBERS + i)->is_own = false;
}

static void closed_range(uint64_t first, uint64_t last)
{
	uint64_t end = ((uint64_t)last_page + 1) * PAGE_NUMBERS;
	for (uint64_t fd = first; fd <= last && fd < end; fd++)
		if (!hold_is_copy((int)fd))
			descriptor_closed((int)fd);
}

void descriptor_after(long number, const uint64_t arguments[6], long result)
{
	if (number == SYS_connect && (result == 0 || result == -EINPROGRESS))
		own_socket_connected((int)arguments[0], (const struct sockaddr *)arguments[1], arguments[2]);
	if (result < 0 || result > INT_MAX)
		return;
	int own[1] = { (int)result };
	switch (number) {
	case SYS_close:
		descriptor_closed((int)arguments[0]);
		break;
	case SYS_close_range:
		if (!(arguments[2] & CLOSE_RANGE_CLOEXEC))
			closed_range((uint32_t)arguments[0], (uint32_t)arguments[1]);
		break;
	case SYS_dup:
	case SYS_dup2:
	case SYS_dup3:
		descriptor_copied((int)arguments[0], (int)result);
		break;
	case SYS_fcntl:
		if (arguments[1] == F_DUPFD || arguments[1] == F_DUPFD_CLOEXEC)
			descriptor_copied((int)arguments[0], (int)result);
		break;
	case SYS_pipe:
	case SYS_pipe2:
		mark_internal((const int *)arguments[0], 2);
		break;
	case SYS_socketpair:
		mark_internal((const int *)arguments[3], 2);
		break;
	case SYS_eventfd:
	case SYS_eventfd2:
	case SYS_epoll_create:
	case SYS_epoll_create1:
	case SYS_timerfd_create: /* in virtual time: see clock.h */
		mark_internal(own, 1);
		break;
	case SYS_epoll_ctl:
		if (arguments[1] != 2 /* EPOLL_CTL_DEL */ && !descriptor_is_internal((int)arguments[2])) {
			struct known *known = find((int)arguments[0]);
			if (known)
				known->is_internal = false;
		}
		break;
	default:
		if (call_of(number)->flags & CALL_OPENS)
			forget((int)result);
		if (number == SYS_accept || number == SYS_accept4)
			own_socket_accepted((int)result);
	}
}

/* Waiting. */

#define POLLS_MAX 65536u
#define STILL_YIELDS 100u
#define RETRY_NS 1000000u /* between two attempts, when there is nothing else to do */
#define DUE_AFTER 64u     /* decisions between two looks while others run */

static struct pollfd *polls;
static struct thread **poll_owners;
static uint32_t waiting_count; /* threads that wait for the outside; may be too large, never too small */
static bool is_touched;
static uint32_t passed_decisions;

void outside_start(void)
{
	find_own();
	if (!world.is_replaying)
		output_start();
	polls = world_pages(POLLS_MAX * sizeof *polls);
	poll_owners = world_pages(POLLS_MAX * sizeof *poll_owners);
	if (!polls || !poll_owners)
		world_fail(HEDDLE_OUTCOME_REFUSED, "out of memory", NULL);
}

void outside_touch(void)
{
	is_touched = true;
}

bool outside_is_touched(void)
{
	return is_touched;
}

bool outside_is_due(void)
{
	if (is_touched)
		return true;
	if (!waiting_count || ++passed_decisions < DUE_AFTER)
		return false;
	passed_decisions = 0;
	return true;
}

static bool is_internal(const struct thread *thread)
{
	for (uint32_t i = 0; i < thread->wait.poll_count; i++) {
		int fd = thread->wait.polls[i].fd;
		if (fd >= 0 && !descriptor_is_internal(fd))
			return false;
	}
	return true;
}

void outside_block(struct thread *self)
{
	waiting_count++;
	if (self->wait.kind == WAIT_DESCRIPTORS)
		is_touched = true; /* look once more: it may have become ready since */
}

static bool waits_outside(const struct thread *thread)
{
	return thread->state == THREAD_BLOCKED &&
	       (thread->wait.kind == WAIT_DESCRIPTORS || thread->wait.kind == WAIT_RETRY || futex_is_outside(thread));
}

bool outside_may_wake(const struct thread *thread)
{
	return waits_outside(thread) && (thread->wait.kind != WAIT_DESCRIPTORS || !is_internal(thread));
}

/* Whether something from outside could let a thread go on. */
bool outside_is_awaited(void)
{
	if (world_has_turned())
		return answers_are_awaited();
	for (uint32_t i = 0; waiting_count && i < world.live_count; i++)
		if (outside_may_wake(world.live[i]))
			return true;
	return false;
}

static uint64_t real_ns(void)
{
	struct timespec now;
	sys_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint32_t gather(bool *has_retry)
{
	uint32_t count = 0, waiting = 0;
	*has_retry = false;
	for (uint32_t i = 0; i < world.live_count; i++) {
		struct thread *thread = world.live[i];
		if (!waits_outside(thread))
			continue;
		waiting++;
		if (thread->wait.kind != WAIT_DESCRIPTORS)
			*has_retry = true;
		for (uint32_t k = 0; k < thread->wait.poll_count && count < POLLS_MAX; k++) {
			polls[count] = thread->wait.polls[k];
			polls[count].revents = 0;
			poll_owners[count++] = thread;
		}
	}
	waiting_count = waiting;
	return count;
}

/* Waits in the kernel. Signals are blocked until the kernel waits, so that none is missed between the check and the
 * wait. */
static long poll_really(uint32_t count, uint64_t wait_ns)
{
	struct timespec time = { (time_t)(wait_ns / 1000000000u), (long)(wait_ns % 1000000000u) };
	uint64_t all = ~0ul, none = 0;
	if (wait_ns == 0)
		return count ? sys_call(SYS_poll, (long)polls, count, 0, 0, 0, 0) : 0;
	sys_call(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, (long)&all, 0, 8, 0, 0);
	long result = world.is_signalled ? -EINTR
					 : sys_call(SYS_ppoll, (long)polls, count,
						    wait_ns == NO_DEADLINE ? 0 : (long)&time, (long)&none, 8, 0);
	sys_call(SYS_rt_sigprocmask, 2, (long)&none, 0, 8, 0, 0);
	return result;
}

/* A word in shared memory may have been changed by one of our own threads that is about to wake the waiter. So the
 * change is attributed to another process only when none of our threads makes progress. */
static bool may_retry(const struct thread *thread)
{
	bool is_still = world.runnable_count == 0 || world.yield_streak > STILL_YIELDS;
	return thread->wait.kind == WAIT_RETRY ||
	       (thread->wait.kind == WAIT_FUTEX && is_still && futex_has_changed(thread));
}

bool outside_poll(uint64_t wait_ns)
{
	bool has_retry;
	if (world_has_turned()) { /* only answers end waits */
		is_touched = false;
		return false;
	}
	uint32_t count = gather(&has_retry);
	bool was_touched = is_touched;
	uint64_t requested_ns = has_retry && wait_ns > RETRY_NS ? RETRY_NS : wait_ns;
	if (was_touched && has_retry)
		requested_ns = 0;
	is_touched = false;
	uint64_t before = requested_ns ? real_ns() : 0;
	long ready = poll_really(count, requested_ns);
	if (requested_ns) {
		/* A wait that ran to its end counts with its full length. */
		uint64_t passed = ready == 0 ? requested_ns : real_ns() - before;
		clock_jump(passed);
		log_write_clock(passed);
	}
	for (uint32_t i = 0; ready > 0 && i < count; i++)
		if (polls[i].revents && waits_outside(poll_owners[i]))
			world_ready(poll_owners[i]);
	if (has_retry)
		for (uint32_t i = 0; i < world.live_count; i++)
			if (waits_outside(world.live[i]) && may_retry(world.live[i]))
				world_ready(world.live[i]);
	return ready > 0;
}
