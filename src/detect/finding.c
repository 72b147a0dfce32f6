/* finding.c: see finding.h. */
#include "detect/finding.h"

#include "detect/shadow.h"
#include "detect/site.h"
#include "rt/debug.h"
#include "world/heap.h"
#include "world/parts.h"

#define FINDINGS_MOST 200u
#define KNOWN_ROOM 1024u
#define BENIGN_ROOM 256u
#define NULL_BYTES 4096u

static uint64_t known[KNOWN_ROOM];
static uint32_t finding_count;

static struct benign {
	uintptr_t start, end;
} benigns[BENIGN_ROOM];
static uint32_t benign_count;

/* Whether it is new, and there is room for it. */
static bool is_new(uint64_t key)
{
	key = key * 0x9e3779b97f4a7c15ul | 1;
	for (uint32_t at = key >> 54;; at = (at + 1) % KNOWN_ROOM) {
		if (known[at] == key)
			return false;
		if (known[at])
			continue;
		if (++finding_count > FINDINGS_MOST) {
			if (finding_count == FINDINGS_MOST + 1)
				report_note("more than 200 findings in this run: the rest is not told", NULL);
			return false;
		}
		known[at] = key;
		return true;
	}
}

void finding_benign(uintptr_t address, size_t size_bytes)
{
	if (benign_count < BENIGN_ROOM)
		benigns[benign_count++] = (struct benign){ address, address + size_bytes };
	else
		report_note("more than 256 annotations of benign races: the rest is not heeded", NULL);
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

static void put_word(uint64_t number, unsigned base)
{
	report_put(" ");
	report_put_number(number, base);
}

static const char *const kinds[] = { " write", " read", " atomic-write", " atomic-read" };

void finding_race(uintptr_t address, size_t size_bytes, uint64_t old, uint64_t new, const struct heddle_site *site,
		  uintptr_t code)
{
	uint64_t old_site = old >> WORD_SITE_SHIFT;
	uint64_t key = old_site << 32 ^ (site ? (new >> WORD_SITE_SHIFT) : code | 1ul << 63);
	/* At a null pointer nothing was accessed: it faulted. */
	if (address < NULL_BYTES || is_benign(address, size_bytes) || !is_new(key))
		return;
	report_put("race");
	put_word(world_events(), 10);
	put_word(address, 16);
	put_word(size_bytes, 10);
	put_word(world.current->index, 10);
	report_put(site ? kinds[new >> WORD_KIND_SHIFT & 3] : " free");
	put_word(site ? (uintptr_t)site : code, 16);
	put_word(order_thread(word_slot(old), word_clock(old)), 10);
	report_put(kinds[old >> WORD_KIND_SHIFT & 3]);
	put_word((uintptr_t)site_of((uint32_t)old_site), 16);
	put_word(old >> WORD_SLOT_SHIFT & ((1ul << (WORD_SITE_SHIFT - WORD_SLOT_SHIFT)) - 1), 16);
	report_put("\n");
	debug_stop(HEDDLE_DEBUG_FOUND);
}

static void put_block(const struct heap_block *block)
{
	put_word((uintptr_t)block->start, 16);
	put_word(block->size, 10);
	put_word(block->made, 10);
	put_word(block->freed, 10);
	report_put("\n");
}

void finding_memory(uintptr_t address, size_t size_bytes, uint32_t is_write, const struct heddle_site *site)
{
	struct heap_block block;
	if (!site_number(site))
		return;
	if (!heap_find((void *)address, &block))
		block = (struct heap_block){ .start = (void *)address, .state = HEAP_NEVER };
	if (!is_new((uintptr_t)site ^ (uint64_t)(block.state + 1) << 60))
		return;
	report_put("memory");
	put_word(world_events(), 10);
	put_word(address, 16);
	put_word(size_bytes, 10);
	put_word(world.current->index, 10);
	report_put(is_write ? " write" : " read");
	put_word((uintptr_t)site, 16);
	report_put(block.state == HEAP_FREED ? " freed" : block.state == HEAP_LIVE ? " beyond" : " never");
	put_block(&block);
	debug_stop(HEDDLE_DEBUG_FOUND);
}

/* It is told whatever was found before: the run ends here. */
void finding_bad_free(const void *at, bool is_resize, uintptr_t code)
{
	struct heap_block block;
	if (!heap_find(at, &block))
		block = (struct heap_block){ .start = (void *)(uintptr_t)at, .state = HEAP_NEVER };
	report_put("memory");
	put_word(world_events(), 10);
	put_word((uintptr_t)at, 16);
	put_word(0, 10);
	put_word(world.current->index, 10);
	report_put(is_resize ? " realloc" : " free");
	put_word(code, 16);
	report_put(block.state == HEAP_FREED   ? " freed"
		   : block.state == HEAP_NEVER ? " never"
		   : block.beyond              ? " beyond"
					       : " inside");
	put_block(&block);
	debug_stop(HEDDLE_DEBUG_FOUND);
}
