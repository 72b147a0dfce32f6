/* annotations.c: what programs tell: heddle/heddle.h, and what they tell ThreadSanitizer. */
#include <sched.h>
#include <stdatomic.h>

#include "case.h"
#include "heddle/heddle.h"

#define WEAK __attribute__((weak))
void AnnotateHappensBefore(const char *file, int line, const volatile void *object) WEAK;
void AnnotateHappensAfter(const char *file, int line, const volatile void *object) WEAK;
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *at, size_t size, const char *why) WEAK;
void AnnotateIgnoreReadsBegin(const char *file, int line) WEAK;
void AnnotateIgnoreReadsEnd(const char *file, int line) WEAK;
void AnnotateIgnoreWritesBegin(const char *file, int line) WEAK;
void AnnotateIgnoreWritesEnd(const char *file, int line) WEAK;
void AnnotateRWLockCreate(const char *file, int line, const volatile void *lock) WEAK;
void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, long is_write) WEAK;
void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long is_write) WEAK;
void AnnotateNewMemory(const char *file, int line, const volatile void *start, size_t size) WEAK;
void __tsan_acquire(void *object) WEAK;
void __tsan_release(void *object) WEAK;
void __tsan_mutex_pre_lock(void *lock, unsigned flags) WEAK;
void __tsan_mutex_post_lock(void *lock, unsigned flags, int recursion) WEAK;
int __tsan_mutex_pre_unlock(void *lock, unsigned flags) WEAK;
void __tsan_mutex_post_unlock(void *lock, unsigned flags) WEAK;

static volatile int x, y, object;
/* Synchronisation that cannot be seen: the order of these is relaxed. */
static _Atomic int step, lock;
static void tell(void) { atomic_store_explicit(&step, 1, memory_order_relaxed); }
static int is_told(void) { return atomic_load_explicit(&step, memory_order_relaxed); }
static void take(void) { while (atomic_exchange_explicit(&lock, 1, memory_order_relaxed)) sched_yield(); }
static void give(void) { atomic_store_explicit(&lock, 0, memory_order_relaxed); }

#define PASS(name, before, after)                                                                                      \
	BODY(name##_teller) { x = 1; before; tell(); }                                                                 \
	BODY(name##_hearer) { if (is_told()) { after; x = 2; } }                                                       \
	CASE(name) { threads(name##_teller, name##_hearer); }
PASS(nothing, (void)0, (void)0) // @nothing
PASS(heddle, heddle_happens_before(&object), heddle_happens_after(&object)) // @heddle
PASS(heddle_other, heddle_happens_before(&object), heddle_happens_after(&y)) // @heddle_other
PASS(dynamic, AnnotateHappensBefore("", 1, &object), AnnotateHappensAfter("", 1, &object)) // @dynamic
PASS(tsan, __tsan_release((void *)&object), __tsan_acquire((void *)&object)) // @tsan

#define LOCKED(name, taken, given)                                                                                     \
	BODY(name##_body) { take(); taken; x++; given; give(); }                                                       \
	CASE(name) { threads(name##_body, name##_body); }
LOCKED(lock_none, (void)0, (void)0) // @lock_none
LOCKED(lock_dynamic, AnnotateRWLockAcquired("", 1, &lock, 1), AnnotateRWLockReleased("", 1, &lock, 1)) // @lock_dynamic
LOCKED(lock_tsan, (__tsan_mutex_pre_lock(&lock, 0), __tsan_mutex_post_lock(&lock, 0, 0)), (__tsan_mutex_pre_unlock(&lock, 0), __tsan_mutex_post_unlock(&lock, 0))) // @lock_tsan

BODY(benign) { x++; } // @benign
CASE(benign_race) { heddle_benign_race(&x, sizeof x); threads(benign, benign); }
CASE(benign_dynamic) { AnnotateBenignRaceSized("", 1, &x, sizeof x, ""); threads(benign, benign); }
CASE(benign_other) { heddle_benign_race(&y, sizeof y); threads(benign, benign); }
/* Memory that was freed since is another object. */
static volatile int *volatile place;
BODY(uses_place) { *place = 1; } // @uses_place
CASE(benign_freed)
{
	int *first = malloc(2000), *volatile next = NULL;
	heddle_benign_race(first, 2000);
	free(first);
	for (int i = 0; i < 100000 && next != first; i++) {
		free(next);
		next = malloc(2000);
	}
	if (next != first)
		abort();
	place = next;
	threads(uses_place, uses_place);
}

/* A pool of the program's own gives memory that another thread had: it is new, also in a block of the heap. */
static volatile int *pooled;
BODY(pool_user) { *pooled = 1; tell(); } // @pool_user
BODY(pool_giver) { while (!is_told()) sched_yield(); AnnotateNewMemory("", 1, pooled, sizeof *pooled); *pooled = 2; }
BODY(pool_other) { while (!is_told()) sched_yield(); AnnotateNewMemory("", 1, pooled + 2, sizeof *pooled); *pooled = 2; } // @pool_other
CASE(new_memory) { pooled = malloc(64); threads(pool_user, pool_giver); }
CASE(new_memory_other) { pooled = malloc(64); threads(pool_user, pool_other); }

BODY(ignored) { heddle_ignore_begin(); heddle_ignore_begin(); heddle_ignore_end(); x++; heddle_ignore_end(); }
BODY(ignored_dynamic) { AnnotateIgnoreReadsBegin("", 1); AnnotateIgnoreWritesBegin("", 1); x++; AnnotateIgnoreWritesEnd("", 1); AnnotateIgnoreReadsEnd("", 1); }
BODY(plain) { x++; } // @plain
BODY(ignored_before) { heddle_ignore_begin(); heddle_ignore_end(); x++; } // @ignored_before
CASE(ignore) { threads(ignored, plain); }
CASE(ignore_dynamic) { threads(ignored_dynamic, plain); }
CASE(ignore_over) { threads(ignored_before, plain); }

CASES(CHOICE(nothing), CHOICE(heddle), CHOICE(heddle_other), CHOICE(dynamic), CHOICE(tsan), CHOICE(lock_none),
      CHOICE(lock_dynamic), CHOICE(lock_tsan), CHOICE(benign_race), CHOICE(benign_dynamic), CHOICE(benign_other),
      CHOICE(benign_freed), CHOICE(new_memory), CHOICE(new_memory_other), CHOICE(ignore), CHOICE(ignore_dynamic), CHOICE(ignore_over))

/*
 * case nothing: nothing-nothing
 * case heddle: none
 * case heddle_other: heddle_other-heddle_other
 * case dynamic: none
 * case tsan: none
 * case lock_none: lock_none-lock_none
 * case lock_dynamic: none
 * case lock_tsan: none
 * case benign_race: none
 * case benign_dynamic: none
 * case benign_other: benign-benign
 * case benign_freed: uses_place-uses_place
 * runs benign_freed: 5
 * case new_memory: none
 * case new_memory_other: pool_user-pool_other
 * case ignore: none
 * case ignore_dynamic: none
 * case ignore_over: plain-ignored_before
 */
