/*
 * train.c: mode train: the program's threads run in parallel, every access of a switched function is observed, and the histories
 * that occur (heddle/guard.h) are kept for the tool. Short delays at random places, if the tool asks for them, make
 * the runs differ.
 *
 * Invariants:
 *  1. The number of a thread is used once in a process, so an ended thread is not mistaken for a new one.
 *  2. A forked child continues with a copy of the cells: the threads in them are those of the parent, which is right for
 *     what it wrote before the fork.
 *     Assured by tests/cli/guard-runtime.t.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "heddle/guard.h"
#include "parallel/blocks.h"
#include "parallel/history.h"
#include "parallel/own_stack.h"
#include "parallel/shared_file.h"
#include "parallel/site_ranges.h"
#include "rt/bug.h"
#include "rt/message.h"
#include "rt/mode.h"
#include "rt/option.h"
#include "rt/sys.h"

#define FIRST_GAP 64u      /* accesses between two delays of a thread, on average; */
#define DELAYS_PER_GAP 16u /* after so many it doubles, */
#define MAX_GAP (1u << 20) /* up to this */
#define MAX_DELAY_NS 1000000u
#define MAX_DELAYS 1000u /* of a process: a program with many threads is not to take much longer */

static struct heddle_train *file;
static struct site_ranges ranges;
static uint32_t thread_count, delay_count;

static __thread struct {
	uint32_t number;
	uint32_t left, gap, delays; /* accesses until the next delay; see above */
	uint64_t random;
} self;

static uint32_t random_below(uint32_t limit)
{
	uint64_t x = self.random;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	self.random = x;
	return (uint32_t)((x >> 32) * limit >> 32);
}

static void begin_thread(void)
{
	self.number = __atomic_add_fetch(&thread_count, 1, __ATOMIC_RELAXED);
	if (!self.number)
		RT_BUG("numbers of threads begin again");
	self.random = (file->seed + 1ull) * 0x9e3779b97f4a7c15u + self.number * 0xbf58476d1ce4e5b9u;
	self.gap = FIRST_GAP;
	self.left = 1 + random_below(self.gap);
	if (sys_tid() != sys_pid()) {
		uintptr_t start;
		size_t size;
		own_stack_find(&start, &size);
		history_forget(start, size);
	}
}

static void delay(void)
{
	if (++self.delays % DELAYS_PER_GAP == 0 && self.gap < MAX_GAP)
		self.gap *= 2;
	self.left = 1 + random_below(2 * self.gap);
	if (__atomic_fetch_add(&delay_count, 1, __ATOMIC_RELAXED) >= MAX_DELAYS) {
		self.left = UINT32_MAX;
		return;
	}
	if (random_below(2)) {
		sys_yield();
		return;
	}
	struct timespec length = { 0, 1 + random_below(MAX_DELAY_NS) };
	sys_call(SYS_nanosleep, (long)&length, 0, 0, 0, 0, 0);
}

static inline void prepare(void)
{
	if (__builtin_expect(!self.number, 0))
		begin_thread();
	if (file->seed && --self.left == 0)
		delay();
}

static void access_one(const volatile void *address, const struct heddle_site *site)
{
	uint32_t number = site ? site_ranges_number(&ranges, site) : 0;
	if (!number || !address)
		return;
	prepare();
	history_access((uintptr_t)address, number, self.number);
}

static void access_range(const volatile void *address, size_t size_bytes, const struct heddle_site *site)
{
	uint32_t number = site ? site_ranges_number(&ranges, site) : 0;
	uintptr_t at = (uintptr_t)address & -(uintptr_t)HEDDLE_CELL_BYTES, end = (uintptr_t)address + size_bytes;
	if (!number || !address || end < at)
		return;
	prepare();
	for (uint32_t i = 0; at < end && i < HEDDLE_RANGE_CELLS; i++, at += HEDDLE_CELL_BYTES)
		history_access(at, number, self.number);
}

static void access_masked(const volatile void *address, uint64_t lanes, const struct heddle_site *site)
{
	for (; lanes && site; lanes &= lanes - 1)
		access_one((const volatile char *)address + (size_t)__builtin_ctzl(lanes) * site->size, site);
}

static uint32_t enter_object(const struct object *object)
{
	uint32_t site_count = (uint32_t)(object->sites_end - object->sites);
	uint32_t count = __atomic_load_n(&file->object_count, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < count && i < HEDDLE_GUARD_OBJECTS; i++) {
		const struct heddle_train_object *old = &file->objects[i];
		/* Acquire: partner of the release below, maybe of another process. */
		if (__atomic_load_n(&old->is_ready, __ATOMIC_ACQUIRE) && old->site_count == site_count &&
		    memcmp(old->build, object->build->id, sizeof old->build) == 0 &&
		    memcmp(old->path, object->path, sizeof old->path) == 0)
			return old->first;
	}
	uint32_t index = __atomic_fetch_add(&file->object_count, 1, __ATOMIC_RELAXED);
	if (index >= HEDDLE_GUARD_OBJECTS)
		return 0;
	struct heddle_train_object *entry = &file->objects[index];
	entry->site_count = site_count;
	entry->first = 1 + __atomic_fetch_add(&file->site_count, site_count, __ATOMIC_RELAXED);
	memcpy(entry->build, object->build->id, sizeof entry->build);
	memcpy(entry->path, object->path, sizeof entry->path);
	/* Release: partner of the acquire above and of the reader's. */
	__atomic_store_n(&entry->is_ready, 1, __ATOMIC_RELEASE);
	return entry->first;
}

static int train_attach(const struct object *object, struct heddle_hooks *hooks)
{
	static bool is_noted;
	if (!is_noted)
		__atomic_fetch_add(&file->process_count, 1, __ATOMIC_RELAXED);
	is_noted = true;
	uint32_t first = enter_object(object);
	if (!first || site_ranges_add(&ranges, object, first) < 0)
		return -1;
	for (unsigned i = 0; i < 5; i++)
		hooks->read[i] = hooks->write[i] = access_one;
	hooks->read_range = hooks->write_range = access_range;
	hooks->read_masked = hooks->write_masked = access_masked;
	hooks->atomic_begin = access_one;
	return 0;
}

static void train_attached(const struct object *object, const struct patch_result *result)
{
	(void)object;
	__atomic_fetch_add(&file->switched_count, result->switched_count, __ATOMIC_RELAXED);
}

static int train_start(void)
{
	void *at = NULL;
	size_t size;
	int code = shared_file_map(options.train_path, HEDDLE_TRAIN_MAGIC, sizeof *file, true, &at, &size);
	if (code == 0) {
		file = at;
		code = history_start(file);
	}
	if (code < 0) {
		rt_off(RT_TRAIN_FILE, options.train_path[0] ? options.train_path : NULL, code);
		return -1;
	}
	blocks_forget = history_forget;
	return 0;
}

const struct mode mode_train = {
	.name = "train",
	.start = train_start,
	.slot = blocks_slot,
	.attach = train_attach,
	.attached = train_attached,
};
