/* signal_queue.c: signals that wait to be delivered, and which thread takes them. */
#include <string.h>

#include "rt/sys.h"
#include "world/kernel/clock.h"
#include "world/signals/signal_priv.h"

#define POOL 32768u /* about what the kernel allows a user */

struct pending_signal {
	struct pending_signal *next;
	siginfo_t info;
};

static struct pending_signal *process_pending;
static uint64_t process_pending_signals;
static struct pending_signal *pool, *pool_free;
static uint32_t pool_used;

int signal_queue_start(void)
{
	pool = world_pages(POOL * sizeof *pool);
	return pool ? 0 : -1;
}

static struct pending_signal *pool_take(void)
{
	struct pending_signal *signal = pool_free;
	if (signal)
		pool_free = signal->next;
	else if (pool_used < POOL)
		signal = &pool[pool_used++];
	return signal;
}

static bool queue_add(struct pending_signal **queue, uint64_t *set, int number, const siginfo_t *info)
{
	if (number < 32 && (*set & signal_bit(number)) && info->si_code != SI_TIMER)
		return true; /* ordinary signals do not queue, but timers have a place of their own */
	struct pending_signal *signal = pool_take();
	if (!signal)
		return false;
	signal->info = *info;
	signal->info.si_signo = number;
	signal->next = NULL;
	while (*queue)
		queue = &(*queue)->next;
	*queue = signal;
	*set |= signal_bit(number);
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
		*set &= ~signal_bit(number);
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
	while (*set & signal_bit(number))
		queue_take(queue, set, signal_bit(number), &ignored);
}

int signal_take(struct thread *self, uint64_t mask, siginfo_t *info)
{
	int number = queue_take(&self->pending, &self->pending_signals, mask, info);
	if (!number)
		number = queue_take(&process_pending, &process_pending_signals, mask, info);
	if (number && info->si_code == SI_TIMER)
		timer_delivered(info->si_timerid, info->si_overrun);
	return number;
}

/* A timer has one signal at most that waits: while it does, expirations are counted there. */
static bool count_overrun(struct pending_signal *queue, const siginfo_t *info)
{
	for (; queue; queue = queue->next)
		if (queue->info.si_code == SI_TIMER && queue->info.si_timerid == info->si_timerid) {
			queue->info.si_overrun += 1 + info->si_overrun;
			return true;
		}
	return false;
}

static bool is_overrun(const siginfo_t *info)
{
	bool is_counted = info->si_code == SI_TIMER && count_overrun(process_pending, info);
	for (uint32_t i = 0; info->si_code == SI_TIMER && !is_counted && i < world.live_count; i++)
		is_counted = count_overrun(world.live[i]->pending, info);
	return is_counted;
}

bool signal_is_deliverable(const struct thread *self)
{
	return ((self->pending_signals | process_pending_signals) & ~self->blocked_signals) != 0;
}

uint64_t signal_pending(const struct thread *self)
{
	return self->pending_signals | process_pending_signals;
}

static uint32_t give_queue(const struct pending_signal *signal, uint64_t mask)
{
	uint32_t count = 0;
	for (; signal; signal = signal->next) {
		siginfo_t info = signal->info;
		if (!(mask & signal_bit(info.si_signo)))
			continue;
		if (info.si_code <= 0 && info.si_pid == WORLD_PID)
			info.si_pid = (pid_t)sys_pid();
		count += sys_call(SYS_rt_tgsigqueueinfo, sys_pid(), sys_tid(), info.si_signo, (long)&info, 0, 0) == 0;
	}
	return count;
}

uint32_t signal_give_kernel(const struct thread *self)
{
	return give_queue(self->pending, self->blocked_signals) + give_queue(process_pending, self->blocked_signals);
}

void signal_drop(int number)
{
	queue_drop(&process_pending, &process_pending_signals, number);
	for (uint32_t i = 0; i < world.live_count; i++)
		queue_drop(&world.live[i]->pending, &world.live[i]->pending_signals, number);
}

bool signal_waits_for(const struct thread *thread, int number)
{
	return thread->state == THREAD_BLOCKED && thread->wait.kind == WAIT_SIGNAL &&
	       (*(const volatile uint64_t *)thread->wait.object & signal_bit(number));
}

static void notify(struct thread *thread, int number)
{
	if (thread->state != THREAD_BLOCKED)
		return;
	if (signal_waits_for(thread, number))
		thread_wake(thread, WAKE_DONE);
	else if (thread->wait.is_interruptible && !(thread->blocked_signals & signal_bit(number)))
		thread_wake(thread, WAKE_SIGNAL);
}

/* The thread that should take a signal to the process: one that waits for it, then the first thread, then any. */
static struct thread *taker(int number)
{
	struct thread *best = NULL;
	for (uint32_t i = 0; i < world.live_count; i++) {
		struct thread *thread = world.live[i];
		if (signal_waits_for(thread, number))
			return thread;
		if (!(thread->blocked_signals & signal_bit(number)) && (!best || thread->index < best->index))
			best = thread;
	}
	return best;
}

bool signal_send(struct thread *thread, int number, const siginfo_t *info)
{
	struct thread *receiver = thread ? thread : taker(number);
	bool is_awaited =
		receiver && (signal_waits_for(receiver, number) || (receiver->blocked_signals & signal_bit(number)));
	if (signal_effect_of(number) == EFFECT_IGNORE && !is_awaited)
		return true;
	if (is_overrun(info))
		return true;
	if (number == SIGCONT)
		for (int stop = SIGSTOP; stop <= SIGTTOU; stop++)
			queue_drop(&process_pending, &process_pending_signals, stop);
	/* Only the chosen thread takes it: that thread's call is interrupted. */
	bool is_chosen = thread || (receiver && !(receiver->blocked_signals & signal_bit(number)));
	bool is_queued = is_chosen ? queue_add(&receiver->pending, &receiver->pending_signals, number, info)
				   : queue_add(&process_pending, &process_pending_signals, number, info);
	if (receiver)
		notify(receiver, number);
	return is_queued;
}
