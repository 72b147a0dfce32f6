/*
 * interpose.h: the functions of libc, and some of the C++ library, that the runtime interposes. It is loaded before
 * them, so what it exports wins. Each exported function is one jump through a slot. A slot holds the library's own
 * function, or what the mode puts there: a function of its own, or operation_function (operation.h). One list here
 * makes the exported functions, the slots, and the rows of operations; mk/lint.sh reads it, too. A new function is a
 * line here and a row in operation.c (of this folder), tested by a call in tests/unit/interpose_calls.c; a new kind of
 * operation also an enumerator in operation.h and a row in world/sync/operation.c. Only some functions need more: the
 * model of the static analysis (analysis/models/threads.c), what `heddle test --without` may skip
 * (campaign/skippable.c), and the list of functions that wait for a lock (parallel/waits.c). CONTRIBUTING.md has the details.
 *
 * Invariants:
 *  1. The first call of any of them, which may come from the dynamic linker before our constructor, fills all slots, for the
 *     mode that the environment asks for (rt/choose.h).
 *     Assured by tests/unit/interpose.t.
 *  2. Slots change once more at most, when the mode has started, while there is one thread.
 *     Assured by tests/unit/interpose.t.
 */
#ifndef RT_ENTER_INTERPOSE_H
#define RT_ENTER_INTERPOSE_H

#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <threads.h>
#include <unistd.h>

#include "rt/enter/lookup.h"

/* The malloc family. */
#define INTERPOSE_MEMORY(EACH)                                                                                         \
	EACH(malloc)                                                                                                   \
	EACH(calloc)                                                                                                   \
	EACH(realloc)                                                                                                  \
	EACH(reallocarray)                                                                                             \
	EACH(free)                                                                                                     \
	EACH(memalign)                                                                                                 \
	EACH(aligned_alloc)                                                                                            \
	EACH(posix_memalign)                                                                                           \
	EACH(valloc)                                                                                                   \
	EACH(pvalloc)                                                                                                  \
	EACH(malloc_usable_size)

/* The rest of it, in C++: apart, since a mode may leave them as they are. */
#define INTERPOSE_DELETES(EACH)                                                                                        \
	EACH(_ZdlPv)                                                                                                   \
	EACH(_ZdaPv)                                                                                                   \
	EACH(_ZdlPvm)                                                                                                  \
	EACH(_ZdaPvm)                                                                                                  \
	EACH(_ZdlPvRKSt9nothrow_t)                                                                                     \
	EACH(_ZdaPvRKSt9nothrow_t)                                                                                     \
	EACH(_ZdlPvSt11align_val_t)                                                                                    \
	EACH(_ZdaPvSt11align_val_t)                                                                                    \
	EACH(_ZdlPvmSt11align_val_t)                                                                                   \
	EACH(_ZdaPvmSt11align_val_t)                                                                                   \
	EACH(_ZdlPvSt11align_val_tRKSt9nothrow_t)                                                                      \
	EACH(_ZdaPvSt11align_val_tRKSt9nothrow_t)
#define INTERPOSE_OPERATORS(EACH)                                                                                      \
	EACH(_Znwm)                                                                                                    \
	EACH(_Znam)                                                                                                    \
	EACH(_ZnwmRKSt9nothrow_t)                                                                                      \
	EACH(_ZnamRKSt9nothrow_t)                                                                                      \
	EACH(_ZnwmSt11align_val_t)                                                                                     \
	EACH(_ZnamSt11align_val_t)                                                                                     \
	EACH(_ZnwmSt11align_val_tRKSt9nothrow_t)                                                                       \
	EACH(_ZnamSt11align_val_tRKSt9nothrow_t)                                                                       \
	INTERPOSE_DELETES(EACH)

/* Functions that only pass on to the kernel, or touch no other thread, are not here: the world serves their system
 * calls. */
#define INTERPOSE_THREADS(EACH)                                                                                        \
	EACH(pthread_create)                                                                                           \
	EACH(pthread_join)                                                                                             \
	EACH(pthread_tryjoin_np)                                                                                       \
	EACH(pthread_timedjoin_np)                                                                                     \
	EACH(pthread_clockjoin_np)                                                                                     \
	EACH(pthread_detach)                                                                                           \
	EACH(pthread_exit)                                                                                             \
	EACH(pthread_cancel)                                                                                           \
	EACH(pthread_testcancel)                                                                                       \
	EACH(pthread_setname_np)                                                                                       \
	EACH(pthread_getname_np)                                                                                       \
	EACH(pthread_once)                                                                                             \
	EACH(pthread_mutex_init)                                                                                       \
	EACH(pthread_mutex_lock)                                                                                       \
	EACH(pthread_mutex_trylock)                                                                                    \
	EACH(pthread_mutex_timedlock)                                                                                  \
	EACH(pthread_mutex_clocklock)                                                                                  \
	EACH(pthread_mutex_unlock)                                                                                     \
	EACH(pthread_cond_wait)                                                                                        \
	EACH(pthread_cond_timedwait)                                                                                   \
	EACH(pthread_cond_clockwait)                                                                                   \
	EACH(pthread_cond_signal)                                                                                      \
	EACH(pthread_cond_broadcast)                                                                                   \
	EACH(pthread_rwlock_init)                                                                                      \
	EACH(pthread_rwlock_rdlock)                                                                                    \
	EACH(pthread_rwlock_tryrdlock)                                                                                 \
	EACH(pthread_rwlock_timedrdlock)                                                                               \
	EACH(pthread_rwlock_clockrdlock)                                                                               \
	EACH(pthread_rwlock_wrlock)                                                                                    \
	EACH(pthread_rwlock_trywrlock)                                                                                 \
	EACH(pthread_rwlock_timedwrlock)                                                                               \
	EACH(pthread_rwlock_clockwrlock)                                                                               \
	EACH(pthread_rwlock_unlock)                                                                                    \
	EACH(pthread_barrier_init)                                                                                     \
	EACH(pthread_barrier_wait)                                                                                     \
	EACH(pthread_spin_init)                                                                                        \
	EACH(pthread_spin_lock)                                                                                        \
	EACH(pthread_spin_trylock)                                                                                     \
	EACH(pthread_spin_unlock)                                                                                      \
	EACH(sem_init)                                                                                                 \
	EACH(sem_wait)                                                                                                 \
	EACH(sem_trywait)                                                                                              \
	EACH(sem_timedwait)                                                                                            \
	EACH(sem_clockwait)                                                                                            \
	EACH(sem_post)                                                                                                 \
	EACH(sem_getvalue)                                                                                             \
	EACH(thrd_create)                                                                                              \
	EACH(thrd_join)                                                                                                \
	EACH(thrd_detach)                                                                                              \
	EACH(thrd_exit)                                                                                                \
	EACH(call_once)                                                                                                \
	EACH(mtx_init)                                                                                                 \
	EACH(mtx_lock)                                                                                                 \
	EACH(mtx_trylock)                                                                                              \
	EACH(mtx_timedlock)                                                                                            \
	EACH(mtx_unlock)                                                                                               \
	EACH(cnd_wait)                                                                                                 \
	EACH(cnd_timedwait)                                                                                            \
	EACH(cnd_signal)                                                                                               \
	EACH(cnd_broadcast)                                                                                            \
	EACH(__cxa_guard_acquire)                                                                                      \
	EACH(__cxa_guard_release)                                                                                      \
	EACH(__cxa_guard_abort)                                                                                        \
	EACH(__cxa_begin_catch)                                                                                        \
	EACH(__cxa_end_catch)                                                                                          \
	EACH(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv)                                                      \
	EACH(flockfile)                                                                                                \
	EACH(ftrylockfile)                                                                                             \
	EACH(funlockfile)                                                                                              \
	EACH(__cxa_atexit)                                                                                             \
	EACH(__cxa_at_quick_exit)                                                                                      \
	EACH(on_exit)                                                                                                  \
	EACH(exit)                                                                                                     \
	EACH(quick_exit)

#define INTERPOSE_PROCESS(EACH)                                                                                        \
	EACH(__libc_start_main)                                                                                        \
	EACH(posix_spawn)                                                                                              \
	EACH(posix_spawnp)                                                                                             \
	EACH(_ZNSt13random_device9_M_getvalEv)                                                                         \
	EACH(munmap)                                                                                                   \
	EACH(mremap)

#define INTERPOSE_ALL(EACH)                                                                                            \
	INTERPOSE_MEMORY(EACH) INTERPOSE_OPERATORS(EACH) INTERPOSE_THREADS(EACH) INTERPOSE_PROCESS(EACH)

/* Operators new and delete of C++, in all forms. */
void *_Znwm(size_t size);
void *_Znam(size_t size);
void *_ZnwmRKSt9nothrow_t(size_t size, const void *tag);
void *_ZnamRKSt9nothrow_t(size_t size, const void *tag);
void *_ZnwmSt11align_val_t(size_t size, size_t alignment);
void *_ZnamSt11align_val_t(size_t size, size_t alignment);
void *_ZnwmSt11align_val_tRKSt9nothrow_t(size_t size, size_t alignment, const void *tag);
void *_ZnamSt11align_val_tRKSt9nothrow_t(size_t size, size_t alignment, const void *tag);
/* With as many arguments as any of them has. */
void _ZdlPv(void *block, size_t second, size_t third);
void _ZdaPv(void *block, size_t second, size_t third);
void _ZdlPvm(void *block, size_t second, size_t third);
void _ZdaPvm(void *block, size_t second, size_t third);
void _ZdlPvRKSt9nothrow_t(void *block, size_t second, size_t third);
void _ZdaPvRKSt9nothrow_t(void *block, size_t second, size_t third);
void _ZdlPvSt11align_val_t(void *block, size_t second, size_t third);
void _ZdaPvSt11align_val_t(void *block, size_t second, size_t third);
void _ZdlPvmSt11align_val_t(void *block, size_t second, size_t third);
void _ZdaPvmSt11align_val_t(void *block, size_t second, size_t third);
void _ZdlPvSt11align_val_tRKSt9nothrow_t(void *block, size_t second, size_t third);
void _ZdaPvSt11align_val_tRKSt9nothrow_t(void *block, size_t second, size_t third);

/* libstdc++'s std::random_device::_M_getval(), which takes its numbers from the processor. */
unsigned _ZNSt13random_device9_M_getvalEv(void *self);

/* Of the C++ library: a local static variable is initialised once. */
int __cxa_guard_acquire(long long *guard);
void __cxa_guard_release(long long *guard);
void __cxa_guard_abort(long long *guard);

/* Of the C++ library: a handler of an exception begins and ends; std::exception_ptr::_M_release(). */
void *__cxa_begin_catch(void *thrown);
void __cxa_end_catch(void);
void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void *self);

/* libc's, called by atexit and at_quick_exit, which are linked into each program. No header has them. */
int __cxa_atexit(void (*function)(void *), void *argument, void *object);
int __cxa_at_quick_exit(void (*function)(void *), void *object);

/* libc's, called by the start files. No header has it. */
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
		      void (*rtld_fini)(void), void *stack_end);

#define INTERPOSE_INDEX(name) INTERPOSE_##name,
enum interpose_index { INTERPOSE_ALL(INTERPOSE_INDEX) INTERPOSE_COUNT };
#undef INTERPOSE_INDEX

#define INTERPOSE_ONE(name) +1
/* The malloc family is the first of the list, then the operators. */
enum {
	INTERPOSE_MEMORY_COUNT = 0 INTERPOSE_MEMORY(INTERPOSE_ONE),
	INTERPOSE_OPERATORS_END = INTERPOSE_MEMORY_COUNT INTERPOSE_OPERATORS(INTERPOSE_ONE)
};
#undef INTERPOSE_ONE

/* Never null once any slot was used or interpose_fill was called. What this libc does not have is a function that
 * returns ENOSYS. */
extern struct lookup interpose_reals[INTERPOSE_COUNT];

/* libc's own function: interpose_real(pthread_join)(thread, &result). */
#define interpose_real(name) ((__typeof__(&name))interpose_reals[INTERPOSE_##name].address)

/* Asks the mode again what the slots hold. For a mode that has started, before main and before there is a second thread. */
void interpose_fill(void);

#endif
