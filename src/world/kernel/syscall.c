/*
 * syscall.c: world_syscall: which code serves which system call.
 */
#include <errno.h>

#include "rt/message.h"
#include "rt/observe.h"
#include "rt/sys.h"
#include "world/kernel/calls.h"
#include "world/kernel/clock.h"
#include "world/kernel/landing.h"
#include "world/kernel/process.h"
#include "world/kernel/processors.h"
#include "world/parts.h"
#include "world/signals/signal.h"

static long perform(const struct registers *r)
{
	return sys_call((long)r->number, (long)r->rdi, (long)r->rsi, (long)r->rdx, (long)r->r10, (long)r->r8,
			(long)r->r9);
}

static void name_call(struct message *message, uint64_t number)
{
	message->size = 0;
	message_string(message, call_name((long)number));
	message_string(message, " (system call ");
	message_number(message, number);
	message_string(message, ")");
}

_Noreturn void syscall_refuse(uint64_t number, const char *why)
{
	struct message message;
	name_call(&message, number);
	message_string(&message, ": ");
	message_string(&message, why);
	message.text[message.size] = '\0';
	report_note("the program made a system call that Heddle cannot control:", message.text);
	report_threads();
	world_end(HEDDLE_OUTCOME_REFUSED, 0);
}

void syscall_note_declined(uint64_t number, int error, const char *why)
{
	static bool is_noted[512];
	struct message message;
	size_t index = number < 511 ? number : 511;
	if (is_noted[index])
		return;
	is_noted[index] = true;
	name_call(&message, number);
	message_string(&message, " fails with ");
	switch (error) {
	case ENOSYS:
		message_string(&message, "ENOSYS, as on a kernel without it: ");
		break;
	case EINVAL:
		message_string(&message, "EINVAL, as on a kernel that does not support the operation: ");
		break;
	case ENOTTY:
		message_string(&message, "ENOTTY, as on a device that does not support the request: ");
		break;
	default:
		message_string(&message, "errno ");
		message_number(&message, (uint64_t)error);
		message_string(&message, ": ");
	}
	message_string(&message, why);
	message.text[message.size] = '\0';
	report_limit(message.text, NULL);
}

/* Those with pointers of the program's. */
static bool serve_with_landing(struct registers *r, long *result)
{
	struct thread *self = world.current;
	struct landing landing;
	if (landing_prepare(&landing)) {
		*result = -EFAULT;
		return true;
	}
	self->landing = &landing;
	bool is_served = futex_syscall(r, result) || thread_syscall(r, result) || clock_syscall(r, result) ||
			 signal_syscall(r, result) || process_syscall(r, result);
	self->landing = NULL;
	return is_served;
}

static bool serve(struct registers *r, long *result)
{
	return serve_with_landing(r, result) || mapping_syscall(r, result) || processors_syscall(r, result);
}

/* Calls that other threads cannot see make no event: there are many at the start of a thread. */
static bool is_silent(uint64_t number)
{
	switch (number) {
	case SYS_rt_sigaction:
	case SYS_rt_sigprocmask:
	case SYS_set_robust_list:
	case SYS_rseq:
	case SYS_gettid:
	case SYS_getpid:
	case SYS_exit:
	case SYS_mmap:
	case SYS_munmap:
	case SYS_mprotect:
	case SYS_madvise:
	case SYS_brk:
	case SYS_sigaltstack:
	case SYS_clone:
	case SYS_clone3:
		return true;
	default:
		return false;
	}
}

static enum heddle_event_kind kind_of(uint64_t number)
{
	switch (number) {
	case SYS_futex:
		return HEDDLE_EVENT_FUTEX;
	case SYS_sched_yield:
		return HEDDLE_EVENT_YIELD;
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
		return HEDDLE_EVENT_SLEEP;
	default:
		return HEDDLE_EVENT_SYSCALL;
	}
}

/* Inside a function that is already an event, futexes are internal: the thread's last event says more. */
static bool is_inside_sync(const struct thread *self)
{
	return self->kind >= HEDDLE_EVENT_THREAD_CREATE && self->kind <= HEDDLE_EVENT_ONCE &&
	       self->kind != HEDDLE_EVENT_YIELD && self->kind != HEDDLE_EVENT_SLEEP;
}

static void announce(struct thread *self, const struct registers *r)
{
	if (is_silent(r->number))
		return;
	if (r->number == SYS_futex) {
		enum heddle_event_kind kind = self->kind;
		const volatile void *object = self->object;
		uintptr_t code = self->code;
		bool keeps = is_inside_sync(self);
		if (world.is_on)
			thread_count_futex(self);
		world_event(HEDDLE_EVENT_FUTEX, (void *)r->rdi, r->rip);
		if (keeps) {
			self->kind = kind;
			self->object = object;
			self->code = code;
		}
		return;
	}
	world_event(kind_of(r->number), (void *)r->number, r->rip);
}

static void serve_one(struct registers *r)
{
	const uint64_t arguments[6] = { r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9 };
	struct thread *self = world.current;
	long result = 0, number = (long)r->number;
	bool is_futex_own = observe_is_on() && number == SYS_futex && !is_inside_sync(self);
	/* A once routine was left before its end: libc has already recorded that and wakes the threads that may try
	 * next. */
	if (number == SYS_futex && self->once && self->once == (const void *)r->rdi)
		observe_release_more(self->once);
	announce(self, r);
	observe_call_made(number, arguments, is_futex_own);
	if (serve(r, &result)) {
		r->rax = (uint64_t)result;
	} else {
		switch (call_class_of(number, arguments)) {
		case CALL_LOCAL:
			r->rax = (uint64_t)perform(r);
			break;
		case CALL_WORLD:
			outside_syscall(r); /* what the world does not handle */
			break;
		case CALL_OUTSIDE:
			outside_syscall(r);
			break;
		case CALL_DECLINED: {
			int error = call_error_of(number, arguments);
			syscall_note_declined((uint64_t)number, error, call_why_not(number, arguments));
			r->rax = (uint64_t) - (long)error;
			break;
		}
		case CALL_REFUSED:
			syscall_refuse((uint64_t)number, call_why_not(number, arguments));
		}
	}
	observe_call_done(number, arguments, (long)r->rax, is_futex_own);
}

void world_syscall(struct registers *r)
{
	if (!world.is_on) {
		process_pass(r);
		return;
	}
	if (r->number != SYS_rt_sigreturn && dispatch_is_loader(r->rip)) {
		/* The loader maps code: that is needed in a replay, too, and is checked by its build. */
		r->rax = (uint64_t)perform(r);
		if (r->number == SYS_mmap && !sys_failed((long)r->rax))
			observe_memory_new((void *)r->rax, r->rsi);
		return;
	}
	struct thread *self = world.current;
	bool kept = self->keeps_extended;
	const struct registers *outer = self->call;
	self->keeps_extended = !r->extended;
	self->call = r;
	for (;;) {
		if (r->number == SYS_rt_sigreturn) {
			signal_return(r);
		} else {
			serve_one(r);
		}
		bool is_interrupted = r->rax == (uint64_t)-RESTART || r->rax == (uint64_t)-RESTART_ALWAYS;
		if (is_interrupted && !signal_is_deliverable(self))
			continue;
		/* A mask for the time of the call lets a handler run only when the call was interrupted. */
		if (self->has_saved_mask && r->rax != (uint64_t)-EINTR) {
			self->blocked_signals = self->saved_blocked_signals;
			self->has_saved_mask = false;
		}
		signal_deliver(self, r);
		break;
	}
	self->keeps_extended = kept;
	/* A handler may have jumped out of a call; what is below is gone. */
	self->call = outer > r ? outer : NULL;
}
