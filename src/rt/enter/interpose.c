/*
 * interpose.c: see interpose.h. A slot starts with the address of code that says which slot it is and goes to
 * interpose_first, which fills all slots and continues with the function transparently.
 */
#include "rt/enter/interpose.h"

#include <errno.h>

#include "rt/bug.h"
#include "rt/choose.h"
#include "rt/message.h"
#include "rt/mode.h"

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

/* Stands in for functions that this libc lacks. Nearly all functions of the list return error numbers. */
static int absent(void)
{
	return ENOSYS;
}

void interpose_fill(void)
{
	const struct mode *mode = choose_mode();
	for (size_t i = 0; i < INTERPOSE_COUNT; i++)
		if (interpose_reals[i].address == (void *)absent)
			interpose_reals[i].address = NULL;
	lookup_next(interpose_reals, INTERPOSE_COUNT);
	for (size_t i = 0; i < INTERPOSE_COUNT; i++) {
		/* An empty slot leads here again: the library that has the function may be opened later. */
		if (!interpose_reals[i].address) {
			interpose_reals[i].address = (void *)absent;
			continue;
		}
		void *own = mode && mode->slot ? mode->slot(i) : NULL;
		interpose_slots[i] = own ? own : interpose_reals[i].address;
	}
}

void *interpose_resolve(void **slot)
{
	size_t index = (size_t)(slot - interpose_slots);
	if (index >= INTERPOSE_COUNT)
		RT_BUG("a function is called through no slot");
	interpose_fill();
	if (interpose_reals[index].address == (void *)absent) {
		struct message message;
		message_begin(&message);
		message_string(&message, interpose_reals[index].name);
		message_string(&message, " was called, but no library of this process provides it");
		message_end(&message);
		*slot = (void *)absent;
	}
	return *slot;
}
