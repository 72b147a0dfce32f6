/* signal.c: see signal.h. The frames are in world/frame.c. */
#include "world/signal.h"

#include <errno.h>
#include <string.h>

#include "rt/sys.h"
#include "world/clock.h"
#include "world/frame.h"
#include "world/log.h"
#include "world/parts.h"
#include "world/switch.h"

#define SIGNALS 64
#define POOL 512u

struct pending_signal {
	struct pending_signal *next;
	siginfo_t info;
};

static struct kernel_action actions[SIGNALS + 1];
static bool is_caught[SIGNALS + 1]; /* the kernel calls us for it */
static struct pending_signal *process_pending;
static uint64_t process_pending_signals;
static struct pending_signal pool[POOL], *pool_free;

/* Filled by a handler of ours, at any instruction. */
#define ARRIVED 64u
static siginfo_t arrived[ARRIVED];
static volatile uint32_t arrived_in, arrived_out;

static uint64_t bit(int number)
{
	return 1ul << (number - 1);
}

#define UNBLOCKABLE (1ul << (SIGKILL - 1) | 1ul << (SIGSTOP - 1))

enum effect { EFFECT_IGNORE, EFFECT_DIE, EFFECT_STOP, EFFECT_HANDLE };

static enum effect effect_of(int number)
{
	if (actions[number].handler == (uintptr_t)SIG_IGN)
		return EFFECT_IGNORE;
	if (actions[number].handler != (uintptr_t)SIG_DFL)
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

/* Queues. */

static bool queue_add(struct pending_signal **queue, uint64_t *set, int number, const siginfo_t *info)
{
	if (number < 32 && (*set & bit(number)))
		return true; /* ordinary signals do not queue */
	struct pending_signal *signal = pool_free;
	if (!signal)
		return false;
	pool_free = signal->next;
	signal->info = *info;
	signal->info.si_signo = number;
	signal->next = NULL;
	while (*queue)
		queue = &(*queue)->next;
	*queue = signal;
	*set |= bit(number);
	return true;
}

/* Takes the first one with the lowest number in the mask. */
static int queue_take(struct pending_signal **queue, uint64_t *set, uint64_t mask, siginfo_t *info)
{
	uint64_t wanted = *set & mask;
	if (!wanted)
		return 0;
	int number = __builtin_ctzl(wanted) + 1;
	struct pending_signal *found = NULL;
	bool is_more = false;
	for (struct pending_signal **at = queue; *at;) {
		if ((*at)->info.si_signo != number) {
			at = &(*at)->next;
		} else if (!found) {
			found = *at;
			*at = found->next;
		} else {
			is_more = true;
			break;
		}
	}
	if (!is_more)
		*set &= ~bit(number);
	if (!found)
		return 0;
	*info = found->info;
	found->next = pool_free;
	pool_free = found;
	return number;
}

void signal_forget(struct thread *thread)
{
	while (thread->pending) {
		struct pending_signal *first = thread->pending;
		thread->pending = first->next;
		first->next = pool_free;
		pool_free = first;
	}
	thread->pending_signals = 0;
}

static void queue_drop(struct pending_signal **queue, uint64_t *set, int number)
{
	siginfo_t ignored;
	while (*set & bit(number))
		queue_take(queue, set, bit(number), &ignored);
}

static int take(struct thread *self, uint64_t mask, siginfo_t *info)
{
	int number = queue_take(&self->pending, &self->pending_signals, mask, info);
	return number ? number : queue_take(&process_pending, &process_pending_signals, mask, info);
}

bool signal_is_deliverable(const struct thread *self)
{
	return ((self->pending_signals | process_pending_signals) & ~self->blocked_signals) != 0;
}

/* Sending. */

static bool waits_for(const struct thread *thread, int number)
{
	return thread->state == THREAD_BLOCKED && thread->wait.kind == WAIT_SIGNAL &&
	       (*(const volatile uint64_t *)thread->wait.object & bit(number));
}

static void notify(struct thread *thread, int number)
{
	if (thread->state != THREAD_BLOCKED)
		return;
	if (waits_for(thread, number))
		thread_wake(thread, WAKE_DONE);
	else if (thread->wait.is_interruptible && !(thread->blocked_signals & bit(number)))
		thread_wake(thread, WAKE_SIGNAL);
}

/* The one that should take a signal to the process: who waits for it, then the first thread, then any. */
static struct thread *taker(int number)
{
	struct thread *best = NULL;
	for (uint32_t i = 0; i < world.live_count; i++) {
		struct thread *thread = world.live[i];
		if (waits_for(thread, number))
			return thread;
		if (!(thread->blocked_signals & bit(number)) && (!best || thread->index < best->index))
			best = thread;
	}
	return best;
}

bool signal_send(struct thread *thread, int number, const siginfo_t *info)
{
	struct thread *receiver = thread ? thread : taker(number);
	bool is_awaited = receiver && (waits_for(receiver, number) || (receiver->blocked_signals & bit(number)));
	if (effect_of(number) == EFFECT_IGNORE && !is_awaited)
		return true;
	if (number == SIGCONT)
		for (int stop = SIGSTOP; stop <= SIGTTOU; stop++)
			queue_drop(&process_pending, &process_pending_signals, stop);
	/* Who was chosen takes it, and nobody else: it is that thread's call that is interrupted. */
	bool is_chosen = thread || (receiver && !(receiver->blocked_signals & bit(number)));
	bool is_queued = is_chosen ? queue_add(&receiver->pending, &receiver->pending_signals, number, info)
				   : queue_add(&process_pending, &process_pending_signals, number, info);
	if (receiver)
		notify(receiver, number);
	return is_queued;
}

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

/* From the kernel. */

/* Whether the default action ends the process and somebody lets it: then it does so at once, as without us. A thread that
 * never has an event could not be ended otherwise. What the program does to itself goes through the log. */
static bool ends_at_once(int number)
{
	if (effect_of(number) != EFFECT_DIE || number == SIGPIPE || number == SIGXFSZ)
		return false;
	for (uint32_t i = 0; i < world.live_count; i++)
		if (!(world.live[i]->blocked_signals & bit(number)) && !waits_for(world.live[i], number))
			return true;
	return false;
}

static void on_arrival(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (ends_at_once(number))
		signal_die(number);
	if (arrived_in - arrived_out < ARRIVED) {
		arrived[arrived_in % ARRIVED] = *info;
		arrived_in++;
	}
	world.is_signalled = true;
}

/* Those whose handler in the kernel is always ours. */
static bool is_fault(int number)
{
	return number == SIGSYS || number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
	       number == SIGTRAP;
}

static void catch (int number)
{
	if ((is_caught[number] && number != SIGCHLD) || number == SIGKILL || number == SIGSTOP || is_fault(number) ||
	    world.is_replaying)
		return;
	is_caught[number] = true;
	frame_install(number, on_arrival, SA_ONSTACK | (actions[number].flags & (SA_NOCLDSTOP | SA_NOCLDWAIT)), ~0ul);
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

static uint64_t mask_of(const struct thread *self, const struct kernel_action *action, int number)
{
	uint64_t mask = self->blocked_signals | action->mask;
	return action->flags & SA_NODEFER ? mask : mask | bit(number);
}

/* An instruction faulted. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	struct registers registers;
	struct thread *self = world.current;
	if (info->si_code <= 0) {
		on_arrival(number, info, context);
		return;
	}
	frame_read(context, &registers);
	if (registers.rip == (uintptr_t)spin_look) {
		registers.rip = (uintptr_t)spin_look_failed;
		frame_write(context, &registers);
		return;
	}
	if (number == SIGSEGV && clock_counter(&registers)) {
		frame_write(context, &registers);
		return;
	}
	if (world.is_ending || !world.is_on)
		signal_die(number);
	if (actions[number].handler == (uintptr_t)SIG_DFL || actions[number].handler == (uintptr_t)SIG_IGN ||
	    (self->blocked_signals & bit(number))) {
		self->kind = HEDDLE_EVENT_SIGNAL;
		self->object = info->si_addr;
		report_fault(number, info, &registers);
		world_end(HEDDLE_OUTCOME_SIGNAL, number);
	}
	struct kernel_action action = actions[number];
	if (action.flags & SA_RESETHAND)
		actions[number].handler = (uintptr_t)SIG_DFL;
	world.hash = (world.hash ^ (uint64_t)number << 32) * 0x9e3779b97f4a7c15ul;
	frame_push(self, &registers, &action, number, info);
	self->blocked_signals = mask_of(self, &action, number) & ~UNBLOCKABLE;
	frame_write(context, &registers);
}

int signal_start(void)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };
	for (uint32_t i = 0; i < POOL; i++) {
		pool[i].next = pool_free;
		pool_free = &pool[i];
	}
	for (int number = 1; number <= SIGNALS; number++) {
		struct kernel_action old;
		if (sys_call(SYS_rt_sigaction, number, 0, (long)&old, 8, 0, 0) == 0 &&
		    old.handler == (uintptr_t)SIG_IGN)
			actions[number] = old;
	}
	if (frame_start() < 0)
		return -1;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		frame_install(faults[i], on_fault, SA_ONSTACK | SA_NODEFER, 0);
	uint64_t mask = 0;
	sys_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, (long)&world.current->blocked_signals, 8, 0, 0);
	for (int number = 1; number <= SIGNALS; number++)
		if (world.current->blocked_signals & bit(number))
			catch (number);
	/* Of the program's own doing: the log has to know, whatever becomes of it. */
	if (effect_of(SIGPIPE) != EFFECT_IGNORE)
		catch (SIGPIPE);
	if (effect_of(SIGXFSZ) != EFFECT_IGNORE)
		catch (SIGXFSZ);
	return 0;
}

void signal_leave(const struct thread *self)
{
	for (int number = 1; number <= SIGNALS; number++)
		if (number != SIGKILL && number != SIGSTOP)
			sys_call(SYS_rt_sigaction, number, (long)&actions[number], 0, 8, 0, 0);
	stack_t stack = { .ss_sp = self->alternate_stack,
			  .ss_flags = self->alternate_size ? 0 : SS_DISABLE,
			  .ss_size = self->alternate_size };
	sys_call(SYS_sigaltstack, (long)&stack, 0, 0, 0, 0, 0);
	sys_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&self->blocked_signals, 0, 8, 0, 0);
}

/* Delivering. */

/* Takes the next signal that has a handler; the others have their effect here. */
static int next_handled(struct thread *self, siginfo_t *info, struct kernel_action *action)
{
	int number;
	while ((number = take(self, ~self->blocked_signals, info)) != 0) {
		switch (effect_of(number)) {
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
			*action = actions[number];
			if (actions[number].flags & SA_RESETHAND)
				actions[number].handler = (uintptr_t)SIG_DFL;
			return number;
		}
	}
	return 0;
}

void signal_deliver(struct thread *self, struct registers *registers)
{
	siginfo_t info;
	struct kernel_action action;
	int number = signal_is_deliverable(self) ? next_handled(self, &info, &action) : 0;
	bool is_always = registers->rax == (uint64_t)-RESTART_ALWAYS;
	bool is_restartable = is_always || registers->rax == (uint64_t)-RESTART;
	if (number == 0) {
		if (self->has_saved_mask) {
			self->blocked_signals = self->saved_blocked_signals;
			self->has_saved_mask = false;
		}
		if (is_restartable)
			registers->rax = (uint64_t)-EINTR; /* the caller makes it again: see world_syscall */
		return;
	}
	world.hash = (world.hash ^ (uint64_t)number << 32) * 0x9e3779b97f4a7c15ul;
	if (is_always || (is_restartable && (action.flags & SA_RESTART))) {
		registers->rax = registers->number;
		registers->rip -= 2; /* back to the instruction: see signal_return for patched ones */
	} else if (is_restartable) {
		registers->rax = (uint64_t)-EINTR;
	}
	frame_push(self, registers, &action, number, &info);
	self->blocked_signals = mask_of(self, &action, number) & ~UNBLOCKABLE;
}

/* frame_push keeps the mask to go back to: that of before a temporary one. */

void signal_call_handlers(struct thread *self)
{
	siginfo_t info;
	struct kernel_action action;
	int number;
	while (signal_is_deliverable(self) && (number = next_handled(self, &info, &action)) != 0) {
		uint64_t old = self->blocked_signals;
		bool keeps = self->keeps_extended;
		world.hash = (world.hash ^ (uint64_t)number << 32) * 0x9e3779b97f4a7c15ul;
		self->blocked_signals = mask_of(self, &action, number) & ~UNBLOCKABLE;
		frame_call(self, &action, number, &info);
		self->keeps_extended = keeps;
		self->blocked_signals = old;
	}
}

void signal_return(struct registers *registers)
{
	struct thread *self = world.current;
	frame_pop(self, registers);
}

/* System calls. */

static long set_action(int number, const struct kernel_action *action, struct kernel_action *old)
{
	if (number < 1 || number > SIGNALS || (action && (number == SIGKILL || number == SIGSTOP)))
		return -EINVAL;
	struct kernel_action before = actions[number];
	if (action) {
		actions[number] = *action;
		actions[number].mask &= ~UNBLOCKABLE;
		if (effect_of(number) == EFFECT_HANDLE || number == SIGPIPE || number == SIGXFSZ) {
			catch (number);
		} else if (actions[number].handler == (uintptr_t)SIG_DFL && !is_caught[number] && !world.is_replaying) {
			struct kernel_action plain = { .handler = (uintptr_t)SIG_DFL };
			if (!is_fault(number))
				sys_call(SYS_rt_sigaction, number, (long)&plain, 0, 8, 0, 0);
		}
		if (effect_of(number) == EFFECT_IGNORE) {
			queue_drop(&process_pending, &process_pending_signals, number);
			for (uint32_t i = 0; i < world.live_count; i++)
				queue_drop(&world.live[i]->pending, &world.live[i]->pending_signals, number);
			/* The kernel must know: it reaps children, and keeps no signal that is ignored. */
			if (actions[number].handler == (uintptr_t)SIG_IGN && !world.is_replaying && !is_fault(number)) {
				struct kernel_action ignore = { .handler = (uintptr_t)SIG_IGN };
				sys_call(SYS_rt_sigaction, number, (long)&ignore, 0, 8, 0, 0);
				is_caught[number] = false;
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
		uint64_t value = *set & ~UNBLOCKABLE;
		if (how == SIG_BLOCK)
			self->blocked_signals |= value;
		else if (how == SIG_UNBLOCK)
			self->blocked_signals &= ~value;
		else if (how == SIG_SETMASK)
			self->blocked_signals = value;
		else
			return -EINVAL;
		for (uint64_t blocked = self->blocked_signals & ~before; blocked; blocked &= blocked - 1)
			catch (__builtin_ctzl(blocked) + 1);
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
	set &= ~UNBLOCKABLE;
	for (uint64_t left = set; left; left &= left - 1)
		catch (__builtin_ctzl(left) + 1);
	for (;;) {
		int number = take(self, set, &info);
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
	self->blocked_signals = mask & ~UNBLOCKABLE;
	for (uint64_t left = mask; left; left &= left - 1)
		catch (__builtin_ctzl(left) + 1);
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
		info = &own;
	}
	struct thread *thread = tid ? thread_find(tid) : NULL;
	if ((pid && pid != WORLD_PID) || (tid && !thread))
		return -ESRCH;
	return number && !signal_send(thread, number, info) ? -EAGAIN : 0;
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
		if (is_on)
			return -EPERM;
		if (set->ss_flags & SS_DISABLE) {
			self->alternate_size = 0;
			self->alternate_stack = NULL;
		} else {
			if (set->ss_size < 2048)
				return -ENOMEM;
			self->alternate_stack = set->ss_sp;
			self->alternate_size = set->ss_size;
			self->alternate_flags = set->ss_flags & ~SS_ONSTACK;
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
		*(uint64_t *)r->rdi = (self->pending_signals | process_pending_signals) & self->blocked_signals;
		*result = 0;
		return true;
	case SYS_rt_sigtimedwait:
		*result =
			wait_for(self, *(const uint64_t *)r->rdi, (siginfo_t *)r->rsi, (const struct timespec *)r->rdx);
		return true;
	case SYS_rt_sigsuspend:
		signal_set_temporary_mask(self, *(const uint64_t *)r->rdi);
		*result = suspend(self);
		return true;
	case SYS_pause:
		*result = suspend(self);
		return true;
	case SYS_kill:
		if ((int32_t)r->rdi != WORLD_PID && (int32_t)r->rdi != 0)
			return false; /* somebody else */
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
