/* hold.c: see hold.h. */
#include "world/kernel/hold.h"

#include <errno.h>
#include <fcntl.h>

#include "rt/sys.h"
#include "world/kernel/calls.h"
#include "world/kernel/descriptor.h"
#include "world/parts.h"

/* Copies get high numbers, so that the program's own are what they would be. */
#define COPIES_FIRST 900

/* In the revents of a list, which the kernel does not get to see: the descriptor is a copy. */
#define IS_COPY POLLNVAL

static uint32_t call_count; /* between hold_begin and hold_end */

void hold_begin(struct hold *hold, long number, uint64_t arguments[6])
{
	const struct call *call = call_of(number);
	*hold = (struct hold){ .arguments = arguments, .which = { call->descriptor, -1 } };
	if (number == SYS_sendfile)
		hold->which[1] = 0;
	else if (number == SYS_splice || number == SYS_tee)
		hold->which[1] = number == SYS_tee ? 1 : 2;
	hold->is_number = number == SYS_fcntl && arguments[1] == F_SETLKW;
	world.current->hold = hold;
	call_count++;
}

static void close_copy(int fd)
{
	sys_close(fd);
	descriptor_closed(fd);
	outside_touch(); /* it may have been the last of its pipe */
}

void hold_end(struct hold *hold)
{
	world.current->hold = NULL;
	call_count--;
	for (int i = 0; i < 2; i++)
		if (hold->is_copy[i])
			close_copy((int)hold->arguments[hold->which[i]]);
}

void hold_end_list(struct pollfd *polls, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (polls[i].revents == IS_COPY)
			close_copy(polls[i].fd);
}

/* -1 when there can be none. */
static int copy_of(int fd)
{
	long copy = sys_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, COPIES_FIRST, 0, 0, 0);
	if (copy < 0)
		copy = sys_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 0, 0, 0, 0);
	if (copy < 0)
		return -1;
	descriptor_copied(fd, (int)copy);
	return (int)copy;
}

static bool is_held(const struct hold *hold, int i, int fd)
{
	return hold->which[i] >= 0 && (int)hold->arguments[hold->which[i]] == fd;
}

/* The thread waits with fd: it goes on with a copy. */
static void keep_for(struct thread *thread, int fd)
{
	struct hold *hold = thread->hold;
	int copy = hold->is_number ? -1 : copy_of(fd);
	for (int i = 0; i < 2; i++)
		if (is_held(hold, i, fd)) {
			hold->arguments[hold->which[i]] = (uint64_t)(int64_t)copy;
			hold->is_copy[i] = copy >= 0;
		}
	for (uint32_t i = 0; i < thread->wait.poll_count; i++)
		if (thread->wait.polls[i].fd == fd) {
			thread->wait.polls[i].fd = copy;
			thread->wait.polls[i].revents = copy < 0 ? 0 : IS_COPY;
		}
	if (copy < 0 && thread->state == THREAD_BLOCKED)
		world_ready(thread); /* it will see that there is none */
}

static bool has_copy(const struct thread *thread, int fd)
{
	const struct hold *hold = thread->hold;
	for (int i = 0; i < 2; i++)
		if (hold->is_copy[i] && is_held(hold, i, fd))
			return true;
	for (uint32_t i = 0; i < thread->wait.poll_count; i++)
		if (thread->wait.polls[i].fd == fd && thread->wait.polls[i].revents == IS_COPY)
			return true;
	return false;
}

bool hold_is_copy(int fd)
{
	for (uint32_t i = 0; call_count && i < world.live_count; i++)
		if (world.live[i]->hold && has_copy(world.live[i], fd))
			return true;
	return false;
}

/* The lowest descriptor that the thread waits with, from this number on. */
static uint64_t next_of(const struct thread *thread, uint64_t first, bool is_copy)
{
	const struct hold *hold = thread->hold;
	uint64_t lowest = UINT64_MAX;
	for (int i = 0; i < 2; i++) {
		int fd = hold->which[i] < 0 ? -1 : (int)hold->arguments[hold->which[i]];
		if (fd >= 0 && (uint64_t)fd >= first && (uint64_t)fd < lowest && hold->is_copy[i] == is_copy)
			lowest = (uint64_t)fd;
	}
	for (uint32_t i = 0; i < thread->wait.poll_count; i++) {
		int fd = thread->wait.polls[i].fd;
		bool is_marked = thread->wait.polls[i].revents == IS_COPY;
		if (fd >= 0 && (uint64_t)fd >= first && (uint64_t)fd < lowest && is_marked == is_copy)
			lowest = (uint64_t)fd;
	}
	return lowest;
}

void hold_closing(uint64_t first, uint64_t last)
{
	for (uint32_t i = 0; call_count && i < world.live_count; i++) {
		struct thread *thread = world.live[i];
		if (!thread->hold)
			continue;
		for (uint64_t fd = next_of(thread, first, false); fd <= last; fd = next_of(thread, fd + 1, false))
			keep_for(thread, (int)fd);
	}
}

uint64_t hold_next_copy(uint64_t first)
{
	uint64_t lowest = UINT64_MAX;
	for (uint32_t i = 0; call_count && i < world.live_count; i++) {
		uint64_t fd = world.live[i]->hold ? next_of(world.live[i], first, true) : UINT64_MAX;
		lowest = fd < lowest ? fd : lowest;
	}
	return lowest;
}

void hold_give_way(int fd)
{
	for (uint32_t i = 0; call_count && i < world.live_count; i++)
		if (world.live[i]->hold && has_copy(world.live[i], fd)) {
			keep_for(world.live[i], fd);
			close_copy(fd);
			return;
		}
}

void hold_leave(void)
{
	for (uint64_t fd = hold_next_copy(0); fd != UINT64_MAX; fd = hold_next_copy(fd + 1))
		sys_close((int)fd);
	call_count = 0;
}
