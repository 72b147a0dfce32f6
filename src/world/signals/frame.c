/*
 * frame.c: see frame.h.
 *
 * A handler of the program returns to dispatch_restorer: the instructions that unwinders recognise, on a page of their
 * own. Its system call is not among those that the kernel lets pass (rt/enter/dispatch.c), so it arrives at signal_return.
 */
#include "world/signals/frame.h"

#include <string.h>

#include "rt/sys.h"
#include "world/parts.h"
#include "world/signals/signal_priv.h"
#include "world/switch.h"

#define UC_FLAGS 7u /* UC_FP_XSTATE, UC_SIGCONTEXT_SS, UC_STRICT_RESTORE_SS */
#define RED_ZONE 128u
#define ALTERNATE_ROOM (256u << 10)
#define IN_USE_MAX (64u << 10)
#define STILL_TO_DO 1024u
#define SS_DISARMS (1u << 31) /* SS_AUTODISARM */

struct kernel_frame {
	uintptr_t restorer;
	struct kernel_context context;
	siginfo_t info;
};

uintptr_t dispatch_restorer;
const struct registers *frame_unfinished;

int frame_start(void)
{
	static const unsigned char code[] = { 0x90, 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	unsigned char *page = world_pages(4096);
	void *alternate = world_pages(ALTERNATE_ROOM);
	if (!page || !alternate)
		return -1;
	memcpy(page, code, sizeof code);
	sys_mprotect((uintptr_t)page, 4096, PROT_READ | PROT_EXEC);
	dispatch_restorer = (uintptr_t)page + 1;
	stack_t stack = { .ss_sp = alternate, .ss_flags = 0, .ss_size = ALTERNATE_ROOM };
	return sys_call(SYS_sigaltstack, (long)&stack, 0, 0, 0, 0, 0) < 0 ? -1 : 0;
}

/* The state that the kernel saved for us, into the frame, or from it back. Both are in the standard layout; ours may
 * have fewer parts. */
static void copy_extended(void *to, const void *from)
{
	size_t size = switch_save_extended(NULL);
	uint64_t features;
	memcpy(to, from, 464);
	if (size <= 512)
		return;
	memcpy(&features, (const char *)from + 512, sizeof features);
	features &= 0xe7;
	memcpy((char *)to + 512, &features, sizeof features);
	memcpy((char *)to + 576, (const char *)from + 576, size - 4 - 576);
}

void frame_push(struct thread *self, struct registers *registers, const struct kernel_action *action, int number,
		const siginfo_t *info)
{
	uintptr_t top = registers->rsp - RED_ZONE;
	bool is_on_alternate = registers->rsp - (uintptr_t)self->alternate_stack < self->alternate_size;
	/* On the same stack we stand below it ourselves: what is left to do here must not run over the new frame. */
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	if (here < top && top - here < IN_USE_MAX)
		top = here - STILL_TO_DO;
	if ((action->flags & SA_ONSTACK) && self->alternate_size && !is_on_alternate)
		top = (uintptr_t)self->alternate_stack + self->alternate_size;
	uintptr_t extended = (top - switch_save_extended(NULL)) & -64ul;
	struct kernel_frame *frame = (struct kernel_frame *)(((extended - sizeof *frame) & -16ul) - 8);
	frame_unfinished = registers;
	switch_save_extended((void *)extended);
	if (registers->extended)
		copy_extended((void *)extended, registers->extended);
	memset(&frame->context, 0, sizeof frame->context);
	frame->restorer = dispatch_restorer;
	frame->context.flags = UC_FLAGS;
	frame->context.stack = (stack_t){ .ss_sp = self->alternate_stack,
					  .ss_size = self->alternate_size,
					  .ss_flags = self->alternate_size ? self->alternate_flags : SS_DISABLE };
	if ((unsigned)self->alternate_flags & SS_DISARMS)
		self->alternate_size = 0;
	context_write(&frame->context, registers);
	frame->context.cs = 0x33;
	frame->context.ss = 0x2b;
	frame->context.extended = (void *)extended;
	frame->context.mask = self->has_saved_mask ? self->saved_blocked_signals : self->blocked_signals;
	self->has_saved_mask = false;
	frame->info = *info;
	frame_unfinished = NULL;
	registers->rsp = (uintptr_t)frame;
	registers->rip = action->handler;
	registers->rdi = (uint64_t)number;
	registers->rsi = (uintptr_t)&frame->info;
	registers->rdx = (uintptr_t)&frame->context;
	registers->rax = 0;
	registers->rflags &= ~0x400ul; /* the direction flag */
}

void frame_pop(struct thread *self, struct registers *registers)
{
	const struct kernel_context *context = (const struct kernel_context *)registers->rsp;
	void *extended = registers->extended;
	context_read(context, registers);
	registers->extended = extended;
	self->blocked_signals = context->mask & ~SIGNAL_UNBLOCKABLE;
	if (registers->rsp - (uintptr_t)self->alternate_stack >= self->alternate_size) {
		self->alternate_stack = context->stack.ss_sp;
		self->alternate_size = context->stack.ss_flags & SS_DISABLE ? 0 : context->stack.ss_size;
		self->alternate_flags = context->stack.ss_flags & ~(SS_ONSTACK | SS_DISABLE);
	}
	if (!context->extended)
		return;
	if (extended)
		copy_extended(extended, context->extended);
	else
		switch_load_extended(context->extended);
}

/*
 * The registers as they will be when frame_interrupt has returned; nothing else is in use there. The flags and those that
 * a caller does not rely on have fixed values: the program can see them, and they must be the same in a replay.
 */
__asm__(".pushsection .text\n"
	".balign 16\n"
	".globl frame_interrupt\n"
	".hidden frame_interrupt\n"
	".type frame_interrupt, @function\n"
	"frame_interrupt:\n"
	".cfi_startproc\n"
	"movq (%rsp), %rdx\n"
	"leaq 8(%rsp), %rcx\n"
	"xorl %eax, %eax\n"
	"subq $168, %rsp\n"
	".cfi_adjust_cfa_offset 168\n"
	"movq %r15, 0(%rsp)\n"
	"movq %r14, 8(%rsp)\n"
	"movq %r13, 16(%rsp)\n"
	"movq %r12, 24(%rsp)\n"
	"movq %rbp, 32(%rsp)\n"
	".cfi_offset %rbp, -144\n"
	"movq %rbx, 40(%rsp)\n"
	".irp offset, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 152\n"
	"movq %rax, \\offset(%rsp)\n"
	".endr\n"
	"movq %rdx, 128(%rsp)\n"
	"movq $0x202, 136(%rsp)\n"
	"movq %rcx, 144(%rsp)\n"
	"movq %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"movq %rsp, %rsi\n"
	"call signal_push\n"
	"testb %al, %al\n"
	"jnz patch_leave\n"
	"movq 32(%rsp), %rbp\n"
	".cfi_restore %rbp\n"
	".cfi_def_cfa %rsp, 176\n"
	"addq $168, %rsp\n"
	".cfi_adjust_cfa_offset -168\n"
	"ret\n"
	".cfi_endproc\n"
	".size frame_interrupt, . - frame_interrupt\n"
	".popsection\n");

_Static_assert(offsetof(struct registers, rbx) == 40 && offsetof(struct registers, number) == 120 &&
		       offsetof(struct registers, rip) == 128 && offsetof(struct registers, rflags) == 136 &&
		       offsetof(struct registers, rsp) == 144 && offsetof(struct registers, extended) == 152,
	       "the assembly above knows the layout");
