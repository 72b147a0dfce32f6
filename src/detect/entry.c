/*
 * entry.c: the entries of plain accesses under detection (rt/shortcut.h). Each counts the event and then goes as far as
 * it has to:
 *
 *  1. in assembly, when a word of the cell stands for the same thread at the same clock, as much (a write stands for a
 *     read, too), and all of the bytes: nothing is new;
 *  2. in assembly with three registers more, when the cell has one word at most that is in the way, and what that stands for
 *     is ordered before: memory that is used for the first time, and what one thread wrote and another one reads;
 *  3. in a short function, when no older access is in conflict with it;
 *  4. by detect/access.c.
 *
 * Each step leaves to the next what it cannot do, and then has changed nothing that the next step would not redo.
 */
#include <cpuid.h>

#include "detect/access.h"
#include "detect/track.h"
#include "rt/shortcut.h"

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
	if (!detect.is_fast || first + (size_bytes & 15) > 8)
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

_Static_assert(offsetof(struct detect, epoch) == 0 && offsetof(struct detect, is_fast) == 10 &&
		       TALLY_RESTS >= 3 * SHORTCUT_ENTRIES && offsetof(struct order, seen.clocks) == 0 &&
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
 *
 * Step 1 is the code that is copied to near the objects, with its constants. It goes on, by addresses in the tally, in one
 * of three ways: the countdown ended (r11 is the address); the bytes are not of one cell (r11, too); or the cell does not
 * know it (the address is in the tally).
 */
#define GO_ON "jmp *" TALLY_RESTS_START " + 24 * \\number + "

__asm__(".pushsection .text\n" SHORTCUT_COUNT SHORTCUT_CALL
	/* r10 is half of the cell's address afterwards. */
	".macro entry_cell name\n"
	"movq %r11, %r10\n"
	"andq \\name\\()_address(%rip), %r10\n"
	"addq \\name\\()_half(%rip), %r10\n"
	".endm\n"
	/* A word of the cell for eight bytes. */
	".macro entry_word name, at, kind, otherwise\n"
	"entry_cell \\name\n"
	"movq \\at(%r10, %r10), %r10\n"
	"xorq " TALLY_EPOCH_ALL ", %r10\n"
	"testq %r10, \\name\\()_bits_\\kind(%rip)\n"
	"jnz \\otherwise\n"
	".endm\n"
	/* A word for less; r11 is lost. Bytes of two cells are for step 3. */
	".macro entry_small name, at, kind, bytes, has_shift, otherwise, new, cross\n"
	"entry_cell \\name\n"
	"movq \\at(%r10, %r10), %r10\n"
	"andl $7, %r11d\n"
	".if \\bytes > 1 && !\\at\n"
	"cmpl $8 - \\bytes, %r11d\n"
	"ja \\cross\n"
	".endif\n"
	"xorq " TALLY_EPOCH_ALL ", %r10\n"
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
	"testq %r10, \\name\\()_small_\\kind(%rip)\n"
	"jnz \\otherwise\n"
	"testb $(1 << \\bytes) - 1, %r11b\n"
	"jnz \\new\n"
	".endm\n"
	".macro entry_begin name, kind, bytes\n"
	".balign 32\n"
	"\\name\\()_\\kind\\()_\\bytes:\n"
	".cfi_startproc\n"
	"shortcut_count 9f\n"
	".endm\n"
	".macro entry_of_small name, kind, bytes, number, has_shift\n"
	"entry_begin \\name, \\kind, \\bytes\n"
	"movq %r11, " TALLY_ADDRESS "\n"
	"entry_small \\name, 0, \\kind, \\bytes, \\has_shift, 1f, 2f, 8f\n" SHORTCUT_RETURN "1: movq " TALLY_ADDRESS
	", %r11\n"
	"entry_small \\name, 8, \\kind, \\bytes, \\has_shift, 2f, 2f, 2f\n" SHORTCUT_RETURN "2: " GO_ON "16\n"
	".if \\bytes > 1\n"
	"8: movq " TALLY_ADDRESS ", %r11\n" GO_ON "8\n"
	".endif\n"
	"9: " GO_ON "0\n"
	".cfi_endproc\n"
	".endm\n"
	".macro entry_of_8 name, kind, number\n"
	"entry_begin \\name, \\kind, 8\n"
	"testb $7, %r11b\n"
	"jnz 8f\n"
	"entry_word \\name, 0, \\kind, 1f\n" SHORTCUT_RETURN "1: entry_word \\name, 8, \\kind, 2f\n" SHORTCUT_RETURN
	"2: movq %r11, " TALLY_ADDRESS "\n" GO_ON "16\n"
	"8: " GO_ON "8\n"
	"9: " GO_ON "0\n"
	".cfi_endproc\n"
	".endm\n"
	".macro entry_of_16 name, kind, number\n"
	"entry_begin \\name, \\kind, 16\n"
	"testb $7, %r11b\n"
	"jnz 8f\n"
	"movq %r11, " TALLY_ADDRESS "\n"
	"entry_cell \\name\n"
	"movq 16(%r10, %r10), %r11\n"
	"movq (%r10, %r10), %r10\n"
	"xorq " TALLY_EPOCH_ALL ", %r11\n"
	"xorq " TALLY_EPOCH_ALL ", %r10\n"
	"orq %r11, %r10\n"
	"testq %r10, \\name\\()_bits_\\kind(%rip)\n"
	"jnz 2f\n" SHORTCUT_RETURN "2: " GO_ON "16\n"
	"8: " GO_ON "8\n"
	"9: " GO_ON "0\n"
	".cfi_endproc\n"
	".endm\n"
	/* Numbers are those of the hooks. */
	".macro entry_all name, has_shift\n"
	".balign 64\n"
	"\\name\\()_start:\n"
	"\\name\\()_address: .quad 0xffffffffff8\n"
	"\\name\\()_half: .quad 0x310000000000 / 2\n"
	"\\name\\()_bits_read: .quad 0x7fffffffeff\n"
	"\\name\\()_bits_write: .quad 0x7ffffffffff\n"
	"\\name\\()_small_read: .quad 0x7fffffffe00\n"
	"\\name\\()_small_write: .quad 0x7ffffffff00\n"
	".balign 64\n"
	"entry_of_small \\name, read, 1, 0, \\has_shift\n"
	"entry_of_small \\name, read, 2, 1, \\has_shift\n"
	"entry_of_small \\name, read, 4, 2, \\has_shift\n"
	"entry_of_8 \\name, read, 3\n"
	"entry_of_16 \\name, read, 4\n"
	"entry_of_small \\name, write, 1, 5, \\has_shift\n"
	"entry_of_small \\name, write, 2, 6, \\has_shift\n"
	"entry_of_small \\name, write, 4, 7, \\has_shift\n"
	"entry_of_8 \\name, write, 8\n"
	"entry_of_16 \\name, write, 9\n"
	"\\name\\()_end:\n"
	".endm\n"
	"entry_all entry_old, 0\n"
	"entry_all entry, 1\n"
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
	 * Step 2, with the address in the tally, for bytes of one cell. rax becomes the word; r10 is half of the cell's
	 * address, rcx the word that is there. What it cannot do goes on behind it, with the address in r11.
	 */
	".macro entry_quick kind, bytes\n"
	"cmpb $0, detect + 10(%rip)\n"
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
	"movq " TALLY_ADDRESS ", %r11\n"
	"entry_cell entry\n"
	"entry_mask \\bytes\n"
	/* Is it the program's? Bytes that were accessed before, a live block of the heap, or what has a shadow of its own. */
	"movq %r11, %rcx\n"
	"shrq $40, %rcx\n"
	"subl $0x11, %ecx\n"
	"shrl $2, %ecx\n"
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
	"movq " TALLY_ADDRESS ", %r11\n"
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
	"6: movq " TALLY_ADDRESS ", %r11\n"
	".endm\n"
	/* Steps 3 and 4, with the address in r11; late: step 4 only. */
	".macro entry_rest name, kind, bytes\n"
	"shortcut_save\n"
	"movl -4(%rax, %rsi), %esi\n"
	"call enter_\\kind\\()_\\bytes\n" /* it needs no aligned stack */
	"testb %al, %al\n"
	"jz 7f\n"
	"shortcut_restore\n"
	".cfi_adjust_cfa_offset 64\n"
	"7: shortcut_call detect_on_\\kind\\()_\\bytes\n"
	"\\name\\()_late_\\kind\\()_\\bytes:\n"
	"shortcut_save\n"
	"jmp 7b\n"
	".endm\n"
	/* Where step 1 goes on. */
	".macro entry_rests name, kind, bytes, is_quick\n"
	".balign 16\n"
	".cfi_startproc\n"
	"\\name\\()_rest_\\kind\\()_\\bytes:\n"
	".if \\is_quick\n"
	"entry_quick \\kind, \\bytes\n"
	".else\n"
	"movq " TALLY_ADDRESS ", %r11\n"
	".endif\n"
	"\\name\\()_odd_\\kind\\()_\\bytes:\n"
	"entry_rest \\name, \\kind, \\bytes\n"
	".cfi_endproc\n"
	".endm\n"
	".irp kind, read, write\n"
	".irp bytes, 1, 2, 4\n"
	"entry_rests entry, \\kind, \\bytes, 1\n"
	"entry_rests entry_old, \\kind, \\bytes, 0\n"
	".endr\n"
	"entry_rests entry, \\kind, 8, 1\n"
	"entry_rests entry, \\kind, 16, 0\n"
	".endr\n" SHORTCUT_COUNT_END SHORTCUT_CALL_END ".popsection\n"
	".pushsection .data.rel.ro.detect, \"aw\"\n"
	".balign 8\n"
	".macro entry_rests_of name, kind, bytes\n"
	".quad \\name\\()_late_\\kind\\()_\\bytes\n"
	".quad \\name\\()_odd_\\kind\\()_\\bytes\n"
	".quad \\name\\()_rest_\\kind\\()_\\bytes\n"
	".endm\n"
	".macro entry_table_of name, kind\n"
	".quad \\name\\()_\\kind\\()_1, \\name\\()_\\kind\\()_2, \\name\\()_\\kind\\()_4\n"
	".quad \\name\\()_\\kind\\()_8, \\name\\()_\\kind\\()_16\n"
	".endm\n"
	".macro entry_rests_table name, kind\n"
	"entry_rests_of \\name, \\kind, 1\n"
	"entry_rests_of \\name, \\kind, 2\n"
	"entry_rests_of \\name, \\kind, 4\n"
	"entry_rests_of entry, \\kind, 8\n"
	"entry_rests_of entry, \\kind, 16\n"
	".endm\n"
	".macro entry_table name\n"
	".hidden \\name\\()_table\n"
	".globl \\name\\()_table\n"
	"\\name\\()_table:\n"
	"entry_table_of \\name, read\n"
	"entry_table_of \\name, write\n"
	".quad \\name\\()_start, \\name\\()_end\n"
	"entry_rests_table \\name, read\n"
	"entry_rests_table \\name, write\n"
	".endm\n"
	"entry_table entry\n"
	"entry_table entry_old\n"
	".popsection\n");

/* The entries, where they start and end, and where they go on: three for each. */
struct table {
	const char *entries[SHORTCUT_ENTRIES], *start, *end;
	void (*rests[3 * SHORTCUT_ENTRIES])(void);
};
extern const struct table entry_table __attribute__((visibility("hidden")));
extern const struct table entry_old_table __attribute__((visibility("hidden")));

const struct shortcut_code *detect_entries(void)
{
	static struct shortcut_code code;
	unsigned a, b, c, d;
	bool has_shift = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_BMI2);
	const struct table *table = has_shift ? &entry_table : &entry_old_table;
	code = (struct shortcut_code){ table->start, table->end, table->entries };
	for (unsigned i = 0; i < 3 * SHORTCUT_ENTRIES; i++)
		TALLY->rests[i] = table->rests[i];
	return &code;
}
