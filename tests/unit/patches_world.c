/* patches_world.c: see patches_world.h. Compiled like the runtime. */
#include "patches_world.h"

#include "rt/sys.h"
#include "rt/enter/patch.h"

static void serve(struct registers *registers);
struct entrance entrance = { .syscall = serve };
void (*world_hook)(struct registers *registers);
uint64_t world_calls;
struct registers trip_in, trip_out;

void world_pass(struct registers *registers)
{
	uint64_t number = registers->number;
	if (number == SYS_clone || number == SYS_clone3 || number == SYS_fork || number == SYS_vfork)
		registers->rax = (uint64_t)patch_raw_clone(registers);
	else
		registers->rax = (uint64_t)sys_call((long)number, (long)registers->rdi, (long)registers->rsi,
						    (long)registers->rdx, (long)registers->r10, (long)registers->r8,
						    (long)registers->r9);
}

static void serve(struct registers *registers)
{
	/* About right is enough, and an exact one would be half of what the entry takes. */
	__atomic_store_n(&world_calls, __atomic_load_n(&world_calls, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
	if (world_hook)
		world_hook(registers);
	else
		world_pass(registers);
}

__asm__(".pushsection .text\n"
	".globl trip_landing, trip\n"
	".type trip, @function\n"
	"trip:\n"
	".cfi_startproc\n"
	".irp register, rbp, rbx, r12, r13, r14, r15\n"
	"pushq %\\register\n"
	".cfi_adjust_cfa_offset 8\n"
	".cfi_rel_offset %\\register, 0\n"
	".endr\n"
	"movq %rdi, trip_code(%rip)\n"
	"leaq -8(%rsp), %rax\n"
	"movq %rax, trip_in + 144(%rip)\n" /* rsp in code */
	"movq %rsp, trip_stack(%rip)\n"
	"pushq trip_in + 136(%rip)\n"
	"popfq\n"
	"movq trip_in + 0(%rip), %r15\n"
	"movq trip_in + 8(%rip), %r14\n"
	"movq trip_in + 16(%rip), %r13\n"
	"movq trip_in + 24(%rip), %r12\n"
	"movq trip_in + 32(%rip), %rbp\n"
	"movq trip_in + 40(%rip), %rbx\n"
	"movq trip_in + 48(%rip), %r11\n"
	"movq trip_in + 56(%rip), %r10\n"
	"movq trip_in + 64(%rip), %r9\n"
	"movq trip_in + 72(%rip), %r8\n"
	"movq trip_in + 80(%rip), %rax\n"
	"movq trip_in + 88(%rip), %rcx\n"
	"movq trip_in + 96(%rip), %rdx\n"
	"movq trip_in + 104(%rip), %rsi\n"
	"movq trip_in + 112(%rip), %rdi\n"
	"call *trip_code(%rip)\n"
	"trip_landing:\n"
	"movq %rsp, trip_out + 144(%rip)\n"
	"movq trip_stack(%rip), %rsp\n"
	"pushfq\n"
	"popq trip_out + 136(%rip)\n"
	"movq %r15, trip_out + 0(%rip)\n"
	"movq %r14, trip_out + 8(%rip)\n"
	"movq %r13, trip_out + 16(%rip)\n"
	"movq %r12, trip_out + 24(%rip)\n"
	"movq %rbp, trip_out + 32(%rip)\n"
	"movq %rbx, trip_out + 40(%rip)\n"
	"movq %r11, trip_out + 48(%rip)\n"
	"movq %r10, trip_out + 56(%rip)\n"
	"movq %r9, trip_out + 64(%rip)\n"
	"movq %r8, trip_out + 72(%rip)\n"
	"movq %rax, trip_out + 80(%rip)\n"
	"movq %rcx, trip_out + 88(%rip)\n"
	"movq %rdx, trip_out + 96(%rip)\n"
	"movq %rsi, trip_out + 104(%rip)\n"
	"movq %rdi, trip_out + 112(%rip)\n"
	"cld\n"
	".irp register, r15, r14, r13, r12, rbx, rbp\n"
	"popq %\\register\n"
	".cfi_adjust_cfa_offset -8\n"
	".cfi_restore %\\register\n"
	".endr\n"
	"ret\n"
	".cfi_endproc\n"
	".size trip, . - trip\n"
	".popsection\n"
	".local trip_code, trip_stack\n"
	".comm trip_code, 8, 8\n"
	".comm trip_stack, 8, 8\n");
