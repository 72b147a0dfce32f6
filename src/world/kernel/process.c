/* process.c: see process.h. */
#include "world/kernel/process.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#include "rt/enter/patch.h"
#include "rt/observe.h"
#include "rt/sys.h"
#include "world/kernel/clock.h"
#include "world/kernel/descriptor.h"
#include "world/kernel/hold.h"
#include "world/kernel/share.h"
#include "world/kernel/vfork.h"
#include "world/log.h"
#include "world/parts.h"
#include "world/signals/signal.h"

/* The signal that traps calls must not be blocked, or the kernel ends us instead. */
#define TRAPS (1ul << (SIGSYS - 1))

static uint32_t parent_pid; /* in a child: the world's own process */

/* Leaves the world in a forked child. */
static void leave(struct thread *self)
{
	world.is_child = true;
	world_turn(false);
	observe_stop();
	for (int fd = HEDDLE_FD_FIRST; fd <= HEDDLE_FD_LAST; fd++)
		sys_close(fd);
	hold_leave();
	clock_leave();
	clock_allow_counter();
	signal_leave(self);
}

static long record(long number, long result)
{
	log_write_call(number, result, 0);
	return result;
}

static long replayed(long number)
{
	if (log_next.tag != HEDDLE_RECORD_CALL || log_next.value[0] != (uint64_t)number)
		world_diverge("a process is forked");
	long result = (long)log_next.value[1];
	log_advance();
	return result;
}

/* The channel is shared with all our descendants that have not executed another program. */
static void count_process(void)
{
	__atomic_fetch_add(&world.channel->process_count, 1, __ATOMIC_RELAXED);
}

/*
 * The child runs in our memory, outside the world, and we wait for it: vfork, and what libc makes posix_spawn of. The
 * world must be off for it, and it begins with the mask of the thread that makes it.
 */
static long clone_in_memory(struct registers *registers)
{
	uint64_t none = 0, access_sum = TALLY->access_sum;
	int64_t countdown = TALLY->countdown; /* woven code counts down, whichever process runs it */
	vfork_before(registers);
	world_turn(false);
	clock_allow_counter(); /* the program that the child becomes would inherit it */
	sys_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&world.current->blocked_signals, 0, 8, 0, 0);
	long result = patch_raw_clone(registers);
	sys_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, 8, 0, 0);
	clock_forbid_counter();
	TALLY->countdown = countdown;
	TALLY->access_sum = access_sum;
	world_turn(true);
	/* What it becomes has no memory of ours. */
	share_forked(0);
	vfork_after(SYS_clone, result);
	return result;
}

static long clone_apart(const struct registers *registers, uint64_t flags)
{
	uint32_t own = sys_pid();
	uint64_t kept = flags & ~(uint64_t)(CLONE_VM | CLONE_VFORK);
	/* The raw call, with libc's pointers for the thread id; clone3's are in its structure. */
	uint32_t *child_tid = registers->number == SYS_clone ? (uint32_t *)registers->r10 : NULL;
	if (!child_tid)
		kept &= ~(uint64_t)(CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID);
	long result = sys_call(SYS_clone, (long)kept, 0, (long)registers->rdx, (long)child_tid, 0, 0);
	if (result == 0) {
		parent_pid = own;
		leave(world.current);
		return 0;
	}
	share_forked(result);
	return record(SYS_clone, result);
}

static long replay_clone(bool is_waiting)
{
	descriptor_share_all();
	share_forked(0);
	if (is_waiting && log_next.tag == HEDDLE_RECORD_CALL && log_next.value[0] == SYS_clone)
		vfork_replay();
	return replayed(SYS_clone);
}

long process_clone(struct registers *registers, uint64_t flags)
{
	bool is_waiting = (flags & CLONE_VM) && (flags & CLONE_VFORK);
	if ((flags & CLONE_VM) && !is_waiting)
		syscall_refuse(registers->number, "the new process would run in parallel with the threads, in the "
						  "same memory (CLONE_VM without CLONE_THREAD or CLONE_VFORK)");
	if (world.is_replaying)
		return replay_clone(is_waiting);
	descriptor_share_all();
	count_process();
	if (is_waiting)
		return clone_in_memory(registers);
	return clone_apart(registers, flags);
}

bool process_replay_spawn(int *result, int *child)
{
	if (!world.is_on || !world.is_replaying)
		return false;
	if (log_next.tag != HEDDLE_RECORD_CALL || log_next.value[0] != SYS_vfork)
		world_diverge("a program is started");
	descriptor_share_all();
	share_forked(0);
	*result = (int)log_next.value[1];
	log_take(child, sizeof *child);
	log_advance();
	world_replay_signals();
	return true;
}

static bool was_on;

void process_begin_spawn(void)
{
	was_on = world.is_on;
	if (!was_on)
		return;
	descriptor_share_all();
	count_process();
	world_turn(false);
	clock_allow_counter();
	/* The child begins with the mask of the thread that started it. */
	uint64_t mask = world.current->blocked_signals & ~TRAPS;
	sys_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8, 0, 0);
}

void process_end_spawn(int result, int child)
{
	uint64_t none = 0;
	if (!was_on)
		return;
	sys_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, 8, 0, 0);
	clock_forbid_counter();
	world_turn(true);
	share_forked(0);
	log_write_call(SYS_vfork, result, 1);
	log_write_buffer(&child, sizeof child);
}

static long become_another(struct registers *r)
{
	/* The variables that asked for control are no longer in the environment (control.c removed them), so it runs
	 * on its own. */
	if (world.is_replaying) {
		if (world.has_turned)
			world_diverge("execve");
		if (log_next.tag == HEDDLE_RECORD_CALL)
			return replayed(SYS_execve);
		world_end(HEDDLE_OUTCOME_EXEC, 0);
	}
	long result;
	world.channel->outcome = HEDDLE_OUTCOME_EXEC;
	world_update_channel();
	signal_hand_over(world.current);
	timer_hand_over();
	clock_allow_counter();
	result = sys_call((long)r->number, (long)r->rdi, (long)r->rsi, (long)r->rdx, (long)r->r10, (long)r->r8, 0);
	timer_take_back();
	signal_take_back(world.current);
	clock_forbid_counter();
	world.channel->outcome = HEDDLE_OUTCOME_NONE;
	return record(SYS_execve, result);
}

/* The seed also decides the random numbers, so that a run is reproducible from its seed alone. */
static uint64_t random_state = 1;

/* SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, figure 17. */
static uint64_t next_random(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ul;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul;
	z = (z ^ z >> 27) * 0x94d049bb133111ebul;
	return z ^ z >> 31;
}

/* Neighbouring seeds must not give the same sequence shifted by one. */
void process_seed(uint64_t seed)
{
	random_state = seed;
	random_state = next_random();
}

void process_random(void *to, size_t size_bytes)
{
	unsigned char *bytes = to;
	uint64_t word = 0;
	for (size_t i = 0; i < size_bytes; i++, word >>= 8) {
		if (i % 8 == 0)
			word = next_random();
		bytes[i] = (unsigned char)word;
	}
}

bool process_syscall(struct registers *r, long *result)
{
	switch (r->number) {
	case SYS_getpid:
		*result = WORLD_PID;
		return true;
	case SYS_getppid:
		*result = WORLD_PID - 1;
		return true;
	case SYS_execve:
	case SYS_execveat:
		*result = become_another(r);
		return true;
	case SYS_getrandom:
		*result = r->rdx & ~7ul ? -EINVAL : (long)r->rsi;
		if (*result > 0)
			process_random((void *)r->rdi, r->rsi);
		return true;
	case SYS_sched_setscheduler:
	case SYS_sched_setparam:
	case SYS_sched_setattr:
		*result = r->rdi && !thread_find((int32_t)r->rdi) ? -ESRCH : 0;
		return true;
	case SYS_sched_getscheduler:
		*result = 0; /* SCHED_OTHER */
		return true;
	case SYS_sched_getparam:
		if (r->rsi)
			*(int *)r->rsi = 0;
		*result = r->rsi ? 0 : -EINVAL;
		return true;
	case SYS_membarrier:
		*result = 0;
		return true;
	case SYS_personality:
		*result = 0;
		return true;
	case SYS_prctl:
		if (r->rdi == PR_SET_NAME) {
			const char *given = (const char *)r->rsi;
			char name[NAME_ROOM] = { 0 };
			for (size_t i = 0; i < NAME_ROOM - 1 && (i == 0 || name[i - 1]); i++)
				name[i] = given[i];
			memcpy(world.current->name, name, sizeof name);
			world.current->is_named = true;
			*result = 0;
			return true;
		}
		if (r->rdi == PR_GET_NAME) {
			memcpy((void *)r->rsi, world.current->name, NAME_ROOM);
			*result = 0;
			return true;
		}
		return false;
	default:
		return false;
	}
}

void process_pass(struct registers *r)
{
	bool is_clone = r->number == SYS_clone || r->number == SYS_clone3 || r->number == SYS_vfork;
	if (world.is_child && r->number == SYS_getppid && sys_call(SYS_getppid, 0, 0, 0, 0, 0, 0) == parent_pid) {
		r->rax = WORLD_PID;
		return;
	}
	if (world.is_child && clock_pass(r))
		return;
	bool is_sending = r->number == SYS_kill || r->number == SYS_rt_sigqueueinfo || r->number == SYS_pidfd_open;
	if (world.is_child && is_sending && (int32_t)r->rdi == WORLD_PID)
		r->rdi = parent_pid;
	if (world.is_child && is_clone)
		count_process();
	/* libc blocks all signals while it starts a program. */
	uint64_t mask, set = r->rsi;
	if (!world.is_child && r->number == SYS_rt_sigprocmask && r->rdi != SIG_UNBLOCK && r->rsi) {
		mask = *(const uint64_t *)r->rsi & ~TRAPS;
		set = (uintptr_t)&mask;
	}
	if (is_clone)
		r->rax = (uint64_t)patch_raw_clone(r);
	else
		r->rax = (uint64_t)sys_call((long)r->number, (long)r->rdi, (long)set, (long)r->rdx, (long)r->r10,
					    (long)r->r8, (long)r->r9);
}
