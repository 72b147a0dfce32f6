/* operation.c: see operation.h. The table of all functions. */
#include "rt/enter/operation.h"

#include <errno.h>

#include "rt/enter/interpose.h"

static const char *const kind_names[OPERATION_KINDS] = {
	[OPERATION_NONE] = "none",
	[OPERATION_THREAD_CREATE] = "thread create",
	[OPERATION_THREAD_JOIN] = "thread join",
	[OPERATION_THREAD_DETACH] = "thread detach",
	[OPERATION_THREAD_EXIT] = "thread exit",
	[OPERATION_THREAD_CANCEL] = "thread cancel",
	[OPERATION_THREAD_TEST_CANCEL] = "thread test cancel",
	[OPERATION_THREAD_SET_NAME] = "thread set name",
	[OPERATION_THREAD_GET_NAME] = "thread get name",
	[OPERATION_MUTEX_INIT] = "mutex init",
	[OPERATION_MUTEX_LOCK] = "mutex lock",
	[OPERATION_MUTEX_UNLOCK] = "mutex unlock",
	[OPERATION_COND_WAIT] = "condition wait",
	[OPERATION_COND_SIGNAL] = "condition signal",
	[OPERATION_COND_BROADCAST] = "condition broadcast",
	[OPERATION_RWLOCK_INIT] = "read-write lock init",
	[OPERATION_RWLOCK_READ_LOCK] = "read lock",
	[OPERATION_RWLOCK_WRITE_LOCK] = "write lock",
	[OPERATION_RWLOCK_UNLOCK] = "read-write unlock",
	[OPERATION_SPIN_INIT] = "spin lock init",
	[OPERATION_SPIN_LOCK] = "spin lock",
	[OPERATION_SPIN_UNLOCK] = "spin unlock",
	[OPERATION_BARRIER_INIT] = "barrier init",
	[OPERATION_BARRIER_WAIT] = "barrier wait",
	[OPERATION_SEM_INIT] = "semaphore init",
	[OPERATION_SEM_WAIT] = "semaphore wait",
	[OPERATION_SEM_POST] = "semaphore post",
	[OPERATION_SEM_VALUE] = "semaphore value",
	[OPERATION_ONCE] = "once",
	[OPERATION_GUARD_ACQUIRE] = "static guard acquire",
	[OPERATION_GUARD_RELEASE] = "static guard release",
	[OPERATION_CATCH_BEGIN] = "catch begin",
	[OPERATION_CATCH_END] = "catch end",
	[OPERATION_EXCEPTION_RELEASE] = "exception release",
	[OPERATION_FILE_LOCK] = "file lock",
	[OPERATION_FILE_UNLOCK] = "file unlock",
	[OPERATION_EXIT_HANDLER] = "exit handler",
	[OPERATION_EXIT] = "exit",
	[OPERATION_SPAWN] = "spawn",
	[OPERATION_RANDOM] = "random device",
};

const char *operation_kind_name(enum operation_kind kind)
{
	return (unsigned)kind < OPERATION_KINDS ? kind_names[kind] : "none";
}

#define NONE OPERATION_NO_ARGUMENT
/* A function: kind, argument with the object, argument with the second object, success; then fields that only a few
 * functions set. */
#define ROW(function, kind_, object_, second_, success_, ...)                                                          \
	[INTERPOSE_##function] = { .name = #function,                                                                  \
				   .real = &interpose_reals[INTERPOSE_##function].address,                             \
				   .kind = OPERATION_##kind_,                                                          \
				   .object = object_,                                                                  \
				   .second = second_,                                                                  \
				   .success = SUCCESS_##success_,                                                      \
				   .number = INTERPOSE_##function,                                                     \
				   ##__VA_ARGS__ },
#define TRY(busy_) .is_try = true, .busy = busy_
#define TIMED .is_timed = true
/* One that takes the object and nothing else: this compiles for no other. */
#define ROW_OF_ONE(function, kind_, success_, ...)                                                                     \
	ROW(function, kind_, 0, NONE, success_, .is_single = sizeof(function(one)) == sizeof(int), ##__VA_ARGS__)

extern void *one; /* never used: what a pointer to any object is, for the compiler */

/* clang-format off */
const struct operation_row operation_rows[INTERPOSE_COUNT] = {
	ROW(pthread_create, THREAD_CREATE, 2, NONE, ZERO)
	ROW(pthread_join, THREAD_JOIN, 0, NONE, ZERO)
	ROW(pthread_tryjoin_np, THREAD_JOIN, 0, NONE, ZERO, TRY(EBUSY))
	ROW(pthread_timedjoin_np, THREAD_JOIN, 0, NONE, ZERO, TIMED)
	ROW(pthread_clockjoin_np, THREAD_JOIN, 0, NONE, ZERO, TIMED)
	ROW(pthread_detach, THREAD_DETACH, 0, NONE, ZERO)
	ROW(pthread_exit, THREAD_EXIT, NONE, NONE, ALWAYS)
	ROW(pthread_cancel, THREAD_CANCEL, 0, NONE, ZERO)
	ROW(pthread_testcancel, THREAD_TEST_CANCEL, NONE, NONE, ALWAYS, TRY(0))
	ROW(pthread_setname_np, THREAD_SET_NAME, 0, NONE, ZERO)
	ROW(pthread_getname_np, THREAD_GET_NAME, 0, NONE, ZERO)
	ROW(pthread_once, ONCE, 0, NONE, ZERO)
	ROW(pthread_mutex_init, MUTEX_INIT, 0, NONE, ZERO)
	ROW_OF_ONE(pthread_mutex_lock, MUTEX_LOCK, TAKEN)
	ROW_OF_ONE(pthread_mutex_trylock, MUTEX_LOCK, TAKEN, TRY(EBUSY))
	ROW(pthread_mutex_timedlock, MUTEX_LOCK, 0, NONE, TAKEN, TIMED)
	ROW(pthread_mutex_clocklock, MUTEX_LOCK, 0, NONE, TAKEN, TIMED)
	ROW_OF_ONE(pthread_mutex_unlock, MUTEX_UNLOCK, ZERO)
	ROW(pthread_cond_wait, COND_WAIT, 0, 1, ZERO)
	ROW(pthread_cond_timedwait, COND_WAIT, 0, 1, ZERO, TIMED)
	ROW(pthread_cond_clockwait, COND_WAIT, 0, 1, ZERO, TIMED)
	ROW_OF_ONE(pthread_cond_signal, COND_SIGNAL, ZERO)
	ROW_OF_ONE(pthread_cond_broadcast, COND_BROADCAST, ZERO)
	ROW(pthread_rwlock_init, RWLOCK_INIT, 0, NONE, ZERO)
	ROW_OF_ONE(pthread_rwlock_rdlock, RWLOCK_READ_LOCK, ZERO)
	ROW_OF_ONE(pthread_rwlock_tryrdlock, RWLOCK_READ_LOCK, ZERO, TRY(EBUSY))
	ROW(pthread_rwlock_timedrdlock, RWLOCK_READ_LOCK, 0, NONE, ZERO, TIMED)
	ROW(pthread_rwlock_clockrdlock, RWLOCK_READ_LOCK, 0, NONE, ZERO, TIMED)
	ROW_OF_ONE(pthread_rwlock_wrlock, RWLOCK_WRITE_LOCK, ZERO)
	ROW_OF_ONE(pthread_rwlock_trywrlock, RWLOCK_WRITE_LOCK, ZERO, TRY(EBUSY))
	ROW(pthread_rwlock_timedwrlock, RWLOCK_WRITE_LOCK, 0, NONE, ZERO, TIMED)
	ROW(pthread_rwlock_clockwrlock, RWLOCK_WRITE_LOCK, 0, NONE, ZERO, TIMED)
	ROW_OF_ONE(pthread_rwlock_unlock, RWLOCK_UNLOCK, ZERO)
	ROW(pthread_barrier_init, BARRIER_INIT, 0, NONE, ZERO)
	ROW_OF_ONE(pthread_barrier_wait, BARRIER_WAIT, ROUND)
	ROW(pthread_spin_init, SPIN_INIT, 0, NONE, ZERO)
	ROW_OF_ONE(pthread_spin_lock, SPIN_LOCK, ZERO)
	ROW_OF_ONE(pthread_spin_trylock, SPIN_LOCK, ZERO, TRY(EBUSY))
	ROW_OF_ONE(pthread_spin_unlock, SPIN_UNLOCK, ZERO)
	ROW(sem_init, SEM_INIT, 0, NONE, ZERO)
	ROW_OF_ONE(sem_wait, SEM_WAIT, ZERO)
	ROW_OF_ONE(sem_trywait, SEM_WAIT, ZERO, TRY(-1))
	ROW(sem_timedwait, SEM_WAIT, 0, NONE, ZERO, TIMED)
	ROW(sem_clockwait, SEM_WAIT, 0, NONE, ZERO, TIMED)
	ROW_OF_ONE(sem_post, SEM_POST, ZERO)
	ROW(sem_getvalue, SEM_VALUE, 0, NONE, ZERO)
	ROW(thrd_create, THREAD_CREATE, 1, NONE, ZERO)
	ROW(thrd_join, THREAD_JOIN, 0, NONE, ZERO)
	ROW(thrd_detach, THREAD_DETACH, 0, NONE, ZERO)
	ROW(thrd_exit, THREAD_EXIT, NONE, NONE, ALWAYS)
	ROW(call_once, ONCE, 0, NONE, ALWAYS)
	ROW(mtx_init, MUTEX_INIT, 0, NONE, ZERO)
	ROW_OF_ONE(mtx_lock, MUTEX_LOCK, ZERO)
	ROW_OF_ONE(mtx_trylock, MUTEX_LOCK, ZERO, TRY(thrd_busy))
	ROW(mtx_timedlock, MUTEX_LOCK, 0, NONE, ZERO, TIMED)
	ROW_OF_ONE(mtx_unlock, MUTEX_UNLOCK, ZERO)
	ROW(cnd_wait, COND_WAIT, 0, 1, ZERO)
	ROW(cnd_timedwait, COND_WAIT, 0, 1, ZERO, TIMED)
	ROW_OF_ONE(cnd_signal, COND_SIGNAL, ZERO)
	ROW_OF_ONE(cnd_broadcast, COND_BROADCAST, ZERO)
	ROW(__cxa_guard_acquire, GUARD_ACQUIRE, 0, NONE, ALWAYS)
	ROW(__cxa_guard_release, GUARD_RELEASE, 0, NONE, ALWAYS)
	ROW(__cxa_guard_abort, GUARD_RELEASE, 0, NONE, ALWAYS)
	ROW(__cxa_begin_catch, CATCH_BEGIN, 0, NONE, ALWAYS)
	ROW(__cxa_end_catch, CATCH_END, NONE, NONE, ALWAYS)
	ROW(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv, EXCEPTION_RELEASE, 0, NONE, ALWAYS)
	ROW(flockfile, FILE_LOCK, 0, NONE, ALWAYS)
	ROW(ftrylockfile, FILE_LOCK, 0, NONE, ZERO, TRY(1))
	ROW(funlockfile, FILE_UNLOCK, 0, NONE, ALWAYS)
	ROW(__cxa_atexit, EXIT_HANDLER, 0, NONE, ZERO)
	ROW(__cxa_at_quick_exit, EXIT_HANDLER, 0, NONE, ZERO)
	ROW(on_exit, EXIT_HANDLER, 0, NONE, ZERO)
	ROW(exit, EXIT, NONE, NONE, ALWAYS)
	ROW(quick_exit, EXIT, NONE, NONE, ALWAYS)
	ROW(posix_spawn, SPAWN, 1, NONE, ZERO)
	ROW(posix_spawnp, SPAWN, 1, NONE, ZERO)
	ROW(_ZNSt13random_device9_M_getvalEv, RANDOM, 0, NONE, ALWAYS)
};
/* clang-format on */
