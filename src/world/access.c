/*
 * access.c: accesses of woven code as events. The site stands for the code address.
 *
 * Plain accesses are by far the most frequent events, so they have an entry of their own that counts down and adds up
 * where they were, and comes to a hook only when a decision is due. The sum does not depend on the order, but the
 * rest fixes the order: only one thread runs between two decisions.
 */
#include "world/access.h"

#include "rt/observe.h"
#include "rt/option.h"
#include "world/callers.h"
#include "world/guarded.h"
#include "world/log.h"
#include "world/parts.h"
#include "world/schedule/expose.h"
#include "world/schedule/hot.h"
#include "world/schedule/pair_seen.h"
#include "world/shortcut.h"

static __attribute__((used)) void on_read(const volatile void *address, const struct heddle_site *site);
static __attribute__((used)) void on_write(const volatile void *address, const struct heddle_site *site);

/* Whether a decision is made here differs between a run and its replay, so both paths end with the same registers. */
__asm__(".pushsection .text\n" SHORTCUT_COUNT SHORTCUT_CALL ".macro access_entry kind, rest\n"
	".balign 32\n"
	"access_on_\\kind:\n"
	".cfi_startproc\n"
	"shortcut_count 1f\n" SHORTCUT_RETURN "1: jmp *" TALLY_RESTS_START " + 8 * \\rest\n"
	".cfi_endproc\n"
	".endm\n"
	".macro access_rest kind\n"
	".balign 16\n"
	"access_rest_\\kind:\n"
	".cfi_startproc\n"
	"shortcut_save\n"
	"shortcut_call on_\\kind\n"
	".cfi_endproc\n"
	".endm\n"
	".balign 64\n"
	"access_start:\n"
	"access_entry read, 0\n"
	"access_entry write, 1\n"
	"access_end:\n"
	"access_rest read\n"
	"access_rest write\n" SHORTCUT_COUNT_END SHORTCUT_CALL_END ".popsection\n"
	".pushsection .data.rel.ro.access, \"aw\"\n"
	".balign 8\n"
	".hidden access_table\n"
	".globl access_table\n"
	"access_table:\n"
	".irp kind, read, read, read, read, read, write, write, write, write, write\n"
	".quad access_on_\\kind\n"
	".endr\n"
	".quad access_start, access_end, access_rest_read, access_rest_write\n"
	".popsection\n");

/* The entries, where they start and end, and where they go on. */
extern const char *const access_table[SHORTCUT_ENTRIES + 4] __attribute__((visibility("hidden")));

const struct shortcut_code *access_entries(void)
{
	static struct shortcut_code code;
	code = (struct shortcut_code){ access_table[SHORTCUT_ENTRIES], access_table[SHORTCUT_ENTRIES + 1],
				       access_table };
	for (unsigned i = 0; i < 2; i++)
		TALLY->rests[i] = (void (*)(void))(uintptr_t)access_table[SHORTCUT_ENTRIES + 2 + i];
	return &code;
}

void access_decide(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site)
{
	if (!world.is_on) {
		TALLY->countdown = INT64_MAX;
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

void access_announce(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site)
{
	TALLY->access_sum += (uintptr_t)address + (uintptr_t)site;
	if (world.decides_hot_only)
		hot_announce(kind, site);
	if (--TALLY->countdown < 0)
		access_decide(kind, address, site);
}

void access_announce_range(enum heddle_event_kind kind, const volatile void *address, size_t size_bytes,
			   const struct heddle_site *site)
{
	if (world.is_on)
		world.current->range_bytes = size_bytes;
	access_announce(kind, address, site);
	guarded_make(address, size_bytes, site);
}

#define MAX_TOUCHES 3500000u /* that are written in a run, and ... */
#define TOUCHES_AT_ONCE                                                                                                \
	64u /* ... of a site between two events: no reader needs all rounds of a loop. It is halved ... */
#define TOUCHES_HALVED                                                                                                 \
	500000u /* ... each time this many are written, to leave some for the end of a long run, where failures are */
#define TOUCHES_IN_VAIN 65536u
#define TOUCH_SITES 1024u

_Static_assert(TOUCHES_AT_ONCE >> (MAX_TOUCHES - 1) / TOUCHES_HALVED, "the last ones are of all sites");

/* How often the site was touched since the last event. Two sites that share a row reset each other's count. */
static uint32_t count_touch(const struct heddle_site *site)
{
	static struct {
		const struct heddle_site *site;
		uint64_t event;
		uint32_t count;
	} rows[TOUCH_SITES], *row;
	uint64_t now = world_events();
	row = &rows[(uintptr_t)site / sizeof *site % TOUCH_SITES];
	if (row->site != site || row->event != now) {
		row->site = site;
		row->event = now;
		row->count = 0;
	}
	return ++row->count;
}

bool access_touch(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site)
{
	static uint32_t total;
	if (world.is_on && world.decides_hot_only && shortcut_is_quiet_reported() && hot_is(site)) {
		pair_seen(kind, address, site);
		expose_touched(address, site);
	}
	if (site->flags & HEDDLE_SITE_RANGE)
		guarded_make(address, HEDDLE_CELL_BYTES, site);
	if (!world.is_on || !world.is_detailed || !(site->flags & HEDDLE_SITE_QUIET))
		return true;
	uint32_t count = count_touch(site);
	if (total < MAX_TOUCHES && count <= TOUCHES_AT_ONCE >> total / TOUCHES_HALVED) {
		total++;
		log_write_touch(world.current, kind, address, site, callers_here());
	}
	return count < TOUCHES_IN_VAIN;
}

static void on_read(const volatile void *address, const struct heddle_site *site)
{
	access_decide(HEDDLE_EVENT_READ, address, site);
}

static void on_write(const volatile void *address, const struct heddle_site *site)
{
	access_decide(HEDDLE_EVENT_WRITE, address, site);
}

static inline void on_range(enum heddle_event_kind kind, const volatile void *address, size_t size,
			    const struct heddle_site *site)
{
	if (options_prove(site))
		access_touch(kind, address, site);
	else
		access_announce_range(kind, address, size, site);
}

static void on_read_range(const volatile void *address, size_t size, const struct heddle_site *site)
{
	on_range(HEDDLE_EVENT_READ, address, size, site);
}

static void on_write_range(const volatile void *address, size_t size, const struct heddle_site *site)
{
	on_range(HEDDLE_EVENT_WRITE, address, size, site);
}

static void on_read_masked(const volatile void *address, uint64_t lanes, const struct heddle_site *site)
{
	access_announce_range(HEDDLE_EVENT_READ, address, access_masked_bytes(lanes, site), site);
}

static void on_write_masked(const volatile void *address, uint64_t lanes, const struct heddle_site *site)
{
	access_announce_range(HEDDLE_EVENT_WRITE, address, access_masked_bytes(lanes, site), site);
}

#define OPAQUE_SITES 256u
#define OPAQUE_TRIES 8u

/* Reports once that a statement of inline assembly ran that Heddle does not understand. Sites that compete for
 * a row may be missed. */
static void note_opaque(const struct heddle_site *site)
{
	static const struct heddle_site *rows[OPAQUE_SITES];
	size_t first = (uintptr_t)site / sizeof *site;
	for (size_t i = 0; world.is_on && i < OPAQUE_TRIES; i++) {
		const struct heddle_site **row = &rows[(first + i) % OPAQUE_SITES];
		if (*row == site)
			return;
		if (!*row) {
			*row = site;
			report_opaque(site);
			return;
		}
	}
}

#define MAX_LOOKS 16u

void access_announce_atomic(const volatile void *address, const struct heddle_site *site)
{
	if (site->access == HEDDLE_ACCESS_OPAQUE) {
		note_opaque(site);
		return;
	}
	if (site->flags & HEDDLE_SITE_LOOP && world.is_on) {
		world.current->loop_object = address;
		world.current->loop_site = site;
	}
	static const struct heddle_site *last_site;
	static const volatile void *last_address;
	static uint32_t looks;
	if (site != last_site || address != last_address) {
		last_site = site;
		last_address = address;
		looks = 0;
	} else if (++looks == MAX_LOOKS) {
		looks = 0;
		if (world.is_long && world.is_on && site->access == HEDDLE_ACCESS_ATOMIC_READ) {
			world.current->is_yielding = true;
			world_slice(0);
		}
	}
	access_announce(HEDDLE_EVENT_ATOMIC, address, site);
	guarded_make(address, site->size, site);
}

void access_announce_again(void)
{
	if (world.is_on && world.current->loop_site)
		access_announce_atomic(world.current->loop_object, world.current->loop_site);
}

void access_hooks(struct heddle_hooks *hooks)
{
	hooks->read_range = on_read_range;
	hooks->write_range = on_write_range;
	hooks->read_masked = on_read_masked;
	hooks->write_masked = on_write_masked;
	hooks->atomic_begin = access_announce_atomic;
	hooks->atomic_again = access_announce_again;
}
