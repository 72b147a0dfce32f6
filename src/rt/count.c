/*
 * count.c: see count.h.
 *
 * Every object gets a slot, and every slot has hooks of its own, so that a hook need not search for the object of its
 * site. Sites are 32 bytes and counters 8, so for an object and a shard the counter of a site is at
 * (site >> 2) + bias, with one bias for each slot and shard. A hook is: load the thread's shard, load the bias, add.
 *
 * Invariants:
 *  1. Counters are changed by atomic addition only: threads and processes may share a shard.
 *  2. The hooks of a slot are called only by clones of its object, which run only after its biases are written. A slot
 *     is given to another object only when both are the same file, reloaded.
 *  3. No descriptor stays open: the program could close it, or count on its number.
 */
#include "rt/count.h"

#include <errno.h>
#include <string.h>

#include "rt/say.h"
#include "rt/sys.h"

#define PAGE_BYTES 4096u
#define SLOT_COUNT 64u

static struct heddle_counts *counts;
static const char *counts_path;
static uintptr_t bias[SLOT_COUNT][1 + HEDDLE_COUNT_SHARDS];
static struct slot {
	uint64_t offset; /* of its counters in the file; never 0 in a used slot */
	uintptr_t base;  /* where they are mapped */
} slots[SLOT_COUNT];
static uint32_t next_shard;
static _Thread_local uint32_t shard; /* 1 ... HEDDLE_COUNT_SHARDS; 0 before the first access of the thread */

static inline void add_to(uintptr_t number, uint32_t mine, const struct heddle_site *site)
{
	uint64_t *counter = (uint64_t *)(((uintptr_t)site >> 2) + bias[number][mine]);
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* The first access of a thread picks its shard. Starts at the process's id, so that processes of one thread spread
 * too. A signal handler that comes between picks once more, which is as good. */
__attribute__((noinline, cold)) static void add_first(uintptr_t number, const struct heddle_site *site)
{
	uint32_t picked = sys_pid() + __atomic_fetch_add(&next_shard, 1, __ATOMIC_RELAXED);
	shard = 1 + picked % HEDDLE_COUNT_SHARDS;
	add_to(number, shard, site);
}

__attribute__((always_inline)) static inline void add(uintptr_t number, const struct heddle_site *site)
{
	uint32_t mine = shard;
	if (__builtin_expect(mine != 0, 1))
		add_to(number, mine, site);
	else
		add_first(number, site);
}

/* The hooks of the slots, numbered by two octal digits. */
#define SLOT(high, low)                                                                                              \
	static void access_##high##low(const volatile void *address, const struct heddle_site *site)                \
	{                                                                                                            \
		(void)address;                                                                                       \
		add(0##high##low, site);                                                                             \
	}                                                                                                            \
	static void amount_##high##low(const volatile void *address, uint64_t amount,                               \
				       const struct heddle_site *site)                                               \
	{                                                                                                            \
		(void)address;                                                                                       \
		if (amount)                                                                                          \
			add(0##high##low, site);                                                                     \
	}
#define HOOKS(high, low) { access_##high##low, amount_##high##low },
#define EIGHT(what, high) \
	what(high, 0) what(high, 1) what(high, 2) what(high, 3) what(high, 4) what(high, 5) what(high, 6) what(high, 7)
#define EACH(what)                                                                                                  \
	EIGHT(what, 0) EIGHT(what, 1) EIGHT(what, 2) EIGHT(what, 3) EIGHT(what, 4) EIGHT(what, 5) EIGHT(what, 6) \
	EIGHT(what, 7)

EACH(SLOT)

static const struct slot_hooks {
	void (*access)(const volatile void *address, const struct heddle_site *site);
	void (*amount)(const volatile void *address, uint64_t amount, const struct heddle_site *site);
} slot_hooks[SLOT_COUNT] = { EACH(HOOKS) };

static void ignore_end(const volatile void *address, const struct heddle_site *site, uint32_t is_done)
{
	(void)address;
	(void)site;
	(void)is_done;
}

static void fill_hooks(struct heddle_hooks *hooks, const struct slot_hooks *from)
{
	for (unsigned i = 0; i < 5; i++)
		hooks->read[i] = hooks->write[i] = from->access;
	hooks->read_range = hooks->write_range = from->amount;
	hooks->read_masked = hooks->write_masked = from->amount;
	hooks->atomic_begin = from->access;
	hooks->atomic_end = ignore_end;
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
static struct heddle_count_object *find_entry(const struct object *object, uint32_t site_count, uint64_t size_bytes)
{
	uint32_t count = __atomic_load_n(&counts->object_count, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < count && i < HEDDLE_COUNT_OBJECTS; i++)
		if (is_same(&counts->objects[i], object, site_count))
			return &counts->objects[i];
	return new_entry(object, site_count, size_bytes);
}

/* The slot whose counters are mapped from the offset, or a free one with them mapped; -1 when that cannot be. */
static int find_slot(uint64_t offset, uint64_t size_bytes)
{
	for (unsigned i = 0; i < SLOT_COUNT; i++) {
		if (slots[i].offset == offset)
			return (int)i;
		if (slots[i].offset)
			continue;
		long at = map_part(offset, size_bytes);
		if (sys_failed(at))
			return -1;
		slots[i].offset = offset;
		slots[i].base = (uintptr_t)at;
		return (int)i;
	}
	return -1;
}

static int attach(const struct object *object, struct heddle_hooks *hooks)
{
	uint64_t site_count = (uint64_t)(object->sites_end - object->sites);
	uint64_t size = site_count * HEDDLE_COUNT_SHARDS * sizeof(uint64_t);
	size = (size + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
	if ((uintptr_t)object->sites % 4 || site_count > UINT32_MAX)
		return -1;
	struct heddle_count_object *entry = find_entry(object, (uint32_t)site_count, hooks ? size : 0);
	if (!entry)
		return -1;
	if (!hooks)
		return 0;
	int slot = entry->counts ? find_slot(entry->counts, size) : -1;
	if (slot < 0)
		return -1;
	for (unsigned i = 0; i < HEDDLE_COUNT_SHARDS; i++)
		bias[slot][i + 1] = slots[slot].base + i * site_count * sizeof(uint64_t) -
				    ((uintptr_t)object->sites >> 2);
	fill_hooks(hooks, &slot_hooks[slot]);
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
