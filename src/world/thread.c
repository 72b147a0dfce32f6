/*
 * thread.c: threads begin and end. A clone that shares memory makes a coroutine: it begins where the caller's system
 * call returns, on the stack and with the thread pointer that it was given, and finds 0 as the result. It ends by the
 * exit call, which is where libc's threads end too.
 */
#include <asm/prctl.h>
#include <errno.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <sched.h>
#include <string.h>

#include "rt/enter/lookup.h"
#include "rt/enter/patch.h"
#include "rt/observe.h"
#include "rt/sys.h"
#include "world/kernel/landing.h"
#include "world/kernel/process.h"
#include "world/parts.h"
#include "world/signals/signal.h"
#include "world/switch.h"

#define THREAD_FLAGS (CLONE_VM | CLONE_THREAD | CLONE_SIGHAND)

/* Futex words hold thread ids together with two flags. */
#define INDEX_MAX ((uint32_t)FUTEX_TID_MASK - WORLD_PID)
/* Reports name threads that have ended, so the places of the last ones are kept. */
#define ENDED_KEPT 1024u

static struct thread *ended_first, *ended_last;
static uint32_t ended_count;

void thread_give_place(struct thread *thread)
{
	if (thread->state != THREAD_ENDED)
		RT_BUG("the place of a thread that lives is given away");
	thread->ended_next = NULL;
	if (ended_last)
		ended_last->ended_next = thread;
	else
		ended_first = thread;
	ended_last = thread;
	ended_count++;
}

static struct thread *take_place(void)
{
	if (ended_count <= ENDED_KEPT && world.place_count < THREADS_MAX)
		return &world.threads[++world.place_count];
	struct thread *thread = ended_first;
	if (!thread)
		return NULL;
	if (!ended_count || thread->state != THREAD_ENDED)
		RT_BUG("the place of a thread that lives is taken");
	ended_count--;
	ended_first = thread->ended_next;
	if (!ended_first)
		ended_last = NULL;
	struct spin_probe *probe = thread->probe;
	memset(thread, 0, sizeof *thread);
	thread->probe = probe;
	return thread;
}

static bool is_taken(uint32_t index)
{
	const struct thread *thread = world.by_index[index % (THREADS_MAX + 1)];
	return thread && thread->index % (THREADS_MAX + 1) == index % (THREADS_MAX + 1) &&
	       thread->state != THREAD_ENDED;
}

/* The next index that is not too far from that of an older thread that still lives: see thread_at. */
static uint32_t next_index(void)
{
	uint32_t index = world.last_index + 1;
	while (index < INDEX_MAX && is_taken(index))
		index++;
	return index;
}

static int32_t tid_of(uint32_t index)
{
	return WORLD_PID + (int32_t)index - 1;
}

static struct thread *make(uint32_t index)
{
	struct thread *thread = index < INDEX_MAX ? take_place() : NULL;
	if (!thread)
		world_fail(HEDDLE_OUTCOME_REFUSED, "the program creates more threads than Heddle supports", NULL);
	if (index <= world.last_index || is_taken(index))
		RT_BUG("two threads get the same number");
	world.thread_count++;
	world.last_index = index;
	world.by_index[index % (THREADS_MAX + 1)] = thread;
	thread->index = index;
	thread->tid = tid_of(index);
	thread->wait.deadline_ns = NO_DEADLINE;
	if (world.has_processors) {
		memcpy(thread->processors, world.current->processors, sizeof thread->processors);
		thread->has_processors = world.current->has_processors;
	}
	if (thread->probe)
		spin_forget(thread);
	return thread;
}

/*
 * libc took the first thread's id from the kernel before we came. It stands in struct pthread, whose address is the
 * thread pointer; where in it differs between versions, but it is the only place with this number.
 */
#define PTHREAD_FROM 0x200u
#define PTHREAD_TO 0x400u

static uint32_t *find_tid(uint64_t fs_base)
{
	uint32_t *found = NULL, real = sys_tid();
	for (uint64_t at = fs_base + PTHREAD_FROM; at < fs_base + PTHREAD_TO; at += 4) {
		if (*(uint32_t *)at != real)
			continue;
		if (found)
			return NULL;
		found = (uint32_t *)at;
	}
	return found;
}

void thread_start_first(void)
{
	struct thread *thread = make(next_index());
	thread->fs_base = switch_fs_base();
	thread->clear_tid = find_tid(thread->fs_base);
	if (thread->clear_tid)
		*thread->clear_tid = (uint32_t)thread->tid;
	world.current = thread;
	world_add_thread(thread);
}

struct thread *thread_find(int32_t tid)
{
	struct thread *thread = tid >= WORLD_PID ? thread_at((uint64_t)tid - WORLD_PID + 1) : NULL;
	return thread && thread->state != THREAD_ENDED ? thread : NULL;
}

/* A new thread's first instructions are here, before the program's. */
void thread_began(struct registers *registers) __attribute__((visibility("hidden"), used));
void thread_began(struct registers *registers)
{
	(void)registers;
	struct thread *self = world.current;
	world_event(HEDDLE_EVENT_THREAD_START, (void *)(uintptr_t)self->index, self->created_at);
}

struct request {
	uint64_t flags, stack, tls;
	uint32_t *parent_tid, *child_tid;
	uint64_t stack_start; /* as far as known */
};

/* The kernel does not care whether this succeeds. */
static void put_tid(uint32_t *to, int32_t tid)
{
	struct thread *self = world.current;
	struct landing *outer = self->landing, landing;
	if (!landing_prepare(&landing)) {
		self->landing = &landing;
		*to = (uint32_t)tid;
	}
	self->landing = outer;
}

/* Threads of OpenMP synchronise by instructions of libraries that are not woven. */
static bool is_hidden(uintptr_t code)
{
	return lookup_is_in("libgomp.so", code) || lookup_is_in("libomp", code) || lookup_is_in("libiomp", code);
}

/* Its stack, up to the thread-local variables above it, may have been another thread's. Where the start is not given,
 * as by older libraries, it is assumed to be that of a stack of the usual size. */
#define STACK_BYTES (8ul << 20)
#define MAX_LOCAL_BYTES (1ul << 30)

static void new_stack(const struct request *request)
{
	uint64_t start = request->stack_start, end = request->stack;
	if (start >= end)
		start = end > STACK_BYTES ? end - STACK_BYTES : 0;
	if (request->flags & CLONE_SETTLS && request->tls > end && request->tls - end < MAX_LOCAL_BYTES)
		end = request->tls;
	observe_memory_new((void *)start, end - start);
}

static long begin(const struct registers *registers, const struct request *request)
{
	struct thread *self = world.current;
	uint32_t index = next_index();
	/* Not that of the last event: an allocator of the program's own may have run since. */
	uintptr_t code = self->creates.start ? self->creates.code : registers->rip;
	struct registers child = *registers;
	child.rax = 0;
	child.rip = patch_resume_address(registers->rip);
	child.rsp = request->stack;
	child.extended = NULL;
	void *stack_pointer = switch_prepare(&child); /* faults if the stack is bad: nothing is done yet */
	struct thread *thread = make(index);
	thread->stack_pointer = stack_pointer;
	thread->fs_base = request->flags & CLONE_SETTLS ? request->tls : switch_fs_base();
	thread->gs_base = switch_gs_base();
	thread->clear_tid = request->flags & CLONE_CHILD_CLEARTID ? request->child_tid : NULL;
	thread->blocked_signals = self->blocked_signals;
	thread->creator = self->index;
	thread->created_at = code;
	thread->began = self->creates;
	memcpy(thread->name, self->name, sizeof thread->name);
	if (request->flags & CLONE_PARENT_SETTID)
		put_tid(request->parent_tid, thread->tid);
	if (request->flags & CLONE_CHILD_SETTID)
		put_tid(request->child_tid, thread->tid);
	const bool is_hidden_thread = observe_is_on() && is_hidden(code);
	world.channel->hidden_count += is_hidden_thread;
	thread->track = observe_thread_new(thread->index, is_hidden_thread);
	new_stack(request);
	world_add_thread(thread);
	return thread->tid;
}

static long clone_any(struct registers *registers, const struct request *request)
{
	if ((request->flags & THREAD_FLAGS) == THREAD_FLAGS)
		return begin(registers, request);
	return process_clone(registers, request->flags);
}

_Noreturn static void end(int status)
{
	struct thread *self = world.current;
	struct landing landing;
	self->landing = NULL;
	world_event(HEDDLE_EVENT_THREAD_END, (void *)(uintptr_t)self->index, self->created_at);
	/* A list that the program has corrupted is followed as far as it goes. */
	if (!landing_prepare(&landing)) {
		self->landing = &landing;
		futex_owner_died(self);
	}
	self->landing = NULL;
	observe_thread_end(self->fs_base);
	self->track = NULL;
	if (world.live_count == 1)
		world_end(HEDDLE_OUTCOME_EXIT, status);
	if (self->clear_tid) {
		put_tid(self->clear_tid, 0);
		futex_wake_address(self->clear_tid, 1, ~0u);
	}
	world_leave_thread(self);
}

static bool set_base(uint64_t operation, uint64_t argument, long *result)
{
	*result = 0;
	switch (operation) {
	case ARCH_SET_FS:
	case ARCH_SET_GS:
		if (argument >> 47)
			*result = -EPERM;
		else if (operation == ARCH_SET_FS)
			switch_set_fs_base(argument);
		else
			switch_set_gs_base(world.current->gs_base = argument);
		return true;
	case ARCH_GET_FS:
		*(uint64_t *)argument = switch_fs_base();
		return true;
	case ARCH_GET_GS:
		*(uint64_t *)argument = switch_gs_base();
		return true;
	default:
		return false;
	}
}

bool thread_syscall(struct registers *r, long *result)
{
	struct thread *self = world.current;
	switch (r->number) {
	case SYS_clone: {
		struct request request = { r->rdi, r->rsi, r->r8, (uint32_t *)r->rdx, (uint32_t *)r->r10, r->rsi };
		*result = clone_any(r, &request);
		return true;
	}
	case SYS_clone3: {
		struct clone_args requested = { 0 };
		if (r->rsi < CLONE_ARGS_SIZE_VER0) {
			*result = -EINVAL;
			return true;
		}
		memcpy(&requested, (const void *)r->rdi, CLONE_ARGS_SIZE_VER0);
		struct request request = { requested.flags | requested.exit_signal,
					   requested.stack ? requested.stack + requested.stack_size : 0,
					   requested.tls,
					   (uint32_t *)requested.parent_tid,
					   (uint32_t *)requested.child_tid,
					   requested.stack };
		*result = clone_any(r, &request);
		return true;
	}
	case SYS_fork:
		*result = process_clone(r, SIGCHLD);
		return true;
	case SYS_vfork:
		*result = process_clone(r, CLONE_VM | CLONE_VFORK | SIGCHLD);
		return true;
	case SYS_exit:
		end((int)(r->rdi & 0xff));
	case SYS_exit_group:
		world_end(HEDDLE_OUTCOME_EXIT, (int)(r->rdi & 0xff));
	case SYS_gettid:
		*result = self->tid;
		return true;
	case SYS_set_tid_address:
		self->clear_tid = (uint32_t *)r->rdi;
		*result = self->tid;
		return true;
	case SYS_arch_prctl:
		return set_base(r->rdi, r->rsi, result);
	case SYS_get_robust_list:
		*result = -ENOSYS;
		return true;
	case SYS_sched_yield:
		thread_yield();
		*result = 0;
		return true;
	default:
		return false;
	}
}
