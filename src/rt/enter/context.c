/* context.c: see context.h. */
#include "rt/enter/context.h"

#include "rt/sys.h"

#define SA_RESTORER_FLAG 0x04000000u

__asm__(".pushsection .text\n"
	".balign 16\n"
	"nop\n" /* unwinders look at the instruction before a return address */
	"context_restorer:\n"
	"movq $15, %rax\n"
	"syscall\n"
	".popsection\n");
extern void context_restorer(void) __attribute__((visibility("hidden")));

void context_install(int number, void (*handler)(int, siginfo_t *, void *), uint64_t flags, uint64_t mask)
{
	struct kernel_action action = { (uintptr_t)handler, flags | SA_SIGINFO | SA_RESTORER_FLAG,
					(uintptr_t)context_restorer, mask };
	sys_call(SYS_rt_sigaction, number, (long)&action, 0, 8, 0, 0);
}

/* The formatter would move the words at each call. */
/* clang-format off */
#define EACH_REGISTER(DO) \
	DO(r8) DO(r9) DO(r10) DO(r11) DO(r12) DO(r13) DO(r14) DO(r15) DO(rdi) DO(rsi) DO(rbp) DO(rbx) DO(rdx) DO(rax) \
	DO(rcx) DO(rsp) DO(rip) DO(rflags)
/* clang-format on */

void context_read(const void *from, struct registers *registers)
{
	const struct kernel_context *context = from;
#define COPY(name) registers->name = context->name;
	EACH_REGISTER(COPY)
#undef COPY
	registers->number = context->rax;
	registers->extended = context->extended;
}

void context_write(void *to, const struct registers *registers)
{
	struct kernel_context *context = to;
#define COPY(name) context->name = registers->name;
	EACH_REGISTER(COPY)
#undef COPY
}
