/*
 * futex.c: futexes of coroutines. Waiters of an address stand in one queue in the order they came, as in the kernel
 * for threads of equal priority. Priority inheritance has no meaning here: such a futex is only a lock whose word holds
 * its owner.
 *
 * A futex in memory that is shared with other processes may be waited for and woken by them, in the kernel. We wake
 * the waiters in the kernel; whether one of our threads was woken is inferred from the word, which is read from time
 * to time.
 */
#include <errno.h>
#include <linux/futex.h>
#include <time.h>

#include "rt/sys.h"
#include "world/kernel/clock.h"
#include "world/kernel/share.h"
#include "world/log.h"
#include "world/parts.h"
#include "world/signals/signal.h"

#define BUCKETS 256u
#define OWNERS_MAX 1000000u

static struct bucket {
	struct thread *first, *last;
} buckets[BUCKETS];

static struct bucket *bucket_of(const volatile void *address)
{
	return &buckets[((uintptr_t)address >> 2) * 0x9e3779b97f4a7c15ul >> 56];
}

static void enqueue(struct thread *thread, const volatile void *address)
{
	struct bucket *bucket = bucket_of(address);
	if (thread->futex_next || thread->futex_previous || bucket->last == thread)
		RT_BUG("a thread waits at two futexes");
	thread->wait.object = address;
	thread->futex_next = NULL;
	thread->futex_previous = bucket->last;
	if (bucket->last)
		bucket->last->futex_next = thread;
	else
		bucket->first = thread;
	bucket->last = thread;
}

void futex_forget(struct thread *thread)
{
	struct bucket *bucket = bucket_of(thread->wait.object);
	if ((thread->futex_previous ? thread->futex_previous->futex_next : bucket->first) != thread ||
	    (thread->futex_next ? thread->futex_next->futex_previous : bucket->last) != thread)
		RT_BUG("a thread leaves the queue of a futex that it is not in");
	if (thread->futex_previous)
		thread->futex_previous->futex_next = thread->futex_next;
	else
		bucket->first = thread->futex_next;
	if (thread->futex_next)
		thread->futex_next->futex_previous = thread->futex_previous;
	else
		bucket->last = thread->futex_previous;
	thread->futex_next = thread->futex_previous = NULL;
}

int futex_wake_address(const volatile void *address, int count, uint32_t bitset)
{
	int woken = 0;
	for (struct thread *thread = bucket_of(address)->first, *next; thread && woken < count; thread = next) {
		next = thread->futex_next;
		if (thread->wait.object != address || !(thread->wait.bitset & bitset))
			continue;
		thread_wake(thread, WAKE_DONE);
		woken++;
	}
	return woken;
}

bool futex_has_changed(const struct thread *thread)
{
	return __atomic_load_n((const uint32_t *)thread->wait.object, __ATOMIC_RELAXED) != thread->wait.value;
}

/* The last of the others may have changed it before it ended: so the word is looked at after them. */
bool futex_is_outside(const struct thread *thread)
{
	return thread->state == THREAD_BLOCKED && thread->wait.kind == WAIT_FUTEX && thread->wait.is_shared &&
	       !world.is_replaying &&
	       (share_is_outside(thread->wait.object) || (share_was_used() && futex_has_changed(thread)));
}

_Noreturn void futex_refuse_replay(void)
{
	world_fail(HEDDLE_OUTCOME_REFUSED,
		   "the run waited for another process through shared memory, and the writes of that process are not "
		   "in the trace: it cannot be replayed",
		   NULL);
}

/* Wakes waiters of other processes, in the kernel. Their number goes into the log. */
static int wake_others(uint32_t *address, int count)
{
	long woken = 0;
	if (world.is_replaying) {
		if (log_next.tag == HEDDLE_RECORD_CALL && log_next.value[0] == SYS_futex) {
			woken = (long)log_next.value[1];
			log_advance();
		}
		return (int)woken;
	}
	if (count > 0 && share_is_outside(address))
		woken = sys_call(SYS_futex, (long)address, FUTEX_WAKE, count, 0, 0, 0);
	if (woken > 0)
		log_write_call(SYS_futex, woken, 0);
	return woken > 0 ? (int)woken : 0;
}

/* Ours first: there is no order among processes. */
static long wake_all(uint32_t *address, int count, uint32_t bitset, bool is_shared)
{
	int woken = futex_wake_address(address, count, bitset);
	return is_shared ? woken + wake_others(address, count - woken) : woken;
}

static long wait(uint32_t *address, uint32_t value, uint32_t bitset, uint64_t deadline, bool is_shared)
{
	struct thread *self = world.current;
	if (!bitset)
		return -EINVAL;
	if (__atomic_load_n(address, __ATOMIC_RELAXED) != value)
		return -EAGAIN;
	if (clock_now() >= deadline)
		return -ETIMEDOUT;
	self->wait = (struct wait){ .kind = WAIT_FUTEX,
				    .bitset = bitset,
				    .value = value,
				    .is_shared = is_shared,
				    .deadline_ns = deadline,
				    .is_interruptible = true };
	enqueue(self, address);
	if (is_shared)
		outside_block(self);
	switch (thread_block(self)) {
	case WAKE_DONE:
		return 0;
	case WAKE_TIMEOUT:
		return -ETIMEDOUT;
	case WAKE_SIGNAL:
		break;
	}
	return deadline == NO_DEADLINE ? -RESTART : -EINTR;
}

static long requeue(uint32_t *from, int wake_count, int move_count, uint32_t *to, bool is_shared)
{
	int done = futex_wake_address(from, wake_count, ~0u), moved = 0;
	for (struct thread *thread = bucket_of(from)->first, *next; thread && moved < move_count; thread = next) {
		next = thread->futex_next;
		if (thread->wait.object != from)
			continue;
		futex_forget(thread);
		enqueue(thread, to);
		moved++;
	}
	/* Of others as many as may move are woken instead: a wake without a reason is allowed. */
	int64_t rest = (int64_t)wake_count + move_count - done - moved;
	if (is_shared)
		done += wake_others(from, rest > INT32_MAX ? INT32_MAX : (int)rest);
	return done + moved;
}

/* FUTEX_WAKE_OP: changes the second word and wakes on it if its old value compares. */
static long wake_op(uint32_t *first, int first_count, int second_count, uint32_t *second, uint32_t code, bool is_shared)
{
	int32_t operand = (int32_t)(code << 8) >> 20, compared = (int32_t)(code << 20) >> 20;
	uint32_t operation = code >> 28 & 7, comparison = code >> 24 & 15;
	if (code >> 28 & FUTEX_OP_OPARG_SHIFT)
		operand = (int32_t)(1u << (operand & 31));
	int32_t old = (int32_t)*second, result = old;
	switch (operation) {
	case FUTEX_OP_SET:
		result = operand;
		break;
	case FUTEX_OP_ADD:
		result = (int32_t)((uint32_t)old + (uint32_t)operand);
		break;
	case FUTEX_OP_OR:
		result = old | operand;
		break;
	case FUTEX_OP_ANDN:
		result = old & ~operand;
		break;
	case FUTEX_OP_XOR:
		result = old ^ operand;
		break;
	default:
		return -ENOSYS;
	}
	*second = (uint32_t)result;
	bool is_true;
	switch (comparison) {
	case FUTEX_OP_CMP_EQ:
		is_true = old == compared;
		break;
	case FUTEX_OP_CMP_NE:
		is_true = old != compared;
		break;
	case FUTEX_OP_CMP_LT:
		is_true = old < compared;
		break;
	case FUTEX_OP_CMP_LE:
		is_true = old <= compared;
		break;
	case FUTEX_OP_CMP_GT:
		is_true = old > compared;
		break;
	case FUTEX_OP_CMP_GE:
		is_true = old >= compared;
		break;
	default:
		return -ENOSYS;
	}
	long woken = wake_all(first, first_count, ~0u, is_shared && share_has(first));
	return woken + (is_true ? wake_all(second, second_count, ~0u, is_shared && share_has(second)) : 0);
}

static bool has_waiters(const uint32_t *address)
{
	for (struct thread *thread = bucket_of(address)->first; thread; thread = thread->futex_next)
		if (thread->wait.object == address)
			return true;
	return false;
}

static long lock_pi(uint32_t *address, uint64_t deadline, bool is_try)
{
	struct thread *self = world.current;
	for (;;) {
		uint32_t word = *address, owner = word & FUTEX_TID_MASK;
		if (owner == (uint32_t)self->tid)
			return -EDEADLK;
		if (owner == 0 || (word & FUTEX_OWNER_DIED)) {
			*address = (uint32_t)self->tid | (word & FUTEX_OWNER_DIED) |
				   (has_waiters(address) ? FUTEX_WAITERS : 0);
			return 0;
		}
		if (is_try)
			return -EAGAIN;
		if (!thread_find((int32_t)owner)) {
			if (share_has(address))
				world_fail(HEDDLE_OUTCOME_REFUSED,
					   "a mutex with priority inheritance is shared with another process, which "
					   "Heddle "
					   "cannot control",
					   NULL);
			return -ESRCH;
		}
		*address = word | FUTEX_WAITERS;
		self->wait = (struct wait){
			.kind = WAIT_FUTEX, .bitset = ~0u, .deadline_ns = deadline, .is_interruptible = true
		};
		enqueue(self, address);
		switch (thread_block(self)) {
		case WAKE_DONE:
			if ((*address & FUTEX_TID_MASK) == (uint32_t)self->tid)
				return 0; /* unlock_pi gave it to us */
			break;
		case WAKE_TIMEOUT:
			return -ETIMEDOUT;
		case WAKE_SIGNAL:
			return -RESTART_ALWAYS; /* libc treats any other error as success */
		}
	}
}

static long unlock_pi(uint32_t *address)
{
	if ((*address & FUTEX_TID_MASK) != (uint32_t)world.current->tid)
		return -EPERM;
	/* The oldest waiter becomes the owner at once, as in the kernel. */
	struct thread *next = NULL;
	bool has_more = false;
	for (struct thread *thread = bucket_of(address)->first; thread; thread = thread->futex_next) {
		if (thread->wait.object != address)
			continue;
		if (next)
			has_more = true;
		else
			next = thread;
	}
	*address = next ? (uint32_t)next->tid | (has_more ? FUTEX_WAITERS : 0) : 0;
	if (next)
		thread_wake(next, WAKE_DONE);
	return 0;
}

/* Robust mutexes of a thread that ended (kernel/futex/core.c, exit_robust_list). */
static void owner_died(uintptr_t address, struct thread *thread, bool is_pending)
{
	uint32_t *word = (uint32_t *)address;
	if ((*word & FUTEX_TID_MASK) != (uint32_t)thread->tid) {
		if (is_pending && (*word & FUTEX_TID_MASK) == 0)
			futex_wake_address(word, 1, ~0u);
		return;
	}
	bool has = *word & FUTEX_WAITERS;
	*word = (*word & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
	if (has)
		wake_all(word, 1, ~0u, share_has(word));
}

void futex_owner_died(struct thread *thread)
{
	const struct robust_list_head *head = thread->robust_list;
	if (!head)
		return;
	uintptr_t pending = (uintptr_t)head->list_op_pending & ~1ul;
	const struct robust_list *entry = head->list.next;
	for (unsigned i = 0; i < OWNERS_MAX && entry != &head->list; i++) {
		uintptr_t at = (uintptr_t)entry & ~1ul;
		entry = ((const struct robust_list *)at)->next;
		if (at != pending)
			owner_died(at + (uintptr_t)head->futex_offset, thread, false);
	}
	if (pending)
		owner_died(pending + (uintptr_t)head->futex_offset, thread, true);
}

static uint64_t deadline_of(uint64_t operation, const struct timespec *timeout)
{
	uint64_t command = operation & FUTEX_CMD_MASK;
	if (!timeout)
		return NO_DEADLINE;
	if (command == FUTEX_WAIT)
		return clock_after(timeout);
	bool is_real = operation & FUTEX_CLOCK_REALTIME || command == FUTEX_LOCK_PI;
	return clock_deadline(is_real ? CLOCK_REALTIME : CLOCK_MONOTONIC, timeout);
}

static bool takes_timeout(uint64_t command)
{
	return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI ||
	       command == FUTEX_LOCK_PI2;
}

bool futex_syscall(struct registers *r, long *result)
{
	if (r->number == SYS_set_robust_list) {
		*result = r->rsi == sizeof(struct robust_list_head) ? 0 : -EINVAL;
		if (*result == 0)
			world.current->robust_list = (void *)r->rdi;
		return true;
	}
	if (r->number != SYS_futex)
		return false;
	uint32_t *address = (uint32_t *)r->rdi, *second = (uint32_t *)r->r8;
	uint64_t command = r->rsi & FUTEX_CMD_MASK;
	const struct timespec *timeout = (const struct timespec *)r->r10;
	if ((uintptr_t)address & 3 ||
	    ((command == FUTEX_REQUEUE || command == FUTEX_CMP_REQUEUE) && ((int)r->rdx < 0 || (int)r->r10 < 0))) {
		*result = -EINVAL;
		return true;
	}
	if (takes_timeout(command) && timeout && !clock_is_valid(timeout)) {
		*result = -EINVAL;
		return true;
	}
	/* The kernel looks up what others may share, and takes any other address as it is. */
	if (!(r->rsi & FUTEX_PRIVATE_FLAG))
		(void)*(const volatile uint32_t *)address;
	if ((uintptr_t)address >> 47) {
		*result = -EFAULT;
		return true;
	}
	bool may_share = !(r->rsi & FUTEX_PRIVATE_FLAG), is_shared = may_share && share_has(address);
	switch (command) {
	case FUTEX_WAIT:
		*result = wait(address, (uint32_t)r->rdx, ~0u, deadline_of(r->rsi, timeout), is_shared);
		break;
	case FUTEX_WAIT_BITSET:
		*result = wait(address, (uint32_t)r->rdx, (uint32_t)r->r9, deadline_of(r->rsi, timeout), is_shared);
		break;
	case FUTEX_WAKE:
		*result = wake_all(address, (int)r->rdx, ~0u, is_shared);
		break;
	case FUTEX_WAKE_BITSET:
		*result = r->r9 ? wake_all(address, (int)r->rdx, (uint32_t)r->r9, is_shared) : -EINVAL;
		break;
	case FUTEX_REQUEUE:
		*result = requeue(address, (int)r->rdx, (int)r->r10, second, is_shared);
		break;
	case FUTEX_CMP_REQUEUE:
		*result = *address == (uint32_t)r->r9 ? requeue(address, (int)r->rdx, (int)r->r10, second, is_shared)
						      : -EAGAIN;
		break;
	case FUTEX_WAKE_OP:
		*result = wake_op(address, (int)r->rdx, (int)r->r10, second, (uint32_t)r->r9, may_share);
		break;
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		*result = lock_pi(address, deadline_of(r->rsi, timeout), false);
		break;
	case FUTEX_TRYLOCK_PI:
		*result = lock_pi(address, NO_DEADLINE, true);
		break;
	case FUTEX_UNLOCK_PI:
		*result = unlock_pi(address);
		break;
	default:
		*result = -ENOSYS;
	}
	return true;
}
