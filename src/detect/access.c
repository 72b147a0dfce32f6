/*
 * access.c: accesses of woven code under detection. Like world/access.c they are events first; then they are looked up in
 * the shadow. An entry in assembly does both for the plain ones that need no decision and add nothing new to the shadow,
 * which are nearly all.
 */
#include "world/access.h"
#include "detect/detect.h"
#include "detect/finding.h"
#include "detect/shadow.h"
#include "detect/track.h"
#include "detect/watch.h"
#include "rt/gate.h"
#include "world/heap.h"
#include "world/hot.h"
#include "world/parts.h"

/* The block of the heap that was found last, while it lives. */
static uintptr_t block_start;
static size_t block_size;

void access_forget_block(void)
{
	block_size = 0;
}

/* Memory of the heap that is not the program's is not looked up: it has no accesses that matter. */
static __attribute__((noinline)) bool is_good(uintptr_t address, size_t size_bytes, bool is_write,
					      const struct heddle_site *site)
{
	struct heap_block block;
	if (heap_find((void *)address, &block) && block.state == HEAP_LIVE &&
	    address - (uintptr_t)block.start + size_bytes <= block.size) {
		block_start = (uintptr_t)block.start;
		block_size = block.size;
		return true;
	}
	finding_memory(address, size_bytes, is_write, site);
	return false;
}

static inline bool is_known_good(uintptr_t address, size_t size_bytes)
{
	return address - PLACE_HEAP >= PLACE_HEAP_ROOM || shadow_is_covered(address, size_bytes) ||
	       (address - block_start < block_size && size_bytes <= block_size - (address - block_start));
}

static inline __attribute__((always_inline)) void look(const volatile void *at, size_t size_bytes,
						       enum shadow_kind kind, const struct heddle_site *site)
{
	uintptr_t address = (uintptr_t)at;
	if (!detect.is_on)
		return;
	struct track *track = world.current->track;
	if (track->again.lock)
		track_settle(track);
	if (detect.is_watching) {
		watch_done();
		watch_look(address, size_bytes, site);
	}
	bool is_write = kind == SHADOW_WRITE || kind == SHADOW_ATOMIC_WRITE;
	if (size_bytes && (is_known_good(address, size_bytes) || is_good(address, size_bytes, is_write, site)) &&
	    !track->ignoring)
		shadow_access(address, size_bytes, kind, site);
}

static inline void decide_if_due(enum heddle_event_kind kind, const volatile void *address,
				 const struct heddle_site *site)
{
	if (world.countdown < 0)
		access_decide(kind, address, site);
}

#define PLAIN(bytes)                                                                                                   \
	static void on_read_##bytes(const volatile void *address, const struct heddle_site *site)                      \
	{                                                                                                              \
		decide_if_due(HEDDLE_EVENT_READ, address, site);                                                       \
		look(address, bytes, SHADOW_READ, site);                                                               \
	}                                                                                                              \
	static void on_write_##bytes(const volatile void *address, const struct heddle_site *site)                     \
	{                                                                                                              \
		decide_if_due(HEDDLE_EVENT_WRITE, address, site);                                                      \
		look(address, bytes, SHADOW_WRITE, site);                                                              \
	}
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)
#undef PLAIN

static inline void announce(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site)
{
	world.access_sum += (uintptr_t)address + (uintptr_t)site;
	if (world.is_picky)
		hot_announce(kind, site);
	world.countdown--;
	decide_if_due(kind, address, site);
}

static void on_read_range(const volatile void *address, size_t size, const struct heddle_site *site)
{
	announce(HEDDLE_EVENT_READ, address, site);
	look(address, size, SHADOW_READ, site);
}

static void on_write_range(const volatile void *address, size_t size, const struct heddle_site *site)
{
	announce(HEDDLE_EVENT_WRITE, address, site);
	look(address, size, SHADOW_WRITE, site);
}

static void look_lanes(const volatile void *address, uint64_t lanes, enum shadow_kind kind,
		       const struct heddle_site *site)
{
	for (; lanes; lanes &= lanes - 1)
		look((const volatile char *)address + (size_t)__builtin_ctzl(lanes) * site->size, site->size, kind,
		     site);
}

static void on_read_masked(const volatile void *address, uint64_t lanes, const struct heddle_site *site)
{
	announce(HEDDLE_EVENT_READ, address, site);
	look_lanes(address, lanes, SHADOW_READ, site);
}

static void on_write_masked(const volatile void *address, uint64_t lanes, const struct heddle_site *site)
{
	announce(HEDDLE_EVENT_WRITE, address, site);
	look_lanes(address, lanes, SHADOW_WRITE, site);
}

static void on_atomic_begin(const volatile void *address, const struct heddle_site *site)
{
	announce(HEDDLE_EVENT_ATOMIC, address, site);
}

static void on_atomic_end(const volatile void *address, const struct heddle_site *site, uint32_t is_done)
{
	unsigned order = site->order & 15, order_if_not = site->order >> 4;
	if (!detect.is_on || site->flags & HEDDLE_SITE_SINGLE_THREAD)
		return;
	switch (site->access) {
	case HEDDLE_ACCESS_FENCE:
		track_settle(world.current->track);
		order_fence(order);
		return;
	case HEDDLE_ACCESS_ATOMIC_READ:
		look(address, site->size, SHADOW_ATOMIC_READ, site);
		order_atomic_read(address, site->size, order);
		return;
	case HEDDLE_ACCESS_ATOMIC_WRITE:
		look(address, site->size, SHADOW_ATOMIC_WRITE, site);
		order_atomic_write(address, site->size, order);
		return;
	default:
		look(address, site->size, is_done ? SHADOW_ATOMIC_WRITE : SHADOW_ATOMIC_READ, site);
		if (is_done)
			order_atomic_update(address, site->size, order);
		else
			order_atomic_read(address, site->size, order_if_not);
	}
}

void detect_hooks(struct heddle_hooks *hooks)
{
	void (*const reads[])(const volatile void *, const struct heddle_site *) = { on_read_1, on_read_2, on_read_4,
										     on_read_8, on_read_16 };
	void (*const writes[])(const volatile void *, const struct heddle_site *) = { on_write_1, on_write_2,
										      on_write_4, on_write_8,
										      on_write_16 };
	for (int i = 0; i < 5; i++) {
		hooks->read[i] = reads[i];
		hooks->write[i] = writes[i];
	}
	hooks->read_range = on_read_range;
	hooks->write_range = on_write_range;
	hooks->read_masked = on_read_masked;
	hooks->write_masked = on_write_masked;
	hooks->atomic_begin = on_atomic_begin;
	hooks->atomic_end = on_atomic_end;
}

/*
 * On entry as in rt/gate.c: the context at 0(%rsp), the return address at 8(%rsp), the base in r11. It counts the event
 * like the entries of world/access.c, finds the address by the short offset, and returns when one of the two words of the
 * cell stands for the same thread at the same clock, as much (kept: bits of the word that must be equal, counted from
 * above the mask; a write stands for a read, too), and all of the bytes.
 */
_Static_assert(offsetof(struct detect, epoch) == 0 && SHADOW_PLACE == 0x310000000000ul && WORD_KIND_SHIFT == 8 &&
		       WORD_SITE_SHIFT == 43 && SHADOW_WRITE == 0 && SHADOW_READ == 1 && GATE_OFFSETS == 24,
	       "the entries below know these");
__asm__(".pushsection .text\n"
	".macro detect_word at, drop, otherwise\n"
	"movq \\at(%rdx), %rcx\n"
	"xorq detect(%rip), %rcx\n"
	"notb %cl\n"
	"testb %cl, %al\n"
	"jnz \\otherwise\n"
	"shlq $21, %rcx\n"
	"shrq $\\drop, %rcx\n"
	"jnz \\otherwise\n"
	".endm\n"
	".macro detect_return\n"
	"popq %rdx\n"
	".cfi_adjust_cfa_offset -8\n"
	"popq %rcx\n"
	".cfi_adjust_cfa_offset -8\n"
	"popq %rax\n"
	".cfi_adjust_cfa_offset -8\n"
	".endm\n"
	".macro detect_entry number, bytes, drop\n"
	".balign 16\n"
	"detect_entry_\\number:\n"
	".cfi_startproc\n"
	".cfi_def_cfa_offset 16\n"
	"pushq %rax\n"
	".cfi_adjust_cfa_offset 8\n"
	"pushq %rcx\n"
	".cfi_adjust_cfa_offset 8\n"
	"pushq %rdx\n"
	".cfi_adjust_cfa_offset 8\n"
	"movq 32(%rsp), %rcx\n"
	"leaq (%r11, %rcx), %rax\n"
	"addq %rax, world + 8(%rip)\n"
	"decq world(%rip)\n"
	"js 9f\n"
	"movq 24(%rsp), %rax\n"
	"subq (%rax), %rcx\n"
	"andq $-4, %rcx\n"
	"movq 24(%rax), %rdx\n"
	"movslq (%rdx, %rcx), %rcx\n"
	"movq %r11, %rdx\n"
	"testq %rdx, %rdx\n"
	"cmovzq (%rax), %rdx\n"
	"addq %rcx, %rdx\n"
	"movl %edx, %ecx\n"
	".if \\bytes >= 8\n"
	"movl $255, %eax\n"
	".else\n"
	"movl $(1 << \\bytes) - 1, %eax\n"
	".endif\n"
	"andl $7, %ecx\n"
	".if \\bytes >= 8\n"
	"jnz 9f\n"
	".else\n"
	".if \\bytes > 1\n"
	"cmpl $8 - \\bytes, %ecx\n"
	"ja 9f\n"
	".endif\n"
	"shll %cl, %eax\n"
	".endif\n"
	"shlq $20, %rdx\n"
	"movabsq $0x310000000000, %rcx\n"
	"shrq $19, %rdx\n"
	"andq $-16, %rdx\n"
	"addq %rcx, %rdx\n"
	"detect_word 0, \\drop, 1f\n"
	"7:\n"
	".if \\bytes == 16\n"
	"detect_word 16, \\drop, 2f\n"
	".endif\n"
	"8: detect_return\n"
	"popq %r11\n" /* as rt/gate.c leaves r11 and the flags */
	".cfi_adjust_cfa_offset -8\n"
	"testq %rsp, %rsp\n"
	"ret\n"
	".cfi_adjust_cfa_offset 32\n"
	"1: detect_word 8, \\drop, 9f\n"
	"jmp 7b\n"
	".if \\bytes == 16\n"
	"2: detect_word 24, \\drop, 9f\n"
	"jmp 8b\n"
	".endif\n"
	"9: detect_return\n"
	"jmp *gate_entries + 8 * \\number(%rip)\n"
	".cfi_endproc\n"
	".endm\n"
	"detect_entry 0, 1, 30\n"
	"detect_entry 1, 2, 30\n"
	"detect_entry 2, 4, 30\n"
	"detect_entry 3, 8, 30\n"
	"detect_entry 4, 16, 30\n"
	"detect_entry 5, 1, 29\n"
	"detect_entry 6, 2, 29\n"
	"detect_entry 7, 4, 29\n"
	"detect_entry 8, 8, 29\n"
	"detect_entry 9, 16, 29\n"
	".popsection\n"
	".pushsection .data.rel.ro.detect, \"aw\"\n"
	".balign 8\n"
	".hidden detect_entries\n"
	".globl detect_entries\n"
	"detect_entries:\n"
	".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9\n"
	".quad detect_entry_\\number\n"
	".endr\n"
	".popsection\n");
