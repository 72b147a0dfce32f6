/* landing.c: see landing.h. */
#include "world/kernel/landing.h"

#include "world/parts.h"

__asm__(".pushsection .text\n"
	".balign 16\n"
	".globl landing_prepare\n"
	".hidden landing_prepare\n"
	".type landing_prepare, @function\n"
	"landing_prepare:\n"
	".cfi_startproc\n"
	"movq %rbx, 0(%rdi)\n"
	"movq %rbp, 8(%rdi)\n"
	"movq %r12, 16(%rdi)\n"
	"movq %r13, 24(%rdi)\n"
	"movq %r14, 32(%rdi)\n"
	"movq %r15, 40(%rdi)\n"
	"leaq 8(%rsp), %rax\n"
	"movq %rax, 48(%rdi)\n"
	"movq (%rsp), %rax\n"
	"movq %rax, 56(%rdi)\n"
	"xorl %eax, %eax\n"
	"ret\n"
	".cfi_endproc\n"
	".size landing_prepare, . - landing_prepare\n"
	".popsection\n");

_Static_assert(offsetof(struct landing, r15) == 40 && offsetof(struct landing, rip) == 56,
	       "the assembly above knows the layout");

bool landing_take(struct registers *r, uintptr_t address)
{
	const struct landing *landing = world.current->landing;
	bool is_our_fault = address >= PLACE_WORLD && address < PLACE_WORLD_END;
	if (!landing || !dispatch_is_own(r->rip) || is_our_fault || world.is_ending)
		return false;
	world.current->landing = NULL;
	r->rbx = landing->rbx;
	r->rbp = landing->rbp;
	r->r12 = landing->r12;
	r->r13 = landing->r13;
	r->r14 = landing->r14;
	r->r15 = landing->r15;
	r->rsp = landing->rsp;
	r->rip = landing->rip;
	r->rax = 1;
	r->rflags &= ~0x400ul; /* the direction flag */
	return true;
}
