/*
 * pair_seen.c: see pair_seen.h. Each place that is reached is a line of the report, and so is each two places at which two threads
 * accessed common bytes, one of them writing. That line says what both accesses have in common that orders them, and is written again
 * when another instance of the two has less in common. The lines are "reached" and "common" in heddle/abi.h.
 *
 * Tables are small: what was displaced is not compared with what comes later, so a line may be missing, but none is wrong.
 */
#include "world/schedule/pair_seen.h"

#include "heddle/abi.h"
#include "rt/observe.h"
#include "world/parts.h"

#define ROWS 1024u   /* of granules, ... */
#define IN_ROW 8u    /* ... and accesses that each of them has */
#define MAX_LOCKS 4u /* of an access that are compared */
#define MAX_PAIRS 256u
#define GRANULE 8u
#define MAX_GRANULES 8u /* of an access that are looked at */

/* An access that was made. */
struct made {
	uintptr_t address;
	const struct heddle_site *site;
	uint32_t thread;      /* index; 0: the slot is free */
	uint32_t last_thread; /* the last one that there was then */
	uint64_t epoch;       /* see rt/observe.h */
	bool is_write, is_atomic;
	uint32_t lock_count;
	const volatile void *locks[MAX_LOCKS];
};

enum order { ORDER_UNORDERED, ORDER_UNKNOWN, ORDER_LOCK, ORDER_CREATED, ORDER_ENDED, ORDER_ATOMIC, ORDER_COUNT };
static const char *const order_words[ORDER_COUNT] = { "unordered", "unknown", "lock", "created", "ended", "atomic" };

/* Two places that met at common bytes. */
struct common {
	const struct heddle_site *sites[2];
	enum order order;
	uint32_t lock_count; /* that all instances have in common */
	const volatile void *locks[MAX_LOCKS];
};

static struct made rows[ROWS][IN_ROW];
static uint8_t next_in_row[ROWS];
static struct common commons[MAX_PAIRS];
static uint32_t common_count;
static const struct heddle_site *reached[HEDDLE_HOT_SITES];
static bool is_on;

void pair_seen_start(void)
{
	for (uint32_t row = 0; row < ROWS; row++)
		for (uint32_t i = 0; i < IN_ROW; i++)
			rows[row][i].thread = 0;
	for (uint32_t i = 0; i < HEDDLE_HOT_SITES; i++)
		reached[i] = NULL;
	common_count = 0;
	is_on = true;
}

static void note_reached(const struct heddle_site *site)
{
	const struct heddle_site **slot = &reached[(uintptr_t)site / sizeof *site % HEDDLE_HOT_SITES];
	if (*slot == site)
		return;
	*slot = site;
	report_put("reached ");
	report_put_number((uintptr_t)site, 16);
	report_put("\n");
}

static uint64_t size_of(const struct made *made)
{
	return made->site->size ? made->site->size : GRANULE;
}

static bool is_in_conflict(const struct made *a, const struct made *b)
{
	if (!a->thread || a->thread == b->thread || (!a->is_write && !b->is_write))
		return false;
	return a->address < b->address ? b->address - a->address < size_of(a) : a->address - b->address < size_of(b);
}

/* What orders the two, as far as that is easily known. */
static enum order order_of(const struct made *earlier, const struct made *later, struct common *out)
{
	out->lock_count = 0;
	if (earlier->is_atomic && later->is_atomic)
		return ORDER_ATOMIC;
	/* A thread that was held back may make the earlier one after the later one: then nothing is in between either. */
	if (!observe_is_before(earlier->epoch))
		return ORDER_UNORDERED;
	for (uint32_t i = 0; i < earlier->lock_count; i++)
		for (uint32_t k = 0; k < later->lock_count; k++)
			if (earlier->locks[i] == later->locks[k])
				out->locks[out->lock_count++] = earlier->locks[i];
	if (out->lock_count)
		return ORDER_LOCK;
	if (later->thread > earlier->last_thread)
		return ORDER_CREATED;
	const struct thread *thread = thread_at(earlier->thread);
	return !thread || thread->state == THREAD_ENDED ? ORDER_ENDED : ORDER_UNKNOWN;
}

static void write_common(const struct common *common)
{
	report_put("common ");
	report_put_number((uintptr_t)common->sites[0], 16);
	report_put(" ");
	report_put_number((uintptr_t)common->sites[1], 16);
	report_put(" ");
	report_put(order_words[common->order]);
	for (uint32_t i = 0; i < common->lock_count; i++) {
		report_put(" ");
		report_put_number((uintptr_t)common->locks[i], 16);
	}
	report_put("\n");
}

/* Another instance of the same places: keeps what both have. Returns whether that is less. */
static bool weaken(struct common *known, const struct common *now)
{
	uint32_t kept = 0;
	if (known->order == ORDER_UNORDERED)
		return false;
	if (now->order == ORDER_UNORDERED) {
		*known = *now;
		return true;
	}
	if (known->order == ORDER_UNKNOWN)
		return false;
	for (uint32_t i = 0; i < known->lock_count; i++)
		for (uint32_t k = 0; k < now->lock_count; k++)
			if (known->locks[i] == now->locks[k]) {
				known->locks[kept++] = known->locks[i];
				break;
			}
	bool is_less = kept < known->lock_count;
	known->lock_count = kept;
	if (now->order == known->order && (known->order != ORDER_LOCK || kept))
		return is_less;
	known->order = ORDER_UNKNOWN;
	return true;
}

static void note_common(const struct made *earlier, const struct made *later)
{
	const bool is_swapped = earlier->site > later->site;
	struct common now = { .sites = { is_swapped ? later->site : earlier->site,
					 is_swapped ? earlier->site : later->site } };
	now.order = order_of(earlier, later, &now);
	for (uint32_t i = 0; i < common_count; i++) {
		if (commons[i].sites[0] != now.sites[0] || commons[i].sites[1] != now.sites[1])
			continue;
		if (weaken(&commons[i], &now))
			write_common(&commons[i]);
		return;
	}
	if (common_count == MAX_PAIRS)
		return;
	commons[common_count++] = now;
	write_common(&now);
}

/* The slot of the same access, or of the oldest one. */
static void keep(uint32_t row, const struct made *made)
{
	for (uint32_t i = 0; i < IN_ROW; i++) {
		struct made *slot = &rows[row][i];
		if (slot->thread == made->thread && slot->site == made->site && slot->address == made->address) {
			*slot = *made;
			return;
		}
	}
	rows[row][next_in_row[row]++ % IN_ROW] = *made;
}

void pair_seen(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site)
{
	struct made made = {
		.address = (uintptr_t)address,
		.site = site,
		.thread = world.current->index,
		.last_thread = world.last_index,
		.epoch = observe_epoch(),
		.is_atomic = kind == HEDDLE_EVENT_ATOMIC,
		.is_write = kind == HEDDLE_EVENT_WRITE ||
			    (kind == HEDDLE_EVENT_ATOMIC && site->access != HEDDLE_ACCESS_ATOMIC_READ),
	};
	uint32_t held_count;
	if (!is_on)
		return;
	const struct held *held = observe_held(world.current->track, &held_count);
	for (uint32_t i = 0; i < held_count && made.lock_count < MAX_LOCKS; i++)
		made.locks[made.lock_count++] = held[held_count - 1 - i].lock;
	note_reached(site);
	const uintptr_t first = made.address / GRANULE, last = (made.address + size_of(&made) - 1) / GRANULE;
	for (uintptr_t granule = first; granule <= last && granule - first < MAX_GRANULES; granule++) {
		const uint32_t row = (uint32_t)(granule % ROWS);
		for (uint32_t i = 0; i < IN_ROW; i++)
			if (is_in_conflict(&rows[row][i], &made))
				note_common(&rows[row][i], &made);
		keep(row, &made);
	}
}
