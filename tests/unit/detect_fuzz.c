/*
 * detect_fuzz.c: random programs on src/detect, step by step, against the oracle. Each program is one schedule: a thread is
 * drawn and does something that it could do there. Whatever is reported must be a race by the oracle, of these two threads
 * at these two sites; and each access that races must be reported. The bytes are a block of the heap, which threads make anew. When bytes were raced for, their cell begins anew on both
 * sides, since what is reported once need not be reported again.
 *   detect_fuzz SEED PROGRAMS [any]   any: also where src/detect may order more than it must; then only the former is demanded
 * With DETECT_FUZZ_SHOW=N in the environment the program N is shown, step by step.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "detect/access.h"
#include "detect/detect.h"
#include "detect/finding.h"
#include "detect/locks.h"
#include "detect/maker.h"
#include "detect/order.h"
#include "detect/shadow.h"
#include "detect/sync.h"
#include "detect/track.h"
#include "detect_oracle.h"
#include "rt/object.h"
#include "rt/report.h"
#include "rt/shortcut.h"
#include "rt/tally.h"
#include "world/memory/heap.h"

#define MAX_LIVE 7
#define STEPS 300
#define LOCKS 3
#define SITES 4000

static uint8_t *call_page;
static const struct shortcut_code *call_code; /* a copy of it is behind the first page of call_page */
static struct {
	uint32_t index;
	uintptr_t handle;
	struct track *track;
} all_threads[ORACLE_THREADS];
static struct heddle_site sites[SITES];
static uint32_t numbers[SITES];
static char *const place = (char *)PLACE_MAPPINGS; /* of the objects */
static char *block;                                /* of the bytes */
static struct heddle_hooks hooks;

/* What the parts of the world do that are not here. */

static void *take_pages(size_t size_bytes)
{
	void *pages = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return pages == MAP_FAILED ? NULL : pages;
}

_Noreturn static void fail(enum heddle_outcome outcome, const char *text, const char *subject)
{
	printf("failed: %d %s %s\n", outcome, text, subject ? subject : "");
	exit(1);
}

static bool is_crowded;

void report_missed(const char *text)
{
	(void)text;
	is_crowded = true;
}

void site_report_limit(void)
{
}

struct site_range site_last;
uint32_t site_find_number(const struct heddle_site *site)
{
	(void)site;
	abort();
}

void watch_start(void) {}
void watch_done(void) {}
void watch_heap(void) {}
void watch_bad_free(void) {}
void watch_free(uintptr_t start, size_t size_bytes) { (void)start, (void)size_bytes; }

void watch_thread(uint32_t index) { (void)index; }
void watch_locked(const volatile void *lock) { (void)lock; }
uint32_t watch_callers(void) { return 0; }
void watch_atomic(uintptr_t address, size_t size_bytes) { (void)address, (void)size_bytes; }
void watch_entered(uintptr_t address, uint64_t word, const struct heddle_site *site)
{
	(void)address;
	(void)word;
	(void)site;
}
void watch_look(uintptr_t address, size_t size_bytes, const struct heddle_site *site)
{
	(void)address, (void)size_bytes, (void)site;
}
void watch_memory(uintptr_t address, size_t size_bytes, bool is_write, bool is_atomic, const struct heddle_site *site)
{
	(void)address, (void)size_bytes, (void)is_write, (void)is_atomic, (void)site;
}
static void announce(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site)
{
	(void)kind, (void)address, (void)site;
}

static void announce_range(enum heddle_event_kind kind, const volatile void *address, size_t size_bytes, const struct heddle_site *site)
{
	(void)size_bytes;
	announce(kind, address, site);
}
void locks_ordered(const struct track *track, const struct held *taken)
{
	(void)track;
	(void)taken;
}
void finding_bad_free(const void *freed, bool is_resize, uintptr_t code)
{
	(void)freed;
	(void)is_resize;
	(void)code;
}

void finding_forget(uintptr_t address, size_t size_bytes)
{
	(void)address;
	(void)size_bytes;
}

/* The random program. */

static uint64_t state;
static unsigned draw(unsigned below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)((state >> 20) % below);
}

enum status { ABSENT, RUNS, WAITS, AT_BARRIER, ENDED, DETACHED };
static struct {
	enum status status;
	int wanted; /* mutex that it waits to have again */
	bool is_cancelled;
	struct round *round;
	unsigned round_number;
} states[ORACLE_THREADS];
static unsigned thread_count, live_count, current, program, step_number;
static int owners[LOCKS], writers[LOCKS], readers[LOCKS][ORACLE_THREADS];
static bool is_held[LOCKS];
static unsigned posts[LOCKS];
static struct oracle_object mutexes[LOCKS], locks[LOCKS], semaphores[LOCKS], atomics[4];
static bool is_any;
static unsigned long accesses, races;

/* A barrier for two. */
static struct {
	struct seen all;
	unsigned reached;
} rounds[STEPS + 1];
static unsigned open_round;

static void *mutex_at(int i) { return place + 4096 + 64 * i; }
static void *lock_at(int i) { return place + 8192 + 64 * i; }
static void *semaphore_at(int i) { return place + 12288 + 64 * i; }
static void *const barrier = (void *)(PLACE_MAPPINGS + 16384);

static bool has_mutex(const volatile void *mutex)
{
	int i = (int)(((const char *)mutex - place - 4096) / 64);
	return is_held[i] && owners[i] == (int)current;
}

/* What src/detect may ask for in these programs. */
static const struct observed answers = {
	.pages = take_pages,
	.fail = fail,
	.has_mutex = has_mutex,
	.heap_find = heap_find,
	.heap_note = heap_note,
	.heap_is_noted = heap_is_noted,
	.heap_set_maker = heap_set_maker,
	.heap_maker = heap_maker,
	.announce_range = announce_range,
	.decide = announce,
};

static unsigned shown = -1u;

/* What the current thread does. */
#define SHOW(...)                                                                                                      \
	do {                                                                                                           \
		if (program == shown) {                                                                                \
			printf("%3u: thread %u ", step_number, current);                                              \
			printf(__VA_ARGS__);                                                                           \
			putchar('\n');                                                                                 \
		}                                                                                                      \
	} while (0)

static void wrong(const char *what)
{
	printf("program %u, step %u, thread %u: %s\n", program, step_number, current, what);
	oracle_show();
	exit(1);
}

static uint32_t reported;
static unsigned index_base;

static unsigned thread_of(uint64_t word)
{
	unsigned thread = order_thread(word_slot(word), word_clock(word)) - index_base;
	if (word_slot(word) == SLOT_MAX)
		return ORACLE_ANY;                     /* those of the crowd are not told apart */
	return thread == -index_base + 1 ? 0 : thread; /* the first one has its own number */
}

void finding_memory(uintptr_t address, size_t size_bytes, uint32_t is_write, const struct heddle_site *site)
{
	(void)address, (void)size_bytes, (void)is_write, (void)site;
	wrong("an access to the block is called a memory error");
}

static bool is_made_reported;
static unsigned long makings;

void finding_made(uintptr_t address, size_t size_bytes, enum shadow_kind kind, const struct heddle_site *site,
		  struct heap_maker maker, uint64_t made)
{
	(void)kind, (void)site, (void)made;
	if (!oracle_is_made_race(current, thread_of(maker.time)) || address < (uintptr_t)block ||
	    address + size_bytes > (uintptr_t)block + ORACLE_BYTES)
		wrong("the making of the block is reported, which is ordered before");
	makings++;
	is_made_reported = true;
}

void finding_race(uintptr_t address, size_t size_bytes, uint64_t old, uint64_t new, const struct heddle_site *site,
		  uintptr_t code)
{
	(void)new;
	(void)site;
	(void)code;
	size_t start = address - (uintptr_t)block;
	unsigned thread = thread_of(old);
	unsigned old_site = (unsigned)(old >> WORD_SITE_SHIFT);
	if (!oracle_is_race(thread, old_site, start, size_bytes)) {
		printf("%zu bytes at %zu, with thread %u at site %u\n", size_bytes, start, thread, old_site);
		wrong("a race is reported that is none");
	}
	for (size_t i = start; i < start + size_bytes; i++)
		reported |= 1u << i;
}

/* Bytes that have raced: of what was reported there the shadow may know less than the oracle. All others must stay as they
 * are, also in the same cell. From time to time all begins anew, so that there are such bytes. */
static uint32_t raced;

static void compare(uint32_t expected)
{
	accesses++;
	races += expected != 0;
	if ((expected & ~raced & ~reported) && !is_any && !is_crowded) {
		printf("bytes %x race, %x are reported, %x raced before\n", expected, reported, raced);
		wrong("a race is not reported");
	}
	raced |= expected | reported;
	if (raced && draw(40) == 0) {
		shadow_clear((uintptr_t)block, ORACLE_BYTES);
		oracle_forget(0, ORACLE_BYTES);
		raced = 0;
	}
}

static uint8_t *put(uint8_t *to, const void *bytes, size_t size)
{
	return (uint8_t *)memcpy(to, bytes, size) + size;
}

/* A call and its shortcut, as world/shortcut.c makes them. */
static void call_entry(uintptr_t address, size_t size, bool is_write, unsigned site)
{
	uint8_t *code = call_page, *to = put(code, "\xe8\x0d\0\0\0\xc3", 6);
	const char *entry = (char *)call_page + 4096 +
			    (call_code->entries[(is_write ? 5 : 0) + __builtin_ctzl(size)] - call_code->start);
	struct shortcut head = { &sites[site], site };
	to = put(to, &head, sizeof head);
	to = put(to, "\x49\x89\xfb\xff\x25\0\0\0\0", 9); /* mov %rdi, %r11; jmp *0(%rip) */
	put(to, &entry, sizeof entry);
	TALLY->countdown = 1;
	((void (*)(uintptr_t))(uintptr_t)code)(address);
}

/* order: of an atomic access. */
static void access_bytes(size_t start, size_t size, enum shadow_kind kind, enum heddle_access access, unsigned order)
{
	unsigned site = draw(3) ? 1 + draw(5) : 1 + step_number;
	struct track *track = track_now;
	if (track->again.lock)
		track_settle(track);
	reported = 0;
	SHOW("%s %zu bytes at %zu, site %u", kind == SHADOW_WRITE ? "writes" : kind == SHADOW_READ ? "reads" : "atomic", size, start, site);
	is_made_reported = false;
	bool is_made_expected = oracle_must_meet_maker(current, start, size);
	uint32_t expected = oracle_access(current, start, size, (enum oracle_kind)kind, site);
	char *at = block + start;
	sites[site].size = (uint8_t)size;
	sites[site].access = (uint8_t)access;
	sites[site].order = (uint8_t)order;
	if (kind > SHADOW_READ)
		hooks.atomic_end(at, &sites[site], 1);
	else if (size <= 16 && !(size & (size - 1)) && draw(4))
		call_entry((uintptr_t)at, size, kind == SHADOW_WRITE, site);
	else
		(kind == SHADOW_WRITE ? hooks.write_range : hooks.read_range)(at, size, &sites[site]);
	if (is_made_expected && !is_made_reported && !is_any && !is_crowded)
		wrong("the making of the block races, and is not reported");
	if (is_made_reported)
		oracle_forget_maker();
	compare(expected);
}

static void plain_access(void)
{
	static const size_t sizes[] = { 1, 1, 2, 4, 4, 8, 8, 16, 5, 11, 24, 31 };
	size_t size = sizes[draw(12)], start = draw((unsigned)(ORACLE_BYTES - size + 1));
	if (draw(2)) { /* in one cell, which gets a list then */
		size = 1ul << draw(3);
		start = draw((unsigned)(9 - size));
	}
	bool is_write = draw(2);
	access_bytes(start, size, is_write ? SHADOW_WRITE : SHADOW_READ,
		     is_write ? HEDDLE_ACCESS_WRITE : HEDDLE_ACCESS_READ, 0);
}

static void free_bytes(void)
{
	size_t start = 8 * draw(3), size = 1 + draw(16);
	size_t whole = (size + 7) & ~7ul; /* a block has its cells for itself */
	if (start + whole > ORACLE_BYTES)
		return;
	reported = 0;
	SHOW("frees %zu at %zu", size, start);
	track_settle(track_now);
	uint32_t expected = oracle_access(current, start, whole, ORACLE_WRITE, 0);
	shadow_end((uintptr_t)block + start, size, 1);
	compare(expected);
	oracle_forget(start, whole);
	raced &= ~(uint32_t)(((1ul << whole) - 1) << start);
}

/* The block ends and another one is made at its place, as by realloc. */
static void make_block(void)
{
	reported = 0;
	SHOW("makes the block anew");
	track_settle(track_now);
	uint32_t expected = oracle_access(current, 0, ORACLE_BYTES, ORACLE_WRITE, 0);
	detect_memory_freed(block, ORACLE_BYTES, 1);
	compare(expected);
	oracle_forget(0, ORACLE_BYTES);
	raced = 0;
	memset(atomics, 0, sizeof atomics);
	oracle_made(current);
	detect_block_made(block, (uintptr_t)call_page);
}

/* Atomic objects: 8 bytes, two parts of them, and 8 others. Where only soundness is demanded, one part is at the start: both
 * are known by the same address. */
static struct {
	size_t start, size;
} shapes[4] = { { 16, 8 }, { 18, 2 }, { 20, 4 }, { 24, 8 } };

static bool do_overlap(unsigned a, unsigned b)
{
	return shapes[a].start < shapes[b].start + shapes[b].size && shapes[b].start < shapes[a].start + shapes[a].size;
}

static void load_all(unsigned object, bool is_acquire)
{
	for (unsigned i = 0; i < 4; i++)
		if (do_overlap(object, i))
			oracle_load(current, &atomics[i], is_acquire);
}

static void atomic_access(void)
{
	static const unsigned orders[] = { HEDDLE_ORDER_RELAXED, HEDDLE_ORDER_ACQUIRE, HEDDLE_ORDER_RELEASE,
					   HEDDLE_ORDER_ACQ_REL, HEDDLE_ORDER_SEQ_CST };
	unsigned object = draw(4), order = orders[draw(5)];
	bool is_acquire = order == HEDDLE_ORDER_ACQUIRE || order >= HEDDLE_ORDER_ACQ_REL;
	bool is_release = order >= HEDDLE_ORDER_RELEASE;
	size_t size = shapes[object].size;
	unsigned event_text = draw(3);
	SHOW("%ss atomic object %u, order %u", event_text == 0 ? "load" : event_text == 1 ? "store" : "update", object, order);
	switch (event_text) {
	case 0:
		access_bytes(shapes[object].start, size, SHADOW_ATOMIC_READ, HEDDLE_ACCESS_ATOMIC_READ, order);
		load_all(object, is_acquire);
		break;
	case 1:
		if (!is_release && !is_any && oracle_is_mixed(current, &atomics[object]))
			return;
		access_bytes(shapes[object].start, size, SHADOW_ATOMIC_WRITE, HEDDLE_ACCESS_ATOMIC_WRITE, order);
		oracle_store(current, &atomics[object], is_release, false);
		break;
	default:
		access_bytes(shapes[object].start, size, SHADOW_ATOMIC_WRITE, HEDDLE_ACCESS_ATOMIC_UPDATE, order);
		load_all(object, is_acquire);
		oracle_store(current, &atomics[object], is_release, true);
	}
}

static void fence(void)
{
	static const unsigned orders[] = { HEDDLE_ORDER_ACQUIRE, HEDDLE_ORDER_RELEASE, HEDDLE_ORDER_ACQ_REL,
					   HEDDLE_ORDER_SEQ_CST };
	unsigned order = orders[draw(4)];
	SHOW("fence %u", order);
	track_settle(track_now);
	oracle_fence(current, order != HEDDLE_ORDER_RELEASE, order != HEDDLE_ORDER_ACQUIRE);
	order_fence(order);
}

static void use_mutex(void)
{
	int i = (int)draw(LOCKS);
	SHOW("mutex %d, held %d by %d", i, is_held[i], owners[i]);
	if (!is_held[i]) {
		is_held[i] = true;
		owners[i] = (int)current;
		oracle_acquire(current, &mutexes[i].released);
		detect_locked(mutex_at(i), LOCK_EXCLUSIVE, draw(2), 1);
	} else if (owners[i] == (int)current || (draw(10) == 0 && !all_threads[owners[i]].track->again.lock)) {
		/* sometimes not its own */
		oracle_release(current, &mutexes[i].released);
		detect_unlocked(mutex_at(i));
		is_held[i] = false;
	}
}

static void use_lock(void)
{
	int i = (int)draw(LOCKS), all = 0;
	for (unsigned t = 0; t < thread_count; t++)
		all += readers[i][t];
	SHOW("lock %d, writer %d, own %d, all %d", i, writers[i] - 1, readers[i][current], all);
	if (writers[i] == (int)current + 1) {
		oracle_release(current, &locks[i].released);
		detect_unlocked(lock_at(i));
		writers[i] = 0;
	} else if (!writers[i] && readers[i][current] && draw(2)) {
		readers[i][current]--;
		if (!readers[i][current])
			oracle_release(current, &locks[i].shared);
		detect_unlocked(lock_at(i));
	} else if (!writers[i] && !all && draw(2)) {
		writers[i] = (int)current + 1;
		oracle_acquire(current, &locks[i].released);
		oracle_acquire(current, &locks[i].shared);
		detect_locked(lock_at(i), LOCK_EXCLUSIVE, false, 1);
	} else if (!writers[i]) {
		readers[i][current]++;
		oracle_acquire(current, &locks[i].released);
		detect_locked(lock_at(i), LOCK_SHARED, false, 1);
	}
}

static void use_semaphore(void)
{
	int i = (int)draw(LOCKS);
	SHOW("semaphore %d, %u", i, posts[i]);
	if (posts[i] && draw(2)) {
		posts[i]--;
		oracle_acquire(current, &semaphores[i].released);
		detect_acquire(semaphore_at(i));
	} else {
		posts[i]++;
		oracle_release(current, &semaphores[i].released);
		detect_release_more(semaphore_at(i));
	}
}

static void wait_condition(void)
{
	int i = (int)draw(LOCKS);
	if (!is_held[i] || owners[i] != (int)current)
		return;
	SHOW("waits with mutex %d", i);
	oracle_release(current, &mutexes[i].released);
	detect_wait(mutex_at(i));
	is_held[i] = false;
	states[current].status = WAITS;
	states[current].wanted = i;
}

/* It waits: has the mutex again, or a handler runs meanwhile. */
static void go_on_waiting(void)
{
	int i = states[current].wanted;
	if (is_held[i] || draw(3) == 0) {
		plain_access();
		return;
	}
	SHOW("has mutex %d again", i);
	is_held[i] = true;
	owners[i] = (int)current;
	oracle_acquire(current, &mutexes[i].released);
	states[current].status = RUNS;
	if (draw(2)) /* else it was cancelled */
		detect_waited(mutex_at(i));
}

static void reach_barrier(void)
{
	SHOW("reaches round %u", open_round);
	states[current].round_number = open_round;
	oracle_release(current, &rounds[open_round].all);
	states[current].round = detect_barrier_reached(barrier);
	states[current].status = AT_BARRIER;
	if (++rounds[open_round].reached == 2)
		open_round++;
}

static void leave_barrier(void)
{
	if (rounds[states[current].round_number].reached < 2)
		return;
	SHOW("leaves round %u", states[current].round_number);
	oracle_acquire(current, &rounds[states[current].round_number].all);
	detect_barrier_left(barrier, states[current].round);
	states[current].status = RUNS;
}

static uint32_t next_index = 1;
static void *const farewell = (void *)(PLACE_MAPPINGS + (2ul << 20));

static void create(void)
{
	if (live_count >= MAX_LIVE || thread_count == ORACLE_THREADS)
		return;
	unsigned new = thread_count++;
	SHOW("creates %u", new);
	/* A pthread_t is used again when its thread was joined, or has ended detached. */
	uintptr_t handle = PLACE_MAPPINGS + 0x100000;
	for (unsigned i = 0; i < new; i++)
		if (states[i].status != ABSENT && all_threads[i].handle == handle)
			handle += 4096, i = (unsigned)-1;
	all_threads[new].index = next_index++;
	all_threads[new].handle = handle;
	states[new].status = RUNS;
	oracle_create(new, current);
	all_threads[new].track = detect_thread_new(all_threads[new].index, false);
	live_count++;
}

static bool has_something(unsigned thread)
{
	for (int i = 0; i < LOCKS; i++)
		if ((is_held[i] && owners[i] == (int)thread) || writers[i] == (int)thread + 1 || readers[i][thread])
			return true;
	return false;
}

static void end(void)
{
	if (!current || has_something(current))
		return;
	SHOW("ends");
	states[current].status = draw(3) ? ENDED : ABSENT;
	if (states[current].status == ABSENT)
		detect_release_more(farewell); /* or else its slot is lost: it is acquired at the end of the program */
	detect_thread_end(all_threads[current].handle);
	live_count--;
}

static void join_one(void)
{
	unsigned joined = draw(thread_count);
	if (states[joined].status != ENDED)
		return;
	SHOW("joins %u", joined);
	oracle_join(current, joined);
	detect_joined(all_threads[joined].handle);
	states[joined].status = ABSENT;
}

static void step(void)
{
	if (states[current].status == WAITS) {
		go_on_waiting();
		return;
	}
	if (states[current].status == AT_BARRIER) {
		leave_barrier();
		return;
	}
	static void (*const doings[])(
		void) = { plain_access, plain_access, plain_access, atomic_access, atomic_access,  fence,
			  use_mutex,    use_mutex,    use_lock,     use_semaphore, wait_condition, reach_barrier,
			  create,       end,          join_one,     free_bytes,    make_block };
	doings[draw(sizeof doings / sizeof *doings)]();
}

static void run_program(void)
{
	oracle_reset();
	raced = 0;
	memset(states, 0, sizeof states);
	memset(mutexes, 0, sizeof mutexes);
	memset(locks, 0, sizeof locks);
	memset(semaphores, 0, sizeof semaphores);
	memset(atomics, 0, sizeof atomics);
	memset(rounds, 0, sizeof rounds);
	memset(is_held, 0, sizeof is_held);
	memset(writers, 0, sizeof writers);
	memset(readers, 0, sizeof readers);
	memset(posts, 0, sizeof posts);
	open_round = 0;
	thread_count = live_count = 1;
	index_base = next_index - 1;
	states[0].status = RUNS;
	detect_memory_new(place, 1 << 20);
	detect_memory_new(block, ORACLE_BYTES);
	access_forget_blocks((uintptr_t)block, ORACLE_BYTES);
	heap_set_maker(block, (struct heap_maker){ 0, 0 });
	detect_barrier_made(barrier, 2);
	for (step_number = 0; step_number < STEPS; step_number++) {
		do
			current = draw(thread_count);
		while (states[current].status == ABSENT || states[current].status == ENDED);
		detect_switched(all_threads[current].track);
		oracle_step(current);
		step();
	}
	/* All others end; the first one goes on into the next program, as if it had joined them. */
	for (current = 1; current < thread_count; current++) {
		if (states[current].status == ABSENT || states[current].status == ENDED)
			continue;
		detect_switched(all_threads[current].track);
		detect_thread_end(all_threads[current].handle);
	}
	detect_switched(all_threads[0].track);
	for (unsigned i = 1; i < thread_count; i++)
		detect_joined(all_threads[i].handle);
	detect_acquire(farewell);
	/* What it had is gone with the memory. */
	all_threads[0].track->held_count = 0;
	all_threads[0].track->again.lock = NULL;
}

/* The table of objects against an array. */
static void check_table(void)
{
	static bool is_present[4096];
	for (unsigned i = 0; i < 400000; i++) {
		unsigned at = draw(sizeof is_present), count = draw(4) ? 1 : 1 + draw(40), many = draw(500) ? 1 : 4096;
		if ((sync_find(place + at) != NULL) != is_present[at])
			wrong("an object is known that is not there, or not known although it is");
		switch (draw(4)) {
		case 0:
		case 1:
			is_present[at] = true;
			if (sync_need(place + at)->object != place + at)
				wrong("another object");
			break;
		case 2:
			is_present[at] = false;
			sync_forget(place + at);
			break;
		default:
			sync_forget_range((uintptr_t)place + at, count * many);
			for (unsigned j = at; j < at + count * many && j < sizeof is_present; j++)
				is_present[j] = false;
		}
	}
	for (unsigned at = 0; at < sizeof is_present; at++)
		if ((sync_find(place + at) != NULL) != is_present[at])
			wrong("an object is known that is not there, or not known although it is");
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	state = strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15ul + 1;
	unsigned programs = (unsigned)atoi(argv[2]);
	is_any = argc > 3;
	if (is_any)
		shapes[1].start = 16;
	if (getenv("DETECT_FUZZ_SHOW"))
		shown = (unsigned)atoi(getenv("DETECT_FUZZ_SHOW"));
	for (uint32_t i = 0; i < SITES; i++)
		numbers[i] = i;
	site_last = (struct site_range){ sites, SITES, 0, numbers, { 0 } };
	observed = &answers;
	all_threads[0].index = next_index++;
	if (mmap(place, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED ||
	    tally_start() < 0 || detect_start(all_threads[0].index, &all_threads[0].track) < 0)
		return 3;
	call_page = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (call_page == MAP_FAILED)
		return 3;
	struct object own = { .clones = (char *)call_page, .clones_end = (char *)call_page + 1 };
	maker_add_object(&own);
	detect_hooks(&hooks);
	block = heap_allocate(ORACLE_BYTES, 16);
	if (!block)
		return 3;
	call_code = detect_entries();
	if (call_code->end - call_code->start > 4096)
		return 3;
	memcpy(call_page + 4096, call_code->start, (size_t)(call_code->end - call_code->start));
	check_table();
	detect_memory_new(place, 1 << 20);
	for (program = 0; program < programs && (!is_crowded || is_any); program++)
		run_program();
	printf("%u programs, %lu accesses, %lu races, %lu with who made the block%s\n", program, accesses, races,
	       makings, is_crowded ? ", crowded" : "");
	return makings ? 0 : 1;
}
