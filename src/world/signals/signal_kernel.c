/* signal_kernel.c: what the kernel reports to us: signals from outside, and instructions that faulted. */
#include <string.h>

#include "rt/debug.h"
#include "rt/enter/fault.h"
#include "rt/sys.h"
#include "world/kernel/clock.h"
#include "world/kernel/landing.h"
#include "world/log.h"
#include "world/parts.h"
#include "world/signals/signal_priv.h"

bool signal_is_caught[SIGNALS + 1];

/* Filled by a handler of ours, at any instruction. */
#define ARRIVED 64u
static siginfo_t arrived[ARRIVED];
static volatile uint32_t arrived_in, arrived_out;

_Noreturn void signal_die(int number)
{
	struct kernel_action action = { .handler = (uintptr_t)SIG_DFL };
	uint64_t mask = 0;
	sys_call(SYS_rt_sigaction, number, (long)&action, 0, 8, 0, 0);
	sys_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8, 0, 0);
	sys_call(SYS_tgkill, sys_pid(), sys_tid(), number, 0, 0, 0);
	for (;;)
		sys_call(SYS_exit_group, 128 + number, 0, 0, 0, 0, 0);
}

/* Whether the default action ends the process and some thread does not block the signal: then the process ends at
 * once, as without us. A thread that never has an event could not be ended otherwise. Signals that the program causes
 * itself go through the log. */
static bool ends_at_once(int number)
{
	if (signal_effect_of(number) != EFFECT_DIE || number == SIGPIPE || number == SIGXFSZ)
		return false;
	for (uint32_t i = 0; i < world.live_count; i++)
		if (!(world.live[i]->blocked_signals & signal_bit(number)) && !signal_waits_for(world.live[i], number))
			return true;
	return false;
}

static void on_arrival(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (ends_at_once(number)) {
		world_update_channel();
		signal_die(number);
	}
	if (arrived_in - arrived_out < ARRIVED) {
		arrived[arrived_in % ARRIVED] = *info;
		arrived_in++;
	}
	world.is_signalled = true;
}

bool signal_is_fault(int number)
{
	return number == SIGSYS || number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
	       number == SIGTRAP;
}

void signal_catch(int number)
{
	if ((signal_is_caught[number] && number != SIGCHLD) || number == SIGKILL || number == SIGSTOP ||
	    signal_is_fault(number) || world.is_replaying)
		return;
	signal_is_caught[number] = true;
	context_install(number, on_arrival, SA_ONSTACK | (signal_actions[number].flags & (SA_NOCLDSTOP | SA_NOCLDWAIT)),
			~0ul);
}

void signal_collect(void)
{
	world.is_signalled = false;
	while (arrived_out != arrived_in) {
		siginfo_t info = arrived[arrived_out % ARRIVED];
		arrived_out++;
		/* A broken pipe is for the thread that wrote into it. */
		if (info.si_signo == SIGPIPE || info.si_signo == SIGXFSZ)
			signal_from_outside(info.si_signo, &info, world.current->tid);
		else
			signal_from_outside(info.si_signo, &info, 0);
	}
}

/* A timer's signal goes the way of those from outside, so that a replay finds it at the same event. si_errno, which the
 * kernel leaves 0, names the thread. */
void signal_from_outside(int number, const siginfo_t *info, int32_t tid)
{
	siginfo_t copy = *info;
	copy.si_errno = tid;
	log_write_signal((uint32_t)number, &copy, sizeof copy);
	copy.si_errno = 0;
	signal_send(tid ? thread_find(tid) : NULL, number, &copy);
}

void signal_replayed(int number, const void *info, size_t size)
{
	siginfo_t copy;
	memset(&copy, 0, sizeof copy);
	memcpy(&copy, info, size < sizeof copy ? size : sizeof copy);
	struct thread *thread = copy.si_errno ? thread_find(copy.si_errno) : NULL;
	copy.si_errno = 0;
	if (copy.si_code == SI_TIMER)
		timer_replayed(copy.si_timerid);
	else if (copy.si_code == SI_KERNEL && number == SIGALRM)
		timer_replayed(0);
	else if (copy.si_code == SI_KERNEL && (number == SIGVTALRM || number == SIGPROF))
		timer_replayed(number == SIGVTALRM ? 1 : 2);
	if (number >= 1 && number <= SIGNALS)
		signal_send(thread, number, &copy);
}

bool signal_is_awaited(void)
{
	for (uint32_t i = 0; i < world.live_count; i++)
		if (world.live[i]->state == THREAD_BLOCKED && world.live[i]->wait.kind == WAIT_SIGNAL)
			return true;
	return false;
}

/* Those that people, shells and service managers send. Signals that the program causes itself, or that no one sends
 * (timers, children, terminals that change their size), could not help a thread that waits forever. */
static bool is_sent(int number)
{
	switch (number) {
	case SIGHUP:
	case SIGINT:
	case SIGQUIT:
	case SIGTERM:
	case SIGUSR1:
	case SIGUSR2:
	case SIGIO:
	case SIGPWR:
		return true;
	default:
		return number >= SIGRTMIN_FIRST;
	}
}

bool signal_could_help(void)
{
	uint64_t handled = 0;
	for (int number = 1; number <= SIGNALS; number++)
		if (is_sent(number) && signal_effect_of(number) == EFFECT_HANDLE)
			handled |= signal_bit(number);
	for (uint32_t i = 0; i < world.live_count; i++) {
		const struct thread *thread = world.live[i];
		if (thread->state == THREAD_BLOCKED && thread->wait.kind == WAIT_DESCRIPTORS &&
		    thread->wait.is_interruptible && (handled & ~thread->blocked_signals))
			return true;
	}
	return false;
}

/* For a debugger that watches: it sees the instruction fault once more, as if we were not there. Not after a trap, which
 * is behind its instruction. */
static bool is_shown_again(int number)
{
	static bool is_done;
	if (!heddle_debug.is_watched || is_done || frame_unfinished || number == SIGTRAP)
		return false;
	is_done = true;
	debug_stop(HEDDLE_DEBUG_FAULT);
	return true;
}

void signal_fault(int number, siginfo_t *info, void *context)
{
	struct registers registers;
	struct thread *self = world.current;
	if (info->si_code <= 0) {
		on_arrival(number, info, context);
		return;
	}
	context_read(context, &registers);
	if (registers.rip == (uintptr_t)spin_look) {
		registers.rip = (uintptr_t)spin_look_failed;
		context_write(context, &registers);
		return;
	}
	if ((number == SIGSEGV || number == SIGBUS) && world.is_on &&
	    landing_take(&registers, (uintptr_t)info->si_addr)) {
		context_write(context, &registers);
		return;
	}
	if (number == SIGSEGV && clock_counter(&registers)) {
		context_write(context, &registers);
		return;
	}
	if (world.is_ending || !world.is_on)
		signal_die(number);
	if (frame_unfinished) {
		registers = *frame_unfinished;
		number = SIGSEGV;
	}
	if (frame_unfinished || signal_actions[number].handler == (uintptr_t)SIG_DFL ||
	    signal_actions[number].handler == (uintptr_t)SIG_IGN || (self->blocked_signals & signal_bit(number))) {
		if (is_shown_again(number))
			return;
		self->kind = HEDDLE_EVENT_SIGNAL;
		self->object = info->si_addr;
		report_fault(number, info, &registers);
		world_end(HEDDLE_OUTCOME_SIGNAL, number);
	}
	struct kernel_action action = signal_actions[number];
	if (action.flags & SA_RESETHAND)
		signal_actions[number].handler = (uintptr_t)SIG_DFL;
	world.hash = (world.hash ^ (uint64_t)number << 32) * 0x9e3779b97f4a7c15ul;
	frame_push(self, &registers, &action, number, info);
	self->blocked_signals = signal_mask_of(self, &action, number) & ~SIGNAL_UNBLOCKABLE;
	context_write(context, &registers);
}

int signal_start(void)
{
	if (signal_queue_start() < 0)
		return -1;
	for (int number = 1; number <= SIGNALS; number++) {
		struct kernel_action old;
		if (sys_call(SYS_rt_sigaction, number, 0, (long)&old, 8, 0, 0) == 0 &&
		    old.handler == (uintptr_t)SIG_IGN)
			signal_actions[number] = old;
	}
	if (frame_start() < 0)
		return -1;
	fault_start();
	uint64_t mask = 0;
	sys_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, (long)&world.current->blocked_signals, 8, 0, 0);
	for (int number = 1; number <= SIGNALS; number++)
		if (world.current->blocked_signals & signal_bit(number))
			signal_catch(number);
	/* The program causes these itself: they go into the log in any case. */
	if (signal_effect_of(SIGPIPE) != EFFECT_IGNORE)
		signal_catch(SIGPIPE);
	if (signal_effect_of(SIGXFSZ) != EFFECT_IGNORE)
		signal_catch(SIGXFSZ);
	return 0;
}

void signal_leave(const struct thread *self)
{
	for (int number = 1; number <= SIGNALS; number++)
		if (number != SIGKILL && number != SIGSTOP)
			sys_call(SYS_rt_sigaction, number, (long)&signal_actions[number], 0, 8, 0, 0);
	stack_t stack = { .ss_sp = self->alternate_stack,
			  .ss_flags = self->alternate_size ? 0 : SS_DISABLE,
			  .ss_size = self->alternate_size };
	sys_call(SYS_sigaltstack, (long)&stack, 0, 0, 0, 0, 0);
	sys_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&self->blocked_signals, 0, 8, 0, 0);
}

static uint32_t given_count;

void signal_hand_over(const struct thread *self)
{
	sys_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&self->blocked_signals, 0, 8, 0, 0);
	given_count = signal_give_kernel(self);
}

void signal_take_back(const struct thread *self)
{
	const struct timespec now = { 0, 0 };
	uint64_t none = 0;
	while (given_count && sys_call(SYS_rt_sigtimedwait, (long)&self->blocked_signals, 0, (long)&now, 8, 0, 0) > 0)
		given_count--;
	sys_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, 8, 0, 0);
}
