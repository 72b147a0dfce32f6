/*
 * interpose.c: see interpose.h. A slot starts with the address of code that says which slot it is and goes to
 * interpose_first, which fills all slots and goes on to the function as if nothing had been.
 */
#include "world/interpose.h"

#include <errno.h>
#include <string.h>

#include "rt/say.h"
#include "world/allocator.h"
#include "world/malloc.h"

extern void *interpose_slots[INTERPOSE_COUNT] __attribute__((visibility("hidden")));

/* Called by the assembly below: what to go on to for this slot. */
void *interpose_resolve(void **slot) __attribute__((visibility("hidden")));

/* Argument registers are kept. No vector register is touched, since the runtime has no code that does. */
__asm__(".text\n"
	".balign 16\n"
	".type interpose_first, @function\n"
	"interpose_first:\n"
	".cfi_startproc\n"
	"push %rdi\n"
	".cfi_adjust_cfa_offset 8\n"
	"push %rsi\n"
	".cfi_adjust_cfa_offset 8\n"
	"push %rdx\n"
	".cfi_adjust_cfa_offset 8\n"
	"push %rcx\n"
	".cfi_adjust_cfa_offset 8\n"
	"push %r8\n"
	".cfi_adjust_cfa_offset 8\n"
	"push %r9\n"
	".cfi_adjust_cfa_offset 8\n"
	"sub $8, %rsp\n"
	".cfi_adjust_cfa_offset 8\n"
	"mov %r11, %rdi\n"
	"call interpose_resolve\n"
	"mov %rax, %r11\n"
	"add $8, %rsp\n"
	".cfi_adjust_cfa_offset -8\n"
	"pop %r9\n"
	".cfi_adjust_cfa_offset -8\n"
	"pop %r8\n"
	".cfi_adjust_cfa_offset -8\n"
	"pop %rcx\n"
	".cfi_adjust_cfa_offset -8\n"
	"pop %rdx\n"
	".cfi_adjust_cfa_offset -8\n"
	"pop %rsi\n"
	".cfi_adjust_cfa_offset -8\n"
	"pop %rdi\n"
	".cfi_adjust_cfa_offset -8\n"
	"jmp *%r11\n"
	".cfi_endproc\n"
	".size interpose_first, . - interpose_first\n");

/* The name of the array; each stub appends its slot, in the order of the list. */
__asm__(".pushsection .data.interpose, \"aw\", @progbits\n"
	".balign 64\n"
	".hidden interpose_slots\n"
	".globl interpose_slots\n"
	".type interpose_slots, @object\n"
	"interpose_slots:\n"
	".popsection\n");

#define STUB(name)                                                                                                     \
	__asm__(".pushsection .data.interpose, \"aw\", @progbits\n"                                                    \
		".Lslot_" #name ": .quad .Lfirst_" #name "\n"                                                          \
		".popsection\n"                                                                                        \
		".text\n"                                                                                              \
		".balign 16\n"                                                                                         \
		".globl " #name "\n"                                                                                   \
		".type " #name ", @function\n" #name ":\n"                                                             \
		".cfi_startproc\n"                                                                                     \
		"jmp *.Lslot_" #name "(%rip)\n"                                                                        \
		".Lfirst_" #name ": lea .Lslot_" #name "(%rip), %r11\n"                                                \
		"jmp interpose_first\n"                                                                                \
		".cfi_endproc\n"                                                                                       \
		".size " #name ", . - " #name "\n");
INTERPOSE_ALL(STUB)
#undef STUB

#define REAL(function) [INTERPOSE_##function] = { .name = #function },
struct lookup interpose_reals[INTERPOSE_COUNT] = { INTERPOSE_ALL(REAL) };
#undef REAL

#define CONTROL(name) [INTERPOSE_##name] = (void *)control_##name,
static void *const controls[INTERPOSE_COUNT] = { INTERPOSE_ALL(CONTROL) };
#undef CONTROL

#define COUNT_ONE(name) +1
/* They are the first of the list, then the operators. */
enum { MEMORY_COUNT = 0 INTERPOSE_MEMORY(COUNT_ONE), OPERATORS_END = MEMORY_COUNT INTERPOSE_OPERATORS(COUNT_ONE) };
#undef COUNT_ONE

static bool is_in_control;

/* glibc's: where the kernel put the number of arguments, the arguments, a null, the environment and a null. Unlike
 * environ it is there before libc is. */
extern void *__libc_stack_end;

static bool environment_says_control(void)
{
	const long *count = __libc_stack_end;
	for (char *const *entry = (char *const *)(count + 1) + *count + 1; *entry; entry++)
		if (memcmp(*entry, "HEDDLE=", 7) == 0)
			return strcmp(*entry + 7, "control") == 0;
	return false;
}

bool interpose_wants_control(void)
{
	static enum { UNKNOWN, NO, YES } answer;
	if (answer == UNKNOWN)
		answer = environment_says_control() ? YES : NO;
	return answer == YES;
}

/* Stands for what this libc does not have. Error numbers are what nearly all of the list return. */
static int absent(void)
{
	return ENOSYS;
}

static void fill(void)
{
	for (size_t i = 0; i < INTERPOSE_COUNT; i++)
		if (interpose_reals[i].address == (void *)absent)
			interpose_reals[i].address = NULL;
	lookup_next(interpose_reals, INTERPOSE_COUNT);
	bool is_controlled_memory = is_in_control || interpose_wants_control();
	bool is_own = is_controlled_memory && allocator_is_own();
	for (size_t i = 0; i < INTERPOSE_COUNT; i++) {
		/* An empty slot leads here again: the library that has the function may be opened later. */
		if (!interpose_reals[i].address)
			interpose_reals[i].address = (void *)absent;
		else if (i < OPERATORS_END && is_own)
			interpose_slots[i] = allocator_function((int)i);
		else if (i < MEMORY_COUNT ? is_controlled_memory : i >= OPERATORS_END && is_in_control)
			interpose_slots[i] = controls[i];
		else
			interpose_slots[i] = interpose_reals[i].address;
	}
}

void *interpose_resolve(void **slot)
{
	size_t index = (size_t)(slot - interpose_slots);
	fill();
	if (interpose_reals[index].address == (void *)absent) {
		struct say say;
		say_begin(&say);
		say_string(&say, interpose_reals[index].name);
		say_string(&say, " was called, but there is no such function in the libraries of this process");
		say_end(&say);
		*slot = (void *)absent;
	}
	return *slot;
}

void interpose_control(void)
{
	is_in_control = true;
	fill();
	malloc_foreign_free = interpose_real(free);
	malloc_foreign_usable = interpose_real(malloc_usable_size);
}
