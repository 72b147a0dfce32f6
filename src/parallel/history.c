/*
 * history.c: see history.h. The cells are in buckets of one large sparse mapping, and each bucket has its own lock. The
 * pages of the program for which a cell was made are marked, so that freeing other memory costs next to nothing.
 */
#include "parallel/history.h"

#include <errno.h>
#include <string.h>

#include "parallel/inside.h"
#include "parallel/marks.h"
#include "parallel/page_marks.h"
#include "parallel/progress.h"
#include "rt/sys.h"

#define BUCKET_BITS 19u
#define BUCKETS (1u << BUCKET_BITS)
#define WAYS 4u
#define GOLDEN_RATIO 0x9e3779b97f4a7c15u /* times 2^64 */
#define PAGE_MARKS (1u << 22)
#define SPINS 100u
#define LOST_SPINS (1u << 17)

struct entry {
	uint64_t when; /* of the announcement (progress.h) */
	uint32_t site, thread;
	/* The order of the accesses may differ from that of the list for this entry and this many after it. */
	uint32_t overlap;
	uint32_t waits; /* the number, from 1, of its waiting history; 0: none */
};

struct cell {
	uintptr_t number; /* address >> HEDDLE_CELL_SHIFT; 0: free */
	uint32_t count;
	uint16_t is_cut;     /* there were others before the last entry */
	uint16_t is_settled; /* when the last entry came, all others were made */
	struct entry entries[HEDDLE_HISTORY_SITES];
};

struct bucket {
	uint32_t lock;
	uint32_t next;   /* the cell that is displaced next */
	uint32_t is_cut; /* one of its cells was displaced, so a new cell may have been here before */
	uint32_t reserved;
	struct cell cells[WAYS];
};

static struct bucket *buckets;
static struct page_marks pages;
static struct heddle_train *train;
static __thread struct inside inside;

static uint64_t mix(uint64_t value)
{
	value *= GOLDEN_RATIO;
	return value ^ value >> 32;
}

/* The upper bits of the product with the golden ratio: cells of an array spread evenly, wherever it is. */
static struct bucket *bucket_of(uintptr_t number)
{
	return &buckets[(uint64_t)number * GOLDEN_RATIO >> (64 - BUCKET_BITS)];
}

/* The owner of the lock may be gone: a thread of this process's parent, or one that left by siglongjmp. After
 * LOST_SPINS attempts the lock is taken over. */
static void lock_bucket(struct bucket *bucket)
{
	/* Acquire: partner of the release in unlock_bucket. */
	for (uint32_t spins = 0; __atomic_exchange_n(&bucket->lock, 1, __ATOMIC_ACQUIRE) && spins < LOST_SPINS; spins++)
		if (spins > SPINS)
			sys_yield();
}

static void unlock_bucket(struct bucket *bucket)
{
	__atomic_store_n(&bucket->lock, 0, __ATOMIC_RELEASE); /* partner of the acquire in lock_bucket */
}

int history_start(struct heddle_train *file)
{
	long at = sys_mmap(BUCKETS * sizeof *buckets, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed(at) || page_marks_start(&pages, PAGE_MARKS) < 0)
		return -ENOMEM;
	buckets = (struct bucket *)at;
	train = file;
	return progress_start();
}

static struct cell *find(struct bucket *bucket, uintptr_t number)
{
	for (unsigned i = 0; i < WAYS; i++)
		if (bucket->cells[i].number == number)
			return &bucket->cells[i];
	return NULL;
}

/* The access was made, so its history counts. A history that is still being written is not counted now, but when it
 * occurs again. A thread of the parent of this process has announced less here than there: only the parent knows whether it made the access. */
static void confirm(struct entry *entry)
{
	struct heddle_history *history = &train->histories[entry->waits - 1];
	entry->waits = 0;
	if (progress_of(entry->thread) < entry->when)
		return;
	/* Acquire: partner of the release in keep. Release: of the reader's acquire. */
	if (__atomic_load_n(&history->is_written, __ATOMIC_ACQUIRE) &&
	    !__atomic_exchange_n(&history->is_ready, 1, __ATOMIC_RELEASE))
		__atomic_fetch_add(&train->history_count, 1, __ATOMIC_RELAXED);
}

/* The entries are about to be removed: the histories of accesses that were made count. */
static void settle(struct cell *cell, uint32_t thread)
{
	for (uint32_t i = 0; i < cell->count; i++) {
		struct entry *entry = &cell->entries[i];
		if (entry->waits && entry->thread != thread && progress_is_made(thread, entry->thread, entry->when))
			confirm(entry);
	}
}

static struct cell *make(struct bucket *bucket, uintptr_t number, uint32_t thread)
{
	struct cell *cell = find(bucket, 0);
	if (!cell) {
		cell = &bucket->cells[bucket->next++ % WAYS];
		settle(cell, thread);
		bucket->is_cut = 1;
		__atomic_fetch_add(&train->displaced, 1, __ATOMIC_RELAXED);
	}
	cell->number = number;
	cell->count = 0;
	cell->is_cut = bucket->is_cut;
	*page_marks_of(&pages, number << HEDDLE_CELL_SHIFT) = 1;
	return cell;
}

static uint64_t hash_of(const struct heddle_history *history)
{
	uint64_t hash = mix(history->site + 1) ^ (uint64_t)history->count << 8 ^ history->end;
	for (unsigned i = 0; i < history->count; i++)
		hash = mix(hash ^ history->sites[i]);
	return hash ? hash : 1;
}

/* Writes the history to the file, where it waits to be confirmed. Returns its number there, from 1; 0 if there is no
 * room, or if it counts already. Two histories with the same hash are considered the same. */
static uint32_t keep(struct heddle_history *history)
{
	history->hash = hash_of(history);
	for (uint64_t i = 0; i < 64; i++) {
		uint32_t index = (uint32_t)((history->hash + i) % HEDDLE_HISTORIES);
		struct heddle_history *to = &train->histories[index];
		uint64_t seen = __atomic_load_n(&to->hash, __ATOMIC_RELAXED);
		if (!seen && __atomic_compare_exchange_n(&to->hash, &seen, history->hash, false, __ATOMIC_RELAXED,
							 __ATOMIC_RELAXED)) {
			to->site = history->site;
			to->count = history->count;
			to->end = history->end;
			memcpy(to->sites, history->sites, sizeof to->sites);
			/* Release: partner of the acquire in confirm. */
			__atomic_store_n(&to->is_written, 1, __ATOMIC_RELEASE);
			return index + 1;
		}
		if (seen == history->hash)
			return __atomic_load_n(&to->is_ready, __ATOMIC_RELAXED) ? 0 : index + 1;
	}
	__atomic_fetch_add(&train->lost_histories, 1, __ATOMIC_RELAXED);
	return 0;
}

static void read_history(const struct cell *cell, uint32_t site, uint32_t thread, struct heddle_history *out)
{
	*out = (struct heddle_history){ .site = site,
					.end = cell->is_cut ? HEDDLE_HISTORY_UNKNOWN : HEDDLE_HISTORY_NIL };
	for (uint32_t i = 0; i < cell->count; i++) {
		bool is_known = cell->entries[i].thread == thread;
		for (uint32_t k = 0; k < out->count && !is_known; k++)
			is_known = out->sites[k] == cell->entries[i].site;
		if (!is_known)
			out->sites[out->count++] = cell->entries[i].site;
	}
}

/* Whether the waiting history begins with the site anyway. */
static bool begins_with(const struct entry *entry, uint32_t site)
{
	const struct heddle_history *history = &train->histories[entry->waits - 1];
	return history->count && history->sites[0] == site;
}

/* Returns the index after the last entry that another thread announced and may not have made yet. The access at the
 * site may come before these pending ones, so a waiting history of one of them is dropped unless it begins with the
 * site anyway. Waiting histories of accesses that were made count. */
static uint32_t find_pending(struct cell *cell, uint32_t site, uint32_t thread)
{
	uint32_t end = 0;
	for (uint32_t i = 0; i < cell->count; i++) {
		struct entry *entry = &cell->entries[i];
		if (entry->thread == thread)
			continue;
		bool is_made = progress_is_made(thread, entry->thread, entry->when);
		if (!is_made)
			end = i + 1;
		if (entry->waits && is_made)
			confirm(entry);
		else if (entry->waits && !begins_with(entry, site))
			entry->waits = 0;
	}
	return end;
}

/* Returns the index after the entries from `from` on whose order may differ from that of the list. */
static uint32_t end_of_zone(const struct cell *cell, uint32_t from, uint32_t end)
{
	for (uint32_t i = from; i < end && i < cell->count; i++)
		if (i + 1 + cell->entries[i].overlap > end)
			end = i + 1 + cell->entries[i].overlap;
	return end;
}

/* Whether an access of the thread comes after the first site of its history in all possible orders. pending: the index
 * after the entries that may come after it. */
static bool is_certain(const struct cell *cell, uint32_t thread, uint32_t pending)
{
	uint32_t site = 0;
	for (uint32_t at = 0; at < cell->count;) {
		uint32_t end = end_of_zone(cell, at, at < pending ? pending : at + 1);
		bool is_made = false;
		if (end > cell->count)
			return false;
		for (; at < end; at++) {
			const struct entry *entry = &cell->entries[at];
			if (entry->thread == thread)
				continue;
			if (site && entry->site != site)
				return false;
			site = entry->site;
			is_made |= at >= pending || progress_is_made(thread, entry->thread, entry->when);
		}
		if (is_made)
			return true;
	}
	return !site;
}

/* Puts the entry at the front of the list, which has one entry for each pair of site and thread. */
static void enter(struct cell *cell, struct entry entry, uint32_t pending)
{
	uint32_t at = 0;
	while (at < cell->count && (cell->entries[at].site != entry.site || cell->entries[at].thread != entry.thread))
		at++;
	cell->is_settled = !pending;
	if (at == 0 && cell->count && !cell->entries[0].overlap)
		return;
	entry.overlap = at < pending ? pending - 1 : pending;
	if (at == cell->count) {
		if (cell->count < HEDDLE_HISTORY_SITES)
			cell->count++;
		else
			cell->is_cut = 1, at--;
	}
	memmove(&cell->entries[1], &cell->entries[0], at * sizeof *cell->entries);
	cell->entries[0] = entry;
}

/* Whether the access repeats the last one, whose predecessor is known: then it adds nothing. Reads without the lock: if
 * another thread writes meanwhile, either answer fits a possible order of the two. */
static bool is_repeated(const struct bucket *bucket, uintptr_t number, uint32_t site, uint32_t thread)
{
	for (unsigned i = 0; i < WAYS; i++) {
		const struct cell *cell = &bucket->cells[i];
		if (__atomic_load_n(&cell->number, __ATOMIC_RELAXED) == number)
			return __atomic_load_n(&cell->count, __ATOMIC_RELAXED) &&
			       __atomic_load_n(&cell->is_settled, __ATOMIC_RELAXED) &&
			       __atomic_load_n(&cell->entries[0].site, __ATOMIC_RELAXED) == site &&
			       __atomic_load_n(&cell->entries[0].thread, __ATOMIC_RELAXED) == thread;
	}
	return false;
}

static void count(uintptr_t address, uint32_t site)
{
	if (site >= HEDDLE_TRAIN_SITES)
		return;
	struct heddle_train_site *counted = &train->sites[site];
	__atomic_fetch_add(&counted->accesses, 1, __ATOMIC_RELAXED);
	if (marks_has(address))
		__atomic_store_n(&counted->is_marked, 1, __ATOMIC_RELAXED);
}

bool history_access(uintptr_t address, uint32_t site, uint32_t thread)
{
	uintptr_t number = address >> HEDDLE_CELL_SHIFT;
	struct bucket *bucket = bucket_of(number);
	struct entry entry = { .when = progress_of(thread), .site = site, .thread = thread };
	struct heddle_history history;
	if (inside_is(&inside) || !number)
		return false;
	count(address, site);
	if (is_repeated(bucket, number, site, thread))
		return false;
	inside_enter(&inside);
	lock_bucket(bucket);
	struct cell *cell = find(bucket, number);
	if (!cell)
		cell = make(bucket, number, thread);
	uint32_t pending = find_pending(cell, site, thread);
	if (is_certain(cell, thread, pending)) {
		read_history(cell, site, thread, &history);
		entry.waits = keep(&history);
	}
	enter(cell, entry, pending);
	unlock_bucket(bucket);
	inside_leave(&inside);
	return entry.waits != 0;
}

void history_made(uintptr_t address, uint32_t site, uint32_t thread)
{
	uintptr_t number = address >> HEDDLE_CELL_SHIFT;
	struct bucket *bucket = bucket_of(number);
	if (inside_is(&inside))
		return;
	inside_enter(&inside);
	lock_bucket(bucket);
	struct cell *cell = find(bucket, number);
	for (uint32_t i = 0; cell && i < cell->count; i++) {
		struct entry *entry = &cell->entries[i];
		if (entry->waits && entry->site == site && entry->thread == thread)
			confirm(entry);
	}
	unlock_bucket(bucket);
	inside_leave(&inside);
}

static void forget_cell(uintptr_t address, uint32_t thread)
{
	uintptr_t number = address >> HEDDLE_CELL_SHIFT;
	struct bucket *bucket = bucket_of(number);
	lock_bucket(bucket);
	struct cell *cell = find(bucket, number);
	if (cell) {
		settle(cell, thread);
		*cell = (struct cell){ .number = 0 };
	}
	unlock_bucket(bucket);
}

void history_forget(uintptr_t start, size_t size_bytes, uint32_t thread)
{
	if (inside_is(&inside) || !buckets)
		return;
	inside_enter(&inside);
	page_marks_forget(&pages, start, size_bytes, forget_cell, thread);
	inside_leave(&inside);
}
