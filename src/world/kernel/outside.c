/*
 * outside.c: system calls to the outside. While recording they are made, and what came back goes into the log; in a
 * replay the results come from the log and no call is made. A call that would wait never waits in the kernel: the
 * thread blocks until the descriptor is ready, and the others run.
 *
 * In the log a call is any number of BLOCK records, one for each time that it waited, and one CALL record; none when a
 * signal interrupted it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <string.h>

#include "rt/sys.h"
#include "world/answers.h"
#include "world/kernel/calls.h"
#include "world/kernel/clock.h"
#include "world/kernel/descriptor.h"
#include "world/kernel/hold.h"
#include "world/kernel/landing.h"
#include "world/kernel/output.h"
#include "world/kernel/outside.h"
#include "world/kernel/own_process.h"
#include "world/kernel/proc_path.h"
#include "world/kernel/replica.h"
#include "world/log.h"
#include "world/parts.h"
#include "world/signals/signal.h"

long outside_raw(long number, const uint64_t a[6])
{
	return sys_call(number, (long)a[0], (long)a[1], (long)a[2], (long)a[3], (long)a[4], (long)a[5]);
}

/* Blocks the current thread for the outside, in a replay by what the log says. */
static enum wake block(struct thread *self, const struct wait *wait)
{
	self->wait = *wait;
	if (world.is_replaying) {
		/* Only the log wakes it; the deadline is for reports. */
		wait_measure(&self->wait);
		self->wait.deadline_ns = NO_DEADLINE;
		self->wait.poll_count = 0;
		log_advance();
	} else {
		log_write_block();
		outside_block(self);
	}
	return thread_block(self);
}

enum wake outside_wait_until(int fd, short events, uint64_t deadline_ns)
{
	struct pollfd poll = { fd, events, 0 };
	struct wait wait = { .kind = WAIT_DESCRIPTORS,
			     .object = (void *)(intptr_t)fd,
			     .deadline_ns = deadline_ns,
			     .polls = &poll,
			     .poll_count = 1,
			     .is_interruptible = true };
	return block(world.current, &wait);
}

enum wake outside_wait_list(struct pollfd *polls, uint32_t count, uint64_t deadline_ns)
{
	struct wait wait = { .kind = WAIT_DESCRIPTORS,
			     .deadline_ns = deadline_ns,
			     .polls = polls,
			     .poll_count = count,
			     .is_interruptible = true };
	return block(world.current, &wait);
}

enum wake outside_wait_retry(uint64_t deadline_ns)
{
	struct wait wait = { .kind = WAIT_RETRY, .deadline_ns = deadline_ns, .is_interruptible = true };
	return block(world.current, &wait);
}

/* Recording and replaying what a call wrote. */

static void count_piece(void *data, void *at, size_t size)
{
	(void)at;
	(void)size;
	++*(uint32_t *)data;
}

static void write_piece(void *data, void *at, size_t size)
{
	(void)data;
	log_write_buffer(at, size);
}

static void read_piece(void *data, void *at, size_t size)
{
	size_t have;
	const unsigned char *bytes = log_peek_buffer(&have);
	(void)data;
	if (have > size)
		have = size;
	if (memcmp(at, bytes, have) != 0)
		memcpy(at, bytes, have);
}

static void record(long number, const uint64_t a[6], const struct call_lengths *before, long result,
		   struct output *output)
{
	size_t extra_size = 0;
	const void *extra = output_extra(output, number, a, result, &extra_size);
	uint32_t count = 0;
	if (!world.is_recording)
		return;
	call_outputs(number, a, result, before, count_piece, &count);
	log_write_call(number, result, count + (extra ? 1 : 0));
	call_outputs(number, a, result, before, write_piece, NULL);
	if (extra)
		log_write_buffer(extra, extra_size);
}

static void replay(long number, const uint64_t a[6], const struct call_lengths *before, long result,
		   struct output *output)
{
	call_outputs(number, a, result, before, read_piece, NULL);
	if (log_has_buffer()) {
		size_t size;
		const unsigned char *extra = log_peek_buffer(&size);
		output_replay_extra(output, number, extra, size);
	}
	log_advance();
}

static void finish(long number, const uint64_t a[6], const struct call_lengths *before, long result,
		   struct output *output)
{
	const struct call *call = call_of(number);
	if (world.is_replaying) {
		replay(number, a, before, result, output);
		replica_after(number, a, result);
	} else {
		record(number, a, before, result, output);
		replica_after(number, a, result);
		if (world.is_signalled) /* a broken pipe */
			signal_collect();
	}
	answers_after(number, a, result);
	descriptor_after(number, a, result);
	output_end(output, number, a, result);
	if (call->flags & (CALL_MAY_WAKE | CALL_CLOSES))
		outside_touch();
	if (world.is_replaying)
		world_replay_signals();
}

/* When a call that waited stops doing so, as far as its arguments say: the time-outs of sockets are not known in a replay. */
static uint64_t replayed_deadline(long number, const uint64_t a[6])
{
	unsigned flags = call_of(number)->flags;
	return flags & CALL_POLL           ? outside_poll_deadline(number, a)
	       : flags & CALL_BLOCKS_OTHER ? outside_retry_deadline(number, a)
					   : NO_DEADLINE;
}

/* Replays the waits of a call. False: a signal interrupted it. */
static bool replay_blocks(long number, const uint64_t a[6])
{
	if (log_next.tag != HEDDLE_RECORD_BLOCK)
		return true;
	uint64_t deadline = replayed_deadline(number, a);
	while (log_next.tag == HEDDLE_RECORD_BLOCK && world_follows_log())
		if (outside_wait_retry(deadline) == WAKE_SIGNAL)
			return false;
	return true;
}

/* What stays open whatever the program closes: the lowest from this number on. */
static uint64_t next_kept(uint64_t first)
{
	uint64_t copy = hold_next_copy(first);
	for (uint64_t fd = first > HEDDLE_FD_FIRST ? first : HEDDLE_FD_FIRST; fd <= HEDDLE_FD_LAST && fd < copy; fd++)
		if (descriptor_is_ours((int)fd))
			return fd;
	return copy;
}

static long close_all(uint64_t first, uint64_t last, uint64_t flags)
{
	if (first > last)
		return -EINVAL;
	if (!(flags & CLOSE_RANGE_CLOEXEC))
		hold_closing(first, last);
	while (first <= last) {
		uint64_t kept = next_kept(first), end = kept <= last ? kept - 1 : last;
		long result =
			first <= end ? sys_call(SYS_close_range, (long)first, (long)end, (long)flags, 0, 0, 0) : 0;
		if (result < 0)
			return result;
		first = end + 2;
	}
	return 0;
}

/* Before descriptors are closed: our own stay open, and threads that wait with one keep the file. True: the call is
 * done and *result is its result. */
static bool closes(long number, const uint64_t a[6], long *result)
{
	switch (number) {
	case SYS_close:
		*result = -EBADF;
		if (descriptor_is_ours((int)a[0]) || hold_is_copy((int)a[0]))
			return true;
		hold_closing((uint32_t)a[0], (uint32_t)a[0]);
		return false;
	case SYS_dup2:
	case SYS_dup3:
		*result = -EBADF;
		if (descriptor_is_ours((int)a[1]))
			return true;
		if ((int)a[0] == (int)a[1] || sys_call(SYS_fcntl, (int)a[0], F_GETFD, 0, 0, 0, 0) < 0)
			return false;
		hold_give_way((int)a[1]);
		hold_closing((uint32_t)a[1], (uint32_t)a[1]);
		return false;
	case SYS_close_range:
		*result = close_all((uint32_t)a[0], (uint32_t)a[1], a[2]);
		return true;
	default:
		return false;
	}
}

static long make_held(long number, const uint64_t a[6], struct output *output)
{
	const struct call *call = call_of(number);
	long result;
	if (closes(number, a, &result))
		return result;
	if (number == SYS_timerfd_create || number == SYS_timerfd_settime || number == SYS_timerfd_gettime)
		return timer_descriptor_call(number, a);
	if (call->flags & CALL_POLL)
		return outside_poll_call(number, a);
	if (output->stream && output_is_move(number)) {
		result = outside_wait_input(number, a);
		if (result)
			return result;
	}
	if (output_call(output, number, a, &result))
		return result;
	if (call->flags & (CALL_BLOCKS_READ | CALL_BLOCKS_WRITE))
		return outside_stream_call(number, a);
	return call->flags & CALL_BLOCKS_OTHER ? outside_retry_call(number, a) : outside_raw(number, a);
}

/* Some calls are made in parts, or asked for otherwise than the program did: where the kernel would say EFAULT, we may land
 * here. */
static long make(struct thread *self, long number, const uint64_t given[6], struct output *output)
{
	const unsigned may_wait = CALL_BLOCKS_READ | CALL_BLOCKS_WRITE | CALL_BLOCKS_OTHER | CALL_POLL;
	const bool holds = call_of(number)->flags & may_wait;
	uint64_t a[6];
	struct hold hold;
	struct landing landing;
	volatile long result = -EFAULT;
	memcpy(a, given, sizeof a);
	if (holds)
		hold_begin(&hold, number, a);
	if (!landing_prepare(&landing)) {
		self->landing = &landing;
		result = make_held(number, a, output);
	}
	self->landing = NULL;
	if (holds)
		hold_end(&hold);
	return result;
}

/* The world's own ids, in arguments that name a process. */
static void translate(long number, const struct call *call, uint64_t a[6])
{
	if (world.is_replaying || call->process < 0)
		return;
	for (int i = call->process; i <= (number == SYS_setpgid ? 1 : call->process); i++) {
		if (thread_find((int32_t)a[i]))
			a[i] = sys_pid();
		else if ((int32_t)a[i] == -WORLD_PID) /* the group that is called by our id */
			a[i] = (uint64_t) - (int64_t)sys_pid();
	}
}

/* Groups and sessions that are called by our process id. */
static long translate_result(long number, long result)
{
	bool is_group = number == SYS_getpgrp || number == SYS_getpgid || number == SYS_getsid || number == SYS_setsid;
	return is_group && result == (long)sys_pid() ? WORLD_PID : result;
}

/* What is read of the program's memory whether the call is made or replayed. False: a pointer is bad that the kernel would
 * look at before anything else; with others it may find something else wrong first, so it is asked. */
static bool prepare(struct thread *self, long number, uint64_t a[6], struct call_lengths *before)
{
	struct landing landing;
	volatile bool has_mask = false;
	memset(before, 0, sizeof *before);
	if (landing_prepare(&landing))
		return has_mask;
	self->landing = &landing;
	outside_set_mask(self, number, a);
	has_mask = true;
	proc_path_translate(number, a);
	call_lengths(number, a, before);
	if (!world.is_replaying)
		own_process_translate(number, a);
	self->landing = NULL;
	return true;
}

void outside_syscall(struct registers *r)
{
	long number = (long)r->number, result;
	uint64_t a[6] = { r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9 };
	const struct call *call = call_of(number);
	struct thread *self = world.current;
	struct call_lengths before;
	struct output output;
	translate(number, call, a);
	if (!prepare(self, number, a, &before)) {
		r->rax = (uint64_t)-EFAULT;
		return;
	}
	output_begin(&output, number, a);
	if (world.is_replaying) {
		if (!replay_blocks(number, a)) {
			result = call->flags & CALL_POLL ? -EINTR : -RESTART;
			r->rax = (uint64_t)result;
			return;
		}
		if (world_has_turned() && answers_ask(number, a) == ANSWER_INTERRUPTED) {
			r->rax = (uint64_t)(call->flags & CALL_POLL ? -EINTR : -RESTART);
			return;
		}
		if (log_next.tag != HEDDLE_RECORD_CALL || log_next.value[0] != (uint64_t)number)
			world_diverge(call_name(number));
		answers_note(number, a);
		result = (long)log_next.value[1];
	} else {
		result = own_process_result(number, a, make(self, number, a, &output));
		result = translate_result(number, proc_path_result(number, a, result));
		if (result == -RESTART) {
			r->rax = call->flags & CALL_POLL ? (uint64_t)-EINTR : (uint64_t)-RESTART;
			return;
		}
	}
	finish(number, a, &before, result, &output);
	r->rax = (uint64_t)result;
	/* The call found nothing: others should run first. */
	if (result == -EAGAIN || (result == 0 && ((call->flags & CALL_POLL) || number == SYS_wait4)))
		thread_yield();
}
