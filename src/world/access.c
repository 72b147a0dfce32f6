/*
 * access.c: accesses of woven code as events. The site stands for the code address.
 *
 * Plain accesses are by far the most frequent events, so they have an entry of their own that counts down and adds up
 * where they were, and comes to a hook only when somebody has to decide. The sum does not know the order, but that is
 * fixed by the rest: between two decisions one thread runs.
 */
#include "world/access.h"

#include "rt/gate.h"
#include "world/hot.h"
#include "world/parts.h"

/* On entry as in rt/gate.c: the context at 0(%rsp), the return address at 8(%rsp), the base in r11, which is free. Whether
 * somebody decides here differs between a run and its replay, so both ways end with the same r11 and flags. */
__asm__(".pushsection .text\n"
	".macro access_entry number\n"
	".balign 16\n"
	"access_entry_\\number:\n"
	".cfi_startproc\n"
	".cfi_def_cfa_offset 16\n"
	"addq 8(%rsp), %r11\n"
	"addq %r11, world + 8(%rip)\n"
	"decq world(%rip)\n"
	"js 1f\n"
	"popq %r11\n"
	".cfi_adjust_cfa_offset -8\n"
	"testq %rsp, %rsp\n"
	"ret\n"
	".cfi_adjust_cfa_offset 8\n"
	"1: subq 8(%rsp), %r11\n"
	"jmp *gate_entries + 8 * \\number(%rip)\n"
	".cfi_endproc\n"
	".endm\n"
	".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9\n"
	"access_entry \\number\n"
	".endr\n"
	".popsection\n"
	".pushsection .data.rel.ro.access, \"aw\"\n"
	".balign 8\n"
	".hidden access_entries\n"
	".globl access_entries\n"
	"access_entries:\n"
	".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9\n"
	".quad access_entry_\\number\n"
	".endr\n"
	".popsection\n");

_Static_assert(offsetof(struct world, countdown) == 0 && offsetof(struct world, access_sum) == 8,
	       "the entries above know these");

void access_decide(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site)
{
	if (!world.is_on) {
		world.countdown = INT64_MAX;
		return;
	}
	struct thread *self = world.current;
	bool kept = self->keeps_extended;
	self->kind = kind;
	self->object = address;
	self->code = (uintptr_t)site;
	self->keeps_extended = true;
	world_slow();
	self->keeps_extended = kept;
}

static inline void announce(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site)
{
	world.access_sum += (uintptr_t)address + (uintptr_t)site;
	if (world.is_picky)
		hot_announce(kind, site);
	if (--world.countdown < 0)
		access_decide(kind, address, site);
}

static void on_read(const volatile void *address, const struct heddle_site *site)
{
	access_decide(HEDDLE_EVENT_READ, address, site);
}

static void on_write(const volatile void *address, const struct heddle_site *site)
{
	access_decide(HEDDLE_EVENT_WRITE, address, site);
}

static void on_read_range(const volatile void *address, size_t size, const struct heddle_site *site)
{
	(void)size;
	announce(HEDDLE_EVENT_READ, address, site);
}

static void on_write_range(const volatile void *address, size_t size, const struct heddle_site *site)
{
	(void)size;
	announce(HEDDLE_EVENT_WRITE, address, site);
}

static void on_read_masked(const volatile void *address, uint64_t lanes, const struct heddle_site *site)
{
	(void)lanes;
	announce(HEDDLE_EVENT_READ, address, site);
}

static void on_write_masked(const volatile void *address, uint64_t lanes, const struct heddle_site *site)
{
	(void)lanes;
	announce(HEDDLE_EVENT_WRITE, address, site);
}

static void on_atomic(const volatile void *address, const struct heddle_site *site)
{
	announce(HEDDLE_EVENT_ATOMIC, address, site);
}

void access_hooks(struct heddle_hooks *hooks)
{
	for (int i = 0; i < 5; i++) {
		hooks->read[i] = on_read;
		hooks->write[i] = on_write;
	}
	hooks->read_range = on_read_range;
	hooks->write_range = on_write_range;
	hooks->read_masked = on_read_masked;
	hooks->write_masked = on_write_masked;
	hooks->atomic_begin = on_atomic;
}
