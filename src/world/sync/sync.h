/*
 * sync.h: synchronisation as the program sees it. Each public function of the threads library is an event, announced
 * before libc's own function does the work; where that has to wait, it makes a system call, and world_syscall blocks
 * the thread. Here is what the entrance calls, and what the rest of the world may ask about the objects.
 */
#ifndef WORLD_SYNC_SYNC_H
#define WORLD_SYNC_SYNC_H

#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "rt/enter/operation.h"
#include "world/world.h"

/* Around each operation: see struct mode. */
enum operation_next sync_before(struct operation *operation);
void sync_after(struct operation *operation);
void sync_finish(const struct operation_row *row, const volatile void *object, uintptr_t code);
/* `announce`, for a run without an observer, and for one that has one until it is stopped. */
void sync_announce(const struct operation_row *row, const volatile void *object, uintptr_t code);
void sync_announce_observed(const struct operation_row *row, const volatile void *object, uintptr_t code);

/* What the slot of a function that is an operation holds: the shortest of the ways in rt/enter/operation.h.
 * is_observed: there will be an observer. */
void *sync_function(size_t index, bool is_observed);

/* The object of an event of this kind, as reports name it: "mutex", "read-write lock". Never null. */
const char *sync_what(enum heddle_event_kind kind);

/* The index of the thread that an event of this kind on the object has to wait for: the one that holds the mutex,
 * that has the read-write lock for writing, or that is joined. 0 when there is none or when it cannot be known. */
uint32_t sync_owner(enum heddle_event_kind kind, const volatile void *object);

/* Why a blocked thread does not continue. */
struct sync_obstacle {
	const char *what;
	const volatile void *object;
	uint32_t owner;
};

/* Returns both for the object on which the thread is blocked, which is not always the object of its last event: a
 * thread that was woken by a condition variable may have to wait for the mutex, and the lock of a FILE is no event. */
struct sync_obstacle sync_obstacle(const struct thread *thread);

/* The thread that the program calls by this pthread_t, the youngest one if several had it; null when there is none. */
struct thread *sync_thread(pthread_t handle);

/* An object that threads wait for by polling has changed: wakes those blocked with WAIT_CHANGE on it. */
void sync_changed(const volatile void *object);

/* Handlers of the exit are about to run. */
void sync_exits(void);

/* The program's main is called through this one. world_real_main is set before. */
extern int (*world_real_main)(int argc, char **argv, char **environment);
int world_main(int argc, char **argv, char **environment);

/* posix_spawn, and with is_path_search posix_spawnp. */
int world_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		const posix_spawnattr_t *attributes, char *const argv[], char *const environment[],
		bool is_path_search);

#endif
