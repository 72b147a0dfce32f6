/*
 * guard.c: mode guard: before each chosen access, its remote predecessor is compared with the belonging set of its
 * place. If the predecessor is not in the set, the thread is stalled for a moment, so that an access of another thread
 * can resolve the violation (Zhang and others, IEEE TSE 2016). Threads run in parallel, and everything else runs as it
 * would without Heddle.
 *
 * Invariants:
 *  1. Every stall ends: after max_stall_us, when the thread's share of time is used up, or as soon as another thread
 *     waits for a lock that the stalled one holds. Threads are no longer stalled for a pair that was unresolved
 *     unresolved_limit times.
 *     Assured by tests/cli/guard-runtime.t.
 *  2. Nothing but timing changes for the program: none of its locks is taken, none of its memory is written, and errno
 *     stays.
 *     Assured by tests/cases/run.t.
 *  3. Accesses of a signal handler whose thread is stalled are recorded, but never stalled.
 *     Assured by tests/cli/guard-runtime.t.
 *  4. The file of sites is checked before it is used, and mapped read-only.
 *     Assured by tests/cli/guard-runtime.t.
 */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

#include "heddle/guard.h"
#include "parallel/blocks.h"
#include "parallel/guard_entry.h"
#include "parallel/inside.h"
#include "parallel/own_stack.h"
#include "parallel/probe.h"
#include "parallel/recorder.h"
#include "parallel/shared_file.h"
#include "parallel/site_ranges.h"
#include "parallel/waits.h"
#include "rt/baked.h"
#include "rt/guardian.h"
#include "rt/maps.h"
#include "rt/message.h"
#include "rt/mode.h"
#include "rt/option.h"
#include "rt/sys.h"

#define RECORDS_PER_PAIR 8u
#define OFTEN 64u /* after this many violations of a pair, only one in this many stalls */

static const struct heddle_guard *file;
static struct heddle_guard_log *notes;
static const struct heddle_guard_object *objects;
static const struct heddle_guard_site *sites;
static const uint64_t *sets;
static uint64_t everything[(HEDDLE_GUARD_PLACES + 64) / 64]; /* the set of places that are not checked */
static uint64_t nothing[(HEDDLE_GUARD_PLACES + 64) / 64];    /* to the fast path, that of places to sleep at */
static struct site_ranges ranges; /* first: of the object's entry in `objects`, from 1; one site is one number */
static uint32_t thread_count;
static uint32_t noted_pid; /* the process whose modules are noted */

static __thread struct {
	struct inside stalled;
	uint64_t begun_us, stalled_us;
	uint32_t sleeps;
} self;

/* An access that is about to happen. */
struct attempt {
	uintptr_t address;
	const struct heddle_guard_site *guarded;
	uint32_t object; /* in the file */
	uintptr_t code;
	const struct guard_frame *frame; /* null: not known */
	const uint64_t *rsp;
};

static uint64_t now_ns(int clock)
{
	struct timespec now = { 0, 0 };
	sys_call(SYS_clock_gettime, clock, (long)&now, 0, 0, 0, 0);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t now_us(void)
{
	return now_ns(CLOCK_MONOTONIC) / 1000;
}

static void forget_stack(void)
{
	uintptr_t start;
	size_t size;
	own_stack_find(&start, &size);
	recorder_forget(start, size);
}

/* Numbers are reused after 65,535 threads: then the last accesses of the earlier thread with the number look like this
 * thread's own. */
static void begin_thread(void)
{
	uint32_t count = __atomic_fetch_add(&thread_count, 1, __ATOMIC_RELAXED);
	guard_thread = 1 + count % RECORDER_THREADS;
	self.begun_us = now_us();
	if (sys_tid() != sys_pid())
		forget_stack();
}

static inline recorder_set set_of(const struct heddle_guard_site *guarded)
{
	return guarded->flags & HEDDLE_GUARD_CHECK ? sets + (size_t)(guarded->place - 1) * file->row_words : NULL;
}

static __attribute__((noinline, cold)) void sleep_before(void)
{
	struct timespec length = { 0, (long)file->sleep_us * 1000 };
	if (!inside_is(&self.stalled) && self.sleeps++ < file->sleep_limit)
		sys_call(SYS_nanosleep, (long)&length, 0, 0, 0, 0, 0);
}

static inline uint32_t access_cell(const struct heddle_guard_site *guarded, uintptr_t address)
{
	if (__builtin_expect(!guard_thread, 0))
		begin_thread();
	return recorder_access(address, guarded->place, guard_thread,
			       inside_is(&self.stalled) ? NULL : set_of(guarded));
}

/* Null: there is no room. */
static struct heddle_guard_pair *find_pair(uint32_t place, uint32_t previous)
{
	uint32_t key = place << 16 | previous;
	for (uint32_t i = 0; i < 64; i++) {
		struct heddle_guard_pair *pair = &notes->pairs[(key * 0x9e3779b1u + i) % HEDDLE_GUARD_PAIRS];
		uint32_t seen = __atomic_load_n(&pair->key, __ATOMIC_RELAXED);
		if (seen == key ||
		    (!seen &&
		     __atomic_compare_exchange_n(&pair->key, &seen, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) ||
		    seen == key)
			return pair;
	}
	__atomic_fetch_add(&notes->lost_pairs, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Returns for how long this thread may still stall. */
static uint64_t share_left_us(void)
{
	uint64_t share = file->free_stall_us + (now_us() - self.begun_us) * file->share_percent / 100;
	return share > self.stalled_us ? share - self.stalled_us : 0;
}

static enum heddle_violation_end stall(const struct attempt *attempt, uint64_t *stalled_us)
{
	uint64_t left_us = share_left_us(), begin_us = now_us();
	uint32_t tid = sys_tid();
	enum heddle_violation_end end = HEDDLE_VIOLATION_UNRESOLVED;
	uint64_t limit_us = file->max_stall_us;
	if (left_us < limit_us) {
		limit_us = left_us;
		end = HEDDLE_VIOLATION_SHARE;
	}
	while ((*stalled_us = now_us() - begin_us) < limit_us) {
		if (waits_is_awaited(tid))
			return HEDDLE_VIOLATION_WAITED;
		uint64_t step_us = limit_us - *stalled_us < file->step_us ? limit_us - *stalled_us : file->step_us;
		struct timespec length = { 0, (long)step_us * 1000 };
		sys_call(SYS_nanosleep, (long)&length, 0, 0, 0, 0, 0);
		if (recorder_access(attempt->address, attempt->guarded->place, guard_thread,
				    set_of(attempt->guarded)) == HEDDLE_GUARD_UNKNOWN) {
			*stalled_us = now_us() - begin_us;
			return HEDDLE_VIOLATION_RESOLVED;
		}
	}
	return end;
}

static void put_module(void *data, const struct maps_entry *entry)
{
	uint32_t index;
	(void)data;
	if (!(entry->protection & PROT_EXEC) || entry->path[0] != '/' ||
	    (index = __atomic_fetch_add(&notes->module_count, 1, __ATOMIC_RELAXED)) >= HEDDLE_GUARD_MODULES)
		return;
	struct heddle_guard_module *module = &notes->modules[index];
	module->pid = sys_pid();
	module->start = entry->start;
	module->end = entry->end;
	module->offset = entry->offset;
	for (size_t i = 0; i < sizeof module->path - 1 && entry->path[i]; i++)
		module->path[i] = entry->path[i];
	/* Release: partner of the reader's acquire. */
	__atomic_store_n(&module->is_ready, 1, __ATOMIC_RELEASE);
}

/* Once in a process, and again after a library was loaded. */
static void note_modules(void)
{
	uint32_t own = sys_pid(), noted = __atomic_exchange_n(&noted_pid, own, __ATOMIC_RELAXED);
	if (noted != own)
		maps_read_apart(put_module, NULL);
}

static void copy_stack(struct heddle_violation *note, const struct attempt *attempt)
{
	const struct guard_frame *frame = attempt->frame;
	if (!frame)
		return;
	note_modules();
	const uint64_t registers[7] = {
		(uint64_t)(attempt->rsp + 1), frame->rbp, frame->rbx, frame->r12, frame->r13, frame->r14, frame->r15
	};
	memcpy(note->registers, registers, sizeof registers);
	/* The kernel copies up to the end of the stack, page by page. */
	struct iovec to = { note->stack, sizeof note->stack }, from = { (void *)registers[0], sizeof note->stack };
	long got = sys_call(SYS_process_vm_readv, sys_pid(), (long)&to, 1, (long)&from, 1, 0);
	note->stack_bytes = got > 0 ? (uint32_t)got : 0;
}

static void write_note(const struct attempt *attempt, uint32_t previous, enum heddle_violation_end end,
		       uint64_t stalled_us)
{
	uint32_t index = __atomic_fetch_add(&notes->violation_count, 1, __ATOMIC_RELAXED);
	if (index >= HEDDLE_VIOLATIONS)
		return;
	struct heddle_violation *note = &notes->violations[index];
	note->place = attempt->guarded->place;
	note->previous = (uint16_t)previous;
	note->object = attempt->object;
	note->site = attempt->guarded->index;
	note->pid = sys_pid();
	note->tid = sys_tid();
	note->end = end;
	note->stalled_us = (uint32_t)stalled_us;
	note->address = attempt->address;
	note->time_ns = now_ns(CLOCK_REALTIME);
	note->code = attempt->code;
	copy_stack(note, attempt);
	/* Release: partner of the reader's acquire. */
	__atomic_store_n(&note->is_ready, 1, __ATOMIC_RELEASE);
}

/* Whether the pair seems to be a path that was not trained, and not a bug: then most of its violations are not stalled,
 * and no clock is read for them. */
static bool is_hopeless(const struct heddle_guard_pair *pair)
{
	if (!pair)
		return false;
	uint32_t seen = __atomic_load_n(&pair->seen, __ATOMIC_RELAXED);
	return __atomic_load_n(&pair->ends[HEDDLE_VIOLATION_UNRESOLVED], __ATOMIC_RELAXED) >= file->unresolved_limit ||
	       (seen >= OFTEN && seen % OFTEN != 0);
}

/* The predecessor is not in the set; the access has not been recorded. */
static __attribute__((noinline, cold)) void handle_violation(const struct attempt *attempt, uint32_t previous)
{
	uint64_t stalled_us = 0;
	struct heddle_guard_pair *pair = find_pair(attempt->guarded->place, previous);
	enum heddle_violation_end end = HEDDLE_VIOLATION_LOGGED;
	/* Before the stall, which the end of the process may cut short. */
	uint32_t seen = 0;
	inside_enter(&self.stalled);
	bool is_stalling = !is_hopeless(pair);
	if (pair)
		seen = __atomic_fetch_add(&pair->seen, 1, __ATOMIC_RELAXED);
	if (is_stalling)
		end = stall(attempt, &stalled_us);
	if (end != HEDDLE_VIOLATION_RESOLVED)
		recorder_access(attempt->address, attempt->guarded->place, guard_thread, NULL);
	inside_leave(&self.stalled);
	self.stalled_us += stalled_us;
	__atomic_fetch_add(&notes->stalled_us, stalled_us, __ATOMIC_RELAXED);
	if (pair) {
		__atomic_fetch_add(&pair->stalled_us, stalled_us, __ATOMIC_RELAXED);
		__atomic_fetch_add(&pair->ends[end], 1, __ATOMIC_RELAXED);
	}
	if (seen < RECORDS_PER_PAIR)
		write_note(attempt, previous, end, stalled_us);
}

/* The guarded site of an attached object; null: it is not guarded. */
static const struct heddle_guard_site *find_site(const struct heddle_guard_object *object, uint32_t index)
{
	const struct heddle_guard_site *low = sites + object->first, *high = low + object->count;
	while (low < high) {
		const struct heddle_guard_site *middle = low + (high - low) / 2;
		if (middle->index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low < sites + object->first + object->count && low->index == index ? low : NULL;
}

static const struct heddle_guard_object *find_object(const struct object *object)
{
	for (uint32_t i = 0; i < file->object_count; i++)
		if (memcmp(objects[i].build, object->build->id, sizeof objects[i].build) == 0)
			return &objects[i];
	return NULL;
}

/* Plain accesses: the number of a probe is that of the guarded site in the file. */
static bool guard_choose(const struct object *object, const struct heddle_site *site, struct probe *probe)
{
	const struct heddle_guard_object *known = find_object(object);
	const struct heddle_guard_site *guarded = known ? find_site(known, (uint32_t)(site - object->sites)) : NULL;
	if (!guarded)
		return false;
	recorder_set set = guarded->flags & HEDDLE_GUARD_SLEEP ? nothing : set_of(guarded);
	*probe = (struct probe){ set ? set : everything, (uint32_t)(guarded - sites), guarded->place };
	return true;
}

bool guard_hit(uintptr_t address, const struct probe *probe)
{
	if (sites[probe->number].flags & HEDDLE_GUARD_SLEEP)
		sleep_before();
	return access_cell(&sites[probe->number], address) != HEDDLE_GUARD_UNKNOWN;
}

static uint32_t object_of(const struct heddle_guard_site *guarded)
{
	uint32_t number = (uint32_t)(guarded - sites), i = 0;
	while (i + 1 < file->object_count && number >= objects[i].first + objects[i].count)
		i++;
	return i;
}

void guard_stop(uintptr_t address, const struct probe *probe, const struct guard_frame *frame, const uint64_t *rsp)
{
	const struct heddle_guard_site *guarded = &sites[probe->number];
	struct attempt attempt = { address, guarded, object_of(guarded), (uintptr_t)*rsp, frame, rsp };
	uint32_t previous = access_cell(guarded, address);
	if (previous != HEDDLE_GUARD_UNKNOWN)
		handle_violation(&attempt, previous);
}

/* The other accesses: ranges, masked vectors, atomics. */

static const struct heddle_guard_site *guarded_at(const struct heddle_site *site)
{
	uint32_t count = __atomic_load_n(&ranges.count, __ATOMIC_ACQUIRE); /* partner: the release in site_ranges_add */
	for (uint32_t i = 0; site && i < count; i++)
		if (site >= ranges.items[i].start && site < ranges.items[i].end)
			return find_site(&objects[ranges.items[i].first - 1], (uint32_t)(site - ranges.items[i].start));
	return NULL;
}

static void guard_cell(const struct heddle_guard_site *guarded, uintptr_t address)
{
	if (guarded->flags & HEDDLE_GUARD_SLEEP)
		sleep_before();
	uint32_t previous = access_cell(guarded, address);
	if (previous == HEDDLE_GUARD_UNKNOWN)
		return;
	struct attempt attempt = { .address = address, .guarded = guarded, .object = object_of(guarded) };
	handle_violation(&attempt, previous);
}

static void guard_one(const volatile void *address, const struct heddle_site *site)
{
	const struct heddle_guard_site *guarded = address ? guarded_at(site) : NULL;
	if (guarded)
		guard_cell(guarded, (uintptr_t)address);
}

static void guard_range(const volatile void *address, size_t size_bytes, const struct heddle_site *site)
{
	const struct heddle_guard_site *guarded = address ? guarded_at(site) : NULL;
	uintptr_t at = (uintptr_t)address & -(uintptr_t)HEDDLE_CELL_BYTES, end = (uintptr_t)address + size_bytes;
	for (uint32_t i = 0; guarded && at < end && i < HEDDLE_RANGE_CELLS; i++, at += HEDDLE_CELL_BYTES)
		guard_cell(guarded, at);
}

static void guard_masked(const volatile void *address, uint64_t lanes, const struct heddle_site *site)
{
	const struct heddle_guard_site *guarded = lanes ? guarded_at(site) : NULL;
	for (; guarded && lanes; lanes &= lanes - 1)
		guard_cell(guarded, (uintptr_t)address + (size_t)__builtin_ctzl(lanes) * site->size);
}

static bool guard_selects(const struct object *object, const struct heddle_function *function)
{
	const struct heddle_guard_object *known = find_object(object);
	const struct heddle_site *first = object_at(&function->sites);
	for (uint32_t i = 0; known && first && i < function->site_count; i++)
		if (find_site(known, (uint32_t)(first - object->sites) + i))
			return true;
	return false;
}

static int guard_attach(const struct object *object, struct heddle_hooks *hooks)
{
	static bool is_noted;
	static const struct probe_mode mode = { guard_entry, guard_choose, guard_selects };
	const struct heddle_guard_object *known = find_object(object);
	if (!is_noted)
		__atomic_fetch_add(&notes->process_count, 1, __ATOMIC_RELAXED);
	is_noted = true;
	if (!known || !known->count)
		return 0;
	if (site_ranges_add(&ranges, object, (uint32_t)(known - objects) + 1) < 0)
		return -1;
	long count = probe_attach(object, &mode);
	if (count < 0)
		return -1;
	__atomic_store_n(&noted_pid, 0, __ATOMIC_RELAXED);
	__atomic_fetch_add(&notes->attached_count, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&notes->guarded_count, (uint32_t)count, __ATOMIC_RELAXED);
	hooks->read_range = hooks->write_range = guard_range;
	hooks->read_masked = hooks->write_masked = guard_masked;
	hooks->atomic_begin = guard_one;
	return 0;
}

static void guard_attached(const struct object *object, const struct patch_result *result)
{
	(void)object;
	__atomic_fetch_add(&notes->switched_count, result->switched_count, __ATOMIC_RELAXED);
}

static void *guard_slot(size_t index)
{
	void *own = blocks_slot(index);
	return own ? own : waits_slot(index);
}

/* Whether a table with that number of items lies in the file. */
static bool is_inside(uint32_t offset, uint64_t count, size_t item_bytes, size_t size_bytes)
{
	return offset % 8 == 0 && offset <= size_bytes && count <= (size_bytes - offset) / item_bytes;
}

static bool is_sane(const struct heddle_guard *made, size_t size_bytes)
{
	if (made->size_bytes != size_bytes || made->place_count > HEDDLE_GUARD_PLACES || made->cell_bits < 10 ||
	    made->cell_bits > 26 || made->row_words != (made->place_count + 1 + 63) / 64 || !made->step_us ||
	    made->max_stall_us > 1000000 || made->step_us > 1000000 || made->sleep_us > 900000 ||
	    made->share_percent > 100)
		return false;
	if (!is_inside(made->objects, made->object_count, sizeof *objects, size_bytes) ||
	    !is_inside(made->sites, made->site_count, sizeof *sites, size_bytes) ||
	    !is_inside(made->sets, (uint64_t)made->place_count * made->row_words, sizeof *sets, size_bytes))
		return false;
	const struct heddle_guard_object *object = (const void *)((const char *)made + made->objects);
	for (uint32_t i = 0; i < made->object_count; i++)
		if (object[i].first > made->site_count || object[i].count > made->site_count - object[i].first)
			return false;
	const struct heddle_guard_site *site = (const void *)((const char *)made + made->sites);
	for (uint32_t i = 0; i < made->site_count; i++)
		if (!site[i].place || site[i].place > made->place_count)
			return false;
	return true;
}

/* Nobody reads the log of a program that contains its guard, but the processes that it forks share the counts. */
static int take_baked(const void *content, size_t size, void **at)
{
	if (size < sizeof *file || memcmp(content, HEDDLE_GUARD_MAGIC, sizeof file->magic) != 0 ||
	    ((const struct heddle_guard *)content)->version != HEDDLE_ABI_VERSION)
		return -EBADMSG;
	*at = (void *)(uintptr_t)content;
	long log = sys_mmap(sizeof *notes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed(log))
		return (int)log;
	notes = (struct heddle_guard_log *)log;
	return 0;
}

static int open_files(void)
{
	void *at = NULL;
	size_t size;
	const void *baked = options.guard_path[0] ? NULL : baked_data(&size);
	int code = baked ? take_baked(baked, size, &at)
			 : shared_file_map(options.guard_path, HEDDLE_GUARD_MAGIC, sizeof *file, false, &at, &size);
	if (code < 0)
		return code;
	if (!is_sane(at, size))
		return -EBADMSG;
	file = at;
	objects = (const void *)((const char *)file + file->objects);
	sites = (const void *)((const char *)file + file->sites);
	sets = (const void *)((const char *)file + file->sets);
	if (baked)
		return 0;
	code = shared_file_map(options.guard_log_path, HEDDLE_GUARD_LOG_MAGIC, sizeof *notes, true, &at, &size);
	if (code == 0)
		notes = at;
	return code;
}

static int open_all(void)
{
	int code = open_files();
	return code == 0 ? recorder_start(file->cell_bits) : code;
}

static int guard_start(void)
{
	int code = open_all();
	if (code < 0) {
		rt_off(RT_GUARD_FILE, options.guard_path[0] ? options.guard_path : NULL, code);
		return -1;
	}
	memset(everything, 0xff, sizeof everything);
	blocks_forget = recorder_forget;
	return 0;
}

const struct mode mode_guard = {
	.name = "guard",
	.start = guard_start,
	.slot = guard_slot,
	.attach = guard_attach,
	.attached = guard_attached,
	.selects = guard_selects,
};

/* For the controlled world: see rt/guardian.h. */

static int guardian_attach(const struct object *object)
{
	const struct heddle_guard_object *known = find_object(object);
	if (!known || !known->count)
		return 0;
	__atomic_fetch_add(&notes->attached_count, 1, __ATOMIC_RELAXED);
	return site_ranges_add(&ranges, object, (uint32_t)(known - objects) + 1);
}

static uint32_t guardian_access(uintptr_t address, const struct heddle_guard_site *guarded, uint32_t thread,
				bool is_forced)
{
	return recorder_access(address, guarded->place, 1 + thread % RECORDER_THREADS,
			       is_forced ? NULL : set_of(guarded));
}

static void guardian_note(const struct heddle_guard_site *guarded, uint32_t previous, enum heddle_violation_end end,
			  uint64_t stalled_us)
{
	struct heddle_guard_pair *pair = find_pair(guarded->place, previous);
	if (!pair)
		return;
	__atomic_fetch_add(&pair->seen, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&pair->ends[end], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&pair->stalled_us, stalled_us, __ATOMIC_RELAXED);
}

static const struct heddle_guard *guardian_settings(void)
{
	return file;
}

const struct guardian guardian_parallel = {
	.start = open_all,
	.attach = guardian_attach,
	.find = guarded_at,
	.access = guardian_access,
	.forget = recorder_forget,
	.note = guardian_note,
	.settings = guardian_settings,
};
