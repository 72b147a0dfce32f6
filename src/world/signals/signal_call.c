/* signal_call.c: the system calls about signals. */
#include <errno.h>
#include <string.h>

#include "rt/sys.h"
#include "world/kernel/clock.h"
#include "world/kernel/process.h"
#include "world/signals/signal_priv.h"

static long set_action(int number, const struct kernel_action *action, struct kernel_action *old)
{
	if (number < 1 || number > SIGNALS || (action && (number == SIGKILL || number == SIGSTOP)))
		return -EINVAL;
	struct kernel_action before = signal_actions[number];
	if (action) {
		struct kernel_action copy = *action;
		signal_actions[number] = copy;
		signal_actions[number].mask &= ~SIGNAL_UNBLOCKABLE;
		if (signal_effect_of(number) == EFFECT_HANDLE || number == SIGPIPE || number == SIGXFSZ) {
			signal_catch(number);
		} else if (signal_actions[number].handler == (uintptr_t)SIG_DFL && !signal_is_caught[number] &&
			   !world.is_replaying) {
			struct kernel_action plain = { .handler = (uintptr_t)SIG_DFL };
			if (!signal_is_fault(number))
				sys_call(SYS_rt_sigaction, number, (long)&plain, 0, 8, 0, 0);
		}
		if (signal_effect_of(number) == EFFECT_IGNORE) {
			signal_drop(number);
			/* The kernel must know: it reaps children, and keeps no signal that is ignored. */
			if (signal_actions[number].handler == (uintptr_t)SIG_IGN && !world.is_replaying &&
			    !signal_is_fault(number)) {
				struct kernel_action ignore = { .handler = (uintptr_t)SIG_IGN };
				sys_call(SYS_rt_sigaction, number, (long)&ignore, 0, 8, 0, 0);
				signal_is_caught[number] = false;
			}
		}
	}
	if (old)
		*old = before;
	return 0;
}

static long set_mask(struct thread *self, int how, const uint64_t *set, uint64_t *old)
{
	uint64_t before = self->blocked_signals;
	if (set) {
		uint64_t value = *set & ~SIGNAL_UNBLOCKABLE;
		if (how == SIG_BLOCK)
			self->blocked_signals |= value;
		else if (how == SIG_UNBLOCK)
			self->blocked_signals &= ~value;
		else if (how == SIG_SETMASK)
			self->blocked_signals = value;
		else
			return -EINVAL;
		for (uint64_t blocked = self->blocked_signals & ~before; blocked; blocked &= blocked - 1)
			signal_catch(__builtin_ctzl(blocked) + 1);
	}
	if (old)
		*old = before;
	return 0;
}

static long wait_for(struct thread *self, uint64_t set, siginfo_t *out, const struct timespec *timeout)
{
	siginfo_t info;
	uint64_t deadline = timeout ? clock_after(timeout) : NO_DEADLINE;
	if (timeout && !clock_is_valid(timeout))
		return -EINVAL;
	set &= ~SIGNAL_UNBLOCKABLE;
	for (uint64_t left = set; left; left &= left - 1)
		signal_catch(__builtin_ctzl(left) + 1);
	for (;;) {
		int number = signal_take(self, set, &info);
		if (number) {
			if (out)
				*out = info;
			return number;
		}
		if (clock_now() >= deadline)
			return -EAGAIN;
		self->wait = (struct wait){
			.kind = WAIT_SIGNAL, .object = &set, .deadline_ns = deadline, .is_interruptible = true
		};
		if (thread_block(self) == WAKE_SIGNAL)
			return -EINTR;
	}
}

void signal_set_temporary_mask(struct thread *self, uint64_t mask)
{
	if (!self->has_saved_mask)
		self->saved_blocked_signals = self->blocked_signals;
	self->has_saved_mask = true;
	self->blocked_signals = mask & ~SIGNAL_UNBLOCKABLE;
	for (uint64_t left = mask; left; left &= left - 1)
		signal_catch(__builtin_ctzl(left) + 1);
}

static long suspend(struct thread *self)
{
	static const uint64_t none = 0;
	self->wait = (struct wait){
		.kind = WAIT_SIGNAL, .object = &none, .deadline_ns = NO_DEADLINE, .is_interruptible = true
	};
	thread_block(self);
	return -EINTR;
}

static long send_to(int32_t pid, int32_t tid, int number, const siginfo_t *info)
{
	siginfo_t own;
	if (number < 0 || number > SIGNALS)
		return -EINVAL;
	if (!info) {
		memset(&own, 0, sizeof own);
		own.si_signo = number;
		own.si_code = tid ? SI_TKILL : SI_USER;
		own.si_pid = WORLD_PID;
		own.si_uid = (uid_t)sys_call(SYS_getuid, 0, 0, 0, 0, 0, 0);
	} else {
		own = *info;
	}
	struct thread *thread = tid ? thread_find(tid) : NULL;
	if ((pid && pid != WORLD_PID) || (tid && !thread))
		return -ESRCH;
	return number && !signal_send(thread, number, &own) ? -EAGAIN : 0;
}

static long set_stack(struct thread *self, const struct registers *registers, const stack_t *set, stack_t *old)
{
	bool is_on = registers->rsp - (uintptr_t)self->alternate_stack < self->alternate_size;
	stack_t before = { .ss_sp = self->alternate_stack,
			   .ss_size = self->alternate_size,
			   .ss_flags = !self->alternate_size ? SS_DISABLE
				       : is_on               ? SS_ONSTACK
							     : self->alternate_flags };
	if (set) {
		stack_t copy = *set;
		if (is_on)
			return -EPERM;
		if (copy.ss_flags & SS_DISABLE) {
			self->alternate_size = 0;
			self->alternate_stack = NULL;
		} else {
			if (copy.ss_size < 2048)
				return -ENOMEM;
			self->alternate_stack = copy.ss_sp;
			self->alternate_size = copy.ss_size;
			self->alternate_flags = copy.ss_flags & ~SS_ONSTACK;
		}
	}
	if (old)
		*old = before;
	return 0;
}

bool signal_syscall(struct registers *r, long *result)
{
	struct thread *self = world.current;
	switch (r->number) {
	case SYS_rt_sigaction:
		*result = r->r10 != 8 ? -EINVAL
				      : set_action((int)r->rdi, (const struct kernel_action *)r->rsi,
						   (struct kernel_action *)r->rdx);
		return true;
	case SYS_rt_sigprocmask:
		*result = r->r10 != 8 ? -EINVAL : set_mask(self, (int)r->rdi, (uint64_t *)r->rsi, (uint64_t *)r->rdx);
		return true;
	case SYS_rt_sigpending:
		*result = r->rsi > 8 ? -EINVAL : 0;
		if (*result == 0)
			memcpy((void *)r->rdi, &(uint64_t){ signal_pending(self) & self->blocked_signals }, r->rsi);
		return true;
	case SYS_rt_sigtimedwait:
		*result = r->r10 != 8 ? -EINVAL
				      : wait_for(self, *(const uint64_t *)r->rdi, (siginfo_t *)r->rsi,
						 (const struct timespec *)r->rdx);
		return true;
	case SYS_rt_sigsuspend:
		if (r->rsi != 8) {
			*result = -EINVAL;
			return true;
		}
		signal_set_temporary_mask(self, *(const uint64_t *)r->rdi);
		*result = suspend(self);
		return true;
	case SYS_pause:
		*result = suspend(self);
		return true;
	case SYS_kill:
		if (r->rsi > SIGNALS) {
			*result = -EINVAL;
			return true;
		}
		if ((int32_t)r->rdi != WORLD_PID &&
		    ((int32_t)r->rdi > 0 || (int32_t)r->rdi == -1 || !group_send(-(int32_t)r->rdi, (int)r->rsi)))
			return false; /* for other processes */
		*result = send_to(WORLD_PID, 0, (int)r->rsi, NULL);
		return true;
	case SYS_tkill:
		*result = send_to(0, (int32_t)r->rdi, (int)r->rsi, NULL);
		return true;
	case SYS_tgkill:
		*result = send_to((int32_t)r->rdi, (int32_t)r->rsi, (int)r->rdx, NULL);
		return true;
	case SYS_rt_sigqueueinfo:
		if ((int32_t)r->rdi != WORLD_PID)
			return false;
		*result = send_to(WORLD_PID, 0, (int)r->rsi, (const siginfo_t *)r->rdx);
		return true;
	case SYS_rt_tgsigqueueinfo:
		*result = send_to((int32_t)r->rdi, (int32_t)r->rsi, (int)r->rdx, (const siginfo_t *)r->r10);
		return true;
	case SYS_sigaltstack:
		*result = set_stack(self, r, (const stack_t *)r->rdi, (stack_t *)r->rsi);
		return true;
	default:
		return false;
	}
}
