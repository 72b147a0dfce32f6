/*
 * entry.c: the entries of plain accesses under detection (world/shortcut.h). Each counts the event and then goes as far as
 * it has to:
 *
 *  1. in assembly, when a word of the cell stands for the same thread at the same clock, as much (a write stands for a
 *     read, too), and all of the bytes: nothing is new;
 *  2. in assembly with three registers more, when the cell has one word at most that is in the way, and what that stands for
 *     is ordered before: memory that is used for the first time, and what one thread wrote and another one reads;
 *  3. in a short function, when no older access is in conflict with it;
 *  4. by detect/access.c.
 *
 * Each step leaves to the next what it cannot do, and has changed nothing then that the next would not do again.
 */
#include <cpuid.h>

#include "detect/access.h"
#include "detect/track.h"
#include "world/shortcut.h"

static inline __attribute__((always_inline)) bool is_ours(uintptr_t address, size_t size_bytes)
{
	return address - PLACE_HEAP < PLACE_HEAP_ROOM ? access_is_known(address, size_bytes)
						      : shadow_windows[address >> 40 & 15] == address >> 44;
}

static inline __attribute__((always_inline)) bool enter(uintptr_t address, uint64_t number, unsigned size_bytes,
							enum shadow_kind kind)
{
	uint64_t word = detect.epoch | (uint64_t)kind << WORD_KIND_SHIFT | number << WORD_SITE_SHIFT;
	unsigned first = address & 7;
	if (!detect.is_easy || first + (size_bytes & 15) > 8)
		return false;
	if (!number)
		return true;
	order_now->has_accessed = true;
	if (size_bytes == 16)
		return !first && is_ours(address, 8) && is_ours(address + 8, 8) &&
		       shadow_enter_quick(address, word | SHADOW_MASK, kind) &&
		       shadow_enter_quick(address + 8, word | SHADOW_MASK, kind);
	return is_ours(address, size_bytes) &&
	       shadow_enter_quick(address, word | ((1u << size_bytes) - 1) << first, kind);
}

#define ENTER(bytes)                                                                                                   \
	static __attribute__((used)) bool enter_read_##bytes(uintptr_t address, uint64_t number)                       \
	{                                                                                                              \
		return enter(address, number, bytes, SHADOW_READ);                                                     \
	}                                                                                                              \
	static __attribute__((used)) bool enter_write_##bytes(uintptr_t address, uint64_t number)                      \
	{                                                                                                              \
		return enter(address, number, bytes, SHADOW_WRITE);                                                    \
	}
ENTER(1)
ENTER(2)
ENTER(4)
ENTER(8)
ENTER(16)
#undef ENTER

_Static_assert(offsetof(struct detect, epoch_all) == 8 && offsetof(struct detect, address) == 16 &&
		       offsetof(struct detect, is_easy) == 26 && offsetof(struct order, seen.clocks) == 0 &&
		       offsetof(struct order, seen.count) == 8 && offsetof(struct order, has_accessed) == 66 &&
		       PLACE_HEAP == 0x110000000000ul && PLACE_HEAP_ROOM == 1ul << 42 && WORD_SLOT_SHIFT == 10 &&
		       WORD_CLOCK_SHIFT == 21 && ACCESS_BLOCKS == 16 && sizeof(struct access_block) == 16 &&
		       SHADOW_PLACE == 0x310000000000ul && WORD_KIND_SHIFT == 8 && WORD_SITE_SHIFT == 43 &&
		       SHADOW_WRITE == 0 && SHADOW_READ == 1 && sizeof(struct shortcut) == 12,
	       "the entries below know these");

/*
 * A cell is at twice the lower 44 bits of the address, without the last three, behind the start of the shadow. A word that
 * will do has all bits below the site's as epoch_all has them: those of a read may be those of a write, and bytes that are
 * not accessed are not looked at. For less than eight bytes what differs is moved so that the first byte's bit is the
 * last: by shrx or, on processors without it, with rcx.
 */
__asm__(".pushsection .rodata.detect, \"a\"\n"
	".balign 64\n"
	"entry_address: .quad 0xffffffffff8\n"
	"entry_half: .quad 0x310000000000 / 2\n"
	"entry_heap: .quad 0x110000000000\n"
	"entry_read: .quad 0x7fffffffeff\n"
	"entry_write: .quad 0x7ffffffffff\n"
	"entry_small_read: .quad 0x7fffffffe00\n"
	"entry_small_write: .quad 0x7ffffffff00\n"
	".popsection\n"
	".pushsection .text\n" SHORTCUT_COUNT SHORTCUT_CALL
	/* r10 is half of the cell's address afterwards. */
	".macro entry_cell\n"
	"movq %r11, %r10\n"
	"andq entry_address(%rip), %r10\n"
	"addq entry_half(%rip), %r10\n"
	".endm\n"
	/* A word of the cell for eight bytes. */
	".macro entry_word at, kind, otherwise\n"
	"entry_cell\n"
	"movq \\at(%r10, %r10), %r10\n"
	"xorq detect + 8(%rip), %r10\n"
	"testq %r10, entry_\\kind(%rip)\n"
	"jnz \\otherwise\n"
	".endm\n"
	/* A word for less; r11 is lost. Bytes of two cells are for step 3. */
	".macro entry_small at, kind, bytes, has_shift, otherwise, new, cross\n"
	"entry_cell\n"
	"movq \\at(%r10, %r10), %r10\n"
	"andl $7, %r11d\n"
	".if \\bytes > 1 && !\\at\n"
	"cmpl $8 - \\bytes, %r11d\n"
	"ja \\cross\n"
	".endif\n"
	"xorq detect + 8(%rip), %r10\n"
	".if \\has_shift\n"
	"shrxq %r11, %r10, %r11\n"
	".else\n"
	"pushq %rcx\n"
	".cfi_adjust_cfa_offset 8\n"
	"movl %r11d, %ecx\n"
	"movq %r10, %r11\n"
	"shrq %cl, %r11\n"
	"popq %rcx\n"
	".cfi_adjust_cfa_offset -8\n"
	".endif\n"
	"testq %r10, entry_small_\\kind(%rip)\n"
	"jnz \\otherwise\n"
	"testb $(1 << \\bytes) - 1, %r11b\n"
	"jnz \\new\n"
	".endm\n"
	/* Whether what the word in rcx stands for is ordered before: order_is_before. Loses rdx and r11. */
	".macro entry_before otherwise\n"
	"movl %ecx, %edx\n"
	"shrl $10, %edx\n"
	"andl $2047, %edx\n"
	"movq order_now(%rip), %r11\n"
	"cmpl 8(%r11), %edx\n"
	"jae \\otherwise\n"
	"movq (%r11), %r11\n"
	"movl (%r11, %rdx, 4), %edx\n"
	"movq %rcx, %r11\n"
	"shrq $21, %r11\n"
	"andl $0x3fffff, %r11d\n"
	"cmpl %edx, %r11d\n"
	"ja \\otherwise\n"
	".endm\n"
	/* edx is the bytes of the cell. */
	".macro entry_mask bytes\n"
	"movl $(1 << \\bytes) - 1, %edx\n"
	".if \\bytes < 8\n"
	"movl %r11d, %ecx\n"
	"andl $7, %ecx\n"
	"shlxl %ecx, %edx, %edx\n"
	".endif\n"
	".endm\n"
	/*
	 * Step 2, with the address in detect.address, for bytes of one cell. rax becomes the word; r10 is half of the cell's
	 * address, rcx the word that is there. What it cannot do goes on behind it, with the address in r11.
	 */
	".macro entry_quick kind, bytes\n"
	"cmpb $0, detect + 26(%rip)\n"
	"je 6f\n"
	".irp register, rax, rcx, rdx\n"
	"pushq %\\register\n"
	".cfi_adjust_cfa_offset 8\n"
	".endr\n"
	"movq 24(%rsp), %rax\n"
	"movslq -4(%rax), %rcx\n"
	"movl -4(%rax, %rcx), %eax\n"
	"testl %eax, %eax\n"
	"jz 5f\n"
	"shlq $43, %rax\n"
	"orq detect(%rip), %rax\n"
	".ifc \\kind, read\n"
	"orq $256, %rax\n"
	".endif\n"
	"movq detect + 16(%rip), %r11\n"
	"entry_cell\n"
	"entry_mask \\bytes\n"
	/* Is it the program's? Bytes that were accessed before, a live block of the heap, or what has a shadow of its own. */
	"movq %r11, %rcx\n"
	"subq entry_heap(%rip), %rcx\n"
	"shrq $42, %rcx\n"
	"jnz 1f\n"
	"movq (%r10, %r10), %rcx\n"
	"orq 8(%r10, %r10), %rcx\n"
	"notl %ecx\n"
	"testb %dl, %cl\n"
	"jz 2f\n"
	"movl %r11d, %edx\n"
	"shrl $8, %edx\n"
	"andl $0xf0, %edx\n"
	"leaq access_blocks(%rip), %rcx\n"
	"addq %rdx, %rcx\n"
	"leaq \\bytes - 1(%r11), %rdx\n"
	"subq (%rcx), %rdx\n"
	"cmpq 8(%rcx), %rdx\n"
	"jae 5f\n"
	"entry_mask \\bytes\n"
	"jmp 2f\n"
	"1: movq %r11, %rdx\n"
	"shrq $40, %rdx\n"
	"movl %edx, %ecx\n"
	"shrl $4, %edx\n"
	"andl $15, %ecx\n"
	"leaq shadow_windows(%rip), %r11\n"
	"cmpb %dl, (%r11, %rcx)\n"
	"jne 5f\n"
	"movq detect + 16(%rip), %r11\n"
	"entry_mask \\bytes\n"
	"2: movq order_now(%rip), %rcx\n"
	"movb $1, 66(%rcx)\n"
	"orq %rdx, %rax\n"
	"movq (%r10, %r10), %rcx\n"
	"testq %rcx, %rcx\n"
	"jz 3f\n"
	"movq %rcx, %r11\n"
	"xorq %rax, %r11\n"
	"shrq $8, %r11\n"
	"jz 1f\n" /* the same but for the bytes */
	"cmpq $0, 8(%r10, %r10)\n"
	"jne 5f\n"
	"testb %dl, %cl\n"
	"jz 2f\n"
	/* The one word there has bytes of this one. */
	"shrq $2, %r11\n"
	"shlq $31, %r11\n" /* of the difference, slot and clock */
	"jz 5f\n"
	"entry_before 5f\n"
	".ifc \\kind, write\n"
	"movl %eax, %edx\n"
	"notl %edx\n"
	"testb %dl, %cl\n" /* its bytes that are not this one's */
	"jnz 5f\n"
	"jmp 3f\n"
	".else\n"
	"testl $0x300, %ecx\n" /* a write stays */
	"jnz 5f\n"
	".endif\n"
	"2: movq %rcx, 8(%r10, %r10)\n"
	"3: movq %rax, (%r10, %r10)\n"
	"4: .irp register, rdx, rcx, rax\n"
	"popq %\\register\n"
	".cfi_adjust_cfa_offset -8\n"
	".endr\n" SHORTCUT_RETURN ".cfi_adjust_cfa_offset 24\n"
	"1: orq %rcx, %rax\n"
	"movq 8(%r10, %r10), %rcx\n"
	"testq %rcx, %rcx\n"
	"jz 3b\n"
	"testb %cl, %cl\n" /* a list */
	"jz 5f\n"
	"testb %dl, %cl\n"
	"jz 3b\n"
	".ifc \\kind, read\n"
	"testl $0x300, %ecx\n"
	"jnz 5f\n"
	"entry_before 5f\n"
	"jmp 3b\n"
	".endif\n"
	"5: .irp register, rdx, rcx, rax\n"
	"popq %\\register\n"
	".cfi_adjust_cfa_offset -8\n"
	".endr\n"
	"6: movq detect + 16(%rip), %r11\n"
	".endm\n"
	/* Steps 3 and 4, with the address in r11; 9: step 4 only. */
	".macro entry_rest kind, bytes\n"
	"8: shortcut_save\n"
	"movl -4(%rax, %rsi), %esi\n"
	"call enter_\\kind\\()_\\bytes\n" /* it needs no aligned stack */
	"testb %al, %al\n"
	"jz 7f\n"
	"shortcut_restore\n"
	".cfi_adjust_cfa_offset 64\n"
	"7: shortcut_call detect_on_\\kind\\()_\\bytes\n"
	"9: shortcut_save\n"
	"jmp 7b\n"
	".endm\n"
	".macro entry_begin name, kind, bytes\n"
	".balign 16\n"
	"\\name\\()_\\kind\\()_\\bytes:\n"
	".cfi_startproc\n"
	"shortcut_count 9f\n"
	".endm\n"
	".macro entry_of_small name, kind, bytes, has_shift\n"
	"entry_begin \\name, \\kind, \\bytes\n"
	"movq %r11, detect + 16(%rip)\n"
	"entry_small 0, \\kind, \\bytes, \\has_shift, 1f, 2f, 6f\n" SHORTCUT_RETURN "1: movq detect + 16(%rip), %r11\n"
	"entry_small 8, \\kind, \\bytes, \\has_shift, 2f, 2f, 2f\n" SHORTCUT_RETURN "2:\n"
	".if \\has_shift\n"
	"entry_quick \\kind, \\bytes\n"
	".else\n"
	"6: movq detect + 16(%rip), %r11\n"
	".endif\n"
	"entry_rest \\kind, \\bytes\n"
	".cfi_endproc\n"
	".endm\n"
	".macro entry_of_8 kind\n"
	"entry_begin entry, \\kind, 8\n"
	"testb $7, %r11b\n"
	"jnz 8f\n"
	"entry_word 0, \\kind, 1f\n" SHORTCUT_RETURN "1: entry_word 8, \\kind, 2f\n" SHORTCUT_RETURN
	"2: movq %r11, detect + 16(%rip)\n"
	"entry_quick \\kind, 8\n"
	"entry_rest \\kind, 8\n"
	".cfi_endproc\n"
	".endm\n"
	".macro entry_of_16 kind\n"
	"entry_begin entry, \\kind, 16\n"
	"testb $7, %r11b\n"
	"jnz 8f\n"
	"movq %r11, detect + 16(%rip)\n"
	"entry_cell\n"
	"movq 16(%r10, %r10), %r11\n"
	"movq (%r10, %r10), %r10\n"
	"xorq detect + 8(%rip), %r11\n"
	"xorq detect + 8(%rip), %r10\n"
	"orq %r11, %r10\n"
	"testq %r10, entry_\\kind(%rip)\n"
	"jnz 1f\n" SHORTCUT_RETURN "1: movq detect + 16(%rip), %r11\n"
	"entry_rest \\kind, 16\n"
	".cfi_endproc\n"
	".endm\n"
	".irp kind, read, write\n"
	".irp bytes, 1, 2, 4\n"
	"entry_of_small entry, \\kind, \\bytes, 1\n"
	"entry_of_small entry_old, \\kind, \\bytes, 0\n"
	".endr\n"
	"entry_of_8 \\kind\n"
	"entry_of_16 \\kind\n"
	".endr\n"
	".purgem shortcut_count\n"
	".purgem shortcut_save\n"
	".purgem shortcut_restore\n"
	".purgem shortcut_call\n"
	".popsection\n"
	".pushsection .data.rel.ro.detect, \"aw\"\n"
	".balign 8\n"
	".hidden entries_new, entries_old\n"
	".globl entries_new, entries_old\n"
	"entries_new:\n"
	".irp kind, read, write\n"
	".irp bytes, 1, 2, 4, 8, 16\n"
	".quad entry_\\kind\\()_\\bytes\n"
	".endr\n"
	".endr\n"
	"entries_old:\n"
	".irp kind, read, write\n"
	".irp bytes, 1, 2, 4\n"
	".quad entry_old_\\kind\\()_\\bytes\n"
	".endr\n"
	".quad entry_\\kind\\()_8\n"
	".quad entry_\\kind\\()_16\n"
	".endr\n"
	".popsection\n");

extern void (*const entries_new[SHORTCUT_ENTRIES])(void) __attribute__((visibility("hidden")));
extern void (*const entries_old[SHORTCUT_ENTRIES])(void) __attribute__((visibility("hidden")));

void (*const *detect_entries(void))(void)
{
	unsigned a, b, c, d;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_BMI2) ? entries_new : entries_old;
}
