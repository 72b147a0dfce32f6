/*
 * switch.c: see switch.h.
 *
 * A thread that does not run has on its stack, from stack_pointer up: mxcsr and the x87 control word in 8 bytes, r15,
 * r14, r13, r12, rbx, rbp, and the address to return to. Those are all that a C function must keep for its caller. A
 * thread that stands inside a system call or at an access has more in use; its vector registers are kept apart.
 */
#include "world/switch.h"

#include <asm/prctl.h>
#include <cpuid.h>
#include <string.h>
#include <sys/auxv.h>

#include "rt/sys.h"
#include "world/vector.h"

/* x87, SSE, AVX and AVX-512. */
#define EXTENDED_MASK 0xe7u
#define EXTENDED_LEGACY 512u
#define EXTENDED_HEADER 64u
#define EXTENDED_ROOM 2816u /* of the parts above, in the standard layout */

static bool is_gs_used, has_fsgsbase, has_xsave, has_xsavec, has_vector;
static uint32_t extended_mask;
static size_t extended_bytes; /* in the standard layout */

#define STATE_ROOM (sizeof(struct vector_state) > EXTENDED_ROOM ? sizeof(struct vector_state) : EXTENDED_ROOM)
_Static_assert(STATE_ROOM % 64 == 0, "the processor wants them aligned");
static unsigned char *states; /* of all threads, by their place in the table */

__asm__(".pushsection .text\n"
	".balign 16\n"
	"switch_stacks:\n" /* rdi: where to leave the stack pointer; rsi: the one to take */
	".cfi_startproc\n"
	"pushq %rbp\n"
	"pushq %rbx\n"
	"pushq %r12\n"
	"pushq %r13\n"
	"pushq %r14\n"
	"pushq %r15\n"
	"subq $8, %rsp\n"
	"stmxcsr (%rsp)\n"
	"fnstcw 4(%rsp)\n"
	"movzwl 4(%rsp), %eax\n"
	"movq %rsp, (%rdi)\n"
	"movq %rsi, %rsp\n"
	"ldmxcsr (%rsp)\n"
	/* Only when it is another one: with an instruction like this the x87 counts as in use; see vector.c. */
	"cmpw %ax, 4(%rsp)\n"
	"je 1f\n"
	"fldcw 4(%rsp)\n"
	"1:\n"
	"addq $8, %rsp\n"
	"popq %r15\n"
	"popq %r14\n"
	"popq %r13\n"
	"popq %r12\n"
	"popq %rbx\n"
	"popq %rbp\n"
	"ret\n"
	".cfi_endproc\n"
	/* A new thread arrives here with its struct registers in rbx. rcx and r11 are lost in a system call anyway. */
	"switch_first:\n"
	".cfi_startproc\n"
	".cfi_undefined %rip\n"
	"movq %rbx, %rdi\n"
	"call thread_began\n"
	"movq %rbx, %rdi\n"
	"jmp switch_resume\n"
	".cfi_endproc\n"
	/* rdi: struct registers. */
	".globl switch_resume\n"
	".hidden switch_resume\n"
	"switch_resume:\n"
	"movq 0(%rdi), %r15\n"
	"movq 8(%rdi), %r14\n"
	"movq 16(%rdi), %r13\n"
	"movq 24(%rdi), %r12\n"
	"movq 32(%rdi), %rbp\n"
	"movq 40(%rdi), %rbx\n"
	"movq 56(%rdi), %r10\n"
	"movq 64(%rdi), %r9\n"
	"movq 72(%rdi), %r8\n"
	"movq 80(%rdi), %rax\n"
	"movq 96(%rdi), %rdx\n"
	"movq 104(%rdi), %rsi\n"
	"movq 128(%rdi), %rcx\n"
	"movq 144(%rdi), %rsp\n"
	"movq 112(%rdi), %rdi\n"
	"jmp *%rcx\n"
	".popsection\n");

_Static_assert(offsetof(struct registers, rbx) == 40 && offsetof(struct registers, rax) == 80 &&
		       offsetof(struct registers, rdi) == 112 && offsetof(struct registers, rip) == 128 &&
		       offsetof(struct registers, rsp) == 144,
	       "the assembly above knows the layout");

extern void switch_stacks(void **leave, void *take) __attribute__((visibility("hidden")));
extern void switch_first(void) __attribute__((visibility("hidden")));

uint64_t switch_fs_base(void)
{
	uint64_t base;
	if (has_fsgsbase)
		__asm__ volatile("rdfsbase %0" : "=r"(base));
	else
		sys_call(SYS_arch_prctl, ARCH_GET_FS, (long)&base, 0, 0, 0, 0);
	return base;
}

void switch_set_fs_base(uint64_t base)
{
	if (has_fsgsbase)
		__asm__ volatile("wrfsbase %0" : : "r"(base) : "memory");
	else
		sys_call(SYS_arch_prctl, ARCH_SET_FS, (long)base, 0, 0, 0, 0);
}

uint64_t switch_gs_base(void)
{
	uint64_t base;
	if (!has_fsgsbase)
		return world.current->gs_base;
	__asm__ volatile("rdgsbase %0" : "=r"(base));
	return base;
}

void switch_set_gs_base(uint64_t base)
{
	if (has_fsgsbase)
		__asm__ volatile("wrgsbase %0" : : "r"(base) : "memory");
	else
		sys_call(SYS_arch_prctl, ARCH_SET_GS, (long)base, 0, 0, 0, 0);
	is_gs_used = true;
}

static uint64_t hardware_capabilities(void)
{
	uint64_t pair[2];
	int fd = sys_open("/proc/self/auxv", O_RDONLY);
	uint64_t value = 0;
	while (fd >= 0 && sys_read(fd, pair, sizeof pair) == (ssize_t)sizeof pair && pair[0] != AT_NULL)
		if (pair[0] == AT_HWCAP2)
			value = pair[1];
	if (fd >= 0)
		sys_close(fd);
	return value;
}

int switch_start(void)
{
	uint32_t a, b, c, d;
	states = world_pages((THREADS_MAX + 1ul) * STATE_ROOM);
	if (!states)
		return -1;
	has_fsgsbase = hardware_capabilities() & 2; /* HWCAP2_FSGSBASE: the kernel allows the instructions */
	extended_bytes = EXTENDED_LEGACY;
	if (__get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE)) {
		uint32_t low, high;
		__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
		has_xsave = true;
		extended_mask = low & EXTENDED_MASK;
		if (__get_cpuid_count(0xd, 1, &a, &b, &c, &d))
			has_xsavec = a & 2;
		extended_bytes = EXTENDED_LEGACY + EXTENDED_HEADER;
		for (uint32_t part = 2; part < 8; part++)
			if ((extended_mask & 1u << part) && __get_cpuid_count(0xd, part, &a, &b, &c, &d) &&
			    a + b > extended_bytes)
				extended_bytes = a + b;
		if (extended_bytes > EXTENDED_ROOM)
			extended_mask = 3, extended_bytes = EXTENDED_LEGACY + EXTENDED_HEADER;
		has_vector = vector_start(extended_mask);
	}
	return 0;
}

/* Where a thread's extended state is while it does not run. Not on its stack, which may be small. */
static void *state_of(const struct thread *thread)
{
	return states + (size_t)(thread - world.threads) * STATE_ROOM;
}

static void switch_vector(struct thread *from, struct thread *to)
{
	struct vector_state *state = state_of(from);
	vector_save(state);
	switch_stacks(&from->stack_pointer, to->stack_pointer);
	vector_load(state);
}

static void switch_extended(struct thread *from, struct thread *to)
{
	unsigned char *state = state_of(from);
	if (has_xsave) {
		memset(state + EXTENDED_LEGACY, 0, EXTENDED_HEADER);
		if (has_xsavec)
			__asm__ volatile("xsavec64 (%0)" : : "r"(state), "a"(extended_mask), "d"(0) : "memory");
		else
			__asm__ volatile("xsave64 (%0)" : : "r"(state), "a"(extended_mask), "d"(0) : "memory");
	} else {
		__asm__ volatile("fxsave64 (%0)" : : "r"(state) : "memory");
	}
	__asm__ volatile("fninit"); /* as vector_save */
	switch_stacks(&from->stack_pointer, to->stack_pointer);
	if (has_xsave)
		__asm__ volatile("xrstor64 (%0)" : : "r"(state), "a"(extended_mask), "d"(0) : "memory");
	else
		__asm__ volatile("fxrstor64 (%0)" : : "r"(state) : "memory");
}

/* Exceptions that the program can ask for. At a call the x87 has nothing else to keep. */
static inline bool x87_has_flags(void)
{
	uint16_t status;
	__asm__ volatile("fnstsw %0" : "=a"(status));
	return status & 0x7f;
}

void switch_threads(struct thread *from, struct thread *to)
{
	from->fs_base = switch_fs_base();
	switch_set_fs_base(to->fs_base);
	if (has_fsgsbase)
		from->gs_base = switch_gs_base();
	if (from->gs_base != to->gs_base)
		switch_set_gs_base(to->gs_base);
	if (!from->keeps_extended && !x87_has_flags())
		switch_stacks(&from->stack_pointer, to->stack_pointer);
	else if (has_vector)
		switch_vector(from, to);
	else
		switch_extended(from, to);
}

_Noreturn void switch_away(struct thread *to)
{
	void *nowhere;
	__asm__ volatile("fninit"); /* as vector_save */
	switch_set_fs_base(to->fs_base);
	if (has_fsgsbase ? switch_gs_base() != to->gs_base : is_gs_used)
		switch_set_gs_base(to->gs_base);
	switch_stacks(&nowhere, to->stack_pointer);
	__builtin_unreachable();
}

void *switch_prepare(const struct registers *registers)
{
	uintptr_t at = (registers->rsp - 128 - sizeof *registers) & -16ul;
	struct registers *copy = (struct registers *)at;
	*copy = *registers;
	uint64_t *frame = (uint64_t *)(at - 8 * sizeof(uint64_t)); /* the call in switch_first finds it aligned */
	uint32_t control[2] = { 0, 0 };
	__asm__ volatile("stmxcsr %0" : "=m"(control[0]));
	__asm__ volatile("fnstcw %0" : "=m"(control[1]));
	frame[0] = (uint64_t)control[1] << 32 | control[0];
	frame[1] = frame[2] = frame[3] = frame[4] = 0;
	frame[5] = at; /* rbx */
	frame[6] = 0;  /* rbp */
	frame[7] = (uint64_t)switch_first;
	return frame;
}

/* What the kernel appends, in software bytes of the legacy area and behind the state (asm/sigcontext.h). */
struct software_bytes {
	uint32_t magic;
	uint32_t extended_size;
	uint64_t features;
	uint32_t state_size;
	uint32_t padding[7];
};

#define SOFTWARE_OFFSET 464u
#define SOFTWARE_MAGIC 0x46505853u
#define SOFTWARE_MAGIC_END 0x46505845u

size_t switch_save_extended(void *at)
{
	size_t size = has_xsave ? extended_bytes + 4 : EXTENDED_LEGACY;
	if (!at)
		return size;
	unsigned char *state = at;
	memset(state, 0, EXTENDED_LEGACY + EXTENDED_HEADER);
	if (!has_xsave) {
		__asm__ volatile("fxsave64 (%0)" : : "r"(state) : "memory");
		return size;
	}
	__asm__ volatile("xsave64 (%0)" : : "r"(state), "a"(extended_mask), "d"(0) : "memory");
	struct software_bytes software = {
		SOFTWARE_MAGIC, (uint32_t)extended_bytes + 4, extended_mask, (uint32_t)extended_bytes, { 0 }
	};
	uint32_t end = SOFTWARE_MAGIC_END;
	memcpy(state + SOFTWARE_OFFSET, &software, sizeof software);
	memcpy(state + extended_bytes, &end, sizeof end);
	return size;
}

void switch_load_extended(const void *at)
{
	if (has_xsave)
		__asm__ volatile("xrstor64 (%0)" : : "r"(at), "a"(extended_mask), "d"(0) : "memory");
	else
		__asm__ volatile("fxrstor64 (%0)" : : "r"(at) : "memory");
}
