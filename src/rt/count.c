/*
 * count.c: see count.h.
 *
 * Every object gets a slot, and every slot has hooks of its own, so that a hook need not search for the object of its
 * site. Sites are 32 bytes and counters 8, so for an object and a shard the counter of a site is at
 * (site >> 2) + bias, with one bias for each slot and shard. A hook is: load the thread's shard, load the bias, add.
 *
 * A locked addition costs several times a plain one. So the first threads of the process that made an object's entry
 * in the file get shards of their own, where one plain instruction is exact (a signal handler comes before or after
 * it); all other threads and processes share the rest, by locked additions. A forked child has a copy of the forking
 * thread's shard and must not use it: the biases are in memory that the kernel clears on fork, and a bias of 0 leads
 * to the slow path, which in a child gives shared shards only.
 *
 * Invariants:
 *  1. A counter of an exclusive shard is changed by the one thread that has the shard, any other by locked addition.
 *     Assured by tests/cases/exact.t.
 *  2. The hooks of a slot are called only by clones of its object, which run only after its biases are written. A slot
 *     is given to another object only when both are the same file, loaded at the same place.
 *  3. No descriptor stays open: the program could close it, or count on its number.
 *     Assured by tests/cases/exact.t.
 */
#include "rt/count.h"

#include <errno.h>
#include <string.h>

#include "rt/bug.h"
#include "rt/message.h"
#include "rt/sys.h"

#define PAGE_BYTES 4096u
#define SLOT_COUNT 64u
#define EXCLUSIVE_COUNT 8u /* the first of the shards */

static struct heddle_counts *counts;
static const char *counts_path;

/* Cleared by the kernel in a forked child. */
static union {
	struct {
		uintptr_t bias[SLOT_COUNT][1 + HEDDLE_COUNT_SHARDS]; /* [0] and what must not be used stay 0 */
		uint32_t is_own; /* 0: a child that has not been in enter_child yet */
	};
	char pages[3 * PAGE_BYTES];
} forgotten __attribute__((aligned(PAGE_BYTES)));
_Static_assert(sizeof forgotten == 3 * PAGE_BYTES, "whole pages, and nothing else in them");

static struct slot {
	uint64_t offset; /* of its counters in the file; never 0 in a used slot */
	uintptr_t base;  /* where they are mapped */
	const struct heddle_site *sites;
	uint64_t site_count;
	bool is_owned; /* this process made the entry, so that it may use exclusive shards */
} slots[SLOT_COUNT];
static uint32_t slot_count;

static bool is_sharing; /* no exclusive shards: a forked child, or the kernel does not clear memory on fork */
static uint32_t next_exclusive, next_shared;
static _Thread_local uint32_t shard; /* 1 ... HEDDLE_COUNT_SHARDS; 0 before the first access of the thread */

static inline uint64_t *counter_at(uintptr_t bias, const struct heddle_site *site)
{
	return (uint64_t *)(((uintptr_t)site >> 2) + bias);
}

static void fill_biases(unsigned number)
{
	const struct slot *slot = &slots[number];
	for (unsigned i = 0; i < HEDDLE_COUNT_SHARDS; i++) {
		bool is_exclusive = i < EXCLUSIVE_COUNT;
		unsigned row = is_exclusive && !slot->is_owned ? i + EXCLUSIVE_COUNT : i;
		uintptr_t value =
			slot->base + row * slot->site_count * sizeof(uint64_t) - ((uintptr_t)slot->sites >> 2);
		forgotten.bias[number][i + 1] = is_exclusive && is_sharing ? 0 : value;
	}
}

/* Threads of a child that come here at the same time write the same values. */
static void enter_child(void)
{
	is_sharing = true;
	/* Acquire: partner of the release in find_slot, after which the slot is complete. */
	uint32_t count = __atomic_load_n(&slot_count, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < count; i++)
		fill_biases(i);
	__atomic_store_n(&forgotten.is_own, 1, __ATOMIC_RELEASE); /* partner of the acquire in check_fork */
}

static void check_fork(void)
{
	if (!__atomic_load_n(&forgotten.is_own, __ATOMIC_ACQUIRE))
		enter_child();
}

/* Shared shards start at the process's id, so that processes of one thread spread too. A signal handler that comes
 * between picks once more, which is as good. */
static uint32_t pick_shard(void)
{
	if (!is_sharing && __atomic_load_n(&next_exclusive, __ATOMIC_RELAXED) < EXCLUSIVE_COUNT) {
		uint32_t mine = __atomic_fetch_add(&next_exclusive, 1, __ATOMIC_RELAXED);
		if (mine < EXCLUSIVE_COUNT)
			return 1 + mine;
	}
	uint32_t mine = sys_pid() + __atomic_fetch_add(&next_shared, 1, __ATOMIC_RELAXED);
	return 1 + EXCLUSIVE_COUNT + mine % (HEDDLE_COUNT_SHARDS - EXCLUSIVE_COUNT);
}

/* The first access of a thread, or of the forking thread in the child. */
__attribute__((noinline, cold)) static void add_slowly(uintptr_t number, const struct heddle_site *site)
{
	check_fork();
	if (number < slot_count && forgotten.bias[number][shard] == 0)
		shard = pick_shard();
	if (number >= slot_count || shard > HEDDLE_COUNT_SHARDS || !forgotten.bias[number][shard]) {
		RT_BUG("an access of an object that has no counters");
		return;
	}
	__atomic_fetch_add(counter_at(forgotten.bias[number][shard], site), 1, __ATOMIC_RELAXED);
}

__attribute__((always_inline)) static inline void add(uintptr_t number, const struct heddle_site *site, bool is_owned)
{
	uint32_t mine = shard;
	uintptr_t bias = forgotten.bias[number][mine];
	if (__builtin_expect(bias == 0, 0))
		add_slowly(number, site);
	else if (is_owned && __builtin_expect(mine <= EXCLUSIVE_COUNT, 1))
		__asm__ volatile("incq %0" : "+m"(*counter_at(bias, site)) : : "cc");
	else
		__atomic_fetch_add(counter_at(bias, site), 1, __ATOMIC_RELAXED);
}

/* The hooks of the slots, numbered by two octal digits. */
#define HOOK(kind, high, low, is_owned)                                                                                \
	static void kind##_access_##high##low(const volatile void *address, const struct heddle_site *site)            \
	{                                                                                                              \
		(void)address;                                                                                         \
		add(0##high##low, site, is_owned);                                                                     \
	}                                                                                                              \
	static void kind##_amount_##high##low(const volatile void *address, uint64_t amount,                           \
					      const struct heddle_site *site)                                          \
	{                                                                                                              \
		(void)address;                                                                                         \
		if (amount)                                                                                            \
			add(0##high##low, site, is_owned);                                                             \
	}
#define SLOT(high, low) HOOK(owned, high, low, true) HOOK(shared, high, low, false)
#define OWNED(high, low) { owned_access_##high##low, owned_amount_##high##low },
#define SHARED(high, low) { shared_access_##high##low, shared_amount_##high##low },
#define EIGHT(what, high)                                                                                              \
	what(high, 0) what(high, 1) what(high, 2) what(high, 3) what(high, 4) what(high, 5) what(high, 6) what(high, 7)
#define EACH(what)                                                                                                     \
	EIGHT(what, 0)                                                                                                 \
	EIGHT(what, 1) EIGHT(what, 2) EIGHT(what, 3) EIGHT(what, 4) EIGHT(what, 5) EIGHT(what, 6) EIGHT(what, 7)

EACH(SLOT)

static const struct slot_hooks {
	void (*access)(const volatile void *address, const struct heddle_site *site);
	void (*amount)(const volatile void *address, uint64_t amount, const struct heddle_site *site);
} owned_hooks[SLOT_COUNT] = { EACH(OWNED) }, shared_hooks[SLOT_COUNT] = { EACH(SHARED) };

static void fill_hooks(struct heddle_hooks *hooks, const struct slot_hooks *from)
{
	for (unsigned i = 0; i < 5; i++)
		hooks->read[i] = hooks->write[i] = from->access;
	hooks->read_range = hooks->write_range = from->amount;
	hooks->read_masked = hooks->write_masked = from->amount;
	hooks->atomic_begin = from->access;
}

/* Maps a part of the file, shared. The mapping stays out of core files: it is sparse and large. */
static long map_part(uint64_t offset, size_t size_bytes)
{
	int fd = sys_open(counts_path, O_RDWR);
	if (fd < 0)
		return fd;
	long at = sys_mmap(size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	sys_close(fd);
	if (!sys_failed(at))
		sys_madvise((void *)at, size_bytes, MADV_DONTDUMP);
	return at;
}

int count_start(const char *path)
{
	int fd = sys_open(path, O_RDWR);
	int64_t size = fd < 0 ? fd : sys_file_size(fd);
	if (fd >= 0)
		sys_close(fd);
	counts_path = path;
	long at = size < 0 ? size : size < (int64_t)sizeof *counts ? -EINVAL : map_part(0, sizeof *counts);
	if (sys_failed(at)) {
		rt_off(RT_COUNT_FILE, path, (int)at);
		return -1;
	}
	struct heddle_counts *mapped = (struct heddle_counts *)at;
	if (memcmp(mapped->magic, HEDDLE_COUNTS_MAGIC, sizeof mapped->magic) != 0 ||
	    mapped->version != HEDDLE_ABI_VERSION || mapped->size_bytes > (uint64_t)size ||
	    mapped->used_bytes < sizeof *mapped) {
		rt_off(RT_COUNT_FORMAT, path, 0);
		return -1;
	}
	counts = mapped;
	is_sharing = sys_madvise(&forgotten, sizeof forgotten, MADV_WIPEONFORK) != 0;
	forgotten.is_own = 1;
	return 0;
}

static bool is_same(const struct heddle_count_object *entry, const struct object *object, uint32_t site_count)
{
	/* Acquire: partner of the release in new_entry, maybe of another process. */
	return __atomic_load_n(&entry->is_ready, __ATOMIC_ACQUIRE) && entry->site_count == site_count &&
	       memcmp(entry->build, object->build->id, sizeof entry->build) == 0 &&
	       memcmp(entry->path, object->path, sizeof entry->path) == 0;
}

static struct heddle_count_object *new_entry(const struct object *object, uint32_t site_count, uint64_t size_bytes)
{
	uint64_t offset = 0;
	if (size_bytes) {
		offset = __atomic_fetch_add(&counts->used_bytes, size_bytes, __ATOMIC_RELAXED);
		if (offset > counts->size_bytes || counts->size_bytes - offset < size_bytes) {
			__atomic_fetch_sub(&counts->used_bytes, size_bytes, __ATOMIC_RELAXED);
			return NULL;
		}
	}
	uint32_t index = __atomic_fetch_add(&counts->object_count, 1, __ATOMIC_RELAXED);
	if (index >= HEDDLE_COUNT_OBJECTS)
		return NULL;
	struct heddle_count_object *entry = &counts->objects[index];
	entry->site_count = site_count;
	entry->counts = offset;
	memcpy(entry->build, object->build->id, sizeof entry->build);
	memcpy(entry->path, object->path, sizeof entry->path);
	/* Release: partner of the acquire in is_same and of the reader's. */
	__atomic_store_n(&entry->is_ready, 1, __ATOMIC_RELEASE);
	return entry;
}

/* The entry of the object: one that another process (or this one before an exec or a dlclose) made, or a new one. */
static struct heddle_count_object *find_entry(const struct object *object, uint32_t site_count, uint64_t size_bytes,
					      bool *is_new)
{
	uint32_t count = __atomic_load_n(&counts->object_count, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < count && i < HEDDLE_COUNT_OBJECTS; i++)
		if (is_same(&counts->objects[i], object, site_count))
			return &counts->objects[i];
	*is_new = true;
	return new_entry(object, site_count, size_bytes);
}

/* Makes a slot for the object, or gives the one it had when it was loaded at this place before. The same file may be in
 * the process twice, at two places: that takes two slots, with the same counters. -1 when there is no slot left. */
static int find_slot(const struct heddle_count_object *entry, const struct object *object, uint64_t size_bytes,
		     bool is_owned)
{
	unsigned number = 0;
	while (number < slot_count && (slots[number].offset != entry->counts || slots[number].sites != object->sites))
		number++;
	if (number == SLOT_COUNT)
		return -1;
	struct slot *slot = &slots[number];
	if (number == slot_count) {
		long at = map_part(entry->counts, size_bytes);
		if (sys_failed(at))
			return -1;
		slot->offset = entry->counts;
		slot->base = (uintptr_t)at;
		slot->is_owned = is_owned;
		slot->site_count = entry->site_count;
	}
	if (slot->site_count != entry->site_count || (slot->sites && slot->sites != object->sites)) {
		RT_BUG("the counters of one object are given to another");
		return -1;
	}
	slot->sites = object->sites;
	fill_biases(number);
	if (number == slot_count)
		__atomic_store_n(&slot_count, number + 1, __ATOMIC_RELEASE); /* partner: the acquire in enter_child */
	return (int)number;
}

static int attach(const struct object *object, struct heddle_hooks *hooks)
{
	uint64_t site_count = (uint64_t)(object->sites_end - object->sites);
	uint64_t size = site_count * HEDDLE_COUNT_SHARDS * sizeof(uint64_t);
	bool is_new = false;
	size = (size + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
	if ((uintptr_t)object->sites % 4 || site_count > UINT32_MAX)
		return -1;
	check_fork();
	struct heddle_count_object *entry = find_entry(object, (uint32_t)site_count, hooks ? size : 0, &is_new);
	if (!entry)
		return -1;
	if (!hooks || !site_count)
		return 0;
	int number = entry->counts ? find_slot(entry, object, size, is_new && !is_sharing) : -1;
	if (number < 0)
		return -1;
	fill_hooks(hooks, slots[number].is_owned ? &owned_hooks[number] : &shared_hooks[number]);
	return 0;
}

int count_attach(const struct object *object, struct heddle_hooks *hooks)
{
	static bool is_noted;
	if (!is_noted)
		__atomic_fetch_add(&counts->process_count, 1, __ATOMIC_RELAXED);
	is_noted = true;
	int code = attach(object, hooks);
	if (code < 0)
		__atomic_fetch_add(&counts->lost_objects, 1, __ATOMIC_RELAXED);
	return code;
}

void count_switched(uint32_t number)
{
	if (counts)
		__atomic_fetch_add(&counts->switched_count, number, __ATOMIC_RELAXED);
}
