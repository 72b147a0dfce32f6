/*
 * sync_priv.h: what control does with operations (rt/enter/operation.h). Each kind has a row in world/sync/operation.c: the event that is
 * announced, then `before`, then the real function unless `before` returned true (it did the work), then `after`, which also runs when the real function is left by a
 * cancellation or an exception (operation->end says so).
 */
#ifndef WORLD_SYNC_SYNC_PRIV_H
#define WORLD_SYNC_SYNC_PRIV_H

#include "rt/enter/operation.h"
#include "rt/observe.h"
#include "world/functions.h"
#include "world/sync/sync.h"

/* The event of an operation: what it is about, and where the program called. */
static inline void announce(const struct operation *operation, enum heddle_event_kind kind)
{
	world_event(kind, operation_object(operation), operation->code);
}

/* What an operation acquired is the thread's: it is in the locks that the thread holds. */
static inline void note_locked(const struct operation *operation, enum lock_mode mode)
{
	if (operation_succeeded(operation))
		observe_locked(operation_object(operation), mode, operation->row->is_try, operation->code);
}

/* world/sync/mutex.c */
void mutex_lock_after(struct operation *operation);

/* world/sync/rwlock.c */
void rwlock_read_after(struct operation *operation);
void rwlock_write_after(struct operation *operation);

/* world/sync/cond.c */
bool cond_wait_before(struct operation *operation);
void cond_wait_after(struct operation *operation);

/* world/sync/spin.c */
void spin_init_after(struct operation *operation);
bool spin_lock_before(struct operation *operation);
void spin_lock_after(struct operation *operation);
void spin_unlock_after(struct operation *operation);
/* The index of the thread that holds this spin lock, or 0. */
uint32_t spin_owner(const volatile void *lock);

/* world/sync/wait.c */
void sem_wait_after(struct operation *operation);
void barrier_init_after(struct operation *operation);
bool barrier_wait_before(struct operation *operation);
void barrier_wait_after(struct operation *operation);

/* world/sync/once.c */
bool once_before(struct operation *operation);
void once_after(struct operation *operation);
void guard_acquire_after(struct operation *operation);
bool guard_release_before(struct operation *operation);

/* world/sync/thread.c */
bool create_before(struct operation *operation);
void create_after(struct operation *operation);
void join_after(struct operation *operation);
bool cancel_before(struct operation *operation);
bool set_name_before(struct operation *operation);
bool get_name_before(struct operation *operation);

/* world/sync/exception.c */
void catch_begin_after(struct operation *operation);
bool catch_end_before(struct operation *operation);
bool exception_release_before(struct operation *operation);

/* world/sync/libc.c */
void file_lock_after(struct operation *operation);
bool exit_handler_before(struct operation *operation);
bool exit_before(struct operation *operation);

/* world/sync/process.c */
bool spawn_before(struct operation *operation);

/* world/sync/random.c */
bool random_before(struct operation *operation);

#endif
