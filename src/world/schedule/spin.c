/*
 * spin.c: recognises a thread that waits by polling. From time to time a thread is watched for a number of its
 * events: if it only reads, tries or asks for the time, in a few places again and again, and the values there do not
 * change, it spins, and strategies treat it as if it had yielded. A wrong guess costs nothing but a switch.
 */
#include "world/parts.h"

#define PROBE_AFTER 64u   /* decisions at the thread's events ... */
#define PROBE_SLICE 1000u /* ... or one after this many events without any */
#define PROBE_EVENTS 48u  /* watched */
#define PROBE_PLACES 8u   /* the maximum number of different ones */

struct spin_probe {
	uint32_t left, place_count;
	struct {
		uintptr_t code, object;
		uint64_t value;
	} places[PROBE_PLACES];
};

bool spin_is_probing(const struct thread *thread)
{
	return thread->probe && thread->probe->left;
}

void spin_forget(struct thread *thread)
{
	thread->probe->left = 0;
}

bool spin_only_looks(enum heddle_event_kind kind)
{
	return kind == HEDDLE_EVENT_READ || kind == HEDDLE_EVENT_ATOMIC || kind == HEDDLE_EVENT_MUTEX_TRYLOCK ||
	       kind == HEDDLE_EVENT_YIELD;
}

/* What an access announces need not be memory: of no bytes, of masked lanes, or about to fault. on_fault in signal_kernel.c
 * lets a look that faults return 0. */
__asm__(".pushsection .text\n"
	".hidden spin_look, spin_look_failed\n"
	".globl spin_look, spin_look_failed\n"
	".type spin_look, @function\n"
	"spin_look:\n"
	".cfi_startproc\n"
	"movq (%rdi), %rax\n"
	"ret\n"
	"spin_look_failed:\n"
	"xorl %eax, %eax\n"
	"ret\n"
	".cfi_endproc\n"
	".size spin_look, . - spin_look\n"
	".popsection\n");

static uint64_t value_of(const struct thread *self)
{
	/* Aligned, so that it never crosses into a page that the program may not read. */
	return self->kind == HEDDLE_EVENT_YIELD ? 0 : spin_look((uintptr_t)self->object & ~7ul);
}

bool spin_is_seen(struct thread *self)
{
	struct spin_probe *probe = self->probe;
	if (!probe || !probe->left) {
		bool is_long = world_events() - world.switched_at >= PROBE_SLICE;
		if (++self->slow_count < PROBE_AFTER && world.runnable_count > 1 && !is_long)
			return false;
		self->slow_count = 0;
		if (!spin_only_looks(self->kind))
			return false;
		if (!probe && !(probe = self->probe = world_pages(sizeof *probe)))
			return false;
		probe->left = PROBE_EVENTS;
		probe->place_count = 0;
	}
	if (!spin_only_looks(self->kind)) {
		probe->left = 0;
		world.yield_streak = 0;
		return false;
	}
	uint64_t value = value_of(self);
	for (uint32_t i = 0; i < probe->place_count; i++)
		if (probe->places[i].code == self->code && probe->places[i].object == (uintptr_t)self->object) {
			if (probe->places[i].value != value) {
				probe->left = 0;
				world.yield_streak = 0;
				return false;
			}
			return --probe->left == 0;
		}
	if (probe->place_count == PROBE_PLACES) {
		probe->left = 0;
		world.yield_streak = 0;
		return false;
	}
	probe->places[probe->place_count].code = self->code;
	probe->places[probe->place_count].object = (uintptr_t)self->object;
	probe->places[probe->place_count++].value = value;
	return --probe->left == 0;
}
