/*
 * recorder_test.c: the checks behind recorder.t: the recorder of guarded accesses against algorithm 1 of the paper, written as it
 * stands there. recorder_test CHECK [SEED]: exits 0 when the check passed.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parallel/history.h"
#include "parallel/own_stack.h"
#include "parallel/progress.h"
#include "parallel/recorder.h"

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			printf("line %d: %s\n", __LINE__, #condition);                                                 \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

#define CELLS 300u
#define PLACES 12u
#define THREADS 5u

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state % limit);
}

/* The last access, and the last one of another thread than that; place 0: none. */
struct slow {
	uint32_t place, thread, before;
};

static uint32_t slow_predecessor(const struct slow *cell, uint32_t thread)
{
	return cell->thread == thread ? cell->before : cell->place;
}

static void slow_update(struct slow *cell, uint32_t place, uint32_t thread)
{
	if (cell->thread != thread)
		cell->before = cell->place;
	cell->place = place;
	cell->thread = thread;
}

/* The predecessor that the recorder has, by asking with a set that has none; HEDDLE_GUARD_UNKNOWN: unknown, and then it was recorded. */
static uint32_t ask(uintptr_t address, uint32_t place, uint32_t thread)
{
	static const uint64_t none[(HEDDLE_GUARD_PLACES + 64) / 64];
	return recorder_access(address, place, thread, none);
}

/* A table so large that nothing gives way: every answer is that of the algorithm. */
static void check_exact(void)
{
	static struct slow cells[CELLS];
	uint64_t compared = 0;
	CHECK(recorder_start(22) == 0);
	for (uint32_t i = 0; i < 2000000; i++) {
		uint32_t number = random_below(CELLS), place = 1 + random_below(PLACES),
			 thread = 1 + random_below(THREADS);
		uintptr_t address = 0x500000000000 + number * HEDDLE_CELL_BYTES + random_below(HEDDLE_CELL_BYTES);
		struct slow *cell = &cells[number];
		if (random_below(50) == 0) {
			recorder_forget(0x500000000000 + number * HEDDLE_CELL_BYTES,
					HEDDLE_CELL_BYTES * (1 + random_below(3)) - 3);
			for (uint32_t k = number; k < number + 1; k++)
				cells[k] = (struct slow){ 0 };
			for (uint32_t k = number + 1; k < number + 3 && k < CELLS; k++) {
				/* Whether these were forgotten, too, is seen below: bring both to the same. */
				recorder_forget(0x500000000000 + k * HEDDLE_CELL_BYTES, 1);
				cells[k] = (struct slow){ 0 };
			}
		}
		uint32_t got = ask(address, place, thread);
		if (cell->place == place && cell->thread == thread) {
			CHECK(got == HEDDLE_GUARD_UNKNOWN); /* again */
			continue;
		}
		CHECK(got == slow_predecessor(cell, thread));
		CHECK(recorder_access(address, place, thread, NULL) == HEDDLE_GUARD_UNKNOWN);
		slow_update(cell, place, thread);
		compared++;
	}
	CHECK(compared > 1000000);
}

/* A small table: an answer is right or unknown, and what gave way is never nil again, also when it is forgotten. */
static void check_small(void)
{
	enum { MANY = 20000 };
	static struct slow cells[MANY];
	uint64_t known = 0, unknown = 0;
	CHECK(recorder_start(10) == 0);
	for (uint32_t i = 0; i < 1000000; i++) {
		uint32_t number = random_below(random_below(3) ? 400 : MANY), place = 1 + random_below(PLACES),
			 thread = 1 + random_below(THREADS);
		uintptr_t address = 0x500000000000 + number * HEDDLE_CELL_BYTES;
		struct slow *cell = &cells[number];
		if (random_below(20) == 0) {
			recorder_forget(address, HEDDLE_CELL_BYTES);
			*cell = (struct slow){ 0 };
		}
		uint32_t got = ask(address, place, thread);
		if (got == HEDDLE_GUARD_UNKNOWN) {
			unknown++;
		} else {
			CHECK(got == slow_predecessor(cell, thread));
			CHECK(recorder_access(address, place, thread, NULL) == HEDDLE_GUARD_UNKNOWN);
			known++;
		}
		slow_update(cell, place, thread);
	}
	CHECK(known > 10000 && unknown > 10000);
}

static void *hammer(void *argument)
{
	uint32_t thread = (uint32_t)(uintptr_t)argument;
	for (uint32_t i = 0; i < 300000; i++) {
		uintptr_t address = 0x500000000000 + i % 8 * HEDDLE_CELL_BYTES;
		recorder_access(address, thread, thread, NULL);
		/* A place belongs to one thread here: an entry that was torn would have a place of the own thread as its predecessor. */
		uint32_t got = ask(address, 100 + thread, thread);
		if (got == thread || got == 100 + thread)
			return "a thread is its own predecessor";
		if (i % 1000 == 0)
			recorder_forget(address, HEDDLE_CELL_BYTES);
	}
	return NULL;
}

static void check_threads(void)
{
	pthread_t threads[4];
	CHECK(recorder_start(12) == 0);
	for (uintptr_t i = 0; i < 4; i++)
		CHECK(pthread_create(&threads[i], NULL, hammer, (void *)(i + 1)) == 0);
	for (int i = 0; i < 4; i++) {
		void *wrong;
		CHECK(pthread_join(threads[i], &wrong) == 0);
		CHECK(!wrong || !printf("%s\n", (char *)wrong));
	}
}

static const struct heddle_history *find_history(const struct heddle_train *file, uint32_t site, const uint32_t *sites,
						 uint32_t count, uint32_t end)
{
	for (uint32_t i = 0; i < HEDDLE_HISTORIES; i++) {
		const struct heddle_history *history = &file->histories[i];
		if (history->is_ready && history->site == site && history->count == count && history->end == end &&
		    memcmp(history->sites, sites, count * sizeof *sites) == 0)
			return history;
	}
	return NULL;
}

static struct heddle_train *start_histories(void)
{
	struct heddle_train *file =
		mmap(NULL, sizeof *file, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	CHECK(file != MAP_FAILED && history_start(file) == 0);
	return file;
}

/* Announced, and not yet made. */
static void announce(uintptr_t address, uint32_t site, uint32_t thread)
{
	progress_next(thread);
	history_access(address, site, thread);
}

/* As a thread that goes on: what it announced at the cell was made. */
static void go_on(uintptr_t address, uint32_t site, uint32_t thread)
{
	progress_next(thread);
	history_made(address, site, thread);
}

static void access_made(uintptr_t address, uint32_t site, uint32_t thread)
{
	announce(address, site, thread);
	go_on(address, site, thread);
}

/* Fig. 3 of the paper: I1 by thread 1, I2 and I3 by thread 2, I4 by thread 1 ...: own accesses in between do not count. */
static void check_histories(void)
{
	struct heddle_train *file = start_histories();
	uintptr_t x = 0x500000000000;
	access_made(x, 1, 1);
	access_made(x, 2, 2);
	access_made(x, 3, 2);
	access_made(x, 3, 2); /* again: nothing new */
	access_made(x, 4, 1);
	access_made(x, 5, 1);
	access_made(x + HEDDLE_CELL_BYTES, 6, 3); /* another cell */
	access_made(x, 7, 3);
	CHECK(file->history_count == 7 && file->lost_histories == 0 && file->displaced == 0);
	CHECK(find_history(file, 1, NULL, 0, HEDDLE_HISTORY_NIL));
	CHECK(find_history(file, 2, (uint32_t[]){ 1 }, 1, HEDDLE_HISTORY_NIL));
	CHECK(find_history(file, 3, (uint32_t[]){ 1 }, 1, HEDDLE_HISTORY_NIL));
	CHECK(find_history(file, 4, (uint32_t[]){ 3, 2 }, 2, HEDDLE_HISTORY_NIL));
	CHECK(find_history(file, 5, (uint32_t[]){ 3, 2 }, 2, HEDDLE_HISTORY_NIL));
	CHECK(find_history(file, 6, NULL, 0, HEDDLE_HISTORY_NIL));
	CHECK(find_history(file, 7, (uint32_t[]){ 5, 4, 3, 2, 1 }, 5, HEDDLE_HISTORY_NIL));
	history_forget(x, 1, 0);
	access_made(x, 8, 2);
	CHECK(find_history(file, 8, NULL, 0, HEDDLE_HISTORY_NIL));
	/* More than the list holds: the rest is unknown, not nil. */
	for (uint32_t i = 0; i <= HEDDLE_HISTORY_SITES; i++)
		access_made(x, 100 + i, 10 + i);
	uint32_t latest[HEDDLE_HISTORY_SITES];
	for (uint32_t i = 0; i < HEDDLE_HISTORY_SITES; i++)
		latest[i] = 100 + HEDDLE_HISTORY_SITES - i;
	access_made(x, 200, 1);
	CHECK(find_history(file, 200, latest, HEDDLE_HISTORY_SITES, HEDDLE_HISTORY_UNKNOWN));
}

/* An access that was announced may be made much later. */
static void check_overlaps(void)
{
	struct heddle_train *file = start_histories();
	uintptr_t x = 0x500000000000, y = x + 4096, z = x + 8192, u = x + 12288, v = x + 16384, w = x + 20480;
	announce(x, 1, 1);
	access_made(x, 2, 2); /* before or after 1 */
	access_made(x, 3, 3); /* after 2, and maybe after 1 */
	go_on(x, 1, 1);       /* after nothing, 2 or 3 */
	CHECK(file->history_count == 0);
	access_made(x, 4, 3); /* after 1 and 2, of which either is the last */
	CHECK(file->history_count == 0);
	access_made(x, 5, 1); /* 2 and 3 were made by then, 3 last */
	CHECK(find_history(file, 5, (uint32_t[]){ 4, 3, 2 }, 3, HEDDLE_HISTORY_NIL));
	access_made(x, 6, 4);
	CHECK(find_history(file, 6, (uint32_t[]){ 5, 4, 3, 2, 1 }, 5, HEDDLE_HISTORY_NIL));

	/* A thread that makes the same access again and again has made the one before, so another comes after it. */
	announce(y, 10, 1);
	announce(y, 10, 1);
	CHECK(!find_history(file, 10, NULL, 0, HEDDLE_HISTORY_NIL));
	announce(y, 11, 2);
	CHECK(find_history(file, 10, NULL, 0, HEDDLE_HISTORY_NIL));
	/* It sees the other one when that was made, although it made the same access last. The other one comes after 10 in either order. */
	announce(y, 10, 1);
	go_on(y, 10, 1);
	announce(y, 10, 1);
	CHECK(!find_history(file, 10, (uint32_t[]){ 11 }, 1, HEDDLE_HISTORY_NIL));
	CHECK(!find_history(file, 11, (uint32_t[]){ 10 }, 1, HEDDLE_HISTORY_NIL));
	go_on(y, 11, 2);
	CHECK(find_history(file, 11, (uint32_t[]){ 10 }, 1, HEDDLE_HISTORY_NIL));
	announce(y, 10, 1);
	go_on(y, 10, 1);
	CHECK(find_history(file, 10, (uint32_t[]){ 11 }, 1, HEDDLE_HISTORY_NIL));

	/* A reader that is preempted before it reads what it needs: it does not come after nothing. */
	announce(w, 40, 1);
	access_made(w, 41, 2);
	go_on(w, 40, 1);
	CHECK(!find_history(file, 40, NULL, 0, HEDDLE_HISTORY_NIL));
	/* What ends waits no longer than the memory. */
	announce(w + 4, 40, 1);
	progress_next(1);
	history_forget(w + 4, 4, 2);
	CHECK(find_history(file, 40, NULL, 0, HEDDLE_HISTORY_NIL));

	/* Two threads at one site: whichever was last. */
	access_made(z, 20, 1);
	announce(z, 20, 2);
	access_made(z, 21, 3);
	CHECK(find_history(file, 21, (uint32_t[]){ 20 }, 1, HEDDLE_HISTORY_NIL));

	/* The one place of a list that is full goes on being unknown. */
	announce(u, 1, 1);
	for (uint32_t i = 0; i <= HEDDLE_HISTORY_SITES; i++)
		access_made(u, 100 + i, 10 + i);
	uint32_t before = file->history_count;
	access_made(u, 200, 3);
	CHECK(file->history_count == before + 1);

	/* A cell of a range was announced together with those before it. */
	progress_next(1);
	history_access(v, 30, 1);
	history_access(v + HEDDLE_CELL_BYTES, 30, 1);
	before = file->history_count;
	access_made(v, 31, 2);
	CHECK(file->history_count == before);
}

/* Arrays, wherever they are, find room: an eighth of a table is used. */
static void check_spread(void)
{
	struct heddle_train *file = start_histories();
	uint32_t all_lost = 0, all_count = 0;
	random_state = 1;
	for (int round = 0; round < 400; round++) {
		uintptr_t start = 0x555500000000 + ((uintptr_t)random_below(1u << 24) << 12);
		for (uintptr_t i = 0; i < 4000; i++)
			access_made(start + i * HEDDLE_CELL_BYTES, 1, 1);
		history_forget(start, 4000 * HEDDLE_CELL_BYTES, 1);
	}
	CHECK(file->displaced == 0);
	for (uint32_t bits = 12; bits <= 20; bits += 2)
		for (uint32_t stride = 1; stride <= 16; stride *= 2) {
			const uintptr_t start = 0x555500000000 + ((uintptr_t)random_below(1u << 24) << 12);
			const uint32_t count = (1u << bits) / 8;
			uint64_t everything = UINT64_MAX, none = 0;
			uint32_t lost = 0;
			CHECK(recorder_start(bits) == 0);
			for (uintptr_t i = 0; i < count; i++)
				recorder_access(start + i * stride * HEDDLE_CELL_BYTES, 1, 1, &everything);
			/* Nothing is allowed, so a violation is all that is known. */
			for (uintptr_t i = 0; i < count; i++)
				lost += recorder_access(start + i * stride * HEDDLE_CELL_BYTES, 2, 2, &none) != 1;
			CHECK(lost < count / 2);
			all_lost += lost, all_count += count;
		}
	CHECK(all_lost < all_count / 10);
}

static uint32_t stage, is_begun; /* of the thread below */

static void *begin_access(void *address)
{
	progress_begin_thread(1);
	announce((uintptr_t)address, 1, 1);
	__atomic_store_n(&is_begun, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&stage, __ATOMIC_ACQUIRE))
		;
	/* In a system call until it may end. */
	while (__atomic_load_n(&stage, __ATOMIC_ACQUIRE) == 1)
		syscall(SYS_futex, &stage, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
	return NULL;
}

/* What another thread announced last was made when it sleeps in a system call, and when it has ended. is_ended: which of both. is_met: there is another access
 * before that. */
static void check_looks_at(bool is_ended, bool is_met)
{
	struct heddle_train *file = start_histories();
	uintptr_t x = 0x500000000000;
	pthread_t thread;
	stage = is_begun = 0;
	CHECK(pthread_create(&thread, NULL, begin_access, (void *)x) == 0);
	while (!__atomic_load_n(&is_begun, __ATOMIC_ACQUIRE))
		sched_yield();
	if (is_met)
		access_made(x, 2, 2);
	CHECK(file->history_count == 0); /* it runs: not known */
	__atomic_store_n(&stage, is_ended ? 2 : 1, __ATOMIC_RELEASE);
	if (is_ended)
		CHECK(pthread_join(thread, NULL) == 0);
	/* The other order is as possible as before, but what comes from now on comes after both. */
	for (int i = 0; i < 5000 && !find_history(file, 2, (uint32_t[]){ 1 }, 1, HEDDLE_HISTORY_NIL); i++) {
		CHECK(!is_ended || i == 0);
		usleep(1000);
		access_made(x, 2, 2);
	}
	CHECK(find_history(file, 2, (uint32_t[]){ 1 }, 1, HEDDLE_HISTORY_NIL));
	CHECK(find_history(file, 1, NULL, 0, HEDDLE_HISTORY_NIL) == NULL || !is_met);
	CHECK(find_history(file, 1, NULL, 0, HEDDLE_HISTORY_NIL) != NULL || is_met || !is_ended);
	__atomic_store_n(&stage, 2, __ATOMIC_RELEASE);
	syscall(SYS_futex, &stage, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	if (!is_ended)
		CHECK(pthread_join(thread, NULL) == 0);
}

static void check_fork(void)
{
	int status;
	struct heddle_train *file = start_histories();
	const uintptr_t x = 0x500000000000;
	announce(x, 1, 1);
	CHECK(!progress_is_made(2, 1, progress_of(1)));
	pid_t child = fork();
	if (child == 0) {
		if (!progress_is_made(2, 1, 1))
			_exit(1);
		/* The child does not know that it was made, and the parent does. */
		access_made(x, 2, 2);
		_exit(find_history(file, 1, NULL, 0, HEDDLE_HISTORY_NIL) ? 2 : 0);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
	go_on(x, 1, 1);
	CHECK(find_history(file, 1, NULL, 0, HEDDLE_HISTORY_NIL));
}

static void check_looks(void)
{
	check_fork();
	check_looks_at(false, true);
	for (int i = 0; i < 20; i++)
		check_looks_at(true, i % 2 == 0);
}

static void *find_stack(void *argument)
{
	uintptr_t start, here = (uintptr_t)__builtin_frame_address(0);
	size_t size;
	(void)argument;
	own_stack_find(&start, &size);
	return here >= start && here < start + size && size >= 8192 ? NULL : "its own frame is not in it";
}

static void check_stack(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	void *wrong;
	CHECK(pthread_attr_init(&attributes) == 0);
	for (size_t size = 16384; size <= 16u << 20; size *= 4) {
		CHECK(pthread_attr_setstacksize(&attributes, size) == 0);
		CHECK(pthread_create(&thread, &attributes, find_stack, NULL) == 0);
		CHECK(pthread_join(thread, &wrong) == 0);
		CHECK(!wrong || !printf("%zu bytes: %s\n", size, (char *)wrong));
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*check)(void);
	} checks[] = { { "exact", check_exact },         { "small", check_small },       { "threads", check_threads },
		       { "histories", check_histories }, { "overlaps", check_overlaps }, { "looks", check_looks },
		       { "spread", check_spread },       { "stack", check_stack } };
	random_state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	for (size_t i = 0; argc > 1 && i < sizeof checks / sizeof *checks; i++)
		if (strcmp(argv[1], checks[i].name) == 0) {
			checks[i].check();
			return 0;
		}
	printf("no such check\n");
	return 1;
}
