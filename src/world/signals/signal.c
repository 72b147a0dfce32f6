/*
 * signal.c: see signal.h: what signals do and how they reach a thread. The queues are in signal_queue.c, the system
 * calls in signal_call.c, what the kernel reports to us in signal_kernel.c, the frames in frame.c.
 */
#include <errno.h>

#include "rt/observe.h"
#include "rt/sys.h"
#include "world/signals/signal_priv.h"

struct kernel_action signal_actions[SIGNALS + 1];

enum signal_effect signal_effect_of(int number)
{
	if (signal_actions[number].handler == (uintptr_t)SIG_IGN)
		return EFFECT_IGNORE;
	if (signal_actions[number].handler != (uintptr_t)SIG_DFL)
		return EFFECT_HANDLE;
	switch (number) {
	case SIGCHLD:
	case SIGURG:
	case SIGWINCH:
	case SIGCONT:
		return EFFECT_IGNORE;
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		return EFFECT_STOP;
	default:
		return EFFECT_DIE;
	}
}

uint64_t signal_mask_of(const struct thread *self, const struct kernel_action *action, int number)
{
	uint64_t mask = self->blocked_signals | action->mask;
	return action->flags & SA_NODEFER ? mask : mask | signal_bit(number);
}

/* Takes the next signal that has a handler; the others have their effect here. */
static int next_handled(struct thread *self, siginfo_t *info, struct kernel_action *action)
{
	int number;
	while ((number = signal_take(self, ~self->blocked_signals, info)) != 0) {
		switch (signal_effect_of(number)) {
		case EFFECT_IGNORE:
			break;
		case EFFECT_STOP:
			sys_call(SYS_kill, sys_pid(), SIGSTOP, 0, 0, 0, 0);
			break;
		case EFFECT_DIE:
			self->kind = HEDDLE_EVENT_SIGNAL;
			report_fault(number, info, NULL);
			world_end(HEDDLE_OUTCOME_SIGNAL, number);
		case EFFECT_HANDLE:
			*action = signal_actions[number];
			if (signal_actions[number].flags & SA_RESETHAND)
				signal_actions[number].handler = (uintptr_t)SIG_DFL;
			return number;
		}
	}
	return 0;
}

bool signal_push(struct thread *self, struct registers *registers)
{
	siginfo_t info;
	struct kernel_action action;
	int number;
	bool is_first = true;
	while (signal_is_deliverable(self) && (number = next_handled(self, &info, &action)) != 0) {
		bool is_always = registers->rax == (uint64_t)-RESTART_ALWAYS;
		bool is_interrupted = is_always || registers->rax == (uint64_t)-RESTART;
		if (is_first && is_interrupted && (is_always || (action.flags & SA_RESTART))) {
			registers->rax = registers->number;
			registers->rip -= 2; /* back to the instruction, also when it was patched: see patch.h */
		} else if (is_first && is_interrupted) {
			registers->rax = (uint64_t)-EINTR;
		}
		is_first = false;
		world.hash = (world.hash ^ (uint64_t)number << 32) * 0x9e3779b97f4a7c15ul;
		self->keeps_extended = false;
		self->call = NULL; /* a report shows where the handler stands */
		observe_signal_handled();
		frame_push(self, registers, &action, number, &info);
		self->blocked_signals = signal_mask_of(self, &action, number) & ~SIGNAL_UNBLOCKABLE;
	}
	return !is_first;
}

void signal_deliver(struct thread *self, struct registers *registers)
{
	/* frame_push keeps the mask to go back to: that of before a temporary one. */
	if (signal_push(self, registers))
		return;
	if (self->has_saved_mask) {
		self->blocked_signals = self->saved_blocked_signals;
		self->has_saved_mask = false;
	}
	if (registers->rax == (uint64_t)-RESTART || registers->rax == (uint64_t)-RESTART_ALWAYS)
		registers->rax = (uint64_t)-EINTR; /* the caller makes it again: see world_syscall */
}

void signal_call_handlers(struct thread *self)
{
	while (signal_is_deliverable(self)) {
		bool keeps = self->keeps_extended;
		const struct registers *call = self->call;
		frame_interrupt(self);
		self->call = call;
		self->keeps_extended = keeps;
	}
}

void signal_return(struct registers *registers)
{
	frame_pop(world.current, registers);
}
