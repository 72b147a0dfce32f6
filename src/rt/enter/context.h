/* context.h: our signal handlers, and what the kernel passes to them, in its own format. */
#ifndef RT_ENTER_CONTEXT_H
#define RT_ENTER_CONTEXT_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/enter/registers.h"

/* struct sigaction as the system call has it. */
struct kernel_action {
	uintptr_t handler;
	uint64_t flags;
	uintptr_t restorer;
	uint64_t mask;
};

/* struct ucontext of the kernel (asm-generic/ucontext.h with asm/sigcontext.h). */
struct kernel_context {
	uint64_t flags;
	uint64_t link;
	stack_t stack;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, rflags;
	uint16_t cs, gs, fs, ss;
	uint64_t error, trap, old_mask, cr2;
	void *extended;
	uint64_t reserved[8];
	uint64_t mask;
};

_Static_assert(offsetof(struct kernel_context, mask) == 296, "the kernel's layout");

/* Lets the kernel call our handler. flags: SA_* in addition to SA_SIGINFO and SA_RESTORER. Such a handler returns
 * through one of our instructions, which user dispatch lets pass. */
void context_install(int number, void (*handler)(int, siginfo_t *, void *), uint64_t flags, uint64_t mask);

/* Between the context that the kernel passed to a handler and registers. */
void context_read(const void *context, struct registers *registers);
void context_write(void *context, const struct registers *registers);

#endif
