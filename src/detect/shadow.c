/* shadow.c: see shadow.h. */
#include "detect/shadow.h"
#include "heddle/places.h"

#include <sys/mman.h>

#include "detect/detect.h"
#include "detect/finding.h"
#include "detect/pool.h"
#include "detect/site.h"
#include "detect/watch.h"
#include "rt/sys.h"

#define MASK SHADOW_MASK

/* Its size is four words times a power of two. */
struct list {
	uint32_t count : 26, size_shift : 6;
	/* By slot, of the first ones: all writes in the list are ordered before its thread. Time does not change that. */
	uint32_t safe;
	uint64_t words[];
};

static uint32_t list_room(const struct list *list)
{
	return (4u << list->size_shift) - 1;
}

static size_t list_bytes(uint32_t size_shift)
{
	return 32ul << size_shift;
}

static uint32_t safe_bit(uint64_t word)
{
	uint32_t slot = word_slot(word);
	return slot < 32 ? 1u << slot : 0;
}

/* A word without bytes that is not 0 leads to a list. */
static struct list *list_of(uint64_t word)
{
	return word && !(word & MASK) ? (struct list *)(word >> 8) : NULL;
}

const uint8_t shadow_windows[16] = { 0, 1, 1, 1, 1, 5, 2, 2, 2, 2, 2, 2, 2, 2, 255, 7 };

_Static_assert(PLACE_HEAP >> 40 == 0x11 && PLACE_HEAP_ROOM >> 40 == 4 && PLACE_MAPPINGS >> 40 == 0x26 &&
		       PLACE_MAPPINGS_ROOM >> 40 == 8,
	       "the windows above");
_Static_assert(SHADOW_PLACE > PLACE_WORLD && SHADOW_PLACE + SHADOW_ROOM < PLACE_WORLD_END, "others are there");

int shadow_start(void)
{
	long at = sys_call(SYS_mmap, (long)SHADOW_PLACE, (long)SHADOW_ROOM, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (sys_failed(at))
		return (int)at;
	sys_madvise((void *)SHADOW_PLACE, SHADOW_ROOM, 15 /* MADV_NOHUGEPAGE */);
	return 0;
}

static bool is_write(uint64_t word)
{
	return shadow_kind_of(word) == SHADOW_WRITE || shadow_kind_of(word) == SHADOW_ATOMIC_WRITE;
}

/*
 * The list has all words; the first word of its cell is only a quick check. It stands for all bytes that a thread has
 * read in an epoch, or written, with whatever sites: what it was becomes this when the new word comes, whose thread was
 * the last to change the cell if the epoch is the same.
 */
static uint64_t gathered(uint64_t old, uint64_t new)
{
	bool is_plain = shadow_kind_of(old) <= SHADOW_READ && shadow_kind_of(new) <= SHADOW_READ;
	bool is_part = shadow_kind_of(new) == SHADOW_READ || shadow_kind_of(old) == SHADOW_WRITE;
	return is_plain && is_part && !((old ^ new) & SHADOW_EPOCH_BITS) ? new | (old & MASK) : new;
}

static void list_add(struct cell *cell, struct list *list, uint64_t word)
{
	if (list->count == list_room(list)) {
		struct list *larger = pool_take(list_bytes(list->size_shift + 1));
		*larger = (struct list){ list->count, list->size_shift + 1, list->safe };
		for (uint32_t i = 0; i < list->count; i++)
			larger->words[i] = list->words[i];
		pool_give(list, list_bytes(list->size_shift));
		list = larger;
	}
	if (is_write(word))
		list->safe &= safe_bit(word);
	list->words[list->count++] = word;
	cell->words[0] = gathered(cell->words[0], word);
	cell->words[1] = (uint64_t)(uintptr_t)list << 8;
}

static void list_end(struct list *list)
{
	pool_give(list, list_bytes(list->size_shift));
}

void shadow_add_third(struct cell *cell, uint64_t first, uint64_t second, uint64_t word)
{
	struct list *list = pool_take(list_bytes(0));
	*list = (struct list){ .count = 2 };
	list->words[0] = first;
	list->words[1] = second;
	list_add(cell, list, word);
}

/*
 * Looks at one older access; returns what is left of it. The new one is reported with the first that it is in conflict
 * with, and with each further one of another site.
 */
static __attribute__((noinline)) uint64_t race(uint64_t old, uint64_t new, uintptr_t cell_address,
					       const struct heddle_site *site, uintptr_t code)
{
	unsigned common = (unsigned)(old & new &MASK);
	unsigned first = (unsigned)__builtin_ctz(common), last = 31u - (unsigned)__builtin_clz(common);
	finding_race(cell_address + first, last - first + 1, old, new, site, code);
	return shadow_left(old, new, shadow_kind_of(new));
}

static inline __attribute__((always_inline)) uint64_t meet(uint64_t old, uint64_t new, uintptr_t cell_address,
							   const struct heddle_site *site, uintptr_t code)
{
	return shadow_pass(&old, new, shadow_kind_of(new)) ? old : race(old, new, cell_address, site, code);
}

/* The new one, behind those of the list that are kept. */
static inline __attribute__((always_inline)) void list_keep(struct cell *cell, struct list *list, uint32_t kept,
							    uint64_t new)
{
	list->count = kept;
	if (kept >= 2) {
		list_add(cell, list, new);
		return;
	}
	cell->words[0] = new;
	cell->words[1] = kept ? list->words[0] : 0;
	list_end(list);
}

static void enter_list(struct cell *cell, struct list *list, uint64_t new, uintptr_t cell_address,
		       const struct heddle_site *site, uintptr_t code)
{
	uint64_t more = 0; /* bytes of words that this one takes in: they are not accessed now, so nothing meets them */
	uint32_t kept = 0;
	for (uint32_t i = 0; i < list->count; i++) {
		uint64_t left = meet(list->words[i], new, cell_address, site, code);
		if (left && shadow_is_alike(left, new))
			more |= left & MASK;
		else if (left)
			list->words[kept++] = left;
	}
	list_keep(cell, list, kept, new | more);
}

/* The way through the list ends at from: what was kept before, what was taken in, and the rest. Words that went before that
 * would have gone anyway. */
static void list_restore(struct list *list, uint32_t kept, uint32_t from, uint64_t taken)
{
	if (taken)
		list->words[kept++] = taken;
	for (; from < list->count; from++)
		list->words[kept++] = list->words[from];
	list->count = kept;
}

/* Its place in the list, when the thread did the same with the same bytes before; it becomes the first. */
static uint64_t *find_place(struct list *list, uint64_t new)
{
	const uint64_t same = ((1ul << WORD_CLOCK_SHIFT) - 1);
	uint64_t *words = list->words;
	for (uint32_t i = 0; i < list->count; i++) {
		uint64_t old = words[i];
		if ((old ^ new) & same)
			continue;
		words[i] = words[0];
		words[0] = old;
		return words;
	}
	return NULL;
}

static inline __attribute__((always_inline)) bool enter_many(struct cell *cell, uint64_t new, enum shadow_kind kind)
{
	struct list *list = list_of(cell->words[1]);
	uint64_t *words = list->words;
	if (kind == SHADOW_READ && (list->safe & safe_bit(new))) {
		uint64_t *place = find_place(list, new);
		if (place) {
			if ((*place ^ new) & SHADOW_EPOCH_BITS)
				*place = new;
			cell->words[0] = gathered(cell->words[0], *place);
			return true;
		}
	}
	uint64_t more = 0; /* as above */
	uint32_t count = list->count, kept = 0;
	bool is_safe = true;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t left = words[i];
		if (!((left ^ new) & SHADOW_EPOCH_BITS) && shadow_is_known(left, new)) {
			cell->words[0] = gathered(cell->words[0], left);
			list_restore(list, kept, i, more ? (new & ~(uint64_t)MASK) | more : 0);
			return true;
		}
		bool is_before = order_is_before(left);
		is_safe = is_safe && (is_before || !is_write(left));
		if (left & new &MASK) {
			if (is_before) {
				left = shadow_left(left, new, kind);
			} else if (shadow_conflicts(kind) >> shadow_kind_of(left) & 1) {
				list_restore(list, kept, i, more ? (new & ~(uint64_t)MASK) | more : 0);
				return false;
			}
		}
		if (shadow_is_alike(left, new))
			more |= left & MASK;
		else if (left)
			words[kept++] = left;
	}
	new |= more;
	if (is_safe)
		list->safe |= safe_bit(new);
	list_keep(cell, list, kept, new);
	return true;
}

bool shadow_read_many(struct cell *cell, uint64_t new)
{
	return enter_many(cell, new, SHADOW_READ);
}

bool shadow_write_many(struct cell *cell, uint64_t new)
{
	return enter_many(cell, new, SHADOW_WRITE);
}

void shadow_enter(uintptr_t address, uint64_t new, const struct heddle_site *site, uintptr_t code)
{
	struct cell *cell = shadow_of(address);
	uintptr_t cell_address = address & ~7ul;
	struct list *list = list_of(cell->words[1]);
	if (list) {
		enum shadow_kind kind = shadow_kind_of(new);
		if (!(kind == SHADOW_READ && shadow_read_many(cell, new)) &&
		    !(kind == SHADOW_WRITE && shadow_write_many(cell, new)))
			enter_list(cell, list, new, cell_address, site, code);
		return;
	}
	uint64_t first = cell->words[0], second = cell->words[1];
	if (first)
		first = meet(first, new, cell_address, site, code);
	if (second)
		second = meet(second, new, cell_address, site, code);
	if (shadow_is_alike(first, new)) {
		cell->words[0] = new | first;
		cell->words[1] = second;
	} else if (shadow_is_alike(second, new)) {
		cell->words[0] = new | second;
		cell->words[1] = first;
	} else if (!first || !second) {
		cell->words[0] = new;
		cell->words[1] = first | second;
	} else {
		shadow_add_third(cell, first, second, new);
	}
}

#define MAX_RANGE (1ul << 40)

void shadow_access_large(uintptr_t address, size_t size_bytes, uint64_t word, const struct heddle_site *site)
{
	uintptr_t end = address + size_bytes;
	if (size_bytes > MAX_RANGE) /* larger than the address space: the access will fault */
		return;
	if (address & 7) {
		shadow_access_cell(address, MASK << (address & 7) & MASK, word, site);
		address = (address | 7) + 1;
	}
	/* Adjacent cells are often equal, and then so are their new contents. */
	struct cell *cell = shadow_of(address), old = { { 0, 0 } }, new = { { 0, 0 } };
	enum shadow_kind kind = shadow_kind_of(word);
	for (; address + 8 <= end; address += 8, cell++) {
		if (new.words[0] && cell->words[0] == old.words[0] && cell->words[1] == old.words[1]) {
			*cell = new;
			continue;
		}
		old = *cell;
		if (!detect.is_watching && shadow_enter_quick(address, word | MASK, kind)) {
			new = *cell;
			if (list_of(new.words[1])) /* it has its own */
				new.words[0] = 0;
			continue;
		}
		shadow_access_cell(address, MASK, word, site);
		new.words[0] = 0;
	}
	if (address < end)
		shadow_access_cell(address, (1u << (end - address)) - 1, word, site);
}

static void forget(struct cell *cell)
{
	struct list *list = list_of(cell->words[1]);
	if (list)
		list_end(list);
	cell->words[0] = cell->words[1] = 0;
}

#define PAGE_BYTES 4096ul
#define GIVE_BACK_MIN (1ul << 20)

void shadow_end(uintptr_t address, size_t size_bytes, uintptr_t code)
{
	uint64_t word = detect.epoch | (uint64_t)SHADOW_WRITE << WORD_KIND_SHIFT | MASK;
	order_now->has_accessed = true;
	struct cell *cell = shadow_of(address);
	for (uintptr_t at = address & ~7ul; at < address + size_bytes; at += 8, cell++) {
		uint64_t first = cell->words[0], second = cell->words[1];
		if (!first && !second)
			continue;
		if (list_of(second) || !shadow_pass(&first, word, SHADOW_WRITE) ||
		    !shadow_pass(&second, word, SHADOW_WRITE)) {
			shadow_enter(at, word, NULL, code);
			forget(cell);
		}
		cell->words[0] = cell->words[1] = 0;
	}
	if (size_bytes < GIVE_BACK_MIN)
		return;
	uintptr_t first_page = ((uintptr_t)shadow_of(address) + PAGE_BYTES - 1) & -PAGE_BYTES,
		  last_page = (uintptr_t)cell & -PAGE_BYTES;
	sys_madvise((void *)first_page, last_page - first_page, 4 /* MADV_DONTNEED */);
}

void shadow_clear(uintptr_t address, size_t size_bytes)
{
	struct cell *cell = shadow_of(address), *end = shadow_of(address + size_bytes + 7);
	if (shadow_windows[address >> 40 & 15] != address >> 44 || end <= cell)
		return;
	uintptr_t first_page = ((uintptr_t)cell + PAGE_BYTES - 1) & -PAGE_BYTES,
		  last_page = (uintptr_t)end & -PAGE_BYTES;
	if (last_page > first_page + 16 * PAGE_BYTES) {
		for (; (uintptr_t)cell < first_page; cell++)
			forget(cell);
		/* Lists there are lost to the pool: mappings come and go far less often than lists. */
		sys_madvise((void *)first_page, last_page - first_page, 4 /* MADV_DONTNEED */);
		cell = (struct cell *)last_page;
	}
	for (; cell < end; cell++)
		if (cell->words[0] || cell->words[1])
			forget(cell);
}
