/*
 * heap_test.c: the checks behind heap.t. heap_test CHECK [ARGUMENTS]: exits 0 when the check passed, else says what was
 * wrong on standard output and exits 1.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "world/memory/heap.h"
#include "world/memory/malloc.h"
#include "world/world.h"

struct world world; /* not a forked child */
#include "world/world.h"
#include "world/schedule/strategy.h"

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			printf("line %d: %s\n", __LINE__, #condition);                                                 \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

static enum heap_fault last_fault;
static void *last_bad;
static uintptr_t last_code;
static bool last_resize;

int *world_errno(void)
{
	return &errno;
}

void ordered_free(const volatile void *start, size_t size_bytes, uintptr_t code)
{
	(void)start, (void)size_bytes, (void)code;
}

void world_bad_free(void *block, enum heap_fault fault, bool is_resize, uintptr_t code)
{
	last_resize = is_resize;
	last_bad = block;
	last_fault = fault;
	last_code = code;
}

static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state * 0x2545f4914f6cdd1dul >> 20) % limit;
}

/* The torture: a model of what must be true after every call. */
struct block {
	unsigned char *start;
	size_t size, room;
	uint64_t made, freed;
	unsigned char fill;
};

enum { LIVE_MAX = 3000, WAITING_MAX = 1 << 20 };
static const size_t quarantine_bytes = 1 << 20;
static struct block live[LIVE_MAX];
static size_t live_count;
static struct block *waiting; /* from waiting_first to waiting_end */
static size_t waiting_first, waiting_end, waiting_bytes;

/* By start of block: the number in the queue of those that wait, plus 1. */
static struct {
	void *start;
	size_t number;
} known[1 << 20];

static size_t *known_number(void *start)
{
	size_t i = ((uintptr_t)start >> 4) * 0x9e3779b97f4a7c15ul >> 44;
	while (known[i].start && known[i].start != start)
		i = (i + 1) % (1 << 20);
	known[i].start = start;
	return &known[i].number;
}

/* Large blocks only at their ends and here and there: their pages would cost too much. */
static size_t step_for(size_t size)
{
	return size <= 16384 ? 1 : size / 64;
}

static void block_fill(struct block *block)
{
	block->fill = (unsigned char)(1 + random_below(255));
	for (size_t i = 0; i < block->size; i += step_for(block->size))
		block->start[i] = (unsigned char)(block->fill + i);
	if (block->size)
		block->start[block->size - 1] = block->fill;
}

static void block_verify(const struct block *block, size_t size)
{
	size_t step = step_for(block->size);
	for (size_t i = 0; i + 1 < size && i + 1 < block->size; i += step)
		CHECK(block->start[i] == (unsigned char)(block->fill + i));
	if (block->size && size >= block->size)
		CHECK(block->start[block->size - 1] == block->fill);
}

static void block_find(struct block *block, enum heap_state state)
{
	struct heap_block found;
	size_t offset = block->size ? random_below(block->size) : 0;
	CHECK(heap_find(block->start + offset, &found));
	CHECK(found.start == block->start && found.size == block->size && found.state == state);
	CHECK(found.beyond == (block->size ? 0 : 1));
	CHECK(found.room > found.size);
	if (state == HEAP_FREED)
		CHECK(found.made == block->made && found.freed == block->freed && found.freed > found.made);
	else
		CHECK(found.freed == 0 && (!block->made || found.made == block->made));
	block->made = found.made;
	block->room = found.room;
	size_t beyond = 1 + random_below(found.room - found.size);
	CHECK(heap_find(block->start + block->size + beyond - 1, &found));
	CHECK(found.start == block->start && found.beyond == beyond);
}

static void block_add(void *start, size_t size, size_t alignment)
{
	CHECK(start && heap_owns(start) && (uintptr_t)start % alignment == 0);
	CHECK(control_malloc_usable_size(start) == size);
	CHECK(*known_number(start) == 0);
	struct block *block = &live[live_count++];
	*block = (struct block){ .start = start, .size = size };
	block_find(block, HEAP_LIVE);
	CHECK(block->made == heap_totals().calls);
	block_fill(block);
}

/* What the queue must do after a block was freed. */
static void block_wait(struct block block)
{
	block.freed = heap_totals().calls;
	block_find(&block, HEAP_FREED);
	if (block.room > quarantine_bytes)
		return;
	CHECK(waiting_end < WAITING_MAX);
	waiting[waiting_end++] = block;
	*known_number(block.start) = waiting_end;
	waiting_bytes += block.room;
	while (waiting_bytes > quarantine_bytes) {
		struct block *first = &waiting[waiting_first++];
		*known_number(first->start) = 0;
		waiting_bytes -= first->room;
		block_find(first, HEAP_FREED);
		if (first->room < 128 << 10)
			block_verify(first, first->size);
	}
	CHECK(heap_totals().waiting_bytes == waiting_bytes);
}

static size_t random_size(void)
{
	switch (random_below(200)) {
	case 0:
		return random_below(200) ? random_below(1 << 20) : random_below(40 << 20);
	case 1:
	case 2:
		return random_below(40000);
	case 3 ... 20:
		return random_below(5000);
	default:
		return random_below(300);
	}
}

static int compare_blocks(const void *a, const void *b)
{
	const struct block *x = a, *y = b;
	return x->start < y->start ? -1 : x->start > y->start;
}

static void verify_apart(void)
{
	qsort(live, live_count, sizeof(*live), compare_blocks);
	size_t bytes = 0;
	for (size_t i = 0; i < live_count; i++) {
		block_verify(&live[i], live[i].size);
		block_find(&live[i], HEAP_LIVE);
		bytes += live[i].room;
		if (i + 1 < live_count)
			CHECK(live[i].start + live[i].size < live[i + 1].start);
	}
	CHECK(heap_totals().live_bytes == bytes);
}

static void verify_faults(struct block *block)
{
	last_fault = HEAP_OK;
	control_free(block->start + 1 + random_below(block->room - 1));
	CHECK(last_fault == HEAP_INTERIOR);
	if (waiting_first == waiting_end)
		return;
	control_free(waiting[waiting_first + random_below(waiting_end - waiting_first)].start);
	CHECK(last_fault == HEAP_DOUBLE_FREE);
}

static void torture(uint64_t seed, size_t calls, size_t shown)
{
	uint64_t hash = 0;
	random_state = seed * 0x9e3779b97f4a7c15ul | 1;
	waiting = malloc(WAITING_MAX * sizeof(*waiting));
	heap_set_quarantine(quarantine_bytes);
	for (size_t i = 0; i < calls; i++) {
		size_t size = random_size(), alignment = 16;
		size_t which = live_count ? random_below(live_count) : 0;
		unsigned what = (unsigned)random_below(100);
		unsigned char *start = NULL;
		if (live_count < LIVE_MAX && (!live_count || what < 47)) {
			if (what < 5) {
				alignment = 1ul << random_below(random_below(20) ? 9 : 24);
				start = control_memalign(alignment, size);
			} else if (what < 12) {
				start = control_calloc(1, size);
				for (size_t k = 0; k < size; k += step_for(size))
					CHECK(start[k] == 0);
			} else {
				start = control_malloc(size);
			}
			block_add(start, size, alignment);
		} else if (what < 60) {
			struct block old = live[which];
			live[which] = live[--live_count];
			start = control_realloc(old.start, size);
			if (!size) {
				CHECK(!start);
				block_wait(old);
			} else {
				/* What was copied, before block_add writes over it. */
				struct block moved = old;
				moved.start = start;
				block_verify(&moved, size < old.size ? size : old.size);
				if (start == old.start) {
					*known_number(start) = 0;
					live[live_count++] = (struct block){ .start = start, .size = size };
					block_find(&live[live_count - 1], HEAP_LIVE);
					CHECK(live[live_count - 1].made > old.made);
					block_fill(&live[live_count - 1]);
				} else {
					block_wait(old);
					live[live_count++] = (struct block){ .start = start, .size = size };
					block_find(&live[live_count - 1], HEAP_LIVE);
					block_fill(&live[live_count - 1]);
				}
			}
		} else {
			struct block old = live[which];
			block_verify(&old, old.size);
			if (random_below(16) == 0)
				verify_faults(&old);
			live[which] = live[--live_count];
			control_free(old.start);
			block_wait(old);
		}
		hash = (hash ^ (uintptr_t)start) * 0x9e3779b97f4a7c15ul;
		if (i < shown)
			printf("%p\n", (void *)start);
		if (i % 65536 == 0)
			verify_apart();
	}
	verify_apart();
	printf("%016" PRIx64 " %zu\n", hash, heap_totals().live_bytes);
}

static void check_faults(void)
{
	struct heap_block found;
	char *a = control_malloc(100), *b = control_malloc(100000), *c = control_malloc(0);
	CHECK(c && c != control_malloc(0) && heap_usable(c) == 0);
	CHECK(heap_free(a + 16) == HEAP_INTERIOR && heap_free(a + 1) == HEAP_INTERIOR);
	CHECK(heap_free(a + 100) == HEAP_INTERIOR && heap_free(b + 99999) == HEAP_INTERIOR);
	CHECK(heap_free(a) == HEAP_OK && heap_free(a) == HEAP_DOUBLE_FREE && heap_check(a) == HEAP_DOUBLE_FREE);
	CHECK(heap_free(a + 16) == HEAP_INTERIOR);
	CHECK(heap_free(b) == HEAP_OK && heap_free(b) == HEAP_DOUBLE_FREE);
	CHECK(heap_free(a + 112) == HEAP_NOT_A_BLOCK);
	CHECK(heap_find(a + 112, &found) && found.state == HEAP_NEVER && found.start == a + 112 && !found.size);
	CHECK(heap_find(a + 103, &found) && found.state == HEAP_FREED && found.beyond == 4);
	for (uintptr_t at = PLACE_HEAP; at - PLACE_HEAP < PLACE_HEAP_ROOM; at += 37 * (1ul << 29) + 16) {
		CHECK(heap_free((void *)at) == HEAP_NOT_A_BLOCK && heap_usable((void *)at) == 0);
		CHECK(!heap_find((void *)at, &found) && heap_owns((void *)at));
	}
	CHECK(heap_free(NULL) == HEAP_NOT_A_BLOCK && heap_free(&found) == HEAP_NOT_A_BLOCK && !heap_owns(&found));
	CHECK(!heap_find((void *)-1, &found) && !heap_find(NULL, &found));
	control_free(a);
	CHECK(last_fault == HEAP_DOUBLE_FREE && last_bad == a && !last_resize &&
	      last_code - (uintptr_t)check_faults < 4096);
	errno = 0;
	last_bad = NULL;
	CHECK(!control_realloc(b, 5) && last_bad == b && last_resize && errno == ENOMEM);
	CHECK(last_code - (uintptr_t)check_faults < 4096);
}

/* Every size and alignment: what the block has, and that the bytes at both sides are nobody's. */
static void check_sizes(void)
{
	struct heap_block found;
	for (size_t size = 0; size < 300000; size += size < 5000 ? 1 : 173) {
		char *start = control_malloc(size);
		CHECK(start && (uintptr_t)start % 16 == 0 && heap_usable(start) == size);
		CHECK(heap_find(start + size, &found) && found.start == start && found.beyond == 1);
		CHECK(!heap_find(start - 1, &found) || found.beyond > 0);
		CHECK(found.room <= size + 17 + size / 8);
		size_t middle = size / 2;
		CHECK(!size || (heap_find(start + middle, &found) && found.start == start && !found.beyond));
		if (size % 3)
			control_free(start);
	}
	for (size_t alignment = 1; alignment <= 1ul << 34; alignment *= 2)
		for (size_t size = 0; size < 100000; size = size * 3 + 1) {
			char *start = heap_allocate(size, alignment);
			CHECK(start && (uintptr_t)start % alignment == 0 && heap_usable(start) == size);
			CHECK(heap_free(start) == HEAP_OK);
		}
}

/* A note of a large block lasts as long as its life, wherever in it the address was. */
static void check_notes(void)
{
	static const size_t sizes[] = { 40000, 3 << 20, 20 << 20 };
	char *small = control_malloc(100);
	CHECK(heap_is_noted(small));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		size_t size = sizes[i];
		char *block = control_malloc(size), *other = control_malloc(size);
		CHECK(block && other && !heap_is_noted(block) && !heap_is_noted(other));
		heap_note(block + size / 2);
		CHECK(heap_is_noted(block) && !heap_is_noted(other) && heap_usable(block) == size);
		CHECK(control_realloc(block, size - 5) == block && heap_is_noted(block) && heap_usable(block) == size - 5);
		CHECK(control_realloc(other, size - 5) == other && !heap_is_noted(other) && heap_usable(other) == size - 5);
		heap_set_quarantine(0);
		control_free(block);
		char *again = control_malloc(size);
		CHECK(again == block && !heap_is_noted(again) && heap_usable(again) == size);
		control_free(again);
		control_free(other);
	}
	heap_note((void *)16);
	heap_note(NULL);
}

static void check_huge(void)
{
	struct heap_block found;
	static const size_t wrong[] = { SIZE_MAX, SIZE_MAX - 4096, SIZE_MAX / 2, (size_t)1 << 47, HEAP_BLOCK_MAX + 1 };
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		errno = 0;
		CHECK(!control_malloc(wrong[i]) && errno == ENOMEM);
		errno = 0;
		CHECK(!control_calloc(1, wrong[i]) && errno == ENOMEM);
		errno = 0;
		CHECK(!control_realloc(NULL, wrong[i]) && errno == ENOMEM);
		errno = 0;
		CHECK(!control_memalign(4096, wrong[i]) && errno == ENOMEM);
		errno = 0;
		CHECK(!control_pvalloc(wrong[i]) && errno == ENOMEM);
	}
	/* Until the room is full; then again, after all were freed. */
	for (int turn = 0; turn < 2; turn++) {
		char *blocks[64];
		size_t count = 0;
		while ((blocks[count] = control_malloc(100ul << 30)) && count < 63)
			count++;
		CHECK(count > 10 && count < 63);
		for (size_t i = 0; i < count; i++) {
			blocks[i][0] = blocks[i][(100ul << 30) - 1] = 1;
			CHECK(heap_find(blocks[i] + (77ul << 30), &found) && found.start == blocks[i] && !found.beyond);
		}
		for (size_t i = 0; i < count; i++)
			CHECK(heap_free(blocks[i]) == HEAP_OK && heap_check(blocks[i]) == HEAP_DOUBLE_FREE);
		char *zero = control_calloc(1, 100ul << 30);
		CHECK(zero && !zero[0] && !zero[(100ul << 30) - 1]);
		zero[5] = 1;
		CHECK(heap_free(zero) == HEAP_OK);
		/* A late write must not be seen in a new block. */
		zero[6] = 1;
		char *again = control_calloc(100ul << 20, 1 << 10);
		CHECK(again == zero && !again[5] && !again[6]);
		CHECK(heap_free(again) == HEAP_OK);
	}
	CHECK(control_malloc(10));
}

static void check_quarantine(void)
{
	/* By default 1 MB waits, or a sixteenth of what is live. */
	char *first = control_malloc(1000);
	size_t freed = heap_totals().live_bytes, room = freed;
	memset(first, 7, 1000);
	control_free(first);
	while (heap_totals().waiting_bytes == freed) {
		freed += room;
		char *next = control_malloc(1000);
		CHECK(next != first);
		control_free(next);
	}
	CHECK(freed > 1 << 20 && freed <= (1 << 20) + room);
	CHECK(first[0] == 7 && first[999] == 7);
	CHECK(control_malloc(1000) == first);
	size_t live_bytes = 200ul << 20;
	CHECK(control_malloc(live_bytes));
	for (size_t i = 0; i < 100000; i++)
		control_free(control_malloc(1000));
	size_t waiting_now = heap_totals().waiting_bytes;
	CHECK(waiting_now > live_bytes / 16 && waiting_now < live_bytes / 15);
	heap_set_quarantine(5000);
	CHECK(heap_totals().waiting_bytes <= 5000);
	heap_set_quarantine(0);
	CHECK(heap_totals().waiting_bytes == 0);
	char *block = control_malloc(300);
	control_free(block);
	CHECK(control_malloc(300) == block);
}

static int foreign_freed;

static void foreign_free(void *block)
{
	(void)block;
	foreign_freed++;
}

static size_t foreign_usable(void *block)
{
	(void)block;
	return 6;
}

static void check_libc(void)
{
	void *out = &out;
	errno = 0;
	CHECK(!control_calloc(SIZE_MAX / 2, 3) && errno == ENOMEM);
	errno = 0;
	char *a = control_malloc(10);
	CHECK(!control_reallocarray(a, SIZE_MAX / 2, 3) && errno == ENOMEM && heap_usable(a) == 10);
	CHECK(heap_usable(control_reallocarray(NULL, 7, 9)) == 63);
	errno = 77;
	memcpy(a, "heddle", 7);
	CHECK(control_realloc(a, 15) == a && heap_usable(a) == 15);
	char *b = control_realloc(a, 5000);
	CHECK(b != a && !strcmp(b, "heddle") && heap_check(a) == HEAP_DOUBLE_FREE && heap_usable(b) == 5000);
	CHECK(control_realloc(b, 4000) == b && heap_usable(b) == 4000);
	char *c = control_realloc(b, 7);
	CHECK(c != b && !strcmp(c, "heddle") && heap_check(b) == HEAP_DOUBLE_FREE);
	CHECK(!control_realloc(c, 0) && heap_check(c) == HEAP_DOUBLE_FREE && errno == 77);
	control_free(NULL);
	CHECK(control_malloc_usable_size(NULL) == 0 && errno == 77 && !last_fault);

	CHECK(control_posix_memalign(&out, 0, 8) == EINVAL && control_posix_memalign(&out, 4, 8) == EINVAL);
	CHECK(control_posix_memalign(&out, 24, 8) == EINVAL && errno == 77 && out == &out);
	CHECK(control_posix_memalign(&out, 64, SIZE_MAX - 64) == ENOMEM && out == &out);
	CHECK(control_posix_memalign(&out, 8, 8) == 0 && out != &out && heap_usable(out) == 8);
	CHECK((uintptr_t)control_memalign(33, 1) % 64 == 0);
	errno = 0;
	CHECK(!control_memalign(SIZE_MAX, 1) && errno == EINVAL);
	CHECK((uintptr_t)control_aligned_alloc(1 << 16, 3) % (1 << 16) == 0);
	CHECK((uintptr_t)control_valloc(5) % 4096 == 0);
	out = control_pvalloc(4097);
	CHECK((uintptr_t)out % 4096 == 0 && heap_usable(out) == 8192);

	char foreign[] = "wovenx";
	control_free(foreign);
	CHECK(!control_realloc(foreign, 100) && control_malloc_usable_size(foreign) == 0);
	malloc_foreign_free = foreign_free;
	malloc_foreign_usable = foreign_usable;
	control_free(foreign);
	CHECK(foreign_freed == 1 && control_malloc_usable_size(foreign) == 6);
	a = control_realloc(foreign, 100);
	CHECK(foreign_freed == 2 && !memcmp(a, "wovenx", 6) && heap_usable(a) == 100);
	CHECK(!control_realloc(foreign, 0) && foreign_freed == 3 && !last_fault);
}

/* A handler at every instruction of the calls: what it allocates is no one else's, what it asks for is found. */
static char *anchor, *handler_block[4000];
static size_t handler_count, handler_steps;

static void handle_step(int number)
{
	struct heap_block found;
	(void)number;
	handler_steps++;
	if (!heap_find(anchor + 50, &found) || found.start != anchor || found.state != HEAP_LIVE)
		_exit(9);
	if (handler_steps % 29 || handler_count == 4000)
		return;
	char *block = heap_allocate(40, 16);
	if (!block)
		return;
	memset(block, 'h', 40);
	if (heap_usable(block) != 40 || !heap_find(block + 3, &found) || found.start != block)
		_exit(10);
	if (handler_steps % 2 && heap_free(block))
		_exit(11);
	/* What could not be freed here stays live. */
	if (heap_check(block) == HEAP_OK)
		handler_block[handler_count++] = block;
}

static void set_trap(bool is_on)
{
	if (is_on)
		__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::
					 : "cc", "memory");
	else
		__asm__ volatile(
			"lea -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::
				: "cc", "memory");
}

static void check_handlers(void)
{
	enum { COUNT = 250 };
	static char *mine[COUNT];
	struct sigaction action = { .sa_handler = handle_step };
	sigaction(SIGTRAP, &action, NULL);
	anchor = control_malloc(100);
	heap_set_quarantine(2000);
	for (size_t i = 0; i < COUNT; i++) {
		size_t size = i % 50 == 7 ? 50000 : 8 + i % 90;
		set_trap(true);
		mine[i] = heap_allocate(size, 16);
		if (i % 2)
			heap_free(mine[i]);
		set_trap(false);
		CHECK(mine[i]);
		if (i % 2 == 0)
			memset(mine[i], 'm', size);
	}
	size_t from_emergency = 0;
	for (size_t i = 0; i < handler_count; i++) {
		for (size_t k = 0; k < 40; k++)
			CHECK(handler_block[i][k] == 'h');
		for (size_t k = i + 1; k < handler_count; k++)
			CHECK(handler_block[i] != handler_block[k]);
	}
	for (size_t i = 0; i < handler_count; i++) {
		if ((uintptr_t)handler_block[i] < PLACE_HEAP + (256ul << 30) + 65536) {
			struct heap_block found;
			from_emergency++;
			CHECK(heap_find(handler_block[i] + 44, &found) && found.start == handler_block[i]);
			CHECK(found.beyond == 5 && heap_free(handler_block[i] + 8) == HEAP_INTERIOR);
			heap_free(handler_block[i]);
			CHECK(heap_free(handler_block[i]) == HEAP_DOUBLE_FREE);
		}
	}
	CHECK(handler_steps > 10000 && from_emergency > 50 && from_emergency < handler_count);
	for (size_t i = 0; i < COUNT; i += 2)
		for (size_t k = 0; k < 8; k++)
			CHECK(mine[i][k] == 'm');
}

/* How many pages of the heap are in memory. */
static size_t pages_touched(void)
{
	char line[256];
	size_t kilobytes = 0, size;
	uintptr_t start = 0, value;
	FILE *file = fopen("/proc/self/smaps", "r");
	CHECK(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%*x ", &value) == 1)
			start = value;
		if (sscanf(line, "Rss: %zu", &size) == 1 && heap_owns((void *)start))
			kilobytes += size;
	}
	fclose(file);
	return kilobytes / 4;
}

/* What a small program does: few pages are written for it. */
static void check_pages(void)
{
	static const size_t sizes[] = {
		8, 16, 24, 24, 32, 40, 48, 56, 64, 72, 100, 128, 200, 256, 272, 400, 552, 1024
	};
	for (size_t turn = 0; turn < 3; turn++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
			memset(control_malloc(sizes[i]), 1, sizes[i]);
	size_t touched = pages_touched();
	printf("%zu pages\n", touched);
	CHECK(touched <= 9);
	char *large = control_malloc(200 << 20);
	large[0] = large[100 << 20] = 1;
	CHECK(pages_touched() <= touched + 3);
	control_free(large);
	CHECK(pages_touched() <= touched + 3);
	control_calloc(1, 32000);
	CHECK(pages_touched() <= touched + 4);
	heap_set_quarantine(1000);
	for (size_t i = 0; i < 1000; i++)
		control_free(memset(control_malloc(50), 1, 50));
	CHECK(pages_touched() <= touched + 6);
}

/* A limit on the address space is no reason to fail. */
static void check_limits(void)
{
	struct rlimit limit = { 64 << 20, 64 << 20 };
	CHECK(!setrlimit(RLIMIT_AS, &limit) && !setrlimit(RLIMIT_DATA, &limit));
	CHECK(heap_start() == 0 && heap_start() == 0);
	size_t count = 0;
	char *last = NULL, *block;
	while ((block = control_malloc(1000))) {
		memset(block, 1, 1000);
		last = block;
		count++;
	}
	CHECK(count > 20000 && count < 64000);
	control_free(last);
	heap_set_quarantine(0);
	CHECK(control_malloc(1000) == last);
	CHECK(!control_malloc(100 << 20) && control_malloc(16));
}

static double now_ns(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Nanoseconds for a pair of calls: one size in a loop, many sizes with many live blocks, and looking one up. */
static void speed(void *(*allocate)(size_t), void (*release)(void *))
{
	enum { PAIRS = 3000000, KEPT = 1000 };
	void *kept[KEPT] = { NULL };
	for (int turn = 0; turn < 2; turn++) {
		double start = now_ns();
		for (int i = 0; i < PAIRS; i++) {
			void *block = allocate(48);
			__asm__ volatile("" ::"r"(block) : "memory");
			release(block);
		}
		double one = now_ns() - start;
		random_state = 12345;
		start = now_ns();
		for (int i = 0; i < PAIRS; i++) {
			uint64_t choice = random_below(1 << 30);
			void **at = &kept[choice % KEPT];
			release(*at);
			*at = allocate(8 + (choice >> 12) % 500);
		}
		double many = now_ns() - start;
		start = now_ns();
		struct heap_block found;
		uint64_t sum = 0;
		for (int i = 0; i < PAIRS; i++)
			sum += heap_find((char *)kept[i % KEPT] + 5, &found) ? found.size : 0;
		printf("one size %.1f, many %.1f, find %.1f ns%s\n", one / PAIRS, many / PAIRS,
		       (now_ns() - start) / PAIRS, sum ? "" : " ");
	}
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	static const struct {
		const char *name;
		void (*check)(void);
	} checks[] = {
		{ "faults", check_faults },         { "sizes", check_sizes },   { "huge", check_huge },
		{ "quarantine", check_quarantine }, { "libc", check_libc },     { "handlers", check_handlers },
		{ "pages", check_pages },           { "limits", check_limits }, { "notes", check_notes },
	};
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
		if (!strcmp(name, checks[i].name)) {
			checks[i].check();
			return 0;
		}
	if (!strcmp(name, "torture") && argc == 5) {
		torture(strtoul(argv[2], NULL, 0), strtoul(argv[3], NULL, 0), strtoul(argv[4], NULL, 0));
	} else if (!strcmp(name, "speed")) {
		printf("heap: ");
		speed(control_malloc, control_free);
		heap_set_quarantine(256 << 10);
		printf("heap, 256 KB waiting: ");
		speed(control_malloc, control_free);
		printf("libc: ");
		speed(malloc, free);
	} else {
		fprintf(stderr, "usage: heap_test CHECK | torture SEED CALLS SHOWN | speed\n");
		return 2;
	}
	return 0;
}
