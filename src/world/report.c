/*
 * report.c: what happened, for people: lines in channel.report that the tool completes with names (abi.h).
 */
#include <poll.h>
#include <string.h>

#include "rt/maps.h"
#include "rt/say.h"
#include "world/calls.h"
#include "world/frame.h"
#include "world/parts.h"
#include "world/patch.h"
#include "world/sync.h"

#define FRAMES 24u

static void put(const char *text)
{
	struct heddle_channel *channel = world.channel;
	while (*text && channel->report_used < HEDDLE_REPORT_ROOM - 1)
		channel->report[channel->report_used++] = *text++;
}

static void put_number(uint64_t number, unsigned base)
{
	char digits[24];
	size_t at = sizeof digits - 1;
	digits[at] = '\0';
	do
		digits[--at] = "0123456789abcdef"[number % base];
	while ((number /= base) != 0);
	put(digits + at);
}

static void put_code(uint32_t index, uintptr_t code)
{
	put("at ");
	put_number(index, 10);
	put(" ");
	put_number(patch_original(code), 16);
	put("\n");
}

void report_note(const char *text, const char *subject)
{
	put("note ");
	put(text);
	if (subject) {
		put(" ");
		put(subject);
	}
	put("\n");
}

static void put_module(void *data, const struct maps_entry *entry)
{
	(void)data;
	if (entry->path[0] != '/' || !(entry->protection & 4 /* PROT_EXEC */))
		return;
	put("module ");
	put_number(entry->start, 16);
	put(" ");
	put_number(entry->end, 16);
	put(" ");
	put_number(entry->offset, 16);
	put(" ");
	put(entry->path);
	put("\n");
}

static void put_waits(const struct thread *thread)
{
	struct sync_obstacle obstacle = sync_obstacle(thread);
	put("waits ");
	put_number(thread->index, 10);
	put(" ");
	switch (thread->wait.kind) {
	case WAIT_SLEEP:
		put("sleep 0 0\n");
		return;
	case WAIT_DESCRIPTORS:
		put("descriptor ");
		put_number(thread->wait.poll_count == 1 ? (uint64_t)thread->wait.polls[0].fd : 0, 16);
		put(" 0\n");
		return;
	case WAIT_RETRY:
		put(call_name((long)(uintptr_t)thread->object));
		put(" 0 0\n");
		return;
	case WAIT_SIGNAL:
		put("signal 0 0\n");
		return;
	default:
		for (const char *what = obstacle.what; *what; what++) {
			char letter[2] = { *what == ' ' ? '-' : *what, 0 };
			put(letter);
		}
		put(" ");
		put_number((uintptr_t)obstacle.object, 16);
		put(" ");
		put_number(obstacle.owner, 10);
		put("\n");
	}
}

void report_threads(void)
{
	static const char *const states[] = { "runnable", "waiting", "ended" };
	for (uint32_t i = 1; i <= world.thread_count; i++) {
		const struct thread *thread = &world.threads[i];
		if (thread->state == THREAD_ENDED)
			continue;
		put("thread ");
		put_number(i, 10);
		put(" ");
		put(thread == world.current && thread->state == THREAD_RUNNABLE ? "running" : states[thread->state]);
		put(" ");
		put(thread->name);
		put("\n");
		if (thread->state == THREAD_BLOCKED)
			put_waits(thread);
		put_code(i, thread->code);
	}
	report_modules();
}

void report_modules(void)
{
	static bool is_done;
	if (is_done)
		return;
	is_done = true;
	for (uint32_t i = 1; world.is_detailed && i <= world.thread_count; i++) {
		if (world.threads[i].state != THREAD_ENDED)
			continue;
		put("thread ");
		put_number(i, 10);
		put(" ended ");
		put(world.threads[i].name);
		put("\n");
	}
	maps_read(put_module, NULL);
}

bool report_cycle(void)
{
	for (uint32_t i = 0; i < world.live_count; i++) {
		const struct thread *first = world.live[i], *thread = first;
		for (uint32_t steps = 0; steps <= world.live_count; steps++) {
			if (thread->state != THREAD_BLOCKED || thread->wait.deadline_ns != NO_DEADLINE ||
			    (thread->wait.kind != WAIT_FUTEX && thread->wait.kind != WAIT_CHANGE))
				break;
			uint32_t owner = sync_obstacle(thread).owner;
			if (owner == 0 || owner > world.thread_count)
				break;
			thread = &world.threads[owner];
			if (thread == first) {
				report_threads();
				return true;
			}
		}
	}
	return false;
}

/* registers: where it happened; null when the signal came from elsewhere. The chain of frame pointers is followed as far
 * as it goes; code that keeps none has one line. */
void report_fault(int number, const siginfo_t *info, const struct registers *registers)
{
	struct thread *self = world.current;
	put("note signal ");
	put_number((uint64_t)number, 10);
	if (registers) {
		put(" at address ");
		put_number((uintptr_t)info->si_addr, 16);
	}
	put("\n");
	if (registers)
		self->code = registers->rip + 1; /* readers take return addresses */
	report_threads();
}
