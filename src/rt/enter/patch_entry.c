/*
 * patch_entry.c: see patch_entry.h; and raw clones, see patch.h.
 *
 * The frame of an entry, from rbp up while C runs: struct registers (160 bytes), the record's address (8), and the 128
 * bytes that a function may use below its stack pointer. Nothing but C needs an aligned stack, so only the call of C
 * gets one. The call frame information holds at every instruction; it shows the library as the caller. A call that the mode only
 * glances at (entrance.h) does not need the structure, and is made here: the trampoline has no call frame information, and a
 * thread can be cancelled in a call.
 */
#include "rt/enter/patch_entry.h"

#include <sched.h>
#include <string.h>

#include "rt/enter/entrance.h"
#include "rt/enter/patch.h"
#include "rt/sys.h"

_Static_assert(offsetof(struct registers, r15) == 0 && offsetof(struct registers, rbp) == 32 &&
		       offsetof(struct registers, rbx) == 40 && offsetof(struct registers, r11) == 48 &&
		       offsetof(struct registers, r10) == 56 && offsetof(struct registers, r9) == 64 &&
		       offsetof(struct registers, r8) == 72 && offsetof(struct registers, rax) == 80 &&
		       offsetof(struct registers, rcx) == 88 && offsetof(struct registers, rdx) == 96 &&
		       offsetof(struct registers, rsi) == 104 && offsetof(struct registers, rdi) == 112 &&
		       offsetof(struct registers, number) == 120 && offsetof(struct registers, rip) == 128 &&
		       offsetof(struct registers, rflags) == 136 && offsetof(struct registers, rsp) == 144 &&
		       offsetof(struct registers, extended) == 152 && sizeof(struct registers) == 160,
	       "the assembly below knows the layout");
_Static_assert(offsetof(struct patch_record, call) == 8, "the entry knows where it is");

__asm__(".pushsection .text\n"
	".macro entry_push what\n"
	"pushq \\what\n"
	".cfi_adjust_cfa_offset 8\n"
	".endm\n"
	/* Where registers are that calls keep, in the frame that rbp leads to. */
	".macro entry_saved\n"
	".cfi_offset %rbx, -256\n"
	".cfi_offset %rbp, -264\n"
	".cfi_offset %r12, -272\n"
	".cfi_offset %r13, -280\n"
	".cfi_offset %r14, -288\n"
	".cfi_offset %r15, -296\n"
	".endm\n"
	".balign 64\n"
	".skip 40, 0xcc\n"
	/* No mode serves: straight to the kernel. It is here so that a short jump reaches it. */
	".type patch_off, @function\n"
	"patch_off:\n"
	".cfi_startproc\n"
	".cfi_def_cfa %rsp, 0\n"
	".cfi_escape 0x10, 0x10, 0x02, 0x7b, 0x00\n" /* the return address is at 0(r11) */
	"leaq 8(%r11), %rcx\n"
	"jmp *%rcx\n"
	".cfi_endproc\n"
	".size patch_off, . - patch_off\n"
	".balign 64\n"
	".globl patch_entry\n"
	".hidden patch_entry\n"
	".type patch_entry, @function\n"
	"patch_entry:\n"
	".cfi_startproc\n"
	".cfi_def_cfa %rsp, 0\n"
	".cfi_escape 0x10, 0x10, 0x02, 0x72, 0x00\n" /* at 0(rcx) */
	"movq %rcx, %r11\n"
	".cfi_escape 0x10, 0x10, 0x02, 0x7b, 0x00\n" /* at 0(r11) */
	/* No flag may change before they are saved. */
	"movzbl entrance(%rip), %ecx\n"
	"jrcxz patch_off\n"
	"movq entrance + 40(%rip), %rcx\n"
	"jrcxz 1f\n"
	/* The mode glances at the number, and the call is made here. The flags are kept by hand, as below. */
	".cfi_remember_state\n"
	"leaq -128(%rsp), %rsp\n"
	".cfi_adjust_cfa_offset 128\n"
	"entry_push %r11\n"
	"entry_push (%r11)\n"
	".cfi_offset %rip, -144\n"
	"entry_push %rax\n"
	"entry_push %rdi\n"
	"movq %rax, %rdi\n"
	"lahf\n"
	"seto %al\n"
	"entry_push %rax\n"
	"call *%rcx\n"
	"movzbl %al, %ecx\n"
	"popq %rax\n"
	".cfi_adjust_cfa_offset -8\n"
	"addb $127, %al\n"
	"sahf\n"
	"popq %rdi\n"
	".cfi_adjust_cfa_offset -8\n"
	"popq %rax\n"
	".cfi_adjust_cfa_offset -8\n"
	"jrcxz 2f\n"
	"syscall\n"
	".cfi_remember_state\n"
	"movq 8(%rsp), %rcx\n"
	"leaq 10(%rcx), %rcx\n" /* behind the trampoline's own system call */
	"leaq 144(%rsp), %rsp\n"
	".cfi_def_cfa %rsp, 0\n"
	".cfi_escape 0x10, 0x10, 0x02, 0x72, 0x76\n" /* at -10(rcx) */
	"jmp *%rcx\n"
	"2:\n"
	".cfi_restore_state\n"
	"leaq 144(%rsp), %rsp\n"
	"1:\n"
	".cfi_restore_state\n"
	"leaq -128(%rsp), %rsp\n"
	".cfi_adjust_cfa_offset 128\n"
	"entry_push %r11\n"
	"entry_push $0\n" /* extended */
	"leaq 144(%rsp), %rcx\n"
	"entry_push %rcx\n" /* rsp */
	"pushfq\n"          /* rflags */
	".cfi_adjust_cfa_offset 8\n"
	"movq (%r11), %rcx\n" /* as the kernel does */
	"entry_push %rcx\n"   /* rip */
	".cfi_offset %rip, -168\n"
	"movq 8(%rsp), %r11\n"
	"entry_push %rax\n" /* number */
	".irp register, rdi, rsi, rdx, rcx, rax, r8, r9, r10, r11, rbx, rbp, r12, r13, r14, r15\n"
	"entry_push %\\register\n"
	".endr\n"
	"movq %rsp, %rdi\n"
	"movq %rsp, %rbp\n"
	".cfi_def_cfa %rbp, 296\n"
	"entry_saved\n"
	"andq $-16, %rsp\n"
	"call *entrance + 8(%rip)\n"
	"movq 160(%rbp), %r11\n"
	"movq 128(%rbp), %rcx\n"
	"cmpq (%r11), %rcx\n"
	"jne patch_leave\n"
	"addq $10, %r11\n" /* behind the trampoline's own system call */
	/* The status flags by hand: popfq takes as long as all the rest. */
	"movl 136(%rbp), %eax\n"
	"movl %eax, %ecx\n"
	"shll $8, %eax\n" /* ah: all but overflow */
	"shrl $4, %ecx\n"
	"andb $0x80, %cl\n" /* bit 11, overflow, as bit 7 */
	"subb $1, %cl\n"    /* -128 - 1 overflows, 0 - 1 does not */
	"sahf\n"
	"movq 0(%rbp), %r15\n"
	"movq 8(%rbp), %r14\n"
	"movq 16(%rbp), %r13\n"
	"movq 24(%rbp), %r12\n"
	"movq 40(%rbp), %rbx\n"
	"movq 56(%rbp), %r10\n"
	"movq 64(%rbp), %r9\n"
	"movq 72(%rbp), %r8\n"
	"movq 80(%rbp), %rax\n"
	"movq 96(%rbp), %rdx\n"
	"movq 104(%rbp), %rsi\n"
	"movq 112(%rbp), %rdi\n"
	/* A signal overwrites all that is far enough below the stack pointer: that moves last. */
	".cfi_remember_state\n"
	"movq %rbp, %rsp\n"
	".cfi_def_cfa %rsp, 296\n"
	"movq 32(%rsp), %rbp\n"
	".cfi_restore %rbp\n"
	"movq 144(%rsp), %rsp\n"
	".cfi_def_cfa %rsp, 0\n"
	".cfi_restore %rbx\n"
	".cfi_restore %r12\n"
	".cfi_restore %r13\n"
	".cfi_restore %r14\n"
	".cfi_restore %r15\n"
	".cfi_escape 0x10, 0x10, 0x02, 0x7b, 0x76\n" /* at -10(r11) */
	"jmp *%r11\n"
	/* Elsewhere, with everything exact: the one instruction that can is the return from an interrupt. */
	".cfi_restore_state\n"
	".globl patch_leave\n"
	".hidden patch_leave\n"
	"patch_leave:\n"
	"movq 128(%rbp), %rdi\n"
	"call patch_resume_address\n"
	"movl %ss, %ecx\n"
	"pushq %rcx\n"
	"pushq 144(%rbp)\n"
	"pushq 136(%rbp)\n"
	"movl %cs, %ecx\n"
	"pushq %rcx\n"
	"pushq %rax\n"
	"movq 0(%rbp), %r15\n"
	"movq 8(%rbp), %r14\n"
	"movq 16(%rbp), %r13\n"
	"movq 24(%rbp), %r12\n"
	"movq 40(%rbp), %rbx\n"
	"movq 48(%rbp), %r11\n"
	"movq 56(%rbp), %r10\n"
	"movq 64(%rbp), %r9\n"
	"movq 72(%rbp), %r8\n"
	"movq 80(%rbp), %rax\n"
	"movq 88(%rbp), %rcx\n"
	"movq 96(%rbp), %rdx\n"
	"movq 104(%rbp), %rsi\n"
	"movq 112(%rbp), %rdi\n"
	"movq 32(%rbp), %rbp\n"
	".cfi_def_cfa %rsp, 40\n"
	".cfi_undefined %rip\n"
	"iretq\n"
	".cfi_endproc\n"
	".size patch_entry, . - patch_entry\n"

	".globl patch_trap\n"
	".hidden patch_trap\n"
	".type patch_trap, @function\n"
	"patch_trap:\n"
	".cfi_startproc\n"
	".cfi_def_cfa %rbp, 296\n"
	".cfi_offset %rip, -168\n"
	"entry_saved\n"
	"movq %rbp, %rdi\n"
	"andq $-16, %rsp\n"
	"call *entrance + 8(%rip)\n"
	"jmp patch_leave\n"
	".cfi_endproc\n"
	".size patch_trap, . - patch_trap\n"

	/* rdi: the call's registers, rsi: the child's, rdx: where to save the stack to, rcx: up to where, 0: not. */
	".type clone_call, @function\n"
	"clone_call:\n"
	".cfi_startproc\n"
	".irp register, rbp, rbx, r12, r13\n"
	"entry_push %\\register\n"
	".cfi_rel_offset %\\register, 0\n"
	".endr\n"
	"movq %rdi, %rbp\n"
	"movq %rsi, %rbx\n"
	"movq %rdx, %r12\n"
	"xorl %r13d, %r13d\n"
	"testq %rcx, %rcx\n"
	"jz 1f\n"
	"movq %rcx, %r13\n"
	"subq %rsp, %r13\n"
	"movq %rsp, %rsi\n"
	"movq %r12, %rdi\n"
	"movq %r13, %rcx\n"
	"rep movsb\n"
	"1:\n"
	"movq 56(%rbp), %r10\n"
	"movq 64(%rbp), %r9\n"
	"movq 72(%rbp), %r8\n"
	"movq 96(%rbp), %rdx\n"
	"movq 104(%rbp), %rsi\n"
	"movq 112(%rbp), %rdi\n"
	"movq 120(%rbp), %rax\n"
	"syscall\n"
	"testq %rax, %rax\n"
	"jz 2f\n"
	"movq %rsp, %rdi\n"
	"movq %r12, %rsi\n"
	"movq %r13, %rcx\n"
	"rep movsb\n"
	".cfi_remember_state\n"
	".irp register, r13, r12, rbx, rbp\n"
	"popq %\\register\n"
	".cfi_adjust_cfa_offset -8\n"
	".cfi_restore %\\register\n"
	".endr\n"
	"ret\n"
	/* The child, on its own stack or not yet. What it loads is above its stack pointer until the last. */
	".cfi_restore_state\n"
	".cfi_undefined %rip\n"
	"2:\n"
	"movq %rbx, %rsp\n"
	"movq 0(%rsp), %r15\n"
	"movq 8(%rsp), %r14\n"
	"movq 16(%rsp), %r13\n"
	"movq 24(%rsp), %r12\n"
	"movq 32(%rsp), %rbp\n"
	"movq 40(%rsp), %rbx\n"
	"movq 48(%rsp), %r11\n"
	"movq 56(%rsp), %r10\n"
	"movq 64(%rsp), %r9\n"
	"movq 72(%rsp), %r8\n"
	"movq 96(%rsp), %rdx\n"
	"movq 104(%rsp), %rsi\n"
	"movq 112(%rsp), %rdi\n"
	"movq 128(%rsp), %rcx\n"
	"movq 144(%rsp), %rsp\n"
	"jmp *%rcx\n"
	".cfi_endproc\n"
	".size clone_call, . - clone_call\n"
	".popsection\n");

extern long clone_call(const struct registers *call, const struct registers *child, void *save, uintptr_t save_up_to)
	__attribute__((visibility("hidden")));

/* A stack that is further away is another one. */
#define SHARED_STACK_MAX (1ul << 20)

/* Longer ones are of kernels to come. */
#define ARGUMENTS_MAX 256u
enum { ARGUMENT_FLAGS = 0, ARGUMENT_STACK = 5, ARGUMENT_STACK_BYTES = 6, ARGUMENTS_MIN_BYTES = 64 };

struct shape {
	uint64_t flags, stack; /* the child's stack pointer; 0: the same as the parent's */
};

static struct shape shape_of(const struct registers *registers)
{
	struct shape shape = { 0, 0 };
	if (registers->number == SYS_vfork) {
		shape.flags = CLONE_VM | CLONE_VFORK;
	} else if (registers->number == SYS_clone) {
		shape.flags = registers->rdi;
		shape.stack = registers->rsi;
	} else if (registers->number == SYS_clone3 && registers->rsi >= ARGUMENTS_MIN_BYTES) {
		const uint64_t *arguments = (const uint64_t *)registers->rdi; /* struct clone_args */
		shape.flags = arguments[ARGUMENT_FLAGS];
		if (arguments[ARGUMENT_STACK])
			shape.stack = arguments[ARGUMENT_STACK] + arguments[ARGUMENT_STACK_BYTES];
	}
	return shape;
}

/*
 * With memory in common but not the stack, the parent's frame may be gone before the child looks at it: what the child
 * needs goes to its own stack, and the stack pointer that the kernel gives it is below that, so that a signal in the
 * first instruction does no harm.
 */
static struct registers *hand_over(struct registers *call, uint64_t stack, uint64_t arguments[])
{
	struct registers *child = (struct registers *)(stack - 128 - sizeof *child);
	*child = *call;
	child->rsp = stack;
	if (call->number == SYS_clone) {
		call->rsi = (uint64_t)child;
	} else if (call->rsi <= ARGUMENTS_MAX) {
		memcpy(arguments, (const void *)call->rdi, call->rsi);
		arguments[ARGUMENT_STACK_BYTES] = (uint64_t)child - arguments[ARGUMENT_STACK];
		call->rdi = (uint64_t)arguments;
	}
	return child;
}

long patch_raw_clone(const struct registers *registers)
{
	struct shape shape = shape_of(registers);
	struct registers call = *registers, own, *child = &own;
	uint64_t arguments[ARGUMENTS_MAX / sizeof(uint64_t)];
	void *save = NULL;
	size_t save_bytes = 0;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), top = 0;
	call.rip = patch_resume_address(registers->rip);
	own = call;
	if (shape.stack)
		own.rsp = shape.stack;
	if (shape.stack && (shape.flags & CLONE_VM)) {
		child = hand_over(&call, shape.stack, arguments);
	} else if ((shape.flags & CLONE_VM) && registers->rsp > here && registers->rsp - here < SHARED_STACK_MAX) {
		top = registers->rsp;
		save_bytes = top - here + 4096;
		long at = sys_mmap(save_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (sys_failed(at))
			return at;
		save = (void *)at;
	}
	long result = clone_call(&call, child, save, top);
	if (save)
		sys_munmap(save, save_bytes);
	return result;
}
