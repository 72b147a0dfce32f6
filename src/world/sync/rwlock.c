/* rwlock.c: read-write locks. */
#include "world/sync/sync_priv.h"

void rwlock_read_locked(const struct operation_row *row, const volatile void *object, uintptr_t code)
{
	observe_locked(object, LOCK_SHARED, row->is_try, code);
}

void rwlock_write_locked(const struct operation_row *row, const volatile void *object, uintptr_t code)
{
	observe_locked(object, LOCK_EXCLUSIVE, row->is_try, code);
}
