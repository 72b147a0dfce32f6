/* memory.c: what is freed, too small, or used again: errors that are seen in any order, and memory that has another life. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "case.h"

static volatile char *volatile block;
static volatile size_t size;
static _Atomic int step;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

/* In one thread. Tags with _8 and so on say how many bytes the access has. */
CASE(good) { block = malloc(13); block[12] = 1; (void)block[0]; free((void *)block); }
CASE(beyond) { block = malloc(13); block[13] = 1; } // @beyond
CASE(beyond_read) { block = malloc(16); (void)block[16]; } // @beyond_read
CASE(beyond_part) { block = malloc(13); *(volatile int *)(block + 12) = 1; } // @beyond_part
CASE(beyond_known) { block = malloc(13); block[12] = 1; *(volatile short *)(block + 12) = 1; } // @beyond_known
CASE(before) { block = malloc(64); block[-1] = 1; } // @before
CASE(zero_size) { block = malloc(0); block[0] = 1; } // @zero_size
CASE(beyond_far) { block = malloc(5000); block[5001] = 1; } // @beyond_far
CASE(beyond_large) { block = malloc(1 << 20); block[1 << 20] = 1; } // @beyond_large
CASE(beyond_calloc) { block = calloc(3, 5); (void)block[14]; (void)block[15]; } // @beyond_calloc
CASE(beyond_aligned) { block = aligned_alloc(64, 64); block[63] = 1; block[64] = 1; } // @beyond_aligned
CASE(freed_write) { block = malloc(8); block[3] = 1; free((void *)block); block[3] = 2; } // @freed_write
CASE(freed_read) { block = malloc(8); free((void *)block); (void)*(volatile long *)block; } // @freed_read
CASE(freed_large) { block = malloc(1 << 20); block[77] = 1; free((void *)block); (void)block[77]; } // @freed_large
CASE(realloc_moved)
{
	volatile char *old = malloc(8);
	old[0] = 1;
	block = realloc((void *)old, 100000);
	block[99999] = 1;
	(void)old[0]; // @realloc_moved
}
CASE(realloc_smaller)
{
	block = malloc(100);
	block[50] = 1;
	block = realloc((void *)block, 40);
	block[39] = 1;
	(void)block[50]; // @realloc_smaller
}
CASE(realloc_larger)
{
	block = malloc(100);
	block[50] = 1;
	block = realloc((void *)block, 104);
	block[103] = 1;
	block[104] = 1; // @realloc_larger
}
CASE(realloc_none) { block = malloc(8); block[0] = 1; if (realloc((void *)block, 0)) abort(); (void)block[0]; } // @realloc_none
CASE(range_beyond) { block = malloc(30); size = 31; memset((void *)block, 1, size); } // @range_beyond
CASE(range_good) { block = malloc(30); size = 30; memset((void *)block, 1, size); }
CASE(range_freed) { char to[64]; block = malloc(30); size = 30; free((void *)block); memcpy(to, (void *)block, size); if (to[0] == 99) abort(); } // @range_freed
CASE(range_from_beyond) { char to[64]; block = malloc(30); size = 33; memcpy(to, (void *)block, size); if (to[0] == 99) abort(); } // @range_from_beyond
CASE(free_inside) { block = malloc(8); free((void *)(block + 4)); size = 1; } // @free_inside
CASE(free_behind) { block = malloc(32); free((void *)(block + 32)); size = 1; } // @free_behind
CASE(free_never) { block = malloc(8); free((void *)(block + (1 << 20))); size = 1; } // @free_never
CASE(free_local) { volatile char here[64]; block = here; block[0] = 1; free((void *)block); size = here[0]; } // @free_local
CASE(free_inside_freed) { block = malloc(8); free((void *)block); free((void *)(block + 4)); size = 1; } // @free_inside_freed
CASE(resize_freed) { block = malloc(8); free((void *)block); block = realloc((void *)block, 100); size = 1; } // @resize_freed
CASE(resize_inside) { block = malloc(8); block = realloc((void *)(block + 4), 100); size = 1; } // @resize_inside
CASE(free_resized) { block = malloc(8); if (realloc((void *)block, 1000) == (void *)block) abort(); free((void *)block); size = 1; } // @free_resized
CASE(double_free) { block = malloc(8); free((void *)block); free((void *)block); size = 1; } // @double_free

/* Between threads. */
BODY(uses) { block[5] = 1; } // @uses
BODY(frees) { free((void *)block); } // @frees
CASE(used_freed) { block = malloc(8); threads(uses, frees); }
CASE(used_freed_large) { block = malloc(3 << 20); threads(uses, frees); }
BODY(makes_smaller) { if (realloc((void *)block, (3 << 20) - 9) != (void *)block) abort(); } // @makes_smaller
CASE(used_resized_large) { block = malloc(3 << 20); threads(uses, makes_smaller); }
BODY(frees_again) { free((void *)block); } // @frees_again
BODY(resizes) { block = realloc((void *)block, 1000); } // @resizes
CASE(freed_resized) { block = malloc(8); volatile char *old = block; threads(resizes); block = old; threads(frees_again); }
CASE(freed_twice) { block = malloc(8); threads(frees_again, frees_again); }
BODY(uses_locked) { pthread_mutex_lock(&m); if (block) block[5]++; pthread_mutex_unlock(&m); }
BODY(frees_locked) { pthread_mutex_lock(&m); free((void *)block); block = NULL; pthread_mutex_unlock(&m); }
CASE(used_freed_locked) { block = malloc(8); threads(uses_locked, frees_locked, uses_locked); }
/* Who frees it accesses nothing before that, and is seen all the same. */
static void *uses_argument(void *argument) { *(volatile char *)argument = 1; return NULL; } // @uses_argument
static void *frees_argument(void *argument) { pthread_mutex_lock(&m); free(argument); pthread_mutex_unlock(&m); return NULL; } // @frees_argument
CASE(used_freed_argument)
{
	pthread_t users[2];
	void *given = malloc(8);
	pthread_create(&users[0], NULL, uses_argument, given);
	pthread_create(&users[1], NULL, frees_argument, given);
	for (int i = 0; i < 2; i++)
		pthread_join(users[i], NULL);
}
/* Who frees has to be behind all that used it, not only behind the last. */
BODY(reads_first) { (void)block[0]; atomic_fetch_add_explicit(&step, 1, memory_order_relaxed); } // @reads_first
BODY(reads_second) { (void)block[0]; atomic_fetch_add_explicit(&step, 1, memory_order_release); }
BODY(frees_then) { while (atomic_load_explicit(&step, memory_order_acquire) != 2) sched_yield(); free((void *)block); } // @frees_then
CASE(readers_freed) { block = malloc(8); threads(reads_first, reads_second, frees_then); }

/* Who makes a block writes it: who comes to it must be behind that, whatever is done with it first. */
static char *_Atomic handed;
static int pipe_ends[2];
static char *take(memory_order order)
{
	char *got;
	while (!(got = atomic_load_explicit(&handed, order)))
		sched_yield();
	return got;
}
BODY(makes) { atomic_store_explicit(&handed, malloc(100), memory_order_relaxed); } // @makes
BODY(makes_zeroed) { atomic_store_explicit(&handed, calloc(1 << 20, 3), memory_order_relaxed); } // @makes_zeroed
BODY(makes_copy) { atomic_store_explicit(&handed, strdup("text"), memory_order_relaxed); } // @makes_copy
BODY(makes_larger)
{
	char *old = malloc(100);
	old[7] = 1;
	atomic_store_explicit(&handed, realloc(old, 104), memory_order_relaxed); // @makes_larger
}
BODY(writes_made) { ((volatile char *)take(memory_order_relaxed))[7] = 1; } // @writes_made
BODY(reads_made) { (void)((volatile char *)take(memory_order_relaxed))[3]; } // @reads_made
BODY(fills_made) { memset(take(memory_order_relaxed), number, 90); } // @fills_made
BODY(uses_much)
{
	volatile char *got = take(memory_order_relaxed);
	got[0] = 1; // @uses_much
	got[1] = 1;
	got[40] = 1;
	(void)got[50];
}
CASE(made_written) { threads(makes, writes_made); }
CASE(made_read) { threads(makes_zeroed, reads_made); }
CASE(made_filled) { threads(makes, fills_made); }
CASE(made_by_library) { threads(makes_copy, reads_made); }
CASE(made_larger) { threads(makes_larger, writes_made); }
CASE(made_used) { threads(makes, uses_much); }
BODY(makes_often)
{
	for (int i = 0; i < 50; i++) {
		volatile char *own = malloc(100);
		own[i]++;
		(void)own[99];
		free((void *)own);
	}
	atomic_store_explicit(&handed, malloc(100), memory_order_release);
}
BODY(uses_behind) { volatile char *got = take(memory_order_acquire); got[7] = 1; (void)got[8]; }
CASE(made_released) { threads(makes_often, uses_behind); }
BODY(makes_locked) { pthread_mutex_lock(&m); if (!block) block = malloc(100); block[number]++; pthread_mutex_unlock(&m); }
CASE(made_locked) { block = NULL; threads(makes_locked, makes_locked, makes_locked); }
BODY(sends) { char *made = malloc(100); if (write(pipe_ends[1], &made, sizeof made) < 0) abort(); }
BODY(receives) { volatile char *got; if (read(pipe_ends[0], &got, sizeof got) < 0) abort(); got[7] = 1; }
CASE(made_sent) { if (pipe(pipe_ends)) abort(); threads(sends, receives); }

/* The same memory in a new life: what was done in the old one does not matter. */
BODY(lives)
{
	for (int i = 0; i < 20000; i++) {
		volatile char *got = malloc(2700);
		got[0]++;
		got[2699]++;
		free((void *)got);
	}
}
CASE(again) { threads(lives, lives); }
BODY(lives_large)
{
	for (int i = 0; i < 60; i++) {
		volatile char *got = malloc(3 << 20);
		if (i % 3 != (int)number)
			got[i]++;
		free((void *)got);
	}
}
CASE(again_large) { threads(lives_large, lives_large); }

/* A mutex or an atomic in memory that was another object: it does not know who used the old one. */
struct object {
	pthread_mutex_t mutex;
	_Atomic int atomic;
	char rest[2000];
};
static volatile int x;
static struct object *object;
/* Freed blocks wait for a while. */
static struct object *new_object_at(struct object *old)
{
	for (int i = 0; i < 100000; i++) {
		struct object *volatile new = malloc(sizeof *new);
		if (new == old)
			return new;
		free(new);
	}
	abort();
}
BODY(old_object)
{
	x = 1; // @old_object
	pthread_mutex_lock(&object->mutex);
	pthread_mutex_unlock(&object->mutex);
	atomic_store_explicit(&object->atomic, 1, memory_order_release);
	free(object);
	new_object_at(object);
	object->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	atomic_init(&object->atomic, 0); // @atomic_init
	atomic_store_explicit(&step, 1, memory_order_relaxed);
}
BODY(new_mutex)
{
	while (!atomic_load_explicit(&step, memory_order_relaxed))
		sched_yield();
	pthread_mutex_lock(&object->mutex);
	pthread_mutex_unlock(&object->mutex);
	x = 2; // @new_mutex
}
BODY(new_atomic)
{
	while (!atomic_load_explicit(&step, memory_order_relaxed))
		sched_yield();
	(void)atomic_load_explicit(&object->atomic, memory_order_acquire); // @atomic_reads
	x = 2; // @new_atomic
}
static void new_object(void)
{
	object = malloc(sizeof *object);
	pthread_mutex_init(&object->mutex, NULL);
}
CASE(mutex_again) { new_object(); threads(old_object, new_mutex); }
CASE(atomic_again) { new_object(); threads(old_object, new_atomic); }

/* Mappings. */
#define ROOM (1ul << 20)
static volatile char *map(void *at, int flags)
{
	void *got = mmap(at, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
	if (got == MAP_FAILED)
		abort();
	return got;
}
static void touch(volatile char *at)
{
	for (size_t i = 0; i < ROOM; i += 4096)
		at[i]++; // @touch
}
static void *const fixed = (void *)0x150000000ul;
BODY(maps_fixed_hidden)
{
	while (atomic_exchange_explicit(&step, 1, memory_order_relaxed))
		sched_yield();
	touch(map(fixed, MAP_FIXED));
	munmap(fixed, ROOM);
	atomic_store_explicit(&step, 0, memory_order_relaxed);
}
BODY(maps_noreplace_hidden)
{
	while (atomic_exchange_explicit(&step, 1, memory_order_relaxed))
		sched_yield();
	touch(map(fixed, MAP_FIXED_NOREPLACE));
	munmap(fixed, ROOM);
	atomic_store_explicit(&step, 0, memory_order_relaxed);
}
BODY(maps_low_hidden)
{
	while (atomic_exchange_explicit(&step, 1, memory_order_relaxed))
		sched_yield();
	volatile char *at = map(NULL, MAP_32BIT);
	touch(at);
	munmap((void *)at, ROOM);
	atomic_store_explicit(&step, 0, memory_order_relaxed);
}
BODY(remaps_hidden)
{
	while (atomic_exchange_explicit(&step, 1, memory_order_relaxed))
		sched_yield();
	volatile char *at = map(NULL, 0);
	touch(at);
	touch(mremap((void *)at, ROOM, ROOM, MREMAP_MAYMOVE | MREMAP_FIXED, fixed));
	munmap(fixed, ROOM);
	atomic_store_explicit(&step, 0, memory_order_relaxed);
}
CASE(map_fixed) { threads(maps_fixed_hidden, maps_fixed_hidden); }
CASE(map_noreplace) { threads(maps_noreplace_hidden, maps_noreplace_hidden); }
CASE(map_low) { threads(maps_low_hidden, maps_low_hidden); }
CASE(map_moved) { threads(remaps_hidden, remaps_hidden); }
static volatile char *mapping;
BODY(touches_mapping) { touch(mapping); }
CASE(map_race) { mapping = map(NULL, 0); threads(touches_mapping, touches_mapping); }
CASE(map_race_shared)
{
	mapping = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	threads(touches_mapping, touches_mapping);
}
BODY(grows) { pthread_mutex_lock(&m); volatile char *at = sbrk(4096); at[0] = 1; sbrk(-4096); pthread_mutex_unlock(&m); }
CASE(breaks) { threads(grows, grows); }

CASES(CHOICE(good), CHOICE(beyond), CHOICE(beyond_read), CHOICE(beyond_part), CHOICE(beyond_known), CHOICE(before),
      CHOICE(zero_size), CHOICE(beyond_far), CHOICE(beyond_large), CHOICE(beyond_calloc), CHOICE(beyond_aligned),
      CHOICE(freed_write), CHOICE(freed_read), CHOICE(freed_large), CHOICE(realloc_moved), CHOICE(realloc_smaller),
      CHOICE(realloc_larger), CHOICE(realloc_none), CHOICE(range_beyond), CHOICE(range_good), CHOICE(range_freed),
      CHOICE(range_from_beyond), CHOICE(double_free), CHOICE(free_inside), CHOICE(free_behind),
      CHOICE(free_never), CHOICE(free_local), CHOICE(free_inside_freed), CHOICE(resize_freed), CHOICE(resize_inside),
      CHOICE(free_resized), CHOICE(freed_resized), CHOICE(used_freed), CHOICE(freed_twice),
      CHOICE(used_freed_large), CHOICE(used_freed_argument), CHOICE(used_resized_large), CHOICE(again_large),
      CHOICE(used_freed_locked), CHOICE(readers_freed), CHOICE(again), CHOICE(map_fixed),
      CHOICE(map_noreplace), CHOICE(map_low), CHOICE(map_moved), CHOICE(map_race), CHOICE(map_race_shared),
      CHOICE(breaks), CHOICE(mutex_again), CHOICE(atomic_again), CHOICE(made_written), CHOICE(made_read),
      CHOICE(made_filled), CHOICE(made_by_library), CHOICE(made_larger), CHOICE(made_used), CHOICE(made_released),
      CHOICE(made_locked), CHOICE(made_sent))

/*
 * case good: none
 * case beyond: beyond beyond
 * case beyond_read: beyond beyond_read
 * case beyond_part: beyond beyond_part
 * case beyond_known: beyond beyond_known
 * case before: never before
 * case zero_size: beyond zero_size
 * case beyond_far: beyond beyond_far
 * case beyond_large: beyond beyond_large
 * case beyond_calloc: beyond beyond_calloc
 * case beyond_aligned: beyond beyond_aligned
 * case freed_write: freed freed_write
 * case freed_read: freed freed_read
 * case freed_large: freed freed_large
 * case realloc_moved: freed realloc_moved
 * case realloc_smaller: beyond realloc_smaller
 * case realloc_larger: beyond realloc_larger
 * case realloc_none: freed realloc_none
 * case range_beyond: beyond range_beyond
 * case range_good: none
 * case range_freed: freed range_freed
 * case range_from_beyond: beyond range_from_beyond
 * case double_free: double double_free
 * case free_inside: bad free_inside
 * says free_inside: ^  that is 4 bytes into a block of 8 bytes at
 * case free_behind: bad free_behind
 * says free_behind: ^  thread 1 frees a pointer that is 32 bytes past the one that the allocation returned$
 * case free_never: bad free_never
 * case free_local: bad free_local
 * case free_inside_freed: bad free_inside_freed
 * says free_inside_freed: already freed at .*memory\.c:
 * case resize_freed: double resize_freed
 * says resize_freed: ^  thread 1 resizes memory that it has freed itself$
 * case resize_inside: bad resize_inside
 * case free_resized: double free_resized
 * case freed_resized: double frees_again
 * says freed_resized: ^  freed by thread [0-9]+ .*memory\.c:[0-9]+ in resizes
 * case used_freed: uses-frees; freed uses
 * case used_freed_large: uses-frees; freed uses
 * case used_freed_argument: uses_argument-frees_argument; freed uses_argument
 * says used_freed_argument: ^  thread [0-9]+ \(frees_argument\) frees
 * case used_resized_large: uses-makes_smaller
 * case freed_twice: double frees_again
 * case used_freed_locked: none
 * case readers_freed: reads_first-frees_then
 * case again: none
 * case again_large: none
 * case map_fixed: none
 * case map_noreplace: none
 * case map_low: none
 * case map_moved: none
 * case map_race: touch-touch
 * case map_race_shared: touch-touch
 * case breaks: none
 * case mutex_again: old_object-new_mutex
 * case atomic_again: old_object-new_atomic; atomic_init-atomic_reads
 * case made_written: makes-writes_made
 * says made_written: ^  thread [23] writes a block that thread [23] allocated, and nothing orders the two
 * says made_written: ^  thread [23] \(makes\) allocated it earlier at .*memory\.c:[0-9]+ in makes
 * case made_read: makes_zeroed-reads_made
 * case made_filled: fills_made-makes
 * case made_by_library: makes_copy-reads_made
 * case made_larger: makes_larger-writes_made
 * case made_used: makes-uses_much
 * case made_released: none
 * case made_locked: none
 * case made_sent: none
 * runs again: 10
 * runs again_large: 10
 * runs mutex_again: 20
 * runs atomic_again: 20
 */
