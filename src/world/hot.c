/*
 * hot.c: see hot.h. The call of a plain access is five bytes, its target a stub of the object's own; the five bytes before
 * the stub call due, which lets the countdown end here (heddle/abi.h, struct heddle_gate). So a call is made hot by
 * taking five from its distance.
 */
#include "world/hot.h"

#include <string.h>

#include "rt/sys.h"
#include "world/parts.h"

#define OBJECTS 256u
#define PAGE 4096ul
#define CALL_OPCODE 0xe8u
#define CALL_BYTES 5u

static struct {
	const struct heddle_object *header;
	const struct heddle_call *calls, *calls_end;
	const char *clones, *clones_end;
} objects[OBJECTS];
static uint32_t object_count;

static uint64_t sites[HEDDLE_HOT_SITES];
static uint32_t site_count;

/* The number of the event stays: horizon and countdown are made smaller by the same. */
extern void hot_due(void) __attribute__((visibility("hidden")));
_Static_assert(offsetof(struct world, countdown) == 0 && offsetof(struct world, horizon) == 24, "hot_due knows these");
__asm__(".pushsection .text\n"
	".balign 16\n"
	".hidden hot_due\n"
	".globl hot_due\n"
	".type hot_due, @function\n"
	"hot_due:\n"
	".cfi_startproc\n"
	"movq world(%rip), %r11\n"
	"subq %r11, world + 24(%rip)\n"
	"movq $0, world(%rip)\n"
	"ret\n"
	".cfi_endproc\n"
	".size hot_due, . - hot_due\n"
	".popsection\n");

bool hot_is(const struct heddle_site *site)
{
	uint32_t low = 0, high = site_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (sites[middle] < (uintptr_t)site)
			low = middle + 1;
		else
			high = middle;
	}
	return low < site_count && sites[low] == (uintptr_t)site;
}

void hot_announce(enum heddle_event_kind kind, const struct heddle_site *site)
{
	if (kind == HEDDLE_EVENT_ATOMIC || hot_is(site))
		world_slice(0);
}

static int make_hot(char *after, const char *clones, const char *clones_end)
{
	int32_t distance;
	char *call = after - CALL_BYTES;
	if (call < clones || after > clones_end || (unsigned char)*call != CALL_OPCODE)
		return -1;
	memcpy(&distance, call + 1, sizeof distance);
	/* It may be hot already: the copy of a world, with another strategy. */
	const char *target = after + distance;
	if (target - HEDDLE_DUE_BYTES < clones || target >= clones_end || (unsigned char)*target == CALL_OPCODE)
		return 0;
	distance -= (int32_t)HEDDLE_DUE_BYTES;
	uintptr_t first = (uintptr_t)call & ~(PAGE - 1), last = ((uintptr_t)after - 1) & ~(PAGE - 1);
	if (sys_mprotect(first, last - first + PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
		return -1;
	memcpy(call + 1, &distance, sizeof distance);
	sys_mprotect(first, last - first + PAGE, PROT_READ | PROT_EXEC);
	return 0;
}

/* A library that is gone again took its tables along. */
static bool is_there(const struct heddle_object *header)
{
	uint64_t magic;
	memcpy(&magic, HEDDLE_MAGIC, sizeof magic);
	return spin_look((uintptr_t)header->magic) == magic;
}

static void redirect(uint32_t number)
{
	int code = 0;
	if (!is_there(objects[number].header))
		return;
	for (const struct heddle_call *call = objects[number].calls; call < objects[number].calls_end; call++)
		if (hot_is(object_at(&call->site)))
			code |= make_hot((char *)(uintptr_t)object_at(&call->after), objects[number].clones,
					 objects[number].clones_end);
	if (code)
		report_note("some accesses could not be made places to switch at", NULL);
}

void hot_attach(const struct object *object)
{
	object->gate->due = hot_due;
	if (object_count == OBJECTS)
		return;
	objects[object_count].header = object->header;
	objects[object_count].calls = object->calls;
	objects[object_count].calls_end = object->calls_end;
	objects[object_count].clones = object->clones;
	objects[object_count].clones_end = object->clones_end;
	object_count++;
	if (site_count)
		redirect(object_count - 1);
}

void hot_start(void)
{
	const struct heddle_channel *channel = world.channel;
	site_count = channel->hot_count < HEDDLE_HOT_SITES ? channel->hot_count : HEDDLE_HOT_SITES;
	memcpy(sites, channel->hot, site_count * sizeof *sites);
	for (uint32_t i = 0; i < object_count && site_count; i++)
		redirect(i);
}
