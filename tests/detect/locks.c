/* locks.c: everything that only one thread has at a time. For each kind: all threads take it; one does not; each takes another
 * one. And what is peculiar to a kind. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <threads.h>
#include <time.h>

#include "case.h"

static const struct timespec never = { 4000000000, 0 }, at_once = { 0, 0 };
static volatile int x;

static pthread_mutex_t normal[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static pthread_mutex_t recursive[2] = { PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP };
static pthread_mutex_t checking[2] = { PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP };
static pthread_mutex_t adaptive[2] = { PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP, PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP };
static pthread_mutex_t inherit[2], robust[2], shared[2];
static pthread_rwlock_t rw[2] = { PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER };
static pthread_spinlock_t spin[2];
static sem_t sem[2];
static mtx_t mtx[2], mtx_again[2];
static FILE *files[2];

static void make(pthread_mutex_t *mutex, int protocol, int robustness, int sharing)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, protocol);
	pthread_mutexattr_setrobust(&attributes, robustness);
	pthread_mutexattr_setpshared(&attributes, sharing);
	for (int i = 0; i < 2; i++)
		pthread_mutex_init(&mutex[i], &attributes);
}

static void prepare(void)
{
	make(inherit, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED, PTHREAD_PROCESS_PRIVATE);
	make(robust, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST, PTHREAD_PROCESS_PRIVATE);
	make(shared, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED, PTHREAD_PROCESS_SHARED);
	for (int i = 0; i < 2; i++) {
		pthread_spin_init(&spin[i], 0);
		sem_init(&sem[i], 0, 1);
		mtx_init(&mtx[i], mtx_timed);
		mtx_init(&mtx_again[i], mtx_plain | mtx_recursive);
		files[i] = tmpfile();
	}
}

static void until(int result)
{
	if (result)
		abort();
}

/* KIND(name, take, give): with i the number of the lock. */
#define KIND(name, take, give)                                                                                         \
	static void name##_take(int i) { take; }                                                                       \
	static void name##_give(int i) { give; }                                                                       \
	BODY(name##_first) { name##_take(0); x++; name##_give(0); }                                                    \
	BODY(name##_second) { name##_take(1); x++; name##_give(1); }                                                   \
	BODY(name##_none) { x++; }                                                                                     \
	CASE(name) { prepare(); threads(name##_first, name##_first, name##_first); }                                   \
	CASE(name##_one) { prepare(); threads(name##_first, name##_none); }                                            \
	CASE(name##_other) { prepare(); threads(name##_first, name##_second); }

KIND(normal, until(pthread_mutex_lock(&normal[i])), pthread_mutex_unlock(&normal[i])) // @normal
KIND(try, while (pthread_mutex_trylock(&normal[i])), pthread_mutex_unlock(&normal[i])) // @try
KIND(timed, until(pthread_mutex_timedlock(&normal[i], &never)), pthread_mutex_unlock(&normal[i])) // @timed
KIND(clock, until(pthread_mutex_clocklock(&normal[i], CLOCK_MONOTONIC, &never)), pthread_mutex_unlock(&normal[i])) // @clock
KIND(recursive, until(pthread_mutex_lock(&recursive[i])), pthread_mutex_unlock(&recursive[i])) // @recursive
KIND(checking, until(pthread_mutex_lock(&checking[i])), pthread_mutex_unlock(&checking[i])) // @checking
KIND(adaptive, until(pthread_mutex_lock(&adaptive[i])), pthread_mutex_unlock(&adaptive[i])) // @adaptive
KIND(inherit, until(pthread_mutex_lock(&inherit[i])), pthread_mutex_unlock(&inherit[i])) // @inherit
KIND(robust, until(pthread_mutex_lock(&robust[i])), pthread_mutex_unlock(&robust[i])) // @robust
KIND(shared, until(pthread_mutex_lock(&shared[i])), pthread_mutex_unlock(&shared[i])) // @shared
KIND(write, until(pthread_rwlock_wrlock(&rw[i])), pthread_rwlock_unlock(&rw[i])) // @write
KIND(trywrite, while (pthread_rwlock_trywrlock(&rw[i])), pthread_rwlock_unlock(&rw[i])) // @trywrite
KIND(timedwrite, until(pthread_rwlock_timedwrlock(&rw[i], &never)), pthread_rwlock_unlock(&rw[i])) // @timedwrite
KIND(clockwrite, until(pthread_rwlock_clockwrlock(&rw[i], CLOCK_MONOTONIC, &never)), pthread_rwlock_unlock(&rw[i])) // @clockwrite
KIND(spin, until(pthread_spin_lock(&spin[i])), pthread_spin_unlock(&spin[i])) // @spin
KIND(tryspin, while (pthread_spin_trylock(&spin[i])), pthread_spin_unlock(&spin[i])) // @tryspin
KIND(sem, until(sem_wait(&sem[i])), sem_post(&sem[i])) // @sem
KIND(trysem, while (sem_trywait(&sem[i])), sem_post(&sem[i])) // @trysem
KIND(timedsem, until(sem_timedwait(&sem[i], &never)), sem_post(&sem[i])) // @timedsem
KIND(clocksem, until(sem_clockwait(&sem[i], CLOCK_MONOTONIC, &never)), sem_post(&sem[i])) // @clocksem
KIND(mtx, until(mtx_lock(&mtx[i])), mtx_unlock(&mtx[i])) // @mtx
KIND(trymtx, while (mtx_trylock(&mtx[i])), mtx_unlock(&mtx[i])) // @trymtx
KIND(timedmtx, until(mtx_timedlock(&mtx[i], &never)), mtx_unlock(&mtx[i])) // @timedmtx
KIND(againmtx, until(mtx_lock(&mtx_again[i])), mtx_unlock(&mtx_again[i])) // @againmtx
KIND(file, flockfile(files[i]), funlockfile(files[i])) // @file
KIND(tryfile, while (ftrylockfile(files[i])), funlockfile(files[i])) // @tryfile

/* Taken twice, given back once: still has it. */
BODY(twice)
{
	pthread_mutex_lock(&recursive[0]);
	pthread_mutex_lock(&recursive[0]);
	x++;
	pthread_mutex_unlock(&recursive[0]);
	x++;
	pthread_mutex_trylock(&recursive[0]);
	pthread_mutex_unlock(&recursive[0]);
	x++;
	pthread_mutex_unlock(&recursive[0]);
}
BODY(twice_then)
{
	pthread_mutex_lock(&recursive[0]);
	pthread_mutex_lock(&recursive[0]);
	pthread_mutex_unlock(&recursive[0]);
	pthread_mutex_unlock(&recursive[0]);
	x++; // @twice_then
}
CASE(again) { threads(twice, twice, twice); }
CASE(again_behind) { threads(twice_then, twice_then); }

/* A try that fails, or a time that has passed, orders nothing. */
static volatile int y;
BODY(holds) { y = 1; pthread_mutex_lock(&normal[0]); sched_yield(); pthread_mutex_unlock(&normal[0]); } // @holds
BODY(fails_try)
{
	if (pthread_mutex_trylock(&normal[0]) == EBUSY)
		y = 2; // @fails_try
	else
		pthread_mutex_unlock(&normal[0]);
}
BODY(fails_timed)
{
	if (pthread_mutex_timedlock(&normal[0], &at_once) == ETIMEDOUT)
		y = 2; // @fails_timed
	else
		pthread_mutex_unlock(&normal[0]);
}
CASE(failed_try) { threads(holds, fails_try); }
CASE(failed_timed) { threads(holds, fails_timed); }

/* Order goes through the lock even where the accesses are not inside: who comes second is behind. */
static volatile int done;
BODY(before)
{
	y = 1;
	pthread_mutex_lock(&normal[0]);
	done = 1;
	pthread_mutex_unlock(&normal[0]);
}
BODY(behind)
{
	pthread_mutex_lock(&normal[0]);
	int is_done = done;
	pthread_mutex_unlock(&normal[0]);
	if (is_done)
		y = 2;
}
BODY(behind_late)
{
	pthread_mutex_lock(&normal[0]);
	done = 1;
	pthread_mutex_unlock(&normal[0]);
	y = 1; // @behind_late
}
BODY(behind_early)
{
	pthread_mutex_lock(&normal[0]);
	int is_done = done;
	pthread_mutex_unlock(&normal[0]);
	if (is_done)
		y = 2; // @behind_early
}
CASE(passed_on) { threads(before, behind); }
CASE(passed_on_too_late) { threads(behind_late, behind_early); }

/* A lock that another thread gives back: the taker is behind it the next time. Spin locks and plain mutexes let it happen. */
static _Atomic int step;
#define HAND_OVER(name, take, give)                                                                                    \
	BODY(name##_taker)                                                                                             \
	{                                                                                                              \
		take;                                                                                                  \
		atomic_store_explicit(&step, 1, memory_order_relaxed);                                                 \
		take;                                                                                                  \
		x++;                                                                                                   \
		give;                                                                                                  \
	}                                                                                                              \
	BODY(name##_giver)                                                                                             \
	{                                                                                                              \
		while (atomic_load_explicit(&step, memory_order_relaxed) == 0)                                         \
			sched_yield();                                                                                 \
		x++;                                                                                                   \
		give;                                                                                                  \
	}                                                                                                              \
	CASE(name) { prepare(); threads(name##_taker, name##_giver); }
HAND_OVER(handed_spin, pthread_spin_lock(&spin[0]), pthread_spin_unlock(&spin[0])) // @handed_spin
HAND_OVER(handed_mutex, pthread_mutex_lock(&normal[0]), pthread_mutex_unlock(&normal[0])) // @handed_mutex

/* The owner of a robust mutex ends; the next one has to repair what it left. */
BODY(dies) { pthread_mutex_lock(&robust[0]); x++; }
BODY(repairs)
{
	int result = pthread_mutex_lock(&robust[0]);
	x++;
	if (result == EOWNERDEAD)
		pthread_mutex_consistent(&robust[0]);
	pthread_mutex_unlock(&robust[0]);
}
CASE(owner_died) { prepare(); threads(dies, repairs, repairs); }

/* Readers. */

BODY(reads)
{
	pthread_rwlock_rdlock(&rw[0]);
	(void)x;
	pthread_rwlock_unlock(&rw[0]);
}
BODY(reads_all_ways)
{
	pthread_rwlock_timedrdlock(&rw[0], &never);
	(void)x;
	while (pthread_rwlock_tryrdlock(&rw[0]))
		;
	pthread_rwlock_unlock(&rw[0]);
	(void)x;
	pthread_rwlock_unlock(&rw[0]);
	pthread_rwlock_clockrdlock(&rw[0], CLOCK_MONOTONIC, &never);
	(void)x;
	pthread_rwlock_unlock(&rw[0]);
}
BODY(writes)
{
	pthread_rwlock_wrlock(&rw[0]);
	x++;
	pthread_rwlock_unlock(&rw[0]);
}
BODY(writes_shared)
{
	pthread_rwlock_rdlock(&rw[0]);
	x = 1; // @writes_shared
	pthread_rwlock_unlock(&rw[0]);
}
CASE(readers_writer) { threads(reads, reads, reads_all_ways, writes, writes); }
CASE(reader_writes) { threads(writes_shared, writes_shared); }

/* Readers are not ordered among themselves, a writer behind them is. */
BODY(reader_tells)
{
	y = 1; // @reader_tells
	pthread_rwlock_rdlock(&rw[0]);
	pthread_rwlock_unlock(&rw[0]);
	atomic_store_explicit(&step, 1, memory_order_relaxed);
}
BODY(reader_hears)
{
	if (!atomic_load_explicit(&step, memory_order_relaxed))
		return;
	pthread_rwlock_rdlock(&rw[0]);
	y = 2; // @reader_hears
	pthread_rwlock_unlock(&rw[0]);
}
BODY(writer_hears)
{
	if (!atomic_load_explicit(&step, memory_order_relaxed))
		return;
	pthread_rwlock_wrlock(&rw[0]);
	y = 2;
	pthread_rwlock_unlock(&rw[0]);
}
CASE(reader_reader) { threads(reader_tells, reader_hears); }
CASE(reader_writer) { threads(reader_tells, writer_hears); }

/* From being a reader to being a writer there is no way but through giving it back, where others come between. */
BODY(upgrades)
{
	pthread_rwlock_rdlock(&rw[0]);
	(void)x;
	if (pthread_rwlock_trywrlock(&rw[0]) == 0)
		abort();
	pthread_rwlock_unlock(&rw[0]);
	pthread_rwlock_wrlock(&rw[0]);
	x++;
	pthread_rwlock_unlock(&rw[0]);
}
CASE(upgrade) { threads(upgrades, upgrades, reads); }

/* Many locks at once. */
static pthread_mutex_t many[100];
BODY(takes_many)
{
	for (int i = 0; i < 100; i++)
		pthread_mutex_lock(&many[i]);
	x++;
	for (int i = 0; i < 100; i++)
		pthread_mutex_unlock(&many[i]);
}
BODY(takes_last)
{
	pthread_mutex_lock(&many[99]);
	x++; // @takes_last
	pthread_mutex_unlock(&many[99]);
}
BODY(takes_first_of_many)
{
	for (int i = 0; i < 99; i++)
		pthread_mutex_lock(&many[i]);
	x++; // @takes_first_of_many
	for (int i = 0; i < 99; i++)
		pthread_mutex_unlock(&many[i]);
}
static void prepare_many(void)
{
	for (int i = 0; i < 100; i++)
		pthread_mutex_init(&many[i], NULL);
}
CASE(hundred) { prepare_many(); threads(takes_many, takes_last); }
CASE(hundred_not) { prepare_many(); threads(takes_first_of_many, takes_last); }

/* A lock that is made anew is another one: it does not know who had the old one. */
BODY(old_life)
{
	y = 1; // @old_life
	pthread_mutex_lock(&normal[0]);
	pthread_mutex_unlock(&normal[0]);
	pthread_mutex_destroy(&normal[0]);
	pthread_mutex_init(&normal[0], NULL);
	atomic_store_explicit(&step, 1, memory_order_relaxed);
}
BODY(new_life)
{
	if (!atomic_load_explicit(&step, memory_order_relaxed))
		return;
	pthread_mutex_lock(&normal[0]);
	pthread_mutex_unlock(&normal[0]);
	y = 2; // @new_life
}
CASE(made_anew) { threads(old_life, new_life); }

#define THREE(name) CHOICE(name), CHOICE(name##_one), CHOICE(name##_other)
CASES(THREE(normal), THREE(try), THREE(timed), THREE(clock), THREE(recursive), THREE(checking), THREE(adaptive),
      THREE(inherit), THREE(robust), THREE(shared), THREE(write), THREE(trywrite), THREE(timedwrite),
      THREE(clockwrite), THREE(spin), THREE(tryspin), THREE(sem), THREE(trysem), THREE(timedsem), THREE(clocksem),
      THREE(mtx), THREE(trymtx), THREE(timedmtx), THREE(againmtx), THREE(file), THREE(tryfile), CHOICE(again),
      CHOICE(again_behind), CHOICE(failed_try), CHOICE(failed_timed), CHOICE(passed_on), CHOICE(passed_on_too_late),
      CHOICE(handed_spin), CHOICE(handed_mutex), CHOICE(owner_died), CHOICE(readers_writer), CHOICE(reader_writes),
      CHOICE(reader_reader), CHOICE(reader_writer), CHOICE(upgrade), CHOICE(hundred), CHOICE(hundred_not),
      CHOICE(made_anew))

/*
 * case normal: none
 * case normal_one: normal-normal
 * case normal_other: normal-normal
 * case try: none
 * case try_one: try-try
 * case try_other: try-try
 * case timed: none
 * case timed_one: timed-timed
 * case timed_other: timed-timed
 * case clock: none
 * case clock_one: clock-clock
 * case clock_other: clock-clock
 * case recursive: none
 * case recursive_one: recursive-recursive
 * case recursive_other: recursive-recursive
 * case checking: none
 * case checking_one: checking-checking
 * case checking_other: checking-checking
 * case adaptive: none
 * case adaptive_one: adaptive-adaptive
 * case adaptive_other: adaptive-adaptive
 * case inherit: none
 * case inherit_one: inherit-inherit
 * case inherit_other: inherit-inherit
 * case robust: none
 * case robust_one: robust-robust
 * case robust_other: robust-robust
 * case shared: none
 * case shared_one: shared-shared
 * case shared_other: shared-shared
 * case write: none
 * case write_one: write-write
 * case write_other: write-write
 * case trywrite: none
 * case trywrite_one: trywrite-trywrite
 * case trywrite_other: trywrite-trywrite
 * case timedwrite: none
 * case timedwrite_one: timedwrite-timedwrite
 * case timedwrite_other: timedwrite-timedwrite
 * case clockwrite: none
 * case clockwrite_one: clockwrite-clockwrite
 * case clockwrite_other: clockwrite-clockwrite
 * case spin: none
 * case spin_one: spin-spin
 * case spin_other: spin-spin
 * case tryspin: none
 * case tryspin_one: tryspin-tryspin
 * case tryspin_other: tryspin-tryspin
 * case sem: none
 * case sem_one: sem-sem
 * case sem_other: sem-sem
 * case trysem: none
 * case trysem_one: trysem-trysem
 * case trysem_other: trysem-trysem
 * case timedsem: none
 * case timedsem_one: timedsem-timedsem
 * case timedsem_other: timedsem-timedsem
 * case clocksem: none
 * case clocksem_one: clocksem-clocksem
 * case clocksem_other: clocksem-clocksem
 * case mtx: none
 * case mtx_one: mtx-mtx
 * case mtx_other: mtx-mtx
 * case trymtx: none
 * case trymtx_one: trymtx-trymtx
 * case trymtx_other: trymtx-trymtx
 * case timedmtx: none
 * case timedmtx_one: timedmtx-timedmtx
 * case timedmtx_other: timedmtx-timedmtx
 * case againmtx: none
 * case againmtx_one: againmtx-againmtx
 * case againmtx_other: againmtx-againmtx
 * case file: none
 * case file_one: file-file
 * case file_other: file-file
 * case tryfile: none
 * case tryfile_one: tryfile-tryfile
 * case tryfile_other: tryfile-tryfile
 * case again: none
 * case again_behind: twice_then-twice_then
 * case failed_try: holds-fails_try
 * case failed_timed: holds-fails_timed
 * case passed_on: none
 * case passed_on_too_late: behind_late-behind_early
 * case handed_spin: none
 * case handed_mutex: none
 * case owner_died: none
 * case readers_writer: none
 * case reader_writes: writes_shared-writes_shared
 * case reader_reader: reader_tells-reader_hears
 * case reader_writer: none
 * case upgrade: none
 * case hundred: none
 * incomplete hundred: too many lock orders
 * case hundred_not: takes_first_of_many-takes_last
 * case made_anew: old_life-new_life
 */
