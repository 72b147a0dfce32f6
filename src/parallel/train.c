/*
 * train.c: mode train: the program's threads run in parallel, every access of a switched function is observed, and the
 * histories of these accesses (heddle/guard.h) are recorded for the tool. If the tool requests it, short delays at
 * random places make the runs differ.
 *
 * Invariants:
 *  1. The number of a thread is used once in a process, so a new thread is not mistaken for an ended one.
 *  2. A forked child continues with a copy of the cells: the threads in them are those of the parent, which is correct
 *     for its accesses before the fork.
 *     Assured by tests/cli/guard-runtime.t.
 */
#include <time.h>

#include "heddle/guard.h"
#include "parallel/blocks.h"
#include "parallel/history.h"
#include "parallel/own_stack.h"
#include "parallel/progress.h"
#include "parallel/train_file.h"
#include "rt/bug.h"
#include "rt/mode.h"
#include "rt/sys.h"

#define FIRST_GAP 64u      /* accesses between two delays of a thread, on average; */
#define DELAYS_PER_GAP 16u /* after so many it doubles, */
#define MAX_GAP (1u << 20) /* up to this */
#define MAX_DELAY_NS 1000000u
#define MAX_DELAYS 1000u /* of a process: a program with many threads is not to take much longer */

static struct heddle_train *file;
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
	progress_begin_thread(self.number);
	if (sys_tid() != sys_pid()) {
		uintptr_t start;
		size_t size;
		own_stack_find(&start, &size);
		history_forget(start, size, self.number);
	}
}

/* The last access that the thread announced was made: its waiting histories count. */
static void finish(struct progress_waiting waiting, uint32_t thread)
{
	for (uint64_t lanes = waiting.lanes; lanes; lanes &= lanes - 1)
		history_made(waiting.address + (size_t)__builtin_ctzl(lanes) * waiting.step, waiting.site, thread);
}

static inline void made(void)
{
	if (!self.number)
		return;
	progress_next(self.number);
	struct progress_waiting *waiting = progress_waiting(self.number), last = *waiting;
	if (!last.lanes)
		return;
	/* First: a signal handler may come between. */
	waiting->lanes = 0;
	finish(last, self.number);
}

/* lanes: of the cells whose histories wait until the access is made. */
static inline void wait_for(uintptr_t address, uint64_t lanes, uint32_t step, uint32_t number)
{
	if (lanes)
		*progress_waiting(self.number) = (struct progress_waiting){ address, lanes, step, number };
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
	made();
	if (file->seed && --self.left == 0)
		delay();
}

static void access_one(const volatile void *address, const struct heddle_site *site)
{
	uint32_t number = site ? train_file_number(site) : 0;
	if (!number || !address)
		return;
	prepare();
	wait_for((uintptr_t)address, history_access((uintptr_t)address, number, self.number), 0, number);
}

static void access_range(const volatile void *address, size_t size_bytes, const struct heddle_site *site)
{
	uint32_t number = site ? train_file_number(site) : 0;
	if (!number || !address)
		return;
	prepare();
	wait_for((uintptr_t)address, train_file_access_range((uintptr_t)address, size_bytes, number, self.number),
		 HEDDLE_CELL_BYTES, number);
}

static void access_masked(const volatile void *address, uint64_t lanes, const struct heddle_site *site)
{
	uint32_t number = site ? train_file_number(site) : 0;
	if (!number || !address)
		return;
	prepare();
	uint64_t waiting = 0;
	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctzl(lanes);
		waiting |= (uint64_t)history_access((uintptr_t)address + (size_t)lane * site->size, number, self.number)
			   << lane;
	}
	wait_for((uintptr_t)address, waiting, site->size, number);
}

static void atomic_end(const volatile void *address, const struct heddle_site *site, uint32_t is_done)
{
	(void)address;
	(void)site;
	(void)is_done;
	made();
}

static void train_announce(const struct operation_row *row, const volatile void *object, uintptr_t code)
{
	(void)row;
	(void)object;
	(void)code;
	made();
}

static enum operation_next train_before(struct operation *operation)
{
	(void)operation;
	made();
	return OPERATION_CALL_ONLY;
}

static void *train_slot(size_t index)
{
	void *own = blocks_slot(index);
	own = own ? own : operation_announced(index);
	return own ? own : operation_function(index);
}

static int train_attach(const struct object *object, struct heddle_hooks *hooks)
{
	if (train_file_enter(object) < 0)
		return -1;
	for (unsigned i = 0; i < 5; i++)
		hooks->read[i] = hooks->write[i] = access_one;
	hooks->read_range = hooks->write_range = access_range;
	hooks->read_masked = hooks->write_masked = access_masked;
	hooks->atomic_begin = access_one;
	hooks->atomic_end = atomic_end;
	return 0;
}

static void train_attached(const struct object *object, const struct patch_result *result)
{
	(void)object;
	__atomic_fetch_add(&file->switched_count, result->switched_count, __ATOMIC_RELAXED);
}

static void train_forget(uintptr_t start, size_t size_bytes)
{
	made();
	history_forget(start, size_bytes, self.number);
}

static int train_start(void)
{
	if (train_file_open(&file) < 0)
		return -1;
	blocks_forget = train_forget;
	return 0;
}

/* The process ends. A thread that has ended, or sleeps, made its last access, which nobody may have come after. */
__attribute__((destructor)) static void train_end(void)
{
	if (!file)
		return;
	if (!self.number)
		begin_thread();
	made();
	uint32_t last = __atomic_load_n(&thread_count, __ATOMIC_RELAXED);
	for (uint32_t i = 1; i <= last && i < PROGRESS_THREADS; i++) {
		/* In this order: what a thread that goes on announces meanwhile is not taken for made. */
		const struct progress_waiting waiting = *progress_waiting(i);
		const uint64_t when = progress_of(i);
		if (i != self.number && waiting.lanes && progress_is_made(self.number, i, when))
			finish(waiting, i);
	}
}

const struct mode mode_train = {
	.name = "train",
	.start = train_start,
	.slot = train_slot,
	.attach = train_attach,
	.attached = train_attached,
	.before = train_before,
	.announce = train_announce,
};
