/* debug.c: where the debugger finds the threads and what the world reports (rt/debug.h). */
#include "rt/debug.h"

#include "world/parts.h"

#define FIELD(structure, field)                                                                                        \
	{                                                                                                              \
#structure "." #field, offsetof(struct structure, field)                                               \
	}
#define STRUCTURE(structure, place)                                                                                    \
	{                                                                                                              \
#structure, place                                                                                      \
	}
#define CHANNEL(field)                                                                                                 \
	{                                                                                                              \
		"channel." #field, offsetof(struct heddle_channel, field)                                              \
	}

static const struct heddle_debug_place places[] = {
	STRUCTURE(tally, PLACE_TALLY),
	FIELD(tally, countdown),
	FIELD(tally, horizon),
	FIELD(world, current),
	FIELD(world, live),
	FIELD(world, live_count),
	FIELD(world, channel),
	FIELD(world, program_name),
	FIELD(thread, index),
	FIELD(thread, tid),
	FIELD(thread, state),
	FIELD(thread, stack_pointer),
	FIELD(thread, fs_base),
	FIELD(thread, kind),
	FIELD(thread, object),
	FIELD(thread, wait.kind),
	FIELD(thread, wait.object),
	FIELD(thread, wait.deadline_ns),
	FIELD(thread, name),
	FIELD(thread, call),
	FIELD(registers, r15),
	FIELD(registers, r14),
	FIELD(registers, r13),
	FIELD(registers, r12),
	FIELD(registers, rbp),
	FIELD(registers, rbx),
	FIELD(registers, r11),
	FIELD(registers, r10),
	FIELD(registers, r9),
	FIELD(registers, r8),
	FIELD(registers, rax),
	FIELD(registers, rcx),
	FIELD(registers, rdx),
	FIELD(registers, rsi),
	FIELD(registers, rdi),
	FIELD(registers, rip),
	FIELD(registers, rsp),
	FIELD(registers, number),
	CHANNEL(outcome),
	CHANNEL(status),
	CHANNEL(event_count),
	CHANNEL(event_hash),
	CHANNEL(output_hash),
	CHANNEL(report),
	CHANNEL(report_used),
};

void debug_start(void)
{
	heddle_debug.places = places;
	heddle_debug.place_count = sizeof places / sizeof *places;
	heddle_debug.world = &world;
}
