/*
 * woven.c: the part of Heddle inside every woven executable and shared library; heddle-cc links it in. It holds the
 * stubs that the clones call and the gate they go through, the root of the object's tables, the note by which tools find
 * that root, and the constructor that hands it to the runtime if the runtime is loaded. Without the runtime it does
 * nothing.
 *
 * Invariants:
 *  1. It needs nothing from any library, and no dynamic relocation but its constructor's and __heddle_register's.
 *     Assured by mk/lint.sh.
 *  2. Everything it defines is hidden: each woven object has its own.
 *     Assured by mk/lint.sh.
 *
 * The weave generates, for each link, __heddle_build.
 */
#include "heddle/abi.h"

_Static_assert(sizeof(struct heddle_object) == 88, "the table below has the layout of struct heddle_object");
_Static_assert(sizeof(struct heddle_note) == 8, "the note below has the layout of struct heddle_note");
_Static_assert(HEDDLE_ABI_VERSION == 8 && HEDDLE_NOTE_OBJECT == 1, "the numbers below are those of abi.h");
_Static_assert(sizeof HEDDLE_NOTE_NAME == 7, "the note below is padded for this name");
_Static_assert(offsetof(struct heddle_gate, context) == 0 && offsetof(struct heddle_gate, entries) == 8,
	       "the stubs below know the layout of struct heddle_gate");
_Static_assert(HEDDLE_HOOK_READ == 0 && HEDDLE_HOOK_WRITE == 5 && HEDDLE_HOOK_COUNT == 17,
	       "the stubs know the numbers");

extern struct heddle_gate __heddle_gate __attribute__((visibility("hidden")));
extern const struct heddle_object __heddle_object __attribute__((visibility("hidden")));
struct heddle_gate __heddle_gate;

/*
 * The stubs. __heddle_call_K pushes the object's context and jumps to the runtime's entry K. The stubs for a register
 * put it into r11 first and do the same by themselves: one jump less is a third of the cost. world/shortcut.c reads them.
 * The call frame information keeps backtraces whole at every instruction.
 */
__asm__(".pushsection " HEDDLE_SECTION_CLONES ", \"ax\", @progbits\n"
	".macro heddle_entry number\n"
	".hidden __heddle_call_\\number\n"
	".globl __heddle_call_\\number\n"
	".type __heddle_call_\\number, @function\n"
	"__heddle_call_\\number:\n"
	".cfi_startproc\n"
	"pushq __heddle_gate(%rip)\n"
	".cfi_adjust_cfa_offset 8\n"
	"jmp *__heddle_gate + 8 + 8 * \\number(%rip)\n"
	".cfi_endproc\n"
	".size __heddle_call_\\number, . - __heddle_call_\\number\n"
	".endm\n"
	".macro heddle_stub kind, size, number, register, move:vararg\n"
	".hidden __heddle_\\kind\\size\\()_\\register\n"
	".globl __heddle_\\kind\\size\\()_\\register\n"
	".type __heddle_\\kind\\size\\()_\\register, @function\n"
	"__heddle_\\kind\\size\\()_\\register:\n"
	".cfi_startproc\n"
	"\\move\n"
	"pushq __heddle_gate(%rip)\n"
	".cfi_adjust_cfa_offset 8\n"
	"jmp *__heddle_gate + 8 + 8 * \\number(%rip)\n"
	".cfi_endproc\n"
	".size __heddle_\\kind\\size\\()_\\register, . - __heddle_\\kind\\size\\()_\\register\n"
	".endm\n"
	".macro heddle_stubs kind, size, number\n"
	".irp register, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r12, r13, r14, r15\n"
	"heddle_stub \\kind, \\size, \\number, \\register, mov %\\register, %r11\n"
	".endr\n"
	"heddle_stub \\kind, \\size, \\number, fixed, xor %r11d, %r11d\n"
	".endm\n"
	".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16\n"
	"heddle_entry \\number\n"
	".endr\n"
	".hidden __heddle_again\n"
	".globl __heddle_again\n"
	".type __heddle_again, @function\n"
	"__heddle_again:\n"
	".cfi_startproc\n"
	"pushfq\n"
	".cfi_adjust_cfa_offset 8\n"
	"pushq %r11\n"
	".cfi_adjust_cfa_offset 8\n"
	"call __heddle_call_16\n"
	"popq %r11\n"
	".cfi_adjust_cfa_offset -8\n"
	"popfq\n"
	".cfi_adjust_cfa_offset -8\n"
	"ret\n"
	".cfi_endproc\n"
	".size __heddle_again, . - __heddle_again\n"
	"heddle_stubs r, 0, 0\n"
	"heddle_stubs r, 1, 1\n"
	"heddle_stubs r, 2, 2\n"
	"heddle_stubs r, 3, 3\n"
	"heddle_stubs r, 4, 4\n"
	"heddle_stubs w, 0, 5\n"
	"heddle_stubs w, 1, 6\n"
	"heddle_stubs w, 2, 7\n"
	"heddle_stubs w, 3, 8\n"
	"heddle_stubs w, 4, 9\n"
	".popsection\n");

/* A distance between two symbols is no constant expression in C, so the tables are written in assembly. */
__asm__(".pushsection .rodata.heddle, \"a\", @progbits\n"
	".hidden __heddle_build, __heddle_gate, __heddle_object\n"
	".balign 8\n"
	".globl __heddle_object\n"
	".type __heddle_object, @object\n"
	"__heddle_object:\n"
	".ascii \"" HEDDLE_MAGIC "\"\n"
	".long 8, 88\n"
	".long __heddle_build - .\n"
	".zero 48\n" /* the bounds of the tables: heddle-cc writes them into the linked file */
	".long __heddle_gate - .\n"
	".quad 0, 0\n" /* the checks, likewise */
	".size __heddle_object, . - __heddle_object\n"
	".popsection\n"
	".pushsection .note.heddle, \"a\", @note\n"
	".balign 4\n"
	".long 7, 8, 1\n"
	".asciz \"" HEDDLE_NOTE_NAME "\"\n"
	".balign 4\n"
	".long 8\n"
	".long __heddle_object - .\n"
	".popsection\n");

/* Weak and never defined at link time: null unless libheddle.so is preloaded. Compiled as position independent code
 * the reference goes through the global offset table, which every kind of link fills when the program starts. */
extern int __heddle_register(const struct heddle_object *object) __attribute__((weak));

static void register_object(void)
{
	int (*enter)(const struct heddle_object *) = __heddle_register;
	__asm__("" : "+r"(enter)); /* or the compiler would call through a PLT entry, whose address is never null */
	if (enter)
		enter(&__heddle_object);
}

/* Priority 0 sorts before every constructor of the object, so that those already run switched. */
static void (*const first_constructor)(void) __attribute__((used, section(".init_array.00000"))) = register_object;
