/*
 * sync_priv.h: how mode control handles operations (rt/enter/operation.h). Each kind has a row in
 * world/sync/operation.c. First its event is announced, and `before` is called. If `before` returns true, it did the
 * work; otherwise the real function is called. Then `after` is called, also when a cancellation or an exception left
 * the real function (see operation->end), and `finish` if the function succeeded.
 */
#ifndef WORLD_SYNC_SYNC_PRIV_H
#define WORLD_SYNC_SYNC_PRIV_H

#include "rt/enter/operation.h"
#include "rt/observe.h"
#include "world/functions.h"
#include "world/sync/sync.h"

/* Announces the event of an operation, with its object and the address of the call in the program. */
static inline void announce(const struct operation *operation, enum heddle_event_kind kind)
{
	world_event(kind, operation_object(operation), operation->code);
}

/* A `finish`: see struct mode. Those named NAME_locked add the lock to those that the thread holds. */
typedef void sync_finish_function(const struct operation_row *row, const volatile void *object, uintptr_t code);

/* world/sync/mutex.c */
sync_finish_function mutex_locked;

/* world/sync/rwlock.c */
sync_finish_function rwlock_read_locked, rwlock_write_locked;

/* world/sync/cond.c */
bool cond_wait_before(struct operation *operation);
void cond_wait_after(struct operation *operation);

/* world/sync/spin.c */
void spin_init_after(struct operation *operation);
bool spin_lock_before(struct operation *operation);
sync_finish_function spin_locked;
void spin_unlock_after(struct operation *operation);
/* The index of the thread that holds this spin lock, or 0. */
uint32_t spin_owner(const volatile void *lock);

/* world/sync/wait.c */
/* Orders the thread after all threads that released the object; for a semaphore, after all that posted it. */
sync_finish_function acquired;
void barrier_init_after(struct operation *operation);
bool barrier_wait_before(struct operation *operation);
void barrier_wait_after(struct operation *operation);

/* world/sync/once.c */
bool once_before(struct operation *operation);
void once_after(struct operation *operation);
bool guard_release_before(struct operation *operation);

/* world/sync/thread.c */
bool create_before(struct operation *operation);
void create_after(struct operation *operation);
sync_finish_function joined;
bool cancel_before(struct operation *operation);
bool set_name_before(struct operation *operation);
bool get_name_before(struct operation *operation);

/* world/sync/exception.c */
void catch_begin_after(struct operation *operation);
bool catch_end_before(struct operation *operation);
bool exception_release_before(struct operation *operation);

/* world/sync/libc.c */
sync_finish_function file_locked;
bool exit_handler_before(struct operation *operation);
bool exit_before(struct operation *operation);

/* world/sync/process.c */
bool spawn_before(struct operation *operation);

/* world/sync/random.c */
bool random_before(struct operation *operation);

#endif
