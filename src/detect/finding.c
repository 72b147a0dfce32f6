/* finding.c: see finding.h. */
#include "detect/finding.h"

#include "detect/shadow.h"
#include "detect/site.h"
#include "detect/track.h"
#include "rt/debug.h"
#include "rt/report.h"
#include "rt/tally.h"

/* Lines of findings in a run, and what of the report is left for all else. */
#define MAX_LINES 4000u
#define MAX_LINES_AGAIN 200u /* of what the tool has: what is new comes first */
#define MAX_REPORT (HEDDLE_REPORT_ROOM / 4 * 3)
#define MET_ROOM 16384u
#define MAX_MET (MET_ROOM / 4 * 3)
#define BENIGN_ROOM 256u
#define NULL_BYTES 4096u

static uint64_t met[MET_ROOM]; /* in this run */
static uint32_t met_count, line_count, again_count;

static struct benign {
	uintptr_t start, end;
} benigns[BENIGN_ROOM];
static uint32_t benign_count;

static uint64_t mix(uint64_t number)
{
	number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9ul;
	number = (number ^ number >> 27) * 0x94d049bb133111ebul;
	return number ^ number >> 31;
}

/* Whether this run has not met it before. What there is no room for is always new. */
static bool is_new(uint64_t number)
{
	number = number * 0x9e3779b97f4a7c15ul | 1;
	uint32_t at = number >> 50;
	while (met[at] && met[at] != number)
		at = (at + 1) % MET_ROOM;
	if (met[at])
		return false;
	if (met_count < MAX_MET) {
		met[at] = number;
		met_count++;
	}
	return true;
}

/* The slot of the key among those that the tool has; HEDDLE_KNOWN: it does not have it. */
static uint32_t slot_of(uint64_t key)
{
	const struct heddle_channel *channel = observed->channel;
	if (!channel->known_count)
		return HEDDLE_KNOWN;
	uint32_t at = (uint32_t)(key >> HEDDLE_KNOWN_SHIFT);
	for (uint32_t i = 0; i < HEDDLE_KNOWN && channel->known[at]; i++, at = (at + 1) % HEDDLE_KNOWN)
		if (channel->known[at] == key)
			return at;
	return HEDDLE_KNOWN;
}

/* A finding that cannot be remembered cannot be reported exactly once. */
static bool has_room(void)
{
	return met_count < MAX_MET && line_count < MAX_LINES && observed->channel->report_used < MAX_REPORT;
}

/* Whether to report it by a line. */
static bool is_wanted(uint64_t key)
{
	struct heddle_channel *channel = observed->channel;
	uint32_t slot = slot_of(key);
	if (slot < HEDDLE_KNOWN) {
		const uint64_t bit = 1ul << slot % 64;
		const bool is_again = channel->known_again[slot / 64] & bit && !(channel->known_seen[slot / 64] & bit);
		channel->known_seen[slot / 64] |= bit;
		if (!is_again || again_count == MAX_LINES_AGAIN || !has_room())
			return false;
		again_count++;
		return true;
	} else if (!has_room()) {
		if (channel->lost_keys < HEDDLE_LOST_KEYS)
			channel->lost[channel->lost_keys] = key;
		channel->lost_keys++;
		return false;
	}
	line_count++;
	return true;
}

/* The same; a debugger that waits for findings stops also at one without a line. */
static bool is_line_wanted(uint64_t key)
{
	if (is_wanted(key))
		return true;
	debug_stop(HEDDLE_DEBUG_FOUND);
	return false;
}

/* The same in all runs of the same files, wherever these are mapped and in whichever order; never 0. */
static uint64_t key_of(uint64_t first, uint64_t second)
{
	return mix(first + mix(second)) | 1;
}

void finding_benign(uintptr_t address, size_t size_bytes)
{
	if (benign_count < BENIGN_ROOM)
		benigns[benign_count++] = (struct benign){ address, address + size_bytes };
	else
		report_note("more than 256 annotations of benign races: the rest is ignored", NULL);
}

void finding_forget(uintptr_t address, size_t size_bytes)
{
	for (uint32_t i = 0; i < benign_count;)
		if (benigns[i].start >= address && benigns[i].end <= address + size_bytes)
			benigns[i] = benigns[--benign_count];
		else
			i++;
}

static bool is_benign(uintptr_t address, size_t size_bytes)
{
	for (uint32_t i = 0; i < benign_count; i++)
		if (address < benigns[i].end && address + size_bytes > benigns[i].start)
			return true;
	return false;
}

static const char *const kinds[] = { " write", " read", " atomic-write", " atomic-read" };

/* Code with atomic operations in inline assembly pairs them with volatile loads and stores: those are atomic accesses,
 * too. */
static bool is_volatile_atomic(const struct heddle_site *plain, const struct heddle_site *atomic)
{
	return plain && atomic && plain->flags & HEDDLE_SITE_VOLATILE && plain->access <= HEDDLE_ACCESS_WRITE &&
	       atomic->flags & HEDDLE_SITE_ASSEMBLY && atomic->access >= HEDDLE_ACCESS_ATOMIC_READ &&
	       plain->size == atomic->size;
}

/* What every line begins with: what the current thread does, and where. */
static void put_head(const char *word, uintptr_t address, size_t size_bytes)
{
	report_put(word);
	report_put_word(tally_events(), 10);
	report_put_word(address, 16);
	report_put_word(size_bytes, 10);
	report_put_word(track_now->index, 10);
}

static void put_end(uint64_t key)
{
	report_put_word(key, 16);
	report_put("\n");
	debug_stop(HEDDLE_DEBUG_FOUND);
}

void finding_race(uintptr_t address, size_t size_bytes, uint64_t old, uint64_t new, const struct heddle_site *site,
		  uintptr_t code)
{
	uint64_t old_site = old >> WORD_SITE_SHIFT;
	uint64_t new_site = new >> WORD_SITE_SHIFT;
	/* At a null pointer nothing was accessed: it faulted. */
	if (address < NULL_BYTES || is_benign(address, size_bytes) ||
	    !is_new(old_site << 32 ^ (site ? new_site : code | 1ul << 63)))
		return;
	const struct heddle_site *older = site_of((uint32_t)old_site);
	if (is_volatile_atomic(older, site) || is_volatile_atomic(site, older))
		return;
	uint64_t key = key_of(site_mark((uint32_t)old_site), site ? site_mark((uint32_t)new_site) : ~code);
	if (!is_line_wanted(key))
		return;
	put_head("race", address, size_bytes);
	report_put(site ? kinds[new >> WORD_KIND_SHIFT & 3] : " free");
	report_put_word(site ? (uintptr_t)site : code, 16);
	report_put_word(order_thread(word_slot(old), word_clock(old)), 10);
	report_put(kinds[old >> WORD_KIND_SHIFT & 3]);
	report_put_word((uintptr_t)site_of((uint32_t)old_site), 16);
	report_put_word(old >> WORD_SLOT_SHIFT & ((1ul << (WORD_SITE_SHIFT - WORD_SLOT_SHIFT)) - 1), 16);
	put_end(key);
}

void finding_made(uintptr_t address, size_t size_bytes, enum shadow_kind kind, const struct heddle_site *site,
		  struct heap_maker maker, uint64_t made)
{
	if (is_benign(address, size_bytes) || !is_new((uint64_t)maker.code << 20 ^ site_number(site) ^ 1ul << 63))
		return;
	uint64_t key = key_of(site_mark(site_number(site)), ~maker.code);
	if (!is_line_wanted(key))
		return;
	put_head("race", address, size_bytes);
	report_put(kinds[kind]);
	report_put_word((uintptr_t)site, 16);
	report_put_word(order_thread(word_slot(maker.time), word_clock(maker.time)), 10);
	report_put(" allocation");
	report_put_word(maker.code, 16);
	report_put_word(made, 16);
	put_end(key);
}

static void put_block(const struct heap_block *block, uint64_t key)
{
	report_put_word((uintptr_t)block->start, 16);
	report_put_word(block->size, 10);
	report_put_word(block->made, 10);
	report_put_word(block->freed, 10);
	put_end(key);
}

void finding_memory(uintptr_t address, size_t size_bytes, uint32_t is_write, const struct heddle_site *site)
{
	struct heap_block block;
	if (!site_number(site))
		return;
	if (!observed->heap_find((void *)address, &block))
		block = (struct heap_block){ .start = (void *)address, .state = HEAP_NEVER };
	if (!is_new((uintptr_t)site ^ (uint64_t)(block.state + 1) << 60))
		return;
	uint64_t key = key_of(site_mark(site_number(site)), (uint64_t)block.state + 1);
	if (!is_line_wanted(key))
		return;
	put_head("memory", address, size_bytes);
	report_put(is_write ? " write" : " read");
	report_put_word((uintptr_t)site, 16);
	report_put(block.state == HEAP_FREED ? " freed" : block.state == HEAP_LIVE ? " beyond" : " never");
	put_block(&block, key);
}

/* It is always reported, whatever was found before: the run ends here. */
void finding_bad_free(const void *at, bool is_resize, uintptr_t code)
{
	struct heap_block block;
	if (!observed->heap_find(at, &block))
		block = (struct heap_block){ .start = (void *)(uintptr_t)at, .state = HEAP_NEVER };
	put_head("memory", (uintptr_t)at, 0);
	report_put(is_resize ? " realloc" : " free");
	report_put_word(code, 16);
	report_put(block.state == HEAP_FREED   ? " freed"
		   : block.state == HEAP_NEVER ? " never"
		   : block.beyond              ? " beyond"
					       : " inside");
	put_block(&block, 0);
}
