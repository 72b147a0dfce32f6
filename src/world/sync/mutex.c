/* mutex.c: mutexes, those of POSIX and those of C11, which are the same inside. */
#include "world/sync/sync_priv.h"

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "an mtx_t is a pthread_mutex_t: sync_owner looks into it");

/* The low bits of the kind are the type that the program asked for. */
static inline enum lock_mode mode_of(const volatile void *mutex)
{
	int kind = ((const volatile pthread_mutex_t *)mutex)->__data.__kind;
	return (kind & 3) == PTHREAD_MUTEX_RECURSIVE_NP ? LOCK_RECURSIVE : LOCK_EXCLUSIVE;
}

void mutex_locked(const struct operation_row *row, const volatile void *object, uintptr_t code)
{
	observe_locked(object, mode_of(object), row->is_try, code);
}
