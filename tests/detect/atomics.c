/* atomics.c: which atomic accesses order what is around them (C11 5.1.2.4, 7.17.3, 7.17.4). data is plain; flag is read until
 * it has a value that shows that the writer was before, or not at all. */
#include <stdatomic.h>

#include "case.h"

static volatile int data;
static _Atomic int flag, other;
#define RELAXED memory_order_relaxed
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#define ACQ_REL memory_order_acq_rel
#define SEQ_CST memory_order_seq_cst

/* PASS(name, tell, is_heard): one thread writes data and tells; the other writes it when it has heard. */
#define PASS(name, tell, is_heard)                                                                                     \
	BODY(name##_teller) { data = 1; tell; }                                                                        \
	BODY(name##_hearer) { if (is_heard) data = 2; }                                                                \
	CASE(name) { threads(name##_teller, name##_hearer); }

#define LOAD(order) atomic_load_explicit(&flag, order)
#define STORE(value, order) atomic_store_explicit(&flag, value, order)

PASS(store_load, STORE(1, RELEASE), LOAD(ACQUIRE)) // @store_load
PASS(store_load_seq, flag = 1, flag) // @store_load_seq
PASS(store_relaxed, STORE(1, RELAXED), LOAD(ACQUIRE)) // @store_relaxed
PASS(load_relaxed, STORE(1, RELEASE), LOAD(RELAXED)) // @load_relaxed
PASS(both_relaxed, STORE(1, RELAXED), LOAD(RELAXED)) // @both_relaxed
PASS(exchange, atomic_exchange_explicit(&flag, 1, RELEASE), atomic_exchange_explicit(&flag, 0, ACQUIRE)) // @exchange
PASS(exchange_relaxed, atomic_exchange_explicit(&flag, 1, RELAXED), atomic_exchange_explicit(&flag, 0, ACQ_REL)) // @exchange_relaxed
PASS(exchange_no_acquire, atomic_exchange_explicit(&flag, 1, ACQ_REL), atomic_exchange_explicit(&flag, 0, RELEASE)) // @exchange_no_acquire
PASS(add, atomic_fetch_add_explicit(&flag, 1, RELEASE), LOAD(ACQUIRE)) // @add
PASS(add_acquire, atomic_fetch_add_explicit(&flag, 1, ACQUIRE), LOAD(ACQUIRE)) // @add_acquire
PASS(or_and, atomic_fetch_or_explicit(&flag, 1, ACQ_REL), atomic_fetch_and_explicit(&flag, 3, ACQ_REL)) // @or_and

/* Compare and exchange: the order for success and the one for failure. */
static inline __attribute__((always_inline)) int seen(int from, memory_order success, memory_order failure)
{
	__atomic_compare_exchange_n((int *)&flag, &from, 5, 0, success, failure);
	return from;
}
PASS(cas_done, STORE(1, RELEASE), __atomic_compare_exchange_n((int *)&flag, &(int){ 1 }, 5, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) // @cas_done
PASS(cas_done_relaxed, STORE(1, RELEASE), __atomic_compare_exchange_n((int *)&flag, &(int){ 1 }, 5, 0, __ATOMIC_RELAXED, __ATOMIC_ACQUIRE)) // @cas_done_relaxed
PASS(cas_failed, STORE(1, RELEASE), seen(9, __ATOMIC_RELAXED, __ATOMIC_ACQUIRE)) // @cas_failed
PASS(cas_failed_relaxed, STORE(1, RELEASE), seen(9, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) // @cas_failed_relaxed
PASS(cas_failed_seq, STORE(1, RELEASE), seen(9, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) // @cas_failed_seq
/* One that fails releases nothing. */
BODY(failing_teller)
{
	int from = 9;
	data = 1; // @failing_teller
	atomic_compare_exchange_strong_explicit(&flag, &from, 5, ACQ_REL, ACQUIRE);
	atomic_store_explicit(&other, 1, RELAXED);
}
BODY(failing_hearer)
{
	if (!atomic_load_explicit(&other, RELAXED))
		return;
	(void)LOAD(ACQUIRE);
	data = 2; // @failing_hearer
}
CASE(cas_failed_release) { threads(failing_teller, failing_hearer); }

/* Fences. */
PASS(fence_fence, atomic_thread_fence(RELEASE); STORE(1, RELAXED), LOAD(RELAXED) && (atomic_thread_fence(ACQUIRE), 1)) // @fence_fence
PASS(fence_acquire, atomic_thread_fence(RELEASE); STORE(1, RELAXED), LOAD(ACQUIRE)) // @fence_acquire
PASS(release_fence, STORE(1, RELEASE), LOAD(RELAXED) && (atomic_thread_fence(ACQUIRE), 1)) // @release_fence
PASS(fence_seq, atomic_thread_fence(SEQ_CST); STORE(1, RELAXED), LOAD(RELAXED) && (atomic_thread_fence(SEQ_CST), 1)) // @fence_seq
PASS(fence_acq_rel, atomic_thread_fence(ACQ_REL); STORE(1, RELAXED), LOAD(RELAXED) && (atomic_thread_fence(ACQ_REL), 1)) // @fence_acq_rel
PASS(fence_wrong_writer, atomic_thread_fence(ACQUIRE); STORE(1, RELAXED), LOAD(RELAXED) && (atomic_thread_fence(ACQUIRE), 1)) // @fence_wrong_writer
PASS(fence_wrong_reader, atomic_thread_fence(RELEASE); STORE(1, RELAXED), LOAD(RELAXED) && (atomic_thread_fence(RELEASE), 1)) // @fence_wrong_reader
PASS(fence_only_writer, atomic_thread_fence(SEQ_CST); STORE(1, RELAXED), LOAD(RELAXED)) // @fence_only_writer
PASS(fence_only_reader, STORE(1, RELAXED), LOAD(RELAXED) && (atomic_thread_fence(SEQ_CST), 1)) // @fence_only_reader
PASS(fence_too_late, STORE(1, RELAXED); atomic_thread_fence(RELEASE), LOAD(RELAXED) && (atomic_thread_fence(ACQUIRE), 1)) // @fence_too_late
PASS(fence_too_early, STORE(1, RELEASE), (atomic_thread_fence(ACQUIRE), LOAD(RELAXED))) // @fence_too_early
PASS(fence_signal, atomic_signal_fence(SEQ_CST); STORE(1, RELAXED), LOAD(RELAXED) && (atomic_signal_fence(SEQ_CST), 1)) // @fence_signal
PASS(fence_add, atomic_thread_fence(RELEASE); atomic_fetch_add_explicit(&flag, 1, RELAXED), atomic_fetch_add_explicit(&flag, 1, ACQUIRE)) // @fence_add
/* What is done behind the fence and before the store is not released. */
BODY(fence_between_teller)
{
	atomic_thread_fence(RELEASE);
	data = 1; // @fence_between_teller
	STORE(1, RELAXED);
}
BODY(fence_between_hearer)
{
	if (LOAD(ACQUIRE))
		data = 2; // @fence_between_hearer
}
CASE(fence_between) { threads(fence_between_teller, fence_between_hearer); }

/* A release sequence: read-modify-writes by anybody continue it. */
BODY(sequence_head) { data = 1; STORE(1, RELEASE); } // @sequence_head
BODY(sequence_rmw)
{
	int one = 1;
	atomic_compare_exchange_strong_explicit(&flag, &one, 2, RELAXED, RELAXED);
}
BODY(sequence_store)
{
	if (LOAD(RELAXED) == 1)
		STORE(2, RELAXED);
}
BODY(sequence_end)
{
	if (LOAD(ACQUIRE) == 2)
		data = 2; // @sequence_end
}
CASE(sequence) { threads(sequence_head, sequence_rmw, sequence_end); }
CASE(sequence_broken) { threads(sequence_head, sequence_store, sequence_end); }
/* A later store by the thread that heads it continues it, too (until C++17, and in C). */
BODY(sequence_own) { data = 1; STORE(1, RELEASE); STORE(2, RELAXED); }
CASE(sequence_same_thread) { threads(sequence_own, sequence_end); }

/* Three threads head a sequence by read-modify-writes; then one that is neither the first nor the last of them stores. */
static volatile int data2;
BODY(heads_1) { while (LOAD(RELAXED) != 0); atomic_fetch_add_explicit(&flag, 1, RELEASE); }
BODY(heads_2)
{
	while (LOAD(RELAXED) != 1)
		;
	data2 = 1;
	atomic_fetch_add_explicit(&flag, 1, RELEASE);
	while (LOAD(RELAXED) != 3)
		;
	STORE(10, RELAXED);
}
BODY(heads_3) { while (LOAD(RELAXED) != 2); atomic_fetch_add_explicit(&flag, 1, RELEASE); }
BODY(heads_end) { while (LOAD(ACQUIRE) != 10); data2 = 2; }
CASE(sequence_heads) { threads(heads_1, heads_2, heads_3, heads_end); }

/* A relaxed read-modify-write between a release and an acquire does not make its own thread ordered. */
BODY(rmw_between)
{
	int one = 1;
	if (atomic_compare_exchange_strong_explicit(&flag, &one, 2, RELAXED, RELAXED))
		data = 3; // @rmw_between
}
CASE(rmw_relaxed) { threads(sequence_head, rmw_between); }

/* Transitive: through a third thread. */
BODY(relay) { if (LOAD(ACQUIRE)) atomic_store_explicit(&other, 1, RELEASE); }
BODY(relay_relaxed) { if (LOAD(RELAXED)) atomic_store_explicit(&other, 1, RELEASE); }
BODY(relay_end) { if (atomic_load_explicit(&other, ACQUIRE)) data = 2; } // @relay_end
CASE(transitive) { threads(sequence_head, relay, relay_end); }
CASE(transitive_not) { threads(sequence_head, relay_relaxed, relay_end); }

/* Atomic accesses are in conflict with plain ones, not with each other. */
static int mixed;
BODY(mixed_atomic_write) { __atomic_store_n(&mixed, 1, __ATOMIC_RELAXED); } // @mixed_atomic_write
BODY(mixed_atomic_read) { (void)__atomic_load_n(&mixed, __ATOMIC_RELAXED); } // @mixed_atomic_read
BODY(mixed_add) { __atomic_fetch_add(&mixed, 1, __ATOMIC_RELAXED); } // @mixed_add
BODY(mixed_read) { (void)*(volatile int *)&mixed; } // @mixed_read
BODY(mixed_write) { *(volatile int *)&mixed = 2; } // @mixed_write
BODY(mixed_part) { ((volatile char *)&mixed)[1] = 2; } // @mixed_part
CASE(atomics_only) { threads(mixed_atomic_write, mixed_atomic_read, mixed_add); }
CASE(atomic_write_read) { threads(mixed_atomic_write, mixed_read); }
CASE(atomic_read_read) { threads(mixed_atomic_read, mixed_read); }
CASE(atomic_read_write) { threads(mixed_atomic_read, mixed_write); }
CASE(atomic_add_part) { threads(mixed_add, mixed_part); }
CASE(atomic_write_write) { threads(mixed_atomic_write, mixed_write); }
BODY(mixed_cas_fails) { int from = 77; __atomic_compare_exchange_n(&mixed, &from, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); } // @mixed_cas_fails
CASE(atomic_failed_read) { threads(mixed_cas_fails, mixed_read); }
CASE(atomic_failed_write) { threads(mixed_cas_fails, mixed_write); }

/* Of different sizes: what is released through a part of a word is acquired through the whole, and the other way round. */
static union {
	unsigned long whole;
	unsigned halves[2];
	unsigned char bytes[8];
} word;
PASS(size_half_whole, __atomic_store_n(&word.halves[1], 1, __ATOMIC_RELEASE), __atomic_load_n(&word.whole, __ATOMIC_ACQUIRE)) // @size_half_whole
PASS(size_whole_half, __atomic_store_n(&word.whole, 1ul << 32, __ATOMIC_RELEASE), __atomic_load_n(&word.halves[1], __ATOMIC_ACQUIRE)) // @size_whole_half
PASS(size_byte_half, __atomic_store_n(&word.bytes[6], 1, __ATOMIC_RELEASE), __atomic_load_n(&word.halves[1], __ATOMIC_ACQUIRE)) // @size_byte_half
PASS(size_add_whole, __atomic_fetch_add(&word.halves[1], 1, __ATOMIC_ACQ_REL), __atomic_load_n(&word.whole, __ATOMIC_ACQUIRE)) // @size_add_whole
PASS(size_fence, atomic_thread_fence(RELEASE); __atomic_store_n(&word.bytes[6], 1, __ATOMIC_RELAXED), __atomic_load_n(&word.whole, __ATOMIC_RELAXED) && (atomic_thread_fence(ACQUIRE), 1)) // @size_fence
/* Parts that do not overlap have nothing to do with each other. */
BODY(size_apart_teller)
{
	data = 1; // @size_apart_teller
	__atomic_store_n(&word.halves[0], 1, __ATOMIC_RELEASE);
	atomic_store_explicit(&other, 1, RELAXED);
}
BODY(size_apart_hearer)
{
	if (!atomic_load_explicit(&other, RELAXED))
		return;
	(void)__atomic_load_n(&word.halves[1], __ATOMIC_ACQUIRE);
	data = 2; // @size_apart_hearer
}
CASE(size_apart) { threads(size_apart_teller, size_apart_hearer); }

/* Sixteen bytes and more: the compiler calls libatomic. */
static __int128 wide __attribute__((aligned(16)));
static struct large { long v[5]; } large;
PASS(wide, __atomic_store_n(&wide, 1, __ATOMIC_RELEASE), __atomic_load_n(&wide, __ATOMIC_ACQUIRE)) // @wide
PASS(wide_relaxed, __atomic_store_n(&wide, 1, __ATOMIC_RELAXED), __atomic_load_n(&wide, __ATOMIC_RELAXED)) // @wide_relaxed
static int large_seen(void) { struct large copy; __atomic_load(&large, &copy, __ATOMIC_ACQUIRE); return copy.v[4] == 1; }
static void large_tell(void) { struct large l = { { 0, 0, 0, 0, 1 } }; __atomic_store(&large, &l, __ATOMIC_RELEASE); }
PASS(large, large_tell(), large_seen()) // @large

/* A lock of an atomic flag, and __sync. */
static atomic_flag lock = ATOMIC_FLAG_INIT;
static int sync_lock;
BODY(flag_lock) { while (atomic_flag_test_and_set_explicit(&lock, ACQUIRE)); data++; atomic_flag_clear_explicit(&lock, RELEASE); }
BODY(flag_lock_bad) { while (atomic_flag_test_and_set_explicit(&lock, ACQUIRE)); data++; atomic_flag_clear_explicit(&lock, RELAXED); } // @flag_lock_bad
BODY(sync_locked) { while (__sync_lock_test_and_set(&sync_lock, 1)); data++; __sync_lock_release(&sync_lock); }
CASE(spin_flag) { threads(flag_lock, flag_lock, flag_lock); }
CASE(spin_flag_bad) { threads(flag_lock_bad, flag_lock_bad); }
CASE(sync_builtin) { threads(sync_locked, sync_locked, sync_locked); }

/* Reference counts: release to give one up, an acquire fence for the last. */
static _Atomic int references;
static volatile int *object;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
BODY(counted) { pthread_mutex_lock(&m); object[0]++; pthread_mutex_unlock(&m); (void)object[1]; if (atomic_fetch_sub_explicit(&references, 1, RELEASE) == 1) { atomic_thread_fence(ACQUIRE); free((void *)object); } }
BODY(counted_relaxed) { (void)object[1]; if (atomic_fetch_sub_explicit(&references, 1, RELAXED) == 1) free((void *)object); } // @counted_relaxed
CASE(references) { references = 3; object = calloc(2, 4); threads(counted, counted, counted); }
CASE(references_relaxed) { references = 2; object = calloc(2, 4); threads(counted_relaxed, counted_relaxed); }

CASES(CHOICE(store_load), CHOICE(store_load_seq), CHOICE(store_relaxed), CHOICE(load_relaxed), CHOICE(both_relaxed),
      CHOICE(exchange), CHOICE(exchange_relaxed), CHOICE(exchange_no_acquire), CHOICE(add), CHOICE(add_acquire),
      CHOICE(or_and), CHOICE(cas_done), CHOICE(cas_done_relaxed), CHOICE(cas_failed), CHOICE(cas_failed_relaxed),
      CHOICE(cas_failed_seq), CHOICE(cas_failed_release), CHOICE(fence_fence), CHOICE(fence_acquire),
      CHOICE(release_fence), CHOICE(fence_seq), CHOICE(fence_acq_rel), CHOICE(fence_wrong_writer),
      CHOICE(fence_wrong_reader), CHOICE(fence_only_writer), CHOICE(fence_only_reader), CHOICE(fence_too_late),
      CHOICE(fence_too_early), CHOICE(fence_signal), CHOICE(fence_add), CHOICE(fence_between), CHOICE(sequence),
      CHOICE(sequence_broken), CHOICE(sequence_same_thread), CHOICE(sequence_heads), CHOICE(rmw_relaxed),
      CHOICE(transitive), CHOICE(transitive_not), CHOICE(atomics_only), CHOICE(atomic_write_read),
      CHOICE(atomic_read_read), CHOICE(atomic_read_write), CHOICE(atomic_add_part), CHOICE(atomic_write_write),
      CHOICE(atomic_failed_read), CHOICE(atomic_failed_write), CHOICE(size_half_whole), CHOICE(size_whole_half),
      CHOICE(size_byte_half), CHOICE(size_add_whole), CHOICE(size_fence), CHOICE(size_apart), CHOICE(wide),
      CHOICE(wide_relaxed), CHOICE(large), CHOICE(spin_flag), CHOICE(spin_flag_bad), CHOICE(sync_builtin),
      CHOICE(references), CHOICE(references_relaxed))

/*
 * flags: -latomic
 * case store_load: none
 * case store_load_seq: none
 * case store_relaxed: store_relaxed-store_relaxed
 * case load_relaxed: load_relaxed-load_relaxed
 * case both_relaxed: both_relaxed-both_relaxed
 * case exchange: none
 * case exchange_relaxed: exchange_relaxed-exchange_relaxed
 * case exchange_no_acquire: exchange_no_acquire-exchange_no_acquire
 * case add: none
 * case add_acquire: add_acquire-add_acquire
 * case or_and: none
 * case cas_done: none
 * case cas_done_relaxed: cas_done_relaxed-cas_done_relaxed
 * case cas_failed: none
 * case cas_failed_relaxed: cas_failed_relaxed-cas_failed_relaxed
 * case cas_failed_seq: none
 * case cas_failed_release: failing_teller-failing_hearer
 * case fence_fence: none
 * case fence_acquire: none
 * case release_fence: none
 * case fence_seq: none
 * case fence_acq_rel: none
 * case fence_wrong_writer: fence_wrong_writer-fence_wrong_writer
 * case fence_wrong_reader: fence_wrong_reader-fence_wrong_reader
 * case fence_only_writer: fence_only_writer-fence_only_writer
 * case fence_only_reader: fence_only_reader-fence_only_reader
 * case fence_too_late: fence_too_late-fence_too_late
 * case fence_too_early: fence_too_early-fence_too_early
 * case fence_signal: fence_signal-fence_signal
 * case fence_add: none
 * case fence_between: fence_between_teller-fence_between_hearer
 * case sequence: none
 * case sequence_broken: sequence_head-sequence_end
 * case sequence_same_thread: none
 * case sequence_heads: none
 * case rmw_relaxed: sequence_head-rmw_between
 * case transitive: none
 * case transitive_not: sequence_head-relay_end
 * case atomics_only: none
 * case atomic_write_read: mixed_atomic_write-mixed_read
 * case atomic_read_read: none
 * case atomic_read_write: mixed_atomic_read-mixed_write
 * case atomic_add_part: mixed_add-mixed_part
 * case atomic_write_write: mixed_atomic_write-mixed_write
 * case atomic_failed_read: none
 * case atomic_failed_write: mixed_cas_fails-mixed_write
 * case size_half_whole: none
 * case size_whole_half: none
 * case size_byte_half: none
 * case size_add_whole: none
 * case size_fence: none
 * case size_apart: size_apart_teller-size_apart_hearer
 * case wide: none
 * case wide_relaxed: wide_relaxed-wide_relaxed
 * case large: none
 * case spin_flag: none
 * case spin_flag_bad: flag_lock_bad-flag_lock_bad
 * case sync_builtin: none
 * case references: none
 * case references_relaxed: counted_relaxed-counted_relaxed
 */
