/* instances.c: see instances.h. */
#include "detect/instances.h"

#include "detect/detect.h"
#include "detect/order.h"
#include "detect/site.h"
#include "detect/track.h"
#include "rt/observe.h"
#include "rt/tally.h"

/* Accesses of a place that are compared with later ones: the first, and the last. */
#define FIRST_KEPT 64u
#define KEPT 256u

struct access {
	uintptr_t address;
	size_t size_bytes; /* 0: it is forgotten */
	uint64_t epoch;    /* as in a word of the shadow */
	uint64_t event, lock_event;
	uint64_t number;  /* among those of both places */
	uint64_t ordinal; /* among those of its thread to this address at its place */
	uint32_t thread;
	enum shadow_kind kind;
};

/* How many accesses a thread made to an address. Two of them that share a row reset each other's count. */
#define ROWS 256u
struct row {
	uintptr_t address;
	uint32_t thread;
	uint64_t count;
};

static struct place {
	uint64_t code; /* as it was asked for */
	uint32_t site_number;
	struct access kept[KEPT];
	uint64_t count; /* that there were */
	struct row rows[ROWS];
} places[2];

/* The last write of a thread to an address, whatever its place. Two that share a row replace each other: then it is not known. */
#define WROTE_ROWS 1024u
static struct wrote {
	uintptr_t address;
	uint32_t thread;
	uint64_t number; /* of the next access of the places */
} wrote[WROTE_ROWS];

static uint32_t place_count; /* 1: both are the same */
static uint64_t access_count, near_count, random_state;

bool instances_start(void)
{
	const struct heddle_race_ask *ask = &observed->channel->race;
	place_count = !ask->places[0] ? 0 : ask->places[0] == ask->places[1] ? 1 : 2;
	random_state = ask->seed;
	for (uint32_t i = 0; i < place_count; i++) {
		places[i].code = ask->places[i];
		places[i].site_number = SITE_MANY;
	}
	return place_count > 0;
}

static uint64_t random_below(uint64_t bound)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ul;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul;
	z = (z ^ z >> 27) * 0x94d049bb133111ebul;
	return (uint64_t)((unsigned __int128)(z ^ z >> 31) * bound >> 64);
}

/* Where the access of that index is kept. */
static struct access *kept_of(struct place *place, uint64_t index)
{
	const uint64_t last = FIRST_KEPT + (index - FIRST_KEPT) % (KEPT - FIRST_KEPT);
	return &place->kept[index < FIRST_KEPT ? index : last];
}

/* The access of that age, which is kept; 0: the newest. */
static struct access *kept_at(struct place *place, uint64_t age)
{
	return kept_of(place, place->count - 1 - age);
}

/* The next age that is kept: those between the first and the last ones are not. */
static uint64_t age_after(const struct place *place, uint64_t age)
{
	age++;
	return age == KEPT - FIRST_KEPT && place->count > KEPT ? place->count - FIRST_KEPT : age;
}

static bool overlaps(const struct access *a, const struct access *b)
{
	return a->address < b->address ? b->address - a->address < a->size_bytes
				       : a->address - b->address < b->size_bytes;
}

static bool is_write(const struct access *access)
{
	return access->kind == SHADOW_WRITE || access->kind == SHADOW_ATOMIC_WRITE;
}

static bool is_atomic(const struct access *access)
{
	return access->kind == SHADOW_ATOMIC_WRITE || access->kind == SHADOW_ATOMIC_READ;
}

/* Whether the earlier access races with that of the current thread. */
static bool races(const struct access *earlier, const struct access *later)
{
	return earlier->size_bytes && earlier->thread != later->thread && overlaps(earlier, later) &&
	       (is_write(earlier) || is_write(later)) && !(is_atomic(earlier) && is_atomic(later)) &&
	       !order_is_before(earlier->epoch);
}

static struct wrote *wrote_at(uintptr_t address, uint32_t thread)
{
	return &wrote[(address / 4 ^ thread * 61ul) % WROTE_ROWS];
}

static bool is_hidden(const struct access *earlier, const struct access *later)
{
	const struct wrote *own = wrote_at(later->address, later->thread);
	return own->address == later->address && own->thread == later->thread && own->number > earlier->number;
}

/* Accesses like the later one between the two, from the ordinal of the first of them that is kept. */
static uint64_t count_passed(struct place *place, const struct access *earlier, const struct access *later)
{
	uint64_t ordinal = later->ordinal;
	for (uint64_t age = 0; age < place->count; age = age_after(place, age)) {
		const struct access *access = kept_at(place, age);
		if (access->number < earlier->number)
			break;
		if (access->thread == later->thread && access->address == later->address && access->ordinal < ordinal)
			ordinal = access->ordinal;
	}
	return later->ordinal - ordinal;
}

static void tell(uint32_t slot, const struct access *earlier, const struct access *later, bool is_swapped)
{
	const uintptr_t start = earlier->address > later->address ? earlier->address : later->address;
	const uintptr_t end_earlier = earlier->address + earlier->size_bytes;
	const uintptr_t end_later = later->address + later->size_bytes;
	observed->channel->instances[slot] = (struct heddle_instance){
		.address = start,
		.size_bytes = (end_earlier < end_later ? end_earlier : end_later) - start,
		.first_event = earlier->event,
		.lock_event = earlier->lock_event,
		.second_event = later->event,
		.epoch = earlier->epoch >> WORD_SLOT_SHIFT,
		.passed = count_passed(&places[place_count == 2 && !is_swapped], earlier, later),
		.first_thread = earlier->thread,
		.second_thread = later->thread,
		.is_swapped = is_swapped,
		.is_hidden = is_hidden(earlier, later),
	};
}

/* Keeps one in this many, each as likely as the others; slots from first to end. */
static void sample(uint32_t first, uint32_t end, uint64_t count, const struct access *earlier,
		   const struct access *later, bool is_swapped)
{
	const uint64_t slot = count <= end - first ? count - 1 : random_below(count);
	if (slot < end - first)
		tell(first + (uint32_t)slot, earlier, later, is_swapped);
}

/* Compares the access with the earlier ones of a place. */
static void meet(struct place *earlier, const struct access *later, bool is_swapped)
{
	struct heddle_channel *channel = observed->channel;
	const struct access *last = NULL, *first = NULL;
	for (uint64_t age = 0; age < earlier->count; age = age_after(earlier, age)) {
		const struct access *access = kept_at(earlier, age);
		if (!races(access, later))
			continue;
		channel->instance_count++;
		sample(HEDDLE_INSTANCE_ANY, HEDDLE_INSTANCES, channel->instance_count, access, later, is_swapped);
		last = last ? last : access;
		first = access;
	}
	if (!last)
		return;
	sample(HEDDLE_INSTANCE_NEAR, HEDDLE_INSTANCE_ANY, ++near_count, last, later, is_swapped);
	if (!channel->instances[HEDDLE_INSTANCE_FIRST + is_swapped].size_bytes)
		tell(HEDDLE_INSTANCE_FIRST + is_swapped, last, later, is_swapped);
	tell(HEDDLE_INSTANCE_LAST + is_swapped, last, later, is_swapped);
	tell(HEDDLE_INSTANCE_WIDEST + is_swapped, first, later, is_swapped);
}

static uint64_t outermost_lock(void)
{
	uint64_t event = 0;
	for (uint32_t i = 0; i < track_now->held_count; i++)
		if (!event || track_now->held[i].event < event)
			event = track_now->held[i].event;
	return event;
}

/* at: which place it is made at. */
static void enter(uint32_t at, struct access *access)
{
	struct place *place = &places[at];
	struct row *row = &place->rows[(access->address / 4 ^ access->thread * 61ul) % ROWS];
	if (row->address != access->address || row->thread != access->thread)
		*row = (struct row){ access->address, access->thread, 0 };
	access->ordinal = row->count++;
	meet(&places[place_count == 2 ? !at : 0], access, place_count == 2 && at == 0);
	*kept_of(place, place->count++) = *access;
}

static struct access access_now(uintptr_t address, size_t size_bytes, enum shadow_kind kind)
{
	return (struct access){ .address = address,
				.size_bytes = size_bytes,
				.epoch = detect.epoch & SHADOW_EPOCH_BITS,
				.event = tally_events(),
				.lock_event = outermost_lock(),
				.number = access_count++,
				.thread = track_now->index,
				.kind = kind };
}

/* SITE_MANY: it is no site, or its object is not there yet. */
static uint32_t number_at(struct place *place)
{
	if (place->site_number == SITE_MANY)
		place->site_number = site_find_number((const struct heddle_site *)place->code);
	return place->site_number;
}

void instances_look(uintptr_t address, size_t size_bytes, enum shadow_kind kind, const struct heddle_site *site)
{
	const uint32_t number = place_count ? site_number(site) : 0;
	if (!number || number == SITE_MANY || !size_bytes)
		return;
	for (uint32_t i = 0; i < place_count; i++) {
		if (number_at(&places[i]) != number)
			continue;
		struct access access = access_now(address, size_bytes, kind);
		enter(i, &access);
		break;
	}
	if (kind == SHADOW_WRITE || kind == SHADOW_ATOMIC_WRITE)
		*wrote_at(address, track_now->index) = (struct wrote){ address, track_now->index, access_count };
}

void instances_forget(uintptr_t start, size_t size_bytes)
{
	for (uint32_t i = 0; i < place_count; i++)
		for (uint32_t j = 0; j < KEPT && j < places[i].count; j++)
			if (places[i].kept[j].address - start < size_bytes)
				places[i].kept[j].size_bytes = 0;
}

void instances_freed(uintptr_t start, size_t size_bytes, uintptr_t code)
{
	struct access access = access_now(start, size_bytes, SHADOW_WRITE);
	for (uint32_t i = 0; i < place_count; i++)
		if (places[i].code == code)
			enter(i, &access);
	instances_forget(start, size_bytes);
}
