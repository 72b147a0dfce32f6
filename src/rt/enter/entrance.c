/* entrance.c: see entrance.h. */
#include "rt/enter/entrance.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/uio.h>

#include "rt/bug.h"
#include "rt/enter/patch.h"
#include "rt/mode.h"
#include "rt/sys.h"

static enum operation_next nothing_before(struct operation *operation)
{
	(void)operation;
	return OPERATION_CALL_ONLY;
}

static void nothing_after(struct operation *operation)
{
	(void)operation;
}

static void nothing_short(const struct operation_row *row, const volatile void *object, uintptr_t code)
{
	(void)row;
	(void)object;
	(void)code;
}

struct entrance entrance = {
	.before = nothing_before,
	.after = nothing_after,
	.announce = nothing_short,
	.finish = nothing_short,
	.syscall = entrance_make_call,
};

__thread bool entrance_knows_thread;

void entrance_open(const struct mode *mode)
{
	if (entrance.mode && entrance.mode != mode)
		RT_BUG("the entrance is opened for two modes");
	entrance.mode = mode;
	if (mode->before)
		entrance.before = mode->before;
	if (mode->after)
		entrance.after = mode->after;
	if (mode->announce)
		entrance.announce = mode->announce;
	if (mode->finish)
		entrance.finish = mode->finish;
	if (mode->syscall)
		entrance.syscall = mode->syscall;
	entrance.glance = mode->glance;
}

void entrance_begin_thread(void)
{
	if (!entrance.mode)
		return;
	entrance_knows_thread = true;
	if (entrance.mode->thread_begin)
		entrance.mode->thread_begin();
}

/* The return from a signal handler finds its frame at the stack pointer. */
_Noreturn static void return_from_signal(const struct registers *registers)
{
	__asm__ volatile("movq %0, %%rsp\n"
			 "movl $15, %%eax\n"
			 "syscall\n"
			 :
			 : "r"(registers->rsp)
			 : "memory");
	__builtin_unreachable();
}

/* What a clone asks for. */
struct shape {
	uint64_t flags;
	bool has_stack;
};

/* struct clone_args, which may not be readable: then the kernel reports the error. */
enum { ARGUMENT_FLAGS = 0, ARGUMENT_STACK = 5, ARGUMENTS = 6 };

static bool read_arguments(const struct registers *registers, uint64_t *arguments)
{
	struct iovec to = { arguments, ARGUMENTS * sizeof *arguments };
	struct iovec from = { (void *)registers->rdi, to.iov_len };
	if (registers->rsi < to.iov_len)
		return false;
	long got = sys_call(SYS_process_vm_readv, sys_pid(), (long)&to, 1, (long)&from, 1, 0);
	if (got == -EFAULT)
		return false;
	if (got != (long)to.iov_len) /* the call is forbidden here */
		memcpy(arguments, from.iov_base, to.iov_len);
	return true;
}

static struct shape shape_of(const struct registers *registers)
{
	uint64_t arguments[ARGUMENTS];
	switch (registers->number) {
	case SYS_clone:
		return (struct shape){ registers->rdi, registers->rsi != 0 };
	case SYS_clone3:
		if (read_arguments(registers, arguments))
			return (struct shape){ arguments[ARGUMENT_FLAGS], arguments[ARGUMENT_STACK] != 0 };
		break;
	case SYS_vfork:
		return (struct shape){ CLONE_VM | CLONE_VFORK, false };
	}
	return (struct shape){ 0, false };
}

static long perform(const struct registers *r)
{
	return sys_call((long)r->number, (long)r->rdi, (long)r->rsi, (long)r->rdx, (long)r->r10, (long)r->r8,
			(long)r->r9);
}

/* A child with memory of its own has a copy of this stack, and returns as the parent does. */
static void make_child(struct registers *registers)
{
	const struct mode *mode = entrance.mode;
	struct shape shape = shape_of(registers);
	if ((shape.flags & CLONE_VM) || shape.has_stack) {
		registers->rax = (uint64_t)patch_raw_clone(registers);
		return;
	}
	registers->rax = (uint64_t)perform(registers);
	if (registers->rax == 0 && mode && mode->fork)
		mode->fork();
}

void entrance_make_call(struct registers *registers)
{
	const struct mode *mode = entrance.mode;
	switch (registers->number) {
	case SYS_rt_sigreturn:
		return_from_signal(registers);
	case SYS_clone:
	case SYS_clone3:
	case SYS_fork:
	case SYS_vfork:
		make_child(registers);
		return;
	case SYS_exit:
		if (mode && mode->thread_end)
			mode->thread_end();
		break;
	case SYS_exit_group:
		if (mode && mode->exit)
			mode->exit((int)(registers->rdi & 0xff));
		break;
	}
	registers->rax = (uint64_t)perform(registers);
}
