/*
 * thread.c: threads begin and end. A clone that shares memory makes a coroutine: it begins where the caller's system
 * call returns, on the stack and with the thread pointer that it was given, and finds 0 as the result. It ends by the
 * exit call, which is where libc's threads end too.
 */
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <string.h>

#include "detect/detect.h"
#include "rt/sys.h"
#include "world/parts.h"
#include "world/patch.h"
#include "world/process.h"
#include "world/signal.h"
#include "world/switch.h"

#define THREAD_FLAGS (CLONE_VM | CLONE_THREAD | CLONE_SIGHAND)

static struct thread *make(void)
{
	if (world.thread_count == THREADS_MAX)
		world_fail(HEDDLE_OUTCOME_REFUSED, "the program makes more threads than Heddle has room for", NULL);
	struct thread *thread = &world.threads[++world.thread_count];
	thread->index = world.thread_count;
	thread->tid = WORLD_PID + (int32_t)world.thread_count - 1;
	thread->wait.deadline_ns = NO_DEADLINE;
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
	struct thread *thread = make();
	thread->fs_base = switch_fs_base();
	thread->clear_tid = find_tid(thread->fs_base);
	if (thread->clear_tid)
		*thread->clear_tid = (uint32_t)thread->tid;
	world.current = thread;
	world_add_thread(thread);
}

struct thread *thread_find(int32_t tid)
{
	int64_t index = (int64_t)tid - WORLD_PID + 1;
	if (index < 1 || index > world.thread_count || world.threads[index].state == THREAD_ENDED)
		return NULL;
	return &world.threads[index];
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

static long begin(const struct registers *registers, const struct request *request)
{
	struct thread *self = world.current, *thread = make();
	struct registers child = *registers;
	child.rax = 0;
	child.rip = patch_resume_address(registers->rip);
	child.rsp = request->stack;
	child.extended = NULL;
	thread->fs_base = request->flags & CLONE_SETTLS ? request->tls : self->fs_base;
	thread->clear_tid = request->flags & CLONE_CHILD_CLEARTID ? request->child_tid : NULL;
	thread->blocked_signals = self->blocked_signals;
	thread->creator = self->index;
	thread->created_at = self->code;
	memcpy(thread->name, self->name, sizeof thread->name);
	if (request->flags & CLONE_PARENT_SETTID)
		*request->parent_tid = (uint32_t)thread->tid;
	if (request->flags & CLONE_CHILD_SETTID)
		*request->child_tid = (uint32_t)thread->tid;
	detect_thread_new(thread, self);
	detect_memory_new((void *)request->stack_start, request->stack - request->stack_start);
	switch_prepare(thread, &child);
	world_add_thread(thread);
	return thread->tid;
}

static long clone_any(struct registers *registers, const struct request *request)
{
	if ((request->flags & THREAD_FLAGS) == THREAD_FLAGS)
		return begin(registers, request);
	return process_clone(registers, request->flags, request->stack);
}

_Noreturn static void end(int status)
{
	struct thread *self = world.current;
	world_event(HEDDLE_EVENT_THREAD_END, (void *)(uintptr_t)self->index, self->created_at);
	futex_owner_died(self);
	detect_thread_end(self);
	if (world.live_count == 1)
		world_end(HEDDLE_OUTCOME_EXIT, status);
	if (self->clear_tid) {
		*self->clear_tid = 0;
		futex_wake_address(self->clear_tid, 1, ~0u);
	}
	world_leave_thread(self);
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
		const struct clone_args *asked = (const struct clone_args *)r->rdi;
		if (r->rsi < 64) {
			*result = -EINVAL;
			return true;
		}
		struct request request = { asked->flags | asked->exit_signal,
					   asked->stack ? asked->stack + asked->stack_size : 0,
					   asked->tls,
					   (uint32_t *)asked->parent_tid,
					   (uint32_t *)asked->child_tid,
					   asked->stack };
		*result = clone_any(r, &request);
		return true;
	}
	case SYS_fork:
	case SYS_vfork:
		*result = process_clone(r, SIGCHLD, 0);
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
	case SYS_get_robust_list:
		*result = -ENOSYS;
		return true;
	case SYS_rseq:
		*result = 0; /* never written to: it would tell which processor runs us */
		return true;
	case SYS_sched_yield:
		thread_yield();
		*result = 0;
		return true;
	default:
		return false;
	}
}
